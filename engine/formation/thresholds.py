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
    """

    duplicate: float
    related: float
    band: float


CAUTIOUS = Thresholds(0.95, 0.85, 0.6)
"""For a model that nobody has calibrated: hardly anything counts as said already, so nothing is lost by merging."""

_BY_NAME = {
    "all-MiniLM-L6-v2-int8": Thresholds(0.88, 0.65, 0.5),
    "multilingual-e5-small-int8": Thresholds(0.96, 0.90, 0.85),
}


def thresholds_for(model_id: str) -> Thresholds:
    """Those of the model, by its id (see `ModelFacts.model_id`: a name and a hash of the weights); `CAUTIOUS` where
    none are known.
    """
    found = _BY_NAME.get(model_id)
    if found is None:
        found = _BY_NAME.get(model_id.rpartition("-")[0])
    return found or CAUTIOUS
