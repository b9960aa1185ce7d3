"""What one device changed in one scope since its last commit, and its bytes.

``update`` is the CRDT update that brings another document up to date. It holds the newest record of each slot;
``superseded`` are the records that were written and overwritten in between, which only the journal still needs. They
are written column by column, because a column of like things compresses to a fraction of the same records one after
another: a week with 1,000 edits of 50 leaves must fit in one commit. Three columns hold differences: *order* from the
record before; *seen* and *created* from what follows from the slot's record before, so that most of them are 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgpack

from vademecum.errors import MalformedBytes

from .clock import to_wall
from .columns import join, split
from .records import decode_record
from .slots import SlotMap

__all__ = ["Changes", "Superseded", "decode_changes", "encode_changes"]

_VERSION = 1
_FIELDS = 13
_ORDER, _SEEN, _UPDATED, _AGE = 1, 2, 6, 7  # places in a record; all are unsigned 64-bit but _UPDATED
_U64 = 2**64 - 1


COLUMNS_BYTES = 256 * 1024
"""A longer update is sent as it is: taking it apart and together takes longer than a device that joins should wait."""
COLUMNS_COUNT = 12
"""For fewer records columns take more room than they save."""


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
    """``[version, update]`` or ``[version, update, slots, which slot, columns]``.

    An update of many records is ``[frame, columns]`` (see `columns.split`), any other its bytes.
    """
    fields: list[Any] = [_VERSION, _update_in_columns(changes.update) or changes.update]
    if changes.superseded:
        slots: dict[tuple[int, str, bool], int] = {}
        which = [slots.setdefault((int(one.map), one.name, one.by_person), len(slots)) for one in changes.superseded]
        columns = _columns([one.data for one in changes.superseded], which, [by_person for _, _, by_person in slots])
        fields += [[list(slot) for slot in slots], which, columns]
    return bytes(msgpack.packb(fields))


def decode_changes(data: bytes) -> Changes:
    """Raises `MalformedBytes`."""
    try:
        fields = msgpack.unpackb(data)
        if not isinstance(fields, list) or len(fields) not in (2, 5) or fields[0] != _VERSION:
            raise MalformedBytes("A set of changes has a form that this program does not know.")
        update = fields[1]
        if isinstance(update, list):
            frame, columns = update
            update = join(frame, _records(columns, *_no_slots(len(columns[0]))))
        if not isinstance(update, bytes):
            raise MalformedBytes("A set of changes holds no update.")
        if len(fields) == 2:
            return Changes(update)
        slots = [(SlotMap(number), _text(name), bool(by_person)) for number, name, by_person in fields[2]]
        records = _records(fields[4], fields[3], [by_person for _, _, by_person in slots])
        superseded = tuple(
            Superseded(slot_map, name, by_person, data)
            for (slot_map, name, by_person), data in zip((slots[place] for place in fields[3]), records, strict=True)
        )
        return Changes(update, superseded)
    except (ValueError, TypeError, IndexError, OverflowError, RecursionError, msgpack.UnpackException) as error:
        raise MalformedBytes(f"A set of changes does not decode ({type(error).__name__}).") from error


def _update_in_columns(update: bytes) -> list[Any] | None:
    parts = split(update) if len(update) <= COLUMNS_BYTES else None
    if parts is None or len(parts.values) < COLUMNS_COUNT:
        return None
    return [parts.frame, _columns(parts.values, *_no_slots(len(parts.values)))]


def _no_slots(count: int) -> tuple[Sequence[int], Sequence[bool]]:
    """For records that have nothing to do with each other."""
    return range(count), [False] * count


def _columns(records: Sequence[bytes], which: Sequence[int], by_person: Sequence[bool]) -> list[list[Any]]:
    """The fields of *records*, each in its slot, as columns; how many fields a record has stands in the first."""
    rows = [msgpack.unpackb(record) for record in records]
    lengths = [len(row) for row in rows]
    width = max(_AGE + 1, *lengths)
    past = _Past(by_person)
    for slot, row in zip(which, rows, strict=True):
        row += [0] * (_AGE + 1 - len(row))
        row += [None] * (width - len(row))
        order = row[_ORDER]
        expected = past.expected(slot, row)
        past.note(slot, row)
        row[_ORDER] = _signed(order - expected.order)
        row[_SEEN] = _signed(row[_SEEN] - expected.seen)
        row[_AGE] = _signed(row[_AGE] - expected.age)
    return [lengths, *(list(column) for column in zip(*rows, strict=True))]


def _records(columns: Any, which: Sequence[int], by_person: Sequence[bool]) -> list[bytes]:
    if not 2 + _AGE <= len(columns) <= 1 + _FIELDS or any(len(column) != len(which) for column in columns):
        raise MalformedBytes("The columns of a set of changes differ in length.")
    past = _Past(by_person)
    out = []
    for slot, length, *row in zip(which, *columns, strict=True):
        row[_ORDER] = row[_ORDER] + past.order & _U64
        expected = past.expected(slot, row)
        row[_SEEN] = row[_SEEN] + expected.seen & _U64
        row[_AGE] = row[_AGE] + expected.age & _U64
        past.note(slot, row)
        data = bytes(msgpack.packb(row[:length]))
        decode_record(data)  # refuses what is no record before anything is applied
        out.append(data)
    return out


def _signed(difference: int) -> int:
    """*difference* of two unsigned 64-bit numbers, modulo 2^64, as near to 0 as it can be."""
    return (difference + 2**63 & _U64) - 2**63


class _Expected(NamedTuple):
    """What three fields of a record are if nothing but time has passed since the record before."""

    order: int
    seen: int
    age: int


class _Past:
    """The records so far, as far as they tell something of the next one."""

    def __init__(self, by_person: Sequence[bool]) -> None:
        self._by_person = by_person
        self._slots: dict[int, tuple[int, int]] = {}  # slot → (newest order of the person's, created)
        self.order = 0

    def expected(self, slot: int, row: Sequence[Any]) -> _Expected:
        """*row* has its own order and time of update."""
        if slot not in self._slots:
            return _Expected(self.order, 0, 0)
        seen, created = self._slots[slot]
        order = row[_ORDER]
        return _Expected(self.order, order - seen if seen else 0, to_wall(order) + row[_UPDATED] - created)

    def note(self, slot: int, row: Sequence[Any]) -> None:
        """*row* has all its own fields."""
        self.order = order = row[_ORDER]
        seen = order if self._by_person[slot] else order - row[_SEEN] if row[_SEEN] else 0
        self._slots[slot] = seen, to_wall(order) + row[_UPDATED] - row[_AGE]


def _text(value: object) -> str:
    if type(value) is not str or not value:
        raise MalformedBytes("A name in a set of changes is not text.")
    return value
