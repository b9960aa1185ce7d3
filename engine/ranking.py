"""The order in which recall shows what it found. Pure: numbers in, numbers out.

    score = fit × effective confidence

    fused = (W_m · meaning + W_w · words) ÷ (W_m + W_w)        each part brought to 0–1 within the answer
    fit   = fused, and what `weighing` makes of it
    effective confidence = confidence × 0.5^(age ÷ half-life) × 0.1 if contradicted

Scores are fused and not ranks: reciprocal rank fusion of MiniLM and FTS5 finds fewer of the answers, with names kept in
the question fewer than FTS5 alone, because a weak list's ranks count as much as a strong one's (`docs/recall.md`).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from vademecum.errors import InvalidArgument

__all__ = [
    "CANDIDATES",
    "HALF_LIFE_DAYS",
    "Candidate",
    "Fused",
    "Ranked",
    "effective_confidence",
    "fuse",
    "rank",
]

CANDIDATES = 100
"""How many entries to ask of each index. With 30 recall@10 is 0.5 points lower, with 200 no higher [measured]."""

MEANING_WEIGHT = 1.0
WORDS_WEIGHT = 1.0
"""Equal, because nothing better is known: a weight of 1.3 for meaning is 0.7 points better on the conversations at
hand, which is within the noise of them."""

SPREAD = 0.1
"""Cosines that lie closer together than this are not stretched over the whole of 0–1: among two or three memories, a
full stop more or less would decide. Lists of a hundred spread over 0.18 to 0.54 with the shipped model [measured]."""

CONTRADICTED = 0.1
"""What is left of the confidence in a memory that another contradicts: enough to be found when asked for, and not to
stand before anything else."""

HALF_LIFE_DAYS: Mapping[str, float | None] = {
    "identity": None,
    "preference": None,
    "fact": 120.0,
    "skill": 240.0,
    "technical": 240.0,
    "behaviour": 90.0,
    "project": 45.0,
    "context": 2.0,
}
"""Days after which the confidence in a memory of that kind has halved, unless it was confirmed; ``None``: never."""


@dataclass(frozen=True, slots=True)
class Fused:
    """How well an entry fits the question.

    ``score`` is 0–1, all told. ``meaning`` is the cosine and ``words`` the BM25 score, ``None`` where that index did
    not name the entry; ``meaning_part`` and ``words_part`` are what they came to, 0–1 within this answer.

    What `weighing.weigh` adds: ``own`` is the fit by meaning and words alone (None: that is the score), ``context`` the
    fit with the turns around it (None: it is no turn), ``speaker`` and ``time`` what the score was multiplied by.
    """

    score: float
    meaning: float | None
    words: float | None
    meaning_part: float
    words_part: float
    own: float | None = None
    context: float | None = None
    speaker: float = 1.0
    time: float = 1.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """What ranking must know of a memory.

    ``confidence`` is 0–1; ``age_days`` counts from the last confirmation and may be below 0, which counts as 0;
    ``half_life_days`` is the memory's own, ``None`` for what its kind says.
    """

    id: str
    kind: str
    confidence: float
    age_days: float
    by_person: bool = False
    contradicted: bool = False
    half_life_days: float | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A result: its ``score``, and why it is what it is. ``confidence`` is the effective one."""

    id: str
    score: float
    fit: Fused
    confidence: float
    contradicted: bool

    def why(self) -> dict[str, float | bool | None]:
        """The parts of the score by name, rounded to four digits, for people and programs to read."""
        return {
            "meaning": _rounded(self.fit.meaning),
            "words": _rounded(self.fit.words),
            "meaning_part": _rounded(self.fit.meaning_part),
            "words_part": _rounded(self.fit.words_part),
            "fit": _rounded(self.fit.score if self.fit.own is None else self.fit.own),
            "context": _rounded(self.fit.context),
            "speaker": _rounded(self.fit.speaker),
            "time": _rounded(self.fit.time),
            "confidence": _rounded(self.confidence),
            "contradicted": self.contradicted,
        }


