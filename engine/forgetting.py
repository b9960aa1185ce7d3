"""Forgetting an agent: a statement of the person's, and what each replica does about it.

The statement is a setting of each scope that the agent could write, so it converges like everything else, and the
law reads it: what the agent wrote without having heard it counts as deleted. Each replica that holds the statement

* replaces its *own* slots that are void by deletions that have heard it. Each stands where the void record stood: it
  must not outrank what another agent has written there since, seen or not;
* on the device where the person spoke, also writes such a deletion right above void records of others, where its own
  slot is free for it: they are then hopeless, so that their bytes leave the document although their own device may
  never return;
* empties the agent's journal entries, and deletes the receipts that the agent recorded; but the quote of a message, on
  which somebody else's memory rests too, is kept in the name of that one;
* looks again at every row that holds a void record.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from vademecum.errors import InvalidScope
from vademecum.storage.tables import Table

from . import journal
from .agents import AgentPattern
from .clock import MAX_READING
from .formation.links import unlink
from .formation.shown import forget_shown
from .law import Forgotten, hopeless
from .records import USER, Record, encode_record
from .scopes import session_scope
from .slots import Row, Slot, SlotMap, row_of
from .view import FORGOTTEN, View, is_name, row_key

if TYPE_CHECKING:
    from .replica import Transaction
    from .writing import ScopeWriter

__all__ = [
    "COMPACT",
    "PURGE",
    "carry_out",
    "cited_place",
    "drop_message",
    "drop_receipts",
    "drop_suggestions",
    "forget_agent",
    "forget_leaf",
    "forget_leaves",
    "has_written",
    "is_void",
    "late_suggestions",
    "note_forgetting",
    "note_purge",
    "scopes_written",
    "suggested_at",
    "swept",
]

COMPACT = b"compact/"
"""In the meta table, with a scope's name: a new generation must begin, for commits hold what was forgotten there."""
PURGE = b"purge"
"""In the meta table: this device's files may hold what was forgotten, until they are written anew."""


_WRITTEN = (SlotMap.LEAVES, SlotMap.MESSAGES, SlotMap.LINKS, SlotMap.OBSERVATIONS, SlotMap.SUGGESTIONS)
"""What an agent writes beside its receipts."""
_RESTING = (SlotMap.LEAVES, SlotMap.LINKS, SlotMap.OBSERVATIONS, SlotMap.SUGGESTIONS)
"""What rests on receipts."""


def forget_agent(transaction: Transaction, scope_name: str, pattern: AgentPattern) -> int:
    """States in *scope_name* that *pattern* is forgotten, and carries it out; returns the leaves that are gone.

    O(rows and journal of the scope).
    """
    scope = transaction.scope(scope_name)
    before = sum(1 for _ in transaction.leaves(scope_name))
    scope.put(SlotMap.SETTINGS, FORGOTTEN + str(pattern), Record(0, value=True))
    carry_out(scope, everywhere=True)
    note_forgetting(scope)
    return before - sum(1 for _ in transaction.leaves(scope_name))


def scopes_written(view: View, pattern: AgentPattern) -> list[str]:
    """The scopes in which an agent that *pattern* means has ever written. O(rows and journal of the vault)."""
    names = view.scope_names()
    found = {
        names[entry.scope] for entry in journal.entries(view.reader) if pattern.matches(entry.record.writer)
    }  # fmt: skip
    for scope in view.scopes():
        if scope not in found and has_written(view, scope, pattern):
            found.add(scope)
    return sorted(found)


def has_written(view: View, scope: str, pattern: AgentPattern) -> bool:
    """Whether a record of an agent that *pattern* means stands in *scope*. O(rows of the scope)."""
    return any(
        pattern.matches(slot.record.writer)
        for slot_map in (SlotMap.RECEIPTS, *_WRITTEN)
        for _, row in view.rows(scope, slot_map)
        for slot in row.slots
    )


def forget_leaf(transaction: Transaction, scope_name: str, path: str) -> None:
    """Deletes the leaf at *path* as the person, with all that `forget_leaves` says."""
    forget_leaves(transaction, scope_name, [path])


