"""Filling a new database from an old one.

Everything is put anew, pair by pair in the order of the keys, each checked against its checksum: so a copy holds what
the old one held and nothing else. LMDB's own compact copy takes pages as they are, with what deleted values have left
in their unused parts; and it copies damage without a word.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import lmdb

from .database import MAX_DATABASES, write_marker
from .files import sync_folder
from .folders import MARKER
from .formats import write_format
from .occupancy import Occupancy
from .tables import Table
from .transaction import Reader, Writer

__all__ = ["Make", "copy_everything", "fill"]

Make: TypeAlias = Callable[[Reader, Writer], object]
"""Fills an empty database, the second, from the first. May run again from the start, on an empty one."""

GROWTH = 2


def copy_everything(old: Reader, new: Writer) -> None:
    """Copies all tables as they are stored. O(size). Raises `DamagedStore` for a value that is not what was written."""
    for table in Table:
        if not new.count(table):  # what says that a database is sealed is there already
            new.take_over(old, table)


def fill(old: Reader, folder: Path, map_size: int, make: Make, number: int) -> None:
    """Makes a whole, durable and cleanly closed database of the format *number* in the empty *folder*.

    *make* runs in one transaction. Raises what it raises, ``OSError`` and ``lmdb.Error``.
    """
    env = lmdb.open(str(folder), map_size=map_size, max_dbs=MAX_DATABASES, lib_version=0, sync=False, metasync=False)
    try:
        with env.begin(write=True) as txn:
            tables = {table: env.open_db(table.value, txn=txn) for table in Table}
        while True:
            try:
                with env.begin(write=True) as txn:
                    make(old, Writer(txn, tables))
                break
            except lmdb.MapFullError:
                env.set_mapsize(env.info()["map_size"] * GROWTH)
        env.sync(True)
    finally:
        env.close()
    write_format(folder, number)
    write_marker(folder / MARKER)
    occupancy = Occupancy(folder / "data.mdb")
    occupancy.enter(lambda: None)  # what was just made need not be checked by whoever opens it
    occupancy.leave()
    sync_folder(folder)
    sync_folder(folder.parent)
