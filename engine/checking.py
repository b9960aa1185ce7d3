"""Whether what a replica keeps agrees with itself, and making anew what is derived.

What is derived can be made from the rest, and is: rows from the documents, the index of the journal from the journal,
entries of what slots still say from the slots, the recall indexes from the rows. What is not derived is looked at and
never touched: a document, a record, an entry of the journal, what waits to be sent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple

import msgpack

from vademecum.errors import MalformedBytes
from vademecum.storage.tables import Table
from vademecum.storage.transaction import Reader

from . import journal, learned, outbox
from .document import Document
from .replica import Transaction
from .slots import EMPTY_ROW, Row, Slot, SlotMap, decode_row, encode_row, parse_slot_key, row_of
from .view import FORGOTTEN, View, forgotten_by, row_key
from .writing import INDEXED

__all__ = ["Finding", "Level", "check_replica", "is_sound", "rebuild_derived", "rows_of_document"]

_SCRATCH = 1
"""A client id for a document that is only read."""


class Level(Enum):
    """How much a finding matters."""

    NOTE = "note"
    """Nothing is wrong; worth knowing."""
    DERIVED = "derived"
    """Something that can be made anew without loss."""
    BROKEN = "broken"
    """Something that cannot be made from the rest of this replica."""


class Finding(NamedTuple):
    """One thing that was found; ``code`` is stable, ``text`` is for a person and holds nothing of the memory."""

    level: Level
    code: str
    text: str


def check_replica(view: View) -> Iterator[Finding]:
    """Everything that is wrong with what is kept of the memory itself. O(size).

    Raises `DamagedStore` for a record that is not what was written.
    """
    yield from _check_scopes(view.reader)
    for number, name in view.scope_names().items():
        yield from _check_rows(view, number, name)
    kept = learned.kept(view)
    if kept is not None and kept != learned.counted(view):
        yield Finding(Level.DERIVED, "learned", "The number of learned memories is not what is kept.")
    yield from _check_journal(view)
    yield from _check_outbox(view)
    yield from _check_queues(view)
    yield from _check_vectors(view)
    yield from _check_receipts(view)


def rows_of_document(view: View, number: bytes, scope: str, client: int = _SCRATCH) -> dict[bytes, Row]:
    """What the rows of a scope must be: the law over the slots in its document. Raises `MalformedBytes`."""
    slots = _slots_of_document(view.reader, number, client)
    statements = {}
    for key, mine in slots.items():
        if key[0] == SlotMap.SETTINGS and key[1:].startswith(FORGOTTEN.encode()):
            row = row_of(mine)
            if row.live:
                statements[key[1 + len(FORGOTTEN) :].decode()] = row.slots[0].record.order
    forgotten = forgotten_by(statements)
    return {key: row_of(mine, forgotten) for key, mine in slots.items()}


def rebuild_derived(transaction: Transaction) -> None:
    """Makes anew what is derived, and asks for new recall indexes. Raises `MalformedBytes` if a document is broken."""
    writer = transaction.writer
    for number, scope in transaction.scope_names().items():
        rows = rows_of_document(transaction, number, scope)
        writer.delete_prefix(Table.LEAVES, number)
        writer.put_many(Table.LEAVES, sorted((number + key, encode_row(row)) for key, row in rows.items()))
        for key, row in rows.items():
            for slot in row.slots:
                if not _is_journaled(transaction, number, key, slot):
                    entry, _ = journal.entry_rows(number, key, slot)
                    writer.put(Table.JOURNAL, *entry)
    _rebuild_history(transaction)
    learned.recount(writer)
    for table in (Table.REINDEX, Table.EMBED, Table.VECTORS, Table.VECTOR_LOG):
        writer.delete_prefix(table, b"")
    for number, scope in transaction.scope_names().items():
        for slot_map in INDEXED:
            for name, row in transaction.rows(scope, slot_map):
                if row.live:
                    ticket = row.newest.to_bytes(8, "big")
                    writer.put(Table.REINDEX, number + row_key(slot_map, name), ticket)


def _rebuild_history(transaction: Transaction) -> None:
    writer = transaction.writer
    writer.delete_prefix(Table.HISTORY, b"")
    pairs = []
    for entry in journal.entries(transaction.reader):
        slot = Slot(entry.record.by_person, entry.device, b"", entry.record)
        _, index = journal.entry_rows(entry.scope, row_key(entry.map, entry.name), slot, forgotten=True)
        pairs.append(index)
    writer.put_many(Table.HISTORY, sorted(pairs))


def _slots_of_document(reader: Reader, number: bytes, client: int) -> dict[bytes, list[Slot]]:
    document = Document(client)
    for _, update in reader.scan(Table.DOCUMENTS, number):
        document.load(update)
    found: dict[bytes, list[Slot]] = defaultdict(list)
    for slot_map in SlotMap:
        for key, data in document.items(slot_map).items():
            name, by_person, device = parse_slot_key(key)
            found[row_key(slot_map, name)].append(Slot.of(by_person, device, data))
    return found


def _check_scopes(reader: Reader) -> Iterator[Finding]:
    numbers = [number for _, number in reader.scan(Table.SCOPES)]
    if len(set(numbers)) != len(numbers) or any(len(number) != 4 for number in numbers):
        yield Finding(Level.BROKEN, "scopes", "Two scopes are kept under one number.")
    known = set(numbers)
    for table in (Table.DOCUMENTS, Table.LEAVES, Table.OUTBOX):
        strange = {key[:4] for key in reader.keys(table)} - known
        if strange:
            yield Finding(
                Level.BROKEN, "scopes", f"The table {table.value.decode()} holds {len(strange)} scopes without a name."
            )


def _check_rows(view: View, number: bytes, scope: str) -> Iterator[Finding]:
    try:
        expected = rows_of_document(view, number, scope)
    except MalformedBytes as error:
        yield Finding(Level.BROKEN, "document", f"The document of {scope} is broken: {error.message}")
        return
    wrong = lacking = 0
    for full, data in view.reader.scan(Table.LEAVES, number):
        row = expected.pop(full[4:], EMPTY_ROW)
        try:
            kept = decode_row(data)
        except MalformedBytes:
            wrong += 1
            continue
        wrong += data != encode_row(row) and bool(kept.slots or row.slots)
        lacking += any(_is_newer(slot, row) for slot in kept.slots)
    if lacking:
        yield Finding(
            Level.BROKEN, "document-lacks", f"{lacking:,} rows of {scope} hold records that its document lacks."
        )
    wrong += sum(1 for row in expected.values() if row.slots)
    if wrong:
        yield Finding(Level.DERIVED, "rows", f"{wrong:,} rows of {scope} are not what the law makes of its document.")


def _is_newer(slot: Slot, row: Row) -> bool:
    """Whether *slot* says what its device has not said in *row*."""
    own = row.own(slot.by_person, slot.device)
    return own is None or own.record.order < slot.record.order


def _check_journal(view: View) -> Iterator[Finding]:
    reader = view.reader
    broken = unlisted = entries = 0
    for entry in _entries(reader):
        entries += 1
        if entry is None:
            broken += 1
            continue
        stamp = entry.record.order.to_bytes(8, "big") + entry.device
        place = entry.scope + row_key(entry.map, entry.name) + journal.NAME_END + stamp
        unlisted += reader.get(Table.HISTORY, place) is None
    if broken:
        yield Finding(Level.BROKEN, "journal", f"{broken:,} entries of the journal cannot be read.")
    stray = max(0, reader.count(Table.HISTORY) - (entries - broken - unlisted))
    if unlisted or stray:
        yield Finding(
            Level.DERIVED,
            "history",
            f"The history by name lacks {unlisted:,} entries of the journal, and has {stray:,} that the journal lacks.",
        )
    missing = sum(
        not _is_journaled(view, full[:4], full[4:], slot) for full, row in _readable_rows(reader) for slot in row.slots
    )
    if missing:
        yield Finding(Level.DERIVED, "journal-lacks", f"The journal lacks {missing:,} records that slots still hold.")


def _is_journaled(view: View, number: bytes, key: bytes, slot: Slot) -> bool:
    if SlotMap(key[0]) not in journal.JOURNALED:
        return True
    return view.reader.get(Table.JOURNAL, journal.entry_key(number, key, slot.record.order, slot.device)) is not None


def _entries(reader: Reader) -> Iterator[journal.Entry | None]:
    """The journal's entries; None for one that does not decode, or stands where it does not belong."""
    for key, _ in reader.scan(Table.JOURNAL):
        try:
            entry = journal.entry_at(reader, key)
            assert entry is not None
            right = journal.entry_key(entry.scope, row_key(entry.map, entry.name), entry.record.order, entry.device)
            yield entry if right == key else None
        except (MalformedBytes, ValueError, TypeError, IndexError, msgpack.UnpackException):
            yield None


