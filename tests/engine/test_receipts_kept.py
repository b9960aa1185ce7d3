"""A quote is neither lost while something rests on it, nor left behind when nothing does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.box import PUBLIC, Box, boxes
from tests.engine.talks import said
from tests.engine.test_evidence import asked
from vademecum.engine.formation import suggestions
from vademecum.engine.records import Record
from vademecum.engine.slots import SlotMap

X, Y = "dev/x@1", "dev/y@1"
WORDS = "xanthic words"


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Box, Box]]:
    with boxes(tmp_path, 2) as (a, b):
        yield a, b


def quotes(box: Box, path: str) -> list[str]:
    return [receipt.text for receipt in asked(box, path).receipts]


def traces(box: Box) -> str:
    """What receipts, suggestions and messages still say."""
    with box.replica.read() as view:
        return repr([
            slot.record.value
            for scope in view.scopes()
            for slot_map in (SlotMap.RECEIPTS, SlotMap.MESSAGES, SlotMap.SUGGESTIONS)
            for _, row in view.rows(scope, slot_map)
            for slot in row.slots
        ])  # fmt: skip


def shared(box: Box) -> str:
    """One message of x's session behind a memory of x's and, as the curator may do it, one of y's."""
    message = said(box, WORDS, agent=X)
    box.agent(X).remember("of-x", 1, evidence=[message])
    with box.replica.read() as view:
        receipts = view.row(PUBLIC, SlotMap.LEAVES, "of-x").slots[0].record.receipts
    box.replica.write(
        lambda t: t.scope(PUBLIC).put(SlotMap.LEAVES, "of-y", Record(0, writer=Y, value=2, receipts=receipts))
    )
    return message


def test_a_quote_that_another_memory_rests_on_outlives_the_first(pair: tuple[Box, Box]) -> None:
    a, b = pair
    message = shared(a)
    a.user.forget("of-x")
    a.give(b)
    assert quotes(a, "of-y") == quotes(b, "of-y") == [WORDS]
    with a.replica.read() as view:
        assert view.get("session/talk", SlotMap.MESSAGES, message.partition(":")[2]) is not None
    a.user.forget("of-y")
    a.give(b)
    assert "xanthic" not in traces(a) + traces(b)


def test_a_quote_in_the_past_of_a_memory_that_is_there_stays_and_goes_with_it(pair: tuple[Box, Box]) -> None:
    a, _ = pair
    shared(a)
    a.agent(Y).remember("of-y", 3, because="another reason")
    a.user.forget("of-x")
    assert [[receipt.text for receipt in change.receipts] for change in asked(a, "of-y").history] == [
        [WORDS],
        ["another reason"],
    ]
    a.user.forget("of-y")
    assert "xanthic" not in traces(a) and "another reason" not in traces(a)


def test_the_past_of_a_memory_that_is_gone_keeps_no_quote(pair: tuple[Box, Box]) -> None:
    a, _ = pair
    shared(a)
    a.agent(Y).forget("of-y")
    a.user.forget("of-x")
    assert "xanthic" not in traces(a)


@pytest.mark.parametrize("slot_map", [SlotMap.LINKS, SlotMap.OBSERVATIONS])
def test_a_link_or_a_sighting_holds_a_quote_as_a_memory_does(pair: tuple[Box, Box], slot_map: SlotMap) -> None:
    a, _ = pair
    shared(a)
    a.agent(Y).forget("of-y")
    with a.replica.read() as view:
        receipts = view.row(PUBLIC, SlotMap.LEAVES, "of-x").slots[0].record.receipts
    a.replica.write(lambda t: t.scope(PUBLIC).put(slot_map, "one", Record(0, writer=Y, value=1, receipts=receipts)))
    a.user.forget("of-x")
    assert "xanthic" in traces(a)


def test_a_suggestion_holds_its_quote_while_it_waits_and_no_longer(pair: tuple[Box, Box]) -> None:
    a, _ = pair
    message = said(a, WORDS, agent=X)
    a.agent(X).remember("of-x", 1, evidence=[message])
    (made,) = a.agent(X).suggest("name", "Alicia", evidence=[message])
    a.user.forget("of-x")
    assert [receipt.text for receipt in made.receipts] == [WORDS] and "xanthic" in traces(a)
    a.agent(X).remember("of-x", 1, evidence=[message])
    a.replica.write(lambda t: suggestions.reject(t, made.id))
    a.user.forget("of-x")
    assert "xanthic" not in traces(a)


@pytest.mark.parametrize("where", ["here", "there"])
def test_forgetting_an_agent_leaves_the_quotes_of_others_on_every_device(pair: tuple[Box, Box], where: str) -> None:
    a, b = pair
    shared(a)
    a.agent(X).remember("both", 1, because="x's own account")
    a.agent(Y).remember("both", 1, because="y's own account")
    a.give(b)
    speaks, hears = (a, b) if where == "here" else (b, a)
    speaks.user.forget_agent("dev/x")
    for _ in range(2):
        speaks.give(hears)
        hears.give(speaks)
    for box in pair:
        assert box.values() == {"of-y": 2, "both": 1}
        assert quotes(box, "of-y") == [WORDS] and quotes(box, "both") == ["y's own account"]
        assert "x's own account" not in traces(box)
    here, there = (box.row("talk/m0000", slot_map=SlotMap.RECEIPTS).winner for box in pair)
    assert here == there is not None
    a.user.forget("of-y")
    a.give(b)
    with b.replica.read() as view:
        assert not any(row.live for _, row in view.rows(PUBLIC, SlotMap.RECEIPTS, "talk/"))


def test_forgetting_a_session_takes_its_quotes_and_leaves_memories_for_which_others_speak(
    pair: tuple[Box, Box],
) -> None:
    a, b = pair
    a.agent(X).remember("diet", "vegan", evidence=[said(a, WORDS, agent=X)])
    a.agent(Y).remember("diet", "vegan", evidence=[said(a, "vegan, as ever", agent=Y, session="other")])
    a.agent(X).remember("gone", 1, evidence=[said(a, f"{WORDS} too", agent=X)])
    a.user.forget_session("talk")
    a.give(b)
    for box in pair:
        assert box.values() == {"diet": "vegan"} and quotes(box, "diet") == ["vegan, as ever"]
        assert "xanthic" not in traces(box)
