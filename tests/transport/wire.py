"""The two state machines of the relay protocol joined by a line that a test may cut, drop, double or shuffle."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tests.transport.memory_ledger import MemoryLedger
from vademecum.errors import PeerFault
from vademecum.transport.relay.admission import perform
from vademecum.transport.relay.connection import (
    Announce,
    Attend,
    Connection,
    Disconnect,
    Effect,
    Open,
    Review,
    Ring,
    Send,
    Submit,
)
from vademecum.transport.relay.lmdb_store import LmdbStore
from vademecum.transport.relay.mailboxes import Mailboxes
from vademecum.transport.relay.rosters import Rosters
from vademecum.transport.sync import Sync

ORIGIN = "relay.example:443"
Mangle = Callable[[bytes], Iterable[bytes]]


def mangling(rng: random.Random, dropped: float, doubled: float, late: float) -> tuple[Mangle, list[bytes]]:
    """A line that drops, doubles and swaps messages with these chances; and those that it holds back just now."""
    held: list[bytes] = []

    def mangle(message: bytes) -> Iterable[bytes]:
        what = rng.random()
        if what < dropped:
            return []
        if what < dropped + doubled:
            return [message, message]
        if what < dropped + doubled + late:
            held.append(message)
            return []
        if held and what < dropped + doubled + late + 0.1:
            return [message, held.pop()]
        return [message]

    return mangle, held


@dataclass(eq=False)
class Line:
    """One client's connection: what is on its way in either direction."""

    connection: Connection
    up: deque[bytes] = field(default_factory=deque)
    down: deque[bytes] = field(default_factory=deque)
    opened: bool = False
    cut: bool = False


class Switchboard:
    """A relay without a process: the hub's work, done at once. ``now`` is its clock."""

    def __init__(self, store: LmdbStore) -> None:
        self.store = store
        self.rosters = Rosters(store)
        self.mailboxes = Mailboxes()
        self.lines: list[Line] = []
        self.now = 0.0
        self._nonce = 0

    def line(self, address: str = "198.51.100.7") -> Line:
        self._nonce += 1
        connection = Connection(
            self.store,
            self.rosters,
            self.mailboxes,
            address=address,
            origins=(ORIGIN,),
            nonce=self._nonce.to_bytes(32, "big"),
            now=self.now,
            wall_ms=1_790_000_000_000 + int(self.now * 1000),
        )
        line = Line(connection)
        self.lines.append(line)
        return line

    def take(self, line: Line, data: bytes) -> None:
        self.apply(line, line.connection.receive(data, self.now))
        while line.connection.has_more:
            self.apply(line, line.connection.more())

    def apply(self, line: Line, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case Send(data):
                    line.down.append(data)
                case Announce(vault, data):
                    for other in self.lines:
                        if other is not line and other.opened and not other.cut and other.connection.vault == vault:
                            other.down.append(data)
                case Submit(request):
                    outcome = perform(self.store, [request])[0]
                    self.apply(line, line.connection.finished(request, outcome))
                case Open():
                    line.opened = True
                case Attend():
                    line.opened = False
                case Ring(mailbox):
                    for other in self.lines:
                        if other.connection.mailbox == mailbox:
                            self.apply(other, other.connection.rung(self.now))
                case Review(vault):
                    for other in list(self.lines):
                        if other.opened and not other.cut and other.connection.vault == vault:
                            self.apply(other, other.connection.reviewed())
                case Disconnect():
                    line.cut = True

    def hang_up(self, line: Line) -> None:
        line.connection.closed()
        line.cut = True
        self.lines.remove(line)


class Client:
    """A replica, its machine, and its line if it has one."""

    def __init__(self, ledger: MemoryLedger) -> None:
        self.ledger = ledger
        self.sync = Sync(ledger, ORIGIN)
        self.line: Line | None = None

    def connect(self, board: Switchboard) -> None:
        self.line = board.line()
        self.line.up.extend(self.sync.connected())

    def hang_up(self, board: Switchboard) -> None:
        if self.line is not None:
            board.hang_up(self.line)
            self.line = None
            self.sync.disconnected()

    def step(self, board: Switchboard, mangle: Mangle = lambda message: [message]) -> bool:
        """Moves one message in one direction. False if nothing was on its way."""
        line = self.line
        if line is None:
            return False
        if line.down:
            for message in mangle(line.down.popleft()):
                try:
                    line.up.extend(self.sync.receive([message]))
                except PeerFault:
                    self.hang_up(board)
                    return True
        elif line.up:
            for message in mangle(line.up.popleft()):
                board.take(line, message)
        else:
            if line.cut:
                self.hang_up(board)
            return False
        return True

    def changed(self) -> None:
        if self.line is not None:
            self.line.up.extend(self.sync.local_changed())


def run(board: Switchboard, clients: Iterable[Client], rng: random.Random | None = None) -> None:
    """Until nothing is on its way, in an order drawn from ``rng``."""
    everyone = list(clients)
    moving = True
    while moving:
        if rng is not None:
            rng.shuffle(everyone)
        moving = sum(client.step(board) for client in everyone) > 0
