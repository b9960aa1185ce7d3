"""Devices that curate apart: whatever is said on which of them, in the end they hold the same, and it can say why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.box import Box, boxes
from tests.engine.talking import curate, say
from vademecum.engine import audit
from vademecum.engine.formation import hypotheses
from vademecum.engine.formation.curator import tend
from vademecum.engine.sight import Sight
from vademecum.engine.slots import SlotMap

PATHS = ["diet", "choices.editor", "allergies.nuts", "health.asthma"]
SCOPES = ["user.public", "user.private"]

statements = st.tuples(
    st.just("say"),
    st.integers(0, 1),
    st.sampled_from(PATHS),
    st.sampled_from("=~!"),
    st.sampled_from(["vim", "emacs"]),
    st.sampled_from(["a", "b", "c"]),
)
others = st.tuples(st.sampled_from(["curate", "give"]), st.integers(0, 1))
persons = st.tuples(st.sampled_from(["set", "forget"]), st.integers(0, 1), st.sampled_from(PATHS))


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[list[Box]]:
    with boxes(tmp_path, 2) as made:
        yield made


@pytest.mark.parametrize(("later", "left"), [("home.city = Lisbon", "Lisbon"), ("home.city ! Berlin", None)])
def test_what_was_said_last_counts_although_the_other_device_curated_last(
    pair: list[Box], later: str, left: str | None
) -> None:
    one, two = pair
    say(one, "home.city = Berlin", session="first")
    curate(one)
    _meet(pair)
    say(two, "home.city = Porto", session="plane")
    one.wall = two.wall + 10_000
    say(one, later, session="home")
    curate(one)
    two.wall = one.wall + 10_000
    curate(two)
    _meet(pair)
    assert [box.values()["home.city"] for box in pair] == ["Porto", "Porto"]  # written last, and said before
    for box in pair:
        box.wall += 60_000
        box.replica.write(tend)
    _meet(pair)
    assert [box.values().get("home.city") for box in pair] == [left, left]
    assert [box.replica.write(tend) for box in pair] == [[], []]


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=st.lists(st.one_of(statements, statements, others, persons), max_size=24))
def test_devices_that_curate_apart_end_alike(tmp_path_factory: object, steps: list[tuple[object, ...]]) -> None:
    folder: Path = tmp_path_factory.mktemp("apart")  # type: ignore[attr-defined]
    with boxes(folder, 2) as pair:
        for step in steps:
            _do(pair, step)
        for box in pair:
            curate(box)
        for _ in range(3):
            _meet(pair)
            for box in pair:
                box.wall += 1000
                box.replica.write(tend)
        _meet(pair)
        one, two = (_state(box) for box in pair)
        assert one == two
        for box in pair:
            _check(box)


def _do(pair: list[Box], step: tuple[object, ...]) -> None:
    kind, place = step[0], int(str(step[1]))
    box = pair[place]
    box.wall += 1000
    if kind == "say":
        _, _, path, how, value, session = step
        say(box, f"{path} {how} {value}", session=f"{session}{place}")
    elif kind == "curate":
        curate(box)
    elif kind == "give":
        _give(box, pair[1 - place])
    elif kind == "set":
        box.user.set(str(step[2]), "mine", private=str(step[2]).startswith("health"))
    elif any(str(step[2]) in values for values in (box.values(scope) for scope in SCOPES)):
        box.user.forget(str(step[2]))


def _give(box: Box, other: Box) -> None:
    for scope in SCOPES:
        box.give(other, scope=scope)


def _meet(pair: list[Box]) -> None:
    _give(*pair)
    _give(pair[1], pair[0])


def _state(box: Box) -> list[object]:
    with box.replica.read() as view:
        return [
            (scope, slot_map, name, row.winner)
            for scope in SCOPES
            for slot_map in (SlotMap.LEAVES, SlotMap.OBSERVATIONS, SlotMap.LINKS, SlotMap.GRANTS)
            for name, row in view.rows(scope, slot_map)
            if row.live
        ]


def _check(box: Box) -> None:
    """Each memory is either the person's, or quotes words of theirs that say so."""
    with box.replica.read() as view:
        for scope in SCOPES:
            for path, record in view.leaves(scope):
                if record.by_person:
                    assert record.value == "mine"
                    continue
                said = audit.why(Sight(view, None), path, scope).receipts
                assert said and any(f"{path} " in one.text and str(record.value) in one.text for one in said)
        for one in hypotheses.hypotheses(view):
            assert len(one.own) < 3 or one.conversations < 2 or view.get(one.scope, SlotMap.LEAVES, one.path)
