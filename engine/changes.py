"""What one device changed in one scope since its last commit, and its bytes.

``update`` is the CRDT update that brings another document up to date. It holds the newest record of each slot;
``superseded`` are the records that were written and overwritten in between, which only the journal still needs. They
are written column by column, each column as differences where it rises, because a column of like things compresses
to a fraction of the same records one after another: a week with 1,000 edits of 50 leaves must fit in one commit.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import msgpack

from vademecum.errors import MalformedBytes

from .records import decode_record
from .slots import SlotMap

__all__ = ["Changes", "Superseded", "decode_changes", "encode_changes"]

_VERSION = 1
_FIELDS = 13
_ORDER = 1


class Superseded(NamedTuple):
    """A record that this device wrote and has since overwritten."""

    map: SlotMap
    name: str
    by_person: bool
    data: bytes


class Changes(NamedTuple):
    update: bytes
    superseded: tuple[Superseded, ...] = ()


def encode_changes(changes: Changes) -> bytes:
    """``[version, update]`` or ``[version, update, slots, which slot, columns]``."""
    fields: list[Any] = [_VERSION, changes.update]
    if changes.superseded:
        slots: dict[tuple[int, str, bool], int] = {}
        which = [slots.setdefault((int(one.map), one.name, one.by_person), len(slots)) for one in changes.superseded]
        fields += [[list(slot) for slot in slots], which, _columns([one.data for one in changes.superseded])]
    return bytes(msgpack.packb(fields))


def decode_changes(data: bytes) -> Changes:
    """Raises `MalformedBytes`."""
    try:
        fields = msgpack.unpackb(data)
        if not isinstance(fields, list) or len(fields) not in (2, 5) or fields[0] != _VERSION:
            raise MalformedBytes("A set of changes has a form that this program does not know.")
        if not isinstance(fields[1], bytes):
            raise MalformedBytes("A set of changes holds no update.")
        if len(fields) == 2:
            return Changes(fields[1])
        slots = [(SlotMap(number), _text(name), bool(by_person)) for number, name, by_person in fields[2]]
        records = _records(fields[4], len(fields[3]))
        superseded = tuple(
            Superseded(slot_map, name, by_person, data)
            for (slot_map, name, by_person), data in zip((slots[place] for place in fields[3]), records, strict=True)
        )
        return Changes(fields[1], superseded)
    except (ValueError, TypeError, IndexError, OverflowError, RecursionError, msgpack.UnpackException) as error:
        raise MalformedBytes(f"A set of changes does not decode ({type(error).__name__}).") from error


def _columns(records: Sequence[bytes]) -> list[list[Any]]:
    """The fields of *records* as columns; absent trailing fields as nil, lengths in the first column."""
    rows = [msgpack.unpackb(record) for record in records]
    columns: list[list[Any]] = [[len(row) for row in rows]]
    for field in range(max(len(row) for row in rows)):
        columns.append([row[field] if field < len(row) else None for row in rows])
    order = columns[1 + _ORDER]
    columns[1 + _ORDER] = [order[0], *(later - earlier for earlier, later in pairwise(order))]
    return columns


def _records(columns: Any, count: int) -> list[bytes]:
    if not 2 + _ORDER <= len(columns) <= 1 + _FIELDS or any(len(column) != count for column in columns):
        raise MalformedBytes("The columns of a set of changes differ in length.")
    lengths, *fields = columns
    order = 0
    out = []
    for place, length in enumerate(lengths):
        row = [column[place] for column in fields]
        order += row[_ORDER]
        row[_ORDER] = order
        data = bytes(msgpack.packb(row[:length]))
        decode_record(data)  # refuses what is no record before anything is applied
        out.append(data)
    return out


def _text(value: object) -> str:
    if type(value) is not str or not value:
        raise MalformedBytes("A name in a set of changes is not text.")
    return value
