"""The LMDB environment of a vault: transactions, growth of the map, replacing the file, several processes, forks.

The write path in one sentence: *work* is a function of a transaction that may run more than once, and whatever it
did is there, for every process and after a crash, exactly when ``write`` returns.

LMDB's rules that this module keeps so that nobody else must know them: a file is opened once per process; the map
grows only while this process has no transaction; a transaction belongs to one thread; a forked child opens anew;
reader slots of killed processes are cleared.

The file can be replaced as a whole under all of this (`replace`). A reader looks before it begins whether the file is
still the one in use; a writer looks once it has the writer's lock, which whoever replaces the file holds until it has
been. So no write goes to a file that is no longer in use.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeVar

import lmdb

from vademecum.errors import StorageTrouble, WrongKey

from .copying import Make, copy_everything, fill
from .damage import check_pages
from .database import Database
from .files import write_atomically
from .folders import MARKER, Folders
from .gate import Gate
from .tables import CHECK, HEADER, Table
from .transaction import Reader, Writer

if TYPE_CHECKING:
    from .sealer import Sealer

__all__ = ["Environment"]

T = TypeVar("T")

INITIAL_MAP = 1 << 30
"""Bytes of address space at first; the file itself takes only what it holds."""
GROWTH = 2


class _Migrated(Exception):
    """Another process has brought the database to the newer format."""


class Environment:
    """One vault's database, shared by every opener in this process. Threads may use it at the same time.

    Made by `open`; each must be closed once. ``folder`` holds ``current`` (the name of the numbered folder in use),
    and that numbered folder holds LMDB's two files.
    """

    _shared: ClassVar[dict[Path, Environment]] = {}
    _shared_lock: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, folder: Path, initial_map: int) -> None:
        self.folder = folder
        self._folders = Folders(folder)
        self._initial_map = initial_map
        self._users = 1
        self._writing = threading.RLock()
        self._in_transaction = False
        self._gate = Gate()
        self._sealer: Sealer | None = None
        self._database = Database.open(self._folders, initial_map)
        self._pid = os.getpid()
        self._folders.sweep()

    @classmethod
    def create(
        cls, folder: Path, *, initial_map: int = INITIAL_MAP, seal: tuple[Sealer, bytes] | None = None
    ) -> Environment:
        """Makes a new, empty database in *folder*, which must not hold one, and opens it. Raises `StorageTrouble`.

        With *seal*, it is a sealed one: the data key at work, and the `header` that says how that key is kept.
        """
        current, marker = folder / "current", folder / "1" / MARKER
        try:
            if marker.exists() or (current.exists() and current.read_bytes() != b"1\n"):
                raise StorageTrouble(f"There is a database in {folder} already.")
            (folder / "1").mkdir(parents=True, mode=0o700, exist_ok=True)
            write_atomically(current, b"1\n")
        except OSError as error:
            raise StorageTrouble(f"No database can be made in {folder}: {error.strerror}.") from error
        made = cls.open(folder, initial_map=initial_map)
        if seal is not None:
            made._begin_sealed(*seal)
        return made

    @classmethod
    def open(cls, folder: Path, *, initial_map: int = INITIAL_MAP) -> Environment:
        """Opens the database in *folder*. A second call in this process gives the same object.

        Where nothing can be written (a full disk, a folder that can only be read) it opens for reading. A sealed one
        (it has a `header`) must be given its key by `unlock` before it can be read.
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
                self._database.close()

    @property
    def header(self) -> bytes | None:
        """How the data key of a sealed database is kept; None if the database is not sealed."""
        self._follow_fork()
        self._follow_replacement()
        return self._database.header

    @property
    def sealer(self) -> Sealer | None:
        """The data key at work, once a sealed database has been unlocked."""
        return self._sealer if self._database.check is not None else None

    def unlock(self, sealer: Sealer) -> None:
        """Gives a sealed database its key. Raises `WrongKey` if that is another's."""
        self._follow_fork()
        if sealer.check != self._database.check:
            raise WrongKey(f"That is not the key of the sealed vault in {self.folder.parent}. Nothing was read.")
        self._sealer = sealer

    def set_header(self, header: bytes) -> None:
        """Replaces the `header` of a sealed database; durable when this returns."""
        self.write(lambda writer: writer.put(Table.SEAL, HEADER, header))
        self._database.header = header

    @contextmanager
    def read(self) -> Iterator[Reader]:
        """A short read transaction. While it lasts, old pages cannot be used again: keep it under a second.

        While it lasts, a `write` by the same thread must not need a larger map; by other threads, it waits.
        """
        self._follow_fork()
        self._follow_replacement()
        with self._translating():
            txn = self._begin_read()
            try:
                with txn:
                    yield self._database.reader(txn, self._sealer)
            finally:
                self._gate.leave()

    def write(self, work: Callable[[Writer], T]) -> T:
        """Runs *work* in the write transaction and commits; durable when this returns.

        Waits for other threads and processes that write. *work* may run again from the start, on a fresh
        transaction, after the map has grown. If it raises, nothing of it is there.
        Raises `StorageTrouble` if the disk is full or the file cannot be written.
        """
        with self._writer():
            while True:
                try:
                    return self._run(work)
                except lmdb.MapFullError:
                    self._resize(self._database.env.info()["map_size"] * GROWTH)

    def replace(self, make: Make = copy_everything) -> tuple[int, int]:
        """Replaces the database by one that ``make(old, new)`` fills; returns the bytes of the file before and after.

        By default everything is copied: the file is then as small as it can be, and holds nothing that was deleted.
        O(size), and writers wait meanwhile. Other processes notice before their next transaction; the old folder is
        removed when the last of them has left it. If anything fails or the process is killed, the old one stays in
        use. Raises `StorageTrouble`, `DamagedStore`, and what *make* raises.
        """
        return self._replace(lambda: self._as_sealed(make))

    def reseal(self, seal: tuple[Sealer, bytes] | None, also: Callable[[Writer], object]) -> None:
        """Replaces the database by one that is sealed by *seal*, a data key and its `header`, or by a plain one: None.

        *also* adds to the new one. Otherwise as `replace`; but the old file is removed at once, whoever has it open
        (what is open can still be read to its end), and who has a plain one open and finds it sealed gets
        `VaultLocked`.
        """
        from .resealing import resealed

        self._replace(lambda: resealed(self._key(), seal, also), None if seal is None else seal[0])
        try:
            with self._folders.replacing():
                self._folders.remove_old()
        except OSError as error:
            raise StorageTrouble(f"The old database in {self.folder} is still there: {error.strerror}.") from error

    def left_over(self) -> tuple[list[Path], list[Path]]:
        """Folders of this database that are out of use: those that another process still has open, and those that are
        kept for somebody. What nobody has open is removed first.
        """
        self._folders.sweep()
        return (
            [self.folder / number for number in self._folders.left()],
            [self.folder / name for name in self._folders.kept()],
        )

    def migrate(self, make: Make, before: int, after: int) -> bool:
        """Replaces the database, which has the format *before*, by one of the format *after* that ``make(old, new)``
        fills, and keeps the old data file. False if another process has done so meanwhile. Raises as `replace`.
        """

        def choose() -> Make:
            if self.format != before:
                raise _Migrated
            return self._as_sealed(make)

        try:
            self._replace(choose, format_=after)
        except _Migrated:
            return False
        return True

    @property
    def format(self) -> int:
        """The format of the database in use."""
        return self._database.format

    def _replace(
        self, choose: Callable[[], Make], sealer: Sealer | None = None, format_: int | None = None
    ) -> tuple[int, int]:
        """``choose()`` is asked when no other process can replace the database; *sealer* unlocks the new one. With
        *format_*, which the new one has, the old data file is kept.
        """
        with self._writer():
            self._gate.refuse_while_reading()
            try:
                with self._folders.replacing():
                    sizes = self._fill_next(choose, format_)
            except OSError as error:
                raise StorageTrouble(
                    f"The database in {self.folder} cannot be replaced: {error.strerror}. It is as it was."
                ) from error
            self._sealer = sealer or self._sealer
            self._reopen()
        return sizes

    def clear_dead_readers(self) -> int:
        """Frees the reader slots of killed processes, which keep old pages from being used again; returns how many."""
        self._follow_fork()
        self._follow_replacement()
        self._gate.enter()  # so that nobody replaces the file meanwhile
        try:
            with self._translating():
                return self._database.env.reader_check()
        finally:
            self._gate.leave()

    def _key(self) -> Sealer | None:
        return None if self._database.check is None else self._database.key(self._sealer)

    def _as_sealed(self, make: Make) -> Make:
        """*make*, which knows nothing of sealing, for this database."""
        sealer = self._key()
        if sealer is None or make is copy_everything:  # which copies pairs as they are stored
            return make
        from .resealing import inside

        return inside(make, sealer)

    def verify(self) -> None:
        """Reads every page and every value. O(size); writers wait meanwhile. Raises `DamagedStore`."""
        if self.read_only:
            check_pages(self.file)
        else:
            with self._writer():
                txn = self._begin_write()
                try:
                    check_pages(self.file)
                finally:
                    self._abort(txn)
        with self.read() as reader:
            for table in Table:
                for _ in reader.raw(table):
                    pass

    def used_bytes(self) -> int:
        """Bytes of the pages that hold something: the file's size without the free ones. O(tables)."""
        with self.read() as reader:
            return reader.used_bytes()

    @property
    def file(self) -> Path:
        """The data file in use."""
        return self._database.file

    @property
    def number(self) -> str:
        """The folder in use, as this process knows it: it changes when the database is replaced."""
        return self._database.number

    @property
    def read_only(self) -> bool:
        """Whether nothing could be written where the database lies, when it was opened."""
        return self._database.read_only

    def _run(self, work: Callable[[Writer], T]) -> T:
        txn = self._begin_write()
        try:
            result = work(self._database.writer(txn, self._sealer))
        except BaseException:
            self._abort(txn)
            raise
        txn.commit()
        self._database.tidy()
        return result

    def _begin_sealed(self, sealer: Sealer, header: bytes) -> None:
        """Makes the database, which must be empty, a sealed one."""

        def sign(writer: Writer) -> None:
            writer.put(Table.SEAL, CHECK, sealer.check)
            writer.put(Table.SEAL, HEADER, header)

        self.write(sign)
        self._database.check, self._database.header = sealer.check, header
        self._sealer = sealer

    def _fill_next(self, choose: Callable[[], Make], format_: int | None) -> tuple[int, int]:
        txn = self._begin_write()
        number = None
        try:
            make = choose()
            before = self.file.stat().st_size
            number = self._folders.make_next()
            folder = self._folders.folder / number
            fill(
                Reader(txn, self._database.tables),
                folder,
                self._database.env.info()["map_size"],
                make,
                format_ or self.format,
            )
            if format_ is not None:
                self._folders.keep(self.number, f"format-{self.format}")
            after = (folder / "data.mdb").stat().st_size
            self._folders.switch(number)
            return before, after
        except BaseException:
            if number is not None and self._database.number != number and not self._folders.is_current(number):
                self._folders.remove(number)
            raise
        finally:
            self._abort(txn)

    @contextmanager
    def _writer(self) -> Iterator[None]:
        """The place of this process's one writer."""
        self._follow_fork()
        with self._writing:
            if self._in_transaction:
                raise RuntimeError("a write transaction cannot be begun inside another one")
            self._in_transaction = True
            try:
                with self._translating():
                    yield
            finally:
                self._in_transaction = False

    def _begin_write(self) -> lmdb.Transaction[bytes]:
        """The writer's lock, on the file that is in use."""
        while True:
            self._database.refuse_writing()
            try:
                txn = self._database.env.begin(write=True)
            except lmdb.MapResizedError:
                self._resize(0)  # another process has grown it: take the size from the file
                continue
            if not self._is_replaced():
                return txn
            self._abort(txn)
            self._reopen()

    def _abort(self, txn: lmdb.Transaction[bytes]) -> None:
        with self._gate.closed():  # py-lmdb's abort never ends while other threads begin one read after another
            txn.abort()

    def _begin_read(self) -> lmdb.Transaction[bytes]:
        while True:
            self._gate.enter()
            try:
                return self._database.env.begin()
            except lmdb.MapResizedError:
                self._gate.leave()
            except BaseException:
                self._gate.leave()
                raise
            self._gate.refuse_while_reading()  # before waiting for a writer, who may be waiting for that read to end
            with self._writing:
                if self._in_transaction:
                    raise StorageTrouble(
                        "Another process has enlarged the database during this transaction; try again."
                    )
                self._resize(0)

    def _resize(self, size: int) -> None:
        """Changes the size of the map once nobody reads. The caller holds ``_writing`` and has no transaction."""
        with self._gate.empty():
            self._database.env.set_mapsize(size)

    def _is_replaced(self) -> bool:
        stamp = self._folders.stamp()
        if stamp is None or stamp == self._database.stamp:
            return False
        if not self._folders.is_current(self._database.number):
            return True
        self._database.stamp = stamp
        return False

    def _follow_replacement(self) -> None:
        """Before a read. A read inside another one, or inside a write, sees the same file as that one."""
        if self._gate.mine or not self._is_replaced():
            return
        with self._writing:
            if not self._in_transaction and self._is_replaced():
                self._reopen()

    def _reopen(self) -> None:
        """Goes over to the database in use. The caller holds ``_writing`` and has no transaction."""
        with self._gate.empty():
            opened = Database.open(self._folders, self._initial_map)
            self._folders.settle()
            self._database, old = opened, self._database
            old.close()

    @classmethod
    def _forked(cls) -> None:
        cls._shared_lock = threading.Lock()  # another thread of the parent may have held it

    def _follow_fork(self) -> None:
        if self._pid == os.getpid():
            return
        # The child may not use the parent's environment. Closing it here gives up the child's mapping and nothing of
        # the parent's, as long as no read was open: ending one would clear the parent's reader slot, and the pages
        # that the parent is reading would be written over.
        if self._gate.readers:
            raise StorageTrouble(
                "This process was forked while the database was being read, so it cannot use it: fork at another time."
            )
        self._database.abandon()
        self._writing = threading.RLock()
        self._in_transaction = False
        self._gate = Gate()
        self._database = Database.open(self._folders, self._initial_map)
        self._pid = os.getpid()

    @contextmanager
    def _translating(self) -> Iterator[None]:
        with self._database.translating():
            yield


if sys.platform != "win32":
    os.register_at_fork(after_in_child=Environment._forked)
