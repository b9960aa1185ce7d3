"""Taking in what another device changed: its update into the document, its records under the law, its journal.

What a device may change is checked before anything is kept: only keys that carry its own id, and, of others, the
removal of records that are hopeless. Otherwise `InvalidCommit` is raised; the caller then abandons the transaction,
and with it the document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from vademecum.errors import InvalidCommit, MalformedBytes
from vademecum.storage.tables import Table

from . import journal, learned
from .agents import AgentPattern
from .changes import Changes, Superseded
from .document import update_origin
from .law import Forgotten, hopeless
from .paths import is_path
from .replica import Transaction
from .scopes import TIER_1
from .slots import Row, Slot, SlotMap, decode_row, encode_row, parse_slot_key, row_of
from .view import FORGOTTEN, is_name, row_key
from .writing import INDEXED, ScopeWriter

__all__ = [
    "Merged",
    "bind_clients",
    "bind_own_client",
    "check_name",
    "clients_known",
    "is_forgotten",
    "merge",
    "unbind_own_client",
]

_CLIENT = b"client/"
"""In the meta table, with a device: the CRDT client id under which it writes."""
_OWNER = b"client-of/"
"""In the meta table, with a client id: the device whose it is."""

NAMES_AT_ONCE = 256
"""Names merged in one go. What is gathered for them lives briefly, which Python's collector rewards [measured]."""


@dataclass(slots=True)
class Merged:
    """What a merge did: names that have another value now, and the newest order that came in."""

    changed: int = 0
    newest: int = 0
    statements: list[str] = field(default_factory=list)


def merge(scope: ScopeWriter, device: bytes, changes: Changes, *, complete: bool = True) -> Merged:
    """Applies *changes*, made by *device*, to *scope*. O(names changed), once the document is loaded.

    *complete* says that this replica holds all that the author held; only then can the removal of another device's
    record be judged. Raises `MalformedBytes` or `InvalidCommit`; the transaction must then be abandoned.
    """
    _check_origin(scope, device, changes.update)
    changed = scope.apply(changes.update)
    merged = Merged()
    # Statements that forget an agent decide about leaves, so settings come first.
    for slot_map in sorted(changed, key=lambda one: one is not SlotMap.SETTINGS):
        _merge_map(scope, device, slot_map, changed[slot_map], merged, complete)
    _keep_superseded(scope, device, changes.superseded)
    scope.transaction.clock.observe(merged.newest, scope.transaction.wall_ms)
    return merged


def _check_origin(scope: ScopeWriter, device: bytes, update: bytes) -> None:
    """Raises `InvalidCommit` unless *update* holds operations of the one client that *device* has ever been, and leaves
    none out.

    An operation in another client's name, or ahead of its own, would stand in the place of one that comes later, and
    the document would then pass over that one without a word.
    """
    writer = scope.transaction.writer
    origin = update_origin(update)
    if origin is None:
        return
    client, clock = origin
    known, owner = writer.get(Table.META, _CLIENT + device), writer.get(Table.META, _OWNER + b"%d" % client)
    if known is None and owner is None and client != scope.document.client:
        writer.put(Table.META, _CLIENT + device, b"%d" % client)
        writer.put(Table.META, _OWNER + b"%d" % client, device)
    elif owner != device or known != b"%d" % client:
        raise InvalidCommit(f"A commit of the device {device.hex()} holds operations in the name of another.")
    if clock > scope.document.clock(client):
        raise InvalidCommit(f"A commit of the device {device.hex()} does not go on where the one before it ended.")


def clients_known(transaction: Transaction) -> dict[bytes, int]:
    """device → CRDT client id under which it writes, of all devices whose writes have come in, and of this one."""
    known = {key[len(_CLIENT) :]: int(value) for key, value in transaction.writer.scan(Table.META, _CLIENT)}
    return known | {transaction.device: transaction.client}


def bind_own_client(transaction: Transaction) -> None:
    """Lets commits of this very device come in, as into a database that is filled again; until `unbind_own_client`."""
    writer, device, client = transaction.writer, transaction.device, transaction.client
    writer.put(Table.META, _CLIENT + device, b"%d" % client)
    writer.put(Table.META, _OWNER + b"%d" % client, device)


