"""The judge: the layers in their order, from certain to uncertain, each asked only where those before said nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from vademecum.embeddings.entailment import Probabilities

from ..thresholds import CAUTIOUS, Thresholds
from .signals import by_claims, by_signals, near_in_words
from .statements import Layer, Relation, Statement, Verdict
from .structure import by_structure
from .words import is_latin

__all__ = ["NEAREST", "Asked", "Entailment", "Judge", "Probabilities", "judge"]

NEAREST = 5
"""How many of the nearest memories of a scope are worth comparing with a new one."""


class Entailment(Protocol):
    """A model of natural language inference. It answers None where it cannot, and `fault` then says why."""

    @property
    def name(self) -> str: ...

    @property
    def fault(self) -> str | None: ...

    def __call__(self, premise: str, hypothesis: str) -> Probabilities | None: ...


class Asked(Protocol):
    """A language model that is asked about pairs. It sees both texts as data, and answers None where it cannot."""

    @property
    def name(self) -> str: ...

    def __call__(self, old: str, new: str) -> Verdict | None: ...


_NLI_SURE = 0.5
_ELSEWHERE = Verdict(Relation.NEUTRAL, 0.6, Layer.SIGNALS, ("nothing in their words sets one against the other",))
_FAR = Verdict(Relation.NEUTRAL, 0.9, Layer.SIGNALS, ("they are too unlike to bear on one another",))


@dataclass(frozen=True, slots=True)
class Judge:
    """``thresholds`` belong to the model that measured the similarity. The two models are optional."""

    thresholds: Thresholds = CAUTIOUS
    entailment: Entailment | None = None
    asked: Asked | None = None

    @property
    def layers(self) -> tuple[str, ...]:
        """Which layers are on, for reports."""
        usable = self.entailment is not None and self.entailment.fault is None
        models = [f"{Layer.NLI} ({self.entailment.name})"] if self.entailment and usable else []
        models += [f"{Layer.MODEL} ({self.asked.name})"] if self.asked else []
        return (str(Layer.STRUCTURE), str(Layer.SIGNALS), *models)

    def __call__(self, old: Statement, new: Statement, similarity: float | None = None) -> Verdict:
        """How *new* stands to *old*. *similarity* is the cosine of their words; None where no model could measure it,
        and then only paths and claims are compared.
        """
        certain = by_structure(old, new)
        if certain is not None:
            return certain
        claimed = by_claims(old, new)
        if claimed is not None and claimed.relation is not Relation.UNSURE:
            return claimed
        if (similarity is None or similarity < self.thresholds.band) and not near_in_words(old, new):
            return claimed if claimed is not None and similarity is None else _FAR
        marked = by_signals(old, new)
        if marked is not None and marked.relation in (Relation.CONTRADICTS, Relation.NEUTRAL):
            return marked
        hint = claimed or marked
        return self._by_models(old, new, hint) or hint or self._by_nearness(old, new, similarity or 0.0)

    def _by_models(self, old: Statement, new: Statement, hint: Verdict | None) -> Verdict | None:
        verdict = None if self.entailment is None else by_entailment(self.entailment, old.words, new.words)
        if self.asked is not None and (verdict is None or verdict.relation is Relation.UNSURE):
            verdict = self.asked(old.words, new.words) or verdict
        if verdict is None or hint is None:
            return verdict
        return Verdict(verdict.relation, verdict.confidence, verdict.layer, verdict.reasons + hint.reasons)

    def _by_nearness(self, old: Statement, new: Statement, similarity: float) -> Verdict:
        readable = not self.thresholds.latin_only or (is_latin(old.words) and is_latin(new.words))
        if readable and similarity >= self.thresholds.duplicate:
            reason = f"they are as near to one another as sentences that say the same (cosine {similarity:.2f})"
            return Verdict(Relation.DUPLICATE, 0.7, Layer.SIGNALS, (reason,))
        return _ELSEWHERE


def by_entailment(model: Entailment, old: str, new: str) -> Verdict | None:
    """The mean of both directions: a contradiction is one whichever of the two is said first, and what one direction
    alone makes of two sentences is noisy.
    """
    there, back = model(old, new), model(new, old)
    if there is None or back is None:
        return None
    contradiction = (there.contradiction + back.contradiction) / 2
    reasons = (f"{model.name} gives a contradiction {contradiction:.2f}",)
    if contradiction >= _NLI_SURE:
        return Verdict(Relation.CONTRADICTS, contradiction, Layer.NLI, reasons)
    if back.entailment >= _NLI_SURE and there.entailment >= _NLI_SURE:
        return Verdict(Relation.DUPLICATE, (there.entailment + back.entailment) / 2, Layer.NLI, reasons)
    if back.entailment >= _NLI_SURE:
        return Verdict(Relation.ENTAILS, back.entailment, Layer.NLI, reasons)
    neutral = (there.neutral + back.neutral) / 2
    relation = Relation.NEUTRAL if neutral >= _NLI_SURE else Relation.UNSURE
    return Verdict(relation, max(neutral, 1 - contradiction) if neutral >= _NLI_SURE else 0.5, Layer.NLI, reasons)


def judge(
    old: Statement,
    new: Statement,
    similarity: float | None = None,
    *,
    thresholds: Thresholds = CAUTIOUS,
    entailment: Entailment | None = None,
    asked: Asked | None = None,
) -> Verdict:
    """`Judge` for a single pair."""
    return Judge(thresholds, entailment, asked)(old, new, similarity)


def most_serious(verdicts: Sequence[Verdict]) -> Verdict | None:
    """The verdict to act on among those about one new statement: the surest contradiction, else the surest."""
    contradictions = [verdict for verdict in verdicts if verdict.contradicts]
    return max(contradictions or list(verdicts), key=lambda verdict: verdict.confidence, default=None)
