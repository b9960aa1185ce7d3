"""What agents may add about the person is limited, and making room is one step; nothing is ever put out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.box import PUBLIC, Box, boxes
from tests.engine.talks import said
from tests.engine.test_evidence import asked
from tests.engine.test_handle import contents
from vademecum.engine import learned, vectors
from vademecum.engine.checking import check_replica, rebuild_derived
from vademecum.engine.formation import budget, suggestions
from vademecum.engine.formation.alike import closest, word_likeness
from vademecum.engine.formation.budget import DEFAULT_LIMIT, Budget, look
from vademecum.engine.receipts import quote
from vademecum.engine.records import Record
from vademecum.engine.remembering import import_leaf
from vademecum.engine.replica import Transaction
from vademecum.engine.scopes import PRIVATE
from vademecum.engine.sight import Sight
from vademecum.engine.slots import SlotMap
from vademecum.engine.view import row_key
from vademecum.errors import (
    BudgetExceeded,
    Confined,
    InvalidArgument,
    NotFound,
    Protected,
    ReceiptRequired,
    VademecumError,
)

X, Y = "dev/x@1", "dev/y@1"
DAY = 86_400_000


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    with boxes(tmp_path, 1) as (made,):
        yield made


def fill(box: Box, count: int, agent: str = X, begin: int = 0, *, unlike: bool = False) -> None:
    """*count* memories of *agent*'s about the person, in one transaction."""

    def work(transaction: Transaction) -> None:
        scope = transaction.scope(PUBLIC)
        for number in range(begin, begin + count):
            receipt = quote(scope, agent, f"words {number}")
            value = sha256(b"%d" % number).hexdigest()[:16] if unlike else f"memory {number}"
            scope.put(SlotMap.LEAVES, f"n.m{number}", Record(0, writer=agent, value=value, receipts=(receipt,)))

    box.replica.write(work)


def limit(box: Box, number: int) -> None:
    box.replica.write(lambda transaction: budget.set_limit(transaction, number))


def seen(box: Box) -> Budget:
    with box.replica.read() as view:
        return look(Sight(view, None), box.wall)


def used(box: Box) -> int:
    """The number as it is kept, which must be the number that there is."""
    with box.replica.read() as view:
        assert learned.number(view) == learned.counted(view)
        assert not [one for one in check_replica(view) if one.code == "learned"]
        return learned.number(view)


# --- what counts -----------------------------------------------------------------------------------------------------


def test_what_counts_is_what_agents_add_about_the_person_and_nothing_else(box: Box) -> None:
    assert seen(box).limit == DEFAULT_LIMIT == 48 and used(box) == 0
    box.user.set("mine", {"one": 1, "two": 2})
    box.user.set("secret", 3, private=True)
    box.agent(X).remember("own", 1, because="said", scope="agent")
    box.replica.write(lambda t: import_leaf(t.scope(PUBLIC), "brought", "along", writer=Y))
    (made,) = box.agent(X).suggest("mine.one", 2, because="two, not one")
    box.replica.write(lambda t: suggestions.accept(t, made.id))
    assert used(box) == 0
    box.agent(X).remember("a", {"one": 1, "two": 2}, because="said")
    assert used(box) == 2
    box.replica.write(
        lambda t: t.scope(PRIVATE).put(SlotMap.LEAVES, "phone", Record(0, writer="vademecum/curator@1", value="1"))
    )
    assert used(box) == 3 and {entry.id for entry in seen(box).entries} == {
        "user.public:a.one", "user.public:a.two", "user.private:phone",
    }  # fmt: skip
    box.user.set("a.one", 1)  # the person's own now
    box.agent(X).forget("a.two")
    assert used(box) == 1


def test_what_was_brought_along_stays_uncounted_when_an_agent_changes_it_and_counts_when_made_anew(box: Box) -> None:
    box.replica.write(lambda t: import_leaf(t.scope(PUBLIC), "brought", "along", writer=Y))
    box.agent(X).remember("brought", "along, and more", because="said")
    box.agent(X).remember("brought", "along, and more", because="said again")
    assert used(box) == 0
    box.agent(X).forget("brought")
    box.agent(X).remember("brought", "anew", because="said")
    assert used(box) == 1


# --- at the limit ----------------------------------------------------------------------------------------------------


