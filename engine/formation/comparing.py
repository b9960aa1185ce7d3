"""What a statement is held against before it is written: the nearest memories of the same scope, and the judge's word.

Done while a plan is considered, for a model may be slow; what was compared counts only as long as it stands as it was.
At most `NEAREST` memories are looked at, all of the same scope: nothing is searched through as a whole, so no unrelated
memory can be touched. With an embedder they are the nearest by meaning, otherwise those that share the most words.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from ..records import Record
from ..replica import Replica
from ..sentences import sentence
from ..slots import SlotMap
from ..values import Value
from ..view import View
from .attributes import attribute_of
from .contradictions import NEAREST, Asked, Entailment, Judge, Relation, Statement, Verdict
from .contradictions.structure import side_by_side
from .hypotheses import Hypothesis
from .likeness import content_words, same_words
from .thresholds import CAUTIOUS, Thresholds, thresholds_for

__all__ = ["Compared", "Comparing", "Judging", "Meaning"]

SCANNED = 2000
"""Memories of a scope that are looked through for shared words where no model can say which are near."""
_WORDED = frozenset({"notes", "rules", "routines", "goals", "today"})
"""Attributes whose values are the person's sentences, so that two may say the same at different paths."""


class Meaning(Protocol):
    """What an embedder and the vectors of the memory can say."""

    def nearest(self, scope: str, text: str, k: int) -> Sequence[str] | None:
        """Paths of the *k* leaves of *scope* that are nearest to *text*; None where there is no model."""

    def similarities(self, text: str, others: Sequence[str]) -> Sequence[float] | None:
        """Cosines of *text* with each of *others*; None where there is no model."""

    @property
    def model_id(self) -> str | None: ...


class Judging(Protocol):
    """Says how a new statement stands to an old one; *similarity* is the cosine of their words, where one is known."""

    def __call__(self, old: Statement, new: Statement, similarity: float | None) -> Verdict: ...


class Compared(NamedTuple):
    """An older memory beside a new statement. ``order`` is that of its record when it was compared; ``similarity`` is a
    cosine, or None.
    """

    scope: str
    path: str
    order: int
    words: str
    similarity: float | None
    verdict: Verdict
    is_same: bool
    """It says the same at another path, and the new one would add nothing."""
    is_related: bool


class Comparing:
    """Compares with the memories of one replica."""

    def __init__(
        self,
        replica: Replica,
        judge: Judging | None = None,
        meaning: Meaning | None = None,
        thresholds: Thresholds | None = None,
        entailment: Entailment | None = None,
        asked: Asked | None = None,
    ) -> None:
        self._replica = replica
        self._judge = judge
        self._entailment = entailment
        self._asked = asked
        self._meaning = meaning
        self._given = thresholds

    def __call__(self, scope: str, path: str, value: Value, said: str) -> tuple[Compared, ...]:
        """The nearest memories, nearest first; none at *path* itself, where structure decides alone."""
        text = said or sentence(path, value)
        nearest = None if self._meaning is None else self._meaning.nearest(scope, text, NEAREST + 1)
        with self._replica.read() as view:
            if nearest is None:
                found = list(_sharing(view, scope, text))
            else:
                rows = ((one, view.get(scope, SlotMap.LEAVES, one)) for one in nearest)
                found = [(one, record) for one, record in rows if record is not None]
        found = [(one, record) for one, record in found if one != path][:NEAREST]
        if not found:
            return ()
        words = [record.sentence or sentence(one, record.value) for one, record in found]
        cosines = None if self._meaning is None else self._meaning.similarities(text, words)
        thresholds = self._thresholds()
        judge = self._judge or self._rules(thresholds)
        new = Statement(path, value, text, scope=scope)
        compared = []
        for place, (one, record) in enumerate(found):
            cosine = None if cosines is None else float(cosines[place])
            old = Statement(one, record.value, words[place], record.kind, scope)
            verdict = judge(old, new, cosine)
            compared.append(_compared(old, new, record, cosine, verdict, thresholds))
        return tuple(compared)

    def like(self, path: str, value: Value, said: str, held: Sequence[Hypothesis]) -> Hypothesis | None:
        """The hypothesis among *held*, of one scope, that says the same in other words; None without an embedder."""
        if self._meaning is None or not held:
            return None
        new = Statement(path, value, said or sentence(path, value))
        words = [one.own[-1].sentence or sentence(one.path, one.value) for one in held]
        cosines = self._meaning.similarities(new.words, words)
        if cosines is None:
            return None
        thresholds = self._thresholds()
        judge = self._judge or Judge(thresholds)  # a language model is not asked about mere signs
        for cosine, one, text in sorted(zip(cosines, held, words, strict=True), key=lambda each: -each[0]):
            if cosine < thresholds.duplicate:
                break
            old = Statement(one.path, one.value, text)
            same = judge(old, new, cosine).relation is Relation.DUPLICATE and _adds_nothing(old, new)
            if same and not side_by_side(old, new):
                return one
        return None

    def layers(self) -> tuple[str, ...]:
        """Which layers of the judge by rules are on; none are known of another judge."""
        return () if self._judge is not None else self._rules(CAUTIOUS).layers

    def faults(self) -> tuple[str, ...]:
        """Why a layer that was asked for is not on, for a person to read."""
        fault = None if self._entailment is None else self._entailment.fault
        return () if fault is None else (fault,)

    def _rules(self, thresholds: Thresholds) -> Judge:
        return Judge(thresholds, self._entailment, self._asked)

    def _thresholds(self) -> Thresholds:
        if self._given is not None:
            return self._given
        model = None if self._meaning is None else self._meaning.model_id
        return CAUTIOUS if model is None else thresholds_for(model)


def _compared(
    old: Statement, new: Statement, record: Record, cosine: float | None, verdict: Verdict, thresholds: Thresholds
) -> Compared:
    neighbours = side_by_side(old, new)
    against = verdict.relation in (Relation.CONTRADICTS, Relation.UNSURE)
    near = cosine is not None and cosine >= thresholds.duplicate and verdict.relation is Relation.DUPLICATE
    same = not against and not neighbours and _adds_nothing(old, new) and (near or same_words(old.words, new.words))
    related = not against and not neighbours and cosine is not None and cosine >= thresholds.related
    return Compared(old.scope, old.path, record.order, old.words, cosine, verdict, same, related)


def _adds_nothing(old: Statement, new: Statement) -> bool:
    """Whether *new*, which says what *old* says, has no place of its own: it is a sentence, and not the value of an
    attribute that would be missed.
    """
    attribute = attribute_of(new.path)
    return attribute is None or attribute.path in _WORDED or attribute == attribute_of(old.path)


def _sharing(view: View, scope: str, text: str) -> Iterator[tuple[str, Record]]:
    """The leaves that share the most words with *text*, by the part of both that is shared."""
    words = content_words(text)
    scored = []
    for place, (path, record) in enumerate(view.leaves(scope)):
        if place == SCANNED:
            break
        others = content_words(f"{path} {record.sentence or sentence(path, record.value)}")
        shared = len(words & others)
        if shared:
            scored.append((shared / len(words | others), path, record))
    for _, path, record in heapq.nsmallest(NEAREST + 1, scored, key=lambda one: (-one[0], one[1])):
        yield path, record
