"""Which lines of the memory this device has shown to agents of late, as hashes in the meta table.

Hashes, because the lines themselves are in the memory or forgotten; they go when anything is forgotten. Bounded, and
kept by this device alone: what is lost costs no more than a memory that is confirmed by its own echo.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from hashlib import blake2b
from typing import NamedTuple

import msgpack

from vademecum.storage.tables import Table
from vademecum.storage.transaction import Reader, Writer

from .wording import one_line

__all__ = ["Shown", "Span", "forget_shown", "line_hashes", "shown_lines"]

KEPT = 2048
"""Lines that are remembered as shown: some forty context blocks of different memories."""
ECHO_MS = 86_400_000
"""How long after it was shown a line counts as an echo: a day. Later it is the person who says so again."""
SHORTEST = 8
"""Bytes of a line below which it may be said by chance (*yes*, *pytest*), and says too little to be a memory."""

_SHOWN = b"shown"
_SIZE = 8
_BULLET = re.compile(r"^(?:[-*•–]|\d{1,3}[.)])\s+")


class Span(NamedTuple):
    """From when to when a line was shown again and again, in milliseconds by this device's clock."""

    first_ms: int
    last_ms: int

    def covers(self, logged_ms: int) -> bool:
        """Whether a line that was logged then may be its echo: it was shown before, and not too long before."""
        return self.first_ms <= logged_ms <= self.last_ms + ECHO_MS


class Shown:
    """What this process has handed out and not yet noted in the database. Threads may share it.

    Recall must not wait for a disk: lines are kept here and written along with the next write of the replica.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pending: dict[bytes, Span] = {}
        self._riding: dict[bytes, Span] = {}

    def note(self, texts: Iterable[str], at_ms: int) -> None:
        """To be called with the texts that an agent is given out of the memory at *at_ms*."""
        hashes = [hashed for text in texts for line in text.splitlines() for hashed in line_hashes(line)]
        with self._lock:
            for hashed in hashes:
                self._pending[hashed] = _joined(self._pending.get(hashed), Span(at_ms, at_ms))
            while len(self._pending) > KEPT:
                del self._pending[next(iter(self._pending))]

    @property
    def pending(self) -> bool:
        return bool(self._pending)

    def write(self, writer: Writer) -> None:
        """Adds what is pending to what the database knows. One transaction at a time."""
        with self._lock:
            self._riding = dict(self._pending)
        if self._riding:
            _add(writer, self._riding)

    def written(self) -> None:
        """The transaction that `write` was given is committed."""
        with self._lock:
            for hashed, span in self._riding.items():
                if self._pending.get(hashed) == span:
                    del self._pending[hashed]
            self._riding = {}


def shown_lines(reader: Reader) -> dict[bytes, Span]:
    """The lines that were shown of late, by their hash."""
    found = reader.get(Table.META, _SHOWN)
    return {} if found is None else {hashed: Span(*span) for hashed, span in msgpack.unpackb(found, use_list=False)}


def forget_shown(writer: Writer) -> None:
    writer.delete(Table.META, _SHOWN)


def _add(writer: Writer, lines: dict[bytes, Span]) -> None:
    kept = shown_lines(writer)
    for hashed, span in lines.items():
        kept[hashed] = _joined(kept.pop(hashed, None), span)  # now the last to go
    writer.put(Table.META, _SHOWN, msgpack.packb(list(kept.items())[-KEPT:]))


def _joined(one: Span | None, other: Span) -> Span:
    return other if one is None else Span(min(one.first_ms, other.first_ms), max(one.last_ms, other.last_ms))


def line_hashes(line: str) -> list[bytes]:
    """Of the line as it stands, and without a bullet; none of a line too short to be anybody's in particular."""
    plain = one_line(line).casefold()
    forms = dict.fromkeys((plain, _BULLET.sub("", plain)))
    return [blake2b(form.encode(), digest_size=_SIZE).digest() for form in forms if len(form.encode()) >= SHORTEST]
