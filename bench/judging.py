"""How the judge of contradictions is measured: pairs with what is true of them, and its right and wrong answers."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from vademecum.embeddings.embedder import OnnxEmbedder
from vademecum.engine.formation.contradictions import Judge, Relation, Statement
from vademecum.engine.formation.thresholds import thresholds_for

from .measure import Row, at_least, at_most

__all__ = ["Judged", "Pair", "judged", "rows_of"]


class Pair(NamedTuple):
    old: str
    new: str
    contradicts: bool
    group: str


class Judged(NamedTuple):
    pair: Pair
    cosine: float
    said: Relation
    milliseconds: float


@lru_cache(maxsize=1)
def _embedder() -> OnnxEmbedder:
    return OnnxEmbedder.default()


def judged(pairs: Sequence[Pair], *, verbose: bool = False) -> list[Judged]:
    """What the judge says of each without any model but the one that gives the cosine."""
    embedder = _embedder()
    judge = Judge(thresholds_for(embedder.model_id))
    old, new = (embedder.embed([pair[side] for pair in pairs]) for side in (0, 1))
    found = []
    for pair, cosine in zip(pairs, (old * new).sum(axis=1), strict=True):
        started = time.perf_counter()
        verdict = judge(Statement(text=pair.old), Statement(text=pair.new), float(cosine))
        found.append(Judged(pair, float(cosine), verdict.relation, 1e3 * (time.perf_counter() - started)))
        if verbose and verdict.contradicts is not pair.contradicts:
            kind = "missed" if pair.contradicts else "wrong"
            reasons = "; ".join(verdict.reasons)
            sys.stderr.write(f"{kind} ({cosine:.2f}, {verdict.relation}: {reasons}): {pair.old} | {pair.new}\n")
    return found


def rows_of(name: str, found: Sequence[Judged], target: float) -> list[Row]:
    """Precision, recall and F1 of *contradicts*, for all and for each group; the floor of F1 is cosine alone, with the
    threshold that suits these very pairs best. Hints count as no.
    """
    precision, recall, f1 = _scores((one.pair.contradicts, one.said is Relation.CONTRADICTS) for one in found)
    floor = _cosine_alone(found)
    made = [
        at_least(f"{name}/precision", precision, "", target=None),
        at_least(f"{name}/recall", recall, "", target=None),
        at_least(f"{name}/f1", f1, "", target=target, floor=floor),
    ]
    for group in sorted({one.pair.group for one in found}):
        mine = [one for one in found if one.pair.group == group]
        scores = _scores((one.pair.contradicts, one.said is Relation.CONTRADICTS) for one in mine)
        made.append(at_least(f"{name}/f1/{group}", scores[2], "", target=None, floor=_cosine_alone(mine)))
    hints = [one for one in found if one.said is Relation.UNSURE]
    made.append(at_most(f"{name}/hints", float(len(hints)), "pairs", target=None))
    median = float(np.median([one.milliseconds for one in found]))
    made.append(at_most(f"{name}/time", median, "ms", target=None))
    return made


def _cosine_alone(found: Sequence[Judged]) -> float:
    truths = [one.pair.contradicts for one in found]
    cuts = sorted({one.cosine for one in found})
    return max(_scores(zip(truths, [one.cosine >= cut for one in found], strict=True))[2] for cut in cuts)


def _scores(answers: Iterable[tuple[bool, bool]]) -> tuple[float, float, float]:
    """Precision, recall and F1 of (true, said)."""
    true_said = list(answers)
    hits = sum(true and said for true, said in true_said)
    precision = hits / max(sum(said for _, said in true_said), 1)
    recall = hits / max(sum(true for true, _ in true_said), 1)
    return precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0