def forget_leaves(transaction: Transaction, scope_name: str, paths: Iterable[str]) -> int:
    """Deletes the leaves at *paths* as the person, with their history, links, what was suggested there, the receipts
    that nothing else rests on, and the messages of sessions that those quote. Returns how many had a value. O(scope).
    """
    scope = transaction.scope(scope_name)
    receipts: set[str] = set()
    living = 0
    paths = list(paths)
    unlink(transaction, scope_name, paths)
    for path in paths:
        row = scope.row(SlotMap.LEAVES, path)
        living += row.live
        for entry in journal.history(transaction.writer, scope.number, row_key(SlotMap.LEAVES, path)):
            receipts.update(entry.record.receipts)
        for slot in row.slots:
            receipts.update(slot.record.receipts)
        suggested = suggested_at(transaction, scope_name, path)
        for _, other in transaction.rows(scope_name, SlotMap.SUGGESTIONS, f"{path}:"):
            receipts.update(receipt for slot in other.slots for receipt in slot.record.receipts)
        if row.slots or not suggested:
            scope.put(SlotMap.LEAVES, path, Record(0, deleted=True))
        receipts.update(_drop_suggestions(scope, suggested))
    drop_receipts(scope, receipts)
    note_forgetting(scope)
    return living


def suggested_at(view: View, scope: str, path: str) -> list[str]:
    """Names of what was suggested for *path*, decided about or not; they begin with it."""
    return [name for name, row in view.rows(scope, SlotMap.SUGGESTIONS, f"{path}:") if row.live]


def drop_suggestions(scope: ScopeWriter, names: Iterable[str]) -> None:
    """Deletes the suggestions *names* as the person, with the receipts that nothing else rests on."""
    drop_receipts(scope, _drop_suggestions(scope, names))


def late_suggestions(scope: ScopeWriter) -> list[str]:
    """Names of what was suggested before the person deleted the path, elsewhere and without having heard of it; of
    those, what this device suggested, and what it deleted. O(suggestions).
    """
    own = scope.transaction.device
    found = []
    for name, row in scope.transaction.rows(scope.name, SlotMap.SUGGESTIONS):
        if not row.live or row.slots[0].by_person:
            continue
        made = row.slots[0]
        said = [slot for slot in scope.row(SlotMap.LEAVES, name.rpartition(":")[0]).slots if slot.by_person]
        newest = max(said, key=lambda slot: slot.standing.key, default=made)
        if newest.record.deleted and newest.record.order > made.record.order and own in (newest.device, made.device):
            found.append(name)
    return found


def _drop_suggestions(scope: ScopeWriter, names: Iterable[str]) -> set[str]:
    receipts: set[str] = set()
    for name in names:
        for slot in scope.row(SlotMap.SUGGESTIONS, name).slots:
            receipts.update(slot.record.receipts)
        scope.put(SlotMap.SUGGESTIONS, name, Record(0, deleted=True))
        note_forgetting(scope)
    return receipts


def drop_receipts(scope: ScopeWriter, receipts: Collection[str], *, messages: bool = True) -> bool:
    """Deletes those of *receipts* that nothing rests on, and with *messages* the messages of sessions that they quote;
    says whether there were any.

    What rests on one: a leaf, or the history of one that has a value; a link, a sighting, a suggestion that waits.
    """
    doomed = {receipt for receipt in receipts if scope.row(SlotMap.RECEIPTS, receipt).live}
    if doomed:
        doomed -= _rested_on(scope)
    for receipt in sorted(doomed):
        record = scope.row(SlotMap.RECEIPTS, receipt).winner
        if record is None:
            continue
        if messages:
            scope.put(SlotMap.RECEIPTS, receipt, Record(0, deleted=True))
            _drop_message(scope.transaction, record)
        else:  # nobody has forgotten the message: its other devices must not take this for that
            scope.put(SlotMap.RECEIPTS, receipt, Record(0, writer=record.writer, deleted=True))
    return bool(doomed)


def _rested_on(scope: ScopeWriter) -> set[str]:
    transaction = scope.transaction
    found: set[str] = set()
    living: set[str] = set()
    forgotten = scope.forgotten()
    for slot_map in _RESTING:
        for name, row in transaction.rows(scope.name, slot_map):
            for slot in row.slots:
                if slot_map is SlotMap.SUGGESTIONS and slot.by_person:  # an answer
                    continue
                if not is_void(slot.record, forgotten(slot.record.writer)) and not _is_beaten(slot, row):
                    found.update(slot.record.receipts)
            if row.live and slot_map is SlotMap.LEAVES:
                living.add(name)
    for _, entry, _ in journal.scope_entries(transaction.writer, scope.number):
        if entry.map is SlotMap.LEAVES and entry.name in living:
            found.update(entry.record.receipts)
    return found


def _is_beaten(slot: Slot, row: Row) -> bool:
    return len(row.slots) > 1 and hopeless(slot.standing, [one.standing for one in row.slots if one is not slot])


