"""Generations: taking the snapshot from which a scope's next document is built, and adopting one.

A document grows with every overwrite, and keeps no secret for ever: the updates that once carried what is forgotten
lie in commits. So now and then a scope begins a new *generation*, with a document that holds the slots that still
count and nothing of the past. Adopting **merges, and never replaces**:

* of each slot the greater record stays, by order, and where a record was replaced in its place, the replacement;
* what the law finds hopeless goes; what another device wrote and the snapshot does not know is gone too, for it was
  hopeless or forgotten, unless the caller says that the snapshot had not yet heard that device out;
* what this device itself wrote and the snapshot does not know is *said again* in the new document and waits to be
  sent, with the part of its history that the snapshot has not heard either. Slots carry their own order, so a device
  may be away for as long as it likes.

A record whose writer the person has forgotten goes into a snapshot as the deletion that it counts as.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from vademecum.storage.tables import Table

from . import journal, outbox
from .document import Document
from .documents import FIRST, Generation, generation_at
from .forgetting import is_void, note_purge, swept
from .journal import Entry
from .law import Forgotten, hopeless
from .locality import is_local
from .merging import bind_clients, check_name, clients_known, is_forgotten
from .records import encode_record
from .replica import Transaction
from .retention import Retention, agreed_now, horizon, unneeded
from .settings import read_retention
from .slots import EMPTY_ROW, Row, Slot, SlotMap, decode_row, row_of, slot_key
from .snapshots import Held, Retained, Snapshot, base_client
from .view import FORGOTTEN, View, forgotten_by, row_key
from .writing import ScopeWriter

__all__ = ["Adopted", "adopt", "generation_of", "take_snapshot"]


class Adopted(NamedTuple):
    """What adopting did: names that have another value now; own slots that were said again; and foreign slots that
    are kept here although the snapshot lacks them, which the next snapshot that this device takes will hold.
    """

    changed: int = 0
    rewritten: int = 0
    carried: int = 0


def generation_of(view: View, scope: str) -> int:
    """The generation of *scope*'s document here; 0 for the first, and where the scope is not known."""
    number = view.number(scope)
    return 0 if number is None else generation_at(view.reader, number).number


def take_snapshot(transaction: Transaction, scope: str, generation: int | None = None) -> Snapshot:
    """All that counts in *scope* now, for *generation*, but at least for the one after that which it has here.

    Of a session that stays on this device, nothing that this device wrote is in it. Changes nothing. O(rows and journal
    of the scope).
    """
    number = transaction.number(scope)
    generation = max(generation or 0, generation_of(transaction, scope) + 1)
    if number is None:
        return Snapshot(generation, ())
    forgotten = forgotten_by(transaction.statements(scope))
    hidden = transaction.device if is_local(transaction, scope, transaction.device) else None
    slots = []
    living: dict[bytes, bool] = {}
    said: set[bytes] = set()
    for key, row in _rows(transaction, number):
        living[key] = row.live
        for slot in _counting([one for one in row.slots if one.device != hidden], forgotten):
            slots.append(Held(SlotMap(key[0]), key[1:].decode(), slot))
            said.add(journal.entry_key(number, key, slot.record.order, slot.device))
    slots.sort(key=lambda held: held.key)
    retention = read_retention(transaction)
    past = list(journal.scope_entries(transaction.writer, number))
    others = (one.record.order for _, one, _ in past if one.device != transaction.device)
    now_ms = agreed_now(transaction.wall_ms, others)
    below = horizon(((one.record.order, size) for _, one, size in past), now_ms, retention)
    doomed = set(_doomed(past, said, living, below, retention))
    retained = []
    for key, entry, _ in past:
        if key not in said and key not in doomed and entry.device != hidden:
            gone = entry.forgotten or is_void(entry.record, forgotten(entry.record.writer))
            record = journal.emptied(entry.record) if gone else entry.record
            slot = Slot(record.by_person, entry.device, encode_record(record), record)
            retained.append(Retained(entry.map, entry.name, slot, gone))
    retained.sort(key=lambda one: one.key)
    return Snapshot(generation, tuple(slots), tuple(retained), tuple(sorted(clients_known(transaction).items())), below)


def adopt(
    transaction: Transaction, scope_name: str, snapshot: Snapshot, *, beyond: Collection[bytes] = frozenset()
) -> Adopted:
    """Begins the generation of *snapshot* in *scope_name*; nothing happens where the one here is later, or the same.

    Of two snapshots for one generation, from two relays, each may be adopted after the other.

    *beyond* are the devices of which this replica holds commits that the snapshot does not cover. What they wrote stays
    in the rows; the new document lacks it until they say it again, or until a snapshot taken here holds it.

    Nothing else may have changed the scope in this transaction. Raises `InvalidCommit` for names that no device could
    have written. O(rows and journal of the scope).
    """
    number = transaction.number(scope_name)
    current = FIRST if number is None else generation_at(transaction.writer, number)
    generation = Generation(snapshot.generation, base_client(snapshot))
    if generation.number < current.number or generation == current:
        return Adopted()
    for one in snapshot.rows():
        check_name(one.map, one.name, one.slot.device)
    return _Adoption(transaction.scope(scope_name), snapshot, beyond).carry_out(generation)


