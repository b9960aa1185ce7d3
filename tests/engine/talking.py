"""Talking to an agent on a device of `box`, and a distiller that takes what is said to it literally."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tests.engine.box import Box
from vademecum.engine.agents import AgentId
from vademecum.engine.formation import signals
from vademecum.engine.formation.candidates import Action, Candidate, Distilled, Known, Message, Strength
from vademecum.engine.formation.curator import Curator
from vademecum.engine.formation.report import Outcome, Report, What
from vademecum.engine.messages import log_message
from vademecum.engine.records import Record
from vademecum.engine.sight import OWNER
from vademecum.engine.slots import SlotMap

__all__ = ["Literal", "Proposing", "curate", "say", "what"]

AGENT = AgentId.parse("x/y@1")
_SAYING = re.compile(r"(?P<path>\S+) (?P<how>[=~!]) (?P<value>.+)")


class Literal:
    """``diet = vegan`` states it outright, ``diet ~ vegan`` is a weak sign, ``diet ! vegan`` ends it."""

    name = "literal"

    def distil(self, messages: Sequence[Message], context: Sequence[Message], known: Sequence[Known]) -> Distilled:
        found = []
        for message in (*messages, *(one for one in context if not one.by_person)):
            for line in message.text.splitlines():
                said = _SAYING.search(line)
                if said is not None:
                    found.append(
                        Candidate(
                            said["path"],
                            said["value"],
                            line,
                            said.group(),
                            (message.id,),
                            strength=Strength.WEAK if said["how"] == "~" else Strength.EXPLICIT,
                            action=Action.END if said["how"] == "!" else Action.STATE,
                        )
                    )
        return Distilled(tuple(found))


class Proposing:
    """Proposes *candidates*, whatever was said: a model that cannot be trusted."""

    name = "proposing"

    def __init__(self, *candidates: Candidate, **more: Any) -> None:
        self.distilled = Distilled(candidates, **more)

    def distil(self, messages: Sequence[Message], context: Sequence[Message], known: Sequence[Known]) -> Distilled:
        return self.distilled


def say(box: Box, text: str, *, session: str = "lunch", role: str = "user", agent: AgentId = AGENT) -> str:
    """Logs a message and, where the person said it, drops its signal; returns its id. A second passes."""
    box.wall += 1000
    scope_name = f"session/{session}"
    name = f"{box.wall:015d}-{box.number}"

    def work(transaction: Any) -> None:
        scope = transaction.scope(scope_name)
        if not scope.row(SlotMap.SETTINGS, OWNER).live:
            scope.put(SlotMap.SETTINGS, OWNER, Record(0, writer=str(agent), value=agent.name))
        log_message(scope, str(agent), name, speaker=role, text=text, at_ms=box.wall)
        if role == "user":
            signals.drop(transaction.writer, scope_name, name, box.wall)

    box.replica.write(work)
    return f"{scope_name}:{name}"


def curate(box: Box, distiller: Any = None) -> Report:
    """Handles all signals that wait on *box*."""
    box.wall += 1000
    with box.replica.read() as view:
        waiting = signals.waiting(view.reader, 1000)
    plan = Curator(box.replica, distiller or Literal()).consider(waiting)
    return box.replica.write(plan.apply)


def what(report: Report) -> list[What]:
    return [one.what for one in report.outcomes]


def only(report: Report) -> Outcome:
    (outcome,) = report.outcomes
    return outcome
