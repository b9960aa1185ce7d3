"""From which cosine on two sentences say the same, bear on one another, or are worth comparing, for each model.

A cosine means something else with every model, so the numbers belong to a model and are measured, never guessed:
``python -m bench calibrate --data DIR`` prints them for the model at hand, with how right they are.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CAUTIOUS", "Thresholds", "thresholds_for"]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Cosines, 1 ≥ ``duplicate`` ≥ ``related`` ≥ ``band`` ≥ −1.

    duplicate: from here on two memories say the same, unless a judge finds that they contradict one another.
    related: from here on they are linked.
    band: from here on they are compared for a contradiction.
    latin_only: the model does not know languages of other letters; there no cosine tells that two say the same.
    """

    duplicate: float
    related: float
    band: float
    latin_only: bool = False


CAUTIOUS = Thresholds(0.98, 0.9, 0.6, latin_only=True)
"""For a model that nobody has calibrated: hardly anything counts as said already, so nothing is lost by merging, and
little is linked. Within the band the words decide, so a low one costs time only.
"""

_BY_NAME = {
    "all-MiniLM-L6-v2-int8": Thresholds(0.93, 0.61, 0.5, latin_only=True),
}


def thresholds_for(model_id: str) -> Thresholds:
    """Those of the model, by its id (see `ModelFacts.model_id`: a name and a hash of the weights); `CAUTIOUS` where
    none are known.
    """
    found = _BY_NAME.get(model_id)
    if found is None:
        found = _BY_NAME.get(model_id.rpartition("-")[0])
    return found or CAUTIOUS
