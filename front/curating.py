"""Curating as a person looks at it: a run that changes nothing, and what came of each message, in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from vademecum.engine.formation import signals
from vademecum.engine.formation.curator import Curator
from vademecum.engine.formation.report import Outcome, Report
from vademecum.engine.messages import message_parts
from vademecum.engine.replica import Replica, Transaction
from vademecum.engine.slots import SlotMap
from vademecum.engine.times import show_time

__all__ = ["Explained", "dry_run", "explain"]


@dataclass(frozen=True, slots=True)
class Explained:
    """One message and what came of it, or would come. ``text`` is None where the message is gone; ``message`` is None
    for what came of no single message, such as a hypothesis that other devices' sightings completed.
    """

    message: str | None
    role: str | None
    text: str | None
    at: str | None
    outcomes: tuple[Outcome, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "message": self.message,
            "role": self.role,
            "text": self.text,
            "at": self.at,
            "outcomes": [outcome.as_json() for outcome in self.outcomes],
        }


def dry_run(replica: Replica, curator: Curator, limit: int) -> Report:
    """What would come of up to *limit* signals that wait. Does everything as a real run does and takes it back at the
    end of the transaction, so that it cannot differ from one; a language model is asked as in one.
    """
    with replica.read() as view:
        waiting = signals.waiting(view.reader, limit)
    plan = curator.consider(waiting)
    report = _undone(replica, plan.apply)
    return replace(report, waiting=report.waiting + report.signals)


def explain(replica: Replica, report: Report) -> list[Explained]:
    """The outcomes of *report* by the message that they came from, in the order of the report."""
    by_message: dict[str | None, list[Outcome]] = {}
    for outcome in report.outcomes:
        by_message.setdefault(outcome.evidence[-1] if outcome.evidence else None, []).append(outcome)
    explained = []
    with replica.read() as view:
        for message, outcomes in by_message.items():
            session, _, name = (message or "").partition(":")
            record = view.get(session, SlotMap.MESSAGES, name) if name else None
            role, text = (None, None) if record is None else message_parts(record)
            at = None if record is None else show_time(record.created)
            explained.append(Explained(message, role, text, at, tuple(outcomes)))
    return explained


class _Undo(Exception):
    """Ends a transaction that is not to be kept."""

    def __init__(self, report: Report) -> None:
        self.report = report


def _undone(replica: Replica, work: Callable[[Transaction], Report]) -> Report:
    def undo(transaction: Transaction) -> NoReturn:
        raise _Undo(work(transaction))

    try:
        replica.write(undo)
    except _Undo as undone:
        return undone.report
