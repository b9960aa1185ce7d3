"""Forgetting an agent: a statement of the person's, and what each replica does about it.

The statement is a setting of each scope that the agent could write, so it converges like everything else, and the
law reads it: what the agent wrote without having heard it counts as deleted. Each replica that holds the statement

* replaces its *own* slots that are void by deletions that have heard it, which makes the void records of others
  hopeless, so that their bytes leave the document;
* empties the agent's journal entries, and deletes the receipts that the agent recorded;
* looks again at every row that holds a void record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vademecum.storage.tables import Table

from . import journal
from .agents import AgentPattern
from .records import USER, Record
from .slots import SlotMap, row_of
from .view import FORGOTTEN, View, row_key

if TYPE_CHECKING:
    from .replica import Transaction
    from .writing import ScopeWriter

__all__ = ["carry_out", "forget_agent", "forget_leaf", "wrote_in"]


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
            void = [slot for slot in row.slots if _is_void(slot.record, forgotten(slot.record.writer))]
            if not void:
                continue
            mine = [slot for slot in void if everywhere or slot.device == transaction.device]
            if mine:
                scope.put(slot_map, name, Record(0, writer=mine[0].record.writer, deleted=True, swept=True))
            else:
                key = row_key(slot_map, name)
                scope.keep_row(key, row_of(row.slots, forgotten))
                scope.queue_index(key, row.newest)
    for receipt, row in list(transaction.rows(scope.name, SlotMap.RECEIPTS)):
        if row.live and _is_void(row.slots[0].record, forgotten(row.slots[0].record.writer)):
            if everywhere or row.slots[0].device == transaction.device:
                scope.put(SlotMap.RECEIPTS, receipt, Record(0, deleted=True))
            else:
                scope.keep_row(row_key(SlotMap.RECEIPTS, receipt), row_of(row.slots, forgotten))
    for key, _ in transaction.writer.scan(Table.JOURNAL):
        entry = journal.entry_at(transaction.writer, key)
        if entry is None or entry.scope != scope.number or entry.forgotten:
            continue
        if _is_void(entry.record, forgotten(entry.record.writer)):
            journal.empty_entry(transaction.writer, entry)


def _is_void(record: Record, statement: int) -> bool:
    return record.writer != USER and record.heard < statement