def test_at_the_limit_a_new_memory_is_refused_and_the_refusal_says_all_that_is_needed_to_make_room(box: Box) -> None:
    fill(box, DEFAULT_LIMIT - 2, unlike=True)
    box.wall += 3 * DAY
    box.agent(X).remember("diet", "eats no meat at all", because="no meat", kind="preference", confidence=0.9)
    box.agent(Y).remember("food.meat", "eats no meat, ever", because="no meat", sentence="I eat no meat, ever\nreally")
    before = contents(box)
    with pytest.raises(BudgetExceeded) as refused:
        box.agent(X).remember("pets", "a cat", because="my cat")
    assert contents(box) == before
    error = refused.value
    assert (error.budget.used, error.budget.limit, error.budget.room, error.creates) == (48, 48, 0, 1)
    document = json.loads(json.dumps(error.as_json()))
    assert document["code"] == "budget-exceeded" and document["ways_out"] == ["consolidate", "forget", "remember"]
    assert len(document["entries"]) == 48
    entry = next(one for one in document["entries"] if one["id"] == "user.public:food.meat")
    assert entry["text"] == "I eat no meat, ever really" and entry["agent"] == Y
    assert entry["age_days"] == 0 and entry["confidence"] == 1
    assert {"user.public:diet", "user.public:food.meat"} in [set(pair["ids"]) for pair in document["closest"]]
    assert set(document["stalest"]) <= {f"user.public:n.m{number}" for number in range(46)}
    text = str(error)
    for words in ("48 of 48", "consolidate(ids, into=(path, value), because=", "forget(path)", "remember(path, value"):
        assert words in error.message
    for words in ("“I eat no meat, ever really” (today, 100% sure)", "3 days old", "user.public:n.m45", "alike"):
        assert words in text
    assert "again" not in text.lower() and "retry" not in text.lower() and "try" not in text.lower().split()


def test_at_the_limit_what_is_there_may_still_be_changed_confirmed_and_deleted(box: Box) -> None:
    fill(box, DEFAULT_LIMIT)
    x = box.agent(X)
    x.remember("n.m0", "changed", because="said")
    x.remember("n.m1", "memory 1", because="said again")
    box.agent(Y).remember("n.m2", "another's", because="said")
    x.remember("own", 1, because="said", scope="agent")
    box.user.set("mine", 1)
    assert used(box) == 48
    with pytest.raises(BudgetExceeded):
        x.remember("n", "the node above is new", because="said")
    x.forget("n.m3")
    x.remember("new", 1, because="said")
    with pytest.raises(BudgetExceeded):
        x.remember("n.m3", "back", because="said")


def test_an_object_for_which_there_is_not_enough_room_is_refused_whole(box: Box) -> None:
    limit(box, 6)
    fill(box, 3)
    five = {f"f{number}": number for number in range(5)}
    before = contents(box)
    with pytest.raises(BudgetExceeded) as refused:
        box.agent(X).remember("o", five, because="said")
    assert contents(box) == before and refused.value.creates == 5 and "room for 3" in refused.value.message
    box.agent(X).remember("n", {"m0": 1, "m1": 2, "m2": 3, "m3": 4, "m4": 5, "m5": 6}, because="three of them are new")
    assert used(box) == 6


def test_an_agent_is_told_of_nothing_that_it_may_not_see(box: Box) -> None:
    limit(box, 2)

    def private(transaction: Transaction) -> None:
        for path in ("health.secret", "health.granted"):
            transaction.scope(PRIVATE).put(
                SlotMap.LEAVES, path, Record(0, writer="vademecum/curator@1", value=f"hidden {path}")
            )

    box.replica.write(private)
    box.user.grant("health.granted", "dev/x")
    for agent, mine in ((X, ["user.private:health.granted"]), (Y, [])):
        with pytest.raises(BudgetExceeded) as refused:
            box.agent(agent).remember("a", 1, because="said")
        assert [entry.id for entry in refused.value.budget.entries] == mine
        assert "health.secret" not in str(refused.value) and "only the person sees" in str(refused.value)
        assert [entry.id for entry in box.agent(agent).budget().entries] == mine


def test_only_the_person_sets_the_limit_and_all_devices_follow(tmp_path: Path) -> None:
    with boxes(tmp_path, 2) as (a, b):
        limit(a, 1)
        a.replica.write(lambda t: t.scope(PUBLIC).put(SlotMap.SETTINGS, "budget-x", Record(0, writer=X, value=9)))
        a.give(b)
        b.agent(X).remember("one", 1, because="said")
        with pytest.raises(BudgetExceeded):
            b.agent(X).remember("two", 1, because="said")
        for wrong in (-1, 1.5, True, "48", None):
            with pytest.raises(InvalidArgument):
                limit(a, wrong)  # type: ignore[arg-type]
        limit(b, 0)
        assert seen(b).room == 0 and seen(b).used == 1


