"""The curator: it alone forms learned memories. It reads, has a distiller propose, checks, decides, and says why.

``plan = curator.consider(signals)`` reads and distils, outside any transaction, for a model may take its time.
``plan.apply(transaction)`` looks at everything again as it stands then, writes, and takes the signals away, in the one
transaction in which the sweep has checked its claim. A plan whose signals another run has handled does nothing, and
the same plan applied twice changes nothing the second time. Nothing that any message or model says is obeyed: they
are data, and the rules in `guards` and `deciding` hold for every candidate alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..replica import Replica, Transaction
from . import counters, hypotheses, signals
from .candidates import Distilled, Distiller, Message
from .deciding import Decider
from .guards import Refusal, check
from .learning import CURATOR
from .reading import Reading, message_at, read
from .report import Outcome, Report, What
from .signals import Signal

__all__ = ["CURATOR", "Curator", "Plan"]


@dataclass(frozen=True, slots=True)
class _Part:
    """The signals of one session, what was read for them, and what the distiller made of it."""

    signals: tuple[Signal, ...]
    reading: Reading
    distilled: Distilled


class Curator:
    """Curates one replica with one distiller. Holds no state between runs."""

    def __init__(self, replica: Replica, distiller: Distiller) -> None:
        self._replica = replica
        self._distiller = distiller

    def consider(self, waiting: Sequence[Signal]) -> Plan:
        """What might come of *waiting*; writes nothing. May be slow, and raises what the distiller raises.

        Without signals the plan still tends the hypotheses, which may have ripened by what another device saw.
        """
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
        """Writes what comes of it as things stand now. May run again from the start, as a transaction's work may."""
        report = Report()
        dropped = 0
        for part in self._parts:
            one, idle = _apply(transaction, part)
            report, dropped = report.joined(one), dropped + idle
        report = report.joined(Report(outcomes=tuple(_tend(transaction))))
        counters.add(transaction.writer, report, dropped)
        return report.joined(Report(waiting=signals.count(transaction.reader)))


def _apply(transaction: Transaction, part: _Part) -> tuple[Report, int]:
    """The report, and how many signals came to nothing."""
    unread = set(part.distilled.unread)
    handled = [
        signal for signal in part.signals if signal.id not in unread and signals.is_waiting(transaction.reader, signal)
    ]
    notes = () if part.distilled.note is None else (part.distilled.note,)
    if not handled:
        return Report(notes=notes), 0
    outcomes: list[Outcome] = []
    own = {message.id: message for message in (*part.reading.messages, *part.reading.context)}
    recorded = _recorded(transaction, own)
    decider = Decider(transaction, part.reading.agent)
    for candidate in part.distilled.candidates:
        found = check(candidate, own, recorded)
        if isinstance(found, Refusal):
            outcomes.append(
                Outcome(What.REFUSED, candidate.path[:400], found.why, candidate.evidence, reason=found.reason)
            )
        else:
            outcomes += decider.take(candidate, found)
    cited = {message for outcome in outcomes for message in outcome.evidence}
    idle = [signal for signal in handled if signal.id not in cited]
    outcomes += [Outcome(What.NOTHING, None, _why_nothing(signal, own, recorded), (signal.id,)) for signal in idle]
    signals.done(transaction.writer, handled)
    return Report(len(handled), 0, tuple(outcomes), dict(part.distilled.rejected), notes), len(idle)


def _recorded(transaction: Transaction, own: dict[str, Message]) -> dict[str, Message]:
    found = {message: message_at(transaction, message) for message in own}
    return {name: message for name, message in found.items() if message is not None}


def _why_nothing(signal: Signal, own: dict[str, Message], recorded: dict[str, Message]) -> str:
    if signal.id in own and signal.id not in recorded:
        return "The message was forgotten."
    if signal.id not in own:
        return "Nothing in it is the person's own word: it was forgotten, or shown out of the memory."
    return "Nothing in it is worth keeping."


def _tend(transaction: Transaction) -> list[Outcome]:
    """Hypotheses that have ripened become memories, those that nothing repeats are dropped."""
    rule = hypotheses.read_rule(transaction)
    outcomes = []
    for one in hypotheses.hypotheses(transaction):
        if one.is_ripe(rule):
            decided = Decider(transaction, None).graduate(one)
            if decided is not None:
                outcomes.append(decided)
        elif one.has_faded(rule, transaction.wall_ms):
            hypotheses.remove(transaction, one.scope, one.sightings, CURATOR)
    return outcomes
