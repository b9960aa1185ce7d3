"""Letting go of the past that the retention does not keep, where no new generation does it: a vault may never sync.

The same rule as in a snapshot (`retention.py`), applied to one replica's journal. What waits to be sent loses the rows
that are gone here with them: the other devices would let them go as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import groupby

from vademecum.storage.tables import Table

from . import journal, outbox
from .replica import Transaction
from .retention import ROW_BYTES, Retention, agreed_now, horizon, unneeded
from .slots import decode_row
from .view import View

__all__ = ["trim", "unkept"]

RENEW_BYTES = 256 * 1024
"""Updates that wait to be sent are replaced by one, without what was overwritten, when they are longer than this."""

_STAMP = 24  # bytes of order and device at the end of a key in the history, behind a NUL


def unkept(view: View, scope_name: str, retention: Retention, *, device: bytes, wall_ms: int) -> list[bytes]:
    """Keys of the journal's rows of *scope_name* that may go, as *device* sees it, whose wall clock says *wall_ms*.

    O(rows and journal of the scope).
    """
    number = view.number(scope_name)
    if number is None:
        return []
    stamps = [key[-_STAMP:] for key in view.reader.keys(Table.HISTORY, number)]
    others = (int.from_bytes(stamp[:8], "big") for stamp in stamps if stamp[8:] != device)
    below = horizon(_newest(view, number, retention), agreed_now(wall_ms, others), retention)
    found: list[bytes] = []
    for row, keys in groupby(view.reader.keys(Table.HISTORY, number), lambda key: key[len(number) : -_STAMP - 1]):
        readings = [(int.from_bytes(key[-_STAMP : 8 - _STAMP], "big"), key[8 - _STAMP :]) for key in keys]
        if len(readings) == 1:
            continue
        held = decode_row(view.reader.get(Table.LEAVES, number + row))
        said = {slot.record.order for slot in held.slots}
        orders = [order for order, _ in readings]
        for place in unneeded(orders, said, living=held.live, below=below, retention=retention):
            found.append(journal.entry_key(number, row, *readings[place]))
    return found


def trim(transaction: Transaction, scope_name: str, keys: Collection[bytes]) -> None:
    """Removes the journal's rows at *keys*, which `unkept` has found; and shortens what waits to be sent."""
    for key in keys:
        journal.remove(transaction.writer, key)
    number = transaction.number(scope_name)
    if number is None:
        return
    waiting = sum(len(pending.update) for pending in outbox.waiting(transaction.writer, number))
    if waiting > RENEW_BYTES:
        transaction.scope(scope_name).renew_outbox()


def _newest(view: View, number: bytes, retention: Retention) -> Iterator[tuple[int, int]]:
    """(order, bytes) of the newest rows of a scope, as many as decide where the horizon lies."""
    room = retention.bytes
    for key, data in view.reader.scan(Table.JOURNAL, reverse=True):
        if journal.scope_of(data) == number:
            yield int.from_bytes(key[:8], "big"), len(data)
            room -= len(data) + ROW_BYTES
            if room < 0:
                return
