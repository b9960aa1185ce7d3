"""The readers of this process: counted, so that what needs a moment without any of them can have one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from vademecum.errors import StorageTrouble

__all__ = ["Gate"]


class _Mine(threading.local):
    """What the current thread has open."""

    reads = 0


class Gate:
    """Lets readers in, or keeps new ones waiting outside. Threads share it; a forked child makes a new one."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._closed = False
        self._mine = _Mine()
        self.readers = 0

    @property
    def is_closed(self) -> bool:
        return self._closed

    @property
    def mine(self) -> int:
        """How many reads the current thread has open."""
        return self._mine.reads

    def enter(self) -> None:
        """Counts a reader in, once the gate is open. A thread that reads already does not wait: it may be the one that
        is waited for.
        """
        with self._condition:
            self._condition.wait_for(lambda: not self._closed or self._mine.reads > 0)
            self.readers += 1
            self._mine.reads += 1

    def leave(self) -> None:
        with self._condition:
            self.readers -= 1
            self._mine.reads -= 1
            self._condition.notify_all()

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Lets no new reader in meanwhile: what waits for a moment without readers might otherwise wait for ever."""
        with self._condition:
            self._closed = True
        try:
            yield
        finally:
            with self._condition:
                self._closed = False
                self._condition.notify_all()

    @contextmanager
    def empty(self) -> Iterator[None]:
        """Waits until nobody reads, and keeps everybody out meanwhile. Raises `StorageTrouble` if this thread reads."""
        self.refuse_while_reading()
        with self.closed(), self._condition:
            self._condition.wait_for(lambda: self.readers == 0)
            yield

    def refuse_while_reading(self) -> None:
        """Raises `StorageTrouble` if the current thread has a read open."""
        if self._mine.reads:
            raise StorageTrouble(
                "The database must grow or be replaced, but this thread is reading it: end the read first."
            )
