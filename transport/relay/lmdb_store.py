"""What a relay keeps, on LMDB: for each vault its roster statements, for each channel a snapshot and a log of sealed
commits after it.

=============  =====================================  ==============================================================
table          key                                    value
=============  =====================================  ==============================================================
``meta``       name                                   format, log id, sentinel
``statements`` vault ‖ hash                           signed roster statement
``log``        vault ‖ channel ‖ log seq              previous log seq 8 · device 16 · seq 8 · hash 32 · commit
``chains``     vault ‖ channel ‖ device ‖ seq         log seq 8 · previous log seq 8 · hash 32
``frontiers``  vault ‖ channel ‖ device               seq 8 · hash 32
``channels``   vault ‖ channel                        last log seq 8 · bytes of commits and snapshot 8
``snapshots``  vault ‖ channel                        see ``snapshots.py``
``staged``     vault ‖ channel ‖ author
``parts``      vault ‖ channel ‖ batch ‖ index
=============  =====================================  ==============================================================

Values of ``log``, ``parts`` and ``statements`` end with a CRC-32: LMDB reads flipped bits without an error. Beside the
database lie a marker file, which tells an emptied database from a new one, and a lock file, which keeps a second
relay out: positions are handed out and commits fanned out by one process.

LMDB leaves deleted bytes in free pages and its file never shrinks, so what a snapshot has replaced would lie there for
years. ``tidy`` therefore writes a compact copy and puts it in the file's place; ``owed`` in ``meta`` counts what was
deleted since, in the transaction that deletes, so that no kill forgets it.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import lmdb

from vademecum.errors import DamagedStore, NewerFormat, StorageTrouble
from vademecum.storage.damage import check_outline, check_pages
from vademecum.storage.files import sync_folder, write_atomically
from vademecum.storage.occupancy import Occupancy
from vademecum.transport.frames import Base, Head, LogEntry, frontier_digest
from vademecum.transport.relay import snapshots
from vademecum.transport.relay.compacting import copy_compact
from vademecum.transport.relay.records import checked, key_of, number_of, scan, with_check
from vademecum.transport.relay.store import Arrival, Enrolment, Page, Place, SnapshotPart, Work

if sys.platform != "win32":
    import fcntl

__all__ = ["MAX_CHANNELS", "LmdbStore"]

FORMAT = 2
"""1 had no snapshots; it is taken over as it is."""
MAX_CHANNELS = 8_192
"""Channels of one vault: their heads must fit one frame."""
INITIAL_MAP = 1 << 30
GROWTH = 2
MAX_READERS = 512
SMALL = 64 << 20
"""Bytes of a file that is rewritten whenever something was deleted; a larger one not before a quarter of it was."""
_TABLES = ("meta", "statements", "log", "chains", "frontiers", "channels", "snapshots", "staged", "parts")
_LOG_HEAD = 64
_OWED = b"owed"
_COPY = "data.mdb.compact"


class LmdbStore:
    """A ``Store`` in one folder of one machine. One process at a time. Made by ``open``."""

    def __init__(self, folder: Path, lock: int, occupancy: Occupancy, env: lmdb.Environment, log_id: bytes) -> None:
        self._folder = folder
        self._lock = lock
        self._occupancy = occupancy
        self._env = env
        self._log_id = log_id
        self._gate = threading.Lock()  # held by each read and by growth: LMDB's map must not move under a reader
        self._db = {name: env.open_db(name.encode()) for name in _TABLES}
        with env.begin(write=True) as txn:
            freed = snapshots.drop_staged(txn, self._db)  # whoever was offering begins again
            self._owed = self._owe(txn, freed)

    @classmethod
    def open(cls, folder: Path, *, new_log_id: bytes | None = None, initial_map: int = INITIAL_MAP) -> LmdbStore:
        """Opens the store in ``folder``, or makes one there if the folder never held one.

        ``new_log_id`` (16 bytes; random by default) is used for a new store only. Raises ``DamagedStore`` if there was
        a database and it is gone, emptied or broken; ``NewerFormat``; ``StorageTrouble`` if it cannot be opened or
        another relay uses it.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = _lock(folder / "relay.lock")
        except OSError as error:
            raise StorageTrouble(f"The relay's folder {folder} cannot be used: {error.strerror}.") from error
        file, marker = folder / "data.mdb", folder / "relay.marker"
        occupancy = Occupancy(file)
        try:
            if marker.exists():
                check_outline(file)
            occupancy.enter(lambda: check_pages(file) if marker.exists() else None)
        except BaseException:
            os.close(lock)
            raise
        try:
            (folder / _COPY).unlink(missing_ok=True)  # of a copy that was cut short
            size = max(initial_map, file.stat().st_size if file.exists() else 0)
            env = _open(folder, size)
            env.reader_check()
            try:
                log_id = _identity(env, marker, new_log_id or os.urandom(16))
                store = cls(folder, lock, occupancy, env, log_id)
                with suppress(StorageTrouble):  # no room for a copy; the hour's tidying will say so
                    store.tidy(fully=True)
                return store
            except BaseException:
                env.close()
                raise
        except (OSError, lmdb.Error) as error:
            occupancy.leave()
            os.close(lock)
            raise StorageTrouble(f"The relay's database in {folder} cannot be opened ({error}).") from error
        except BaseException:
            occupancy.leave()
            os.close(lock)
            raise

    @property
    def log_id(self) -> bytes:
        return self._log_id

    def close(self) -> None:
        """Transactions must be over."""
        self._env.close()
        self._occupancy.leave()
        os.close(self._lock)

    def statements(self, vault: bytes) -> list[bytes]:
        with self._read("statements") as cursor:
            return [bytes(checked(value)) for _, value in scan(cursor, vault)]

    def heads(self, vault: bytes) -> tuple[Head, ...]:
        with self._translating(), self._gate, self._env.begin() as txn:
            with txn.cursor(db=self._db["channels"]) as cursor:
                last = {key[16:]: number_of(value[:8]) for key, value in scan(cursor, vault)}
            frontiers: dict[bytes, dict[bytes, tuple[int, bytes]]] = {channel: {} for channel in last}
            with txn.cursor(db=self._db["frontiers"]) as cursor:
                for key, value in scan(cursor, vault):
                    frontiers[key[16:32]][key[32:]] = number_of(value[:8]), value[8:]
            held = {channel: snapshots.current(txn, self._db, vault + channel) for channel in last}
        return tuple(
            (channel, seq, frontier_digest(frontiers[channel], held[channel].base, held[channel].wanted))
            for channel, seq in last.items()
        )

    def base(self, vault: bytes, channel: bytes) -> Base:
        with self._translating(), self._gate, self._env.begin() as txn:
            return snapshots.current(txn, self._db, vault + channel).base

    def part(self, vault: bytes, channel: bytes, base: Base, index: int) -> bytes | None:
        with self._translating(), self._gate, self._env.begin() as txn:
            return snapshots.part(txn, self._db, vault + channel, base, index)

    def read_after(self, vault: bytes, channel: bytes, after: int, have: Mapping[bytes, int], limit_bytes: int) -> Page:
        prefix = vault + channel
        entries: list[LogEntry] = []
        size, seq = 0, after
        with self._translating(), self._gate, self._env.begin(buffers=True) as txn:
            held = snapshots.current(txn, self._db, prefix)
            with txn.cursor(db=self._db["log"]) as cursor:
                found = cursor.set_range(prefix + key_of(after + 1))
                while found and bytes(cursor.key()[:32]) == prefix:
                    value = cursor.value()
                    if number_of(value[24:32]) > have.get(bytes(value[8:24]), 0):
                        commit = checked(value)[_LOG_HEAD:]
                        if entries and size + len(commit) > limit_bytes:
                            return Page(tuple(entries), seq, None, held.base)
                        size += len(commit)
                        entries.append((number_of(cursor.key()[32:]), number_of(value[:8]), bytes(commit)))
                    seq = number_of(cursor.key()[32:])
                    found = cursor.next()
            row = txn.get(prefix, db=self._db["channels"])
            seq = 0 if row is None else number_of(row[:8])
            with txn.cursor(db=self._db["frontiers"]) as cursor:
                frontier = {
                    bytes(key[32:]): (number_of(value[:8]), bytes(value[8:])) for key, value in scan(cursor, prefix)
                }
        return Page(tuple(entries), seq, frontier, held.base, held.wanted)

    def commit(self, work: Sequence[Work]) -> list[Place]:
        with self._translating():
            while True:
                try:
                    with self._env.begin(write=True) as txn:
                        freed = 0
                        places = []
                        for item in work:
                            if isinstance(item, Arrival):
                                places.append(self._append(txn, item))
                            elif isinstance(item, Enrolment):
                                places.append(self._enrol(txn, item))
                            else:
                                place, bytes_freed = self._shelve(txn, item)
                                places.append(place)
                                freed += bytes_freed
                        owed = self._owe(txn, freed)
                    self._owed = owed
                    return places
                except lmdb.MapFullError:  # the transaction is over and nothing of it is there: grow, and begin again
                    with self._gate:
                        self._env.set_mapsize(self._env.info()["map_size"] * GROWTH)

    def _append(self, txn: lmdb.Transaction[bytes], item: Arrival) -> Place:
        channel = item.vault + item.channel
        chain = channel + item.device
        known = txn.get(chain + key_of(item.seq), db=self._db["chains"])
        if known is not None:
            if known[16:] != item.hash:
                return Place(reason="fork")
            return Place(number_of(known[:8]), number_of(known[8:16]))
        if item.generation != snapshots.current(txn, self._db, channel).base[0]:
            return Place(reason="generation")
        last = txn.get(chain, db=self._db["frontiers"])
        last_seq, last_hash = (number_of(last[:8]), last[8:]) if last is not None else (0, bytes(32))
        if item.seq != last_seq + 1:
            return Place(reason="gap")
        if item.previous != last_hash:
            return Place(reason="fork")
        row = txn.get(channel, db=self._db["channels"])
        if row is None and self._count_channels(txn, item.vault) >= MAX_CHANNELS:
            return Place(reason="channels")
        previous, size = (number_of(row[:8]), number_of(row[8:])) if row is not None else (0, 0)
        seq = previous + 1
        record = key_of(previous) + item.device + key_of(item.seq) + item.hash + item.commit
        txn.put(channel + key_of(seq), with_check(record), db=self._db["log"])
        txn.put(chain + key_of(item.seq), key_of(seq) + key_of(previous) + item.hash, db=self._db["chains"])
        txn.put(chain, key_of(item.seq) + item.hash, db=self._db["frontiers"])
        txn.put(channel, key_of(seq) + key_of(size + len(item.commit)), db=self._db["channels"])
        return Place(seq, previous, fresh=True)

    def _enrol(self, txn: lmdb.Transaction[bytes], item: Enrolment) -> Place:
        for statement_hash, statement in item.statements:
            txn.put(item.vault + statement_hash, with_check(statement), db=self._db["statements"])
        return Place(fresh=True)

    def _shelve(self, txn: lmdb.Transaction[bytes], item: SnapshotPart) -> tuple[Place, int]:
        """The place of the part, and how many bytes were deleted."""
        channel = item.vault + item.part.channel
        row = txn.get(channel, db=self._db["channels"])
        if row is None and self._count_channels(txn, item.vault) >= MAX_CHANNELS:
            return Place(reason="channels"), 0
        shelved = snapshots.shelve(txn, self._db, item.vault, item.part, item.data, item.roster)
        if shelved.size:
            last = 0 if row is None else number_of(row[:8])
            txn.put(channel, key_of(last) + key_of(shelved.size), db=self._db["channels"])
            return Place(last, fresh=True), shelved.freed
        return Place(reason=shelved.reason), shelved.freed

    def _owe(self, txn: lmdb.Transaction[bytes], freed: int) -> int:
        """Notes that so many more bytes were deleted; how many that makes since the file was last rewritten."""
        owed = number_of(txn.get(_OWED, db=self._db["meta"]) or b"") + freed
        if freed:
            txn.put(_OWED, key_of(owed), db=self._db["meta"])
        return owed

    def tidy(self, *, fully: bool = False) -> None:
        file = self._folder / "data.mdb"
        size = file.stat().st_size
        if not self._owed or not (fully or size <= SMALL or self._owed >= size // 4):
            return
        copy = self._folder / _COPY
        with self._translating():
            try:
                copy_compact(self._env, _TABLES, copy)  # nothing is written meanwhile: this is the writer
                map_size = self._env.info()["map_size"]
            except (OSError, lmdb.Error) as error:
                copy.unlink(missing_ok=True)
                raise StorageTrouble(f"There was no room to rewrite the relay's database {file} ({error}).") from error
            with self._gate:
                self._env.close()
                try:
                    copy.replace(file)
                    sync_folder(self._folder)
                finally:  # whichever of the two files is there now: both hold all that was acknowledged
                    self._env = _open(self._folder, map_size)
                    self._db = {name: self._env.open_db(name.encode()) for name in _TABLES}
            with self._env.begin(write=True) as txn:
                txn.delete(_OWED, db=self._db["meta"])
            self._owed = 0

    def _count_channels(self, txn: lmdb.Transaction[bytes], vault: bytes) -> int:
        with txn.cursor(db=self._db["channels"]) as cursor:
            return sum(1 for _ in scan(cursor, vault))

    @contextmanager
    def _read(self, table: str) -> Iterator[lmdb.Cursor[bytes]]:
        with self._translating(), self._gate, self._env.begin() as txn, txn.cursor(db=self._db[table]) as cursor:
            yield cursor

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except lmdb.MapFullError:
            raise
        except (lmdb.CorruptedError, lmdb.PageNotFoundError, lmdb.InvalidError, lmdb.PanicError) as error:
            raise DamagedStore(f"The relay's database in {self._folder} is damaged ({error}).") from error
        except lmdb.Error as error:
            raise StorageTrouble(
                f"The relay's database in {self._folder} cannot be used ({error}). Make room on the disk or check the "
                f"folder's permissions."
            ) from error


def _open(folder: Path, size: int) -> lmdb.Environment:
    return lmdb.open(str(folder), map_size=size, max_dbs=16, max_readers=MAX_READERS, lib_version=0)


def _identity(env: lmdb.Environment, marker: Path, new_log_id: bytes) -> bytes:
    """The log id, written together with the sentinel into a database that has neither."""
    meta = env.open_db(b"meta")
    with env.begin(write=True) as txn:
        log_id, format_ = txn.get(b"log", db=meta), txn.get(b"format", db=meta)
        if format_ not in (None, b"1", b"%d" % FORMAT):
            raise NewerFormat(
                f"The relay's data has format {format_.decode('ascii', 'replace')}; this program knows {FORMAT}."
            )
        if log_id is None:
            if marker.exists():
                raise DamagedStore(
                    f"The relay's database beside {marker} is empty, but it held data before. Put the database back, "
                    f"or remove the marker to begin with an empty log: devices will then send again what they hold."
                )
            log_id = new_log_id
            txn.put(b"log", log_id, db=meta)
        if format_ != b"%d" % FORMAT:
            txn.put(b"format", b"%d" % FORMAT, db=meta)
    if not marker.exists():
        write_atomically(marker, b"This folder holds a relay's database, log " + log_id.hex().encode() + b".\n")
    elif log_id.hex().encode() not in marker.read_bytes():
        raise DamagedStore(f"The relay's database is not the one that {marker} names. Put that one back.")
    return log_id


def _lock(path: Path) -> int:
    """Takes the lock that one relay at a time may hold. The system lets go of it when the process ends."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    if sys.platform != "win32":
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise StorageTrouble(
                f"Another relay is using {path.parent}. Stop it first, or use another folder."
            ) from None
    return descriptor
