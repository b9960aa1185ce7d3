"""Transactions: what can be read and written of the tables, with a checksum on every value.

The checksum covers the table, the key and the value: LMDB reads flipped bits without an error, and a value that stands
under another key than its own is as wrong as one that was changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from zlib import crc32

import lmdb

from vademecum.errors import DamagedStore

from .tables import Table

__all__ = ["Reader", "Writer", "checked", "with_check"]

_INLINE = 1400  # bytes of a value that stands in a page with others whatever its key; a larger one may have its own
_BATCH = 1000  # pairs that are taken over in one call
_CHECK = 4  # bytes of CRC-32 behind each value
_SEEDS = {table: crc32(table.value) for table in Table}


class Reader:
    """A consistent view of the tables. Every value is checked against its checksum as it is read.

    A table that *tables* lacks is empty: a database of before that table, where nothing can be written.
    """

    __slots__ = ("_tables", "_txn")

    def __init__(self, txn: lmdb.Transaction[bytes], tables: dict[Table, lmdb._Database]) -> None:
        self._txn = txn
        self._tables = tables

    @property
    def version(self) -> int:
        """Another number after each commit of any process; it rises until the database is replaced. O(1)."""
        return int(self._txn.id())

    def get(self, table: Table, key: bytes) -> bytes | None:
        """The value at *key*, or None. Raises `DamagedStore` if it is not what was written."""
        handle = self._tables.get(table)
        found = None if handle is None else self._txn.get(key, db=handle)
        return None if found is None else checked(table, key, found)

    def get_many(self, table: Table, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """The values at those of *keys* that are there; several times faster than one by one, most of all if sorted."""
        if table not in self._tables:
            return {}
        with self._txn.cursor(db=self._tables[table]) as cursor:
            return {key: checked(table, key, found) for key, found in cursor.getmulti(keys)}

    def scan(
        self, table: Table, prefix: bytes = b"", *, after: bytes | None = None, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """Pairs whose key begins with *prefix*, in key order, or backwards with *reverse*.

        With *after*, only those strictly behind that key in the direction of travel.
        """
        if table not in self._tables:
            return
        with self._txn.cursor(db=self._tables[table]) as cursor:
            if reverse:
                found = _seek_last(cursor, prefix, after)
                steps = cursor.iterprev(keys=True, values=True)
            else:
                found = _seek_first(cursor, prefix, after)
                steps = cursor.iternext(keys=True, values=True)
            if not found:
                return
            for key, value in steps:
                if not key.startswith(prefix):
                    return
                yield key, checked(table, key, value)

    def keys(self, table: Table, prefix: bytes = b"") -> Iterator[bytes]:
        """Keys that begin with *prefix*, in order, without reading the values."""
        if table not in self._tables:
            return
        with self._txn.cursor(db=self._tables[table]) as cursor:
            if not (cursor.set_range(prefix) if prefix else cursor.first()):
                return
            for key in cursor.iternext(keys=True, values=False):
                if not key.startswith(prefix):
                    return
                yield key

    def has(self, table: Table, prefix: bytes = b"") -> bool:
        """Whether any key begins with *prefix*. O(log n)."""
        return next(self.keys(table, prefix), None) is not None

    def last_key(self, table: Table, prefix: bytes = b"") -> bytes | None:
        """The greatest key that begins with *prefix*, or None. O(log n)."""
        if table not in self._tables:
            return None
        with self._txn.cursor(db=self._tables[table]) as cursor:
            return cursor.key() if _seek_last(cursor, prefix, None) and cursor.key().startswith(prefix) else None

    def raw(self, table: Table) -> Iterator[tuple[bytes, bytes]]:
        """All pairs of *table* as they are kept, each checked: what `Writer.take_over` takes."""
        if table not in self._tables:
            return
        with self._txn.cursor(db=self._tables[table]) as cursor:
            if cursor.first():
                for key, value in cursor.iternext(keys=True, values=True):
                    checked(table, key, value)
                    yield key, value

    def used_bytes(self) -> int:
        """Bytes of the pages of all tables."""
        stats = [self._txn.stat(table) for table in self._tables.values()]
        return sum(one["psize"] * (one["branch_pages"] + one["leaf_pages"] + one["overflow_pages"]) for one in stats)

    def count(self, table: Table) -> int:
        """Number of pairs in *table*. O(1)."""
        return int(self._txn.stat(self._tables[table])["entries"]) if table in self._tables else 0


class Writer(Reader):
    """The one write transaction of all processes of this device. Sees its own writes."""

    __slots__ = ("_large",)

    def __init__(self, txn: lmdb.Transaction[bytes], tables: dict[Table, lmdb._Database]) -> None:
        super().__init__(txn, tables)
        self._large: set[tuple[Table, bytes]] = set()

    def put(self, table: Table, key: bytes, value: bytes) -> None:
        # A value put over a larger one of the same transaction would keep all its pages, which the page check
        # cannot tell from damage.
        if self._large and (table, key) in self._large:
            self._txn.delete(key, db=self._tables[table])
        if len(value) > _INLINE:
            self._large.add((table, key))
        self._txn.put(key, with_check(table, key, value), db=self._tables[table])

    def put_many(self, table: Table, rows: Iterable[tuple[bytes, bytes]]) -> None:
        """Puts all *rows*; several times faster than one by one, most of all when sorted by key and short."""
        rows = list(rows)
        large = {key for its_table, key in self._large if its_table is table}
        short = [
            (key, with_check(table, key, value)) for key, value in rows if len(value) <= _INLINE and key not in large
        ]
        with self._txn.cursor(db=self._tables[table]) as cursor:
            cursor.putmulti(short)
        if len(short) < len(rows):
            for key, value in rows:
                if len(value) > _INLINE or key in large:
                    Writer.put(self, table, key, value)  # not a subclass's, to which these rows are as they are stored

    def take_over(self, other: Reader, table: Table) -> None:
        """Puts all pairs of *table* as they stand in *other*, another database, each checked. *table* must be empty.

        O(pairs), about a microsecond each. Raises `DamagedStore`.
        """
        with self._txn.cursor(db=self._tables[table]) as cursor:
            pairs = other.raw(table)
            while batch := list(islice(pairs, _BATCH)):
                cursor.putmulti(batch, append=True)

    def delete(self, table: Table, key: bytes) -> bool:
        """Removes *key*; False if it was not there."""
        return self._txn.delete(key, db=self._tables[table])

    def delete_prefix(self, table: Table, prefix: bytes) -> int:
        """Removes every key that begins with *prefix*; returns how many."""
        doomed = list(self.keys(table, prefix))
        for key in doomed:
            self._txn.delete(key, db=self._tables[table])
        return len(doomed)


def with_check(table: Table, key: bytes, value: bytes) -> bytes:
    """*value* as it is kept."""
    return value + crc32(value, crc32(key, _SEEDS[table])).to_bytes(_CHECK, "big")


def checked(table: Table, key: bytes, found: bytes) -> bytes:
    """The value kept as *found*. Raises `DamagedStore` if it is not what was written there."""
    value = found[:-_CHECK]
    if crc32(value, crc32(key, _SEEDS[table])) != int.from_bytes(found[-_CHECK:], "big"):
        raise DamagedStore(
            f"A record in the table {table.value.decode()} is damaged: its checksum does not match. "
            f"It was not used. `vademecum doctor --repair` restores what can be restored."
        )
    return value


def _seek_first(cursor: lmdb.Cursor[bytes], prefix: bytes, after: bytes | None) -> bool:
    """Puts *cursor* on the first key not before *prefix* and behind *after*; False if the table has none."""
    if after is None or after < prefix:
        return cursor.set_range(prefix) if prefix else cursor.first()
    found = cursor.set_range(after) if after else cursor.first()
    return cursor.next() if found and cursor.key() == after else found


def _seek_last(cursor: lmdb.Cursor[bytes], prefix: bytes, before: bytes | None) -> bool:
    """Puts *cursor* on the last key that *prefix* and *before* leave room for; False if the table has none."""
    bound = _successor(prefix)
    if before is not None and (bound is None or before < bound):
        bound = before
    if bound is None or not cursor.set_range(bound):
        return cursor.last()
    return cursor.prev()


def _successor(prefix: bytes) -> bytes | None:
    """The least key greater than every key that begins with *prefix*; None if there is none."""
    stripped = prefix.rstrip(b"\xff")
    return stripped[:-1] + bytes([stripped[-1] + 1]) if stripped else None