_Past = dict[bytes, tuple[Entry, int]]
"""Key of the journal → entry, and bytes of its record."""


class _Adoption:
    """One snapshot being adopted, inside one transaction."""

    def __init__(self, scope: ScopeWriter, snapshot: Snapshot, beyond: Collection[bytes]) -> None:
        self._scope = scope
        self._transaction = scope.transaction
        self._writer = scope.transaction.writer
        self._snapshot = snapshot
        self._beyond = beyond
        self._again: list[tuple[SlotMap, str, Slot]] = []
        self._gone: list[tuple[SlotMap, str, Slot]] = []
        self._changed = self._carried = 0

    def carry_out(self, generation: Generation) -> Adopted:
        scope, writer = self._scope, self._writer
        bind_clients(self._transaction, self._snapshot.clients)
        scope.begin_generation(build_document(self._snapshot, self._transaction.client), generation)
        pending = {key for one in outbox.waiting(writer, scope.number) for key in one.written}
        outbox.clear(writer, scope.number)
        outbox.gather_anew(writer, scope.number)
        rows = self._merge_rows()
        past = {key: (entry, size) for key, entry, size in journal.scope_entries(writer, scope.number)}
        self._keep_past(rows, past)
        self._trim(rows, past)
        self._say_again(pending, past)
        newest = max((held.slot.record.order for held in self._snapshot.slots), default=0)
        note_purge(self._transaction)
        self._transaction.clock.observe(newest, self._transaction.wall_ms)
        return Adopted(self._changed, len(self._again), self._carried)

    def _merge_rows(self) -> dict[bytes, Row]:
        """The rows as they are now: the greater record of each slot, without what is hopeless."""
        scope = self._scope
        before = dict(_rows(self._transaction, scope.number))
        offered: dict[bytes, list[Slot]] = {}
        for held in self._snapshot.slots:
            offered.setdefault(row_key(held.map, held.name), []).append(held.slot)
        rows: dict[bytes, Row] = {}
        scope.deletion_arrived()
        # Statements that forget an agent decide about leaves, so settings come first.
        for key in sorted({*before, *offered}, key=lambda one: (one[0] != SlotMap.SETTINGS, one)):
            old, new = before.get(key, EMPTY_ROW), offered.get(key, [])
            row = row_of(self._merged(key, old, new), scope.forgotten())
            rows[key] = row
            if key[0] == SlotMap.SUGGESTIONS and row != old:
                scope.suggestion_merged(old, row)
            if row != old:
                scope.keep_row(key, old, row)
            if row.winner != old.winner:
                self._changed += 1
                scope.queue_index(key, max(row.newest, old.newest))
            if row != old and key[0] == SlotMap.SETTINGS and key[1:].startswith(FORGOTTEN.encode()):
                scope.statement_arrived()
            if row != old:
                scope.follow(SlotMap(key[0]), key[1:].decode(), old, row)
        return rows

    def _merged(self, key: bytes, old: Row, new: Sequence[Slot]) -> list[Slot]:
        """The slots of one name. What the new document holds and own records make hopeless is noted to be removed."""
        own = self._transaction.device
        slots = {(slot.by_person, slot.device): slot for slot in new}
        again: list[Slot] = []
        carried: list[Slot] = []
        for slot in old.slots:
            known = slots.get((slot.by_person, slot.device))
            if known is not None and _rank(slot) <= _rank(known):
                continue
            if slot.device == own:
                slots[slot.by_person, own] = slot
                again.append(slot)
            elif known is not None or slot.device in self._beyond:
                carried.append(slot)
        left = _without_hopeless(list(slots.values()))
        slot_map, name = SlotMap(key[0]), key[1:].decode()
        self._again += [(slot_map, name, slot) for slot in again if slot in left]
        stand = {(slot.by_person, slot.device) for slot in left}
        self._gone += [(slot_map, name, slot) for slot in new if (slot.by_person, slot.device) not in stand]
        for slot in carried:
            others = [one for one in left if (one.by_person, one.device) != (slot.by_person, slot.device)]
            if not hopeless(slot.standing, [one.standing for one in others]):
                left = [*others, slot]
                self._carried += 1
        return left

    def _keep_past(self, rows: dict[bytes, Row], past: _Past) -> None:
        """Brings in the journal of what has come, and empties what the person has had forgotten."""
        scope, writer = self._scope, self._writer
        forgotten = scope.forgotten()
        entries: list[tuple[bytes, bytes]] = []
        histories: list[tuple[bytes, bytes]] = []
        rest: list[tuple[bytes, Slot, bool]] = [
            (row_key(held.map, held.name), held.slot, False)
            for held in self._snapshot.slots
            if held.map in journal.JOURNALED
        ]
        rest += [
            (row_key(one.map, one.name), one.slot, one.forgotten)
            for one in self._snapshot.superseded
            if one.map in journal.JOURNALED
        ]
        for key, slot, gone in rest:
            place = journal.entry_key(scope.number, key, slot.record.order, slot.device)
            there = past[place][0] if place in past else None
            if there is not None and (there.forgotten or there.record == slot.record) and not (gone > there.forgotten):
                continue
            row = rows.get(key, EMPTY_ROW)
            wins = row.live and slot.data == row.slots[0].data
            hidden = gone or (not wins and is_forgotten(row, slot, forgotten))
            entry, index = journal.entry_rows(scope.number, key, slot, forgotten=hidden)
            entries.append(entry)
            histories.append(index)
            if hidden and not row.live and row.slots and row.slots[0].by_person:
                scope.loosen(slot.record.receipts, row.slots[0].device)
            told = Entry(scope.number, SlotMap(key[0]), key[1:].decode(), slot.device, slot.record, hidden)
            past[place] = told, len(slot.data)
        writer.put_many(Table.JOURNAL, sorted(entries))
        writer.put_many(Table.HISTORY, sorted(histories))
        # A deletion of the person's may have been overwritten since, and stand in the journal alone.
        for key in {
            row_key(entry.map, entry.name)
            for entry, _ in past.values()
            if entry.record.by_person and entry.record.deleted
        }:
            scope.empty_history(key)

    def _trim(self, rows: dict[bytes, Row], past: _Past) -> None:
        said = {
            journal.entry_key(self._scope.number, key, slot.record.order, slot.device)
            for key, row in rows.items()
            for slot in row.slots
        }
        living = {key: row.live for key, row in rows.items()}
        rest = ((key, entry, size) for key, (entry, size) in past.items())
        for key in _doomed(rest, said, living, self._snapshot.horizon, read_retention(self._transaction)):
            journal.remove(self._writer, key)

    def _say_again(self, pending: Collection[bytes], past: _Past) -> None:
        """Queues own slots and own history that the snapshot has not heard."""
        number, own = self._scope.number, self._transaction.device
        heard = {
            journal.entry_key(number, row_key(one.map, one.name), one.slot.record.order, one.slot.device)
            for one in self._snapshot.rows()
        }
        again = {
            journal.entry_key(number, row_key(slot_map, name), slot.record.order, own)
            for slot_map, name, slot in self._again
        }
        written = []
        for key, (entry, _) in past.items():
            if entry.device != own or entry.forgotten or key in heard:
                continue
            if key in pending or key in again or entry.record.order >= self._snapshot.horizon:
                # The last row of a name is taken to be in the update itself: what is not must stand there twice.
                written += [key] if key in again else [key, key]
        self._scope.say_again(self._again, self._gone, sorted(written))