def unbind_own_client(transaction: Transaction) -> None:
    transaction.writer.delete(Table.META, _CLIENT + transaction.device)
    transaction.writer.delete(Table.META, _OWNER + b"%d" % transaction.client)


def bind_clients(transaction: Transaction, clients: Iterable[tuple[bytes, int]]) -> None:
    """Takes another device's word for who writes under which client id, where nothing is known of either."""
    writer = transaction.writer
    for device, client in clients:
        taken = client == transaction.client or writer.get(Table.META, _OWNER + b"%d" % client) is not None
        if not taken and device != transaction.device and writer.get(Table.META, _CLIENT + device) is None:
            writer.put(Table.META, _CLIENT + device, b"%d" % client)
            writer.put(Table.META, _OWNER + b"%d" % client, device)


_Change = tuple[bool, bytes, bytes | None]
"""(by person, device, data) of a slot; no data where it is gone."""


def _by_name(
    slot_map: SlotMap, changed: Mapping[str, bytes | None], device: bytes
) -> Iterator[tuple[str, list[_Change]]]:
    """The changes of each name. In the order of the keys those of one name stand together: no name has a separator."""
    current = ""
    slots: list[_Change] = []
    for key in sorted(changed):
        data = changed[key]
        try:
            name, by_person, owner = parse_slot_key(key)
        except MalformedBytes as error:
            raise InvalidCommit(f"A commit of the device {device.hex()} holds a key that is no slot's.") from error
        if data is not None and owner != device:
            raise InvalidCommit(f"A commit of the device {device.hex()} writes under the name of {owner.hex()}.")
        if name != current:
            check_name(slot_map, name, device)
            if slots:
                yield current, slots
                slots = []
            current = name
        slots.append((by_person, owner, data))
    if slots:
        yield current, slots


def _merge_map(
    scope: ScopeWriter,
    device: bytes,
    slot_map: SlotMap,
    changed: Mapping[str, bytes | None],
    merged: Merged,
    complete: bool,
) -> None:
    """Merges one map, some names at a time: what is gathered for the tables stays small, and so does its cost."""
    doubtful: list[bytes] = []  # names in whose history a value may stand that the person has deleted
    names = _by_name(slot_map, changed, device)
    while some := list(islice(names, NAMES_AT_ONCE)):
        _merge_names(scope, device, slot_map, some, merged, complete, doubtful)
    for key in doubtful:
        scope.empty_history(key)


def _merge_names(
    scope: ScopeWriter,
    device: bytes,
    slot_map: SlotMap,
    names: Sequence[tuple[str, Sequence[_Change]]],
    merged: Merged,
    complete: bool,
    doubtful: list[bytes],
) -> None:
    number = scope.number
    writer = scope.transaction.writer
    journaled = slot_map in journal.JOURNALED
    indexed = slot_map in INDEXED
    forgotten = scope.forgotten()
    keys = [row_key(slot_map, name) for name, _ in names]
    held = writer.get_many(Table.LEAVES, [number + key for key in keys])
    rows: list[tuple[bytes, bytes]] = []
    entries: list[tuple[bytes, bytes]] = []
    histories: list[tuple[bytes, bytes]] = []
    tickets: list[tuple[bytes, bytes]] = []
    newest = merged.newest
    counted = slot_map is SlotMap.LEAVES and scope.name in TIER_1
    gained = 0
    for key, (name, slots) in zip(keys, names, strict=True):
        full = number + key
        before = decode_row(held.get(full))
        row, written = _merge_row(before, slots, device, forgotten, complete)
        rows.append((full, encode_row(row)))
        if counted:
            gained += learned.counts(row) - learned.counts(before)
        decided = True  # nothing that came in stands behind something else
        for slot in written:
            newest = max(newest, slot.record.order)
            wins = row.live and slot is row.slots[0]
            decided = decided and wins
            if journaled:
                hidden = not wins and is_forgotten(row, slot, forgotten)
                entry, index = journal.entry_rows(number, key, slot, forgotten=hidden)
                entries.append(entry)
                histories.append(index)
                if hidden and not row.live and row.slots[0].by_person:
                    scope.loosen(slot.record.receipts, row.slots[0].device)
            if indexed and slot.by_person and slot.record.deleted:
                scope.deletion_arrived()
        if slot_map is SlotMap.SUGGESTIONS:
            scope.suggestion_merged(before, row)
        if row.winner != before.winner:
            merged.changed += 1
            if indexed:
                tickets.append((full, row.newest.to_bytes(8, "big")))
        if slot_map is SlotMap.RECEIPTS or slot_map is SlotMap.SETTINGS:
            scope.follow(slot_map, name, before, row)
        if slot_map is SlotMap.SETTINGS and name.startswith(FORGOTTEN):
            merged.statements.append(name[len(FORGOTTEN) :])
            scope.statement_arrived()
        elif journaled and not decided:
            doubtful.append(key)
    merged.newest = newest
    learned.adjust(writer, gained)
    for table, pairs in (
        (Table.LEAVES, rows),
        (Table.JOURNAL, entries),
        (Table.HISTORY, histories),
        (Table.REINDEX, tickets),
    ):
        pairs.sort()
        writer.put_many(table, pairs)


