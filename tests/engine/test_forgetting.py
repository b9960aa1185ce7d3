"""Forgetting: a path, with all that was said about it; an agent, wherever it wrote or will have written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.box import PUBLIC, Box, boxes
from vademecum.engine import audit, journal
from vademecum.engine.agents import AgentPattern
from vademecum.engine.forgetting import scopes_written
from vademecum.engine.sight import Sight
from vademecum.engine.slots import SlotMap
from vademecum.errors import InvalidAgent, NotFound

X, X2, Y = "dev/x@1", "dev/x@2", "dev/y@1"
SECRET = "terrapin"


@pytest.fixture
def trio(tmp_path: Path) -> Iterator[list[Box]]:
    with boxes(tmp_path, 3) as made:
        yield made


def told(box: Box) -> bytes:
    """Everything in the rows and the journal, as it stands in the database."""
    with box.replica.read() as view:
        rows = [
            slot.data
            for scope in view.scopes()
            for one in SlotMap
            for _, row in view.rows(scope, one)
            for slot in row.slots
        ]
        entries = [repr(entry.record).encode() for entry in journal.entries(view.reader)]
    return b"".join(rows + entries)


def receipts(box: Box, scope: str = PUBLIC) -> list[str]:
    with box.replica.read() as view:
        return [row.slots[0].record.value[0] for _, row in view.rows(scope, SlotMap.RECEIPTS) if row.live]  # type: ignore[index]


def log(box: Box) -> list[tuple[str, str, str]]:
    with box.replica.read() as view:
        return [(change.agent, change.path, change.what) for change in reversed(audit.log(Sight(view, None)))]


# --- a path ----------------------------------------------------------------------------------------------------------


def test_a_forgotten_path_takes_its_values_quotes_and_history_with_it(trio: list[Box]) -> None:
    a, b, _ = trio
    a.agent(X).remember("p.q", f"{SECRET} one", because=f"{SECRET} said")
    a.agent(X).remember("p.q", f"{SECRET} two", because=f"{SECRET} said again")
    a.agent(X).remember("other", 1, because="kept")
    a.give(b)
    assert b.user.forget("p") == 1
    b.give(a)
    for box in (a, b):
        assert SECRET.encode() not in told(box)
        assert box.values() == {"other": 1} and receipts(box) == ["kept"]


def test_a_quote_that_another_leaf_rests_on_stays(trio: list[Box]) -> None:
    a, *_ = trio
    a.agent(X).remember("p", {"one": 1, "two": 2}, because="said once for both")
    a.user.forget("p.one")
    assert receipts(a) == ["said once for both"]
    a.user.forget("p.two")
    assert receipts(a) == []


def test_forgetting_a_path_does_not_touch_one_that_only_begins_like_it(trio: list[Box]) -> None:
    a, *_ = trio
    a.user.set("work", 1)
    a.user.set("work-place", 2)
    a.user.set("workshop", 3)
    a.user.set("work.team", 4)
    assert a.user.forget("work") == 2
    assert a.values() == {"work-place": 2, "workshop": 3}


def test_forgetting_reaches_every_scope_or_the_one_named(trio: list[Box]) -> None:
    a, *_ = trio
    for _ in range(2):
        a.user.set("p", 1)
        a.user.set("p", 2, private=True)
        a.agent(X).remember("p", 3, because="said", scope="agent")
        assert a.user.forget("p", scope="user.private") == 1
        assert a.user.get("p") == 1
        assert a.user.forget("p") == 2
        with pytest.raises(NotFound):
            a.user.forget("p")


# --- an agent --------------------------------------------------------------------------------------------------------


def test_what_a_forgotten_agent_wrote_is_gone_everywhere_and_the_persons_stays(trio: list[Box]) -> None:
    a, b, c = trio
    a.user.set("mine", 1)
    a.agent(X).remember("p", SECRET, because=SECRET)
    a.agent(X2).remember("q", SECRET, because=SECRET)
    a.agent(X).remember("own", SECRET, because=SECRET, scope="agent")
    a.agent(Y).remember("r", "kept", because="kept")
    for scope in (PUBLIC, "agent/dev/x"):
        a.give(b, c, scope=scope)
    assert b.user.forget_agent("dev/x") == 3
    for scope in (PUBLIC, "agent/dev/x"):
        b.give(a, c, scope=scope)
        a.give(b, c, scope=scope)
    for box in (a, b, c):
        assert [leaf.path for leaf in box.user.leaves()] == ["mine", "r"]
        assert SECRET.encode() not in told(box)
        assert receipts(box) == ["kept"]


def test_one_version_can_be_forgotten_alone(trio: list[Box]) -> None:
    a, *_ = trio
    a.agent(X).remember("p", 1, because="said")
    a.agent(X2).remember("q", 2, because="said")
    a.agent("dev/x-files@1").remember("r", 3, because="said")
    assert a.user.forget_agent(X) == 1
    assert a.values() == {"q": 2, "r": 3}
    assert a.user.forget_agent("dev/x") == 1
    assert a.values() == {"r": 3}


def test_what_a_forgotten_agent_wrote_elsewhere_in_the_meantime_is_void_when_it_arrives(trio: list[Box]) -> None:
    a, b, c = trio
    b.wall += 10_000_000
    b.agent(X).remember("p", SECRET, because="late")
    a.user.forget_agent("dev/x")
    b.give(a, c)
    a.give(b, c)
    b.give(a, c)
    for box in (a, b, c):
        assert box.values() == {}
        assert all(change[2] in ("forgot", "swept") or SECRET not in repr(change) for change in log(box))
    assert SECRET.encode() not in told(a) + told(b) + told(c)


def test_a_forgotten_agent_that_has_heard_of_it_may_be_told_anew(trio: list[Box]) -> None:
    a, b, _ = trio
    a.agent(X).remember("p", "old", because="said")
    a.user.forget_agent("dev/x")
    a.agent(X).remember("p", "anew", because="said anew")
    a.give(b)
    assert a.values() == b.values() == {"p": "anew"}
    assert receipts(b) == ["said anew"]
    b.user.forget_agent("dev/x")
    b.give(a)
    assert a.values() == b.values() == {}


def test_another_agents_later_word_on_the_same_path_survives_unseen(trio: list[Box]) -> None:
    """The deletion must not outrank what another agent wrote after the forgotten one."""
    a, b, c = trio
    a.agent(X).remember("p", "forgotten", because="said")
    b.wall += 5
    b.agent(Y).remember("p", "kept", because="said")
    a.wall += 1000
    a.user.forget_agent("dev/x")
    a.give(b, c)
    b.give(a, c)
    a.give(b, c)
    assert [box.values() for box in trio] == [{"p": "kept"}] * 3


def test_another_agents_later_word_on_the_same_path_survives_seen(trio: list[Box]) -> None:
    a, b, c = trio
    a.agent(X).remember("p", "forgotten", because="said")
    b.wall += 5
    b.agent(Y).remember("p", "kept", because="said")
    a.give(b, c)
    b.give(a, c)
    c.wall += 1000
    assert c.user.forget_agent("dev/x") == 0
    assert c.values() == {"p": "kept"}
    c.give(a, b)
    a.give(b, c)
    b.give(a, c)
    assert [box.values() for box in trio] == [{"p": "kept"}] * 3
    assert b"forgotten" not in told(a) + told(b) + told(c)


def test_an_agents_earlier_word_does_not_come_back_from_under_a_forgotten_one(trio: list[Box]) -> None:
    a, b, c = trio
    a.agent(Y).remember("p", "earlier", because="said")
    b.wall += 5
    b.agent(X).remember("p", "forgotten", because="said")
    a.give(b, c)
    b.give(a, c)
    c.user.forget_agent("dev/x")
    c.give(a, b)
    b.give(a, c)
    assert [box.values() for box in trio] == [{}] * 3


def test_what_an_agent_learnt_anew_is_not_swept_by_a_device_that_hears_of_the_forgetting_later(
    trio: list[Box],
) -> None:
    a, b, c = trio
    b.agent(X).remember("p", "old", because="said")
    b.give(a)
    a.user.forget_agent("dev/x")
    a.agent(X).remember("p", "anew", because="said anew")
    b.wall += 1000
    a.give(b, c)
    b.give(a, c)
    assert [box.values() for box in trio] == [{"p": "anew"}] * 3


def test_an_agent_may_be_forgotten_that_has_written_nothing_here(trio: list[Box]) -> None:
    a, b, _ = trio
    assert a.user.forget_agent("dev/x") == 0
    b.agent(X).remember("p", 1, because="said")
    b.give(a)
    assert a.values() == {}


@pytest.mark.parametrize("agent", ["", "dev", "dev/", "dev/x@", "user", "*", "dev/*", "DEV/x"])
def test_what_names_no_agent_is_refused_and_forgets_nobody(trio: list[Box], agent: str) -> None:
    a, *_ = trio
    a.agent(X).remember("p", 1, because="said")
    with pytest.raises(InvalidAgent):
        a.user.forget_agent(agent)
    assert a.values() == {"p": 1}


def test_the_log_says_that_an_agent_was_forgotten_and_no_longer_what_it_said(trio: list[Box]) -> None:
    a, *_ = trio
    a.agent(X).remember("p", SECRET, because=SECRET)
    a.user.forget_agent("dev/x")
    assert ("user", "dev/x", "forgot") in log(a)
    assert (X, "p", "swept") in log(a)
    with a.replica.read() as view:
        assert SECRET not in repr(audit.log(Sight(view, None)))


def test_where_an_agent_wrote_is_known_after_others_wrote_over_it(trio: list[Box]) -> None:
    a, *_ = trio
    a.agent(X).remember("p", 1, because="said")
    a.agent(Y).remember("p", 2, because="said")
    with a.replica.read() as view:
        assert PUBLIC in scopes_written(view, AgentPattern.parse("dev/x"))
        assert PUBLIC not in scopes_written(view, AgentPattern.parse("dev/z"))


def test_two_devices_that_forget_the_same_agent_apart_agree(trio: list[Box]) -> None:
    a, b, c = trio
    for box in (a, b):
        box.agent(X).remember("p", box.number, because="said")
        box.user.forget_agent("dev/x")
    a.agent(X).remember("q", "after the first", because="said")
    a.give(b, c)
    b.give(a, c)
    a.give(b, c)
    b.give(a, c)
    assert a.values() == b.values() == c.values()
