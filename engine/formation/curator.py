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
from ..scopes import PRIVATE, PUBLIC
from ..slots import SlotMap
from ..values import Value
from ..view import View
from . import counters, hypotheses, signals
from .attributes import is_private
from .candidates import Action, Distilled, Distiller, Message
from .comparing import Compared, Comparing, Judging, Meaning
from .contradictions import Asked, Entailment
from .deciding import Decider, Key, key_of
from .guards import Refusal, Support, check
from .learning import CURATOR
from .reading import Reading, read, recorded_at
from .report import Outcome, Report, What
from .signals import Signal
from .thresholds import Thresholds
from .wording import normal_value

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


class Curator:
    """Curates one replica with one distiller. Holds no state between runs.

    judge: says whether one memory contradicts another; by default the rules of `contradictions`.
    meaning: an embedder and the vectors of the memory; without one, words are compared.
    thresholds: from which cosine on memories are the same or related; by default those of the embedder.
    entailment: an inference model that the judge by rules asks about pairs that the rules cannot decide.
    asked: a language model that the judge by rules asks last, about pairs that nothing else can decide.
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
        self._compare = Comparing(replica, judge, meaning, thresholds, entailment, asked)

    def consider(self, waiting: Sequence[Signal]) -> Plan:
        """What might come of *waiting*; writes nothing. May be slow, and raises what the distiller raises.

        Without signals the plan still tends the hypotheses, which may have ripened by what another device saw.
        """
        sessions: dict[str, list[Signal]] = {}
        for signal in waiting:
            sessions.setdefault(signal.session, []).append(signal)
        parts = tuple(self._part(session, its) for session, its in sessions.items())
        compared = self._compared(parts)
        return Plan(parts, compared, self._compare.layers(), self._compare.faults())

    def _part(self, session: str, its: Sequence[Signal]) -> _Part:
        with self._replica.read() as view:
            reading = read(view, session, its)
        distilled = Distilled()
        if reading.messages:
            distilled = self._distiller.distil(reading.messages, reading.context, reading.known)
        return _Part(tuple(its), reading, distilled)

    def _compared(self, parts: Sequence[_Part]) -> dict[Key, Sequence[Compared]]:
        """What each statement that may be written is to be held against."""
        said: dict[Key, tuple[str, str, Value, str]] = {}
        for part in parts:
            own = part.own
            for one in part.distilled.candidates:
                if one.action is Action.STATE and isinstance(check(one, own, own), Support):
                    scope = PRIVATE if is_private(one.path) else PUBLIC
                    said[key_of(scope, one.path, one.value)] = (scope, one.path, one.value, one.sentence)
        with self._replica.read() as view:
            rule = hypotheses.read_rule(view)
            for ripe in hypotheses.hypotheses(view):
                if ripe.is_ripe(rule):
                    sentence = ripe.own[-1].sentence
                    said[key_of(ripe.scope, ripe.path, ripe.value)] = (ripe.scope, ripe.path, ripe.value, sentence)
            known = {key for key in said if _stands(view, key)}
        return {key: self._compare(*statement) for key, statement in said.items() if key not in known}


class Plan:
    """What a curator has considered."""

    def __init__(
        self,
        parts: Sequence[_Part],
        compared: Mapping[Key, Sequence[Compared]],
        layers: tuple[str, ...] = (),
        faults: tuple[str, ...] = (),
    ) -> None:
        self._parts = parts
        self._compared = compared
        self._judged = Report(notes=faults, layers=layers)

    def apply(self, transaction: Transaction) -> Report:
        """Writes what comes of it as things stand now, and takes away the signals that are done with. May run again
        from the start, as a transaction's work may.
        """
        done: list[Signal] = []
        report = Report()
        for part in self._parts:
            its = [signal for signal in part.read if signals.is_waiting(transaction.reader, signal)]
            notes = () if part.distilled.note is None else (part.distilled.note,)
            outcomes = _apply(transaction, part, its, self._compared) if its else []
            rejected = part.distilled.rejected if its else {}
            report = report.joined(Report(len(its), 0, tuple(outcomes), dict(rejected), notes))
            done += its
        report = report.joined(Report(outcomes=tuple(tend(transaction, self._compared)))).joined(self._judged)
        signals.done(transaction.writer, done)
        counters.add(transaction.writer, report)
        return replace(report, waiting=signals.count(transaction.reader))


def tend(transaction: Transaction, compared: Mapping[Key, Sequence[Compared]] = {}) -> list[Outcome]:
    """Makes memories of the hypotheses that have ripened, be it by what another device saw; adds those to a memory that
    say what it says; and drops those that nothing has repeated for long. O(sightings).
    """
    rule = hypotheses.read_rule(transaction)
    decider = Decider(transaction, compared)
    outcomes: list[Outcome] = []
    for one in hypotheses.hypotheses(transaction):
        if one.is_ripe(rule) or decider.is_known(one):
            outcomes += decider.graduate(one)
        elif one.has_faded(rule, transaction.wall_ms):
            hypotheses.remove(transaction, one.scope, one.sightings, CURATOR)
    return outcomes


def _stands(view: View, key: Key) -> bool:
    """Whether the statement stands there already, and there is nothing to compare."""
    scope, path, value = key
    record = view.get(scope, SlotMap.LEAVES, path)
    return record is not None and normal_value(record.value) == value


def _apply(
    transaction: Transaction, part: _Part, its: Sequence[Signal], compared: Mapping[Key, Sequence[Compared]]
) -> list[Outcome]:
    own = part.own
    now = {name: recorded_at(transaction, name) for name in own}
    recorded = {name: one for name, one in now.items() if one is not None}
    messages = {name: one.message for name, one in recorded.items()}
    decider = Decider(transaction, compared)
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
