"""The curator: it alone forms learned memories. It reads, has a distiller propose, checks, decides, and says why.

``plan = curator.consider(signals)`` reads and distils, outside any transaction, for a model may take its time.
``plan.apply(transaction)`` looks at everything again as it stands then, writes, and takes the signals away, in the one
transaction in which the sweep has checked its claim. A plan whose signals another run has handled does nothing, and
the same plan applied twice changes nothing the second time. Nothing that any message or model says is obeyed: they
are data, and the rules in `guards` and `deciding` hold for every candidate alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..replica import Replica, Transaction
from . import counters, hypotheses, signals
from .candidates import Candidate, Distilled, Distiller, Message
from .comparing import Comparing, Judging, Meaning
from .contradictions import Asked, Entailment
from .deciding import Decider, Run
from .guards import Refusal, Support, check
from .inquiry import Inquiry, inquire
from .learning import CURATOR
from .reading import Reading, read, recorded_at
from .reconciling import reconcile
from .report import Outcome, Report, What
from .signals import Signal
from .thresholds import Thresholds

__all__ = ["CURATOR", "Curator", "Plan", "tend"]


@dataclass(frozen=True, slots=True)
class _Part:
    """The signals of one session, what was read for them, and what the distiller made of it."""

    signals: tuple[Signal, ...]
    reading: Reading
    distilled: Distilled

    @property
    def read(self) -> list[Signal]:
        unread = set(self.distilled.unread)
        return [signal for signal in self.signals if signal.id not in unread]

    @property
    def own(self) -> dict[str, Message]:
        """The messages that the distiller was given, by id."""
        return {message.id: message for message in (*self.reading.messages, *self.reading.context)}

    def proposed(self) -> Iterator[tuple[Candidate, Support]]:
        """The candidates that pass as things stand, each with the message that supports it."""
        own = self.own
        for candidate in self.distilled.candidates:
            found = check(candidate, own, own)
            if isinstance(found, Support):
                yield candidate, found


class Curator:
    """Curates one replica with one distiller, for one run: a few groups of signals, one after the other.

    judge: says whether one memory contradicts another; by default the rules of `contradictions`, and after them
        *entailment*, an inference model, and *asked*, a language model, where they are given.
    meaning: an embedder and the vectors of the memory; without one, words are compared.
    thresholds: from which cosine on memories are the same or related; by default those of the embedder.
    """

    def __init__(
        self,
        replica: Replica,
        distiller: Distiller,
        *,
        judge: Judging | None = None,
        meaning: Meaning | None = None,
        thresholds: Thresholds | None = None,
        entailment: Entailment | None = None,
        asked: Asked | None = None,
    ) -> None:
        self._replica = replica
        self._distiller = distiller
        self._run = Run()
        self._compare = Comparing(replica, judge, meaning, thresholds, entailment, asked)

    def consider(self, waiting: Sequence[Signal]) -> Plan:
        """What might come of *waiting*; writes nothing. May be slow, and raises what the distiller raises.

        Without signals the plan still tends the hypotheses, which may have ripened by what another device saw.
        """
        sessions: dict[str, list[Signal]] = {}
        for signal in waiting:
            sessions.setdefault(signal.session, []).append(signal)
        parts = tuple(self._part(session, its) for session, its in sessions.items())
        proposed = [one for part in parts for one in part.proposed()]
        inquiry = inquire(self._replica, self._compare, proposed)
        judged = Report(notes=self._compare.faults(), layers=self._compare.layers())
        return Plan(parts, inquiry, self._run, judged)

    def _part(self, session: str, its: Sequence[Signal]) -> _Part:
        with self._replica.read() as view:
            reading = read(view, session, its)
        distilled = Distilled()
        if reading.messages:
            distilled = self._distiller.distil(reading.messages, reading.context, reading.known)
        return _Part(tuple(its), reading, distilled)


class Plan:
    """What a curator has considered."""

    def __init__(self, parts: Sequence[_Part], inquiry: Inquiry, run: Run, judged: Report) -> None:
        self._parts = parts
        self._inquiry = inquiry
        self._judged = judged
        self._run = run
        self._refused = run.refused

    def apply(self, transaction: Transaction) -> Report:
        """Writes what comes of it as things stand now, and takes away the signals that are done with. May run again
        from the start, as a transaction's work may.
        """
        done: list[Signal] = []
        report = Report()
        self._run.refused = self._refused  # what a transaction that was not kept has counted does not count
        decider = Decider(transaction, self._inquiry, self._run)
        for part in self._parts:
            its = [signal for signal in part.read if signals.is_waiting(transaction.reader, signal)]
            notes = () if part.distilled.note is None else (part.distilled.note,)
            outcomes = _apply(transaction, part, its, decider) if its else []
            rejected = part.distilled.rejected if its else {}
            report = report.joined(Report(len(its), 0, tuple(outcomes), dict(rejected), notes))
            done += its
        report = report.joined(Report(outcomes=tuple(_tend(transaction, decider)))).joined(self._judged)
        signals.done(transaction.writer, done)
        counters.add(transaction.writer, report)
        return replace(report, waiting=signals.count(transaction.reader))


def tend(transaction: Transaction) -> list[Outcome]:
    """Makes memories of the hypotheses that have ripened, be it by what another device saw; adds those to a memory that
    say what it says; and drops those that nothing has repeated for long. Where devices have curated apart, lets stand
    what was said last. O(sightings + leaves of known attributes).
    """
    return _tend(transaction, Decider(transaction))


def _tend(transaction: Transaction, decider: Decider) -> list[Outcome]:
    rule = hypotheses.read_rule(transaction)
    outcomes = reconcile(transaction)
    for one in hypotheses.hypotheses(transaction):
        if decider.is_known(one) or (one.is_ripe(rule) and decider.may_graduate(one)):
            outcomes += decider.graduate(one)
        elif one.has_faded(rule, transaction.wall_ms) and not one.is_ripe(rule):
            hypotheses.remove(transaction, one.scope, one.sightings, CURATOR)
    return outcomes


def _apply(transaction: Transaction, part: _Part, its: Sequence[Signal], decider: Decider) -> list[Outcome]:
    own = part.own
    now = {name: recorded_at(transaction, name) for name in own}
    recorded = {name: one for name, one in now.items() if one is not None}
    messages = {name: one.message for name, one in recorded.items()}
    outcomes: list[Outcome] = []
    for candidate in part.distilled.candidates:
        found = check(candidate, own, messages)
        if isinstance(found, Refusal):
            outcomes.append(
                Outcome(What.REFUSED, candidate.path[:400], found.why, candidate.evidence, reason=found.reason)
            )
        else:
            by = recorded[found.message.id]
            outcomes += decider.take(candidate, found, by.agent, by.logged_ms)
    cited = {message for outcome in outcomes for message in outcome.evidence}
    return outcomes + [
        Outcome(What.NOTHING, None, _why_nothing(signal.id, own, messages), (signal.id,))
        for signal in its
        if signal.id not in cited
    ]


def _why_nothing(message: str, own: Mapping[str, Message], recorded: Mapping[str, Message]) -> str:
    if message in own and message not in recorded:
        return "The message was forgotten."
    if message not in own:
        return "Nothing in it is the person's own word: it was forgotten, or shown out of the memory."
    return "Nothing in it is worth keeping."
