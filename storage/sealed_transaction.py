"""Transactions of a sealed vault: the same tables to whoever reads and writes them, encrypted in the file.

A value is encrypted for the key under which it is stored. A name inside a key (`tables.NAMES` says where) becomes a
keyed hash, and the name goes into the value: ``length of the name (2 bytes) ‖ name ‖ value``, then encrypted.

What that costs: looking a key up costs a hash and a decryption; a scan whose prefix ends inside a name decrypts every
row that the part before it leaves over, and in a table whose order matters, sorts them in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Self

import lmdb

from .sealer import NAME_SIZE, Sealer
from .tables import NAMES, Name, Table
from .transaction import Reader, Writer

__all__ = ["SealedReader", "SealedWriter"]

_LENGTH = 2


class SealedReader(Reader):
    """A `Reader` of what a `SealedWriter` wrote. Raises `DamagedStore` where a value is not what was written there."""

    def __init__(self, txn: lmdb.Transaction[bytes], tables: dict[Table, lmdb._Database], sealer: Sealer) -> None:
        super().__init__(txn, tables)
        self._sealer = sealer

    @classmethod
    def over(cls, raw: Reader, sealer: Sealer) -> Self:
        """The transaction of *raw*, which reads and writes as it is stored."""
        return cls(raw._txn, raw._tables, sealer)

    def get(self, table: Table, key: bytes) -> bytes | None:
        stored = self._stored_key(table, key)
        found = super().get(table, stored)
        return None if found is None else self._opened(table, stored, found)[1]

    def get_many(self, table: Table, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        plain = {self._stored_key(table, key): key for key in keys}
        found = super().get_many(table, sorted(plain))
        return {plain[stored]: self._opened(table, stored, data)[1] for stored, data in found.items()}

    def scan(
        self, table: Table, prefix: bytes = b"", *, after: bytes | None = None, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """As `Reader.scan`; in a table whose names are not `ordered`, rows that differ in their names alone come in no
        particular order.
        """
        name = NAMES[table]
        if name is None:
            for key, data in super().scan(table, prefix, after=after, reverse=reverse):
                yield key, self._opened(table, key, data)[1]
        elif name.ordered:
            stored, _ = self._stored_prefix(table, name, prefix)
            rows = [self._opened(table, key, data) for key, data in super().scan(table, stored)]
            rows = [row for row in rows if row[0].startswith(prefix) and _is_behind(row[0], after, reverse)]
            rows.sort(reverse=reverse)
            yield from rows
        else:
            stored, whole = self._stored_prefix(table, name, prefix)
            behind = None if after is None else self._stored_key(table, after)
            for key, data in super().scan(table, stored, after=behind, reverse=reverse):
                row = self._opened(table, key, data)
                if whole or row[0].startswith(prefix):
                    yield row

    def keys(self, table: Table, prefix: bytes = b"") -> Iterator[bytes]:
        name = NAMES[table]
        if name is None:
            yield from super().keys(table, prefix)
            return
        hidden = _name_in(name, prefix)
        if hidden is None:
            for key, _ in self.scan(table, prefix):
                yield key
            return
        stored, _ = self._stored_prefix(table, name, prefix)
        for key in super().keys(table, stored):
            yield prefix[: name.head] + hidden + key[-name.tail :]

    def has(self, table: Table, prefix: bytes = b"") -> bool:
        """Whether any key begins with *prefix*. O(log n) where *prefix* does not end inside a name, else O(n)."""
        name = NAMES[table]
        if name is None:
            return super().has(table, prefix)
        stored, whole = self._stored_prefix(table, name, prefix)
        rows = super().scan(table, stored)
        return any(whole or self._opened(table, key, data)[0].startswith(prefix) for key, data in rows)

    def last_key(self, table: Table, prefix: bytes = b"") -> bytes | None:
        """The greatest key that begins with *prefix*, or None. O(log n) where keys hold no names, else O(n)."""
        if NAMES[table] is None:
            return super().last_key(table, prefix)
        return max(self.keys(table, prefix), default=None)

    def _stored_key(self, table: Table, key: bytes) -> bytes:
        name = NAMES[table]
        if name is None:
            return key
        if name.tail:
            return key[: name.head] + self._sealer.name(table, key[: -name.tail]) + key[-name.tail :]
        return key[: name.head] + self._sealer.name(table, key)

    def _stored_prefix(self, table: Table, name: Name, prefix: bytes) -> tuple[bytes, bool]:
        """What the stored keys begin with that may begin with *prefix*, and whether all of these do."""
        hidden = _name_in(name, prefix)
        if hidden is None:
            return prefix[: name.head], len(prefix) <= name.head
        end = name.head + len(hidden)
        return prefix[: name.head] + self._sealer.name(table, prefix[:end]) + prefix[end:], True

    def _opened(self, table: Table, stored: bytes, data: bytes) -> tuple[bytes, bytes]:
        """(key, value) of a stored pair."""
        if table is Table.SEAL:
            return stored, data
        plain = self._sealer.open(table, stored, data)
        name = NAMES[table]
        if name is None:
            return stored, plain
        end = _LENGTH + int.from_bytes(plain[:_LENGTH], "big")
        return stored[: name.head] + plain[_LENGTH:end] + stored[name.head + NAME_SIZE :], plain[end:]


class SealedWriter(SealedReader, Writer):
    """A `Writer` of encrypted tables."""

    def put(self, table: Table, key: bytes, value: bytes) -> None:
        super().put(table, *self._stored(table, key, value))

    def put_many(self, table: Table, rows: Iterable[tuple[bytes, bytes]]) -> None:
        super().put_many(table, sorted(self._stored(table, key, value) for key, value in rows))

    def delete(self, table: Table, key: bytes) -> bool:
        return super().delete(table, self._stored_key(table, key))

    def delete_prefix(self, table: Table, prefix: bytes) -> int:
        return sum(self.delete(table, key) for key in list(self.keys(table, prefix)))

    def _stored(self, table: Table, key: bytes, value: bytes) -> tuple[bytes, bytes]:
        if table is Table.SEAL:
            return key, value
        stored = self._stored_key(table, key)
        name = NAMES[table]
        if name is not None:
            hidden = key[name.head : -name.tail] if name.tail else key[name.head :]
            value = len(hidden).to_bytes(_LENGTH, "big") + hidden + value
        return stored, self._sealer.seal(table, stored, value)


def _name_in(name: Name, prefix: bytes) -> bytes | None:
    """The name that *prefix* holds to its end; None if it may go on, or has not begun."""
    if not name.tail:
        return None
    end = prefix.find(b"\0", name.head)
    return None if end < 0 else prefix[name.head : end]


def _is_behind(key: bytes, after: bytes | None, reverse: bool) -> bool:
    return after is None or (key < after if reverse else key > after)
