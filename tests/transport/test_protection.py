"""What the person wrote stands, whatever an agent's own device signs: raw commits, made by hand, through the intake."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.box import forged
from tests.transport.family import device
from tests.transport.member import PUBLIC, Member, channel, members, sealed
from vademecum.engine.clock import MAX_READING, from_wall
from vademecum.engine.formation import budget, suggestions
from vademecum.engine.law import hopeless
from vademecum.engine.records import Record, encode_record
from vademecum.engine.slots import SlotMap
from vademecum.errors import Protected

AGENT = "dev/mallory@1"
MALLORY = 2
SOON = from_wall(1_800_000_000_000)


@pytest.fixture
def trio(tmp_path: Path) -> Iterator[list[Member]]:
    """The third is the agent's device. The first has written the person's leaves, and the second holds them."""
    with members(tmp_path, 3) as made:
        made[0].user.set("name", "Alice")
        made[0].user.set("diet", ["vegan"])
        made[1].take(made[0].own())
        yield made


def stands(member: Member) -> bool:
    with pytest.raises(Protected):
        member.agent(AGENT).remember("name", "Eve", because="said")
    return member.values() == {"name": "Alice", "diet": ["vegan"]}


@pytest.mark.parametrize("order", [SOON, MAX_READING])
@pytest.mark.parametrize("deleted", [False, True])
def test_an_agents_record_in_the_agents_class_never_beats_the_persons(
    trio: list[Member], order: int, deleted: bool
) -> None:
    """However late it claims to be, and however much of the person's it claims to have seen."""
    a, b, _ = trio
    value = None if deleted else "Eve"
    record = Record(order, writer=AGENT, value=value, seen=order, deleted=deleted)
    mine = device(MALLORY).device
    commit = sealed(MALLORY, forged(*((SlotMap.LEAVES, path, False, mine, record) for path in ("name", "diet"))))
    for member in (a, b):
        assert member.take([commit]).quarantined == ()
        assert stands(member)


def test_an_agents_record_in_the_persons_class_is_quarantined(trio: list[Member]) -> None:
    a, b, _ = trio
    record = Record(SOON, writer=AGENT, value="Eve")
    commit = sealed(MALLORY, forged((SlotMap.LEAVES, "name", True, device(MALLORY).device, record)))
    for member in (a, b):
        (problem,) = member.take([commit]).quarantined
        assert problem.device == device(MALLORY).device and "other class" in problem.message
        assert stands(member)


def test_the_persons_record_in_the_agents_class_is_quarantined(trio: list[Member]) -> None:
    _, b, _ = trio
    commit = sealed(MALLORY, forged((SlotMap.LEAVES, "name", False, device(MALLORY).device, Record(SOON, value="Eve"))))
    assert len(b.take([commit]).quarantined) == 1 and stands(b)


def test_a_commit_that_takes_the_persons_record_away_is_quarantined(trio: list[Member]) -> None:
    a, b, c = trio
    c.take(a.own())
    held = c.replica.write(lambda transaction: transaction.scope(PUBLIC).document.encode())
    agents = Record(SOON, writer=AGENT, value="Eve", seen=SOON)
    mine = device(MALLORY).device
    update = forged(
        (SlotMap.LEAVES, "name", True, a.id, None), (SlotMap.LEAVES, "name", False, mine, agents), onto=held
    )
    (problem,) = b.take([sealed(MALLORY, update)]).quarantined
    assert "may still win" in problem.message and stands(b)


def test_the_law_lets_no_record_of_an_agents_make_the_persons_hopeless(trio: list[Member]) -> None:
    a, _, _ = trio
    with a.replica.read() as view:
        (own,) = view.row(PUBLIC, SlotMap.LEAVES, "name").slots
    agents = Record(MAX_READING, writer=AGENT, value="Eve", seen=MAX_READING)
    slot = own._replace(by_person=False, device=b"\xff" * 16, data=encode_record(agents), record=agents)
    assert not hopeless(own.standing, [slot.standing])


def test_what_agents_decide_about_suggestions_and_settings_counts_for_nothing(trio: list[Member]) -> None:
    a, b, _ = trio
    (made,) = a.agent("dev/x@1").suggest("name", "Alicia", because="call me Alicia")
    b.take(a.own())
    mine = device(MALLORY).device
    commit = sealed(
        MALLORY,
        forged(
            (SlotMap.SUGGESTIONS, made.id, False, mine, Record(SOON, writer=AGENT, value="rejected")),
            (SlotMap.SETTINGS, "budget", False, mine, Record(SOON, writer=AGENT, value=10_000)),
        ),
    )
    assert b.take([commit]).quarantined == ()
    with b.replica.read() as view:
        assert budget.limit_of(view) == budget.DEFAULT_LIMIT
        assert suggestions.open_suggestions(view) == []  # it spoils its own kind's, and rejects nothing for good
    (again,) = b.agent("dev/x@1").suggest("name", "Alicia", because="Alicia, please")
    assert again.id == made.id and stands(b)


def test_commits_are_for_the_channel_of_the_scope(trio: list[Member]) -> None:
    """The other tests use this channel: were it another, each commit above would be refused for that."""
    _, b, _ = trio
    assert channel(PUBLIC) == channel()
    fine = forged((SlotMap.LEAVES, "pets", False, device(MALLORY).device, Record(SOON, writer=AGENT, value="a cat")))
    assert b.take([sealed(MALLORY, fine)]).applied == 1 and b.values()["pets"] == "a cat"
