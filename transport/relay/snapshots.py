"""The snapshots in a relay's store: parts that are coming in, the one that holds, and which may take its place.

=============  =====================================  ==============================================================
table          key                                    value
=============  =====================================  ==============================================================
``snapshots``  vault ‖ channel                        generation 4 · id 16 · batch 16 · wanted 4
``staged``     vault ‖ channel ‖ author               order 8 · batch 16 · index of the last part 4
``parts``      vault ‖ channel ‖ batch ‖ index 4      part
=============  =====================================  ==============================================================

A batch is named by the first 16 bytes of its first part's hash. Parts are staged until the last one has come. Then, by
compare and swap, the snapshot is accepted if its generation is greater than the channel's and its frontier contains
all that the relay holds, but for what nobody takes in, since it is by a device that was revoked. In the same
transaction everything that it replaces is deleted: the log and the chains of the channel, the snapshot before, and what
else was staged for it. One snapshot is kept and not two, since what was forgotten must not survive in the second.

Reasons to decline: ``superseded`` (the channel has that generation already, or a later one), ``behind`` (the relay
holds commits that the snapshot does not contain), ``fork`` (another commit stands in the place of one that it names),
``parts`` (not the part that was expected).

Every function works inside a transaction of the caller's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import lmdb

from vademecum.transport.commit import commit_hash
from vademecum.transport.frames import BEGINNING, Base
from vademecum.transport.relay.records import checked, key_of, number_of, scan, with_check
from vademecum.transport.roster import Roster
from vademecum.transport.snapshot import Part, parse_part, snapshot_id

__all__ = ["MAX_STAGED", "Held", "Shelved", "current", "drop_staged", "part", "shelve"]

MAX_STAGED: Final = 4
"""Snapshots of one vault that may be coming in at a time; of one more, the one that began first is dropped."""
_NO_BATCH: Final = bytes(16)

Tables = Mapping[str, "lmdb._Database"]


class Held(NamedTuple):
    """What a channel builds on. `wanted` as in `frames.End`."""

    base: Base
    batch: bytes
    wanted: int


class Shelved(NamedTuple):
    """What became of a part: `reason` says why it was declined; `size` is that of the snapshot that it completed."""

    reason: str = ""
    size: int = 0
    freed: int = 0


def current(txn: lmdb.Transaction[bytes] | lmdb.Transaction[memoryview], db: Tables, channel: bytes) -> Held:
    """*channel* is vault ‖ channel, here and below."""
    row = txn.get(channel, db=db["snapshots"])
    if row is None:
        return Held(BEGINNING, _NO_BATCH, 0)
    data = bytes(row)
    return Held((number_of(data[:4]), data[4:20]), data[20:36], number_of(data[36:40]))


def part(txn: lmdb.Transaction[bytes], db: Tables, channel: bytes, base: Base, index: int) -> bytes | None:
    """A part of the snapshot *base*, if the channel builds on it and it has that many."""
    held = current(txn, db, channel)
    if held.base != base or held.batch == _NO_BATCH:
        return None
    data = txn.get(channel + held.batch + index.to_bytes(4, "big"), db=db["parts"])
    return None if data is None else checked(data)


def shelve(txn: lmdb.Transaction[bytes], db: Tables, vault: bytes, new: Part, data: bytes, roster: Roster) -> Shelved:
    """Stages a part whose signature has been checked; accepts the snapshot if it was the last one."""
    channel = vault + new.channel
    freed = 0
    if new.index == 0:
        freed = _unstage(txn, db, channel + new.device)
        reason = _objection(txn, db, channel, new, roster)
        if reason:
            return Shelved(reason, freed=freed)
        freed += _make_room(txn, db, vault)
        batch = commit_hash(data)[:16]
        order = 1 + max((number_of(row[:8]) for _, row in _all(txn, db, "staged", vault)), default=0)
        first = new
    else:
        row = txn.get(channel + new.device, db=db["staged"])
        if row is None:
            return Shelved("parts")
        order, batch = number_of(row[:8]), row[8:24]
        before = checked(txn.get(channel + batch + row[24:28], db=db["parts"]) or b"")
        if not new.follows(parse_part(before), commit_hash(before)):
            return Shelved("parts", freed=_unstage(txn, db, channel + new.device))
        first = parse_part(checked(txn.get(channel + batch + bytes(4), db=db["parts"]) or b""))
    index = new.index.to_bytes(4, "big")
    txn.put(channel + batch + index, with_check(data), db=db["parts"])
    txn.put(channel + new.device, key_of(order) + batch + index, db=db["staged"])
    if not new.complete:
        return Shelved(freed=freed)
    reason = _objection(txn, db, channel, first, roster)
    if reason:
        return Shelved(reason, freed=freed + _unstage(txn, db, channel + new.device))
    return _accept(txn, db, channel, first, batch, snapshot_id(data))


def drop_staged(txn: lmdb.Transaction[bytes], db: Tables) -> int:
    """Deletes all parts of snapshots that have not become whole; how many bytes that were."""
    return sum(_unstage(txn, db, key) for key, _ in _all(txn, db, "staged", b""))


def _objection(txn: lmdb.Transaction[bytes], db: Tables, channel: bytes, first: Part, roster: Roster) -> str:
    """Why the snapshot with this first part cannot take the place of what is here; empty if it can."""
    held = current(txn, db, channel)
    if first.generation <= held.base[0]:
        return "superseded"
    if _disowned(txn, db, channel, held, roster):
        return ""  # nobody builds on what is here; whoever finds something of theirs missing says it again
    reason = ""
    for key, row in _all(txn, db, "frontiers", channel):
        device, end = key[32:], (number_of(row[:8]), row[8:])
        limit = roster.limit(device, channel[16:])
        if limit is not None and end[0] > limit[0]:
            end = limit
        seq, its_hash = first.frontier.get(device, (0, bytes(32)))
        if seq < end[0]:
            reason = reason or "behind"
        elif seq == end[0] and its_hash != end[1]:
            reason = "fork"
    if reason and first.generation > held.base[0] + 1:
        # Its author builds on a snapshot that was lost here, and cannot take in what has been added since. Whoever can
        # is told by `wanted` to bring both together.
        _hold(txn, db, channel, held._replace(wanted=max(held.wanted, first.generation)))
    return reason


def _disowned(txn: lmdb.Transaction[bytes], db: Tables, channel: bytes, held: Held, roster: Roster) -> bool:
    """Whether the snapshot here is by a device that was revoked, and no member builds on it."""
    if held.batch == _NO_BATCH:
        return False
    first = parse_part(checked(txn.get(channel + held.batch + bytes(4), db=db["parts"]) or b""))
    return not roster.accepts_snapshot(first.device, held.base[1])


def _accept(
    txn: lmdb.Transaction[bytes], db: Tables, channel: bytes, first: Part, batch: bytes, its_id: bytes
) -> Shelved:
    held = current(txn, db, channel)
    txn.delete(channel + first.device, db=db["staged"])
    freed = _clear(txn, db, "log", channel) + _clear(txn, db, "chains", channel)
    if held.batch != _NO_BATCH:
        freed += _clear(txn, db, "parts", channel + held.batch)
    freed += sum(_unstage(txn, db, key) for key, _ in _all(txn, db, "staged", channel))
    _clear(txn, db, "frontiers", channel)
    for device, (seq, its_hash) in first.frontier.items():
        txn.put(channel + device, key_of(seq) + its_hash, db=db["frontiers"])
    _hold(txn, db, channel, Held((first.generation, its_id), batch, 0))
    size = sum(len(data) for _, data in _all(txn, db, "parts", channel + batch))
    return Shelved(size=size, freed=freed)


def _hold(txn: lmdb.Transaction[bytes], db: Tables, channel: bytes, held: Held) -> None:
    generation, its_id = held.base
    row = generation.to_bytes(4, "big") + its_id + held.batch + held.wanted.to_bytes(4, "big")
    txn.put(channel, row, db=db["snapshots"])


def _make_room(txn: lmdb.Transaction[bytes], db: Tables, vault: bytes) -> int:
    staged = _all(txn, db, "staged", vault)
    if len(staged) < MAX_STAGED:
        return 0
    key, _ = min(staged, key=lambda pair: pair[1][:8])
    return _unstage(txn, db, key)


def _unstage(txn: lmdb.Transaction[bytes], db: Tables, key: bytes) -> int:
    """Drops what is staged under *key* (vault ‖ channel ‖ author), if anything; how many bytes."""
    row = txn.get(key, db=db["staged"])
    if row is None:
        return 0
    txn.delete(key, db=db["staged"])
    return _clear(txn, db, "parts", key[:32] + row[8:24])


def _all(txn: lmdb.Transaction[bytes], db: Tables, table: str, prefix: bytes) -> list[tuple[bytes, bytes]]:
    with txn.cursor(db=db[table]) as cursor:
        return list(scan(cursor, prefix))


def _clear(txn: lmdb.Transaction[bytes], db: Tables, table: str, prefix: bytes) -> int:
    """Deletes what begins with *prefix*; how many bytes of values that were."""
    freed = 0
    with txn.cursor(db=db[table]) as cursor:
        found = cursor.set_range(prefix)
        while found and cursor.key().startswith(prefix):
            freed += len(cursor.value())
            found = cursor.delete()
    return freed