def build_document(snapshot: Snapshot, client: int) -> Document:
    """The first document of *snapshot*'s generation, for the installation that writes under *client*.

    Two of them, built anywhere, take each other's later updates. O(slots).
    """
    base = Document(base_client(snapshot))
    with base.edit() as made:
        for held in snapshot.slots:
            base.put(held.map, slot_key(held.name, held.slot.by_person, held.slot.device), held.slot.data)
    document = Document(client)
    for update in made:
        document.load(update)
    return document


def _rows(view: View, number: bytes) -> Iterator[tuple[bytes, Row]]:
    for full, data in view.reader.scan(Table.LEAVES, number):
        yield full[len(number) :], decode_row(data)


def _counting(slots: Sequence[Slot], forgotten: Forgotten) -> Iterator[Slot]:
    """Of *slots* those that may still decide something; what is void as the deletion that it counts as."""
    for slot in _without_hopeless(slots):
        if not slot.record.swept and is_void(slot.record, forgotten(slot.record.writer)):
            record = swept(slot.record, forgotten)
            yield Slot(slot.by_person, slot.device, encode_record(record), record)
        else:
            yield slot


def _without_hopeless(slots: Sequence[Slot]) -> list[Slot]:
    if len(slots) < 2:
        return list(slots)
    standings = [slot.standing for slot in slots]
    return [
        slot
        for place, slot in enumerate(slots)
        if not hopeless(standings[place], standings[:place] + standings[place + 1 :])
    ]


def _rank(slot: Slot) -> tuple[int, bool]:
    return slot.record.order, slot.record.swept


def _doomed(
    past: Iterable[tuple[bytes, Entry, int]],
    said: Collection[bytes],
    living: dict[bytes, bool],
    below: int,
    retention: Retention,
) -> Iterator[bytes]:
    """Keys of the journal's rows that the retention lets go."""
    names: dict[bytes, list[tuple[int, bytes]]] = {}
    for key, entry, _ in past:
        names.setdefault(row_key(entry.map, entry.name), []).append((entry.record.order, key))
    for name, entries in names.items():
        entries.sort()
        orders = [order for order, _ in entries]
        holds = {order for order, key in entries if key in said}
        for place in unneeded(orders, holds, living=living.get(name, False), below=below, retention=retention):
            yield entries[place][1]