def _readable_rows(reader: Reader) -> Iterator[tuple[bytes, Row]]:
    for full, data in reader.scan(Table.LEAVES):
        try:
            yield full, decode_row(data)
        except MalformedBytes:
            continue


def _check_outbox(view: View) -> Iterator[Finding]:
    try:
        outbox.count(view.reader)
    except (ValueError, TypeError, IndexError, msgpack.UnpackException):
        yield Finding(Level.BROKEN, "outbox", "What waits to be sent cannot be read.")


def _check_queues(view: View) -> Iterator[Finding]:
    known = set(view.scope_names())
    for table in (Table.REINDEX, Table.EMBED):
        strange = sum(1 for full in view.reader.keys(table) if full[:4] not in known)
        if strange:
            yield Finding(Level.DERIVED, "queue", f"{strange:,} names of no scope wait to be indexed.")


def _check_vectors(view: View) -> Iterator[Finding]:
    reader = view.reader
    wrong = 0
    places = dict(reader.scan(Table.VECTOR_LOG))
    for full, data in reader.scan(Table.VECTORS):
        try:
            _, _, place, vector = msgpack.unpackb(data)
            wrong += places.pop(full[:4] + place.to_bytes(8, "big"), None) != full[4:]
            living = view.row_at(full[:4], full[4:]).live
            queued = reader.get(Table.REINDEX, full) or reader.get(Table.EMBED, full)
            wrong += bool(vector) and not living and not queued
        except (ValueError, TypeError, AttributeError, OverflowError, msgpack.UnpackException):
            wrong += 1
    wrong += len(places)
    if wrong:
        yield Finding(Level.DERIVED, "vectors", f"{wrong:,} vectors are not those of the rows they stand for.")


def _check_receipts(view: View) -> Iterator[Finding]:
    lost = 0
    for scope in view.scopes():
        for _, record in view.leaves(scope):
            lost += any(view.get(scope, SlotMap.RECEIPTS, one) is None for one in record.receipts)
    if lost:
        yield Finding(
            Level.NOTE, "receipts", f"{lost:,} memories name words that are not here: forgotten since, or not yet come."
        )


def is_sound(findings: Iterable[Finding]) -> bool:
    """Whether there is nothing among *findings* but notes."""
    return all(one.level is Level.NOTE for one in findings)
