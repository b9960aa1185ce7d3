"""Which memories are most alike: by their words, and by their meaning where vectors of one model are there. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest
from itertools import combinations
from typing import Final

__all__ = ["MOST", "closest", "word_likeness"]

MOST: Final = 200
"""Texts that are compared, each with each; of more, the first."""
LEAST: Final = 0.3
"""Below this, two texts have nothing to do with each other."""

Text = tuple[str, str, tuple[bytes, bytes] | None]
"""(id, text, (model, float16 values) or None)"""


def closest(texts: Sequence[Text], k: int) -> list[tuple[str, str, float]]:
    """The *k* pairs that are most alike, the most alike first: (id, id, likeness from 0.3 to 1). O(n²), n ≤ 200."""
    some = texts[:MOST]
    grams = [_grams(text) for _, text, _ in some]
    meanings = _meanings(some)
    pairs = []
    for one, other in combinations(range(len(some)), 2):
        likeness = _dice(grams[one], grams[other])
        if meanings is not None:
            likeness = max(likeness, meanings[one][other])
        if likeness >= LEAST:
            pairs.append((some[one][0], some[other][0], min(1.0, likeness)))
    return nlargest(k, pairs, key=lambda pair: pair[2])


def word_likeness(one: str, other: str) -> float:
    """How much two texts share of their pairs of characters, 0–1 (Dice): for any script, and blind to meaning."""
    return _dice(_grams(one), _grams(other))


def _grams(text: str) -> frozenset[str]:
    plain = " ".join(text.casefold().split())
    return frozenset(plain[at : at + 2] for at in range(max(1, len(plain) - 1)))


def _dice(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other))


def _meanings(texts: Sequence[Text]) -> list[list[float]] | None:
    """Cosines of all pairs; 0 where a vector is missing or of another model. None where there is nothing to compare."""
    models = [vector[0] for _, _, vector in texts if vector is not None]
    if len(models) < 2:
        return None
    import numpy as np

    model = max(sorted(set(models)), key=models.count)
    sizes = {len(vector[1]) for _, _, vector in texts if vector is not None and vector[0] == model}
    if len(sizes) != 1:
        return None
    width = sizes.pop() // 2
    matrix = np.zeros((len(texts), width), np.float32)
    for place, (_, _, vector) in enumerate(texts):
        if vector is not None and vector[0] == model:
            matrix[place] = np.frombuffer(vector[1], "<f2")
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    unit = matrix / np.where(lengths > 0, lengths, 1)
    cosines: list[list[float]] = (unit @ unit.T).tolist()
    return cosines