def _drop_message(transaction: Transaction, receipt: Record) -> None:
    place = cited_place(receipt)
    if place is not None:
        drop_message(transaction, *place)


def drop_message(transaction: Transaction, session: str, message: str) -> None:
    """Deletes a message of the scope *session*, if it is there."""
    if transaction.number(session) is None:
        return
    scope = transaction.scope(session)
    if scope.row(SlotMap.MESSAGES, message).live:
        scope.put(SlotMap.MESSAGES, message, Record(0, deleted=True))
        note_forgetting(scope)


def cited_place(receipt: Record) -> tuple[str, str] | None:
    """The scope of the session and the id of the message that *receipt* quotes, where it names one."""
    if not isinstance(receipt.value, list) or len(receipt.value) < 4:
        return None
    session, message = receipt.value[2:4]
    if not isinstance(session, str) or not isinstance(message, str) or not is_name(message):
        return None
    try:
        return session_scope(session), message
    except InvalidScope:
        return None


def note_forgetting(scope: ScopeWriter) -> None:
    """Notes that something of *scope* was forgotten: its commits and this device's files still hold it.

    What waits to be sent is replaced at the end of the transaction by what is still there.
    """
    scope.transaction.writer.put(Table.META, COMPACT + scope.name.encode(), b"1")
    note_purge(scope.transaction)
    scope.renew_outbox()


def note_purge(transaction: Transaction) -> None:
    """Notes that this device's files hold what was forgotten; each time in other words, so that none is missed."""
    forget_shown(transaction.writer)
    reading = transaction.clock.now(transaction.wall_ms)
    transaction.writer.put(Table.META, PURGE, reading.to_bytes(8, "big"))


def carry_out(scope: ScopeWriter, *, everywhere: bool = False) -> None:
    """Carries out all statements of *scope*; with *everywhere*, also replaces what other devices hold for the agent.

    Only the device where the person spoke does the latter: the others would each write the same deletion.
    """
    transaction = scope.transaction
    note_purge(transaction)
    scope.renew_outbox()
    forgotten = scope.forgotten()
    decider = transaction.device if everywhere else b""
    for slot_map in _WRITTEN:
        for name, row in list(transaction.rows(scope.name, slot_map)):
            void = [slot for slot in row.slots if is_void(slot.record, forgotten(slot.record.writer))]
            if not void:
                continue
            for slot in void:
                scope.loosen(slot.record.receipts, decider, messages=False)
            key = row_key(slot_map, name)
            now = row_of(row.slots, forgotten)
            scope.keep_row(key, row, now)
            if slot_map is SlotMap.SUGGESTIONS:
                scope.suggestion_merged(row, now)
            scope.queue_index(key, row.newest)
            for slot in sorted(void, key=lambda one: one.device != transaction.device):
                if slot.device == transaction.device:
                    scope.replace(slot_map, name, swept(slot.record, forgotten))
                elif everywhere:
                    _sweep_foreign(scope, slot_map, name, slot)
    kept: dict[str, Slot] | None = None
    for receipt, row in list(transaction.rows(scope.name, SlotMap.RECEIPTS)):
        if not row.slots:  # its records were removed before they arrived
            continue
        first = row.slots[0]
        if not first.record.deleted and is_void(first.record, forgotten(first.record.writer)):
            if kept is None:
                kept = _supporters(scope)
            other = kept.get(receipt) if cited_place(first.record) else None
            if other is not None and (everywhere or transaction.device in (first.device, other.device)):
                scope.put(
                    SlotMap.RECEIPTS,
                    receipt,
                    first.record._replace(order=0, writer=other.record.writer, seen=0, heard=0),
                )
            elif everywhere or first.device == transaction.device:
                scope.put(SlotMap.RECEIPTS, receipt, Record(0, deleted=True))
            else:
                scope.keep_row(row_key(SlotMap.RECEIPTS, receipt), row, row_of(row.slots, forgotten))
    for _, entry, _ in list(journal.scope_entries(transaction.writer, scope.number)):
        if not entry.forgotten and is_void(entry.record, forgotten(entry.record.writer)):
            scope.loosen(entry.record.receipts, decider, messages=False)
            journal.empty_entry(transaction.writer, entry)


def _supporters(scope: ScopeWriter) -> dict[str, Slot]:
    """For each receipt on which a memory rests that has a value: what that memory says."""
    return {
        receipt: row.slots[0]
        for slot_map in _RESTING
        for _, row in scope.transaction.rows(scope.name, slot_map)
        if row.live
        for receipt in row.slots[0].record.receipts
    }


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
