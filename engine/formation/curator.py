"""The curator: it alone forms learned memories. It reads, has a distiller propose, checks, decides, and says why.

``plan = curator.consider(signals)`` reads and distils, outside any transaction, for a model may take its time.
``plan.apply(transaction)`` looks at everything again as it stands then, writes, and takes the signals away, in the one
transaction in which the sweep has checked its claim. A plan whose signals another run has handled does nothing, and
the same plan applied twice changes nothing the second time. Nothing that any message or model says is obeyed: they
are data, and the rules in `guards` and `deciding` hold for every candidate alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..replica import Replica, Transaction
from . import counters, hypotheses, signals
from .candidates import Distilled, Distiller, Message
from .deciding import Decider
from .guards import Refusal, check
from .learning import CURATOR
from .reading import Reading, read, recorded_at
from .report import Outcome, Report, What
from .signals import Signal

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


class Curator:
    """Curates one replica with one distiller. Holds no state between runs."""

    def __init__(self, replica: Replica, distiller: Distiller) -> None:
        self._replica = replica
        self._distiller = distiller

    def consider(self, waiting: Sequence[Signal]) -> Plan:
        """What might come of *waiting*; writes nothing. May be slow, and raises what the distiller raises."""
        sessions: dict[str, list[Signal]] = {}
        for signal in waiting:
            sessions.setdefault(signal.session, []).append(signal)
        return Plan(tuple(self._part(session, its) for session, its in sessions.items()))

    def _part(self, session: str, its: Sequence[Signal]) -> _Part:
        with self._replica.read() as view:
            reading = read(view, session, its)
        distilled = Distilled()
        if reading.messages:
            distilled = self._distiller.distil(reading.messages, reading.context, reading.known)
        return _Part(tuple(its), reading, distilled)


class Plan:
    """What a curator has considered."""

    def __init__(self, parts: tuple[_Part, ...]) -> None:
        self._parts = parts

    def apply(self, transaction: Transaction) -> Report:
        """Writes what comes of it as things stand now, and takes away the signals that are done with. May run again
        from the start, as a transaction's work may.
        """
        done: list[Signal] = []
        report = Report()
        for part in self._parts:
            its = [signal for signal in part.read if signals.is_waiting(transaction.reader, signal)]
            notes = () if part.distilled.note is None else (part.distilled.note,)
            outcomes = _apply(transaction, part, its) if its else []
            rejected = part.distilled.rejected if its else {}
            report = report.joined(Report(len(its), 0, tuple(outcomes), dict(rejected), notes))
            done += its
        report = report.joined(Report(outcomes=tuple(tend(transaction))))
        signals.done(transaction.writer, done)
        counters.add(transaction.writer, report)
        return replace(report, waiting=signals.count(transaction.reader))


def tend(transaction: Transaction) -> list[Outcome]:
    """Makes memories of the hypotheses that have ripened, be it by what another device saw; adds those to a memory that
    say what it says; and drops those that nothing has repeated for long. O(sightings).
    """
    rule = hypotheses.read_rule(transaction)
    decider = Decider(transaction)
    outcomes = []
    for one in hypotheses.hypotheses(transaction):
        if one.is_ripe(rule) or decider.is_known(one):
            decided = decider.graduate(one)
            if decided is not None:
                outcomes.append(decided)
        elif one.has_faded(rule, transaction.wall_ms):
            hypotheses.remove(transaction, one.scope, one.sightings, CURATOR)
    return outcomes


def _apply(transaction: Transaction, part: _Part, its: Sequence[Signal]) -> list[Outcome]:
    own = {message.id: message for message in (*part.reading.messages, *part.reading.context)}
    now = {name: recorded_at(transaction, name) for name in own}
    recorded = {name: one for name, one in now.items() if one is not None}
    messages = {name: one.message for name, one in recorded.items()}
    decider = Decider(transaction)
    outcomes: list[Outcome] = []
    for candidate in part.distilled.candidates:
        found = check(candidate, own, messages)
        if isinstance(found, Refusal):
            outcomes.append(
                Outcome(What.REFUSED, candidate.path[:400], found.why, candidate.evidence, reason=found.reason)
            )
        else:
            outcomes += decider.take(candidate, found, recorded[found.message.id].agent)
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
