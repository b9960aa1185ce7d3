"""Forgetting sessions, spans of time, single leaves, and what waits to be sent."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.engine.box import NOW, PUBLIC, Box, boxes
from tests.engine.test_generations import traces
from vademecum.engine import journal
from vademecum.engine.forgetting import COMPACT, PURGE
from vademecum.engine.messages import log_message
from vademecum.engine.receipts import cite_message
from vademecum.engine.records import Record
from vademecum.engine.replica import Transaction
from vademecum.engine.slots import SlotMap
from vademecum.errors import InvalidArgument, InvalidScope, InvalidTime, NotFound
from vademecum.storage.tables import Table

X, Y = "dev/x@1", "dev/y@1"
TALK = "session/talk"


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Box, Box]]:
    with boxes(tmp_path, 2) as (a, b):
        yield a, b


def say(box: Box, message: str, text: str, session: str = "talk", agent: str = X) -> None:
    def work(transaction: Transaction) -> None:
        scope = transaction.scope(f"session/{session}")
        log_message(scope, agent, message, speaker="Ann", text=text, at_ms=box.wall)

    box.replica.write(work)


def learn(box: Box, path: str, value: object, *said: tuple[str, str], text: str, agent: str = X) -> None:
    """As *agent*, from messages (session, id)."""

    def work(transaction: Transaction) -> None:
        scope = transaction.scope(PUBLIC)
        receipts = tuple(
            cite_message(scope, agent, session=session, message=message, speaker="Ann", text=text, at_ms=box.wall)
            for session, message in said
        )
        scope.put(SlotMap.LEAVES, path, Record(0, writer=agent, value=value, receipts=receipts))  # type: ignore[arg-type]

    box.replica.write(work)


def flags(box: Box) -> set[bytes]:
    with box.replica.read() as view:
        return {key for key in view.reader.keys(Table.META) if key.startswith((COMPACT, PURGE))}


def test_with_a_session_go_its_messages_their_quotes_and_what_rests_on_nothing_else(pair: tuple[Box, Box]) -> None:
    a, b = pair
    say(a, "m1", "marker said")
    say(a, "m2", "kept", session="other")
    learn(a, "only", "marker", ("talk", "m1"), text="marker said")
    learn(a, "both", "kept too", ("talk", "m1"), ("other", "m2"), text="marker said")
    a.user.set("mine", 1)
    for scope in (PUBLIC, TALK):
        a.give(b, scope=scope)
    assert b.user.forget_session("talk") == 2  # a message and a leaf
    for scope in (PUBLIC, TALK):
        b.give(a, scope=scope)
        a.give(b, scope=scope)
    for box in pair:
        assert box.values() == {"both": "kept too", "mine": 1}
        assert box.row("m2", "session/other", SlotMap.MESSAGES).live is (box is a)
        with box.replica.read() as view:
            assert not any(b"marker" in row.slots[0].data for _, row in view.rows(TALK, SlotMap.MESSAGES))
            assert "marker" not in repr([entry.record.value for entry in journal.entries(view.reader)])
    assert flags(b) == {COMPACT + PUBLIC.encode(), COMPACT + TALK.encode(), PURGE}


def test_what_is_said_in_a_forgotten_session_before_a_device_hears_of_it_is_void(pair: tuple[Box, Box]) -> None:
    a, b = pair
    say(a, "m1", "marker said")
    a.give(b, scope=TALK)
    b.wall += 1_000_000
    say(b, "m2", "marker again")
    a.user.forget_session("talk")
    b.give(a, scope=TALK)
    a.give(b, scope=TALK)
    b.give(a, scope=TALK)
    snapshot = a.snapshot(TALK)
    for box in pair:
        box.adopt(snapshot, TALK)
        assert not box.row("m2", TALK, SlotMap.MESSAGES).live
        assert traces(box) == {}


def test_a_session_of_which_nothing_is_known_is_not_found(pair: tuple[Box, Box]) -> None:
    with pytest.raises(NotFound):
        pair[0].user.forget_session("talk")
    with pytest.raises(InvalidScope):
        pair[0].user.forget_session("no/session")


def test_with_a_leaf_goes_the_message_that_it_quotes_unless_another_rests_on_it(pair: tuple[Box, Box]) -> None:
    a, _ = pair
    say(a, "m1", "marker said")
    say(a, "m2", "stays")
    learn(a, "one", 1, ("talk", "m1"), text="marker said")
    learn(a, "two", 2, ("talk", "m1"), text="marker said")
    a.user.forget("one")
    assert a.row("m1", TALK, SlotMap.MESSAGES).live
    a.user.forget("two")
    assert not a.row("m1", TALK, SlotMap.MESSAGES).live and a.row("m2", TALK, SlotMap.MESSAGES).live


def test_what_agents_learned_in_a_span_goes_now_and_in_the_history(pair: tuple[Box, Box]) -> None:
    a, b = pair
    start = datetime.fromtimestamp(NOW / 1000, UTC)
    a.agent(X).remember("early", "kept", because="kept")
    a.wall += 1000
    a.agent(X).remember("changed", "marker", because="marker")
    a.agent(Y).remember("gone", "marker", because="marker")
    a.user.set("mine", "kept")
    a.wall += 1000
    a.agent(X).remember("changed", "kept", because="kept later")
    a.give(b)
    second = timedelta(seconds=1)
    assert a.user.forget_span(since=start + second, before=start + 2 * second) == 1
    assert a.values() == {"early": "kept", "changed": "kept", "mine": "kept"}
    a.give(b)
    snapshot = a.snapshot()
    for box in pair:
        box.adopt(snapshot)
        assert box.values() == {"early": "kept", "changed": "kept", "mine": "kept"}
        assert traces(box) == {}


def test_a_span_needs_a_bound_an_order_and_a_time_zone(pair: tuple[Box, Box]) -> None:
    user = pair[0].user
    now = datetime.now(UTC)
    with pytest.raises(InvalidArgument):
        user.forget_span()
    with pytest.raises(InvalidArgument):
        user.forget_span(since=now, before=now)
    with pytest.raises(InvalidTime):
        user.forget_span(since=datetime(2026, 1, 1))


def test_a_leaf_alone_can_be_forgotten_and_what_is_below_it_stays(pair: tuple[Box, Box]) -> None:
    a, _ = pair
    a.user.set("p", 1)
    a.user.set("p.q", 2)
    assert a.user.forget("p", below=False) == 1
    assert a.values() == {"p.q": 2}


def test_a_leaf_that_was_deleted_can_be_forgotten_for_its_history(pair: tuple[Box, Box]) -> None:
    a, _ = pair
    a.agent(X).remember("p", "marker", because="marker")
    a.agent(X).forget("p")
    assert a.user.forget("p") == 0
    assert traces(a) == {}
    with pytest.raises(NotFound):
        a.user.forget("p")


def test_what_is_forgotten_before_it_was_sent_does_not_wait_any_longer(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.user.set("other", 1)
    a.agent(X).remember("p", "marker", because="marker")
    a.agent(X).remember("p", "marker again", because="marker again")
    a.user.forget("p")
    assert traces(a) == {}
    a.give(b)
    assert b.values() == {"other": 1} and traces(b) == {}


def test_what_waits_on_a_device_that_hears_of_forgetting_is_gone_from_there_too(pair: tuple[Box, Box]) -> None:
    a, b = pair
    b.agent(X).remember("p", "marker", because="marker")
    b.user.set("mine", 1)
    a.user.forget_agent("dev/x")
    a.give(b)
    assert traces(b) == {}
    b.give(a)
    assert a.values() == {"mine": 1} and traces(a) == {}
