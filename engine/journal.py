"""The journal: every change of a leaf, a grant, a link or a setting, in the order of their readings.

A row holds the record that was written; what it replaced is the row before it in the history of the same name. A
value is therefore kept once, and forgetting it means to empty one row.

Key ``order ‖ device ‖ check``: a device stamps one name only with rising orders, but two names may meet the same
order where it outranked a clock from the future; the check, a CRC-32 of scope and name, keeps them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple
from zlib import crc32

import msgpack

from vademecum.storage.tables import Table
from vademecum.storage.transaction import Reader, Writer

from .records import Record, decode_record, encode_record
from .slots import Slot, SlotMap

__all__ = [
    "JOURNALED",
    "Entry",
    "empty_entry",
    "entries",
    "entry_at",
    "entry_key",
    "entry_rows",
    "history",
    "remove",
    "scope_entries",
    "scope_of",
]

JOURNALED = frozenset({SlotMap.LEAVES, SlotMap.SETTINGS, SlotMap.GRANTS, SlotMap.LINKS})
"""Receipts and messages are themselves the evidence, written once."""

NAME_END = b"\0"
_STAMP = 24  # bytes of order and device

# One packer for all: making one takes longer than using it. Safe among threads, for no Python code runs while it packs
# a list of bytes.
_pack: Callable[[object], bytes] = msgpack.Packer().pack


class Entry(NamedTuple):
    """One change. ``forgotten`` says that the person had its value removed; the record then holds none."""

    scope: bytes
    map: SlotMap
    name: str
    device: bytes
    record: Record
    forgotten: bool


def entry_key(scope: bytes, row: bytes, order: int, device: bytes) -> bytes:
    """*scope* is a scope#, *row* a map's number followed by a name."""
    return order.to_bytes(8, "big") + device + _check(scope, row)


def _check(scope: bytes, row: bytes) -> bytes:
    return crc32(row, crc32(scope)).to_bytes(4, "big")


def entry_rows(
    scope: bytes, row: bytes, slot: Slot, *, forgotten: bool = False
) -> tuple[tuple[bytes, bytes], tuple[bytes, bytes]]:
    """The pairs to put into the journal and into the history for *slot*."""
    stamp = slot.record.order.to_bytes(8, "big") + slot.device
    data = encode_record(emptied(slot.record)) if forgotten else slot.data
    value = _pack([scope, row, data, forgotten])
    return (stamp + _check(scope, row), value), (scope + row + NAME_END + stamp, b"")


def entry_at(reader: Reader, key: bytes) -> Entry | None:
    """The entry at *key*, if there is one."""
    found = reader.get(Table.JOURNAL, key)
    return None if found is None else _entry(key, found)


def entries(reader: Reader, *, newest_first: bool = True) -> Iterator[Entry]:
    """All entries by order."""
    for key, value in reader.scan(Table.JOURNAL, reverse=newest_first):
        yield _entry(key, value)


def history(reader: Reader, scope: bytes, row: bytes) -> Iterator[Entry]:
    """The entries of one name, oldest first."""
    prefix = scope + row + NAME_END
    for key in list(reader.keys(Table.HISTORY, prefix)):
        order, device = key[len(prefix) : len(prefix) + 8], key[len(prefix) + 8 :]
        entry = entry_at(reader, entry_key(scope, row, int.from_bytes(order, "big"), device))
        if entry is not None:
            yield entry


def scope_entries(reader: Reader, scope: bytes) -> Iterator[tuple[bytes, Entry, int]]:
    """The entries of scope# *scope*, by name and order: each with its key and the bytes of its record."""
    for index in list(reader.keys(Table.HISTORY, scope)):
        row, stamp = index[len(scope) : -len(NAME_END) - _STAMP], index[-_STAMP:]
        key = stamp + _check(scope, row)
        found = reader.get(Table.JOURNAL, key)
        if found is not None:
            yield key, _entry(key, found), len(found)


def scope_of(value: bytes) -> bytes:
    """The scope# of the row that *value* holds, without decoding its record."""
    scope: bytes = msgpack.unpackb(value)[0]
    return scope


def remove(writer: Writer, key: bytes) -> None:
    """Removes the entry at *key*."""
    entry = entry_at(writer, key)
    if entry is not None:
        row = bytes([entry.map]) + entry.name.encode()
        writer.delete(Table.JOURNAL, key)
        writer.delete(Table.HISTORY, entry.scope + row + NAME_END + key[:_STAMP])


def empty_entry(writer: Writer, entry: Entry) -> None:
    """Removes the value from *entry*: who wrote there, and when, stays."""
    row = bytes([entry.map]) + entry.name.encode()
    slot = Slot(entry.record.by_person, entry.device, b"", entry.record)
    (key, value), _ = entry_rows(entry.scope, row, slot, forgotten=True)
    writer.put(Table.JOURNAL, key, value)


def _entry(key: bytes, value: bytes) -> Entry:
    scope, row, data, forgotten = msgpack.unpackb(value)
    return Entry(scope, SlotMap(row[0]), row[1:].decode(), key[8:24], decode_record(data), forgotten)


def emptied(record: Record) -> Record:
    """What is kept of *record* when the person has had its value removed."""
    return record._replace(value=None, sentence=None, receipts=())
