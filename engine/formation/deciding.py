"""What becomes of one candidate, in the write transaction: the three buckets, by path and value first.

===========================================  ==================================================================
at its path stands                           and so
===========================================  ==================================================================
the person's own, the same                   a duplicate; nothing is written, the person's word needs no support
the person's own, another                    a suggestion to the person; nothing is overwritten
a learned one, the same                      a duplicate: its receipt is added, its age renewed
a learned one, another, said before          an update: the new one stands, the old one is in the history
a learned one, another, said since           nothing: what was said last counts, whenever it is curated
nothing, but the person deleted it since     nothing: what the person deleted is not learned from older words
nothing                                      a memory
===========================================  ==================================================================

What stands at *other* paths is compared only as far as `comparing` has found it near. Where one of those says the same,
it is confirmed instead; where one contradicts, it is flagged and kept (`beside`).

A weak sign, or one that is not the person's own word, is a sighting of a hypothesis instead, wherever it would write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vademecum.errors import SuggestionsFull

from ..records import Record
from ..replica import Transaction
from ..scopes import PRIVATE, PUBLIC
from ..sentences import show_value
from ..slots import Row, SlotMap
from ..values import Value
from . import hypotheses, learning, suggestions
from .attributes import ATTRIBUTES, attribute_of, is_private
from .beside import Beside
from .candidates import Action, Candidate
from .comparing import Compared
from .guards import Support, is_weak
from .hypotheses import Hypothesis, Sighting
from .learning import CURATOR, Source
from .report import Outcome, What
from .wording import normal_value, same_value

__all__ = ["Decider", "Key", "key_of"]

DOUBTED = 0.7
"""What is left of the confidence in what was said outright and may contradict another memory."""
GRADUATED = 0.6
"""Confidence of a memory that was made of sightings, at least; with each sighting beyond the first three it grows."""

Key = tuple[str, str, str]
_OWN_WORD = "The person wrote this themselves; their word needs no support."


class _Claim(NamedTuple):
    """What is to be written at a path, and which words say so: one candidate's, or those of all sightings."""

    scope: str
    path: str
    value: Value
    sentence: str
    kind: str
    confidence: float
    sources: list[Source]
    evidence: tuple[str, ...]
    outright: bool = True
    """Said outright, and not put together from signs."""

    @property
    def said_ms(self) -> int:
        return max(source.at_ms for source in self.sources)

    def outcome(self, what: What, why: str, **more: str | None) -> Outcome:
        return Outcome(what, self.path, why, self.evidence, self.scope, self.value, **more)


def key_of(scope: str, path: str, value: Value) -> Key:
    """Under what a statement's comparisons are found."""
    return scope, path, normal_value(value)


