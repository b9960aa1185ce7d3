"""The order of what recall found, and how sure a memory still is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.engine.ranking import (
    HALF_LIFE_DAYS,
    Candidate,
    Fused,
    effective_confidence,
    fuse,
    rank,
)
from vademecum.engine.records import KINDS
from vademecum.errors import InvalidArgument

SCORES = st.dictionaries(st.sampled_from("abcdef"), st.floats(-1, 1))
BM25 = st.dictionaries(st.sampled_from("abcdef"), st.floats(1e-9, 40))


def candidate(entry: str = "x", kind: str = "fact", **fields: object) -> Candidate:
    return Candidate(**{"id": entry, "kind": kind, "confidence": 1.0, "age_days": 0.0, **fields})  # type: ignore[arg-type]  # by name


def known(*candidates: Candidate) -> Callable[[str], Candidate | None]:
    return {one.id: one for one in candidates}.get


# --- fusion ---


def test_what_both_indexes_find_stands_before_what_one_finds() -> None:
    fused = fuse({"both": 0.8, "near": 0.81, "far": 0.1}, {"both": 9.0, "worded": 9.1})
    assert max(fused, key=lambda entry: fused[entry].score) == "both"


def test_each_entry_says_what_each_index_gave_it() -> None:
    fused = fuse({"a": 0.6, "b": 0.2}, {"a": 4.0, "c": 8.0})
    assert fused["a"] == Fused(0.75, 0.6, 4.0, 1.0, 0.5)
    assert fused["b"] == Fused(0.0, 0.2, None, 0.0, 0.0)
    assert fused["c"] == Fused(0.5, None, 8.0, 0.0, 1.0)


def test_without_a_model_words_decide_alone() -> None:
    fused = fuse(None, {"a": 4.0, "b": 8.0})
    assert (fused["a"].score, fused["b"].score) == (0.5, 1.0)


def test_no_word_in_common_leaves_meaning() -> None:
    fused = fuse({"a": 0.9, "b": 0.1}, {})
    assert fused["a"].score > fused["b"].score


def test_nothing_found_is_nothing() -> None:
    assert fuse({}, {}) == fuse(None, {}) == {}


def test_a_single_entry_has_the_whole_of_its_part() -> None:
    assert fuse({"a": 0.02}, {}) == {"a": Fused(0.5, 0.02, None, 1.0, 0.0)}


def test_cosines_that_are_nearly_equal_count_nearly_the_same() -> None:
    fused = fuse({"a": 0.80, "b": 0.79}, {})
    assert fused["a"].meaning_part == 1.0
    assert fused["b"].meaning_part == pytest.approx(0.9)


@given(SCORES | st.none(), BM25)
def test_fused_scores_lie_between_0_and_1_and_name_all_that_was_found(
    meaning: dict[str, float] | None, words: dict[str, float]
) -> None:
    fused = fuse(meaning, words)
    assert fused.keys() == (meaning or {}).keys() | words.keys()
    assert all(0.0 <= fit.score <= 1.0 for fit in fused.values())


@given(SCORES, BM25)
def test_more_of_either_score_never_lowers_an_entry(meaning: dict[str, float], words: dict[str, float]) -> None:
    fused = fuse(meaning, words)
    for one in fused:
        for other in fused:
            at_least_as_near = meaning.get(one, -2.0) >= meaning.get(other, -2.0)
            if at_least_as_near and words.get(one, 0.0) >= words.get(other, 0.0):
                assert fused[one].score >= fused[other].score


# --- confidence ---


def test_every_kind_of_record_has_a_half_life() -> None:
    assert set(HALF_LIFE_DAYS) == set(KINDS)


@pytest.mark.parametrize(
    ("kind", "days", "left"),
    [
        ("fact", 1, 0.99),
        ("fact", 91, 0.59),
        ("fact", 365, 0.12),
        ("skill", 240, 0.5),
        ("technical", 240, 0.5),
        ("behaviour", 90, 0.5),
        ("project", 45, 0.5),
        ("context", 2, 0.5),
        ("identity", 10_000, 1.0),
        ("preference", 10_000, 1.0),
    ],
)
def test_confidence_halves_as_its_kind_says(kind: str, days: float, left: float) -> None:
    assert effective_confidence(candidate(kind=kind, age_days=days)) == pytest.approx(left, abs=0.005)


def test_what_the_person_wrote_does_not_decay() -> None:
    assert effective_confidence(candidate(kind="context", age_days=900, by_person=True)) == 1.0


def test_a_half_life_of_its_own_goes_before_that_of_the_kind() -> None:
    assert effective_confidence(candidate(kind="identity", age_days=10, half_life_days=10.0)) == 0.5


def test_a_contradicted_memory_keeps_a_tenth() -> None:
    assert effective_confidence(candidate(contradicted=True, confidence=0.8)) == pytest.approx(0.08)


def test_a_confirmation_from_a_clock_ahead_counts_as_now() -> None:
    assert effective_confidence(candidate(age_days=-3.0)) == 1.0


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "rumour"},
        {"confidence": 1.1},
        {"confidence": float("nan")},
        {"age_days": float("inf")},
        {"half_life_days": 0.0},
        {"half_life_days": float("nan")},
    ],
)
def test_numbers_out_of_range_are_refused(fields: dict[str, object]) -> None:
    with pytest.raises(InvalidArgument):
        effective_confidence(candidate(**fields))  # type: ignore[arg-type]  # fields by name


# --- order ---


def test_a_sure_memory_stands_before_a_better_fitting_stale_one() -> None:
    fused = fuse({"stale": 0.9, "sure": 0.8, "other": 0.1}, {})
    ranked = rank(fused, known(candidate("stale", age_days=365), candidate("sure")), 5)
    assert [result.id for result in ranked] == ["sure", "stale"]


def test_a_result_says_why_it_is_where_it_is() -> None:
    (result,) = rank(fuse({"x": 0.5}, {"x": 3.0}), known(candidate(age_days=120, contradicted=True)), 1)
    assert result.why() == {
        "meaning": 0.5,
        "words": 3.0,
        "meaning_part": 1.0,
        "words_part": 1.0,
        "fit": 1.0,
        "context": None,
        "speaker": 1.0,
        "time": 1.0,
        "confidence": 0.05,
        "contradicted": True,
    }
    assert result.score == pytest.approx(result.fit.score * result.confidence)


def test_equal_scores_are_ordered_by_id_whatever_came_first() -> None:
    fused = fuse(None, dict.fromkeys("cab", 1.0))
    orders = [[r.id for r in rank(fused, known(*map(candidate, order)), 3)] for order in ("abc", "cba", "bca")]
    assert orders == [["a", "b", "c"]] * 3


def test_only_what_was_found_and_may_be_seen_is_ranked() -> None:
    fused = fuse(None, {"seen": 1.0, "hidden": 2.0})
    assert [result.id for result in rank(fused, known(candidate("seen"), candidate("unfound")), 5)] == ["seen"]


@given(
    BM25,
    st.fixed_dictionaries({entry: st.tuples(st.floats(0, 1), st.floats(0, 999), st.booleans()) for entry in "abcdef"}),
    st.integers(1, 7),
)
def test_the_best_k_are_the_first_k_of_all(
    words: dict[str, float], facts: dict[str, tuple[float, float, bool]], k: int
) -> None:
    fused = fuse(None, words)
    everything = known(
        *(candidate(entry, confidence=a, age_days=b, contradicted=c) for entry, (a, b, c) in facts.items())
    )
    assert rank(fused, everything, k) == rank(fused, everything, len(facts))[:k]


def test_what_cannot_be_among_the_best_is_not_asked_for() -> None:
    asked = []

    def ask(entry: str) -> Candidate:
        asked.append(entry)
        return candidate(entry)

    assert [result.id for result in rank(fuse(None, {"a": 3.0, "b": 2.0, "c": 1.0}), ask, 1)] == ["a"]
    assert asked == ["a"]


def test_k_bounds_the_results_and_is_at_least_1() -> None:
    fused = fuse(None, dict.fromkeys("abc", 1.0))
    assert len(rank(fused, known(*map(candidate, "abc")), 2)) == 2
    with pytest.raises(InvalidArgument):
        rank(fused, known(), 0)
