"""The numbered folders of a database, and the file ``current`` that names the one in use.

A database is replaced as a whole by filling the next folder and naming it. The rules that make this safe under others:

- ``current`` is replaced atomically, and only by whoever holds the writer's lock of the database that it named. So a
  writer who looks at it behind that lock cannot write into a file that is no longer the one in use.
- A folder whose name is all digits and which ``current`` does not name is litter: an old database, or one that was
  never finished. It goes as soon as nobody has it open. Whatever has another name is kept for somebody and stays.
- One process at a time fills or sweeps folders; the lock for that is not the writer's, so nobody waits to open.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from vademecum.errors import DamagedStore

from .files import sync_folder, write_atomically
from .occupancy import USERS_LOCK

if sys.platform != "win32":
    import fcntl

__all__ = ["MARKER", "Folders", "Stamp"]

MARKER = "in-use"
"""Name of the file that tells a database that was made from one whose making was cut short."""

Stamp: TypeAlias = "tuple[int, int]"
"""What changes whenever ``current`` is replaced. None stands for a file that cannot be looked at."""


class Folders:
    """The numbered folders in *folder*."""

    def __init__(self, folder: Path) -> None:
        self._name = folder / "current"
        self._lock = folder / "replacing.lock"
        self.folder = folder

    def current(self) -> str:
        """The number in use. Raises `DamagedStore` if the file does not name a folder."""
        looked = None
        while True:
            try:
                number = self._name.read_bytes().decode("ascii", "replace").strip()
            except OSError as error:
                raise DamagedStore(f"The file {self._name} cannot be read ({error.strerror}).") from error
            if number.isascii() and number.isdigit() and (self.folder / number).is_dir():
                return number
            if number == looked:  # otherwise it may have been replaced, and its folder removed, in between
                raise DamagedStore(f"The file {self._name} names a database folder that does not exist: {number!r}.")
            looked = number

    def stamp(self) -> Stamp | None:
        """What a cheap look at ``current`` shows; about 2 µs."""
        try:
            found = os.stat(self._name)  # noqa: PTH116 - before every transaction; Path.stat takes twice as long
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns

    def is_current(self, number: str) -> bool:
        """Whether ``current`` names *number*; also where it cannot be read, for then nobody else can say so."""
        try:
            return self._name.read_bytes().strip() == number.encode()
        except OSError:
            return True

    def switch(self, number: str) -> None:
        """Names *number*, durably. The caller holds the writer's lock of the database that was named before."""
        write_atomically(self._name, number.encode() + b"\n")

    def settle(self) -> None:
        """Makes durable what ``current`` says now: its writer may have been killed before it could."""
        sync_folder(self.folder)

    @contextmanager
    def replacing(self) -> Iterator[None]:
        """Keeps everybody else from filling or sweeping folders. Waits for its turn."""
        descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if sys.platform != "win32":
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def make_next(self) -> str:
        """Makes the next numbered folder, empty. Only inside `replacing`. Raises ``OSError``."""
        number = str(max(int(one) for one in self._numbered()) + 1)
        (self.folder / number).mkdir(mode=0o700)
        return number

    def keep(self, number: str, word: str) -> str:
        """Keeps the data file of *number* beside it as ``number.word``; returns that folder's name. Raises ``OSError``.

        The file is the same one, under a second name, so this costs no room and no time.
        """
        name, count = f"{number}.{word}", 1
        while (self.folder / name).exists():
            count += 1
            name = f"{number}.{word}-{count}"
        aside = self.folder / f".{name}"
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(mode=0o700)
        data = self.folder / number / "data.mdb"
        if data.exists():
            try:
                os.link(data, aside / "data.mdb")
            except OSError:  # not every file system can give a file two names
                shutil.copy2(data, aside / "data.mdb")
        aside.rename(self.folder / name)
        sync_folder(self.folder)
        return name

    def remove_kept(self, word: str) -> None:
        """Removes what was kept under a word that begins so, and what a killed process left of it."""
        for one in (*self.folder.glob(f"*.{word}*"), *self.folder.glob(f".*.{word}*")):
            shutil.rmtree(one, ignore_errors=True)

    def kept(self) -> list[str]:
        """Names of the folders that are kept for somebody."""
        return sorted(one.name for one in self.folder.iterdir() if one.is_dir() and "." in one.name.strip("."))

    def left(self) -> list[str]:
        """Numbers of the folders that are litter, and which somebody still has open."""
        return sorted((number for number in self._numbered() if not self.is_current(number)), key=int)

    def take_in(self, made: Path, keep: str) -> str:
        """Puts the whole, closed database in the folder *made* in the place of the one in use, whose data file is kept
        under the word *keep*. Nobody may have it open. Returns the name of what was kept. Raises ``OSError``.
        """
        with self.replacing():
            before = self._name.read_bytes().decode("ascii", "replace").strip() if self._name.exists() else ""
            if before not in self._numbered():
                before = max(self._numbered(), key=int, default="")
            kept = self.keep(before, keep) if before else ""
            number = str(max((int(one) for one in self._numbered()), default=0) + 1)
            made.rename(self.folder / number)
            sync_folder(self.folder)
            self.switch(number)
            if before:
                self.remove(before)
        return kept

    def remove(self, number: str) -> None:
        """Removes a folder that nobody has open; what cannot be removed now is swept later."""
        shutil.rmtree(self.folder / number, ignore_errors=True)

    def remove_old(self) -> None:
        """Removes the litter, also what others still have open, where the system allows it. Only inside `replacing`."""
        for number in self._numbered():
            if not self.is_current(number):
                self.remove(number)

    def sweep(self) -> None:
        """Removes the litter that nobody has open, unless somebody else is filling or sweeping at this moment."""
        try:
            if len(self._numbered()) < 2:
                return
            descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return  # a folder that cannot be read or written; whoever can sweeps it
        try:
            if _lock_now(descriptor):
                for number in self._numbered():
                    if not self.is_current(number):
                        self._remove_unused(number)
        finally:
            os.close(descriptor)

    def _remove_unused(self, number: str) -> None:
        try:
            descriptor = os.open(self.folder / number / USERS_LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return
        try:
            if _lock_now(descriptor):
                self.remove(number)
        finally:
            os.close(descriptor)

    def _numbered(self) -> list[str]:
        return [one.name for one in self.folder.iterdir() if one.name.isascii() and one.name.isdigit()]


def _lock_now(descriptor: int) -> bool:
    """Whether the lock could be had at once. Without ``flock`` (Windows) an open file defends itself."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
