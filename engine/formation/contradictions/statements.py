"""What is compared, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ...sentences import sentence
from ...values import Value

__all__ = ["Layer", "Relation", "Statement", "Verdict"]


class Relation(StrEnum):
    """How a new statement stands to an old one."""

    CONTRADICTS = "contradicts"
    """Both cannot hold: since the new one was said, the old one is no longer so."""
    DUPLICATE = "duplicate"
    """The same said again."""
    ENTAILS = "entails"
    """The new one says what the old one says, and more."""
    NEUTRAL = "neutral"
    """Both may hold."""
    UNSURE = "unsure"
    """A hint of a contradiction, not enough for a verdict: a reason to be less sure and to ask, not to flag."""


class Layer(StrEnum):
    """What decided, from certain to uncertain."""

    STRUCTURE = "structure"
    SIGNALS = "signals"
    NLI = "nli"
    MODEL = "language-model"


@dataclass(frozen=True, slots=True)
class Statement:
    """A memory, or what would become one.

    path: where it stands, or the empty text if it stands nowhere yet.
    text: how it reads in words, best the person's own; empty for what path and value say.
    """

    path: str = ""
    value: Value = None
    text: str = ""
    kind: str = "fact"
    scope: str = ""

    @property
    def words(self) -> str:
        return self.text or sentence(self.path, self.value)


@dataclass(frozen=True, slots=True)
class Verdict:
    """``confidence`` is 0–1, that *relation* is right; ``reasons`` are sentences a person can check."""

    relation: Relation
    confidence: float
    layer: Layer
    reasons: tuple[str, ...]

    @property
    def contradicts(self) -> bool:
        return self.relation is Relation.CONTRADICTS

    def as_json(self) -> dict[str, Any]:
        return {
            "relation": str(self.relation),
            "confidence": round(self.confidence, 3),
            "layer": str(self.layer),
            "reasons": list(self.reasons),
        }
