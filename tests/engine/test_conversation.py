"""What the turns around a turn say for it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vademecum.engine.conversation import PAUSE_MS, Turn, in_context, is_question, sittings
from vademecum.engine.weights import PLAIN, Weights

WEIGHTS = Weights()


def conversation(*asks: bool, session: str = "s", start: int = 0, step: int = 1000) -> dict[str, Turn]:
    """Turns ``0``, ``1``, … of a session, each saying whether it asks."""
    keys = [f"{session}{at}" for at in range(len(asks))]
    return {
        key: Turn(
            session,
            "ab"[at % 2],
            start + at * step,
            asks[at],
            keys[at - 1] if at else None,
            keys[at + 1] if at + 1 < len(keys) else None,
        )
        for at, key in enumerate(keys)
    }


def test_the_answer_to_a_question_that_fits_comes_into_the_answer_and_before_what_is_further_off() -> None:
    turns = conversation(False, True, False, False)
    fits = in_context({"s1": 0.9}, turns, WEIGHTS)
    assert fits["s1"] > fits["s2"] > fits["s0"] > fits["s3"] > 0


def test_what_follows_a_statement_takes_less_than_what_follows_a_question() -> None:
    asked = in_context({"s0": 1.0}, conversation(True, False), WEIGHTS)
    said = in_context({"s0": 1.0}, conversation(False, False), WEIGHTS)
    assert asked["s1"] > said["s1"]


def test_another_sitting_of_the_same_session_says_nothing() -> None:
    turns = conversation(True, False, step=PAUSE_MS + 1)
    assert in_context({"s0": 1.0}, turns, WEIGHTS)["s1"] == 0.0
    assert len(set(sittings(turns).values())) == 2


def test_a_neighbour_that_is_not_among_the_turns_says_nothing() -> None:
    turns = conversation(True, False)
    del turns["s0"]
    assert in_context({"s0": 1.0}, turns, WEIGHTS)["s1"] == 0.0


def test_sittings_of_two_sessions_are_two_even_at_the_same_time() -> None:
    places = sittings(conversation(False, session="s") | conversation(False, session="t"))
    assert places["s0"] != places["t0"]


def test_a_question_is_known_by_its_mark_in_any_script() -> None:
    assert all(map(is_question, ("Where?", "Oh? I see.", "在哪里？", "أين؟")))
    assert not any(map(is_question, ("Here; there.", "", "Where")))


FITS = st.dictionaries(st.sampled_from([f"s{at}" for at in range(8)]), st.floats(0, 1))


@given(FITS, st.lists(st.booleans(), min_size=8, max_size=8))
def test_a_fit_in_context_lies_between_0_and_1(fits: dict[str, float], asks: list[bool]) -> None:
    turns = conversation(*asks)
    context = in_context(fits, turns, WEIGHTS)
    assert context.keys() == turns.keys()
    assert all(0.0 <= fit <= 1.0 for fit in context.values())


@given(FITS, st.sampled_from([f"s{at}" for at in range(8)]), st.floats(0, 1))
def test_a_better_fit_of_one_turn_lowers_none(fits: dict[str, float], key: str, more: float) -> None:
    turns = conversation(*[False, True] * 4)
    before = in_context(fits, turns, WEIGHTS)
    after = in_context(fits | {key: max(more, fits.get(key, 0.0))}, turns, WEIGHTS)
    assert all(after[one] >= before[one] for one in turns)


@given(FITS)
def test_without_weights_each_turn_stands_for_itself(fits: dict[str, float]) -> None:
    turns = conversation(*[True] * 8)
    assert in_context(fits, turns, PLAIN) == {key: fits.get(key, 0.0) for key in turns}
