"""Hypotheses: sightings that merge over devices, graduate when there are enough, fade, and are forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.box import Box, boxes
from tests.engine.talking import curate, say, what
from vademecum.engine import audit
from vademecum.engine.formation import hypotheses, signals
from vademecum.engine.formation.curator import tend
from vademecum.engine.formation.hypotheses import GraduationRule, Hypothesis
from vademecum.engine.formation.report import What
from vademecum.engine.sight import Sight
from vademecum.engine.slots import SlotMap
from vademecum.errors import NotFound

DAY = 86_400_000


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[list[Box]]:
    with boxes(tmp_path, 2) as made:
        yield made


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    with boxes(tmp_path, 1) as (only,):
        yield only


def held(box: Box) -> list[Hypothesis]:
    with box.replica.read() as view:
        return hypotheses.hypotheses(view)


def receipts(box: Box, path: str) -> list[str | None]:
    with box.replica.read() as view:
        return [receipt.session for receipt in audit.why(Sight(view, None), path).receipts]


def test_a_weak_sign_is_kept_as_a_sighting_and_no_memory(box: Box) -> None:
    said = say(box, "choices.test-runner ~ pytest")
    assert what(curate(box)) == [What.HYPOTHESIS]
    assert box.values() == {}
    (one,) = held(box)
    assert (one.path, one.value, len(one.own), one.conversations) == ("choices.test-runner", "pytest", 1, 1)
    assert one.as_json()["seen"][0]["text"] == "choices.test-runner ~ pytest"
    assert said.endswith(one.as_json()["seen"][0]["message"])


def test_three_sightings_in_two_conversations_make_a_memory_with_all_receipts(box: Box) -> None:
    for session in ("a", "a", "a"):
        say(box, "choices.test-runner ~ pytest", session=session)
    assert what(curate(box)) == [What.HYPOTHESIS] * 3 and box.values() == {}
    say(box, "choices.test-runner ~ Pytest", session="b")
    assert what(curate(box)) == [What.HYPOTHESIS, What.GRADUATED]
    assert box.values() == {"choices.test-runner": "pytest"}
    assert receipts(box, "choices.test-runner") == ["a", "a", "a", "b"] and held(box) == []


def test_two_sightings_in_two_conversations_are_not_enough(box: Box) -> None:
    for session in ("a", "b"):
        say(box, "choices.test-runner ~ pytest", session=session)
    curate(box)
    assert box.values() == {}


def test_another_value_is_another_hypothesis(box: Box) -> None:
    for session, value in (("a", "pytest"), ("b", "unittest"), ("c", "pytest")):
        say(box, f"choices.test-runner ~ {value}", session=session)
    curate(box)
    assert box.values() == {} and [len(one.own) for one in held(box)] == [2, 1]


def test_the_person_sets_the_rule_for_all_devices(pair: list[Box]) -> None:
    one, two = pair
    one.replica.write(lambda transaction: hypotheses.keep_rule(transaction, GraduationRule(1, 1, 60)))
    one.give(two)
    say(two, "choices.test-runner ~ pytest")
    assert what(curate(two)) == [What.HYPOTHESIS, What.GRADUATED]


def test_sightings_on_two_devices_count_together_and_both_end_with_one_memory(pair: list[Box]) -> None:
    one, two = pair
    say(one, "choices.test-runner ~ pytest", session="a")
    say(one, "choices.test-runner ~ pytest", session="b")
    say(two, "choices.test-runner ~ pytest", session="c")
    curate(one)
    curate(two)
    assert one.values() == two.values() == {}
    one.give(two)
    two.give(one)
    for box in pair:  # nobody says anything: what the other saw is enough
        outcomes = box.replica.write(tend)
        assert [outcome.what for outcome in outcomes] == [What.GRADUATED]
    one.give(two)
    two.give(one)
    for box in pair:
        assert box.values() == {"choices.test-runner": "pytest"} and held(box) == []
        assert sorted(map(str, receipts(box, "choices.test-runner"))) == ["a", "b", "c"]
    assert one.row("choices.test-runner") == two.row("choices.test-runner")


def test_a_sighting_that_arrives_after_graduation_joins_the_memory(pair: list[Box]) -> None:
    one, two = pair
    for session in ("a", "b", "c"):
        say(one, "choices.test-runner ~ pytest", session=session)
    curate(one)
    say(two, "choices.test-runner ~ pytest", session="d")
    curate(two)
    two.give(one)
    one.give(two)
    one.replica.write(tend)
    assert held(one) == [] and receipts(one, "choices.test-runner") == ["a", "b", "c", "d"]


def test_the_same_statement_heard_on_two_devices_apart_is_one_memory_with_two_receipts(pair: list[Box]) -> None:
    one, two = pair
    say(one, "diet = vegan", session="phone")
    say(two, "diet = vegan", session="laptop")
    for box in pair:
        assert what(curate(box)) == [What.MEMORY]
    one.give(two)
    two.give(one)
    for box in pair:
        assert box.values() == {"diet": "vegan"} and sorted(map(str, receipts(box, "diet"))) == ["laptop", "phone"]
    assert one.row("diet") == two.row("diet")


def test_what_nothing_repeats_fades(box: Box) -> None:
    say(box, "choices.test-runner ~ pytest")
    curate(box)
    box.wall += 59 * DAY
    curate(box)
    assert len(held(box)) == 1
    box.wall += 2 * DAY
    curate(box)
    assert held(box) == []


def test_a_hypothesis_outlives_its_messages_expiry(box: Box) -> None:
    said = say(box, "choices.test-runner ~ pytest", session="a")
    curate(box)
    from vademecum.engine.records import Record

    def expire(transaction: object) -> None:
        scope = transaction.scope("session/a")  # type: ignore[attr-defined]
        scope.put(SlotMap.MESSAGES, said.partition(":")[2], Record(0, writer="x/y@1", deleted=True))

    box.replica.write(expire)
    for session in ("b", "c"):
        say(box, "choices.test-runner ~ pytest", session=session)
    curate(box)
    assert receipts(box, "choices.test-runner") == ["a", "b", "c"]


def test_saying_it_outright_takes_its_sightings_along(box: Box) -> None:
    say(box, "choices.test-runner ~ pytest", session="a")
    say(box, "choices.test-runner = pytest", session="b")
    curate(box)
    assert held(box) == [] and receipts(box, "choices.test-runner") == ["b", "a"]


def test_what_has_ended_is_no_hypothesis_any_more(box: Box) -> None:
    say(box, "choices.test-runner ~ pytest", session="a")
    curate(box)
    say(box, "choices.test-runner ! pytest", session="b")
    curate(box)
    assert held(box) == []


def test_a_ripe_hypothesis_never_overwrites_the_person(box: Box) -> None:
    box.user.set("choices.test-runner", "unittest")
    for session in ("a", "b", "c", "d"):
        say(box, "choices.test-runner ~ pytest", session=session)
        curate(box)
    assert box.values() == {"choices.test-runner": "unittest"}


@pytest.mark.parametrize("way", ["path", "above", "session", "agent", "span"])
def test_forgetting_takes_sightings_and_their_messages(pair: list[Box], way: str) -> None:
    box, other = pair
    said = say(box, "choices.test-runner ~ pytest", session="a")
    curate(box)
    box.give(other)
    if way == "path":
        box.user.forget("choices.test-runner")
    elif way == "above":
        box.user.forget("choices")
    elif way == "session":
        box.user.forget_session("a")
    elif way == "agent":
        box.user.forget_agent("x/y")
    else:
        from vademecum.engine.times import from_ms

        box.user.forget_span(since=from_ms(box.wall - DAY))
    assert held(box) == []
    session, _, name = said.partition(":")
    assert not box.row(name, session, SlotMap.MESSAGES).live
    box.give(other)
    assert held(other) == []


def test_forgetting_the_curator_takes_its_sightings(box: Box) -> None:
    say(box, "choices.test-runner ~ pytest\ndiet = vegan")
    curate(box)
    box.user.forget_agent("vademecum/curator")
    assert held(box) == [] and box.values() == {}


def test_forgetting_what_there_is_not_is_refused(box: Box) -> None:
    say(box, "choices.test-runner ~ pytest")
    curate(box)
    with pytest.raises(NotFound):
        box.user.forget("choices.editor")
    assert len(held(box)) == 1


def test_a_forgotten_sighting_does_not_come_back_from_the_same_message(box: Box) -> None:
    say(box, "choices.test-runner ~ pytest", session="a")
    with box.replica.read() as view:
        (old,) = signals.waiting(view.reader, 5)
    curate(box)
    box.user.forget("choices.test-runner")
    box.replica.write(lambda transaction: signals.drop(transaction.writer, old.session, old.message, old.at_ms))
    assert what(curate(box)) == [What.NOTHING]
    assert held(box) == []
