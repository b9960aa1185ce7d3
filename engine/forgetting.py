"""Forgetting an agent: a statement of the person's, and what each replica does about it.

The statement is a setting of each scope that the agent could write, so it converges like everything else, and the
law reads it: what the agent wrote without having heard it counts as deleted. Each replica that holds the statement

* replaces its *own* slots that are void by deletions that have heard it. Each stands where the void record stood: it
  must not outrank what another agent has written there since, seen or not;
* on the device where the person spoke, also writes such a deletion right above void records of others, where its own
  slot is free for it: they are then hopeless, so that their bytes leave the document although their own device may
  never return;
* empties the agent's journal entries, and deletes the receipts that the agent recorded;
* looks again at every row that holds a void record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vademecum.storage.tables import Table

from . import journal
from .agents import AgentPattern
from .clock import MAX_READING
from .law import Forgotten, hopeless
from .records import USER, Record, encode_record
from .slots import Slot, SlotMap, row_of
from .view import FORGOTTEN, View, row_key

if TYPE_CHECKING:
    from .replica import Transaction
    from .writing import ScopeWriter

__all__ = ["carry_out", "forget_agent", "forget_leaf", "is_void", "swept", "wrote_in"]


def forget_agent(transaction: Transaction, scope_name: str, pattern: AgentPattern) -> int:
    """States in *scope_name* that *pattern* is forgotten, and carries it out; returns the leaves that are gone.

    O(rows and journal of the scope).
    """
    scope = transaction.scope(scope_name)
    before = sum(1 for _ in transaction.leaves(scope_name))
    scope.put(SlotMap.SETTINGS, FORGOTTEN + str(pattern), Record(0, value=True))
    carry_out(scope, everywhere=True)
    return before - sum(1 for _ in transaction.leaves(scope_name))


def wrote_in(view: View, scope: str, pattern: AgentPattern) -> bool:
    """Whether an agent that *pattern* means has ever written in *scope*. O(rows and journal of the scope)."""
    for slot_map in (SlotMap.LEAVES, SlotMap.RECEIPTS, SlotMap.MESSAGES):
        for _, row in view.rows(scope, slot_map):
            if any(pattern.matches(slot.record.writer) for slot in row.slots):
                return True
    number = view.number(scope)
    return any(entry.scope == number and pattern.matches(entry.record.writer) for entry in journal.entries(view.reader))


def forget_leaf(transaction: Transaction, scope_name: str, path: str) -> None:
    """Deletes the leaf at *path* as the person, with its history and the receipts that nothing else rests on."""
    scope = transaction.scope(scope_name)
    key = row_key(SlotMap.LEAVES, path)
    receipts = {
        receipt
        for records in (
            [entry.record for entry in journal.history(transaction.writer, scope.number, key)],
            [slot.record for slot in scope.row(SlotMap.LEAVES, path).slots],
        )
        for record in records
        for receipt in record.receipts
    }
    scope.put(SlotMap.LEAVES, path, Record(0, deleted=True))
    if receipts:
        for _, row in transaction.rows(scope_name, SlotMap.LEAVES):
            for slot in row.slots:
                receipts.difference_update(slot.record.receipts)
    for receipt in sorted(receipts):
        if scope.row(SlotMap.RECEIPTS, receipt).live:
            scope.put(SlotMap.RECEIPTS, receipt, Record(0, deleted=True))


def carry_out(scope: ScopeWriter, *, everywhere: bool = False) -> None:
    """Carries out all statements of *scope*; with *everywhere*, also replaces what other devices hold for the agent.

    Only the device where the person spoke does the latter: the others would each write the same deletion.
    """
    transaction = scope.transaction
    forgotten = scope.forgotten()
    for slot_map in (SlotMap.LEAVES, SlotMap.MESSAGES):
        for name, row in list(transaction.rows(scope.name, slot_map)):
            void = [slot for slot in row.slots if is_void(slot.record, forgotten(slot.record.writer))]
            if not void:
                continue
            key = row_key(slot_map, name)
            scope.keep_row(key, row_of(row.slots, forgotten))
            scope.queue_index(key, row.newest)
            for slot in sorted(void, key=lambda one: one.device != transaction.device):
                if slot.device == transaction.device:
                    scope.replace(slot_map, name, swept(slot.record, forgotten))
                elif everywhere:
                    _sweep_foreign(scope, slot_map, name, slot)
    for receipt, row in list(transaction.rows(scope.name, SlotMap.RECEIPTS)):
        if not row.slots:  # its records were removed before they arrived
            continue
        first = row.slots[0]
        if not first.record.deleted and is_void(first.record, forgotten(first.record.writer)):
            if everywhere or first.device == transaction.device:
                scope.put(SlotMap.RECEIPTS, receipt, Record(0, deleted=True))
            else:
                scope.keep_row(row_key(SlotMap.RECEIPTS, receipt), row_of(row.slots, forgotten))
    for key, _ in transaction.writer.scan(Table.JOURNAL):
        entry = journal.entry_at(transaction.writer, key)
        if entry is None or entry.scope != scope.number or entry.forgotten:
            continue
        if is_void(entry.record, forgotten(entry.record.writer)):
            journal.empty_entry(transaction.writer, entry)


def _sweep_foreign(scope: ScopeWriter, slot_map: SlotMap, name: str, void: Slot) -> None:
    """Puts a deletion right above *void*, another device's record, unless it is gone already or that would change
    what else this device says about *name*.
    """
    device = scope.transaction.device
    row = scope.row(slot_map, name)
    if void not in row.slots or void.record.order >= MAX_READING:
        return
    record = swept(void.record, scope.forgotten())._replace(order=void.record.order + 1)
    above = Slot.of(False, device, encode_record(record))
    own = row.own(False, device)
    if own is None or hopeless(own.standing, [above.standing]):
        scope.replace(slot_map, name, record)


def swept(record: Record, forgotten: Forgotten) -> Record:
    """The deletion that stands in for *record*."""
    return Record(
        record.order,
        writer=record.writer,
        created=record.created,
        updated=record.updated,
        seen=record.seen,
        heard=forgotten(record.writer),
        deleted=True,
        swept=True,
    )


def is_void(record: Record, statement: int) -> bool:
    """Whether *record* is by an agent that the person has forgotten by a *statement* (its order) it had not heard."""
    return record.writer != USER and record.heard < statement
