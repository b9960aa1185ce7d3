"""Sessions expire: a while after the last message, the messages go. What was learned from them stays, with its
receipts, which quote the words.

A message whose signal nobody has handled yet is kept, and goes when that is done. A session that never left this device
goes as if it had never been: its rows, its settings, and its document, which begins anew. Of one that other devices
have, the messages are deleted like anything else, so that they go everywhere.

This is tidying and not forgetting: bytes stay in unused parts of the files until these are written anew (`compact`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from vademecum.storage.tables import Table

from . import journal
from .documents import Generation
from .formation import signals
from .locality import is_local
from .messages import logged_ms
from .records import Record
from .replica import Replica, Transaction
from .sessions import SETTINGS_OF_MESSAGES, lifetime_of
from .slots import Row, SlotMap, decode_row, slot_key
from .view import View, row_key
from .writing import ScopeWriter

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
        _expire(transaction, scope, names)
        gone += len(names)
    return Expired(len(due), gone)


def _expire(transaction: Transaction, scope_name: str, names: Collection[str]) -> None:
    scope = transaction.scope(scope_name)
    rows = {
        key[len(scope.number) :]: decode_row(data)
        for key, data in transaction.writer.scan(Table.LEAVES, scope.number)
    }  # fmt: skip
    own = all(slot.device == transaction.device for row in rows.values() for slot in row.slots)
    if own and is_local(transaction, scope_name, transaction.device):
        _drop(scope, rows, names)
        return
    for name in names:
        winner = scope.row(SlotMap.MESSAGES, name).winner
        if winner is not None:
            scope.put(SlotMap.MESSAGES, name, Record(0, writer=winner.writer, deleted=True))


def _drop(scope: ScopeWriter, rows: dict[bytes, Row], names: Collection[str]) -> None:
    """Takes the messages out of rows and document; and all that is left, where no message is."""
    from .document import Document  # with it comes pycrdt, which a process that only reads never needs

    transaction, writer = scope.transaction, scope.transaction.writer
    messages = bytes([SlotMap.MESSAGES])
    doomed = {row_key(SlotMap.MESSAGES, name) for name in names}
    doomed |= {row_key(SlotMap.SETTINGS, prefix + name) for name in names for prefix in SETTINGS_OF_MESSAGES}
    if not any(row.live for key, row in rows.items() if key.startswith(messages) and key not in doomed):
        doomed = set(rows)
    document = Document(transaction.client)
    with document.edit():
        for key, row in rows.items():
            for slot in () if key in doomed else row.slots:
                document.put(SlotMap(key[0]), slot_key(key[1:].decode(), slot.by_person, slot.device), slot.data)
    # Nobody else has seen the one before. Its number stays, for commits name it; who holds the old one loads this.
    scope.begin_generation(document, Generation(0, transaction.clock.now(transaction.wall_ms)))
    for key in doomed.intersection(rows):
        scope.queue_index(key, rows[key].newest + 1)
        writer.delete(Table.LEAVES, scope.number + key)
    for place, entry, _ in list(journal.scope_entries(writer, scope.number)):
        if row_key(entry.map, entry.name) in doomed:
            journal.remove(writer, place)


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
