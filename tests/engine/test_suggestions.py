"""What agents may not change they may suggest, and the person decides; on every device alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.box import NOW, PUBLIC, Box, boxes
from tests.engine.talks import said
from tests.engine.test_evidence import asked
from tests.engine.test_handle import contents
from vademecum.engine.formation import suggestions
from vademecum.engine.formation.suggestions import AS_SUGGESTED, ENDED, MAX_OPEN, Suggestion
from vademecum.engine.receipts import quote
from vademecum.engine.replica import Transaction
from vademecum.engine.slots import SlotMap
from vademecum.errors import (
    Confined,
    InvalidValue,
    NotFound,
    NotThePerson,
    Protected,
    ReceiptRequired,
    Refused,
    SuggestionsFull,
)

X, Y = "dev/x@1", "dev/y@1"


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    with boxes(tmp_path, 1) as (made,):
        yield made


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Box, Box]]:
    with boxes(tmp_path, 2) as (a, b):
        yield a, b


def waiting(box: Box) -> list[Suggestion]:
    with box.replica.read() as view:
        return suggestions.open_suggestions(view)


def accept(box: Box, identity: str, value: object = AS_SUGGESTED) -> Any:
    return box.replica.write(lambda transaction: suggestions.accept(transaction, identity, value))


def reject(box: Box, identity: str) -> None:
    box.replica.write(lambda transaction: suggestions.reject(transaction, identity))


def exchange(a: Box, b: Box, scope: str = PUBLIC) -> None:
    a.give(b, scope=scope)
    b.give(a, scope=scope)


def test_what_the_person_wrote_can_be_neither_changed_nor_deleted_by_an_agent_but_it_may_suggest(box: Box) -> None:
    box.user.set("name", "Alice")
    message = said(box, "Call me Alicia from now on.", agent=X)
    before = contents(box)
    for attempt in (
        lambda: box.agent(X).remember("name", "Alicia", evidence=[message]),
        lambda: box.agent(X).remember("name", "Alice", evidence=[message]),
        lambda: box.agent(X).forget("name"),
    ):
        with pytest.raises(Protected) as refused:
            attempt()
        assert "suggest" in refused.value.message
    assert contents(box) == before
    (made,) = box.agent(X).suggest("name", "Alicia", evidence=[message])
    assert box.user.get("name") == "Alice" and waiting(box) == [made]
    assert (made.path, made.value, made.agent, made.scope) == ("name", "Alicia", X, PUBLIC)
    assert made.current is not None and made.current.value == "Alice"
    assert [receipt.text for receipt in made.receipts] == ["Call me Alicia from now on."]
    assert made.as_json()["id"] == made.id and made.as_json()["current"]["value"] == "Alice"


def test_what_is_accepted_is_the_persons_with_its_receipts_and_the_history_tells_who_suggested_it(box: Box) -> None:
    box.user.set("name", "Alice", kind="identity")
    (made,) = box.agent(X).suggest("name", "Alicia", evidence=[said(box, "Call me Alicia.", agent=X)])
    box.wall += 5000
    (leaf,) = accept(box, made.id)
    assert (leaf.value, leaf.agent, leaf.kind) == ("Alicia", "user", "identity") and waiting(box) == []
    found = asked(box, "name")
    assert found.history[-1].suggested_by == X and found.history[0].suggested_by is None
    assert [(receipt.speaker, receipt.text) for receipt in found.receipts] == [
        ("user", "Call me Alicia."),
        (X, "Suggested name: Alicia"),
    ]
    with pytest.raises(Protected):
        box.agent(X).remember("name", "Bob", because="said")
    with pytest.raises(NotFound):
        accept(box, made.id)
    box.user.forget_agent("dev/x")  # the person's own words stay with what is now the person's own
    assert [receipt.speaker for receipt in asked(box, "name").receipts] == ["user", X]


def test_the_person_may_edit_what_they_accept(box: Box) -> None:
    box.user.set("home", "Lisbon")
    (made,) = box.agent(X).suggest("home", "Porto", because="we live in Porto now")
    with pytest.raises(InvalidValue):
        accept(box, made.id, object())
    assert waiting(box) == [made]
    leaves = accept(box, made.id, {"city": "Porto", "floor": 3})
    assert {leaf.path: leaf.value for leaf in leaves} == {"home.city": "Porto", "home.floor": 3}
    assert asked(box, "home.city").history[-1].suggested_by == X and waiting(box) == []
    assert box.user.get("home") == "Lisbon"


def test_null_is_a_value_like_another(box: Box) -> None:
    box.user.set("pets", "a cat")
    (made,) = box.agent(X).suggest("pets", "a dog", because="we have a dog")
    assert accept(box, made.id, None)[0].value is None
    (made,) = box.agent(X).suggest("pets", "a dog", because="we have a dog")
    (nothing,) = box.agent(X).suggest("cars", None, because="no car any more")
    assert accept(box, nothing.id)[0].value is None and waiting(box) == [made]


def test_what_was_rejected_is_not_suggested_again_and_anything_else_may_be(box: Box) -> None:
    box.user.set("name", "Alice")
    (made,) = box.agent(X).suggest("name", "Alicia", because="call me Alicia")
    reject(box, made.id)
    assert waiting(box) == [] and box.user.get("name") == "Alice"
    for agent in (X, Y):
        before = contents(box)
        with pytest.raises(Refused, match="rejected"):
            box.agent(agent).suggest("name", "Alicia", because="call me Alicia, I said")
        assert contents(box) == before
    box.agent(Y).suggest("name", "Ally", because="call me Ally")
    assert [one.value for one in waiting(box)] == ["Ally"]
    for decide in (accept, reject):
        with pytest.raises(NotFound):
            decide(box, made.id)


def test_what_was_accepted_may_be_suggested_again_once_the_person_has_changed_it(box: Box) -> None:
    box.user.set("name", "Alice")
    (made,) = box.agent(X).suggest("name", "Alicia", because="call me Alicia")
    accept(box, made.id)
    with pytest.raises(Refused, match="already"):
        box.agent(X).suggest("name", "Alicia", because="call me Alicia")
    box.user.set("name", "Alice")
    (again,) = box.agent(X).suggest("name", "Alicia", because="Alicia, really")
    assert again.id == made.id and waiting(box) == [again]
    box.user.set("name", "Alicia")  # by their own hand: nothing is left to decide
    assert waiting(box) == []


def test_the_same_suggestion_again_gains_the_receipt(box: Box) -> None:
    box.user.set("name", "Alice")
    box.agent(X).suggest("name", "Alicia", because="call me Alicia")
    (made,) = box.agent(Y).suggest("name", "Alicia", because="it is Alicia")
    assert waiting(box) == [made]
    assert [receipt.text for receipt in made.receipts] == ["call me Alicia", "it is Alicia"]


def test_a_suggestion_needs_its_reason_as_a_memory_does(box: Box) -> None:
    with pytest.raises(ReceiptRequired):
        box.agent(X).suggest("name", "Alicia")
    with pytest.raises(NotThePerson):
        box.agent(X).suggest("name", "Eve", evidence=[said(box, "They are called Eve.", role="tool", agent=X)])
    with pytest.raises(Confined):
        box.agent(X).suggest("name", "Eve", evidence=[said(box, "I am Eve.", agent=Y, session="of-y")])
    assert waiting(box) == []


def test_an_object_is_a_suggestion_for_each_leaf_or_none_at_all(box: Box) -> None:
    box.user.set("team", {"lead": "Bo", "size": 3})
    with pytest.raises(Refused, match=r"team\.size"):
        box.agent(X).suggest("team", {"lead": "Cy", "size": 3}, because="said")
    assert waiting(box) == []
    made = box.agent(X).suggest("team", {"lead": "Cy", "size": 4}, because="said")
    assert {one.path: one.value for one in made} == {"team.lead": "Cy", "team.size": 4}


def test_a_suggestion_about_a_private_leaf_stays_private(box: Box) -> None:
    box.user.set("health.weight", 60, private=True)
    box.user.grant("health", "dev/x")
    (made,) = box.agent(X).suggest("health.weight", 58, because="I weigh 58 now")
    assert made.scope == "user.private"
    with box.replica.read() as view:
        assert not list(view.rows(PUBLIC, SlotMap.SUGGESTIONS)) and not list(view.rows(PUBLIC, SlotMap.RECEIPTS))
    (leaf,) = accept(box, made.id)
    assert (leaf.scope, leaf.value) == ("user.private", 58)
    (new,) = box.agent(X).suggest("health.height", 170, because="170 tall")
    assert new.scope == "user.private"
    (blind,) = box.agent(Y).suggest("health.weight", 58, because="I weigh 58 now")
    assert blind.scope == PUBLIC and blind.current is None  # y cannot tell that there is one


def test_more_than_a_person_reads_are_not_taken(box: Box) -> None:
    def fill(transaction: Transaction) -> None:
        receipt = quote(transaction.scope(PUBLIC), X, "said")
        for number in range(MAX_OPEN):
            suggestions.suggest(transaction, X, PUBLIC, f"n{number}", number, [receipt])

    box.replica.write(fill)
    box.agent(X).suggest("n0", 0, because="again")  # no new one
    with pytest.raises(SuggestionsFull):
        box.agent(X).suggest("more", 1, because="said")
    reject(box, waiting(box)[0].id)
    box.agent(X).suggest("more", 1, because="said")


def test_that_something_is_no_longer_so_can_be_suggested_and_accepting_it_forgets_the_leaf(box: Box) -> None:
    box.user.set("diet", "vegan")

    def suggest(transaction: Transaction) -> str:
        receipt = quote(transaction.scope(PUBLIC), X, "I eat anything now")
        return suggestions.suggest(transaction, X, PUBLIC, "diet", ENDED, [receipt])

    identity = box.replica.write(suggest)
    (made,) = waiting(box)
    assert (made.ends, made.value, made.text) == (True, None, "diet: no longer so")
    assert accept(box, identity) == [] and waiting(box) == []
    with pytest.raises(NotFound):
        box.user.get("diet")
    with pytest.raises(Refused):  # there is nothing to end
        box.replica.write(suggest)


# --- on several devices ----------------------------------------------------------------------------------------------


def test_suggestions_reach_the_other_devices_and_any_of_them_may_decide(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.user.set("name", "Alice")
    (made,) = a.agent(X).suggest("name", "Alicia", because="call me Alicia")
    exchange(a, b)
    assert [one.id for one in waiting(b)] == [made.id] and waiting(b)[0].receipts == made.receipts
    accept(b, made.id)
    exchange(a, b)
    assert waiting(a) == [] and a.user.get("name") == "Alicia" and asked(a, "name").history[-1].suggested_by == X


def test_the_same_suggestion_made_on_two_devices_is_one(pair: tuple[Box, Box]) -> None:
    a, b = pair
    for box in pair:
        box.agent(X).suggest("name", "Alicia", because=f"said to {box.number}")
    exchange(a, b)
    assert len(waiting(a)) == 1 and waiting(a) == waiting(b)


@pytest.mark.parametrize("later", ["accept", "reject"])
def test_two_devices_that_decide_apart_converge_and_the_later_answer_stands(pair: tuple[Box, Box], later: str) -> None:
    a, b = pair
    a.user.set("name", "Alice")
    (made,) = a.agent(X).suggest("name", "Alicia", because="call me Alicia")
    exchange(a, b)
    first, second = (accept, reject) if later == "reject" else (reject, accept)
    a.wall, b.wall = NOW + 1000, NOW + 2000
    first(a, made.id)
    second(b, made.id)
    exchange(a, b)
    exchange(a, b)
    for box in pair:
        assert waiting(box) == [] and box.user.get("name") == "Alicia"  # what one of them accepted stays written
        box.user.set("name", "Alice")
    assert a.row(made.id, slot_map=SlotMap.SUGGESTIONS) == b.row(made.id, slot_map=SlotMap.SUGGESTIONS)
    if later == "reject":
        with pytest.raises(Refused, match="rejected"):
            a.agent(X).suggest("name", "Alicia", because="again")
    else:
        assert a.agent(X).suggest("name", "Alicia", because="again")


def test_a_suggestion_made_elsewhere_before_the_answer_was_heard_does_not_come_back(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.user.set("name", "Alice")
    (made,) = a.agent(X).suggest("name", "Alicia", because="call me Alicia")
    exchange(a, b)
    reject(a, made.id)
    b.wall += 60_000
    b.agent(Y).suggest("name", "Alicia", because="said to y later")
    exchange(a, b)
    assert waiting(a) == waiting(b) == []


# --- forgetting ------------------------------------------------------------------------------------------------------


def words(box: Box) -> str:
    """Everything that rows still hold."""
    with box.replica.read() as view:
        return repr([
            slot.record.value
            for scope in view.scopes()
            for slot_map in SlotMap
            for _, row in view.rows(scope, slot_map)
            for slot in row.slots
        ])  # fmt: skip


@pytest.mark.parametrize("decided", ["open", "rejected", "accepted"])
def test_forgetting_a_path_forgets_what_was_suggested_there(pair: tuple[Box, Box], decided: str) -> None:
    a, b = pair
    a.user.set("name", "Alice")
    (made,) = a.agent(X).suggest("name", "Xanthippe", evidence=[said(a, "call me Xanthippe", agent=X)])
    exchange(a, b)
    if decided != "open":
        (reject if decided == "rejected" else accept)(b, made.id)
        exchange(a, b)
    a.user.forget("name")
    exchange(a, b)
    for box in pair:
        assert "Xanthippe" not in words(box) and waiting(box) == []


def test_a_path_of_which_there_is_only_a_suggestion_can_be_forgotten(box: Box) -> None:
    box.agent(X).suggest("nick.name", "Xanthippe", because="call me Xanthippe")
    assert box.user.forget("nick") == 0
    assert "Xanthippe" not in words(box)
    with pytest.raises(NotFound):
        box.user.forget("nick")


def test_forgetting_an_agent_forgets_what_it_suggested(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.agent(X).suggest("name", "Xanthippe", because="call me Xanthippe")
    a.agent(Y).suggest("name", "Ally", because="call me Ally")
    exchange(a, b)
    b.user.forget_agent("dev/x")
    exchange(a, b)
    for box in pair:
        assert [one.value for one in waiting(box)] == ["Ally"] and "Xanthippe" not in words(box)


def test_forgetting_a_session_forgets_what_was_suggested_because_of_it(box: Box) -> None:
    box.agent(X).suggest("name", "Xanthippe", evidence=[said(box, "call me Xanthippe", agent=X)])
    box.agent(X).suggest("city", "Porto", because="we live in Porto")
    box.user.forget_session("talk")
    assert [one.path for one in waiting(box)] == ["city"] and "Xanthippe" not in words(box)
