"""Sessions: what is logged, whose it is, what drops a signal, and that it stays here until it is handed over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.engine.box import NOW, Box, boxes
from vademecum.engine.checking import check_replica
from vademecum.engine.expiring import expire_due
from vademecum.engine.formation import signals
from vademecum.engine.messages import SessionMessage
from vademecum.engine.records import Record
from vademecum.engine.slots import SlotMap
from vademecum.errors import (
    Confined,
    InvalidArgument,
    InvalidScope,
    InvalidTime,
    InvalidValue,
    NotFound,
    VademecumError,
)
from vademecum.storage.tables import Table

FOOD, FOOD2, TRIPS = "prix/daily-eats@1.0.0", "prix/daily-eats@2.0.0", "acme/trips@3"
TALK = "session/lunch"
WORDS = "Never book me a steakhouse again."


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    with boxes(tmp_path, 1) as (made,):
        yield made


@pytest.fixture
def two(tmp_path: Path) -> Iterator[list[Box]]:
    with boxes(tmp_path, 2) as made:
        yield made


def contents(box: Box) -> dict[Table, list[tuple[bytes, bytes]]]:
    with box.replica.read() as view:
        return {table: list(view.reader.scan(table)) for table in Table}


def waiting(box: Box) -> list[signals.Signal]:
    with box.replica.read() as view:
        return signals.waiting(view.reader, 100)


def texts(found: list[SessionMessage]) -> list[str]:
    return [one.text for one in found]


def test_a_message_is_kept_with_its_role_time_and_tool_in_the_order_of_logging(box: Box) -> None:
    talk = box.agent(FOOD).session("lunch")
    said = datetime(2026, 11, 29, 8, 30, tzinfo=UTC)
    first = talk.log("user", WORDS, at=said)
    second = talk.log("tool", "3 tables are free", tool="book_table", at=said - timedelta(hours=1))
    third = talk.log("assistant", "Noted.")
    one, two, three = talk.messages()
    assert (one.id, one.role, one.text, one.at, one.tool) == (first, "user", WORDS, said, None)
    assert (two.id, two.role, two.tool) == (second, "tool", "book_table")
    assert (three.id, three.at) == (third, datetime.fromtimestamp(NOW / 1000, UTC))
    assert first.startswith("session/lunch:") and sorted([third, second, first]) == [first, second, third]


def test_what_the_person_says_drops_a_signal_in_the_same_transaction_and_nothing_else_does(box: Box) -> None:
    talk = box.agent(FOOD).session("lunch")
    talk.log("system", "Be kind.")
    mine = talk.log("user", WORDS)
    for role in ("assistant", "tool"):
        talk.log(role, "words")
    (signal,) = waiting(box)
    assert (signal.id, signal.session, signal.at_ms) == (mine, TALK, NOW)


@pytest.mark.parametrize(
    ("role", "text", "how", "error", "said"),
    [
        ("human", "hi", {}, InvalidArgument, "'human' is not one of user, assistant, tool, system"),
        ("", "hi", {}, InvalidArgument, "role ''"),
        ("user", "hi", {"at": datetime(2026, 1, 1)}, InvalidTime, "no time zone"),
        ("user", "hi", {"tool": "search"}, InvalidArgument, "only one of role 'tool'"),
        ("tool", "hi", {"tool": "x" * 129}, InvalidArgument, "1 to 128 bytes"),
        ("user", "ü" * 16_385, {}, InvalidValue, "32,770 bytes; at most 32,768"),
        ("user", " \n", {}, InvalidValue, "no words"),
        ("user", "\u200b\0\ufeff\u202e\u3164", {}, InvalidValue, "no words"),
        ("user", "\ud800", {}, InvalidValue, "surrogate"),
        ("tool", "hi", {"tool": "\ud800"}, InvalidValue, "surrogate"),
        ("tool", "hi", {"tool": "\u200b"}, InvalidArgument, "1 to 128 bytes"),
        ("user", 5, {}, InvalidValue, "is a int"),
    ],
)
def test_a_bad_message_is_refused_and_changes_nothing(
    box: Box, role: str, text: str, how: dict[str, object], error: type[VademecumError], said: str
) -> None:
    before = contents(box)
    with pytest.raises(error, match=said):
        box.agent(FOOD).session("lunch").log(role, text, **how)  # type: ignore[arg-type]
    assert contents(box) == before


@pytest.mark.parametrize("name", ["", "a/b", "x" * 65, ".", "a b", "../x", "\0", "\ud800", None, 5, b"a"])
def test_a_bad_name_is_refused(box: Box, name: str) -> None:
    with pytest.raises(InvalidScope):
        box.agent(FOOD).session(name)


@pytest.mark.parametrize("message", ["", "x", "\ud800", "a\0b", "x" * 500, None, 5, b"x", "session/other:x"])
def test_only_a_message_that_is_there_is_pinned(box: Box, message: str) -> None:
    talk = box.agent(FOOD).session("lunch")
    talk.log("user", WORDS)
    before = contents(box)
    for act in (talk.pin, talk.unpin):
        with pytest.raises(NotFound):
            act(message)
    assert contents(box) == before


@pytest.mark.parametrize("lifetime", [timedelta(0), timedelta(days=-1), 5])
def test_a_bad_lifetime_is_refused(box: Box, lifetime: timedelta) -> None:
    with pytest.raises(InvalidArgument, match="lifetime"):
        box.agent(FOOD).session("lunch", lifetime=lifetime)


def test_an_agents_versions_share_its_sessions_and_no_other_agent_gets_in(box: Box) -> None:
    early = box.agent(TRIPS).session("lunch")  # before there was one
    mine = box.agent(FOOD).session("lunch").log("user", WORDS)
    assert texts(box.agent(FOOD2).session("lunch").messages()) == [WORDS]
    with pytest.raises(Confined, match="'lunch' is not one of acme/trips@3's"):
        box.agent(TRIPS).session("lunch")
    before = contents(box)
    for attempt in (lambda: early.log("user", "x"), lambda: early.pin(mine), early.hand_over):
        with pytest.raises(Confined):
            attempt()
    assert contents(box) == before
    assert early.messages() == []


def test_an_imported_conversation_is_no_agents(box: Box) -> None:
    def give(transaction: object) -> None:
        scope = transaction.scope(TALK)  # type: ignore[attr-defined]
        scope.put(SlotMap.MESSAGES, "m1", Record(0, value=["Ann", "hello"]))

    box.replica.write(give)
    with pytest.raises(Confined):
        box.agent(FOOD).session("lunch")


def test_pins_are_kept_and_taken_back(box: Box) -> None:
    talk = box.agent(FOOD).session("lunch")
    first, second = talk.log("user", "one"), talk.log("user", "two")
    talk.pin(second)
    talk.pin(second)
    assert [one.pinned for one in talk.messages()] == [False, True]
    talk.unpin(second)
    talk.pin(first)
    assert [one.pinned for one in talk.messages()] == [True, False]
    for name in ("session/lunch:nothing", "", first.replace("lunch", "dinner")):
        with pytest.raises(NotFound):
            talk.pin(name)


def test_nothing_of_a_session_is_gathered_before_it_is_handed_over_and_then_all_of_it(two: list[Box]) -> None:
    here, there = two
    talk = here.agent(FOOD).session("lunch")
    ids = [talk.log("user", WORDS), talk.log("assistant", "Noted.")]
    talk.pin(ids[0])
    assert not contents(here)[Table.OUTBOX] and here.gather(TALK) == []
    assert talk.hand_over() and not talk.hand_over()
    ids.append(talk.log("user", "And no pork."))
    here.give(there, scope=TALK)
    assert talk.messages() == there.agent(FOOD).session("lunch").messages()
    assert [(one.id, one.pinned) for one in talk.messages()] == [(ids[0], True), (ids[1], False), (ids[2], False)]
    assert not waiting(there), "signals belong to the device that logged the message"
    ids.append(there.agent(FOOD).session("lunch").log("user", "I moved to the tablet."))
    there.give(here, scope=TALK)
    assert [one.id for one in talk.messages()] == ids == sorted(ids)
    for one in two:
        with one.replica.read() as view:
            assert not list(check_replica(view))


def test_there_is_nothing_to_hand_over_before_the_first_message(box: Box) -> None:
    with pytest.raises(NotFound):
        box.agent(FOOD).session("lunch").hand_over()


def test_handing_over_a_session_leaves_one_of_the_same_name_elsewhere_where_it_is(two: list[Box]) -> None:
    here, there = two
    mine, other = here.agent(FOOD).session("lunch"), there.agent(TRIPS).session("lunch")
    mine.log("user", "one")
    other.log("user", "secret")
    there.wall += 1000
    mine.hand_over()
    here.give(there, scope=TALK)
    other.log("user", "more")
    assert there.gather(TALK) == []
    # of what both have now, the snapshot holds only what came in, and adopting it keeps the rest here
    snapshot = there.snapshot(TALK)
    assert all(held.slot.device == here.id for held in snapshot.slots)
    assert not snapshot.superseded
    there.adopt(snapshot, TALK)
    assert there.gather(TALK) == []
    assert texts(other.messages()) == ["secret", "more"], "each agent sees what it logged itself"
    assert texts(there.agent(FOOD).session("lunch").messages()) == ["one"]
    here.adopt(snapshot, TALK)
    other.hand_over()
    there.give(here, scope=TALK)
    assert texts(mine.messages()) == ["one"]
    assert texts(here.agent(TRIPS).session("lunch").messages()) == ["secret", "more"]


def test_the_context_is_what_fits_and_the_export_is_all(box: Box) -> None:
    talk = box.agent(FOOD).session("lunch")
    assert list(talk.context(100)) == [] and talk.export() == ""
    pin = talk.log("user", WORDS)
    talk.pin(pin)
    for number in range(60):
        talk.log("user", f"Is there anything else, number {number}?")
        talk.log("tool", f"result {number} " * 40, tool="search")
    window = talk.context(500)
    assert window.tokens <= 500 and window.summarised and window == talk.context(500)
    assert {"role": "user", "content": WORDS} in window
    assert len(talk.context(500, counter=lambda _: 0)) == 121
    lines = [json.loads(line) for line in talk.export().splitlines()]
    assert [one["id"] for one in lines] == [one.id for one in talk.messages()]
    assert lines[0] == {
        "id": pin, "at": "2026-09-21T14:13:20.000Z", "role": "user", "text": WORDS, "tool": None, "pinned": True
    }  # fmt: skip
    assert lines[2]["tool"] == "search"


DAY = 86_400_000


def handled(box: Box) -> None:
    box.replica.write(lambda transaction: signals.done(transaction.writer, waiting(box)))


def sound(box: Box) -> bool:
    with box.replica.read() as view:
        return not list(check_replica(view))


def test_a_session_expires_a_while_after_its_last_message_as_if_it_had_never_been(box: Box) -> None:
    keep, talk = box.agent(TRIPS).session("trip", lifetime=timedelta.max), box.agent(FOOD).session("lunch")
    keep.log("user", "Keep this.")
    talk.pin(talk.log("user", WORDS, at=datetime(2020, 1, 1, tzinfo=UTC)))
    box.wall += 20 * DAY
    last = talk.log("assistant", "Noted.")
    handled(box)
    box.wall += 30 * DAY - 1
    assert expire_due(box.replica) == (0, 0), "the time counts from the last message's logging"
    box.wall += 1
    again = box.again()  # another process, which holds the document
    again.agent(FOOD).session("lunch").pin(last)
    assert expire_due(box.replica) == (1, 2)
    assert talk.messages() == [] and texts(keep.messages()) == ["Keep this."]
    with box.replica.read() as view:
        number = view.number(TALK) or b""
        assert not list(view.reader.scan(Table.LEAVES, number)) and not list(view.reader.scan(Table.HISTORY, number))
        assert not any(WORDS.encode() in data for _, data in view.reader.scan(Table.DOCUMENTS))
    assert expire_due(box.replica) == (0, 0) and sound(box)
    assert again.agent(TRIPS).session("lunch").log("user", "The name is free.")  # in the new document
    assert texts(box.agent(TRIPS).session("lunch").messages()) == ["The name is free."] and sound(box)
    again.close()


def test_a_message_that_the_curator_has_not_read_outlives_the_session_until_it_has(two: list[Box]) -> None:
    here, there = two
    talk = here.agent(FOOD).session("lunch", lifetime=timedelta(days=1))
    talk.log("assistant", "What do you eat?")
    mine = talk.log("user", WORDS)
    talk.pin(mine)
    here.wall += DAY
    assert expire_due(here.replica) == (1, 1)
    assert [(one.id, one.pinned) for one in talk.messages()] == [(mine, True)] and sound(here)
    assert expire_due(here.replica) == (0, 0)
    talk.hand_over()
    here.give(there, scope=TALK)
    assert there.agent(FOOD).session("lunch").messages() == talk.messages() and sound(there)
    handled(here)
    assert expire_due(here.replica) == (1, 1)
    here.give(there, scope=TALK)
    assert there.agent(FOOD).session("lunch").messages() == talk.messages() == []
    assert sound(here) and sound(there)


def test_both_devices_may_expire_a_session_that_was_handed_over(two: list[Box]) -> None:
    here, there = two
    talk = here.agent(FOOD).session("lunch", lifetime=timedelta(days=1))
    talk.log("user", WORDS)
    handled(here)
    talk.hand_over()
    here.give(there, scope=TALK)
    for one in two:
        one.wall += 2 * DAY
        assert expire_due(one.replica) == (1, 1)
    here.give(there, scope=TALK)
    there.give(here, scope=TALK)
    late = there.agent(FOOD).session("lunch").log("user", "Still here?")
    there.give(here, scope=TALK)
    assert [one.id for one in talk.messages()] == [late]
    assert sound(here) and sound(there)


def test_a_lifetime_that_is_given_replaces_the_one_there_is(box: Box) -> None:
    box.agent(FOOD).session("lunch").log("assistant", "one")
    box.agent(FOOD).session("lunch", lifetime=timedelta(hours=1)).log("assistant", "two")
    box.agent(FOOD).session("lunch").log("assistant", "three")
    box.wall += 3_600_000
    assert expire_due(box.replica) == (1, 3)


def test_expiry_leaves_what_was_learned_with_its_words(box: Box) -> None:
    food = box.agent(FOOD)
    talk = food.session("lunch")
    talk.log("assistant", WORDS)
    food.remember("diet", "vegan", because=WORDS)
    box.wall += 40 * DAY
    assert expire_due(box.replica) == (1, 1)
    assert food.why("diet").receipts[0].text == WORDS


def test_forgetting_a_session_that_stayed_here_leaves_nothing_of_it(box: Box) -> None:
    talk = box.agent(FOOD).session("lunch")
    talk.pin(talk.log("user", WORDS))
    talk.log("tool", "secret output", tool="search")
    assert box.user.forget_session("lunch") == 2
    assert talk.messages() == [] and waiting(box) == [] and sound(box)
    for table, rows in contents(box).items():
        assert not any(WORDS.encode() in data or b"secret output" in data for _, data in rows), table
    assert box.gather(TALK) == []
    talk.log("user", "Something else.")
    assert texts(talk.messages()) == ["Something else."] and box.gather(TALK) == []


# --- forgetting on another device what stays on this one --------------------------------------------------------------


def learned(here: Box, there: Box) -> list[str]:
    """Three messages of a session that stays *here*; *there* too it is known what was learned from the first."""
    talk = here.agent(FOOD).session("lunch")
    ids = [talk.log("user", WORDS), talk.log("user", "I like trains."), talk.log("assistant", "Noted.")]
    here.agent(FOOD).remember("diet", "no steak", evidence=[ids[0]])
    here.give(there)
    there.wall = here.wall + 1000
    return ids


def no_byte(box: Box, words: str) -> bool:
    """Whether *words* are in nothing that is kept of the session. The commits of others are renewed by snapshots."""
    with box.replica.read() as view:
        number = view.number(TALK) or b""
        kept = [data for table in (Table.LEAVES, Table.DOCUMENTS) for _, data in view.reader.scan(table, number)]
    return bool(kept) and not any(words.encode() in data for data in kept)


def test_with_a_memory_that_is_forgotten_elsewhere_goes_the_message_it_rests_on(two: list[Box]) -> None:
    here, there = two
    ids = learned(here, there)
    there.user.forget("diet")
    there.give(here)
    talk = here.agent(FOOD).session("lunch")
    assert [one.id for one in talk.messages()] == ids[1:]
    assert no_byte(here, WORDS) and sound(here) and here.gather(TALK) == []


def test_so_it_does_where_that_comes_with_a_snapshot(two: list[Box]) -> None:
    here, there = two
    ids = learned(here, there)
    there.user.forget("diet")
    here.adopt(there.snapshot())
    assert [one.id for one in here.agent(FOOD).session("lunch").messages()] == ids[1:]
    assert no_byte(here, WORDS) and sound(here)


def test_a_session_that_is_forgotten_elsewhere_goes_here_though_only_its_quotes_were_known_there(
    two: list[Box],
) -> None:
    here, there = two
    learned(here, there)
    assert there.user.forget_session("lunch") == 1, "the memory"
    there.give(here)
    there.give(here, scope=TALK)
    talk = here.agent(FOOD).session("lunch")
    assert talk.messages() == [] and here.values() == {}
    assert no_byte(here, WORDS) and no_byte(here, "I like trains.") and sound(here)
    here.wall = there.wall + 1000
    talk.log("user", "Something else.")
    assert texts(talk.messages()) == ["Something else."] and here.gather(TALK) == []


def test_an_agent_that_is_forgotten_elsewhere_leaves_its_sessions_here(two: list[Box]) -> None:
    here, there = two
    learned(here, there)
    other = here.agent(TRIPS).session("trip")
    other.log("user", "Keep this.")
    there.user.forget_agent("prix/daily-eats")
    there.give(here)
    assert here.agent(FOOD).session("lunch").messages() == [] and texts(other.messages()) == ["Keep this."]
    assert no_byte(here, WORDS) and no_byte(here, "I like trains.") and sound(here)
    here.wall = there.wall + 1000
    back = here.agent(FOOD).session("lunch").log("user", "You are back.")
    there.user.set("name", "Alice")
    there.user.forget_agent("somebody/else")
    there.give(here)
    assert [one.id for one in here.agent(FOOD).session("lunch").messages()] == [back]
    assert here.gather(TALK) == []


def test_forgetting_who_quoted_a_message_elsewhere_leaves_the_message(two: list[Box]) -> None:
    here, there = two
    talk = here.agent(FOOD).session("lunch")
    talk.log("user", WORDS)
    here.agent(TRIPS).remember("diet", "no steak", because=WORDS)
    here.give(there)
    there.wall += 1000
    there.user.forget_agent("acme/trips")
    there.give(here)
    assert texts(talk.messages()) == [WORDS] and here.values() == {}