class Decider:
    """Decides and writes, for one run in one transaction."""

    def __init__(self, transaction: Transaction, compared: Mapping[Key, Sequence[Compared]] = {}) -> None:
        """*compared*: what each statement was held against, by `key_of`."""
        self._transaction = transaction
        self._compared = compared

    def take(self, candidate: Candidate, support: Support, agent: str | None) -> list[Outcome]:
        """What becomes of *candidate*, which `guards.check` has let through; *agent* logged the message that supports
        it.
        """
        source = self._source(candidate, support, agent)
        scope = PRIVATE if is_private(candidate.path) else PUBLIC
        claim = _Claim(
            scope,
            candidate.path,
            candidate.value,
            candidate.sentence,
            candidate.kind,
            candidate.confidence,
            [source],
            candidate.evidence,
        )
        if candidate.action is Action.END:
            return [self._end(claim, weak=is_weak(candidate, support))]
        if is_weak(candidate, support):
            return [self._sight(claim, support)]
        return self._state(claim)

    def is_known(self, hypothesis: Hypothesis) -> bool:
        """Whether a memory says already what the person gave these signs of."""
        record = self._transaction.get(hypothesis.scope, SlotMap.LEAVES, hypothesis.path)
        return bool(hypothesis.own) and record is not None and same_value(record.value, hypothesis.value)

    def graduate(self, hypothesis: Hypothesis) -> list[Outcome]:
        """Makes a memory of a ripe *hypothesis*, or adds its sightings to the memory that says the same already. Its
        sightings are then taken away; nothing, where what stands there forbids it.
        """
        own = hypothesis.own
        newest = own[-1]
        claim = _Claim(
            hypothesis.scope,
            hypothesis.path,
            hypothesis.value,
            newest.sentence,
            newest.kind,
            min(0.95, max(GRADUATED + 0.05 * max(0, len(own) - 3), *(one.confidence for one in own))),
            [Source(one.session, one.message, one.quote, one.at_ms, one.agent) for one in own],
            tuple(f"{one.session}:{one.message}" for one in own),
            outright=any(one.explicit for one in own),
        )
        first, *others = self._state(claim)
        if first.what is What.REFUSED:
            return []
        hypotheses.remove(self._transaction, hypothesis.scope, hypothesis.sightings, CURATOR)
        if first.what not in (What.MEMORY, What.UPDATE):
            return [first]
        seen = f"{len(own)} sightings in {hypothesis.conversations} conversations"
        return [claim.outcome(What.GRADUATED, f"It was seen often enough: {seen}. {first.why}"), *others]

    def _state(self, claim: _Claim) -> list[Outcome]:
        """What becomes of *claim*, first; then the links that this makes."""
        own = self._persons(claim)
        if own is not None:
            if same_value(own[1].value, claim.value) or _lists(own[1].value, claim.value):
                return [claim.outcome(What.DUPLICATE, _OWN_WORD)]
            return [self._suggest(claim, *own, f"The person wrote {show_value(own[1].value)!r} there themselves")]
        row = self._row(claim)
        beside = Beside(
            self._transaction, claim.scope, self._compared.get(key_of(claim.scope, claim.path, claim.value), ())
        )
        if row.winner is None:
            gone = self._gone_since(claim, row)
            if gone is not None:
                return [gone]
            same = beside.same
            if same is not None:
                return [self._merge(claim, same)]
            before = None
        elif same_value(row.winner.value, claim.value):
            return [self._confirm(claim, claim.path, row.winner)]
        elif claim.said_ms < learning.said_last(self._transaction, claim.scope, row.winner):
            why = f"Something else was said since: {show_value(row.winner.value)!r}. What was said last counts."
            return [claim.outcome(What.REFUSED, why, reason="outdated")]
        else:
            before = row.winner
        doubt = beside.doubt
        if doubt is not None and not claim.outright:
            return [self._suggest(claim, claim.scope, None, f"It may contradict “{doubt.words}”")]
        if doubt is not None:
            claim = claim._replace(confidence=round(claim.confidence * DOUBTED, 3))
        written = self._write(claim)
        return [_written(claim, before, doubt), *beside.link(written, claim.path, claim.evidence, claim.said_ms)]

    def _confirm(self, claim: _Claim, path: str, record: Record) -> Outcome:
        other = None if path == claim.path else f"{claim.scope}:{path}"
        where = "" if other is None else f" at {path}"
        if record.by_person:
            return claim.outcome(What.DUPLICATE, _OWN_WORD, other=other)
        if learning.confirm(self._transaction, claim.scope, path, record, claim.sources):
            why = f"It is known already{where}: the receipt was added, and its age renewed."
            return claim.outcome(What.DUPLICATE, why, other=other)
        return claim.outcome(What.DUPLICATE, f"It is known already{where}, from this very message.", other=other)

    def _merge(self, claim: _Claim, same: Compared) -> Outcome:
        """The same said of old at another path."""
        record = self._transaction.get(same.scope, SlotMap.LEAVES, same.path)
        assert record is not None, "what is beside was looked up in this transaction"
        return self._confirm(claim, same.path, record)

    def _sight(self, claim: _Claim, support: Support) -> Outcome:
        row = self._row(claim)
        own = self._persons(claim)
        by_person = support.demoted is None
        if own is not None and (same_value(own[1].value, claim.value) or _lists(own[1].value, claim.value)):
            return claim.outcome(What.DUPLICATE, _OWN_WORD)
        if row.winner is not None and same_value(row.winner.value, claim.value):
            if not by_person:
                return claim.outcome(What.DUPLICATE, f"It is known already, and not confirmed: {support.demoted}.")
            learning.confirm(self._transaction, claim.scope, claim.path, row.winner, claim.sources)
            return claim.outcome(What.DUPLICATE, "It is known already; this sign of it was added to its receipts.")
        gone = self._gone_since(claim, row)
        if gone is not None:
            return gone
        sighting = _sighting(claim, support)
        kept = hypotheses.keep(self._transaction, claim.scope, sighting, CURATOR)
        why = "A sign, and no more" if by_person else f"At most a hypothesis: {support.demoted}"
        return claim.outcome(What.HYPOTHESIS, f"{why}. " + ("It is kept." if kept else "It was kept before."))

    def _end(self, claim: _Claim, *, weak: bool) -> Outcome:
        if weak:
            return claim.outcome(What.NOTHING, "Only a hint that something ended; nothing ends by a hint.")
        own = self._persons(claim)
        if own is not None:
            if claim.value is not None and not same_value(own[1].value, claim.value):
                return claim.outcome(What.NOTHING, "What ended is not what stands there.")
            because = f"The person wrote {show_value(own[1].value)!r} there themselves"
            return self._suggest(claim._replace(value=None, sentence=""), *own, because, ends=True)
        self._drop_sightings(claim)
        found = self._standing(claim)
        if found is None:
            return claim.outcome(What.NOTHING, "Nothing is known of what ended.")
        path, record = found
        if claim.said_ms < learning.said_last(self._transaction, claim.scope, record):
            return claim.outcome(What.REFUSED, "It was said again since.", reason="outdated")
        learning.end(self._transaction, claim.scope, path, claim.sources[0])
        return claim._replace(path=path, value=record.value).outcome(
            What.ENDED, f"The person said that it is no longer so: “{claim.sources[0].quote}”."
        )

    def _drop_sightings(self, claim: _Claim) -> None:
        """What has ended is no hypothesis any more."""
        gone = [
            one
            for one in hypotheses.sightings(self._transaction, claim.scope)
            if one.path == claim.path
            and one.at_ms <= claim.said_ms
            and (claim.value is None or same_value(one.value, claim.value))
        ]
        hypotheses.remove(self._transaction, claim.scope, gone, CURATOR)

    def _standing(self, claim: _Claim) -> tuple[str, Record] | None:
        """What ended: the leaf at the path if it has the value, else the one below it that has."""
        row = self._row(claim)
        if row.winner is not None:
            fits = claim.value is None or same_value(row.winner.value, claim.value)
            return (claim.path, row.winner) if fits else None
        if claim.value is None or claim.path not in ATTRIBUTES or not ATTRIBUTES[claim.path].many:
            return None
        for path, record in self._transaction.leaves(claim.scope, claim.path):
            named = path.rpartition(".")[2].replace("-", " ")
            if not record.by_person and (same_value(record.value, claim.value) or same_value(named, claim.value)):
                return path, record
        return None

    def _gone_since(self, claim: _Claim, row: Row) -> Outcome | None:
        """The refusal, where what stood at the path was deleted after the words were said."""
        deleted = _deleted_by_person(row)
        if deleted is not None and claim.said_ms <= deleted:
            return claim.outcome(What.REFUSED, "The person deleted this after the words were said.", reason="protected")
        ended = [
            learning.said_last(self._transaction, claim.scope, slot.record)
            for slot in row.slots
            if slot.record.deleted and not slot.by_person and not slot.record.swept
        ]
        if ended and claim.said_ms < max(ended):
            return claim.outcome(What.REFUSED, "It was said since that it is no longer so.", reason="outdated")
        return None

    def _suggest(
        self, claim: _Claim, scope: str, record: Record | None, because: str, *, ends: bool = False
    ) -> Outcome:
        """Asks the person, once; what they have rejected is not asked again."""
        path = claim.path
        wanted: suggestions.Wanted = suggestions.ENDED if ends else claim.value
        no = suggestions.why_not(self._transaction, scope, path, wanted)
        if no is not None:
            return claim.outcome(What.NOTHING, no)
        receipts = [learning.cite(self._transaction, scope, source) for source in claim.sources]
        try:
            asked = suggestions.suggest(
                self._transaction,
                CURATOR,
                scope,
                path,
                wanted,
                receipts,
                kind=claim.kind,
                confidence=claim.confidence,
                sentence=claim.sentence or None,
            )
        except SuggestionsFull as full:
            return claim.outcome(What.NOTHING, full.message)
        stays = "" if record is None else "so it stays; "
        return claim.outcome(What.SUGGESTION, f"{because}, {stays}the person is asked.", other=asked)

    def _write(self, claim: _Claim) -> Record:
        return learning.learn(
            self._transaction,
            claim.scope,
            claim.path,
            claim.value,
            claim.sources,
            sentence=claim.sentence,
            kind=claim.kind,
            confidence=claim.confidence,
        )

    def _row(self, claim: _Claim) -> Row:
        return self._transaction.row(claim.scope, SlotMap.LEAVES, claim.path)

    def _persons(self, claim: _Claim) -> tuple[str, Record] | None:
        """What the person wrote at the path, in either scope, or as a list of the attribute that names the value."""
        for scope in (PUBLIC, PRIVATE):
            record = self._transaction.get(scope, SlotMap.LEAVES, claim.path)
            if record is not None and record.by_person:
                return scope, record
        attribute = attribute_of(claim.path)
        if attribute is not None and attribute.many and attribute.path != claim.path:
            for scope in (PUBLIC, PRIVATE):
                record = self._transaction.get(scope, SlotMap.LEAVES, attribute.path)
                if record is not None and record.by_person and _lists(record.value, claim.value):
                    return scope, record
        return None

    def _source(self, candidate: Candidate, support: Support, agent: str | None) -> Source:
        message = support.message
        name = message.id.partition(":")[2]
        at_ms = min(message.at_ms, self._transaction.wall_ms)
        return Source(message.session, name, candidate.quote.strip(), at_ms, agent)


def _written(claim: _Claim, before: Record | None, doubt: Compared | None) -> Outcome:
    unsure = "" if doubt is None else f" It may contradict “{doubt.words}”, so it counts for less."
    if before is None:
        return claim.outcome(What.MEMORY, f"The person said so: “{claim.sources[-1].quote}”.{unsure}")
    why = f"It was {show_value(before.value)!r} until now, which is kept in the history.{unsure}"
    return claim.outcome(What.UPDATE, why)


def _sighting(claim: _Claim, support: Support) -> Sighting:
    source = claim.sources[0]
    return Sighting(
        claim.path,
        claim.value,
        claim.sentence,
        claim.kind,
        claim.confidence,
        support.source,
        source.session,
        source.message,
        source.quote,
        source.agent,
        source.at_ms,
    )


def _lists(held: Value, value: Value) -> bool:
    """Whether the list *held* names *value*."""
    return isinstance(held, list) and normal_value(value) in {normal_value(item) for item in held}


def _deleted_by_person(row: Row) -> int | None:
    """When the person deleted what stood there, by the wall clock, in milliseconds."""
    times = [slot.record.updated for slot in row.slots if slot.by_person and slot.record.deleted]
    return max(times, default=None)
