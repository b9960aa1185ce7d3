"""Taking messages out of a session: as if they had never been, where nobody else has seen it, else by deleting them.

A session that stays on this device, and into which nothing came from another, loses rows and settings for good, and its
document begins anew. Nothing is stated in such a scope: no other device could hear it.
"""

from __future__ import annotations

from collections.abc import Collection

from vademecum.storage.tables import Table

from . import journal
from .documents import Generation
from .locality import is_local
from .records import USER, Record
from .replica import Transaction
from .sessions import SETTINGS_OF_MESSAGES
from .slots import Row, SlotMap, decode_row, slot_key
from .view import row_key
from .writing import ScopeWriter

__all__ = ["drop_messages"]


def drop_messages(
    transaction: Transaction, scope_name: str, names: Collection[str], *, by_person: bool = False
) -> None:
    """Takes the messages *names* out of the session *scope_name*; those that are gone already are no matter.

    by_person: whether a deletion is the person's, so that it stands against whatever an agent says; otherwise it is by
        whoever logged the message.

    Nothing else may have changed the scope in this transaction. O(rows of the scope).
    """
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
            writer = USER if by_person else winner.writer
            scope.put(SlotMap.MESSAGES, name, Record(0, writer=writer, deleted=True))


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