def fuse(meaning: Mapping[str, float] | None, words: Mapping[str, float]) -> dict[str, Fused]:
    """Put the scores of the two indexes together.

    meaning: cosine by id, of the nearest `CANDIDATES`; ``None`` if there is no model, and then words decide alone.
    words: BM25 score by id, of the best `CANDIDATES`; those that share no word with the question are not in it.

    Cosines are stretched so that the highest is 1 and the lowest 0, or what it is less than the highest in units of
    `SPREAD`: all of them lie close together, and the lowest of the list is about what any entry has. BM25 has a zero of
    its own, so its scores are divided by the highest. An entry that one list does not name has 0 there. O(n).
    """
    meaning_weight = 0.0 if meaning is None else MEANING_WEIGHT
    nearness = _stretched(meaning or {})
    highest = max(words.values(), default=0.0)
    overlap = {entry: score / highest if highest > 0 else 0.0 for entry, score in words.items()}
    total = meaning_weight + WORDS_WEIGHT
    fused = {}
    for entry in nearness.keys() | overlap.keys():
        near, shared = nearness.get(entry, 0.0), overlap.get(entry, 0.0)
        score = (meaning_weight * near + WORDS_WEIGHT * shared) / total
        fused[entry] = Fused(score, (meaning or {}).get(entry), words.get(entry), near, shared)
    return fused


def effective_confidence(candidate: Candidate) -> float:
    """How sure a memory still is, 0–1. What the person wrote does not decay, and is penalised if contradicted.

    Raises `InvalidArgument` for an unknown kind, a confidence outside 0–1, an age that is not finite, or a half-life
    that is not above 0.
    """
    if candidate.kind not in HALF_LIFE_DAYS:
        raise InvalidArgument(f"{candidate.kind!r} is no kind of memory; the kinds are {', '.join(HALF_LIFE_DAYS)}.")
    if not (0.0 <= candidate.confidence <= 1.0 and math.isfinite(candidate.age_days)):
        raise InvalidArgument(f"The memory {candidate.id} has a confidence outside 0 to 1, or no finite age.")
    half_life = candidate.half_life_days
    if half_life is None:
        half_life = HALF_LIFE_DAYS[candidate.kind]
    elif not half_life > 0.0:
        raise InvalidArgument(f"The memory {candidate.id} has a half-life of {half_life} days; it must be above 0.")
    decay = 1.0 if candidate.by_person or half_life is None else 0.5 ** (max(candidate.age_days, 0.0) / half_life)
    return candidate.confidence * decay * (CONTRADICTED if candidate.contradicted else 1.0)


def rank(fused: Mapping[str, Fused], candidate: Callable[[str], Candidate | None], k: int) -> list[Ranked]:
    """The best ``k`` of what ``fused`` names, best first.

    ``candidate`` tells what is known of an id; ids of which nothing is known are left out. It is asked in the order of
    falling fit, and only while the next fit could still be among the best: no confidence raises a score above the fit.
    Equal scores are ordered by fit, then confidence, then id, so that every device shows the same order. O(n log n).
    """
    if k < 1:
        raise InvalidArgument(f"k is {k}; it must be 1 or more.")
    results = []
    best: list[float] = []  # a heap of the k highest scores so far
    for entry, fit in sorted(fused.items(), key=lambda item: -item[1].score):
        if len(best) == k and fit.score < best[0]:
            break
        known = candidate(entry)
        if known is None:
            continue
        confidence = effective_confidence(known)
        score = fit.score * confidence
        results.append(Ranked(entry, score, fit, confidence, known.contradicted))
        if len(best) < k:
            heapq.heappush(best, score)
        else:
            heapq.heappushpop(best, score)
    results.sort(key=lambda result: (-result.score, -result.fit.score, -result.confidence, result.id))
    return results[:k]


def _stretched(scores: Mapping[str, float]) -> dict[str, float]:
    if not scores:
        return {}
    highest = max(scores.values())
    spread = max(highest - min(scores.values()), SPREAD)
    return {entry: max(0.0, 1.0 - (highest - score) / spread) for entry, score in scores.items()}


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 4)
