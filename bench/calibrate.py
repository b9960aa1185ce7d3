"""The thresholds of the embedding model at hand, and how right they are: ``python -m bench calibrate --data DIR``.

``DIR`` holds ``sts_dev.json`` (``[{"lang", "a", "b", "score"}]``, 0–5) and ``sick_dev.json`` (``[{"a", "b",
"judgment"}]``). The model is the shipped one, or that in ``$VADEMECUM_MODEL``.

=========  ==================================================================================================
duplicate  from here on, and at every cosine above, nine of ten pairs say the same (score 4 and more)
related    where it is best told (by F1) whether a pair bears on one another (score 3 and more)
band       the greatest multiple of 0.05 above which 97 of 100 contradictions lie
=========  ==================================================================================================

Only languages count in which the model's cosines follow what people say of the pairs (Spearman 0.55 and more); to a
model that fails in one whose letters are not Latin, cosines there tell nothing (``latin_only``).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vademecum.embeddings.embedder import Embedder, OnnxEmbedder
from vademecum.engine.formation.thresholds import CAUTIOUS, Thresholds, thresholds_for

from .measure import Row

__all__ = ["calibrated", "cosines", "rows"]

SAME, BEARING = 4.0, 3.0
PRECISE = 0.9
KEPT = 0.97
KNOWN = 0.55
LATIN = frozenset({"en", "de", "es", "fr", "it", "pt", "nl", "pl"})
GRID = np.arange(0.3, 0.996, 0.01)
CLOSE = 0.015
"""How far a threshold may be from the one that was measured: another processor rounds otherwise."""


def rows(data: Path) -> list[Row]:
    embedder = OnnxEmbedder.default()
    pairs = json.loads((data / "sts_dev.json").read_text("utf-8"))
    inferences = json.loads((data / "sick_dev.json").read_text("utf-8"))
    cosine, score = cosines(embedder, pairs), np.array([pair["score"] for pair in pairs], float)
    languages = np.array([pair["lang"] for pair in pairs])
    follow = {
        str(language): _spearman(cosine[languages == language], score[languages == language])
        for language in np.unique(languages)
    }
    known = np.isin(languages, [language for language, value in follow.items() if value >= KNOWN])
    contradicting = np.array([pair["judgment"] == "CONTRADICTION" for pair in inferences])
    in_band = cosines(embedder, inferences)[contradicting]
    latin_only = any(value < KNOWN for language, value in follow.items() if language not in LATIN)
    found = calibrated(cosine[known], score[known], in_band, latin_only=latin_only)
    standing = thresholds_for(embedder.model_id)
    name = embedder.model_id.rpartition("-")[0]
    sys.stderr.write(
        f'engine/formation/thresholds.py, for this model:  "{name}": '
        f"Thresholds({found.duplicate:.2f}, {found.related:.2f}, {found.band:.2f}, latin_only={found.latin_only}),\n"
    )
    if standing is CAUTIOUS:
        sys.stderr.write(f"{name} stands in no table yet; what is compared below is the cautious default.\n")
    made = [_row(f"calibrate/spearman/{language}", value, None) for language, value in follow.items()]
    for what, value, stands in (
        ("duplicate", found.duplicate, standing.duplicate),
        ("related", found.related, standing.related),
        ("band", found.band, standing.band),
    ):
        made.append(_row(f"calibrate/{what}", value, stands))
    for what, least, value in (("duplicate", SAME, found.duplicate), ("related", BEARING, found.related)):
        precision, recall = _right(cosine[known] >= value, score[known] >= least)
        made += [_row(f"calibrate/{what}/precision", precision, None), _row(f"calibrate/{what}/recall", recall, None)]
    return [*made, _row("calibrate/band/kept", float((in_band >= found.band).mean()), None)]


def calibrated(
    cosine: NDArray[np.floating[Any]],
    score: NDArray[np.floating[Any]],
    contradictions: NDArray[np.floating[Any]],
    *,
    latin_only: bool = False,
) -> Thresholds:
    """Thresholds by the three rules above; the cautious ones where no cosine meets a rule."""
    duplicate = CAUTIOUS.duplicate
    for threshold in GRID[::-1]:
        over = cosine >= threshold
        if over.any() and (score[over] >= SAME).mean() < PRECISE:
            break
        if over.any():
            duplicate = float(threshold)
    related = float(max(GRID, key=lambda threshold: _f1(*_right(cosine >= threshold, score >= BEARING))))
    lowest = float(np.quantile(contradictions, 1 - KEPT)) if len(contradictions) else CAUTIOUS.band
    band = float(np.floor(lowest / 0.05) * 0.05)
    related = min(related, duplicate)
    return Thresholds(round(duplicate, 2), round(related, 2), round(min(band, related), 2), latin_only=latin_only)


def cosines(embedder: Embedder, pairs: Sequence[dict[str, Any]]) -> NDArray[np.float64]:
    """Of the two sentences of each pair."""
    one, other = (embedder.embed([pair[side] for pair in pairs]).astype(np.float64) for side in ("a", "b"))
    return np.asarray((one * other).sum(axis=1))


def _right(said: NDArray[np.bool_], true: NDArray[np.bool_]) -> tuple[float, float]:
    hits = float((said & true).sum())
    return (hits / max(float(said.sum()), 1.0), hits / max(float(true.sum()), 1.0))


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _spearman(one: NDArray[np.floating[Any]], other: NDArray[np.floating[Any]]) -> float:
    return float(np.corrcoef(_ranks(one), _ranks(other))[0, 1])


def _ranks(values: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Ranks, ties at their mean."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[places], float)


def _row(name: str, value: float, stands: float | None) -> Row:
    """*stands* is what the table says; it is met where it is what was measured."""
    met = None if stands is None else abs(value - stands) <= CLOSE
    return Row(name=name, value=round(value, 3), unit="", floor=None, ratio=None, target=stands, met=met)