def test_a_limit_that_an_agent_wrote_counts_for_nothing(box: Box) -> None:
    box.replica.write(lambda t: t.scope(PUBLIC).put(SlotMap.SETTINGS, "budget", Record(0, writer=X, value=1_000)))
    assert seen(box).limit == 48


def test_two_devices_that_exceed_the_limit_together_keep_all_and_add_nothing_until_there_is_room(
    tmp_path: Path,
) -> None:
    with boxes(tmp_path, 2) as (a, b):
        limit(a, 10)
        a.give(b)
        fill(a, 8)
        fill(b, 8, begin=6)  # two at the same paths
        a.give(b)
        b.give(a)
        for box in (a, b):
            assert used(box) == 14 and len(box.values()) == 14
            assert (seen(box).used, seen(box).limit, seen(box).room) == (14, 10, 0)
            with pytest.raises(BudgetExceeded, match="14 of 10"):
                box.agent(X).remember("new", 1, because="said")
        for begin in range(0, 10, 2):
            ids = [f"user.public:n.m{begin}", f"user.public:n.m{begin + 1}"]
            with pytest.raises(BudgetExceeded):
                a.agent(X).remember("new", 1, because="said")
            a.agent(X).consolidate(ids, into=(f"n.m{begin}", f"both of {begin}"), because="one")
        assert used(a) == 9
        a.agent(X).remember("new", 1, because="said")
        a.give(b)
        assert used(b) == 10 and a.values() == b.values()


# --- the number ------------------------------------------------------------------------------------------------------


