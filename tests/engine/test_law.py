"""The merge law against the slow model, and each row of the design's table of merges.

Actors of the named tests: the person writes as ``user``; the agents are ``prix/daily-eats@1.0.0`` and
``acme/planner@2.0.0``; the devices are a laptop and a phone, the phone having the greater id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.engine.model import Forgotten, Model, Written
from vademecum.engine.agents import AgentPattern
from vademecum.engine.law import Standing, hopeless, winner

LAPTOP, PHONE, TABLET = b"\x01" * 16, b"\x02" * 16, b"\x80" + bytes(15)
EATS, PLANNER = "prix/daily-eats@1.0.0", "acme/planner@2.0.0"
PATH = "diet"


def standing(record: Written) -> Standing:
    return Standing(
        record.order, record.device, record.by_person, record.deleted, record.seen, record.heard, record.writer
    )


def newest_statement(statements: Iterable[Forgotten]) -> Callable[[str], int]:
    known = [(AgentPattern.parse(each.agent), each.order) for each in statements]
    return lambda writer: max((order for pattern, order in known if pattern.matches(writer)), default=0)


def engines_winner(records: Sequence[Written], statements: Iterable[Forgotten] = ()) -> Written | None:
    """The record that the engine lets win, or None where the path says nothing."""
    verdict = winner([standing(record) for record in records], newest_statement(statements))
    return None if verdict is None or verdict.deleted else records[verdict.place]


def merged(*records: Written, forgotten: Iterable[Forgotten] = ()) -> object:
    """The value on a device that holds all *records*; the model and the engine are of one mind about it."""
    statements = list(forgotten)
    won = engines_winner(records, statements)
    assert won == Model(records, statements).winner(PATH)
    assert won == engines_winner(records[::-1], statements)
    return None if won is None else won.value


def person(value: object, order: int, device: bytes = LAPTOP) -> Written:
    return Written(PATH, True, device, order, value)


def person_deletes(order: int, device: bytes = LAPTOP) -> Written:
    return Written(PATH, True, device, order, deleted=True)


def agent(
    value: object, order: int, device: bytes = PHONE, *, seen: int = 0, heard: int = 0, writer: str = EATS
) -> Written:
    return Written(PATH, False, device, order, value, seen=seen, heard=heard, writer=writer)


# --- the table of the design, row by row ------------------------------------------------------------------------------


def test_different_leaves_written_apart_are_both_there() -> None:
    written = [Written("diet", True, LAPTOP, 5, "vegan"), Written("city", False, PHONE, 9, "Lyon", writer=EATS)]
    assert Model(written).tree() == {"diet": "vegan", "city": "Lyon"}
    for record in written:  # the law is asked path by path
        assert engines_winner([record]) == record


def test_of_two_agents_at_one_leaf_the_later_write_wins() -> None:
    earlier = agent("vegetarian", 10, LAPTOP, writer=EATS)
    later = agent("vegan", 11, PHONE, writer=PLANNER)
    assert merged(earlier, later) == "vegan"


def test_what_the_person_wrote_earlier_beats_what_an_agent_wrote_later() -> None:
    assert merged(person("vegan", 10), agent("carnivore", 1_000_000)) == "vegan"


def test_what_the_person_wrote_beats_an_agent_that_had_seen_it() -> None:
    assert merged(person("vegan", 10), agent("carnivore", 1_000_000, seen=10)) == "vegan"


def test_a_leaf_the_person_deleted_stays_deleted_though_an_agent_rewrites_it_without_having_seen_that() -> None:
    assert merged(person_deletes(10), agent("vegan", 1_000_000, seen=0)) is None
    assert merged(person("vegan", 5), person_deletes(10), agent("vegan", 1_000_000, seen=5)) is None


def test_an_agent_that_has_seen_the_persons_deletion_may_learn_the_leaf_anew() -> None:
    assert merged(person_deletes(10), agent("vegan", 11, seen=10)) == "vegan"


def test_a_forgotten_agents_write_made_elsewhere_without_hearing_of_it_is_void_when_it_arrives() -> None:
    statement = Forgotten("prix/daily-eats", 50)
    assert merged(agent("vegan", 60, heard=0), forgotten=[statement]) is None
    assert merged(agent("vegan", 60, heard=49), forgotten=[statement]) is None


def test_at_the_same_wall_time_the_greater_device_wins_on_both() -> None:
    on_laptop, on_phone = agent("vegetarian", 10, LAPTOP), agent("vegan", 10, PHONE)
    assert merged(on_laptop, on_phone) == merged(on_phone, on_laptop) == "vegan"
    assert merged(person("vegetarian", 10, LAPTOP), person("vegan", 10, PHONE)) == "vegan"


# --- what the rows leave open -----------------------------------------------------------------------------------------


def test_nothing_wins_where_nothing_was_written() -> None:
    assert winner([]) is None


def test_a_device_id_is_compared_as_unsigned_bytes() -> None:
    assert merged(agent("a", 10, PHONE), agent("b", 10, TABLET)) == "b"


def test_the_person_may_write_again_after_deleting() -> None:
    assert merged(person_deletes(10), person("vegan", 11)) == "vegan"


def test_of_the_persons_value_and_deletion_at_one_time_the_greater_device_decides() -> None:
    assert merged(person("vegan", 10, LAPTOP), person_deletes(10, PHONE)) is None
    assert merged(person_deletes(10, LAPTOP), person("vegan", 10, PHONE)) == "vegan"


def test_an_agents_deletion_hides_what_agents_wrote_before_it() -> None:
    gone = Written(PATH, False, PHONE, 11, deleted=True, writer=EATS)
    assert merged(agent("vegan", 10, LAPTOP), gone) is None
    assert merged(agent("vegan", 12, LAPTOP), gone) == "vegan"


def test_an_agents_deletion_does_not_hide_what_the_person_wrote() -> None:
    gone = Written(PATH, False, PHONE, 1_000, deleted=True, seen=10, writer=EATS)
    assert merged(person("vegan", 10), gone) == "vegan"


def test_an_agent_that_heard_it_is_forgotten_may_write_again() -> None:
    assert merged(agent("vegan", 60, heard=50), forgotten=[Forgotten("prix/daily-eats", 50)]) == "vegan"


def test_forgetting_one_version_leaves_the_others() -> None:
    statement = Forgotten("prix/daily-eats@1.0.0", 50)
    assert merged(agent("vegan", 60, writer="prix/daily-eats@1.0.0"), forgotten=[statement]) is None
    assert merged(agent("vegan", 60, writer="prix/daily-eats@1.0.1"), forgotten=[statement]) == "vegan"


def test_forgetting_an_agent_leaves_agents_whose_names_begin_alike() -> None:
    statement = Forgotten("prix/daily-eats", 50)
    assert merged(agent("vegan", 60, writer="prix/daily-eats-pro@1.0.0"), forgotten=[statement]) == "vegan"


def test_forgetting_an_agent_does_not_touch_what_the_person_wrote() -> None:
    assert merged(person("vegan", 10), agent("x", 60), forgotten=[Forgotten("prix/daily-eats", 90)]) == "vegan"


def test_a_void_write_counts_as_a_deletion_at_its_own_order_and_hides_an_older_agents_value() -> None:
    older, void = agent("vegan", 10, LAPTOP, writer=PLANNER), agent("carnivore", 60, PHONE)
    assert merged(older, void, forgotten=[Forgotten("prix/daily-eats", 50)]) is None
    assert merged(replace(older, order=70), void, forgotten=[Forgotten("prix/daily-eats", 50)]) == "vegan"


def test_the_newest_of_several_statements_about_an_agent_counts() -> None:
    twice = [Forgotten("prix/daily-eats", 50), Forgotten("prix/daily-eats@1.0.0", 70)]
    assert merged(agent("vegan", 80, heard=50), forgotten=twice) is None
    assert merged(agent("vegan", 80, heard=70), forgotten=twice) == "vegan"


@pytest.mark.parametrize(
    ("doomed", "by", "expected"),
    [
        (person("a", 10), person("b", 11), True),
        (person("a", 10), person_deletes(11), True),
        (person("a", 11), person("b", 10), False),
        (person("a", 10, LAPTOP), person("b", 10, PHONE), True),
        (person_deletes(10), agent("b", 1_000, seen=10), False),  # a person's deletion outlives the agent's next write
        (agent("a", 10, seen=4), person_deletes(5), True),
        (agent("a", 10, seen=5), person_deletes(5), False),
        (agent("a", 10, seen=5), person("b", 5), False),
        (agent("a", 10, LAPTOP, seen=3), agent("b", 11, PHONE, seen=3), True),
        (agent("a", 10, LAPTOP, seen=3), agent("b", 11, PHONE, seen=2), False),  # the later one knew less
        (agent("a", 10, LAPTOP), agent("b", 10, PHONE), True),
        (agent("a", 10, PHONE), agent("b", 10, LAPTOP), False),
    ],
)
def test_a_record_is_hopeless_exactly_when_another_beats_it_for_ever(
    doomed: Written, by: Written, expected: bool
) -> None:
    assert hopeless(standing(doomed), [standing(by)]) is expected


def test_no_record_makes_itself_hopeless() -> None:
    for record in (person("a", 1), person_deletes(1), agent("a", 1, seen=1)):
        assert not hopeless(standing(record), [standing(record)])


# --- any set of records -----------------------------------------------------------------------------------------------

ORDERS = st.one_of(st.integers(1, 8), st.integers(2**64 - 9, 2**64 - 1))
WRITERS = st.sampled_from([EATS, "prix/daily-eats@2.0.0", PLANNER])
STATEMENTS = st.lists(
    st.builds(Forgotten, st.sampled_from(["prix/daily-eats", EATS, "acme/planner"]), ORDERS), max_size=3
)


@st.composite
def records(draw: st.DrawFn) -> Written:
    order, device = draw(ORDERS), draw(st.sampled_from([LAPTOP, PHONE, TABLET]))
    deleted, by_person = draw(st.booleans()), draw(st.booleans())
    value = None if deleted else draw(st.integers(0, 99))
    if by_person:
        return Written(PATH, True, device, order, value, deleted)
    seen, heard = (draw(st.one_of(st.just(0), ORDERS)) for _ in range(2))
    return Written(PATH, False, device, order, value, deleted, seen, heard, draw(WRITERS))


# One device never stamps two records of one class with the same order.
SETS = st.lists(records(), max_size=9, unique_by=lambda record: (record.by_person, record.order, record.device))


@settings(max_examples=600)
@given(SETS, STATEMENTS)
def test_the_winner_of_any_set_of_records_is_the_models(written: list[Written], forgotten: list[Forgotten]) -> None:
    assert engines_winner(written, forgotten) == Model(written, forgotten).winner(PATH)


@given(SETS, STATEMENTS, st.randoms())
def test_the_order_of_the_records_is_irrelevant(
    written: list[Written], forgotten: list[Forgotten], chance: Random
) -> None:
    shuffled = written.copy()
    chance.shuffle(shuffled)
    assert engines_winner(written, forgotten) == engines_winner(shuffled, forgotten)


class Replica:
    """A set of records from which hopeless ones are removed, and what it has ever taken in."""

    def __init__(self) -> None:
        self.held: list[Written] = []
        self.known: list[Written] = []
        self.removed: list[Written] = []

    def take(self, records: Iterable[Written]) -> None:
        for record in records:
            if record not in self.known:
                self.known.append(record)
            if record not in self.held and record not in self.removed:
                self.held.append(record)

    def remove_one(self, which: int) -> None:
        doomed = [
            record
            for record in self.held
            if hopeless(standing(record), [standing(other) for other in self.held if other is not record])
        ]
        if doomed:
            gone = doomed[which % len(doomed)]
            self.held.remove(gone)
            self.removed.append(gone)

    def merge(self, other: Replica) -> None:
        """Takes in the other's records and removals, as two CRDT maps do."""
        self.take(other.held)
        for record in other.removed:
            if record not in self.removed:
                self.removed.append(record)
            if record not in self.known:
                self.known.append(record)
            if record in self.held:
                self.held.remove(record)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("take"), st.integers(0, 2), st.integers(0, 8)),
        st.tuples(st.just("remove"), st.integers(0, 2), st.integers(0, 8)),
        st.tuples(st.just("merge"), st.integers(0, 2), st.integers(0, 2)),
    ),
    max_size=40,
)


