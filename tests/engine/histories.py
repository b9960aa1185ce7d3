"""Histories of several devices that meet at one log, drawn from a seed, in which any device may begin a generation.

The log decides as a relay does: a snapshot is taken if it covers everything the log has, a commit if it is of the log's
generation. What a history does, and when devices meet, is drawn before it is run, so that it can be run again with
generations begun elsewhere, or never. Long: ``python -m tests.engine.histories --seeds 1000``.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.engine.box import PUBLIC, Box, boxes
from tests.engine.model import Forgotten, Model, Written
from vademecum.engine import audit
from vademecum.engine.changes import Changes
from vademecum.engine.document import Document
from vademecum.engine.documents import OpenDocument
from vademecum.engine.generations import generation_of
from vademecum.engine.removing import forgettable
from vademecum.engine.replica import Transaction
from vademecum.engine.sight import Sight
from vademecum.engine.slots import Slot, SlotMap, parse_slot_key
from vademecum.engine.snapshots import Snapshot
from vademecum.engine.view import FORGOTTEN
from vademecum.errors import NotFound, Protected

__all__ = ["Outcome", "Step", "check_prefixes", "check_seed", "draw", "run"]

PATHS = ("a", "b", "c.d", "c.e")
AGENTS = ("x/y@1", "x/y@2", "x/z@1")
HOUR = 3_600_000
DEVICES = 3


@dataclass(frozen=True)
class Step:
    """What *device* does: set, remember, withdraw, forget, forget agent, seal, meet; and when."""

    device: int
    what: str
    path: str
    agent: str
    value: int
    later: int


@dataclass
class Outcome:
    """What all devices agree on, and what the model says."""

    tree: dict[str, Any]
    model: dict[str, Any]
    histories: list[dict[str, list[tuple[Any, str, str, int]]]]
    """What each device tells of the values of the past, in no order."""


def draw(rng: random.Random, steps: int, away: Collection[int] = ()) -> list[Step]:
    """A history; the devices *away* act, but do not meet the others before its end."""
    made = []
    for _ in range(steps):
        device = rng.randrange(DEVICES)
        kinds = ["set", "remember", "withdraw", "forget", "forget agent", "seal", "meet"]
        (what,) = rng.choices(kinds, [4, 6, 1, 2, 1, 1, 0 if device in away else 7])
        skew = rng.choice([0, 1, 1000, HOUR, -HOUR])
        made.append(Step(device, what, rng.choice(PATHS), rng.choice(AGENTS), rng.randrange(100), skew))
    return made


@dataclass
class _Log:
    generation: int = 0
    base: dict[bytes, int] = field(default_factory=dict)
    snapshot: Snapshot | None = None
    commits: list[tuple[bytes, int, Changes]] = field(default_factory=list)
    """(author, number in its chain, what), in the order in which they came: after all that their authors held."""

    def end(self, device: bytes) -> int:
        return self.base.get(device, 0) + sum(author == device for author, _, _ in self.commits)

    def covered(self) -> dict[bytes, int]:
        return {device: self.end(device) for device in {*self.base, *(author for author, _, _ in self.commits)}}


class _Party:
    """A device, the place it has reached in each chain, and its sealed commits that the log has not seen."""

    def __init__(self, box: Box, log: _Log, model: Model) -> None:
        self.box = box
        self.log = log
        self.model = model
        self.place: dict[bytes, int] = {}
        self.sealed: list[Changes] = []

    @property
    def generation(self) -> int:
        with self.box.replica.read() as view:
            return generation_of(view, PUBLIC)

    def meet(self) -> None:
        self.pull()
        self.seal()
        log, own = self.log, self.box.id
        for changes in self.sealed:
            self.place[own] = log.end(own) + 1
            log.commits.append((own, self.place[own], changes))
        self.sealed = []
        assert self.place.get(own, 0) == log.end(own)

    def pull(self) -> None:
        log = self.log
        if log.generation != self.generation:
            assert log.snapshot is not None
            self.sealed = []
            self.box.adopt(log.snapshot)
            self.place |= {device: max(seq, self.place.get(device, 0)) for device, seq in log.base.items()}
        for author, number, changes in log.commits:
            if number == self.place.get(author, 0) + 1:
                self.box.take(author, [changes])
                self.place[author] = number

    def seal(self) -> None:
        self.sealed += self.box.gather()

    def offer(self) -> Snapshot:
        self.meet()
        return self.box.snapshot()

    def act(self, step: Step) -> None:
        box = self.box
        box.wall += step.later
        try:
            if step.what == "set":
                box.user.set(step.path, step.value)
                self._note(step.path, by_person=True)
            elif step.what == "remember":
                box.agent(step.agent).remember(step.path, step.value, because="said")
                self._note(step.path, by_person=False)
            elif step.what == "withdraw":
                box.agent(step.agent).forget(step.path)
                self._note(step.path, by_person=False)
            elif step.what == "forget":
                with box.replica.read() as view:
                    doomed = forgettable(view, PUBLIC, step.path)
                box.user.forget(step.path, scope=PUBLIC)
                for path in doomed:
                    self._note(path, by_person=True)
            elif step.what == "forget agent":
                self._forget_agent(step.agent)
            elif step.what == "seal":
                self.seal()
            else:
                self.meet()
        except (Protected, NotFound):
            return

    def _forget_agent(self, agent: str) -> None:
        self.box.user.forget_agent(agent)
        slot = self.box.row(FORGOTTEN + agent, slot_map=SlotMap.SETTINGS).own(True, self.box.id)
        assert slot is not None
        self.model.forget(Forgotten(agent, slot.record.order))
        with self.box.replica.read() as view:
            rows = list(view.rows(PUBLIC, SlotMap.LEAVES))
        for path, row in rows:
            own = row.own(False, self.box.id)
            if own is not None and own.record.swept and not any(one == self._written(path, own) for one in self._own()):
                self.model.write(self._written(path, own))

    def _own(self) -> list[Written]:
        return [one for one in self.model.written if one.device == self.box.id]

    def _note(self, path: str, *, by_person: bool) -> None:
        slot = self.box.row(path).own(by_person, self.box.id)
        assert slot is not None
        self.model.write(self._written(path, slot))

    def _written(self, path: str, slot: Slot) -> Written:
        one = slot.record
        return Written(
            path, slot.by_person, slot.device, one.order, one.value, one.deleted, one.seen, one.heard, one.writer
        )

    def history(self) -> dict[str, list[tuple[Any, str, str, int]]]:
        found = {}
        with self.box.replica.read() as view:
            for path in PATHS:
                try:
                    told = audit.why(Sight(view, None), path, PUBLIC).history
                except NotFound:
                    continue
                # What was forgotten before it was sent is told to nobody. Of a record that was left out as hopeless
                # nobody remembers the order, so a later one may rank below it.
                values = [
                    (one.value, one.what, one.agent, one.device[0])
                    for one in told
                    if one.what == "set" and not one.forgotten
                ]
                found[path] = sorted(values, key=repr)
        return found

    def check_rows(self) -> None:
        """The rows must say what the document says."""

        def check(transaction: Transaction) -> None:
            number = transaction.number(PUBLIC)
            if number is None:
                return
            opened = OpenDocument(number, Document(1))
            opened.catch_up(transaction.writer)
            for slot_map in SlotMap:
                said = {
                    (name, slot.by_person, slot.device): slot.data
                    for name, row in transaction.rows(PUBLIC, slot_map)
                    for slot in row.slots
                }
                held = {parse_slot_key(key): data for key, data in opened.document.items(slot_map).items()}
                assert said == held, set(said.items()) ^ set(held.items())

        self.box.replica.write(check)


def run(
    history: Sequence[Step],
    folder: Path,
    begin: Sequence[tuple[int, int]] = (),
    *,
    rival: int | None = None,
    only_meet: bool = False,
) -> Outcome:
    """Runs *history*; *begin* says after how many steps which device begins a generation.

    *rival* takes a snapshot of its own each time, which comes too late. With *only_meet*, *begin* says when that device
    meets the others, and no generation begins.
    """
    log, model = _Log(), Model()
    with boxes(folder, DEVICES) as made:
        parties = [_Party(box, log, model) for box in made]
        for done in range(len(history) + 1):
            for when, who in begin:
                if when == done:
                    if only_meet:
                        parties[who].meet()
                    else:
                        _begin(parties, log, who, rival)
            if done < len(history):
                parties[history[done].device].act(history[done])
        for _ in range(3):  # a sweep that answers a statement is passed on in the next round
            for party in parties:
                party.meet()
        trees = [party.box.values() for party in parties]
        histories = [party.history() for party in parties]
        for party in parties:
            party.check_rows()
        assert trees[0] == trees[1] == trees[2]
        if begin and not only_meet:
            assert {party.generation for party in parties} == {log.generation}
        return Outcome(trees[0], model.tree(), histories)


def _begin(parties: Sequence[_Party], log: _Log, who: int, rival: int | None) -> None:
    snapshot = parties[who].offer()
    if rival is not None and rival != who:
        parties[rival].pull()
        parties[rival].box.snapshot()  # refused: another one came first
    assert log.covered().items() <= parties[who].place.items()
    log.generation, log.snapshot, log.base, log.commits = snapshot.generation, snapshot, log.covered(), []
    parties[who].pull()


def check_prefixes(seed: int, folder: Path, steps: int = 14) -> None:
    """One history, with a generation begun after each of its prefixes in turn. Raises AssertionError."""
    history = draw(random.Random(seed), steps)
    for prefix in range(steps + 1):
        begin = [(prefix, prefix % DEVICES)]
        plain = run(history, folder / f"plain{prefix}", begin, only_meet=True)
        compacted = run(history, folder / f"compacted{prefix}", begin)
        assert plain.tree == plain.model
        assert compacted == plain
        assert all(told == compacted.histories[0] for told in compacted.histories)


def check_seed(seed: int, folder: Path, steps: int = 30) -> None:
    """One history, run without generations and with several. Raises AssertionError."""
    rng = random.Random(seed)
    away = rng.choice([(), (), (2,)])
    history = draw(rng, steps, away)
    begin = sorted(
        (rng.randrange(steps + 1), rng.choice([0, 1] if away else [0, 1, 2])) for _ in range(rng.randrange(1, 5))
    )
    plain = run(history, folder / "plain")
    compacted = run(history, folder / "compacted", begin, rival=rng.choice([None, 0, 1]))
    assert plain.tree == plain.model
    assert compacted.tree == compacted.model


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Runs histories with generations begun in them.")
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    arguments = parser.parse_args()
    for number in range(arguments.first, arguments.first + arguments.seeds):
        with tempfile.TemporaryDirectory() as scratch:
            try:
                check_seed(number, Path(scratch))
                if number % 20 == 0:
                    check_prefixes(number, Path(scratch) / "prefixes")
            except BaseException:
                print(f"python -m tests.engine.histories --first {number} --seeds 1")
                raise
    print(f"{arguments.seeds:,} histories: all devices and the model agree")
