"""A fresh copy of an LMDB database: every record that is there, and no byte of what was deleted.

The records are put one by one. LMDB's own compact copy takes pages as they are, with what deleted records have left in
the unused parts of each.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import lmdb

__all__ = ["copy_compact"]

_AT_ONCE = 16 << 20
"""Bytes of one transaction: what is held in memory."""
_GROWTH = 2


def copy_compact(env: lmdb.Environment, tables: Sequence[str], target: Path) -> None:
    """Writes the copy to *target*, durably. O(size). Raises ``OSError`` or ``lmdb.Error``; *target* may be half there.

    Sees the database as it was when it was called.
    """
    target.unlink(missing_ok=True)
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600))
    map_size = env.info()["map_size"]
    copy = lmdb.open(str(target), subdir=False, lock=False, sync=False, map_size=map_size, max_dbs=16, lib_version=0)
    try:
        old_tables = {table: env.open_db(table.encode()) for table in tables}
        with env.begin() as old:
            for table in tables:
                with old.cursor(db=old_tables[table]) as cursor:
                    _copy_table(cursor, copy, copy.open_db(table.encode()))
        copy.sync(True)
    finally:
        copy.close()


def _copy_table(cursor: lmdb.Cursor[bytes], copy: lmdb.Environment, table: lmdb._Database) -> None:
    batch: list[tuple[bytes, bytes]] = []
    size = 0
    for key, value in cursor:
        batch.append((key, value))
        size += len(value)
        if size >= _AT_ONCE:
            _put(copy, table, batch)
            batch, size = [], 0
    _put(copy, table, batch)


def _put(copy: lmdb.Environment, table: lmdb._Database, batch: Sequence[tuple[bytes, bytes]]) -> None:
    while True:
        try:
            with copy.begin(write=True) as txn:
                for key, value in batch:
                    txn.put(key, value, db=table, append=True)
            return
        except lmdb.MapFullError:
            copy.set_mapsize(copy.info()["map_size"] * _GROWTH)
