"""The curator and a budget that is full: it says so, loses nothing, and stops trying."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.box import Box, boxes
from tests.engine.talking import Literal, curate, say, what
from vademecum.engine.formation import budget, hypotheses, signals
from vademecum.engine.formation.curator import Curator, tend
from vademecum.engine.formation.report import What


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[list[Box]]:
    with boxes(tmp_path, 2) as made:
        yield made


@pytest.fixture
def box(pair: list[Box]) -> Box:
    full(pair[0], 1)
    return pair[0]


def full(box: Box, limit: int) -> None:
    box.replica.write(lambda transaction: budget.set_limit(transaction, limit))
    for number in range(limit):
        say(box, f"notes.n{number} = {number}")
    curate(box)


def set_limit(box: Box, limit: int) -> None:
    box.replica.write(lambda transaction: budget.set_limit(transaction, limit))


def reasons(box: Box, *lines: str) -> list[str | None]:
    say(box, "\n".join(lines))
    return [one.reason for one in curate(box).outcomes]


def test_what_has_no_room_is_refused_and_kept_until_there_is(box: Box) -> None:
    say(box, "diet = vegan")
    report = curate(box)
    assert what(report) == [What.REFUSED] and report.outcomes[0].reason == "budget"
    assert "1 of 1" in report.outcomes[0].why and list(box.values()) == ["notes.n0"]
    with box.replica.read() as view:
        (kept,) = hypotheses.hypotheses(view)
    assert kept.as_json()["waits_for_room"] is True
    assert what(curate(box)) == []  # it is not tried again while there is no room
    box.user.forget("notes.n0")
    report = curate(box)
    assert what(report) == [What.GRADUATED] and "room" in report.outcomes[0].why
    assert box.values() == {"diet": "vegan"}


def test_after_three_refusals_the_curator_stops_trying(box: Box) -> None:
    lines = [f"pets.p{number} = p{number}" for number in range(5)]
    assert reasons(box, *lines) == ["budget"] * 3 + ["stopped"] * 2
    with box.replica.read() as view:
        assert len(hypotheses.hypotheses(view)) == 5
    assert reasons(box, "diet = vegan") == ["budget"]  # another run


def test_one_run_goes_on_from_session_to_session(box: Box) -> None:
    for number in range(4):
        say(box, f"pets.p{number} = p{number}", session=f"s{number}")
    curator = Curator(box.replica, Literal())
    found = []
    while True:
        with box.replica.read() as view:
            waiting = signals.waiting(view.reader, 1)
        if not waiting:
            break
        plan = curator.consider(waiting)
        with pytest.raises(ZeroDivisionError):  # a transaction that is not kept counts for nothing
            box.replica.write(lambda transaction, plan=plan: (plan.apply(transaction), 1 / 0))  # type: ignore[misc]
        found += [one.reason for one in box.replica.write(plan.apply).outcomes]
    assert found == ["budget", "budget", "budget", "stopped"]


def test_what_needs_no_room_goes_on(box: Box) -> None:
    box.user.set("name", "Alice")
    say(box, "notes.n0 = 0\nnotes.n0 = 7\nname = Alice\nname = Bob\npets ~ cats")
    assert what(curate(box)) == [What.DUPLICATE, What.UPDATE, What.DUPLICATE, What.SUGGESTION, What.HYPOTHESIS]


def test_a_ripe_hypothesis_waits_for_room(box: Box) -> None:
    for session in ("a", "b", "c"):
        say(box, "choices.editor ~ vim", session=session)
    assert what(curate(box)) == [What.HYPOTHESIS] * 3
    box.wall += 90 * 86_400_000
    assert what(curate(box)) == []  # neither is it dropped meanwhile
    set_limit(box, 2)
    assert what(curate(box)) == [What.GRADUATED]


def test_what_was_overtaken_while_it_waited_is_dropped(box: Box) -> None:
    say(box, "notes.n1 = old")
    curate(box)
    set_limit(box, 2)
    say(box, "notes.n1 = new")
    report = curate(box)
    assert box.values()["notes.n1"] == "new" and What.MEMORY in what(report)
    with box.replica.read() as view:
        assert hypotheses.hypotheses(view) == []


def test_two_devices_that_exceed_it_together_keep_everything_and_add_nothing(pair: list[Box]) -> None:
    one, two = pair
    set_limit(one, 2)
    one.give(two)
    for box, name in ((one, "a"), (two, "b")):
        say(box, f"pets.{name}1 = x\npets.{name}2 = x")
        curate(box)
    one.give(two)
    two.give(one)
    for box in pair:
        assert sorted(box.values()) == ["pets.a1", "pets.a2", "pets.b1", "pets.b2"]
        assert reasons(box, "diet = vegan") == ["budget"]
        box.user.forget("pets.a1")
        assert box.replica.write(tend) == []
