"""What a device that was copied has written since, said again by the device that the copy becomes.

Two copies of a device that both write make two histories under one name, of which the others can take in only one. So
what a copy has written and nobody else may have, it takes out of its documents, as if it had never been done, and puts
into slots of its own new name. Order, writer, times and receipts stay: for the law nothing has happened. Should the
original send the same records too, there are two slots that say the same.

What those operations had deleted stays deleted: a record is removed only where another makes it hopeless for ever, and
that one is said again, or has in turn been made hopeless by one that is.

The journal's entries move with the records, those that were overwritten since included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from vademecum.storage.tables import Table
from vademecum.storage.transaction import Writer

from . import journal, learned, outbox
from .changes import Changes
from .clock import MAX_READING
from .document import Document, update_origin
from .documents import OpenDocument
from .locality import LOCAL, local_name
from .records import encode_record
from .replica import Transaction
from .slots import Slot, SlotMap, decode_row, encode_row, parse_slot_key, row_of
from .splitting import cut_update
from .view import row_key

__all__ = ["TakenOut", "put_back", "take_out"]


@dataclass(slots=True)
class TakenOut:
    """Records that `take_out` removed from one scope."""

    slots: list[tuple[SlotMap, str, Slot]] = field(default_factory=list)
    entries: list[journal.Entry] = field(default_factory=list)


def take_out(
    writer: Writer,
    scope: bytes,
    device: bytes,
    client: int,
    *,
    current: bool,
    dropped: Sequence[Changes],
) -> TakenOut:
    """Removes from scope# *scope* what *device* did there that is in no commit, or in one that is given up.

    Args:
        client: the device's CRDT client id.
        current: whether it is the device that this replica has been until now; what waits is then taken out of the
            outbox. A former one has nothing in there.
        dropped: commits of the device in the scope's present document that are given up, in order.

    O(the whole scope).
    """
    origins = [origin for changes in dropped if (origin := update_origin(changes.update)) is not None]
    ends = [clock for _, clock in origins]
    keys: set[bytes] = set()
    if current:
        keys.update(key for pending in outbox.waiting(writer, scope) for key in pending.written)
        ends.append(outbox.gathered(writer, scope))
        outbox.clear(writer, scope)
        outbox.gather_anew(writer, scope)
    keep = min(ends, default=None)
    taken = TakenOut()
    if keep is not None:
        opened = OpenDocument(scope, Document(client))
        opened.catch_up(writer)
        before = opened.document
        state = cut_update(opened.folded(writer), client, keep)
        after = Document(client)
        after.load(state)
        for slot_map in SlotMap:
            for key, data in before.items(slot_map).items():
                name, by_person, owner = parse_slot_key(key)
                if owner == device and after.get(slot_map, key) != data:
                    taken.slots.append((slot_map, name, Slot.of(by_person, owner, data)))
        if before.clock(client) > keep:
            opened.rewrite(writer, state)
        keys |= _journaled(scope, device, after, dropped)
    for slot_map, name, slot in taken.slots:
        place = scope + row_key(slot_map, name)
        row = decode_row(writer.get(Table.LEAVES, place))
        left = [one for one in row.slots if (one.by_person, one.device) != (slot.by_person, device)]
        writer.put(Table.LEAVES, place, encode_row(row_of(left)))
    learned.recount(writer)
    for place in sorted(keys):
        entry = journal.entry_at(writer, place)
        if entry is not None:
            taken.entries.append(entry)
            journal.remove(writer, place)
    return taken


def put_back(transaction: Transaction, scope_name: str, taken: TakenOut) -> None:
    """Writes what was taken out into this device's own slots."""
    if not (taken.slots or taken.entries):
        return
    scope = transaction.scope(scope_name)
    device = transaction.device
    last = {(slot_map, name, slot.by_person): slot.record.order for slot_map, name, slot in taken.slots}
    for entry in taken.entries:
        record = entry.record
        if last.get((entry.map, entry.name, record.by_person)) != record.order:
            slot = Slot(record.by_person, device, encode_record(record), record)
            # no slot holds it: it is told as what was before
            scope.journal(row_key(entry.map, entry.name), slot, forgotten=entry.forgotten, under=slot)
    # Statements that forget an agent decide about leaves, so settings come first.
    for slot_map, name, slot in sorted(taken.slots, key=lambda one: one[0] is not SlotMap.SETTINGS):
        record = slot.record
        if record.swept and record.order < MAX_READING:
            # It took the place of a record of the same order, which the others may hold still: it is removed there only
            # if this one ranks above it.
            record = record._replace(order=record.order + 1)
        if slot_map is SlotMap.SETTINGS and name.startswith(LOCAL):
            name = local_name(device)  # a session that stays with the copy stays with the device that it becomes
        own = scope.row(slot_map, name).own(slot.by_person, device)
        if own is None or own.record.order < record.order:
            scope.replace(slot_map, name, record)
        elif slot_map in journal.JOURNALED:  # what this device was before the last time stands there already
            scope.journal(row_key(slot_map, name), Slot(slot.by_person, device, slot.data, record), under=own)
        if slot_map in journal.JOURNALED:
            scope.empty_history(row_key(slot_map, name))  # the person may have deleted it since
    scope.tell_deletions()


def _journaled(scope: bytes, device: bytes, before: Document, dropped: Sequence[Changes]) -> set[bytes]:
    """Keys of the journal's entries for what *dropped* say, which follow on *before*."""
    keys: set[bytes] = set()
    for changes in dropped:
        for slot_map, changed in before.apply(changes.update).items():
            for key, data in changed.items():
                name, by_person, owner = parse_slot_key(key)
                if data is not None and owner == device:
                    order = Slot.of(by_person, owner, data).record.order
                    keys.add(journal.entry_key(scope, row_key(slot_map, name), order, device))
        for one in changes.superseded:
            order = Slot.of(one.by_person, device, one.data).record.order
            keys.add(journal.entry_key(scope, row_key(one.map, one.name), order, device))
    return keys
