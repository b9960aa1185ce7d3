"""What the person has forgotten elsewhere goes out of the sessions that stay on this device, too.

Such a session is held by one device, so no other can delete its messages. Three things that do arrive speak of them:

* the deletion of a receipt that quotes a message: with a memory go the messages it rests on;
* the statement in ``user.public`` that forgets an agent: with the agent go its conversations;
* the statement there that a session is forgotten (`EMPTIED`), by a device where another of that name stayed, or which
  knew of it by its quotes alone.

The last two count for what this device wrote in sessions that were handed over, too: the other may not have had them.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from vademecum.errors import InvalidScope

from .agents import AgentPattern
from .locality import is_local
from .records import Record
from .scopes import PUBLIC, parse_scope
from .slots import Row, SlotMap
from .view import FORGOTTEN

if TYPE_CHECKING:
    from .replica import Transaction

__all__ = ["Followed", "drop_agent", "state_emptied"]

EMPTIED = "emptied/"
"""Begins a setting of ``user.public``; the scope of a session follows, in which all said until then is forgotten."""
_SESSION = "session/"


class Followed:
    """What has come in during a transaction that may speak of sessions here."""

    def __init__(self) -> None:
        self.receipts: list[Record] = []
        """Receipts that the person has deleted, as they stood."""
        self._sessions: set[str] = set()
        self._agents: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self.receipts or self._sessions or self._agents)

    def note_setting(self, scope: str, name: str, before: Row, after: Row) -> None:
        """To be called when a setting of *scope* has changed."""
        if scope != PUBLIC or not after.live or (before.live and _order(before) >= _order(after)):
            return
        if name.startswith(EMPTIED):
            self._sessions.add(name.removeprefix(EMPTIED))
        elif name.startswith(FORGOTTEN):
            self._agents.add(name.removeprefix(FORGOTTEN))

    def carry_out(self, transaction: Transaction) -> None:
        """Deletes what all that speaks of. Called once, when the transaction's work is done.

        O(what it names), and for an agent O(rows of all sessions).
        """
        from .forgetting import cited_place

        places = (cited_place(receipt) for receipt in self.receipts)
        quoted: dict[str, set[str]] = {}
        for scope, message in (place for place in places if place is not None):
            quoted.setdefault(scope, set()).add(message)
        for scope, messages in sorted(quoted.items()):
            if is_local(transaction, scope, transaction.device):
                _forget(transaction, scope, messages)
        for scope in sorted(filter(_is_scope, self._sessions)):
            statement = transaction.row(PUBLIC, SlotMap.SETTINGS, EMPTIED + scope)
            rows = transaction.rows(scope, SlotMap.MESSAGES)
            _forget(transaction, scope, {name for name, row in rows if row.live and row.newest < _order(statement)})
        for pattern in sorted(self._agents):
            for scope in transaction.scopes(_SESSION):
                drop_agent(transaction, scope, AgentPattern.parse(pattern))


def state_emptied(transaction: Transaction, scope: str) -> None:
    """Lets all devices know that the person has forgotten what was said in the session *scope* until now."""
    transaction.scope(PUBLIC).put(SlotMap.SETTINGS, EMPTIED + scope, Record(0, value=True))


def drop_agent(transaction: Transaction, scope: str, pattern: AgentPattern) -> None:
    """Takes what the agent logged on this device out of the session *scope*. O(rows of the scope)."""
    own = {
        name
        for name, row in transaction.rows(scope, SlotMap.MESSAGES)
        if row.live
        and any(one.device == transaction.device and pattern.matches(one.record.writer) for one in row.slots)
    }
    _forget(transaction, scope, own)


def _forget(transaction: Transaction, scope: str, messages: Collection[str]) -> None:
    from .dropping import drop_messages
    from .forgetting import note_forgetting, note_purge

    there = {name for name in messages if transaction.row(scope, SlotMap.MESSAGES, name).live}
    if not there:
        return
    local = is_local(transaction, scope, transaction.device)
    drop_messages(transaction, scope, there, by_person=True)
    if local:
        note_purge(transaction)
    else:
        note_forgetting(transaction.scope(scope))


def _order(row: Row) -> int:
    return row.slots[0].record.order


def _is_scope(scope: str) -> bool:
    try:
        return parse_scope(scope).startswith(_SESSION)
    except InvalidScope:
        return False
