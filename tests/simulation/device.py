"""One device: its disk, two processes that have it open, its clock, and its conversation with the relay.

The *daemon* has the ledger and the sync machine; the *program* is any other process of the device, in which the person
and the agents write. Either may end at any commit; what it had in memory is then gone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import TypeVar

from tests.simulation.disk import Crashed, Disk
from tests.simulation.faults import Mishap
from tests.simulation.relay import ORIGIN, Line, Relay
from tests.simulation.truth import Fact, Trees, Truth
from vademecum.engine import journal
from vademecum.engine.document import Document
from vademecum.engine.documents import OpenDocument
from vademecum.engine.person import Person
from vademecum.engine.replica import Replica, Transaction
from vademecum.engine.slots import Row, Slot, SlotMap, parse_slot_key, row_of
from vademecum.engine.view import forgotten_by
from vademecum.errors import PeerFault, StorageTrouble
from vademecum.storage.tables import Table
from vademecum.transport.keys import DeviceKeys, channel_id
from vademecum.transport.ledger import ReplicaLedger, keep_statements
from vademecum.transport.roster import Roster
from vademecum.transport.sync import State, Sync

__all__ = ["Device"]

T = TypeVar("T")
Told = dict[str, tuple[bool, frozenset[tuple[bool, bytes, bytes]], bytes]]
Rows = dict[tuple[str, SlotMap], Told]

EXPECTED_PROBLEMS = frozenset({"relay-rewound", "cannot-catch-up", "refused:bad-proof", "refused:unexpected"})
"""What may be reported while the world is broken. Nobody forges, forks or spoils a commit here."""


class Device:
    """*now* gives the time that no device knows, in milliseconds; *skew* is what this device adds to it."""

    def __init__(
        self, keys: DeviceKeys, client: int, disk: Disk, roster: Roster, truth: Truth, now: Callable[[], int], seed: int
    ) -> None:
        self.keys = keys
        self.id = keys.device
        self.disk = disk
        self.skew = 0
        self.frozen: int | None = None
        """Where the clock stands still, for a device that is switched off for long."""
        self.apart = False
        """Nothing leads to the relay."""
        self.mishaps: list[Mishap | None] = []
        """What befalls the next messages to and from the relay, in turn."""
        self.line: Line | None = None
        self.crashes = 0
        self._vault = roster.vault
        self._client = client
        self._truth = truth
        self._now = now
        self._entropy = random.Random(seed)
        self._unsealed: dict[str, list[Fact]] = {}
        self._sealed: dict[str, int] = {}  # scope → number of the last commit when the first unsealed fact came
        self._start_program()
        self.program.write(lambda transaction: keep_statements(transaction, roster))
        self._start_daemon()
        self._naming_key = self.ledger.secrets.naming_key

    def wall(self) -> int:
        return (self._now() if self.frozen is None else self.frozen) + self.skew

    # --- processes ----------------------------------------------------------------------------------------------

    def _replica(self) -> Replica:
        return Replica(self.disk, device=self.id, client=self._client, wall=self.wall)

    def _start_program(self) -> None:
        self.program = self._replica()

    def _start_daemon(self) -> None:
        self.daemon = self._replica()
        self.ledger = ReplicaLedger(
            self.daemon, self._vault, self.keys, entropy=self._entropy.randbytes, wall=self.wall
        )
        self.sync = Sync(self.ledger, ORIGIN)

    def restart(self, relay: Relay) -> None:
        """Both processes end and begin again."""
        self._drop_line(relay)
        self._start_program()
        self._start_daemon()

    def write(self, work: Callable[[Replica], T], relay: Relay, *, in_daemon: bool = False) -> tuple[T | None, bool]:
        """Runs *work* in a process: what it returns, and whether all that it wrote is there."""
        try:
            return work(self.daemon if in_daemon else self.program), True
        except StorageTrouble:
            return None, False
        except Crashed as end:
            self.crashes += 1
            if in_daemon:
                self._drop_line(relay)
                self._start_daemon()
            else:
                self._start_program()
            return None, end.committed

    # --- the relay ----------------------------------------------------------------------------------------------

    def connect(self, relay: Relay) -> None:
        if self.line is None and not self.apart:
            self.line = relay.dial()
            self._tell(self.sync.connected, relay)

    def hang_up(self, relay: Relay) -> None:
        if self.line is not None:
            self._drop_line(relay)
            self._step(self.sync.disconnected, relay)

    def changed(self, relay: Relay) -> None:
        """What the daemon does when it is woken."""
        self._tell(self.sync.local_changed, relay)

    def check(self, relay: Relay) -> None:
        self._tell(self.sync.local_changed, relay)
        self._tell(self.sync.check, relay)

    def take(self, messages: list[bytes], relay: Relay) -> None:
        """Messages have come from the relay."""
        self._tell(lambda: self.sync.receive(messages), relay)

    def _tell(self, step: Callable[[], list[bytes]], relay: Relay) -> None:
        sent = self._step(step, relay)
        if sent and self.line is not None:
            self.line.up.extend(sent)

    def _step(self, step: Callable[[], T], relay: Relay) -> T | None:
        """One step of the machine. A full disk ends its work, as it ends the program's."""
        done = None
        try:
            done = step()
        except PeerFault:
            self.hang_up(relay)
        except StorageTrouble:
            self._drop_line(relay)
            self.sync = Sync(self.ledger, ORIGIN)
        except Crashed:
            self.crashes += 1
            self._drop_line(relay)
            self._start_daemon()
        self.note_sealed()
        for problem in self.sync.problems:
            assert problem.code in EXPECTED_PROBLEMS, problem
        return done

    def _drop_line(self, relay: Relay) -> None:
        line, self.line = self.line, None
        if line is not None and line in relay.lines:
            relay.hang_up(line)

    @property
    def in_step(self) -> bool:
        """Whether this device says that it and the relay hold the same, and nothing of its own waits."""
        with self.program.read() as view:
            waits = view.reader.has(Table.OUTBOX)
        return self.sync.state is State.SYNCED and not waits

    # --- what it holds ------------------------------------------------------------------------------------------

    def add(self, fact: Fact) -> None:
        """*fact* was written here."""
        self._truth.facts.append(fact)
        if fact.scope not in self._unsealed:
            self._sealed[fact.scope] = self._last_sealed(fact.scope)
        self._unsealed.setdefault(fact.scope, []).append(fact)

    def note_sealed(self) -> None:
        """Finds out which facts have gone into commits."""
        for scope in list(self._unsealed):
            seq = self._last_sealed(scope)
            if seq > self._sealed[scope]:
                self._truth.sealed[scope, self.id, seq] = self._unsealed.pop(scope)

    def _last_sealed(self, scope: str) -> int:
        return self.ledger.frontier(self.channel(scope)).get(self.id, (0, b""))[0]

    def channel(self, scope: str) -> bytes:
        return channel_id(self._naming_key, scope)

    def facts(self) -> list[Fact]:
        """All facts that this device holds, its own and those in the commits that it has applied."""
        found = [fact for facts in self._unsealed.values() for fact in facts]
        with self.program.read() as view:
            scopes = view.scopes()
        for scope in scopes:
            for device, (seq, _) in self.ledger.frontier(self.channel(scope)).items():
                found += self._truth.carried(scope, device, 1, seq)
        return found

    def tree(self) -> Trees:
        tree: Trees = {}
        for leaf in Person(self.program).leaves():
            tree.setdefault(leaf.scope, {})[leaf.path] = leaf.value
        return tree

    def rows(self) -> Rows:
        """What all rows say, in terms that are the same on every device."""
        with self.program.read() as view:
            return {
                (scope, slot_map): told
                for scope in view.scopes()
                for slot_map in SlotMap
                if (told := _told((name, row) for name, row in view.rows(scope, slot_map) if row.slots))
            }

    def documents(self) -> Rows:
        """What the documents say, in the terms of `rows`."""

        def work(transaction: Transaction) -> Rows:
            found: Rows = {}
            for scope in transaction.scopes():
                number = transaction.number(scope)
                assert number is not None
                document = Document(1)
                OpenDocument(number, document).catch_up(transaction.writer)
                forgotten = forgotten_by(transaction.statements(scope))
                for slot_map in SlotMap:
                    slots: dict[str, list[Slot]] = {}
                    for key, data in document.items(slot_map).items():
                        name, by_person, owner = parse_slot_key(key)
                        slots.setdefault(name, []).append(Slot.of(by_person, owner, data))
                    told = _told((name, row_of(found_slots, forgotten)) for name, found_slots in slots.items())
                    if told:
                        found[scope, slot_map] = told
            return found

        return self.program.write(work)

    def journal(self) -> list[tuple[str, journal.Entry]]:
        """(scope, entry) of all leaves' entries."""
        with self.program.read() as view:
            names = view.scope_names()
            return [
                (names[entry.scope], entry) for entry in journal.entries(view.reader) if entry.map is SlotMap.LEAVES
            ]


def _told(rows: Iterable[tuple[str, Row]]) -> Told:
    return {
        name: (row.live, frozenset((one.by_person, one.device, one.data) for one in row.slots), row.slots[0].data)
        for name, row in rows
    }
