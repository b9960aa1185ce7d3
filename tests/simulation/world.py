"""A small world: some devices of one vault, a relay, and time; what happens in it, how it heals, what must then hold.

A `Plan` is all that will happen, drawn from a seed: a list of steps, each with dice of its own. So a step does the same
thing whatever other steps are left out, and a plan that ends badly can be made small.
"""

from __future__ import annotations

import random
import re
import shutil
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.engine.model import Written
from tests.simulation.actions import FORGETTING, WRITING
from tests.simulation.device import Device, Keyring
from tests.simulation.disk import Disk
from tests.simulation.faults import APART, FAULTS, REVOKED, Mishap
from tests.simulation.relay import Relay
from tests.simulation.truth import Fact, Truth, models, trees
from tests.transport.family import AT, Family, device, found
from vademecum.engine.slots import SlotMap
from vademecum.errors import CannotDecrypt
from vademecum.transport import roster as rosters
from vademecum.transport.epochs import at_hand
from vademecum.transport.roster import Roster

__all__ = ["KINDS", "Plan", "Pool", "Step", "World", "run_plan"]

KINDS = (*FAULTS, *FORGETTING)
"""What can be switched on and off."""
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
MAX_DEVICES = 8
MAX_MOVES = 20_000
"""Messages that move while a world heals. More would mean that they never come to rest."""
LOOKS = 0.05
"""How often a device is looked at meanwhile, of all moves."""
_TOKEN = re.compile(rb"v\d+w")


class Step(NamedTuple):
    """*kind* happens on the device with that number, as the dice of *seed* say."""

    kind: str
    device: int
    seed: int


@dataclass(frozen=True)
class Plan:
    """All that will happen. Equal seeds and kinds give equal plans."""

    seed: int
    size: int
    kinds: tuple[str, ...]
    steps: tuple[Step, ...]

    @classmethod
    def draw(cls, seed: int, kinds: Sequence[str] | None = None) -> Plan:
        """With *kinds*, all of those are switched on; otherwise the seed says which: one, some, or all."""
        rng = random.Random(seed)
        how = rng.random()
        if kinds is not None:
            chosen = tuple(kinds)
        elif how < 0.35:
            chosen = (rng.choice(list(FAULTS)), *FORGETTING)
        else:
            chosen = KINDS if how > 0.8 else tuple(sorted(rng.sample(KINDS, rng.randint(2, 6))))
            for kind in APART:
                if kind in chosen:
                    chosen = tuple(other for other in chosen if other not in APART[kind])
        size = rng.choice([2, 2, 3, 3, 3, 4, 5])
        weights = {"pump": 18, "connect": 6, "changed": 6, "check": 2, "hang-up": 2, "look": 2}
        weights |= {name: weight for name, (weight, _) in WRITING.items()}
        weights |= {name: weight for name, (weight, _) in FORGETTING.items() if name in chosen}
        faults = {name: fault.weight for name, fault in FAULTS.items() if name in chosen}
        scale = min(1.0, 18 / max(1, sum(faults.values())))  # so that something also gets done
        weights |= {name: weight * scale for name, weight in faults.items()}  # type: ignore[dict-item]
        drawn = rng.choices(list(weights), list(weights.values()), k=rng.choice([12, 25, 40, 60]))
        return cls(
            seed,
            size,
            chosen,
            tuple(Step(kind, rng.randrange(MAX_DEVICES), rng.getrandbits(32)) for kind in drawn),
        )


