"""The outbox of a scope: local changes that no commit holds yet. Key ``scope# ‖ seq``, one row a transaction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgpack

from vademecum.storage.tables import Table
from vademecum.storage.transaction import Reader, Writer

__all__ = ["Pending", "add", "clear", "count", "gather_anew", "gathered", "renew", "renewed", "set_gathered", "waiting"]

_GATHERED = b"gathered/"


class Pending(NamedTuple):
    """What one transaction did: its CRDT update, the journal keys of what it wrote, whether it deleted anything."""

    update: bytes
    written: tuple[bytes, ...]
    deletes: bool


def add(writer: Writer, scope: bytes, pending: Pending) -> None:
    last = writer.last_key(Table.OUTBOX, scope)
    seq = 1 if last is None else int.from_bytes(last[len(scope) :], "big") + 1
    writer.put(Table.OUTBOX, scope + seq.to_bytes(8, "big"), msgpack.packb(list(pending)))


def waiting(reader: Reader, scope: bytes) -> Iterator[Pending]:
    """What waits in *scope*, oldest first."""
    for _, data in reader.scan(Table.OUTBOX, scope):
        update, written, deletes = msgpack.unpackb(data)
        yield Pending(update, tuple(written), deletes)


def renew(writer: Writer, scope: bytes, update: bytes) -> None:
    """Puts *update*, which does what all that waits in *scope* does, in its place; nothing if nothing waits."""
    pending = renewed(writer, scope, update)
    if pending is not None:
        clear(writer, scope)
        add(writer, scope, pending)


def renewed(reader: Reader, scope: bytes, update: bytes) -> Pending | None:
    """All that waits in *scope* as one, done by *update*; None if nothing waits.

    Of the journal's rows those count that are still there.
    """
    if not reader.has(Table.OUTBOX, scope):
        return None
    written = (key for pending in waiting(reader, scope) for key in pending.written)
    return Pending(update, tuple(key for key in written if reader.get(Table.JOURNAL, key) is not None), True)


def clear(writer: Writer, scope: bytes) -> None:
    writer.delete_prefix(Table.OUTBOX, scope)


def count(reader: Reader) -> int:
    """Changes that wait, over all scopes: journalled ones, and one for each transaction with none."""
    total = 0
    for _, data in reader.scan(Table.OUTBOX):
        total += max(1, len(msgpack.unpackb(data)[1]))
    return total


def gathered(reader: Reader, scope: bytes) -> int:
    """How many operations of this device in scope# *scope* have been gathered."""
    return int.from_bytes(reader.get(Table.META, _GATHERED + scope) or b"", "big")


def set_gathered(writer: Writer, scope: bytes, operations: int) -> None:
    writer.put(Table.META, _GATHERED + scope, operations.to_bytes(8, "big"))


def gather_anew(writer: Writer, scope: bytes) -> None:
    """To be called when the scope has another document, or this device another client id."""
    writer.delete(Table.META, _GATHERED + scope)
