"""Recorded messages for tests: as a session of an agent's holds them."""

from __future__ import annotations

from tests.engine.box import Box
from vademecum.engine.agents import AgentId
from vademecum.engine.messages import log_message
from vademecum.engine.records import Record
from vademecum.engine.replica import Transaction
from vademecum.engine.sight import OWNER
from vademecum.engine.slots import SlotMap

__all__ = ["said"]


def said(
    box: Box, text: str, *, role: str = "user", agent: str = "x/y@1", session: str = "talk", name: str | None = None
) -> str:
    """Records that *role* said *text* in a session of *agent*'s; returns the message's id."""

    def work(transaction: Transaction) -> str:
        scope = transaction.scope(f"session/{session}")
        if scope.row(SlotMap.SETTINGS, OWNER).winner is None:
            scope.put(SlotMap.SETTINGS, OWNER, Record(0, value=AgentId.parse(agent).name))
        message = name or f"m{sum(1 for _ in transaction.rows(scope.name, SlotMap.MESSAGES)):04d}"
        log_message(scope, agent, message, speaker=role, text=text, at_ms=box.wall)
        return f"{scope.name}:{message}"

    return box.replica.write(work)
