"""Settings of one installation, in the meta table: they are not told to other devices."""

from __future__ import annotations

import msgpack

from vademecum.storage.tables import Table

from .replica import Transaction
from .retention import Retention
from .view import View

__all__ = ["keep_retention", "read_retention"]

_RETENTION = b"retention"


def read_retention(view: View) -> Retention:
    """How much of the past this installation keeps."""
    found = view.reader.get(Table.META, _RETENTION)
    return Retention() if found is None else Retention(*msgpack.unpackb(found))


def keep_retention(transaction: Transaction, retention: Retention) -> None:
    """Raises `InvalidArgument` for a retention that would keep nothing."""
    transaction.writer.put(Table.META, _RETENTION, msgpack.packb(list(retention.checked())))