STEPS = st.lists(
    st.tuples(
        st.integers(0, 1),  # which device
        st.sampled_from(["agent", "other", "person", "import", "private", "forget", "withdraw", "agent-gone", "give"]),
        st.integers(0, 3),  # which path
    ),
    max_size=14,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(steps=STEPS)
def test_the_number_is_right_whatever_happens(steps: list[tuple[int, str, int]], tmp_path_factory: object) -> None:
    folder: Path = tmp_path_factory.mktemp("number")  # type: ignore[attr-defined]
    with boxes(folder, 2) as pair:
        for box in pair:
            box.replica.write(budget.used)  # from here on it is kept
        for at, (which, what, number) in enumerate(steps):
            box, other, path = pair[which], pair[1 - which], f"p{number}"
            box.wall += at
            _step(box, other, what, path, at)
            assert used(box) == used(box)
        for scope in (PUBLIC, PRIVATE):
            pair[0].give(pair[1], scope=scope)
            pair[1].give(pair[0], scope=scope)
        assert used(pair[0]) == used(pair[1])
        pair[0].replica.write(rebuild_derived)
        assert used(pair[0]) == used(pair[1])


def _step(box: Box, other: Box, what: str, path: str, at: int) -> None:
    try:
        if what in ("agent", "other"):
            box.agent(X if what == "agent" else Y).remember(path, at, because="said")
        elif what == "person":
            box.user.set(path, at)
        elif what == "import":
            box.replica.write(lambda t: import_leaf(t.scope(PUBLIC), path, at, writer=Y))
        elif what == "private":
            box.replica.write(lambda t: t.scope(PRIVATE).put(SlotMap.LEAVES, path, Record(0, writer=X, value=at)))
        elif what == "forget":
            box.user.forget(path)
        elif what == "withdraw":
            box.agent(X).forget(path)
        elif what == "agent-gone":
            box.user.forget_agent("dev/x")
        else:
            for scope in (PUBLIC, PRIVATE):
                box.give(other, scope=scope)
    except (NotFound, Protected):
        pass


def test_a_number_that_was_lost_is_counted_again_and_one_that_is_wrong_is_found(box: Box) -> None:
    fill(box, 3)
    box.replica.write(budget.used)
    box.replica.write(lambda t: learned.adjust(t.writer, 7))
    with box.replica.read() as view:
        assert [one.code for one in check_replica(view)] == ["learned"]
    box.replica.write(rebuild_derived)
    assert used(box) == 3
    box.replica.write(lambda t: learned.recount(t.writer))
    assert used(box) == 3 and box.replica.write(budget.used) == 3


def test_a_snapshot_brings_the_number_along(tmp_path: Path) -> None:
    with boxes(tmp_path, 2) as (a, b):
        b.replica.write(budget.used)
        fill(a, 5)
        a.user.set("mine", 1)
        b.adopt(a.snapshot())
        assert used(b) == 5


# --- consolidating ---------------------------------------------------------------------------------------------------


def ids_of(*paths: str) -> list[str]:
    return [f"user.public:{path}" for path in paths]


def test_consolidating_makes_one_of_several_at_the_limit_and_keeps_all_their_receipts(box: Box) -> None:
    fill(box, DEFAULT_LIMIT - 2)
    first = said(box, "No meat for me.", agent=X)
    box.agent(X).remember("diet", "no meat", evidence=[first], kind="preference", confidence=0.7)
    box.wall += DAY
    box.agent(Y).remember("food.meat", "never", because="never any meat", kind="preference", confidence=0.9)
    box.agent(Y).remember("food.meat", "never", because="as I said, never", confidence=0.9)
    born = box.user.leaf("diet").created
    (leaf,) = box.agent(X).consolidate(
        ids_of("diet", "food.meat"), into=("diet", ["vegetarian"]), because="Both say that no meat is eaten"
    )
    assert used(box) == 47 and box.user.get("diet") == ["vegetarian"] and "food.meat" not in box.values()
    assert (leaf.agent, leaf.kind, leaf.confidence, leaf.created) == (X, "preference", 0.9, born)
    receipts = asked(box, "diet").receipts
    assert [(one.speaker, one.text) for one in receipts] == [
        ("user", "No meat for me."),
        ("user", "never any meat"),
        ("user", "as I said, never"),
        (X, "Both say that no meat is eaten"),  # the agent's own word, and not the person's
    ]
    assert [change.what for change in asked(box, "food.meat").history] == ["set", "set", "deleted"]
    box.agent(X).remember("one.more", 1, because="said")
    with pytest.raises(BudgetExceeded):
        box.agent(X).remember("two.more", 1, because="said")


def test_consolidating_makes_nothing_surer_than_age_has_left_it(box: Box) -> None:
    box.agent(X).remember("a", 1, because="one", confidence=0.8)
    box.wall += 120 * DAY
    box.agent(X).remember("b", 2, because="two", confidence=0.3)
    (leaf,) = box.agent(X).consolidate(ids_of("a", "b"), into=("c", 3), because="one and two")
    assert leaf.confidence == 0.4 and leaf.kind == "fact"


def test_one_memory_alone_may_be_put_elsewhere_and_an_object_becomes_leaves(box: Box) -> None:
    limit(box, 3)
    fill(box, 3)
    box.agent(X).consolidate(ids_of("n.m0"), into=("better.place", "memory 0"), because="it belongs there")
    assert [one.text for one in asked(box, "better.place").receipts] == ["words 0", "it belongs there"]
    with pytest.raises(BudgetExceeded):
        box.agent(X).consolidate(ids_of("n.m1"), into=("two", {"a": 1, "b": 2}), because="that is more than before")
    box.agent(X).consolidate(ids_of("n.m1", "n.m2"), into=("two", {"a": 1, "b": 2}), because="as many as before")
    assert used(box) == 3


def test_messages_may_be_the_reason(box: Box) -> None:
    fill(box, 2)
    message = said(box, "Zero and one are the same to me.", agent=X)
    box.agent(X).consolidate(ids_of("n.m0", "n.m1"), into=("n.m0", "both"), evidence=[message])
    assert asked(box, "n.m0").receipts[-1].text == "Zero and one are the same to me."


def test_forgetting_the_one_forgets_the_words_behind_it(box: Box) -> None:
    message = said(box, "xanthic words", agent=X)
    box.agent(X).remember("a", 1, evidence=[message])
    box.agent(X).remember("b", 2, because="xanthic too")
    box.agent(X).consolidate(ids_of("a", "b"), into=("c", 3), because="xanthic reasons")
    box.user.forget("c")
    with box.replica.read() as view:
        left = [
            slot.record.value
            for scope in view.scopes()
            for slot_map in (SlotMap.RECEIPTS, SlotMap.MESSAGES)
            for _, row in view.rows(scope, slot_map)
            for slot in row.slots
        ]
    assert "xanthic" not in repr(left)


@pytest.mark.parametrize(
    ("error", "ids", "into", "how"),
    [
        (Protected, ["user.public:n.m0", "user.public:mine"], ("n.m0", 1), {}),
        (Protected, ["user.public:n.m0", "user.public:n.m1"], ("mine", 1), {}),
        (Confined, ["user.private:secret"], ("n.m0", 1), {}),
        (Confined, ["agent/dev/y:own"], ("n.m0", 1), {}),
        (Confined, ["session/talk:m0000"], ("n.m0", 1), {}),
        (InvalidArgument, ["user.public:n.m0", "user.private:secret"], ("n.m0", 1), {}),
        (InvalidArgument, ["user.public:n.m0", "user.public:n.m0"], ("n.m0", 1), {}),
        (InvalidArgument, [], ("n.m0", 1), {}),
        (InvalidArgument, "user.public:n.m0", ("n.m0", 1), {}),
        (InvalidArgument, ["n.m0"], ("n.m0", 1), {}),
        (InvalidArgument, [7], ("n.m0", 1), {}),
        (InvalidArgument, ["user.public:n.m0"], ("n.m2", 1), {}),
        (InvalidArgument, ["user.public:n.m0"], "n.m0", {}),
        (InvalidArgument, ["user.public:n.m0"], ("n.m0", 1), {"kind": "mood"}),
        (InvalidArgument, ["user.public:n.m0"], ("n.m0", 1), {"confidence": 2.0}),
        (NotFound, ["user.public:n.m0", "user.public:n.m9"], ("n.m0", 1), {}),
        (ReceiptRequired, ["user.public:n.m0"], ("n.m0", 1), {"because": None}),
        (ReceiptRequired, ["user.public:n.m0"], ("n.m0", 1), {"because": " "}),
    ],
)
def test_what_cannot_be_consolidated_is_refused_and_nothing_changes(
    box: Box, error: type[VademecumError], ids: list[str], into: tuple[str, object], how: dict[str, object]
) -> None:
    box.user.set("mine", 1)
    box.user.set("secret", 1, private=True)
    box.agent(Y).remember("own", 1, because="said", scope="agent")
    fill(box, 3)
    before = contents(box)
    with pytest.raises(error):
        box.agent(X).consolidate(ids, into=into, **{"because": "they are one", **how})  # type: ignore[arg-type]
    assert contents(box) == before


def test_an_agent_consolidates_its_own_notes_too(box: Box) -> None:
    for path in ("a", "b"):
        box.agent(X).remember(path, 1, because=f"said {path}", scope="agent")
    ids = ["agent/dev/x:a", "agent/dev/x:b"]
    (leaf,) = box.agent(X).consolidate(ids, into=("c", 2), because="tidied up")
    assert leaf.scope == "agent/dev/x" and box.values("agent/dev/x") == {"c": 2}


def test_what_was_brought_along_does_not_become_more_by_consolidating(box: Box) -> None:
    limit(box, 0)
    for path in ("a", "b"):
        box.replica.write(lambda t, path=path: import_leaf(t.scope(PUBLIC), path, path, writer=Y))  # type: ignore[misc]
    with pytest.raises(BudgetExceeded):
        box.agent(X).consolidate(ids_of("a", "b"), into=("c", {str(n): n for n in range(3)}), because="three of two")
    box.agent(X).consolidate(ids_of("a", "b"), into=("c", "a and b"), because="one")
    assert used(box) == 0 and box.values() == {"c": "a and b"}


# --- what is alike ---------------------------------------------------------------------------------------------------


def test_texts_are_alike_by_their_words_in_any_script() -> None:
    assert word_likeness("eats no meat", "Eats  no meat") == 1.0
    assert word_likeness("我对花生过敏", "我对花生严重过敏") > 0.5 > word_likeness("我对花生过敏", "住在里斯本")
    assert word_likeness("", "") == 1.0 and word_likeness("", "abc") == 0.0


def test_texts_are_alike_by_their_meaning_where_vectors_of_one_model_are_there() -> None:
    import numpy as np

    def vector(*values: float) -> bytes:
        return np.array(values, "<f2").tobytes()

    texts = [
        ("a", "feline companion", (b"m1", vector(1, 0))),
        ("b", "my cat", (b"m1", vector(0.9, 0.1))),
        ("c", "lives in Porto", (b"m1", vector(0, 1))),
        ("d", "a cat", (b"m2", vector(1, 0, 0))),
        ("e", "nothing", None),
    ]
    found = closest(texts, 3)
    assert found[0][:2] == ("a", "b") and found[0][2] > 0.98
    assert not any({"a", "d"} == set(pair[:2]) for pair in found)  # of another model, and no word in common


def test_the_closest_are_sought_with_the_vectors_that_recall_has(box: Box) -> None:
    import numpy as np

    box.agent(X).remember("pets", "feline companion", because="said")
    box.agent(X).remember("home", "Zürich", because="said")

    def keep(transaction: Transaction) -> None:
        number = transaction.number(PUBLIC)
        assert number is not None
        for path in ("pets", "home"):
            row = row_key(SlotMap.LEAVES, path)
            vectors.keep(transaction, number, row, b"m" * 8, b"h" * 16, np.array([1, 0], np.float32))

    assert seen(box).closest == ()
    box.replica.write(keep)
    (pair,) = seen(box).closest
    assert {pair.one, pair.other} == {"user.public:pets", "user.public:home"} and pair.similarity > 0.99
