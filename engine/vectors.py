"""Vectors as they are kept in the database, and the log by which indexes in memory follow them.

Value of a vector: ``[hash of the text (16 bytes), model (8 bytes), place in the log, float16 values]``; after a
removal all but the place are empty, so that a process which holds the vector in memory learns that it is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import TYPE_CHECKING

import msgpack

from vademecum.storage.tables import Table

from .replica import Transaction
from .view import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MODEL", "changes_after", "drop", "drop_all", "is_current", "keep", "model_tag"]

MODEL = b"embedding-model"
"""In the meta table: the model whose vectors are wanted."""


def model_tag(model_id: str) -> bytes:
    """Eight bytes that stand for a model."""
    return sha256(model_id.encode()).digest()[:8]


def is_current(view: View, full: bytes, tag: bytes, text_hash: bytes) -> bool:
    """Whether the vector at *full* (scope# ‖ row) was made by that model from that text."""
    found = view.reader.get(Table.VECTORS, full)
    return found is not None and msgpack.unpackb(found)[:2] == [text_hash, tag]


def keep(
    transaction: Transaction, number: bytes, key: bytes, tag: bytes, text_hash: bytes, vector: NDArray[np.float32]
) -> None:
    data = vector.astype("<f2").tobytes()
    _log(transaction, number, key, lambda place: [text_hash, tag, place, data])


def drop(transaction: Transaction, number: bytes, key: bytes) -> None:
    """Removes a vector, if there is one."""
    if transaction.writer.get(Table.VECTORS, number + key) is not None:
        _log(transaction, number, key, lambda place: [b"", b"", place, b""])


def drop_all(transaction: Transaction) -> None:
    for full in list(transaction.writer.keys(Table.VECTORS)):
        drop(transaction, full[:4], full[4:])


def changes_after(view: View, number: bytes, place: int, tag: bytes) -> Iterator[tuple[int, bytes, bytes | None]]:
    """(place, row, vector as float16 bytes) of what changed in a scope after *place*; None: it is gone, or another
    model's.
    """
    after = number + place.to_bytes(8, "big")
    for log_key, key in view.reader.scan(Table.VECTOR_LOG, number, after=after):
        found = view.reader.get(Table.VECTORS, number + key)
        vector = None
        if found is not None:
            _, made_by, _, data = msgpack.unpackb(found)
            vector = data if made_by == tag else None
        yield int.from_bytes(log_key[4:], "big"), key, vector


def _log(transaction: Transaction, number: bytes, key: bytes, fields: Callable[[int], list[object]]) -> None:
    writer = transaction.writer
    before = writer.get(Table.VECTORS, number + key)
    if before is not None:
        writer.delete(Table.VECTOR_LOG, number + msgpack.unpackb(before)[2].to_bytes(8, "big"))
    counter = b"vector-place/" + number
    place = int.from_bytes(writer.get(Table.META, counter) or b"", "big") + 1
    writer.put(Table.META, counter, place.to_bytes(8, "big"))
    writer.put(Table.VECTOR_LOG, number + place.to_bytes(8, "big"), key)
    writer.put(Table.VECTORS, number + key, msgpack.packb(fields(place)))
