"""What the person has forgotten elsewhere goes out of the sessions that stay on this device, too.

Such a session is held by one device, so no other can delete its messages. Three things that do arrive speak of them:

* the deletion of a receipt that quotes a message: with a memory go the messages it rests on;
* the statement in ``user.public`` that forgets an agent: with the agent go its conversations;
* the statement that a session is forgotten (`EMPTIED`), where the other device knew the session by its quotes alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from . import forgetting
from .agents import AgentPattern
from .locality import is_local
from .records import Record
from .scopes import PUBLIC
from .slots import SlotMap
from .view import View

if TYPE_CHECKING:
    from .replica import Transaction

__all__ = ["EMPTIED", "Followed", "follow"]

EMPTIED = "emptied"
"""Setting of a session's scope: the person has forgotten all that was said in it until then."""
_SESSION = "session/"


class Followed:
    """What came in during a transaction that may speak of sessions here."""

    def __init__(self) -> None:
        self.receipts: list[Record] = []
        """Receipts that the person has deleted, as they stood."""
        self.emptied: set[str] = set()
        """Scopes of sessions that the person has forgotten."""
        self.agents = False
        """Whether a statement came in that forgets an agent."""

    def __bool__(self) -> bool:
        return bool(self.receipts or self.emptied or self.agents)


def follow(transaction: Transaction, followed: Followed) -> None:
    """Deletes what *followed* speaks of. O(what it names), and for an agent O(rows of the sessions that stay here)."""
    places = (forgetting.cited_place(receipt) for receipt in followed.receipts)
    for scope, message in sorted({place for place in places if place is not None}):
        if is_local(transaction, scope, transaction.device):
            _delete(transaction, scope, [message])
    for scope in sorted(followed.emptied):
        statement = transaction.row(scope, SlotMap.SETTINGS, EMPTIED)
        if statement.live and is_local(transaction, scope, transaction.device):
            before = statement.slots[0].record.order
            rows = transaction.rows(scope, SlotMap.MESSAGES)
            _delete(transaction, scope, [name for name, row in rows if row.live and row.newest < before])
    if followed.agents:
        for pattern, order in transaction.statements(PUBLIC).items():
            for scope in transaction.scopes(_SESSION):
                if is_local(transaction, scope, transaction.device) and not _is_stated(
                    transaction, scope, pattern, order
                ):
                    forgetting.forget_agent(transaction, scope, AgentPattern.parse(pattern))


def _is_stated(view: View, scope: str, pattern: str, order: int) -> bool:
    """Whether there is nothing of the agents in *scope*, or they were forgotten there since."""
    if view.statements(scope).get(pattern, 0) >= order:
        return True
    return not forgetting.has_written(view, scope, AgentPattern.parse(pattern))


def _delete(transaction: Transaction, scope_name: str, messages: Iterable[str]) -> None:
    scope = transaction.scope(scope_name)
    for message in messages:
        if scope.row(SlotMap.MESSAGES, message).live:
            scope.put(SlotMap.MESSAGES, message, Record(0, deleted=True))
            forgetting.note_forgetting(scope)
