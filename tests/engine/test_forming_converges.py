"""Suggestions, answers, consolidating, confirming and forgetting on two devices apart, in any order: afterwards both
say the same, and neither has lost a reason or kept one that was forgotten.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.box import PUBLIC, Box, boxes
from tests.engine.talks import said
from tests.engine.test_evidence import asked
from vademecum.engine import learned
from vademecum.engine.checking import check_replica
from vademecum.engine.formation import budget, suggestions
from vademecum.engine.slots import SlotMap
from vademecum.errors import BudgetExceeded, NotFound, Refused

X, Y = "dev/x@1", "dev/y@1"
PATHS = ("a", "b", "c.d")

STEPS = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.sampled_from(
            [
                "set",
                "remember",
                "remember",
                "cite",
                "suggest",
                "suggest",
                "accept",
                "edit",
                "reject",
                "consolidate",
                "forget",
                "forget-agent",
                "withdraw",
                "limit",
                "give",
            ]
        ),
        st.integers(0, 2),  # which path
        st.integers(0, 2),  # which value, or which of those that wait
        st.integers(0, 500),  # how much later
    ),
    max_size=24,
)


def act(box: Box, what: str, path: str, number: int) -> None:
    agent = box.agent((X, Y)[number % 2])
    because = f"said to {box.number} at {box.wall}"
    if what == "set":
        box.user.set(path, number)
    elif what == "remember":
        agent.remember(path, number, because=because)
    elif what == "cite":
        agent.remember(path, number, evidence=[said(box, because, agent=str(agent.agent), session=f"s{number % 2}")])
    elif what == "suggest":
        agent.suggest(path, number, because=because)
    elif what in ("accept", "edit", "reject"):
        with box.replica.read() as view:
            waiting = suggestions.open_suggestions(view)
        if waiting:
            identity = waiting[number % len(waiting)].id
            if what == "reject":
                box.replica.write(lambda t: suggestions.reject(t, identity))
            elif what == "accept":
                box.replica.write(lambda t: suggestions.accept(t, identity))
            else:
                box.replica.write(lambda t: suggestions.accept(t, identity, f"edited {number}"))
    elif what == "consolidate":
        ids = [leaf.id for leaf in box.user.leaves() if leaf.scope == PUBLIC and leaf.agent != "user"]
        if ids:
            agent.consolidate(ids, into=(path, f"all {number}"), because=because)
    elif what == "forget":
        box.user.forget(path)
    elif what == "forget-agent":
        box.user.forget_agent("dev/x")
    elif what == "withdraw":
        agent.forget(path)
    else:
        box.replica.write(lambda t: budget.set_limit(t, number))


def winners(box: Box) -> dict[tuple[SlotMap, str], object]:
    """What stands under each name of the public scope, wherever its slots lie."""
    with box.replica.read() as view:
        return {
            (slot_map, name): row.winner
            for slot_map in SlotMap
            for name, row in view.rows(PUBLIC, slot_map)
            if row.winner is not None
        }


def reasons(box: Box) -> dict[str, list[str]]:
    return {path: sorted(receipt.text for receipt in asked(box, path).receipts) for path in box.values()}


@pytest.mark.parametrize("examples", [40])
def test_devices_that_formed_memories_apart_agree_when_they_meet(
    examples: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(steps=STEPS)
    def holds(steps: list[tuple[int, str, int, int, int]]) -> None:
        converges(tmp_path_factory.mktemp("apart"), steps)

    holds()


def converges(folder: Path, steps: list[tuple[int, str, int, int, int]]) -> None:
    with boxes(folder, 2) as pair:
        for which, what, path, number, later in steps:
            box = pair[which]
            box.wall += later
            try:
                if what == "give":
                    box.give(pair[1 - which])
                else:
                    act(box, what, PATHS[path], number)
            except (Refused, NotFound, BudgetExceeded):
                continue
        a, b = pair
        for _ in range(3):
            a.give(b)
            b.give(a)
        assert winners(a) == winners(b)
        assert reasons(a) == reasons(b)
        with a.replica.read() as one, b.replica.read() as other:
            assert suggestions.open_suggestions(one) == suggestions.open_suggestions(other)
            assert budget.used(one) == budget.used(other) == learned.counted(one)
        for box in pair:
            with box.replica.read() as view:
                assert [one.code for one in check_replica(view) if one.code != "receipts"] == []
                for path, texts in reasons(box).items():
                    record = view.get(PUBLIC, SlotMap.LEAVES, path)
                    assert record is not None and (record.by_person or texts), f"{path} has lost its reason"
        forgotten_leaves_nothing(a, b)


def forgotten_leaves_nothing(a: Box, b: Box) -> None:
    """Once all paths are forgotten, no reason for anything is left on either device."""
    for path in {path.partition(".")[0] for path in PATHS}:
        try:
            a.user.forget(path)
        except NotFound:
            continue
    a.give(b)
    for box in (a, b):
        with box.replica.read() as view:
            left = [
                (slot_map, name)
                for slot_map in (SlotMap.LEAVES, SlotMap.RECEIPTS, SlotMap.SUGGESTIONS)
                for name, row in view.rows(PUBLIC, slot_map)
                if row.live
            ]
        assert left == []