class Pool:
    """Disks in *folder*, used by one world after the other: making them anew costs more than all that happens there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._disks: list[Disk] = []
        self._used = 0
        self._relays = 0

    def disk(self) -> Disk:
        if self._used == len(self._disks):
            self._disks.append(Disk.made(self.folder / f"device{self._used}"))
        self._used += 1
        return self._disks[self._used - 1]

    def relay_folder(self) -> Path:
        self._relays += 1
        return self.folder / f"relay{self._relays}"

    def give_back(self) -> None:
        for disk in self._disks[: self._used]:
            disk.wipe()
        self._used = 0

    def close(self) -> None:
        for disk in self._disks:
            disk.close()


@dataclass
class Tally:
    """What happened, for the figures."""

    steps: int = 0
    struck: dict[str, int] = field(default_factory=dict)
    moved: int = 0
    crashes: int = 0


class World:
    """See the module. ``causal``: commits come only by a relay that has never lost any, so that none arrives before
    what its author held; then each replica shows at any moment what the law says of the facts that it holds."""

    def __init__(self, plan: Plan, pool: Pool) -> None:
        self.now = AT + DAY
        self.truth = Truth()
        self.causal = True
        self.rewound = False
        self.tally = Tally()
        self._plan = plan
        self._pool = pool
        self._values = 0
        self._folder = pool.relay_folder()
        self.relay = Relay(self._folder / "relay", lambda: self.now, plan.seed.to_bytes(16, "big"))
        self._copies = 0
        self.devices: list[Device] = []
        self._keyring = Keyring()
        self._roster = _roster(plan.size)
        for _ in range(plan.size):
            self._add_device()

    def close(self) -> None:
        self.relay.close()
        shutil.rmtree(self._folder)
        self._pool.give_back()

    def new_value(self) -> str:
        """A value that is found nowhere else."""
        self._values += 1
        return f"v{self._values}w"

    # --- what happens -------------------------------------------------------------------------------------------

    def step(self, step: Step) -> None:
        rng = random.Random(step.seed)
        one = self.devices[step.device % len(self.devices)]
        self.tally.steps += 1
        match step.kind:
            case "pump":
                for _ in range(rng.choice([1, 3, 10, 30])):
                    self.move(rng)
            case "connect":
                one.connect(self.relay)
            case "hang-up":
                one.hang_up(self.relay)
            case "changed":
                one.changed(self.relay)
            case "check":
                one.check(self.relay)
            case "look":
                self.look(one)
            case kind if kind in FAULTS:
                if FAULTS[kind].strike(self, one, rng):
                    self.tally.struck[kind] = self.tally.struck.get(kind, 0) + 1
            case kind:
                self.now += rng.choice([0, 0, 1, 40, MINUTE, HOUR])
                (WRITING | FORGETTING)[kind][1](self, one, rng)

    def move(self, rng: random.Random) -> bool:
        """One thing moves: a message or some, or the relay's writer. False if nothing can."""
        ways: list[tuple[str, Device | None]] = [("work", None)] if self.relay.has_work else []
        for one in self.devices:
            line = one.line
            if line is None:
                continue
            for way, queue in (("down", line.down), ("up", line.up)):
                if line.waits.get(way, 0):
                    line.waits[way] -= 1
                elif queue:
                    ways.append((way, one))
            if line.connection.has_more and not line.down:
                ways.append(("more", one))
            if line.ended and not line.down:
                ways.append(("end", one))
        if not ways:
            return False
        self.tally.moved += 1
        way, mover = rng.choice(ways)
        if mover is None or mover.line is None:
            self.relay.work()
            return True
        line = mover.line
        if way == "more":
            self.relay.more(line)
        elif way == "end":
            mover.hang_up(self.relay)
        elif way == "up":
            for message in self._underway(mover, line.up, rng, 1):
                if "up" not in line.deaf:
                    self.relay.take(line, message)
        else:
            messages = self._underway(mover, line.down, rng, rng.choice([1, 1, 1, 4, 16]))
            if messages and "down" not in line.deaf:
                mover.take(messages, self.relay)
        return True

    def _underway(self, one: Device, queue: deque[bytes], rng: random.Random, most: int) -> list[bytes]:
        """Takes the next messages from *queue*, at most *most*, or what is left of them."""
        moved: list[bytes] = []
        for _ in range(min(len(queue), most)):
            mishap = one.mishaps.pop(0) if one.mishaps else None
            if mishap is Mishap.REORDER:
                shuffled = list(queue)
                rng.shuffle(shuffled)
                queue.clear()
                queue.extend(shuffled)
            message = queue.popleft()
            if mishap is Mishap.DUPLICATE:
                queue.append(message)
            if mishap is not Mishap.DROP:
                moved.append(message)
        return moved

    def look(self, one: Device) -> None:
        """The device shows what the law says of what it holds."""
        if self.causal:
            shown, expected = one.tree(), trees(one.facts())
            assert shown == expected, f"a device shows {shown} where what it holds says {expected}"

    def join(self) -> bool:
        """The first device that is in the vault, for all that it knows, admits a new one."""
        first = next((one for one in self.devices if one.trouble is None and not one.ledger.revoked), None)
        if len(self.devices) >= MAX_DEVICES or first is None:
            return False
        first.ledger.follow()
        roster, secrets = first.ledger.roster(), first.ledger.secrets
        new = device(self._keyring.founded).public
        try:
            said = rosters.add(first.keys(), roster, new, "more", secrets=secrets, at_ms=self.now)
        except CannotDecrypt:
            return False  # an epoch began elsewhere when this device was let in itself: it waits for the keys
        _, there = first.write(lambda _: first.ledger.merge_roster([said]), self.relay, in_daemon=True)
        if there:
            self._roster = first.ledger.roster()
            self._add_device()
        return there

    def revoke(self, one: Device, rng: random.Random) -> bool:
        """The device revokes another one, so that there is always one left here that was not revoked."""
        one.ledger.follow()
        roster = one.ledger.roster()
        others = sorted(
            who for who, member in roster.members.items() if who in roster.live and member.role != "recovery"
        )
        if one.trouble is not None or one.ledger.revoked or len(others) < 3 - (rng.random() < 0.2):
            return False
        target = rng.choice([who for who in others if who != one.ledger.device])
        self.truth.revoked = True
        self.causal = False  # a commit may come before what its author held of a revoked device
        said = rosters.revoke(
            one.keys(), roster, [target], secrets=one.ledger.secrets, epoch_key=rng.randbytes(32), at_ms=self.now
        )
        return one.write(lambda _: one.ledger.merge_roster([said]), self.relay, in_daemon=True)[1]

    def restore_relay(self, rng: random.Random) -> None:
        """Copies the relay, or puts an older copy in its place."""
        if rng.random() < 0.5 or not self._copies:
            self._copies += 1
            self.relay.backup(self._folder / f"copy{self._copies}")
            return
        number = rng.randint(0, self._copies)
        self.causal, self.rewound = False, True
        self.relay.restore(self._folder / f"copy{number}" if number else None, rng.randbytes(16))

    def copy(self, one: Device, *, seen: bool) -> bool:
        """Copies a device with all that it has."""
        if len(self.devices) >= MAX_DEVICES or self._keyring.full:
            return False
        self.causal = False
        copy = one.copied(self._pool.disk(), self._plan.seed + len(self.devices), seen=seen)
        copy.everyone = self.devices
        self.devices.append(copy)
        return True

    def _add_device(self) -> None:
        number = self._keyring.founded
        self.devices.append(
            Device.found(
                self._keyring,
                self._pool.disk(),
                self._roster,
                self.truth,
                lambda: self.now,
                self._plan.seed * MAX_DEVICES + number,
            )
        )
        self.devices[-1].everyone = self.devices

    # --- the end ------------------------------------------------------------------------------------------------

    def heal(self) -> None:
        """Takes every hindrance away, and lets all devices meet until nothing moves."""
        rng = random.Random(self._plan.seed)
        for one in self.devices:
            one.disk.fates.clear()
            one.mishaps.clear()
            one.apart, one.frozen = False, None
            one.hang_up(self.relay)
        for _ in range(2 * len(self.devices) + 2):
            for one in self.devices:
                one.connect(self.relay)
            self._settle(rng)
            for one in self.devices:
                one.check(self.relay)  # as it does every minute or so
            self._settle(rng)
            if self._agreed():
                return
            for one in self.devices:
                one.hang_up(self.relay)
        states = [(one.sync.state.value, one.sync.problems) for one in self.devices]
        raise AssertionError(f"the devices do not come into step: {states}")

    def _settle(self, rng: random.Random) -> None:
        for _ in range(MAX_MOVES):
            if not self.move(rng):
                return
            if rng.random() < LOOKS:
                self.look(rng.choice(self.devices))
        raise AssertionError("the messages never come to rest")

    def _agreed(self) -> bool:
        live = self.live
        return all(one.in_step for one in live) and all(_frontiers(one) == _frontiers(live[0]) for one in live)

    @property
    def live(self) -> list[Device]:
        """The devices that have not heard that they were revoked: when the world is healed, all that were not."""
        return [one for one in self.devices if not one.ledger.revoked]

    def check(self) -> None:
        """All devices say the same, and what the model says; nothing forgotten is anywhere."""
        live = self.live
        for one in self.devices:
            if one not in live:
                self._check_kept(one)
        if not live:
            return
        counted = self._counted(live[0])
        # Where a name has written twice, the journal must tell all; otherwise what was noted when it was written.
        facts = live[0].told() if self.truth.copied else counted
        expected = trees(facts)
        told = models(facts)
        gone = {value for scope, value, said in _values(counted) if _is_forgotten(told[scope].written, said)}
        void = {value for scope, value, said in _values(counted) if told[scope].is_void(said)}
        doomed = {value.encode() for value in self.truth.doomed & gone | void}
        first = live[0].counting()
        self._check_revoked(counted)
        for one in live:
            assert one.tree() == expected, "a device does not say what the model says"
            rows = one.rows()
            # A copy gives up operations that others have removed; what comes in their place it may keep longer.
            assert one.counting() == first, "two devices hold different records that count"
            assert self.truth.copied or rows == live[0].rows(), "two devices hold different records"
            assert one.documents() == rows, "a document does not say what the rows say"
            if not self.rewound:
                problems = [problem for problem in one.sync.problems if problem.code not in REVOKED]
                assert problems == [], problems
            found = _tokens(data for told in rows.values() for _, slots, _ in told.values() for _, _, data in slots)
            # What a copy says again before it hears that it was forgotten is hopeless, and stays until the document is
            # begun anew.
            assert self.truth.copied or not found & doomed, (
                f"forgotten values are still there: {sorted(found & doomed)}"
            )
            if self.truth.copied:
                self._check_nothing_lost(one, counted, gone | void)
            elif self.causal:
                self._check_journal(one, counted)

    def _counted(self, one: Device) -> list[Fact]:
        """What has been said and is the memory's: all that live devices said, and of revoked ones what *one*, as all
        live devices, holds.
        """
        if not self.truth.revoked:
            return self.truth.facts
        out = [fact for device in self.devices if device not in self.live for fact in device.facts_written]
        by_others = [fact for device in self.live for fact in device.facts_written]
        held = [] if self.truth.copied else one.facts()  # where a name has written twice, its numbers say nothing
        here = {self._identity(fact) for fact in held + one.told()}
        return by_others + [fact for fact in out if self._identity(fact) in here]

    def _identity(self, fact: Fact) -> tuple[object, ...]:
        """What a write keeps: all but, where copies say it again under another name, its device."""
        if not isinstance(fact.said, Written):
            return fact.scope, fact.said.agent, fact.said.order
        said = fact.said
        return (
            fact.scope,
            said.path,
            said.order,
            said.by_person,
            repr(said.value),
            b"" if self.truth.copied else said.device,
        )

    def _check_revoked(self, counted: list[Fact]) -> None:
        """Nothing that a live device held of a revoked one is lost, nothing that came late is there, and no revoked
        device can read what is written now.
        """
        if not self.truth.revoked:
            return
        live = self.live
        roster = live[0].ledger.roster()
        known = {value for _, value, _ in _values(counted)}
        if not self.truth.copied:
            held = [fact for one in live for fact in one.heard_holding]
            told = models(counted)
            lost = {
                value
                for scope, value, said in _values(held)
                if not (
                    _is_forgotten(told[scope].written, said) or told[scope].is_void(said) or self.truth.is_old(said)
                )
            } - known
            assert not lost, f"what a live device held of a revoked one is lost: {sorted(lost)}"
            late = {value for value in known & self.truth.late.keys() if _is_late(*self.truth.late[value], roster)}
            assert not late, f"late values of a revoked device: {sorted(late)}"
        for one in live:
            assert one.ledger.roster().head == roster.head, "two devices have different rosters"
            assert one.ledger.secrets.epoch_check(roster.vault) == roster.current.check, "a device lacks the newest key"
            assert one.id in roster.live, "a device that was revoked has not heard of it"
        assert roster.covered == roster.live, "the newest key is not for exactly those who are left"
        for one in self.devices:
            if one not in live and roster.is_revoked(one.id):
                assert roster.current.statement not in at_hand(roster, one.ledger.secrets), (
                    "a revoked device has a new key"
                )

    def _check_kept(self, one: Device) -> None:
        """A revoked device still has all that it wrote and that was not forgotten there."""
        kept = {entry.record.value for _, entry in one.journal() if isinstance(entry.record.value, str)}
        here = one.told() if self.truth.copied else one.facts()
        told = models(here)
        for scope, value, said in _values(one.facts_written):
            gone = _is_forgotten(told[scope].written, said) or told[scope].is_void(said)
            excused = gone or value in self.truth.lost or self.truth.is_old(said)
            assert value in kept or excused, f"{value!r} is lost on the revoked device that wrote it"

    def _check_nothing_lost(self, one: Device, counted: list[Fact], gone: set[str]) -> None:
        """The journal of *one* tells of every value that was written and not forgotten, under whatever name."""
        kept = {entry.record.value for _, entry in one.journal() if isinstance(entry.record.value, str)}
        assert not kept & gone, f"forgotten values are in the journal: {sorted(kept & gone)}"
        if self.truth.revoked:
            # What came after what replaced it, because nobody had stood up for it yet, is told by those who held it.
            told = [entry.record.value for other in self.live for _, entry in other.journal()]
            kept |= {value for value in told if isinstance(value, str)}
        lost = {value for _, value, _ in _values(counted)} - kept - gone - self.truth.lost
        lost -= {value for _, value, said in _values(counted) if self.truth.is_old(said)}
        # Between a value and a deletion of the very same order the names decide, and a copy's has changed.
        deletions = {(scope, entry.name, entry.record.order) for scope, entry in one.journal() if entry.record.deleted}
        lost -= {value for scope, value, said in _values(counted) if (scope, said.path, said.order) in deletions}
        assert not lost, f"values that were acknowledged are lost: {sorted(lost)}"

    def _check_journal(self, one: Device, counted: list[Fact]) -> None:
        """The journal of *one* has every value that was written and not forgotten, as it was written, and no other."""
        written = {
            (fact.scope, fact.said.path, fact.said.order, fact.said.device): fact.said
            for fact in counted
            if isinstance(fact.said, Written) and not fact.said.deleted
        }
        told = models(counted)
        kept = set()
        for scope, entry in one.journal():
            record = entry.record
            if entry.map is not SlotMap.LEAVES or entry.forgotten or record.deleted:
                continue
            key = scope, entry.name, record.order, entry.device
            said = written.get(key)
            assert said is not None, f"the journal holds {record.value!r}, which nobody wrote there"
            assert (said.value, said.writer) == (record.value, record.writer)
            kept.add(key)
        for key, said in written.items():
            gone = _is_forgotten(told[key[0]].written, said) or told[key[0]].is_void(said)
            assert (key in kept) is not gone or (self.truth.is_old(said) and not gone), (
                f"{said.value!r} is {'still' if gone else 'not'} in the journal"
            )


