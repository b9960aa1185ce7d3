"""A lock among processes for the moments in which a file is created or replaced."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["file_lock"]

if sys.platform == "win32":
    import msvcrt

    @contextmanager
    def file_lock(file: Path) -> Iterator[None]:
        """Hold ``file`` alone, creating it if need be; waits for whoever has it. Its holder's death releases it."""
        with file.open("a+b") as opened:
            opened.seek(0)
            msvcrt.locking(opened.fileno(), msvcrt.LK_LOCK, 1)
            try:
                yield
            finally:
                opened.seek(0)
                msvcrt.locking(opened.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    @contextmanager
    def file_lock(file: Path) -> Iterator[None]:
        """Hold ``file`` alone, creating it if need be; waits for whoever has it. Its holder's death releases it."""
        with file.open("ab") as opened:
            fcntl.flock(opened, fcntl.LOCK_EX)
            yield
