"""Putting what was read of a damaged replica into the one that takes its place.

Only this device's own records, for what others wrote comes from them. Each keeps its order, writer, times and receipts,
so for the law nothing has happened; it is said again only where the new replica holds nothing of this device that is as
new, and where it could still win: what was forgotten meanwhile is not brought back.
"""

from __future__ import annotations

from collections.abc import Iterable

from vademecum.storage.tables import Table

from . import journal, outbox
from .law import hopeless
from .merging import is_forgotten
from .records import encode_record
from .replica import Transaction
from .slots import Slot, SlotMap
from .view import View, row_key

__all__ = ["all_is_sent", "keep_past", "own_slots", "say_again"]


def own_slots(view: View, number: bytes, scope: str, device: bytes) -> list[tuple[SlotMap, str, Slot]]:
    """What *device* wrote in a scope of a replica that may have gaps, as far as its rows hold it."""
    return [
        (slot_map, name, slot)
        for slot_map in SlotMap
        for name, row in view.rows(scope, slot_map)
        for slot in row.slots
        if slot.device == device
    ]


def all_is_sent(transaction: Transaction) -> None:
    """To be called when a replica has been filled from commits: everything of this device's in it is in one of them."""
    for name in transaction.scope_names().values():
        scope = transaction.scope(name)
        outbox.set_gathered(transaction.writer, scope.number, scope.document.own_clock())


def say_again(transaction: Transaction, scope_name: str, slots: Iterable[tuple[SlotMap, str, Slot]]) -> int:
    """Writes *slots*, which this device wrote before, where they are missing; returns how many were."""
    scope = transaction.scope(scope_name)
    said = 0
    # Statements that forget an agent decide about leaves, so settings come first.
    for slot_map, name, slot in sorted(slots, key=lambda one: one[0] is not SlotMap.SETTINGS):
        transaction.clock.last = max(transaction.clock.last, slot.record.order)
        row = scope.row(slot_map, name)
        own = row.own(slot.by_person, transaction.device)
        if own is not None and own.record.order >= slot.record.order:
            continue
        others = [one.standing for one in row.slots if one is not own]
        if hopeless(slot.standing, others) or is_forgotten(row, slot, scope.forgotten()):
            continue
        scope.replace(slot_map, name, slot.record)
        said += 1
    return said


def keep_past(transaction: Transaction, scope_name: str, entries: Iterable[journal.Entry]) -> int:
    """Puts *entries* of a journal where they are missing, without the values that were forgotten since."""
    scope = transaction.scope(scope_name)
    writer = transaction.writer
    kept = 0
    names = set()
    for entry in entries:
        key = row_key(entry.map, entry.name)
        place = journal.entry_key(scope.number, key, entry.record.order, entry.device)
        if writer.get(Table.JOURNAL, place) is not None:
            continue
        slot = Slot(entry.record.by_person, entry.device, encode_record(entry.record), entry.record)
        hidden = entry.forgotten or is_forgotten(scope.row(entry.map, entry.name), slot, scope.forgotten())
        pair, index = journal.entry_rows(scope.number, key, slot, forgotten=hidden)
        writer.put(Table.JOURNAL, *pair)
        writer.put(Table.HISTORY, *index)
        names.add(key)
        kept += 1
    for key in names:
        scope.empty_history(key)
    return kept