def run_plan(plan: Plan, pool: Pool) -> Tally:
    """Lets *plan* happen, heals the world and checks it. Raises whatever shows that something is wrong."""
    world = World(plan, pool)
    try:
        for step in plan.steps:
            world.step(step)
        for one in world.devices:
            world.look(one)
        world.heal()
        world.check()
        world.tally.crashes = sum(one.crashes for one in world.devices)
        return world.tally
    finally:
        world.close()


def _frontiers(one: Device) -> dict[bytes, dict[bytes, tuple[int, bytes]]]:
    return {channel: dict(one.ledger.frontier(channel)) for channel in one.ledger.channels()}


def _values(facts: Iterable[Fact]) -> Iterator[tuple[str, str, Written]]:
    """(scope, value, write) of all that were written and can be told from each other."""
    for scope, said in facts:
        if isinstance(said, Written) and isinstance(said.value, str):
            yield scope, said.value, said


def _is_forgotten(everything: Iterable[Written], said: Written) -> bool:
    """Whether the person has deleted *said*: it ranks below a deletion of theirs, or its agent had not seen one."""
    return any(
        one.path == said.path
        and one.by_person
        and one.deleted
        and ((said.order, said.device) < (one.order, one.device) or not (said.by_person or said.seen >= one.order))
        for one in everything
    )


def _is_late(writer: bytes, known: Iterable[Roster], settled: Roster) -> bool:
    """Whether all who knew that *writer* was revoked knew it by what is in the *settled* roster.

    Of two that revoke each other, the one that comes to the relay last finds itself revoked, and is not listened to. If
    the two never meet, the other stays in the vault with all that it has written.
    """
    said = {one.hash for one in settled.statements}
    return all(
        Roster.verify(settled.vault, [one.raw for one in roster.statements if one.hash in said]).is_revoked(writer)
        for roster in known
    )


def _tokens(data: Iterable[bytes]) -> set[bytes]:
    return {token for one in data for token in _TOKEN.findall(one)}


@cache
def _family() -> Family:
    return found()


@cache
def _roster(size: int) -> Roster:
    """The roster with that many devices, each admitted by the first."""
    family = _family()
    if size == 1:
        return family.roster
    smaller = _roster(size - 1)
    public = device(size - 1).public
    return smaller.merge([rosters.add(family.keys, smaller, public, "more", secrets=family.secrets, at_ms=AT + size)])
