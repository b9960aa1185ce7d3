"""Which processes have a database open, and whether the last stop was clean.

Every process that has the file open holds a shared lock on a small file beside it. Whoever can take that lock alone
is the only one, and may judge the file: if the note in it says ``clean`` with the size and time that the file still
has, the file is the one that was closed; anything else (a killed process, a restored or edited file) means that its
pages are checked before anyone maps it.

States of the note, and who changes it:

=========  =================  ===========================================
note       on                 becomes
=========  =================  ===========================================
(absent)   open, alone        open, after the pages were found sound
clean …    open, file equal   open
clean …    open, file other   open, after the pages were found sound
open       open, alone        open, after the pages were found sound
open       close, alone       clean …
=========  =================  ===========================================

Where the system has no ``flock`` (Windows), processes are not counted and the pages are never checked.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from .files import write_atomically

if sys.platform != "win32":
    import fcntl

__all__ = ["USERS_LOCK", "Occupancy"]

USERS_LOCK = "users.lock"
"""Name of the file, beside the database's, on which every process that has it open holds a shared lock."""
_OPEN = b"open"


class Occupancy:
    """This process's share of an open database file. Not for use after a fork: make a new one."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._note = file.with_name("state")
        self._lock = file.with_name(USERS_LOCK)
        self._descriptor: int | None = None

    def enter(self, check: Callable[[], None]) -> None:
        """Joins the processes that have the file open, after ``check()`` where the last stop was not clean.

        Whatever ``check`` raises is passed on, and this process has then not joined.
        """
        if sys.platform == "win32":
            return
        descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            while True:
                if self._alone(descriptor):
                    if not self._closed_cleanly():
                        check()
                    write_atomically(self._note, _OPEN)
                    fcntl.flock(descriptor, fcntl.LOCK_SH)
                    break
                fcntl.flock(descriptor, fcntl.LOCK_SH)  # waits while another process checks the pages
                if self._read_note() == _OPEN:
                    break
                fcntl.flock(descriptor, fcntl.LOCK_UN)  # that process gave up; judge for ourselves
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor

    def look(self, check: Callable[[], None]) -> None:
        """For whoever cannot write here, and so cannot join: runs ``check()`` if the last stop was not clean and
        nobody has the file open.
        """
        if sys.platform == "win32" or self._closed_cleanly():
            return
        try:
            descriptor = os.open(self._lock, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            check()
            return
        try:
            if self._alone(descriptor):
                check()
        finally:
            os.close(descriptor)

    def is_free(self) -> bool:
        """Whether nobody has the file open, as far as can be told."""
        if sys.platform == "win32":
            return True
        try:
            descriptor = os.open(self._lock, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return True
        try:
            return self._alone(descriptor)
        finally:
            os.close(descriptor)

    def leave(self, discard: Callable[[], bool] = lambda: False) -> None:
        """Leaves; the last one to do so notes the file's size and time. Does nothing when not joined.

        ``discard()`` is asked first when nobody else has the file open, and may remove it; True: there is nothing to
        note. Where the note cannot be written (a full disk, a deleted file) it stays ``open``: the next one checks.
        """
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None or sys.platform == "win32":
            return
        try:
            if self._alone(descriptor) and not discard():
                with suppress(OSError):
                    write_atomically(self._note, b"clean " + self._mark())
            # closing alone would not do: a forked child may hold the same descriptor, and with it the lock
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        finally:
            os.close(descriptor)

    def forget(self) -> None:
        """Drops the lock's descriptor without a note: for the child of a fork, which shares its parent's lock."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def _alone(self, descriptor: int) -> bool:
        if sys.platform == "win32":
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _closed_cleanly(self) -> bool:
        note = self._read_note()
        return note is not None and note != _OPEN and note == b"clean " + self._mark()

    def _read_note(self) -> bytes | None:
        try:
            return self._note.read_bytes()
        except FileNotFoundError:
            return None

    def _mark(self) -> bytes:
        found = self._file.stat()
        return f"{found.st_size} {found.st_mtime_ns}".encode()
