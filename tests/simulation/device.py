"""One device: its disk, two processes that have it open, its clock, and its conversation with the relay.

The *daemon* has the ledger and the sync machine; the *program* is any other process of the device, in which the person
and the agents write. Either may end at any commit; what it had in memory is then gone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from tests.engine.model import Forgotten, Written
from tests.simulation.disk import Contents, Crashed, Disk
from tests.simulation.faults import Mishap
from tests.simulation.relay import ORIGIN, Line, Relay
from tests.simulation.truth import Fact, Trees, Truth
from tests.transport.family import device
from vademecum.engine import journal
from vademecum.engine.document import Document
from vademecum.engine.documents import OpenDocument
from vademecum.engine.law import hopeless
from vademecum.engine.person import Person
from vademecum.engine.replica import Replica, Transaction
from vademecum.engine.retention import Retention
from vademecum.engine.settings import keep_retention
from vademecum.engine.slots import Row, Slot, SlotMap, parse_slot_key, row_of
from vademecum.engine.view import FORGOTTEN, forgotten_by
from vademecum.errors import PeerFault, StorageTrouble
from vademecum.storage.identity import OWNER, owner_mark, parse_owner
from vademecum.storage.installation import COPIED, RESTORED, SEALED
from vademecum.storage.tables import Table
from vademecum.transport import succession
from vademecum.transport.contract import Received
from vademecum.transport.keys import DeviceKeys, channel_id
from vademecum.transport.ledger import ReplicaLedger, keep_statements
from vademecum.transport.roster import Roster
from vademecum.transport.succession import Copies, Fork, Successor
from vademecum.transport.sync import State, Sync

__all__ = ["Device", "Keyring"]

T = TypeVar("T")
Told = dict[str, tuple[bool, frozenset[tuple[bool, bytes, bytes]], bytes]]
FIRST_SUCCESSOR = 20
MAX_SUCCESSORS = 70
Rows = dict[tuple[str, SlotMap], Told]

EVERYTHING = Retention(days=1 << 20, bytes=1 << 40)
"""Worlds last for decades, and of the journals all is compared."""
EXPECTED_PROBLEMS = frozenset(
    {"relay-rewound", "cannot-catch-up", "refused:bad-proof", "refused:unexpected", "refused:gap", "refused:behind"}
)
"""What may be reported while the world is broken. Nobody forges, forks or spoils a commit here."""
REVOKING_PROBLEMS = frozenset({"revoked", "refused:revoked", "author-revoked", "keys-missing", "unknown-device"})
"""And where devices are revoked."""


class Keyring:
    """The keys and client ids of all devices there have been, by number."""

    def __init__(self) -> None:
        self.keys: dict[bytes, DeviceKeys] = {}
        self.founded = 0
        self._succeeded = 0

    @property
    def full(self) -> bool:
        return self._succeeded >= MAX_SUCCESSORS

    def found(self) -> tuple[DeviceKeys, int]:
        """Those of the next device that joins the vault."""
        self.founded += 1
        return self._issue(self.founded - 1)

    def succeed(self) -> tuple[DeviceKeys, int]:
        """Those of the next device that a copy becomes."""
        self._succeeded += 1
        return self._issue(FIRST_SUCCESSOR + self._succeeded)

    def _issue(self, number: int) -> tuple[DeviceKeys, int]:
        keys = device(number)
        self.keys[keys.device] = keys
        return keys, 1000 + number


class _Ledger(ReplicaLedger):
    """Says when the commits of this device may have been given up for a snapshot, and who is revoked."""

    def __init__(
        self, rebased: Callable[[], None], heard: Callable[[set[bytes]], None], *arguments: Any, **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self._rebased = rebased
        self._heard = heard

    def merge_roster(self, statements: Sequence[bytes]) -> Roster:
        before = self.roster()
        after = super().merge_roster(statements)
        gone = {who for who in after.members if after.is_revoked(who) and not before.is_revoked(who)}
        if gone:
            self._heard(gone)
        return after

    def adopt(self, channel: bytes, log_id: bytes, parts: Sequence[bytes], position: int) -> Received:
        try:
            return super().adopt(channel, log_id, parts, position)
        finally:
            self._rebased()


class Device:
    """*now* gives the time that no device knows, in milliseconds; *skew* is what this device adds to it."""

    def __init__(
        self,
        keyring: Keyring,
        disk: Disk,
        vault: bytes,
        truth: Truth,
        now: Callable[[], int],
        seed: int,
        *,
        trouble: str | None = None,
    ) -> None:
        self.disk = disk
        self.trouble = trouble
        """What the folder shows of having been copied or restored: `installation.judge` would say so."""
        self.sealed_file = 0
        """The file beside the database that says how many commits have been sealed."""
        self.saved: list[tuple[Contents, int, int]] = []
        """Backups of the folder."""
        self.skew = 0
        self.frozen: int | None = None
        """Where the clock stands still, for a device that is switched off for long."""
        self.apart = False
        """Nothing leads to the relay."""
        self.lossy = False
        """Messages of this device have been lost or shuffled, so that a commit may have come before its author."""
        self.mishaps: list[Mishap | None] = []
        """What befalls the next messages to and from the relay, in turn."""
        self.line: Line | None = None
        self.crashes = 0
        self._keyring = keyring
        self._vault = vault
        self._truth = truth
        self._now = now
        self._entropy = random.Random(seed)
        self._wrote: list[str] = []
        self.everyone: Sequence[Device] = ()
        """All devices of the world."""
        self.facts_written: list[Fact] = []
        self.heard_holding: list[Fact] = []
        """What this device held of each revoked one when it heard of the revocation."""
        self._unsealed: dict[str, list[Fact]] = {}
        self._sealed: dict[str, int] = {}  # scope → number of the last commit when the first unsealed fact came
        self._start_program()
        self._start_daemon()
        self._naming_key = self.ledger.secrets.naming_key

    @classmethod
    def found(
        cls,
        keyring: Keyring,
        disk: Disk,
        roster: Roster,
        truth: Truth,
        now: Callable[[], int],
        seed: int,
    ) -> Device:
        """A new device, made as `founding.make_folder` makes one."""
        keys, client = keyring.found()

        def fill(transaction: Transaction) -> None:
            keep_statements(transaction, roster)
            keep_retention(transaction, EVERYTHING)
            transaction.writer.put(Table.META, OWNER, roster.vault + owner_mark(keys.device, client))

        Replica(disk, device=keys.device, client=client, wall=now).write(fill)
        return cls(keyring, disk, roster.vault, truth, now, seed)

    @property
    def id(self) -> bytes:
        """The device that this one is now: a copy becomes another."""
        return self._owner()[1]

    def _owner(self) -> tuple[bytes, bytes, int]:
        with self.disk.read() as reader:
            return parse_owner(reader.get(Table.META, OWNER) or b"")

    def wall(self) -> int:
        wall = (self._now() if self.frozen is None else self.frozen) + self.skew
        self._truth.latest = max(self._truth.latest, wall)
        return wall

    # --- processes ----------------------------------------------------------------------------------------------

    def _replica(self) -> Replica:
        _, device, client = self._owner()
        replica = Replica(self.disk, device=device, client=client, wall=self.wall)
        if self.trouble is not None:
            replica.due = lambda: self._renew_what_was_found(replica)
        return replica

    def _renew_what_was_found(self, replica: Replica) -> None:
        before = replica.device
        if self.trouble is not None and replica.follow() == before:
            try:
                self._renew(replica, self.trouble, None)
            except Crashed as end:
                raise Crashed(committed=False) from end  # what the process was about to write is not there
        self.trouble = None

    def _renew(self, replica: Replica, why: str, fork: Fork | None) -> None:
        """As `vademecum.renewal` does it."""
        keys, client = self._keyring.succeed()
        successor = Successor(keys, client, bytes(32))
        self._truth.copied = True
        succession.renew(
            replica,
            self._vault,
            self._keyring.keys[replica.device],
            successor,
            why=why,
            fork=fork,
            at_ms=self._now(),
            keep=lambda _keys, _token: None,
        )
        replica.follow()

    def _start_program(self) -> None:
        self.program = self._replica()

    def _start_daemon(self) -> None:
        self.daemon = self._replica()
        copies = Copies(
            self._keyring.keys.__getitem__,
            lambda fork: self._renew(self.daemon, "twin", fork),
            self._has_sealed,
        )
        self.ledger = _Ledger(
            self.note_rebased,
            self.note_heard,
            self.daemon,
            self._vault,
            self._keyring.keys[self.daemon.device],
            entropy=self._entropy.randbytes,
            wall=self.wall,
            copies=copies,
        )
        self.sync = Sync(self.ledger, ORIGIN)

    def keys(self) -> DeviceKeys:
        return self._keyring.keys[self.ledger.device]

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

    def save(self) -> None:
        """Makes a backup of the folder."""
        self.saved.append((self.disk.backup(), self.sealed_file, len(self._wrote)))

    def restore(self, number: int, relay: Relay, *, seen: bool) -> None:
        """Puts a backup of the database into its place; with all that lies beside it unless that is to be *seen*."""
        contents, sealed, wrote = self.saved[number]
        self._truth.lost.update(self._wrote[wrote:])
        self._drop_line(relay)
        self.disk.restore(contents)
        if not seen:
            self.sealed_file = sealed
        with self.disk.read() as reader:
            sealed = int.from_bytes(reader.get(Table.META, SEALED) or b"", "big")
        self.trouble = RESTORED if self.sealed_file > sealed else None
        self._truth.copied = True
        self.restart(relay)

    def copied(self, disk: Disk, seed: int, *, seen: bool) -> Device:
        """A copy of this device on another *disk*, which shows beside the database if it is to be *seen*."""
        disk.restore(self.disk.backup())
        self._truth.copied = True
        copy = Device(self._keyring, disk, self._vault, self._truth, self._now, seed, trouble=COPIED if seen else None)
        copy.sealed_file, copy.skew = self.sealed_file, self.skew
        copy._unsealed = {scope: list(facts) for scope, facts in self._unsealed.items()}
        copy._sealed = dict(self._sealed)
        return copy

    # --- the relay ----------------------------------------------------------------------------------------------

    def connect(self, relay: Relay) -> None:
        if self.line is None and not self.apart and not self.ledger.revoked:
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
            early = self.lossy and problem.code in ("unknown-device", "other-generation")
            due_to_revoking = self._truth.revoked and problem.code in REVOKING_PROBLEMS
            assert early or due_to_revoking or problem.code in EXPECTED_PROBLEMS, problem
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
        self.facts_written.append(fact)
        if self._truth.revoked and isinstance(fact.said, Written) and isinstance(fact.said.value, str):
            others = [one for one in self.everyone if one is not self and not one.ledger.revoked]
            known = tuple(one.ledger.roster() for one in others)
            if known and all(roster.is_revoked(self.id) for roster in known):
                self._truth.late[fact.said.value] = self.id, known
        if isinstance(fact.said, Written) and isinstance(fact.said.value, str):
            self._wrote.append(fact.said.value)
        if fact.scope not in self._unsealed:
            self._sealed[fact.scope] = self._last_sealed(fact.scope)
        self._unsealed.setdefault(fact.scope, []).append(fact)

    def _has_sealed(self, count: int) -> None:
        self.sealed_file = count
        self.note_sealed()

    def note_sealed(self) -> None:
        """Finds out which facts have gone into commits."""
        for scope in list(self._unsealed):
            seq = self._last_sealed(scope)
            if seq > self._sealed[scope]:
                self._truth.sealed[scope, self.id, seq] = self._unsealed.pop(scope)

    def note_heard(self, gone: set[bytes]) -> None:
        """This device has heard that others are revoked."""
        with self.program.read() as view:
            scopes = view.scopes()
        for scope in scopes:
            for who, (seq, _) in self.ledger.frontier(self.channel(scope)).items():
                if who in gone:
                    self.heard_holding += self._truth.carried(scope, who, 1, seq)

    def note_rebased(self) -> None:
        """What was sealed beyond a snapshot that was adopted is sealed anew."""
        for scope, author, seq in sorted(self._truth.sealed):
            last = self._last_sealed(scope)
            if author == self.id and seq > last:
                again = self._truth.sealed.pop((scope, author, seq))
                self._unsealed.setdefault(scope, []).extend(again)
                self._sealed[scope] = last
        for scope in self._unsealed:  # also where the commits given up held no fact
            self._sealed[scope] = min(self._sealed[scope], self._last_sealed(scope))

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
            for who, (seq, _) in self.ledger.frontier(self.channel(scope)).items():
                found += self._truth.carried(scope, who, 1, seq)
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

    def counting(self) -> Rows:
        """`rows` without the slots that are hopeless: a device may have removed one that another keeps."""
        with self.program.read() as view:
            return {
                (scope, slot_map): told
                for scope in view.scopes()
                for slot_map in SlotMap
                if (told := _told((name, _counting(row)) for name, row in view.rows(scope, slot_map) if row.slots))
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
        """(scope, entry) of everything in the journal."""
        with self.program.read() as view:
            names = view.scope_names()
            return [(names[entry.scope], entry) for entry in journal.entries(view.reader)]

    def told(self) -> list[Fact]:
        """The facts as the journal tells them.

        A copy tells under its new name what it had written under the old one. Where that had lost against a deletion of
        the very same order, as the lesser of two names, it has lost for good, whatever the new name is.
        """
        found = []
        told = self.journal()
        deletions = {(scope, one.name, one.record.order) for scope, one in told if one.record.deleted}
        for scope, entry in told:
            record = entry.record
            if entry.forgotten and not record.deleted and (scope, entry.name, record.order) in deletions:
                continue
            if entry.map is SlotMap.LEAVES:
                written = Written(
                    entry.name,
                    record.by_person,
                    entry.device,
                    record.order,
                    record.value,
                    record.deleted,
                    record.seen,
                    record.heard,
                    record.writer,
                )
                found.append(Fact(scope, written))
            elif entry.map is SlotMap.SETTINGS and entry.name.startswith(FORGOTTEN) and not record.deleted:
                found.append(Fact(scope, Forgotten(entry.name[len(FORGOTTEN) :], record.order)))
        return found


def _counting(row: Row) -> Row:
    standings = [slot.standing for slot in row.slots]
    left = [
        slot for slot in row.slots if not hopeless(slot.standing, [one for one in standings if one != slot.standing])
    ]
    return row._replace(slots=tuple(left))


def _told(rows: Iterable[tuple[str, Row]]) -> Told:
    return {
        name: (row.live, frozenset((one.by_person, one.device, one.data) for one in row.slots), row.slots[0].data)
        for name, row in rows
    }
