"""One numbered folder, open: LMDB's environment in it, its tables, and this process's share among its users."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import lmdb

from vademecum.errors import DamagedStore, InvalidArgument, StorageTrouble, VaultLocked

from .damage import check_outline, check_pages
from .files import write_atomically
from .folders import MARKER, Folders, Stamp
from .formats import newest, read_format, write_format
from .occupancy import Occupancy
from .tables import CHECK, HEADER, Table
from .transaction import Reader, Writer

if TYPE_CHECKING:
    from .sealer import Sealer

__all__ = ["MAX_DATABASES", "MAX_READERS", "Database"]

MAX_READERS = 512
"""Reader slots: each process takes one for each thread that reads; LMDB's own default of 126 runs out."""
MAX_DATABASES = len(Table) + 8
TIDY_PAGES = 1024
"""Pages by which the file grows, at least, until dead readers are looked for again: 4 MiB."""

_CANNOT_WRITE = frozenset({errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Where nothing can be written, what is there can still be read."""


class Database:
    """Made by `open`. ``read_only`` says that nothing could be written where it lies, when it was opened."""

    def __init__(self, folders: Folders, number: str, stamp: Stamp | None, initial_map: int) -> None:
        self.number = number
        self.stamp = stamp
        """What ``current`` looked like when it named this database."""
        self.read_only = False
        self.file = folders.folder / number / "data.mdb"
        self._folders = folders
        self._marker = self.file.with_name(MARKER)
        self._occupancy = Occupancy(self.file)
        used = self._marker.exists()
        self.format = read_format(self.file.parent) if used else newest()
        if used:
            check_outline(self.file)
        with self._opening(), ExitStack() as undo:
            self._join(used)
            undo.callback(self._occupancy.leave)
            with self.translating():
                self.env = self._open_env(max(initial_map, self.file.stat().st_size if used else 0))
                undo.callback(self.env.close)
                self.env.reader_check()
                self._note_size()
                self.tables = self._open_tables()
                self._read_seal()
            if not used:
                write_format(self.file.parent, self.format)
                write_marker(self._marker)
            undo.pop_all()

    @classmethod
    def open(cls, folders: Folders, initial_map: int) -> Database:
        """Opens the database that ``current`` names. Raises `DamagedStore`, `StorageTrouble`."""
        while True:
            stamp = folders.stamp()
            number = folders.current()
            try:
                opened = cls(folders, number, stamp, initial_map)
            except (StorageTrouble, OSError):
                if folders.is_current(number):
                    raise
                continue  # it was replaced, and perhaps removed, while we opened it
            if folders.is_current(number):
                return opened
            opened.close()

    def close(self) -> None:
        """Closes the file. The last process to do so removes the folder if it is not the one in use any more."""
        self.env.close()
        self._occupancy.leave(self._discard)

    def tidy(self) -> None:
        """Clears dead readers if the file has grown by an eighth: perhaps one keeps old pages from being used again.

        To be called after each commit.
        """
        if self.env.info()["last_pgno"] >= self._tidy_at:
            self.env.reader_check()
            self._note_size()

    def _note_size(self) -> None:
        last = self.env.info()["last_pgno"]
        self._tidy_at = last + max(TIDY_PAGES, last // 8)

    def _read_seal(self) -> None:
        """Takes note of whether the database is sealed: `check` is the check value of its data key, or None."""
        with self.env.begin() as txn:
            plain = Reader(txn, self.tables)
            self.check, self.header = plain.get(Table.SEAL, CHECK), plain.get(Table.SEAL, HEADER)

    def reader(self, txn: lmdb.Transaction[bytes], sealer: Sealer | None) -> Reader:
        """What reads the tables in *txn*. Raises `VaultLocked` if they are sealed, and not by *sealer*."""
        if self.check is None:
            return Reader(txn, self.tables)
        from .sealed_transaction import SealedReader  # with it comes cryptography, which takes a while to load

        return SealedReader(txn, self.tables, self.key(sealer))

    def writer(self, txn: lmdb.Transaction[bytes], sealer: Sealer | None) -> Writer:
        """What reads and writes the tables in *txn*. Raises `VaultLocked`, as `reader`."""
        if self.check is None:
            return Writer(txn, self.tables)
        from .sealed_transaction import SealedWriter

        return SealedWriter(txn, self.tables, self.key(sealer))

    def key(self, sealer: Sealer | None) -> Sealer:
        """*sealer*, if it is this sealed database's. Raises `VaultLocked` otherwise."""
        if sealer is None or sealer.check != self.check:
            raise VaultLocked(
                f"The vault in {self._folders.folder.parent} is sealed, and was not opened with its key. Open it again."
            )
        return sealer

    def abandon(self) -> None:
        """For the child of a fork: gives up this process's mapping of the file, and nothing of the parent's."""
        self.env.close()
        self._occupancy.forget()

    @contextmanager
    def translating(self) -> Iterator[None]:
        """Turns LMDB's errors into ours, but those that ask for another size of the map."""
        try:
            yield
        except (lmdb.CorruptedError, lmdb.PageNotFoundError, lmdb.InvalidError, lmdb.PanicError) as error:
            raise DamagedStore(
                f"The database file {self.file} is damaged ({error}). `vademecum doctor` says what can be done."
            ) from error
        except (lmdb.MapFullError, lmdb.MapResizedError):
            raise
        except lmdb.BadValsizeError as error:
            raise InvalidArgument("A key in the database is 1–511 bytes long; this one is not.") from error
        except lmdb.Error as error:
            raise StorageTrouble(
                f"The database {self.file} cannot be used ({error}). Nothing of this change was kept; "
                f"make room on the disk or check the folder's permissions, then try again."
            ) from error

    def refuse_writing(self) -> None:
        """Raises `StorageTrouble` if this database was opened where nothing can be written."""
        if self.read_only:
            raise StorageTrouble(
                f"Nothing can be written in {self.file.parent}: the disk is full, or the folder can only be read. "
                f"What is there can be read; make room or allow writing, and open the vault again."
            )

    def _join(self, used: bool) -> None:
        try:
            self._occupancy.enter(self._judge)
        except OSError as error:
            if not used or error.errno not in _CANNOT_WRITE:
                raise
            self._occupancy.look(self._judge)
            self.read_only = True

    def _open_env(self, map_size: int) -> lmdb.Environment:
        # without its lock file a reader cannot say that it reads; nobody can then write here either, as it seems
        locked = not self.read_only or os.access(self.file.with_name("lock.mdb"), os.W_OK)
        return lmdb.open(
            str(self.file.parent),
            map_size=map_size,
            max_dbs=MAX_DATABASES,
            max_readers=MAX_READERS,
            lib_version=0,
            readonly=self.read_only,
            create=not self.read_only,
            lock=locked,
        )

    def _open_tables(self) -> dict[Table, lmdb._Database]:
        while True:
            try:
                if self.read_only:
                    found = {table: self._found_table(table) for table in Table}
                    return {table: handle for table, handle in found.items() if handle is not None}
                with self.env.begin(write=True) as txn:  # one flush for all of a new database's
                    return {table: self.env.open_db(table.value, txn=txn) for table in Table}
            except lmdb.MapResizedError:  # another process has enlarged the map since this one was opened
                self.env.set_mapsize(0)

    def _found_table(self, table: Table) -> lmdb._Database | None:
        """None where the table is not there and cannot be made: what was written before it was thought of."""
        try:
            return self.env.open_db(table.value, create=False)
        except lmdb.NotFoundError:
            return None

    def _judge(self) -> None:
        """Called when nobody else has the file open and the last stop was not clean."""
        if self._marker.exists():
            check_pages(self.file)
        elif self.file.exists():
            try:
                check_outline(self.file)
                check_pages(self.file)
            except DamagedStore:
                # Its making was cut short, so nothing in it was ever acknowledged; or its marker was lost in a copy.
                self.file.replace(self.file.with_name("data.mdb.unfinished"))

    def _discard(self) -> bool:
        if self._folders.is_current(self.number):
            return False
        self._folders.remove(self.number)
        return True

    @contextmanager
    def _opening(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StorageTrouble(
                f"The database in {self._folders.folder} cannot be opened: {error.strerror}."
            ) from error


def write_marker(marker: Path) -> None:
    """Says that the folder of *marker* holds a whole database."""
    write_atomically(marker, b"this folder holds a database; if data.mdb is empty, it was lost\n")