def _merge_row(
    before: Row, changed: Sequence[_Change], device: bytes, forgotten: Forgotten, complete: bool
) -> tuple[Row, Sequence[Slot]]:
    if len(changed) == 1 and not before.slots:  # as it is for nearly all names when a device joins
        ((by_person, owner, data),) = changed
        if data is None:
            return before, ()
        only = Slot.of(by_person, owner, data)
        return row_of((only,), forgotten), (only,)
    slots = {(slot.by_person, slot.device): slot for slot in before.slots}
    written = []
    removed = []
    for by_person, owner, data in changed:
        if data is None:
            gone = slots.pop((by_person, owner), None)
            if gone is not None and owner != device:
                removed.append(gone)
            continue
        slot = Slot.of(by_person, owner, data)
        slots[by_person, owner] = slot
        written.append(slot)
    left = list(slots.values())
    if complete and removed:
        standings = [slot.standing for slot in (*left, *removed)]
        for gone in removed:
            if not hopeless(gone.standing, [one for one in standings if one != gone.standing]):
                raise InvalidCommit(
                    f"A commit of the device {device.hex()} removes a record of {gone.device.hex()} that may still win."
                )
    return row_of(left, forgotten), written


def is_forgotten(row: Row, slot: Slot, forgotten: Forgotten) -> bool:
    """Whether *slot*'s value must not be kept: its agent was forgotten, or the person deleted what it had not seen."""
    if slot.by_person:
        return False
    record = slot.record
    if record.heard < forgotten(record.writer):
        return True
    if row.live or not row.slots:
        return False
    return row.slots[0].by_person and record.seen < row.slots[0].record.order


def _keep_superseded(scope: ScopeWriter, device: bytes, superseded: Sequence[Superseded]) -> None:
    writer = scope.transaction.writer
    forgotten = scope.forgotten()
    entries: list[tuple[bytes, bytes]] = []
    histories: list[tuple[bytes, bytes]] = []
    rows: dict[bytes, Row] = {}
    for one in superseded:
        check_name(one.map, one.name, device)
        if one.map not in journal.JOURNALED:
            continue
        key = row_key(one.map, one.name)
        row = rows.get(key)
        if row is None:
            row = rows[key] = scope.row(one.map, one.name)
        slot = Slot.of(one.by_person, device, one.data)
        there = journal.entry_at(writer, journal.entry_key(scope.number, key, slot.record.order, device))
        if there is not None and there.forgotten:
            continue
        entry, index = journal.entry_rows(scope.number, key, slot, forgotten=is_forgotten(row, slot, forgotten))
        entries.append(entry)
        histories.append(index)
    writer.put_many(Table.JOURNAL, sorted(entries))
    writer.put_many(Table.HISTORY, sorted(histories))
    for key in rows:
        scope.empty_history(key)


def check_name(slot_map: SlotMap, name: str, device: bytes) -> None:
    """Raises `InvalidCommit` for a name that no device could have written there."""
    if slot_map is SlotMap.LEAVES:
        valid = is_path(name)
    elif slot_map is SlotMap.SETTINGS and name.startswith(FORGOTTEN):
        valid = AgentPattern.is_valid(name[len(FORGOTTEN) :])
    else:
        valid = is_name(name)
    if not valid:
        raise InvalidCommit(f"A commit of the device {device.hex()} holds a name that cannot be one: {name[:80]!r}.")
