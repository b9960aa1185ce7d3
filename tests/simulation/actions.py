"""What the person and the agents do on a device, through the doors that callers use, and what is noted of it.

An action takes the world, the device and the dice; what it wrote is read back with its stamps and becomes a fact. The
stamps themselves are checked against the facts that the device held: whoever has seen a value outranks it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.engine.model import Forgotten, Written
from tests.simulation.truth import Fact, models
from vademecum.engine.agents import AgentId, AgentPattern
from vademecum.engine.forgetting import scopes_written
from vademecum.engine.handle import AgentHandle, agent_handle
from vademecum.engine.person import Person
from vademecum.engine.recollection import Recollections
from vademecum.engine.remembering import set_leaves
from vademecum.engine.removing import forgettable
from vademecum.engine.replica import Replica, Transaction
from vademecum.engine.sight import Sight
from vademecum.engine.slots import SlotMap
from vademecum.engine.view import FORGOTTEN
from vademecum.errors import NotFound, Protected

if TYPE_CHECKING:
    from tests.simulation.device import Device
    from tests.simulation.world import World

__all__ = ["FORGETTING", "WRITING", "Action"]

Action = Callable[["World", "Device", random.Random], None]

AGENTS = ("prix/daily-eats@1", "prix/daily-eats@2", "lumen/notes@1")
NAMES = ("a", "a", "a", "b", "c.d", "c", "größe")
"""Few, and one of them often, so that devices meet there."""
PUBLIC, PRIVATE = "user.public", "user.private"


def person_sets(world: World, device: Device, rng: random.Random) -> None:
    scope, name = rng.choice([PUBLIC, PUBLIC, PRIVATE]), rng.choice(NAMES)
    value: object = world.new_value()
    paths = [name]
    if rng.random() < 0.15:
        value = {"x": world.new_value(), "y": [None]}
        paths = [f"{name}.x", f"{name}.y"]
    _do(
        world,
        device,
        rng,
        lambda replica: Person(replica).set(name, value, private=scope == PRIVATE),
        [(scope, path) for path in paths],
        by_person=True,
    )


def agent_remembers(world: World, device: Device, rng: random.Random) -> None:
    agent, name = rng.choice(AGENTS), rng.choice(NAMES)
    where, scope = _place(rng, agent)
    value, because = world.new_value(), world.new_value()
    _do(
        world,
        device,
        rng,
        lambda replica: _handle(replica, agent).remember(name, value, because=because, scope=where),
        [(scope, name)],
        by_person=False,
    )


def agent_withdraws(world: World, device: Device, rng: random.Random) -> None:
    agent, name = rng.choice(AGENTS), rng.choice(NAMES)
    where, scope = _place(rng, agent)
    _do(
        world,
        device,
        rng,
        lambda replica: _handle(replica, agent).forget(name, scope=where),
        [(scope, name)],
        by_person=False,
    )


def person_forgets(world: World, device: Device, rng: random.Random) -> None:
    name = rng.choice(NAMES)
    with device.program.read() as view:
        paths = [(scope, path) for scope in Sight(view, None).scopes() for path in forgettable(view, scope, name)]
    if not paths:
        return
    gone = {
        fact.said.value
        for fact in device.facts()
        if isinstance(fact.said, Written) and (fact.scope, fact.said.path) in paths and isinstance(fact.said.value, str)
    }
    if _do(world, device, rng, lambda replica: Person(replica).forget(name), paths, by_person=True):
        world.truth.doomed |= gone


def person_forgets_agent(world: World, device: Device, rng: random.Random) -> None:
    text = rng.choice([*AGENTS, "prix/daily-eats", "lumen/notes"])
    pattern = AgentPattern.parse(text)
    with device.program.read() as view:
        elsewhere = scopes_written(view, pattern)
    _, there = device.write(lambda replica: Person(replica).forget_agent(text), world.relay)
    if not there:
        return
    with device.program.read() as view:
        for scope in dict.fromkeys([PUBLIC, f"agent/{pattern.name}", *elsewhere]):
            slot = view.row(scope, SlotMap.SETTINGS, FORGOTTEN + text).own(True, device.id)
            assert slot is not None
            device.add(Fact(scope, Forgotten(text, slot.record.order)))
    if not world.truth.copied:
        _note_sweeps(world, device)


def gives_up(world: World, device: Device, rng: random.Random) -> None:
    """A write that fails when its document has been changed already."""

    def work(transaction: Transaction) -> None:
        set_leaves(transaction, PUBLIC, rng.choice(NAMES), "never")
        raise _GivenUp

    try:
        device.write(lambda replica: replica.write(work), world.relay, in_daemon=rng.random() < 0.3)
    except _GivenUp:
        return


class _GivenUp(Exception):
    """Raised by a write that is given up half way."""


WRITING: dict[str, tuple[int, Action]] = {
    "set": (8, person_sets),
    "remember": (12, agent_remembers),
    "withdraw": (3, agent_withdraws),
    "give-up": (1, gives_up),
}
FORGETTING: dict[str, tuple[int, Action]] = {
    "forget": (6, person_forgets),
    "forget-agent": (2, person_forgets_agent),
}


def _do(
    world: World,
    device: Device,
    rng: random.Random,
    work: Callable[[Replica], object],
    paths: list[tuple[str, str]],
    *,
    by_person: bool,
) -> bool:
    """Runs *work* and notes what it wrote; whether it is there."""
    held = models(device.facts()) if world.causal else None
    try:
        _, there = device.write(work, world.relay, in_daemon=rng.random() < 0.2)
    except (Protected, NotFound):
        return False
    if not there:
        return False
    with device.program.read() as view:
        for scope, path in paths:
            slot = view.row(scope, SlotMap.LEAVES, path).own(by_person, device.id)
            assert slot is not None, f"what was written at {path} in {scope} is not there"
            record = slot.record
            written = Written(
                path,
                by_person,
                device.id,
                record.order,
                record.value,
                record.deleted,
                record.seen,
                record.heard,
                record.writer,
            )
            if held is not None:
                before = [one for one in held[scope].written if one.path == path]
                newest = max((one.order for one in before if one.by_person), default=0)
                assert record.seen == newest, f"a write at {path} has seen {record.seen}, but {newest} was held"
                beaten = held[scope].last_word(path)
                assert beaten is None or record.order > beaten.order, f"a write at {path} does not outrank what it saw"
            device.add(Fact(scope, written))
    return True


def _note_sweeps(world: World, device: Device) -> None:
    """A deletion put where nothing of this device's stood: it may rank right above what it voids, and no higher.

    Those that replace a record of this device's own say nothing that the model does not say by itself.
    """
    held = models(world.truth.facts)
    with device.program.read() as view:
        for scope in view.scopes():
            model = held[scope]
            for path, row in view.rows(scope, SlotMap.LEAVES):
                slot = row.own(False, device.id)
                if slot is None or not slot.record.swept:
                    continue
                record = slot.record
                here = [one for one in model.written if one.path == path]
                if any((one.order, one.device) == (record.order, device.id) for one in here):
                    continue
                assert any(one.order == record.order - 1 and model.is_void(one) for one in here)
                swept = Written(
                    path,
                    False,
                    device.id,
                    record.order,
                    deleted=True,
                    seen=record.seen,
                    heard=record.heard,
                    writer=record.writer,
                )
                device.add(Fact(scope, swept))


def _place(rng: random.Random, agent: str) -> tuple[str, str]:
    """A scope as the agent calls it, and by its name."""
    return rng.choice([("user", PUBLIC), ("agent", f"agent/{agent.split('@')[0]}")])


def _handle(replica: Replica, agent: str) -> AgentHandle:
    def search(_query: str, _k: int, _agent: AgentId | None) -> Recollections:
        raise AssertionError("nothing is recalled here")

    return agent_handle(replica, search, AgentId.parse(agent))
