"""Sessions expire: a while after the last message, the messages go. What was learned from them stays, with its
receipts, which quote the words.

A message whose signal nobody has handled yet is kept, and goes when that is done. A session that never left this device
goes as if it had never been; of one that other devices have, the messages are deleted, so that they go everywhere.

This is tidying and not forgetting: bytes stay in unused parts of the files until these are written anew (`compact`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from vademecum.storage.tables import Table

from .dropping import drop_messages
from .formation import signals
from .messages import logged_ms
from .replica import Replica, Transaction
from .sessions import lifetime_of
from .slots import SlotMap
from .view import View

__all__ = ["Expired", "expire_due", "expire_sessions", "expired"]

_SESSION = "session/"


class Expired(NamedTuple):
    """How many messages went, in how many sessions."""

    sessions: int = 0
    messages: int = 0


def expire_due(replica: Replica) -> Expired:
    """`expire_sessions` where there is anything to do; else nothing is written, so it may be called often."""
    now_ms = replica.wall()
    with replica.read() as view:
        due = any(True for _ in expired(view, now_ms))
    if not due:
        return Expired()
    return replica.write(lambda transaction: expire_sessions(transaction, now_ms))


def expired(view: View, now_ms: int) -> Iterator[str]:
    """The scopes of sessions whose time is over at *now_ms* and that hold something that may go. O(sessions), and of
    those whose time is over, O(messages).
    """
    kept: set[tuple[str, str]] | None = None
    for scope in view.scopes(_SESSION):
        lifetime = lifetime_of(view, scope)
        if lifetime is None or now_ms - _last_ms(view, scope) < lifetime:
            continue
        if kept is None:
            kept = _waiting(view)
        if any(row.live and (scope, name) not in kept for name, row in view.rows(scope, SlotMap.MESSAGES)):
            yield scope


def expire_sessions(transaction: Transaction, now_ms: int | None = None) -> Expired:
    """Removes the messages of sessions whose time is over at *now_ms* (now). O(sessions), and O(what goes)."""
    due = list(expired(transaction, transaction.wall_ms if now_ms is None else now_ms))
    kept = _waiting(transaction) if due else set()
    gone = 0
    for scope in due:
        names = [
            name
            for name, row in transaction.rows(scope, SlotMap.MESSAGES)
            if row.live and (scope, name) not in kept
        ]  # fmt: skip
        drop_messages(transaction, scope, names)
        gone += len(names)
    return Expired(len(due), gone)


def _waiting(view: View) -> set[tuple[str, str]]:
    """(scope, message) of the signals that nobody has handled."""
    return {(signal.session, signal.message) for signal in signals.each(view.reader)}


def _last_ms(view: View, scope: str) -> int:
    """When the last message was logged, in milliseconds since 1970."""
    number = view.number(scope)
    base = (number or b"") + bytes([SlotMap.MESSAGES])
    last = None if number is None else view.reader.last_key(Table.LEAVES, base)
    if number is None or last is None:
        return 0
    row = view.row_at(number, last[len(number) :])
    return max((logged_ms(slot.record) for slot in row.slots), default=0)
