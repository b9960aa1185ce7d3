"""What one write transaction does in one scope: put records under the law, or take in another device's changes."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from typing import TYPE_CHECKING

from vademecum.errors import InvalidArgument
from vademecum.storage.tables import Table

from . import journal, learned, outbox
from .documents import Documents, Generation
from .forgetting import carry_out, drop_receipts, drop_suggestions, is_void, late_suggestions, note_forgetting
from .law import Forgotten, hopeless
from .locality import is_local
from .records import Record, encode_record
from .scopes import TIER_1
from .slots import Row, Slot, SlotMap, decode_row, encode_row, row_of, slot_key
from .splitting import NO_UPDATE
from .view import FORGOTTEN, MAX_NAME, forgotten_by, is_name, row_key

if TYPE_CHECKING:
    from .document import Changed, Document
    from .replica import Transaction

__all__ = ["ScopeWriter"]

INDEXED = frozenset({SlotMap.LEAVES, SlotMap.MESSAGES})
"""Maps whose names recall can find."""


class ScopeWriter:
    """One scope inside one write transaction. Made by `Transaction.scope`."""

    def __init__(
        self, transaction: Transaction, name: str, number: bytes, documents: Documents, edits: ExitStack
    ) -> None:
        self.name = name
        self.number = number
        self.transaction = transaction
        self._writer = transaction.writer
        self._open = documents.open(transaction.writer, number)
        self.document = self._open.document
        self._edits = edits
        self._made: list[bytes] | None = None
        self._applied: list[bytes] = []
        self._written: list[bytes] = []
        self._deletes = False
        self._forgotten: Forgotten | None = None
        self._unsettled = False
        self._loose: dict[bool, set[str]] = {True: set(), False: set()}
        self._deletion_came = False
        self._renews = False
        self._hands_over = False

    def row(self, slot_map: SlotMap, name: str) -> Row:
        """All slots of *name*, this transaction's writes included."""
        return decode_row(self._writer.get(Table.LEAVES, self.number + row_key(slot_map, name)))

    def put(self, slot_map: SlotMap, name: str, draft: Record) -> Record:
        """Writes *draft* into this device's slot for *name*; returns the record as it stands there.

        ``order``, ``seen`` and ``heard`` are stamped here; ``created`` and ``updated`` where they are 0. Whether the
        writer may write there is the caller's question.
        """
        if not is_name(name):
            raise InvalidArgument(f"The name {name[:80]!r} takes more than {MAX_NAME} bytes, or holds a NUL.")
        row = self.row(slot_map, name)
        return self._place(slot_map, name, row, self._stamped(draft, row))

    def replace(self, slot_map: SlotMap, name: str, record: Record) -> None:
        """Puts *record* into this device's slot for *name* as it stands, its stamps included.

        For what must say something else at the same place in the ranking. The caller sees to it that the record which
        stood in the slot is hopeless beside *record*, or ranks as it does.
        """
        self._place(slot_map, name, self.row(slot_map, name), record)

    def _place(self, slot_map: SlotMap, name: str, row: Row, record: Record) -> Record:
        device = self.transaction.device
        mine = Slot(record.by_person, device, encode_record(record), record)
        others = [slot for slot in row.slots if not (slot.device == device and slot.by_person is mine.by_person)]
        kept = [mine]
        document = self._edit()
        for slot in others:
            if hopeless(slot.standing, [other.standing for other in (mine, *others) if other is not slot]):
                document.remove(slot_map, slot_key(name, slot.by_person, slot.device))
            else:
                kept.append(slot)
        document.put(slot_map, slot_key(name, mine.by_person, device), mine.data)
        key = row_key(slot_map, name)
        self.keep_row(key, row, row_of(kept, self.forgotten()))
        self.queue_index(key, record.order)
        self._deletes |= record.deleted
        if slot_map in journal.JOURNALED:
            self.journal(key, mine)
            if record.deleted and record.by_person:
                self.empty_history(key)
        if slot_map is SlotMap.SETTINGS and name.startswith(FORGOTTEN):
            self._forgotten = None
        return record

    def journal(self, key: bytes, mine: Slot, *, forgotten: bool = False, under: Slot | None = None) -> None:
        """Writes into the journal that this device wrote *mine*, and sees to it that the others hear of it.

        *under* is what stands in the slot, where that is something else, or *mine* where no slot holds it: *mine* is
        then told as what was before.
        """
        entry, index = journal.entry_rows(self.number, key, mine, forgotten=forgotten)
        self._writer.put(Table.JOURNAL, *entry)
        self._writer.put(Table.HISTORY, *index)
        self._written.append(entry[0])
        if under is not None:
            self._written.append(journal.entry_key(self.number, key, under.record.order, under.device))
        self._edit()

    def tell_deletions(self) -> None:
        """Sees to it that what this transaction sends holds all deletions of the document."""
        self._deletes = True

    def forgotten(self) -> Forgotten:
        """Which writers the person has forgotten in this scope."""
        if self._forgotten is None:
            self._forgotten = forgotten_by(self.transaction.statements(self.name))
        return self._forgotten

    def apply(self, update: bytes) -> Changed:
        """Lets the document take in a foreign *update*, which is kept with it at the end. Raises `MalformedBytes`.

        Not after `put` in the same transaction: the document is then in the middle of an edit.
        """
        if self._made is not None:
            raise RuntimeError("a foreign update cannot be applied in the middle of an edit")
        changed = self.document.apply(update)
        self._applied.append(update)
        return changed

    def begin_generation(self, document: Document, generation: Generation) -> None:
        """Puts *document*, the first of *generation*, in place of the one there is. Rows are the caller's.

        Before anything else in the transaction: what was written into the old document would be lost.
        """
        if self._made is not None or self._applied:
            raise RuntimeError("a generation cannot begin in a transaction that has already changed the document")
        self._open.begin_generation(self._writer, document, generation)
        self.document = document

    def say_again(
        self,
        slots: Iterable[tuple[SlotMap, str, Slot]],
        gone: Iterable[tuple[SlotMap, str, Slot]],
        written: Iterable[bytes],
    ) -> None:
        """Writes *slots* of this device into a new document, removes *gone*, which they make hopeless, and queues both
        for the next commit, with the journal's rows *written*. The rows of all and the journal are there already.
        """
        for slot_map, name, slot in gone:
            self._edit().remove(slot_map, slot_key(name, slot.by_person, slot.device))
        for slot_map, name, slot in slots:
            self._edit().put(slot_map, slot_key(name, slot.by_person, slot.device), slot.data)
            self._deletes |= slot.record.deleted
        for key in written:
            self._edit()
            self._written.append(key)

    def statement_arrived(self) -> None:
        """To be called when a statement that forgets an agent has come in: `settle` will carry it out."""
        self._forgotten = None
        self._unsettled = True

    def follow(self, slot_map: SlotMap, name: str, before: Row, after: Row) -> None:
        """To be called when *name* has come to be *after*: it may speak of sessions that stay here (`following`)."""
        followed = self.transaction.followed
        if slot_map is SlotMap.RECEIPTS:
            quoted = before.winner  # with an agent go the quotes it made, but not what others heard
            gone = quoted is not None and not after.live and bool(after.slots) and after.slots[0].by_person
            if gone and quoted is not None and not is_void(quoted, self.forgotten()(quoted.writer)):
                followed.receipts.append(quoted)
        elif slot_map is SlotMap.SETTINGS:
            followed.note_setting(self.name, name, before, after)

    def loosen(self, receipts: Iterable[str], decider: bytes, *, messages: bool = True) -> None:
        """To be called when what rested on *receipts* is void, for the person has deleted it, or decided about it, on
        the device *decider*. That device, and those that wrote the receipts, will delete those on which nothing else
        rests; with *messages*, also the messages that they quote.
        """
        own = self.transaction.device
        for receipt in receipts:
            if decider == own or any(slot.device == own for slot in self.row(SlotMap.RECEIPTS, receipt).slots):
                self._loose[messages].add(receipt)

    def suggestion_merged(self, before: Row, row: Row) -> None:
        """To be called when *row* of a suggestion has come to stand where *before* stood: what no longer speaks for it
        is let go of. Answers name what spoke for what they answer.
        """
        self._deletion_came = True
        if not row.slots:
            return
        first = row.slots[0]
        speaking = row.slots if row.live and not first.by_person else row.slots[:1]
        kept = {receipt for slot in speaking for receipt in slot.record.receipts if row.live}
        vain = {receipt for slot in (*before.slots, *row.slots) for receipt in slot.record.receipts}
        self.loosen(vain - kept, first.device, messages=False)

    def deletion_arrived(self) -> None:
        """To be called when a deletion of the person's has come in: suggestions may be older than it."""
        self._deletion_came = True

    def settle(self) -> None:
        """Carries out the statements that came in, and lets go of the receipts that nothing rests on any more. Called
        once, when the transaction's work is done.
        """
        if self._unsettled:
            carry_out(self)
        if self._deletion_came:
            late = late_suggestions(self)
            if late:
                drop_suggestions(self, late)
        for messages, loose in self._loose.items():
            if loose and drop_receipts(self, loose, messages=messages):
                note_forgetting(self)

    def empty_history(self, key: bytes) -> None:
        """Removes from the journal the values of one name that the person has deleted: those ranked below the newest
        deletion of theirs, and those of agents that had not seen it.
        """
        entries = list(journal.history(self._writer, self.number, key))
        deleted = max(
            ((one.record.order, one.device) for one in entries if one.record.by_person and one.record.deleted),
            default=None,
        )
        if deleted is None:
            return
        for one in entries:
            record = one.record
            if one.forgotten or record.deleted:
                continue
            if (record.order, one.device) < deleted or not (record.by_person or record.seen >= deleted[0]):
                journal.empty_entry(self._writer, one)
                self.loosen(record.receipts, deleted[1])

    def keep_row(self, key: bytes, before: Row, row: Row) -> None:
        """Keeps *row* in the place of *before*."""
        self._writer.put(Table.LEAVES, self.number + key, encode_row(row))
        if key[0] == SlotMap.LEAVES and self.name in TIER_1:
            learned.adjust(self._writer, learned.counts(row) - learned.counts(before))

    def queue_index(self, key: bytes, order: int) -> None:
        """Queues the name for the recall indexes; *order* tells one request for a name from the next."""
        if SlotMap(key[0]) in INDEXED:
            self._writer.put(Table.REINDEX, self.number + key, order.to_bytes(8, "big"))

    def fold(self) -> None:
        """Keeps the document as one state, without what was overwritten."""
        self._open.fold(self._writer)

    def renew_outbox(self) -> None:
        """Puts what is still there in place of all that waits to be sent, when the transaction ends."""
        self._renews = True

    def hand_over(self) -> None:
        """Queues all that this device has ever written in the scope for the next commit, when the transaction ends."""
        self._hands_over = True

    def finish(self) -> bool:
        """Keeps the document's updates and queues this device's own for the next commit; says whether there are any.

        Of a session that stays on this device, nothing is queued.
        """
        for update in self._applied:
            self._open.append(self._writer, update)
        made = self._made is not None and bool(self._made or self._written)
        if made:
            (update,) = self._made or [NO_UPDATE]
            self._open.append(self._writer, update)
        if is_local(self.transaction, self.name, self.transaction.device):
            made = False
        elif self._hands_over:
            since = outbox.gathered(self._writer, self.number)
            outbox.add(self._writer, self.number, outbox.Pending(self.document.encode_own_since(since), (), True))
        elif made:
            outbox.add(self._writer, self.number, outbox.Pending(update, tuple(self._written), self._deletes))
        if self._renews:
            since = outbox.gathered(self._writer, self.number)
            outbox.renew(self._writer, self.number, self.document.encode_own_since(since))
            self._open.fold(self._writer)
        return made

    def _edit(self) -> Document:
        if self._made is None:
            self._made = self._edits.enter_context(self.document.edit())
        return self.document

    def _stamped(self, draft: Record, row: Row) -> Record:
        transaction = self.transaction
        order = transaction.clock.stamp(transaction.wall_ms, row.newest)
        updated = draft.updated or transaction.wall_ms
        before = row.winner
        created = draft.created or (before.created if before is not None else updated)
        return draft._replace(
            order=order,
            seen=row.newest_by_person,
            heard=0 if draft.by_person else self.forgotten()(draft.writer),
            created=min(created, updated),
            updated=updated,
            imported=draft.imported or (before is not None and before.imported and not draft.by_person),
        )
