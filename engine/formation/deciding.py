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
So is, without being lost, what was said outright and for which the budget has no room; after `MOST_REFUSALS` of these
in one run nothing new is tried any more.
"""

from __future__ import annotations

from dataclasses import dataclass

from vademecum.errors import BudgetExceeded, SuggestionsFull

from ..records import Record
from ..replica import Transaction
from ..sentences import show_value
from ..slots import SlotMap
from . import budget, hypotheses, learning, suggestions
from .assertions import Assertion, of_candidate, of_hypothesis
from .beside import Beside
from .candidates import Action, Candidate
from .comparing import Compared
from .guards import Support, is_weak
from .hypotheses import Hypothesis
from .inquiry import Inquiry
from .learning import CURATOR
from .report import Outcome, What
from .standing import ended, gone_since, persons, repeats, says
from .wording import same_value

__all__ = ["Decider", "Run"]

DOUBTED = 0.7
"""What is left of the confidence in what was said outright and may contradict another memory."""
MOST_REFUSALS = 3
"""Refusals for want of room in one run, after which the curator stops trying."""

_OWN_WORD = "The person wrote this themselves; their word needs no support."


@dataclass
class Run:
    """One run of a curator, over as many transactions as it takes. ``refused``: how often there was no room."""

    refused: int = 0


class Decider:
    """Decides and writes, in one transaction."""

    def __init__(
        self,
        transaction: Transaction,
        inquiry: Inquiry | None = None,
        run: Run | None = None,
    ) -> None:
        """*inquiry*: what was asked before the transaction."""
        self._transaction = transaction
        self._inquiry = inquiry or Inquiry()
        self._run = run or Run()

    def take(self, candidate: Candidate, support: Support, agent: str | None, logged_ms: int) -> list[Outcome]:
        """What becomes of *candidate*, which `guards.check` has let through; *agent* logged the message that supports
        it, at *logged_ms*.
        """
        said = of_candidate(candidate, support, agent, min(logged_ms, self._transaction.wall_ms))
        if candidate.action is Action.END:
            return [self._end(said, weak=is_weak(candidate, support))]
        if is_weak(candidate, support):
            return [self._sight(said)]
        return self._state(said)

    def is_known(self, hypothesis: Hypothesis) -> bool:
        """Whether a memory says already what the person gave these signs of."""
        record = self._transaction.get(hypothesis.scope, SlotMap.LEAVES, hypothesis.path)
        return bool(hypothesis.own) and record is not None and same_value(record.value, hypothesis.value)

    def may_graduate(self, hypothesis: Hypothesis) -> bool:
        """Whether there is room for a memory of it, or it needs none, since something stands or stood at its path."""
        if budget.used(self._transaction) < budget.limit_of(self._transaction):
            return True
        return bool(self._transaction.row(hypothesis.scope, SlotMap.LEAVES, hypothesis.path).slots)

    def graduate(self, hypothesis: Hypothesis) -> list[Outcome]:
        """Makes a memory of a ripe *hypothesis*, or adds its sightings to the memory that says the same already. Its
        sightings are then taken away, and where the words have been overtaken since; not for want of room.
        """
        said = of_hypothesis(hypothesis)
        first, *others = self._state(said, waited=True)
        if first.reason in ("budget", "stopped"):
            return []
        hypotheses.remove(self._transaction, hypothesis.scope, hypothesis.sightings, CURATOR)
        if first.what is What.REFUSED:
            return []
        if first.what not in (What.MEMORY, What.UPDATE):
            return [first]
        seen = f"{len(hypothesis.own)} sightings in {hypothesis.conversations} conversations"
        earned = f"It was seen often enough: {seen}." if not said.outright else "There is room for it now."
        return [said.outcome(What.GRADUATED, f"{earned} {first.why}"), *others]

    def _state(self, said: Assertion, *, waited: bool = False) -> list[Outcome]:
        """What becomes of *said*, first; then the links that this makes. *waited*: it is kept as sightings already."""
        own = persons(self._transaction, said)
        if own is not None:
            if says(own[1], said.value):
                return [said.outcome(What.DUPLICATE, _OWN_WORD)]
            return [self._suggest(said, *own)]
        row = self._transaction.row(said.scope, SlotMap.LEAVES, said.path)
        before = row.winner
        if before is not None and repeats(before, said.value):
            return [self._confirm(said, said.path, before)]
        if before is not None and self._said_since(said, before):
            why = f"Something else was said since: {show_value(before.value)!r}. What was said last counts."
            return [said.outcome(What.REFUSED, why, reason="outdated")]
        beside = Beside(self._transaction, said.scope, self._inquiry.compared.get(said.key, ()))
        if before is None:
            gone = gone_since(self._transaction, said, row)
            if gone is not None:
                return [gone]
            if beside.same is not None:
                return [self._confirm(said, *beside.same)]
        doubt = beside.doubt
        if doubt is not None and not said.outright:
            return [self._suggest(said, said.scope, None, f"It may contradict “{doubt.words}”, so")]
        if before is None:
            refused = self._no_room(said, waited=waited)
            if refused is not None:
                return [refused]
        if doubt is not None:
            said = said._replace(confidence=round(said.confidence * DOUBTED, 3))
        written = self._write(said)
        return [_written(said, before, doubt), *beside.link(written, said.path, said.evidence, said.said_ms)]

    def _no_room(self, said: Assertion, *, waited: bool) -> Outcome | None:
        """The refusal, where the budget has no room for one more; the words are kept until it has."""
        if self._run.refused >= MOST_REFUSALS:
            reason, why = "stopped", f"There was no room {MOST_REFUSALS} times in this run, so no more was tried."
        else:
            try:
                budget.check(self._transaction, creates=1)
            except BudgetExceeded as full:
                self._run.refused += not waited
                reason, why = "budget", f"{full.budget.used} of {full.budget.limit} memories are taken."
            else:
                return None
        if not waited:
            for sighting in said.sightings(explicit=True):
                hypotheses.keep(self._transaction, said.scope, sighting, CURATOR)
        return said.outcome(What.REFUSED, f"{why} It is kept, and becomes a memory once there is room.", reason=reason)

    def _confirm(self, said: Assertion, path: str, record: Record) -> Outcome:
        other = None if path == said.path else f"{said.scope}:{path}"
        where = "" if other is None else f" at {path}"
        if record.by_person:
            return said.outcome(What.DUPLICATE, _OWN_WORD, other=other)
        if learning.confirm(self._transaction, said.scope, path, record, said.sources):
            why = f"It is known already{where}: the receipt was added, and its age renewed."
            return said.outcome(What.DUPLICATE, why, other=other)
        return said.outcome(What.DUPLICATE, f"It is known already{where}, from this very message.", other=other)

    def _sight(self, said: Assertion) -> Outcome:
        own = persons(self._transaction, said)
        if own is not None and says(own[1], said.value):
            return said.outcome(What.DUPLICATE, _OWN_WORD)
        row = self._transaction.row(said.scope, SlotMap.LEAVES, said.path)
        if row.winner is not None and repeats(row.winner, said.value):
            if said.demoted is not None:
                return said.outcome(What.DUPLICATE, f"It is known already, and not confirmed: {said.demoted}.")
            return self._confirm(said, said.path, row.winner)
        gone = gone_since(self._transaction, said, row)
        if gone is not None:
            return gone
        like = self._inquiry.alike.get(said.key)
        if like is not None and hypotheses.is_held(self._transaction, said.scope, like.group):
            said = said._replace(path=like.path, value=like.value)
        kept = [hypotheses.keep(self._transaction, said.scope, one, CURATOR) for one in said.sightings()]
        why = "A sign, and no more" if said.demoted is None else f"At most a hypothesis: {said.demoted}"
        return said.outcome(What.HYPOTHESIS, f"{why}. " + ("It is kept." if any(kept) else "It was kept before."))

    def _end(self, said: Assertion, *, weak: bool) -> Outcome:
        if weak:
            return said.outcome(What.NOTHING, "Only a hint that something ended; nothing ends by a hint.")
        own = persons(self._transaction, said)
        if own is not None:
            if said.value is not None and not same_value(own[1].value, said.value):
                return said.outcome(What.NOTHING, "What ended is not what stands there.")
            return self._suggest(said._replace(value=None, sentence=""), *own, ends=True)
        self._drop_sightings(said)
        found = ended(self._transaction, said)
        if found is None:
            return said.outcome(What.NOTHING, "Nothing is known of what ended.")
        path, record = found
        if self._said_since(said, record):
            return said.outcome(What.REFUSED, "It was said again since.", reason="outdated")
        learning.end(self._transaction, said.scope, path, said.sources[0])
        why = f"The person said that it is no longer so: “{said.sources[0].quote}”."
        return said._replace(path=path, value=record.value).outcome(What.ENDED, why)

    def _drop_sightings(self, said: Assertion) -> None:
        """What has ended is no hypothesis any more."""
        gone = [
            one
            for one in hypotheses.sightings(self._transaction, said.scope)
            if one.path == said.path
            and one.at_ms <= said.said_ms
            and (said.value is None or same_value(one.value, said.value))
        ]
        hypotheses.remove(self._transaction, said.scope, gone, CURATOR)

    def _suggest(
        self, said: Assertion, scope: str, record: Record | None, because: str = "", *, ends: bool = False
    ) -> Outcome:
        """Asks the person, once; what they have rejected is not asked again."""
        wanted: suggestions.Wanted = suggestions.ENDED if ends else said.value
        no = suggestions.why_not(self._transaction, scope, said.path, wanted)
        if no is not None:
            return said.outcome(What.NOTHING, no)
        receipts = [learning.cite(self._transaction, scope, source) for source in said.sources]
        try:
            asked = suggestions.suggest(
                self._transaction,
                CURATOR,
                scope,
                said.path,
                wanted,
                receipts,
                kind=said.kind,
                confidence=said.confidence,
                sentence=said.sentence or None,
            )
        except SuggestionsFull as full:
            return said.outcome(What.NOTHING, full.message)
        if record is not None:
            because = f"The person wrote {show_value(record.value)!r} there themselves, so it stays;"
        return said.outcome(What.SUGGESTION, f"{because} the person is asked.", other=asked)

    def _said_since(self, said: Assertion, record: Record) -> bool:
        now = self._transaction.wall_ms
        return learning.said_since(self._transaction, said.scope, record, said.said_ms, now)

    def _write(self, said: Assertion) -> Record:
        return learning.learn(
            self._transaction,
            said.scope,
            said.path,
            said.value,
            said.sources,
            sentence=said.sentence,
            kind=said.kind,
            confidence=said.confidence,
        )


def _written(said: Assertion, before: Record | None, doubt: Compared | None) -> Outcome:
    unsure = "" if doubt is None else f" It may contradict “{doubt.words}”, so it counts for less."
    if before is None:
        return said.outcome(What.MEMORY, f"The person said so: “{said.sources[-1].quote}”.{unsure}")
    why = f"It was {show_value(before.value)!r} until now, which is kept in the history.{unsure}"
    return said.outcome(What.UPDATE, why)
