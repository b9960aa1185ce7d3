"""The LMDB environment of a vault: opening, transactions, growth of the map, several processes, forks.

The write path in one sentence: *work* is a function of a transaction that may run more than once, and whatever it
did is there, for every process and after a crash, exactly when ``write`` returns.

LMDB's rules that this module keeps so that nobody else must know them: a file is opened once per process; the map
grows only while this process has no transaction; a transaction belongs to one thread; a forked child opens anew;
reader slots of killed processes are cleared.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import ClassVar, TypeVar

import lmdb

from vademecum.errors import DamagedStore, InvalidArgument, StorageTrouble

from .damage import check_outline, check_pages
from .files import write_atomically
from .occupancy import Occupancy
from .tables import Table
from .transaction import Reader, Writer

__all__ = ["Environment"]

T = TypeVar("T")

INITIAL_MAP = 1 << 30
"""Bytes of address space at first; the file itself takes only what it holds."""
GROWTH = 2
MAX_READERS = 512
"""Reader slots: each process takes one for each thread that reads; LMDB's own default of 126 runs out."""

_MARKER = "in-use"
"""Name of the file that tells a database that was made from one whose making was cut short."""


class _Mine(threading.local):
    """What the current thread has open."""

    reads = 0


class Environment:
    """One vault's database, shared by every opener in this process. Threads may use it at the same time.

    Made by `open`; each must be closed once. ``folder`` holds ``current`` (the name of the numbered folder in use),
    and that numbered folder holds LMDB's two files. The file can therefore be replaced as a whole later.
    """

    _shared: ClassVar[dict[Path, Environment]] = {}
    _shared_lock: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, folder: Path, initial_map: int) -> None:
        self.folder = folder
        self._initial_map = initial_map
        self._users = 1
        self._writing = threading.RLock()
        self._in_transaction = False
        self._gate = threading.Condition()
        self._readers = 0
        self._closed = False
        self._mine = _Mine()
        self._start()

    @classmethod
    def create(cls, folder: Path, *, initial_map: int = INITIAL_MAP) -> Environment:
        """Makes a new, empty database in *folder*, which must not hold one, and opens it. Raises `StorageTrouble`."""
        current, marker = folder / "current", folder / "1" / _MARKER
        try:
            if marker.exists() or (current.exists() and current.read_bytes() != b"1\n"):
                raise StorageTrouble(f"There is a database in {folder} already.")
            (folder / "1").mkdir(parents=True, mode=0o700, exist_ok=True)
            write_atomically(current, b"1\n")
        except OSError as error:
            raise StorageTrouble(f"No database can be made in {folder}: {error.strerror}.") from error
        return cls.open(folder, initial_map=initial_map)

    @classmethod
    def open(cls, folder: Path, *, initial_map: int = INITIAL_MAP) -> Environment:
        """Opens the database in *folder*. A second call in this process gives the same object.

        Raises `DamagedStore` if the file is not sound, `StorageTrouble` if it cannot be opened.
        """
        key = folder.resolve()
        with cls._shared_lock:
            shared = cls._shared.get(key)
            if shared is not None:
                shared._follow_fork()
                shared._users += 1
                return shared
            made = cls(key, initial_map)
            cls._shared[key] = made
            return made

    def close(self) -> None:
        """Gives up this opener's share; the last one closes the file. Transactions must be over."""
        with self._shared_lock:
            self._users -= 1
            if self._users > 0:
                return
            if self._shared.get(self.folder) is self:
                del self._shared[self.folder]
            if self._pid == os.getpid():
                self._env.close()
                self._occupancy.leave()

    @contextmanager
    def read(self) -> Iterator[Reader]:
        """A short read transaction. While it lasts, old pages cannot be used again: keep it under a second.

        While it lasts, a `write` by the same thread must not need a larger map; by other threads, it waits.
        """
        self._follow_fork()
        with self._translating():
            txn = self._begin_read()
            try:
                with txn:
                    yield Reader(txn, self._tables)
            finally:
                self._reader_left()

    def write(self, work: Callable[[Writer], T]) -> T:
        """Runs *work* in the write transaction and commits; durable when this returns.

        Waits for other threads and processes that write. *work* may run again from the start, on a fresh
        transaction, after the map has grown. If it raises, nothing of it is there.
        Raises `StorageTrouble` if the disk is full or the file cannot be written.
        """
        self._follow_fork()
        with self._writing:
            if self._in_transaction:
                raise RuntimeError("a write transaction cannot be begun inside another one")
            self._in_transaction = True
            try:
                with self._translating():
                    while True:
                        try:
                            return self._run(work)
                        except lmdb.MapFullError:
                            self._resize(self._env.info()["map_size"] * GROWTH)
                        except lmdb.MapResizedError:
                            self._resize(0)  # another process has grown it: take the size from the file
            finally:
                self._in_transaction = False

    def _run(self, work: Callable[[Writer], T]) -> T:
        txn = self._env.begin(write=True)
        try:
            result = work(Writer(txn, self._tables))
        except BaseException:
            with self._readers_wait():  # py-lmdb's abort never ends while other threads begin one read after another
                txn.abort()
            raise
        txn.commit()
        return result

    @property
    def file(self) -> Path:
        """The data file in use."""
        return self._file

    def _start(self) -> None:
        number = _current(self.folder)
        self._file = self.folder / number / "data.mdb"
        marker = self.folder / number / _MARKER
        used = marker.exists()
        if used:
            check_outline(self._file)
        self._occupancy = Occupancy(self._file)
        with self._opening(), ExitStack() as undo:
            self._occupancy.enter(lambda: self._judge(marker))
            undo.callback(self._occupancy.leave)
            with self._translating():
                self._env = lmdb.open(
                    str(self._file.parent),
                    map_size=max(self._initial_map, self._file.stat().st_size if used else 0),
                    max_dbs=len(Table) + 8,
                    max_readers=MAX_READERS,
                    lib_version=0,
                )
                undo.callback(self._env.close)
                self._env.reader_check()
                self._tables = self._open_tables()
            if not used:
                write_atomically(marker, b"this folder holds a database; if data.mdb is empty, it was lost\n")
            undo.pop_all()
        self._pid = os.getpid()

    def _open_tables(self) -> dict[Table, lmdb._Database]:
        while True:
            try:
                return {table: self._env.open_db(table.value) for table in Table}
            except lmdb.MapResizedError:  # another process has enlarged the map since this one was opened
                self._env.set_mapsize(0)

    def _judge(self, marker: Path) -> None:
        """Called when nobody else has the file open and the last stop was not clean."""
        if marker.exists():
            check_pages(self._file)
        elif self._file.exists():
            try:
                check_outline(self._file)
                check_pages(self._file)
            except DamagedStore:
                # Its making was cut short, so nothing in it was ever acknowledged; or its marker was lost in a copy.
                self._file.replace(self._file.with_name("data.mdb.unfinished"))

    def _begin_read(self) -> lmdb.Transaction[bytes]:
        while True:
            self._reader_came()
            try:
                return self._env.begin()
            except lmdb.MapResizedError:
                self._reader_left()
            except BaseException:
                self._reader_left()
                raise
            self._refuse_while_reading()  # before waiting for a writer, who may be waiting for that read to end
            with self._writing:
                if self._in_transaction:
                    raise StorageTrouble(
                        "Another process has enlarged the database during this transaction; try again."
                    )
                self._resize(0)

    def _reader_came(self) -> None:
        # a thread that reads already must not wait: it may be the one that is waited for
        with self._gate:
            self._gate.wait_for(lambda: not self._closed or self._mine.reads > 0)
            self._readers += 1
            self._mine.reads += 1

    def _reader_left(self) -> None:
        with self._gate:
            self._readers -= 1
            self._mine.reads -= 1
            self._gate.notify_all()

    @contextmanager
    def _readers_wait(self) -> Iterator[None]:
        """Lets no new reader in meanwhile: what waits for a moment without readers might otherwise wait for ever."""
        with self._gate:
            self._closed = True
        try:
            yield
        finally:
            with self._gate:
                self._closed = False
                self._gate.notify_all()

    def _resize(self, size: int) -> None:
        """Changes the size of the map once nobody reads. The caller holds ``_writing`` and has no transaction."""
        self._refuse_while_reading()
        with self._readers_wait(), self._gate:
            self._gate.wait_for(lambda: self._readers == 0)
            self._env.set_mapsize(size)

    def _refuse_while_reading(self) -> None:
        if self._mine.reads:
            raise StorageTrouble("The database must grow, but this thread is reading it: end the read first.")

    @classmethod
    def _forked(cls) -> None:
        cls._shared_lock = threading.Lock()  # another thread of the parent may have held it

    def _follow_fork(self) -> None:
        if self._pid == os.getpid():
            return
        # The child may not use the parent's environment. Closing it here gives up the child's mapping and nothing of
        # the parent's, as long as no read was open: ending one would clear the parent's reader slot, and the pages
        # that the parent is reading would be written over.
        if self._readers:
            raise StorageTrouble(
                "This process was forked while the database was being read, so it cannot use it: fork at another time."
            )
        self._env.close()
        self._occupancy.forget()
        self._writing = threading.RLock()
        self._gate = threading.Condition()
        self._closed = False
        self._mine = _Mine()
        self._in_transaction = False
        self._start()

    @contextmanager
    def _opening(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StorageTrouble(f"The database in {self.folder} cannot be opened: {error.strerror}.") from error

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except (lmdb.CorruptedError, lmdb.PageNotFoundError, lmdb.InvalidError, lmdb.PanicError) as error:
            raise DamagedStore(f"The database file {self._file} is damaged ({error}).") from error
        except (lmdb.MapFullError, lmdb.MapResizedError):
            raise
        except lmdb.BadValsizeError as error:
            raise InvalidArgument("A key in the database is 1–511 bytes long; this one is not.") from error
        except lmdb.Error as error:
            raise StorageTrouble(
                f"The database {self._file} cannot be used ({error}). Nothing of this change was kept; "
                f"make room on the disk or check the folder's permissions, then try again."
            ) from error


if sys.platform != "win32":
    os.register_at_fork(after_in_child=Environment._forked)


def _current(folder: Path) -> str:
    try:
        number = (folder / "current").read_bytes().decode("ascii", "replace").strip()
    except OSError as error:
        raise DamagedStore(f"The file {folder / 'current'} cannot be read ({error.strerror}).") from error
    if not number.isascii() or not number.isdigit() or not (folder / number).is_dir():
        raise DamagedStore(f"The file {folder / 'current'} names a database folder that does not exist: {number!r}.")
    return number
