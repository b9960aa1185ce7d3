"""Who holds the connection to the relay: one process, for all processes of the device.

The lock on ``daemon.lock`` is the truth, because the system takes it from a process however that ends. The note beside
it (`bell.Note`) says how to reach the holder; it is written under the lock, and believed only while the lock is held.
Where the system has no ``flock`` (Windows) nobody holds it: each process that syncs has a connection of its own.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from vademecum import bell
from vademecum.bell import Note
from vademecum.errors import AlreadySyncing, MalformedBytes, StorageTrouble, VademecumError
from vademecum.storage.files import write_atomically
from vademecum.transport.calls import Calls

if sys.platform != "win32":
    import fcntl

__all__ = ["Held", "ask", "hold", "holder", "is_held", "says_who"]

LOCK = "daemon.lock"
HEARD_SECONDS = 0.4
"""How long a holder may take to say that it has heard a question; then it is asked again."""
TRIES = 5
LOOK_SECONDS = 0.5
"""How often whoever waits for an answer looks whether the holder still lives."""

_descriptors: set[int] = set()


class Held(NamedTuple):
    """The connection as its holder has it: what others want; and whether they can ring."""

    calls: Calls
    rings: bool


def is_held(home: Path) -> bool:
    """Whether any process holds the connection of the vault in *home*."""
    if sys.platform == "win32":
        return False
    try:
        descriptor = os.open(home / LOCK, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks
        return False
    finally:
        os.close(descriptor)
    return False


def holder(home: Path, *, patience: float = 2.0) -> Note | None:
    """Who holds the connection; None for nobody. Waits up to *patience* seconds for one who has just begun."""
    end = time.monotonic() + patience
    while is_held(home):
        note = Note.read(home)
        if note is not None or time.monotonic() > end:
            return note
        time.sleep(0.02)
    return None


def says_who(note: Note | None) -> str:
    """The holder, in words."""
    if note is None:
        return "another process"
    what = {"daemon": "the daemon", "sync": "`vademecum sync`"}.get(note.kind, "a program")
    return f"{what} (process {note.pid})"


@asynccontextmanager
async def hold(home: Path, kind: str, stop: asyncio.Event) -> AsyncIterator[Held]:
    """Holds the connection of the vault in *home* while the block runs; others can then ring, ask, and set *stop*.

    Raises `AlreadySyncing` if another process holds it, `StorageTrouble` if the folder cannot be written.
    """
    calls = Calls()
    if sys.platform == "win32":
        yield Held(calls, False)
        return
    descriptor = await _locked(home)
    try:
        token = secrets.token_bytes(bell.TOKEN_SIZE)
        door = _Door(token, calls, stop)
        loop = asyncio.get_running_loop()
        try:
            transport, _ = await loop.create_datagram_endpoint(lambda: door, local_addr=(bell.HOST, 0))
        except OSError:  # no loopback; changes are still found by looking
            transport = None
        try:
            port = 0 if transport is None else transport.get_extra_info("sockname")[1]
            note = Note(os.getpid(), kind, port, token)
            try:
                write_atomically(home / bell.NOTE, note.to_bytes())
            except OSError as error:
                raise StorageTrouble(f"{home / bell.NOTE} cannot be written: {error.strerror}.") from error
            yield Held(calls, transport is not None)
        finally:
            with suppress(OSError):
                (home / bell.NOTE).unlink()
            door.close()
            if transport is not None:
                transport.close()
    finally:
        if descriptor in _descriptors:  # else this is the child of a fork
            _descriptors.discard(descriptor)
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_UN)
            os.close(descriptor)


async def ask(home: Path, kind: bytes) -> dict[str, Any] | None:
    """Asks the holder to sync (`bell.SYNC`) or to end (`bell.QUIT`), and waits until it has.

    Returns its report; None where nobody holds the connection, nobody hears, or the holder ended before it answered.
    """
    note = await asyncio.to_thread(holder, home)
    if note is None or not note.port:
        return None
    question = secrets.token_bytes(bell.QUESTION_SIZE)
    answers = _Answers(question)
    try:
        transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: answers, remote_addr=(bell.HOST, note.port)
        )
    except OSError:
        return None
    try:
        for _ in range(TRIES):
            transport.sendto(bell.call(note.token, kind, question))
            with suppress(TimeoutError):
                await asyncio.wait_for(answers.heard.wait(), HEARD_SECONDS)
                break
        else:
            return None
        if kind == bell.QUIT:
            return {}
        while is_held(home) and Note.read(home) == note:
            with suppress(TimeoutError):
                return await asyncio.wait_for(asyncio.shield(answers.report), LOOK_SECONDS)
        return answers.report.result() if answers.report.done() else None
    finally:
        answers.report.cancel()
        transport.close()


class _Door(asyncio.DatagramProtocol):
    """The holder's side of the bell."""

    def __init__(self, token: bytes, calls: Calls, stop: asyncio.Event) -> None:
        self._token = token
        self._calls = calls
        self._stop = stop
        self._transport: asyncio.DatagramTransport | None = None
        self._answering: dict[bytes, asyncio.Task[None]] = {}

    def connection_made(self, transport: asyncio.DatagramTransport) -> None:  # type: ignore[override]  # as asyncio calls it
        self._transport = transport

    def datagram_received(self, data: bytes, address: Any) -> None:
        try:
            kind, question = bell.read_call(self._token, data)
        except MalformedBytes:
            return
        if kind == bell.RING:
            self._calls.ring()
            return
        self._send(bell.answer(bell.HEARD, question, {}), address)
        if kind == bell.QUIT:
            self._stop.set()
        elif question not in self._answering:  # a question may come twice
            self._answering[question] = asyncio.create_task(self._answer(question, address))

    def close(self) -> None:
        for task in self._answering.values():
            task.cancel()

    async def _answer(self, question: bytes, address: Any) -> None:
        try:
            report = await self._calls.sync()
        except VademecumError as error:
            told = {"error": error.code, "message": error.message[:2000], "reason": getattr(error, "reason", "")}
        else:
            told = {
                "state": report.state,
                "pulled": report.pulled,
                "pushed": report.pushed,
                "bytes_in": report.bytes_in,
                "bytes_out": report.bytes_out,
                "seconds": report.seconds,
            }
        finally:
            self._answering.pop(question, None)
        self._send(bell.answer(bell.ANSWER, question, told), address)

    def _send(self, data: bytes, address: Any) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.sendto(data, address)


