"""Devices in one process, on clocks that lie, with everything drawn from one seed; and what the model says of them.

A `Member` is one device: its database, one or two processes' handles on it, its ledger, its clock. Every write goes
through the doors that callers use, and is told to the independent model as it was stamped.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tests.engine.model import Forgotten, Model, Written
from tests.transport.family import AT, Family, device
from tests.transport.family import found as found_family
from vademecum.engine import journal
from vademecum.engine.agents import AgentId
from vademecum.engine.document import Document
from vademecum.engine.documents import OpenDocument
from vademecum.engine.handle import AgentHandle, agent_handle
from vademecum.engine.person import Person
from vademecum.engine.recollection import Recollections
from vademecum.engine.remembering import set_leaves
from vademecum.engine.replica import Replica, Transaction
from vademecum.engine.slots import Row, Slot, SlotMap, parse_slot_key, row_of
from vademecum.engine.view import FORGOTTEN, forgotten_by, row_key
from vademecum.errors import NotFound, Protected
from vademecum.storage.environment import Environment
from vademecum.transport import roster as rosters
from vademecum.transport.ledger import ReplicaLedger, keep_statements
from vademecum.transport.roster import Roster

__all__ = ["AGENTS", "Abandoned", "Fleet", "Member", "Truth"]

AGENTS = ("prix/daily-eats@1", "prix/daily-eats@2", "lumen/notes@1")
NAMES = ("a", "b", "c.d", "c.e", "c", "größe")
MINUTE, HOUR, DAY, YEAR = 60_000, 3_600_000, 86_400_000, 365 * 86_400_000
SKEWS = (0, 0, 0, 700, -700, HOUR, -HOUR, YEAR, -YEAR)
MAP_SIZE = 32 << 20


class Abandoned(Exception):
    """Raised by a write that is given up half way."""


@dataclass
class Truth:
    """All that was ever written, and all statements that forget an agent, by scope."""

    models: dict[str, Model] = field(default_factory=dict)

    def model(self, scope: str) -> Model:
        return self.models.setdefault(scope, Model())

    def tree(self) -> dict[str, dict[str, Any]]:
        trees = {scope: model.tree() for scope, model in self.models.items()}
        return {scope: tree for scope, tree in trees.items() if tree}


class Member:
    """One device."""

    def __init__(self, number: int, folder: Path, family: Family, roster: Roster, fleet: Fleet) -> None:
        self.id = device(number).device
        self.skew = fleet.rng.choice(SKEWS)
        self._fleet = fleet
        self._number = number
        self._folder = folder
        self._roster = roster
        self._vault = family.roster.vault
        Environment.create(folder, initial_map=MAP_SIZE).close()
        self.open()
        self.replica.write(lambda transaction: keep_statements(transaction, roster))
        self.ledger = self._ledger()

    def open(self) -> None:
        """Two handles on the database, as two processes have them."""
        self.handles = [self._replica(), self._replica()]

    def restart(self) -> None:
        for handle in self.handles:
            handle.close()
        self.open()
        self.ledger = self._ledger()

    def close(self) -> None:
        for handle in self.handles:
            handle.close()

    @property
    def replica(self) -> Replica:
        """One of the processes."""
        return self._fleet.rng.choice(self.handles)

    def wall(self) -> int:
        return self._fleet.now + self.skew

    def tree(self) -> dict[str, dict[str, Any]]:
        tree: dict[str, dict[str, Any]] = {}
        for leaf in Person(self.replica).leaves():
            tree.setdefault(leaf.scope, {})[leaf.path] = leaf.value
        return tree

    def check_documents(self) -> None:
        """The rows must say what the documents say: neither may have drifted from the other."""

        def check(transaction: Transaction) -> None:
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
                    rows = {name: row for name, row in transaction.rows(scope, slot_map) if row.slots}
                    assert _told(rows) == _told({name: row_of(found, forgotten) for name, found in slots.items()})

        self.replica.write(check)

    def check_journal(self) -> None:
        """Every value that stands is in the journal, and none that the person has had forgotten."""
        with self.replica.read() as view:
            names = view.scope_names()
            for entry in journal.entries(view.reader):
                if entry.map is not SlotMap.LEAVES or entry.forgotten or entry.record.deleted:
                    continue
                model = self._fleet.truth.model(names[entry.scope])
                here = [one for one in model.written if one.path == entry.name]
                written = next(one for one in here if (one.order, one.device) == (entry.record.order, entry.device))
                assert written.value == entry.record.value and written.writer == entry.record.writer
                assert not model.is_void(written)
                for one in here:
                    if one.by_person and one.deleted:
                        assert (written.order, written.device) > (one.order, one.device)
                        assert written.by_person or written.seen >= one.order
            for scope in view.scopes():
                number = view.number(scope)
                assert number is not None
                for path, record in view.leaves(scope):
                    found = [
                        entry.record for entry in journal.history(view.reader, number, row_key(SlotMap.LEAVES, path))
                    ]
                    assert record in found

    def _replica(self) -> Replica:
        environment = Environment.open(self._folder, initial_map=MAP_SIZE)
        return Replica(environment, device=self.id, client=1000 + self._number, wall=self.wall)

    def _ledger(self) -> ReplicaLedger:
        return ReplicaLedger(
            self.handles[0],
            self._vault,
            device(self._number),
            entropy=self._fleet.rng.randbytes,
            wall=lambda: self._fleet.now,
        )


class Fleet:
    """Some members of one vault. ``rng`` decides everything; ``now`` is the time that no device knows, in ms."""

    def __init__(self, folder: Path, rng: random.Random, size: int) -> None:
        self.rng = rng
        self.now = AT + DAY
        self.truth = Truth()
        family, roster = _roster(size)
        self.members = [Member(number, folder / f"device{number}", family, roster, self) for number in range(size)]

    def close(self) -> None:
        for member in self.members:
            member.close()

    def act(self, member: Member) -> None:
        """One thing that happens on a device."""
        rng = self.rng
        self.now += rng.choice([0, 1, 40, MINUTE, HOUR])
        rng.choices(
            [self._set, self._remember, self._forget, self._withdraw, self._forget_agent, self._abandon, self._trouble],
            [8, 12, 3, 3, 1, 1, 1],
        )[0](member)

    def _set(self, member: Member) -> None:
        scope = self.rng.choice(["user.public", "user.private"])
        value: object = self.rng.randrange(100)
        if self.rng.random() < 0.2:
            value = {"x": self.rng.randrange(100), "y": [None]}
        for leaf in Person(member.replica).set(self.rng.choice(NAMES), value, private=scope == "user.private"):
            self._note(member, scope, leaf.path, by_person=True)

    def _remember(self, member: Member) -> None:
        agent, scope = self._agent(member)
        where = "user.public" if scope == "user" else f"agent/{agent.agent.name}"
        try:
            leaves = agent.remember(
                self.rng.choice(NAMES), self.rng.randrange(100), because=f"word{self.rng.random()}", scope=scope
            )
        except Protected:
            return
        for leaf in leaves:
            self._note(member, where, leaf.path, by_person=False)

    def _withdraw(self, member: Member) -> None:
        agent, scope = self._agent(member)
        name = self.rng.choice(NAMES)
        try:
            agent.forget(name, scope=scope)
        except (NotFound, Protected):
            return
        self._note(member, "user.public" if scope == "user" else f"agent/{agent.agent.name}", name, by_person=False)

    def _forget(self, member: Member) -> None:
        person = Person(member.replica)
        name = self.rng.choice(NAMES)
        doomed = [(leaf.scope, leaf.path) for leaf in person.leaves(name)]
        if not doomed:
            return
        assert person.forget(name) == len(doomed)
        for scope, path in doomed:
            self._note(member, scope, path, by_person=True)

    def _forget_agent(self, member: Member) -> None:
        pattern = self.rng.choice([*AGENTS, "prix/daily-eats", "lumen/notes"])
        before = self._statements(member)
        Person(member.replica).forget_agent(pattern)
        for (scope, name), order in self._statements(member).items():
            if before.get((scope, name)) != order:
                self.truth.model(scope).forget(Forgotten(name, order))
        self._note_sweeps(member)

    def _abandon(self, member: Member) -> None:
        """A write that fails when its document has been changed already."""

        def work(transaction: Transaction) -> None:
            set_leaves(transaction, "user.public", self.rng.choice(NAMES), "never")
            raise Abandoned

        try:
            member.replica.write(work)
        except Abandoned:
            return

    def _trouble(self, member: Member) -> None:
        """A restart, or a clock that jumps."""
        if self.rng.random() < 0.5:
            member.restart()
        else:
            member.skew = self.rng.choice(SKEWS)

    def _agent(self, member: Member) -> tuple[AgentHandle, str]:
        return _handle(member.replica, self.rng.choice(AGENTS)), self.rng.choice(["user", "agent"])

    def _note(self, member: Member, scope: str, path: str, *, by_person: bool) -> None:
        with member.replica.read() as view:
            slot = view.row(scope, SlotMap.LEAVES, path).own(by_person, member.id)
        assert slot is not None
        record = slot.record
        self.truth.model(scope).write(
            Written(
                path,
                by_person,
                member.id,
                record.order,
                record.value,
                record.deleted,
                record.seen,
                record.heard,
                record.writer,
            )
        )

    def _note_sweeps(self, member: Member) -> None:
        """A deletion put where nothing of this device's stood: it may rank right above what it voids, and no higher.

        Those that replace a record of this device's own say nothing that the model does not say by itself.
        """
        with member.replica.read() as view:
            for scope in view.scopes():
                model = self.truth.model(scope)
                for path, row in view.rows(scope, SlotMap.LEAVES):
                    slot = row.own(False, member.id)
                    if slot is None or not slot.record.swept:
                        continue
                    record = slot.record
                    here = [one for one in model.written if one.path == path]
                    if any((one.order, one.device) == (record.order, member.id) for one in here):
                        continue
                    assert any(one.order == record.order - 1 and model.is_void(one) for one in here)
                    model.write(
                        Written(
                            path,
                            False,
                            member.id,
                            record.order,
                            deleted=True,
                            seen=record.seen,
                            heard=record.heard,
                            writer=record.writer,
                        )
                    )

    def _statements(self, member: Member) -> dict[tuple[str, str], int]:
        """(scope, pattern) → order of this device's own statement."""
        found = {}
        with member.replica.read() as view:
            for scope in view.scopes():
                for name, row in view.rows(scope, SlotMap.SETTINGS, FORGOTTEN):
                    slot = row.own(True, member.id)
                    if slot is not None:
                        found[scope, name[len(FORGOTTEN) :]] = slot.record.order
        return found


def _told(rows: dict[str, Row]) -> dict[str, tuple[bool, frozenset[tuple[bool, bytes, bytes]], bytes]]:
    return {
        name: (row.live, frozenset((one.by_person, one.device, one.data) for one in row.slots), row.slots[0].data)
        for name, row in rows.items()
    }


def _handle(replica: Replica, agent: str) -> AgentHandle:
    def search(_query: str, _k: int, _agent: AgentId | None) -> Recollections:
        raise AssertionError("nothing is recalled here")

    return agent_handle(replica, search, AgentId.parse(agent))


@cache
def _roster(size: int) -> tuple[Family, Roster]:
    family = found_family()
    roster = family.roster
    for number in range(1, size):
        statement = rosters.add(
            family.keys, roster, device(number).public, "more", secrets=family.secrets, at_ms=AT + number
        )
        roster = roster.merge([statement])
    return family, roster