@settings(max_examples=400)
@given(SETS.filter(bool), STATEMENTS, STEPS)
def test_removing_hopeless_records_anywhere_and_merging_on_never_changes_a_winner(
    written: list[Written], forgotten: list[Forgotten], steps: list[tuple[str, int, int]]
) -> None:
    replicas = [Replica(), Replica(), Replica()]
    for what, one, other in steps:
        if what == "take":
            replicas[one].take([written[other % len(written)]])
        elif what == "remove":
            replicas[one].remove_one(other)
        else:
            replicas[one].merge(replicas[other])
        assert engines_winner(replicas[one].held, forgotten) == Model(replicas[one].known, forgotten).winner(PATH)
    for record in written:
        replicas[0].take([record])
    for replica in replicas:
        replica.merge(replicas[0])
        replica.merge(replicas[1])
        replica.merge(replicas[2])
        assert engines_winner(replica.held, forgotten) == Model(written, forgotten).winner(PATH)


@given(SETS, STATEMENTS, st.lists(st.integers(0, 8), max_size=12), st.lists(st.integers(0, 8), max_size=12))
def test_two_replicas_that_remove_independently_agree(
    written: list[Written], forgotten: list[Forgotten], here: list[int], there: list[int]
) -> None:
    one, two = Replica(), Replica()
    one.take(written)
    two.take(written[::-1])
    for which in here:
        one.remove_one(which)
    for which in there:
        two.remove_one(which)
    expected = Model(written, forgotten).winner(PATH)
    assert engines_winner(one.held, forgotten) == engines_winner(two.held, forgotten) == expected
    one.merge(two)
    assert engines_winner(one.held, forgotten) == expected


