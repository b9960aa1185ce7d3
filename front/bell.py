"""How processes of one device reach the one that holds the connection: datagrams on the loopback address.

A datagram is ``token (16) ‖ kind (1) ‖ question (8)``; an answer is ``kind (1) ‖ question (8) ‖ JSON``.

========  ==========================================================  ==================================
kind      meaning                                                     answer
========  ==========================================================  ==================================
``w``     something was written                                       none
``s``     sync now                                                    ``h`` at once, ``a`` when it is done
``q``     end                                                         ``h`` at once
========  ==========================================================  ==================================

The token is in the holder's note, which only the person's own processes can read; a datagram without it is dropped.
No memory travels here: a report is counts and a state. Datagrams may be lost, so a question is repeated until it is
heard, and the holder still looks for changes now and then. Nothing is a special file in the vault's folder: such a
folder can be copied by any tool.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from vademecum.errors import MalformedBytes

if TYPE_CHECKING:
    import socket

__all__ = [
    "ANSWER",
    "HEARD",
    "HOST",
    "NOTE",
    "QUESTION_SIZE",
    "QUIT",
    "RING",
    "SYNC",
    "TOKEN_SIZE",
    "Bell",
    "Call",
    "Note",
    "answer",
    "call",
    "read_answer",
    "read_call",
]

HOST = "127.0.0.1"
NOTE = "daemon.json"
"""Name of the holder's note in the vault's folder."""
TOKEN_SIZE = 16
QUESTION_SIZE = 8
RING, SYNC, QUIT, HEARD, ANSWER = b"w", b"s", b"q", b"h", b"a"
_MAX_NOTE = 4096


class Note(NamedTuple):
    """What a holder says about itself.

    ``kind`` is ``daemon``, ``sync`` (in the foreground) or ``program``; ``port`` is 0 where it cannot be reached.
    """

    pid: int
    kind: str
    port: int
    token: bytes

    def to_bytes(self) -> bytes:
        return json.dumps({**self._asdict(), "token": self.token.hex()}).encode()

    @classmethod
    def parse(cls, data: bytes) -> Note:
        """Raises `MalformedBytes`."""
        try:
            fields = json.loads(data)
            made = cls(fields["pid"], fields["kind"], fields["port"], bytes.fromhex(fields["token"]))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise MalformedBytes("A note of who holds the connection does not parse.") from error
        sound = type(made.pid) is int and type(made.kind) is str and type(made.port) is int
        if not sound or not 0 <= made.port < 1 << 16 or made.pid < 1 or len(made.token) != TOKEN_SIZE:
            raise MalformedBytes("A note of who holds the connection holds something else.")
        return made

    @classmethod
    def read(cls, home: Path) -> Note | None:
        """The note in *home*, if there is one that parses. It may be of a process that is dead."""
        try:
            with (home / NOTE).open("rb") as file:
                return cls.parse(file.read(_MAX_NOTE))
        except (OSError, MalformedBytes):
            return None


class Call(NamedTuple):
    kind: bytes
    question: bytes


def call(token: bytes, kind: bytes, question: bytes = bytes(QUESTION_SIZE)) -> bytes:
    return token + kind + question


def read_call(token: bytes, data: bytes) -> Call:
    """Raises `MalformedBytes` for anything but a call with *token*."""
    kind = data[TOKEN_SIZE : TOKEN_SIZE + 1]
    if len(data) != TOKEN_SIZE + 1 + QUESTION_SIZE or data[:TOKEN_SIZE] != token or kind not in (RING, SYNC, QUIT):
        raise MalformedBytes("A datagram is no call to this process.")
    return Call(kind, data[TOKEN_SIZE + 1 :])


def answer(kind: bytes, question: bytes, report: Mapping[str, Any]) -> bytes:
    return kind + question + json.dumps(report).encode()


def read_answer(question: bytes, data: bytes) -> tuple[bytes, dict[str, Any]]:
    """(kind, report). Raises `MalformedBytes` for anything but an answer to *question*."""
    kind, rest = data[:1], data[1 + QUESTION_SIZE :]
    if kind not in (HEARD, ANSWER) or data[1 : 1 + QUESTION_SIZE] != question:
        raise MalformedBytes("A datagram is no answer to this question.")
    try:
        report = json.loads(rest)
    except (ValueError, RecursionError) as error:
        raise MalformedBytes("An answer does not parse.") from error
    if not isinstance(report, dict):
        raise MalformedBytes("An answer is no report.")
    return kind, report


class Bell:
    """The writers' side. `ring` costs microseconds and never fails: whoever does not hear it looks by itself."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._path = os.fspath(home / NOTE)
        self._mark: tuple[int, int] | None = None
        self._note: Note | None = None
        self._socket: socket.socket | None = None

    def ring(self) -> None:
        try:
            found = os.stat(self._path)  # noqa: PTH116  # half the time of Path's, at every write
        except OSError:
            return
        mark = found.st_ino, found.st_mtime_ns
        if mark != self._mark:
            self._mark, self._note = mark, Note.read(self._home)
        note = self._note
        if note is None or not note.port:
            return
        import socket  # only a process that has somebody to ring needs it

        try:
            if self._socket is None:
                self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                self._socket.setblocking(False)
            self._socket.sendto(call(note.token, RING), (HOST, note.port))
        except OSError:  # no network at all, or a full queue: the holder looks by itself
            return

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