class _Answers(asyncio.DatagramProtocol):
    """The asker's side."""

    def __init__(self, question: bytes) -> None:
        self._question = question
        self.heard = asyncio.Event()
        self.report: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    def datagram_received(self, data: bytes, address: Any) -> None:
        try:
            kind, report = bell.read_answer(self._question, data)
        except MalformedBytes:
            return
        self.heard.set()
        if kind == bell.ANSWER and not self.report.done():
            self.report.set_result(report)

    def error_received(self, error: Exception) -> None:
        """Nobody listens there; the question is repeated, and then given up."""


async def _locked(home: Path) -> int:
    try:
        descriptor = os.open(home / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StorageTrouble(f"{home / LOCK} cannot be written: {error.strerror}.") from error
    try:
        for _ in range(20):  # whoever only looks holds the lock for a moment
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                await asyncio.sleep(0.01)
            except OSError as error:
                raise StorageTrouble(f"{home / LOCK} cannot be locked: {error.strerror}.") from error
            else:
                _descriptors.add(descriptor)
                return descriptor
        who = says_who(await asyncio.to_thread(holder, home))
        raise AlreadySyncing(
            f"The connection of this vault is held by {who}, which syncs for every process of this device; "
            f"there is nothing more to start."
        )
    except BaseException:
        os.close(descriptor)
        raise


def _forked() -> None:
    """A child shares its parent's lock, and would hold it when the parent has ended."""
    for descriptor in _descriptors:
        with suppress(OSError):
            os.close(descriptor)
    _descriptors.clear()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_forked)
