"""The relay without sockets: its real store, hub and connections, and lines on which messages wait as bytes."""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from vademecum.errors import StorageTrouble
from vademecum.transport.relay.connection import Connection
from vademecum.transport.relay.hub import Hub
from vademecum.transport.relay.lmdb_store import LmdbStore

__all__ = ["ORIGIN", "Line", "Relay"]

ORIGIN = "relay.example:443"
INITIAL_MAP = 1 << 18


@dataclass(eq=False)
class Line:
    """One connection: what is on its way in either direction, and what is wrong with it."""

    connection: Connection
    up: deque[bytes] = field(default_factory=deque)
    down: deque[bytes] = field(default_factory=deque)
    ended: bool = False
    """The relay has hung up: the device notices when it has read what is left."""
    waits: dict[str, int] = field(default_factory=dict)  # direction → turns for which nothing moves
    deaf: set[str] = field(default_factory=set)  # directions in which everything is lost

    def queue(self, data: bytes) -> None:
        if not self.ended:
            self.down.append(data)

    def disconnect(self, code: int, reason: str) -> None:
        self.ended = True

    def settled(self, size: int) -> None:
        pass


class _Desk(Hub):
    """The hub, whose writer works when it is told to."""

    @property
    def has_work(self) -> bool:
        return bool(self._waiting)

    def work(self) -> None:
        """What one turn of `Hub.run` does."""
        batch = self._next_batch()
        outcomes = self._perform([self._up_to_date(request) for _, request in batch])
        for (peer, request), outcome in zip(batch, outcomes, strict=True):
            self.apply(peer, peer.connection.finished(request, outcome))


class Relay:
    """One relay in *folder*. ``now`` gives milliseconds since 1970."""

    def __init__(self, folder: Path, now: Callable[[], int], log_id: bytes) -> None:
        self._folder = folder
        self._now = now
        self._dialled = 0
        self._store = LmdbStore.open(folder, new_log_id=log_id, initial_map=INITIAL_MAP)
        self._begin()

    def _begin(self) -> None:
        self._desk = _Desk(self._store, lambda: self._now() / 1000)
        self.lines: list[Line] = []

    def dial(self) -> Line:
        self._dialled += 1
        now = self._now()
        connection = Connection(
            self._store,
            self._desk.rosters,
            self._desk.mailboxes,
            address="198.51.100.7",
            origins=(ORIGIN,),
            nonce=self._dialled.to_bytes(32, "big"),
            now=now / 1000,
            wall_ms=now,
        )
        line = Line(connection)
        self.lines.append(line)
        return line

    def take(self, line: Line, data: bytes) -> None:
        self._desk.apply(line, line.connection.receive(data, self._now() / 1000))

    def hang_up(self, line: Line) -> None:
        self._desk.leave(line)
        line.ended = True
        self.lines.remove(line)

    @property
    def has_work(self) -> bool:
        return self._desk.has_work

    def work(self) -> None:
        """Stores what waits, in one transaction, and answers."""
        self._desk.work()

    def more(self, line: Line) -> bool:
        """The next part of an answer, if there is one and the line is free."""
        if line.down or not line.connection.has_more:
            return False
        self._desk.apply(line, line.connection.more())
        return True

    def crash(self, *, stored: bool) -> None:
        """The process ends, with what waits for the writer *stored* or lost, and begins again."""
        if stored and self.has_work:
            try:
                self.work()
            except StorageTrouble:
                return
        for line in list(self.lines):
            line.up.clear()
            line.down.clear()
            self.hang_up(line)
        self._begin()

    def backup(self, folder: Path) -> None:
        """A copy of the whole folder, made while nothing is written."""
        self.crash(stored=True)
        self._store.close()
        shutil.copytree(self._folder, folder)
        self._store = LmdbStore.open(self._folder, initial_map=INITIAL_MAP)
        self._begin()

    def restore(self, folder: Path | None, log_id: bytes) -> None:
        """Goes on from a copy made before, or from nothing with another log."""
        self.crash(stored=False)
        self._store.close()
        shutil.rmtree(self._folder)
        if folder is not None:
            shutil.copytree(folder, self._folder)
        self._store = LmdbStore.open(self._folder, new_log_id=log_id, initial_map=INITIAL_MAP)
        self._begin()

    def close(self) -> None:
        self._store.close()