@given(records(), records(), records())
def test_being_beaten_for_ever_is_transitive_and_one_sided(x: Written, y: Written, z: Written) -> None:
    a, b, c = standing(x), standing(y), standing(z)
    assume(len({(each.by_person, each.key) for each in (a, b, c)}) == 3)
    if hopeless(a, [b]):
        assert not hopeless(b, [a])
        if hopeless(b, [c]):
            assert hopeless(a, [c])


@given(SETS, STATEMENTS)
def test_a_hopeless_record_is_never_the_winner(written: list[Written], forgotten: list[Forgotten]) -> None:
    verdict = winner([standing(record) for record in written], newest_statement(forgotten))
    if verdict is not None:
        others = [standing(other) for place, other in enumerate(written) if place != verdict.place]
        assert not hopeless(standing(written[verdict.place]), others)


@given(SETS, st.integers(1, 20), st.integers(0, 99))
def test_whoever_has_seen_everything_can_replace_an_agents_value(
    written: list[Written], device: int, value: int
) -> None:
    """As `Clock.stamp` orders it: one more than everything seen."""
    written = [record for record in written if record.order < 2**63]
    persons = [record.order for record in written if record.by_person]
    newest = max((record.order for record in written), default=0)
    mine = agent(value, newest + 1, bytes([device]) * 16, seen=max(persons, default=0))
    protected = Model(written).winner(PATH)
    if protected is not None and protected.by_person:
        assert engines_winner([*written, mine]) == protected
    else:
        assert engines_winner([*written, mine]) == mine


@given(SETS, st.integers(1, 20), st.booleans())
def test_the_person_who_has_seen_everything_can_always_replace_it(
    written: list[Written], device: int, deleted: bool
) -> None:
    # no writer has seen what is newer than its own write
    written = [record for record in written if record.seen < record.order < 2**64 - 1]
    newest = max((record.order for record in written), default=0)
    mine = Written(PATH, True, bytes([device]) * 16, newest + 1, "mine", deleted)
    assert engines_winner([*written, mine]) == (None if deleted else mine)
