"""What a new memory does to those it was compared with: it says the same, is linked to them, or flags one of them.

Whatever stands beside is never changed or deleted: the most that another memory can do to it is a link. What was
written since it was compared is left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from vademecum.errors import SuggestionsFull

from ..records import Record
from ..replica import Transaction
from ..slots import SlotMap
from . import suggestions
from .comparing import Compared
from .contradictions import Relation
from .learning import CURATOR, said_since
from .links import LinkType, link
from .report import Outcome, What

__all__ = ["Beside"]

MOST_LINKS = 2
"""Links of one new memory to others that are merely related; more would tell nothing."""


class Beside:
    """The memories of one scope that one statement was compared with, as far as they stand as they did."""

    def __init__(self, transaction: Transaction, scope: str, compared: Sequence[Compared]) -> None:
        self._transaction = transaction
        self._scope = scope
        self._found = [
            (one, record)
            for one in compared
            if (record := transaction.get(scope, SlotMap.LEAVES, one.path)) is not None and record.order == one.order
        ]

    @property
    def same(self) -> tuple[str, Record] | None:
        """The path and record of the nearest that says the same, where the new one has nothing to add."""
        return next(((one.path, record) for one, record in self._found if one.is_same), None)

    @property
    def doubt(self) -> Compared | None:
        """The nearest that the new one may contradict; a hint, and no verdict."""
        return next((one for one, _ in self._found if one.verdict.relation is Relation.UNSURE), None)

    def link(self, written: Record, path: str, evidence: tuple[str, ...], said_ms: int) -> list[Outcome]:
        """Links what was just *written* at *path*, because of words said at *said_ms*, with what stands beside it."""
        outcomes = []
        related = 0
        for one, record in self._found:
            if one.path == path:
                continue
            new, old = (self._scope, path), (self._scope, one.path)
            why = "; ".join(one.verdict.reasons)
            if one.verdict.contradicts:
                # whoever spoke last is right, whenever it is curated
                since = said_since(self._transaction, self._scope, record, said_ms, self._transaction.wall_ms)
                newer, older = (old, new) if since else (new, old)
                if newer == new and record.by_person:
                    outcomes += self._ask(one, path, written, evidence)
                    continue
                kind, what = LinkType.CONTRADICTS, What.CONTRADICTION
            elif related < MOST_LINKS and (one.is_same or one.is_related):
                newer, older = new, old
                kind, what = _kind(one), What.LINK
                related += 1
            else:
                continue
            made = link(
                self._transaction,
                kind,
                newer,
                older,
                writer=CURATOR,
                why=why,
                confidence=one.verdict.confidence,
                receipts=written.receipts,
            )
            if made:
                outcomes.append(_outcome(what, kind, newer, older, one, evidence))
        return outcomes

    def _ask(self, one: Compared, path: str, written: Record, evidence: tuple[str, ...]) -> list[Outcome]:
        """What the person wrote is not flagged by what was learned: they are asked whether it is still so."""
        if suggestions.why_not(self._transaction, self._scope, one.path, suggestions.ENDED) is not None:
            return []
        try:
            asked = suggestions.suggest(
                self._transaction, CURATOR, self._scope, one.path, suggestions.ENDED, written.receipts
            )
        except SuggestionsFull:
            return []
        reasons = "; ".join(one.verdict.reasons)
        why = f"The person wrote {one.path} (“{one.words}”) themselves, so it stays, and they are asked: {reasons}."
        return [Outcome(What.SUGGESTION, path, why, evidence, self._scope, other=asked)]


def _kind(one: Compared) -> LinkType:
    if one.is_same or one.verdict.relation is Relation.DUPLICATE:
        return LinkType.CONFIRMS
    return LinkType.ELABORATES if one.verdict.relation is Relation.ENTAILS else LinkType.EXTENDS


def _outcome(
    what: What,
    kind: LinkType,
    newer: tuple[str, str],
    older: tuple[str, str],
    one: Compared,
    evidence: tuple[str, ...],
) -> Outcome:
    reasons = "; ".join(one.verdict.reasons)
    near = "" if one.similarity is None else f", cosine {one.similarity:.2f}"
    flagged = " It is flagged and kept." if what is What.CONTRADICTION else ""
    why = f"It {kind} {older[1]} (“{one.words}”): {reasons}{near}.{flagged}"
    return Outcome(what, newer[1], why, evidence, newer[0], other=":".join(older))
