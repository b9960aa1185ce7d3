"""What a question says beside its words: preferences, by which nothing is taken out."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from vademecum.engine.conversation import Turn
from vademecum.engine.ranking import Fused, fuse
from vademecum.engine.time_words import asked_time
from vademecum.engine.weighing import Asked, weigh
from vademecum.engine.weights import PLAIN, Weights

WEIGHTS = Weights()
NOW = datetime(2026, 11, 18, tzinfo=UTC)
ANN = Turn("session/1", "Ann", 0, False)
BO = Turn("session/1", "Bo", 0, False)


def fits(**scores: float) -> dict[str, Fused]:
    return {key: Fused(score, None, score, 0.0, score) for key, score in scores.items()}


def test_a_question_that_names_a_speaker_prefers_what_they_said() -> None:
    weighed = weigh(fits(ann=0.6, bo=0.8), {"ann": ANN, "bo": BO}, {}, {}, Asked(frozenset({"Ann"})), WEIGHTS)
    assert weighed["ann"].score > weighed["bo"].score > 0
    assert (weighed["ann"].speaker, weighed["bo"].speaker) == (1.0, WEIGHTS.other_speaker)


def test_a_question_that_names_both_prefers_neither() -> None:
    weighed = weigh(fits(ann=0.6, bo=0.6), {"ann": ANN, "bo": BO}, {}, {}, Asked(frozenset({"Ann", "Bo"})), WEIGHTS)
    assert weighed["ann"].score == weighed["bo"].score


def test_what_others_say_where_the_named_one_does_not_speak_loses_nothing() -> None:
    elsewhere = BO._replace(session="session/2")
    weighed = weigh(fits(ann=0.5, bo=0.8), {"ann": ANN, "bo": elsewhere}, {}, {}, Asked(frozenset({"Ann"})), WEIGHTS)
    assert weighed["bo"].speaker == 1.0


def test_a_leaf_about_somebody_else_stands_behind_and_one_about_nobody_does_not() -> None:
    subjects = {"of_ann": "Ann", "of_bo": "Bo"}
    weighed = weigh(fits(of_ann=0.6, of_bo=0.8, plain=0.7), {}, subjects, {}, Asked(frozenset({"Ann"})), WEIGHTS)
    assert [weighed[key].speaker for key in ("of_ann", "of_bo", "plain")] == [1.0, WEIGHTS.other_speaker, 1.0]


def test_a_question_about_a_time_prefers_what_was_said_then() -> None:
    asked = Asked(time=asked_time("What did we cook in May 2023?", NOW))
    moments = {"then": (datetime(2023, 5, 9, tzinfo=UTC),), "later": (datetime(2024, 5, 9, tzinfo=UTC),)}
    weighed = weigh(fits(then=0.6, later=0.7, undated=0.5), {}, {}, moments, asked, WEIGHTS)
    assert weighed["then"].score > weighed["later"].score > 0
    assert (weighed["later"].time, weighed["undated"].time) == (WEIGHTS.other_time, 1.0)


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.floats(-1, 1)),
    st.dictionaries(st.sampled_from("abcdef"), st.floats(1e-9, 40)),
    st.sets(st.sampled_from(["Ann", "Bo", "Cy"])),
)
def test_nothing_is_taken_out_and_scores_stay_between_0_and_1(
    meaning: dict[str, float], words: dict[str, float], people: set[str]
) -> None:
    fused = fuse(meaning, words)
    turns = {key: Turn("s", "Ann" if key < "c" else "Bo", 0, False) for key in fused if key < "e"}
    weighed = weigh(fused, turns, {"e": "Ann", "f": "Bo"}, {}, Asked(frozenset(people)), WEIGHTS)
    assert weighed.keys() == fused.keys()
    assert all(0.0 <= one.score <= 1.0 for one in weighed.values())
    assert {key: one.own for key, one in weighed.items()} == {key: one.score for key, one in fused.items()}
    plain = weigh(fused, turns, {}, {}, Asked(frozenset(people)), PLAIN)
    assert {key: one.score for key, one in plain.items()} == {key: one.score for key, one in fused.items()}
