"""A device's disk that fails where it is told to: at a commit of the database, on either side of it, or by being full.

`Crashed` stands for the end of a process. It is no ``Exception``, so that nothing between the disk and the world
catches it; the world then drops all that the process had in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import TypeVar

from vademecum.errors import StorageTrouble
from vademecum.storage.environment import Environment
from vademecum.storage.tables import Table
from vademecum.storage.transaction import Writer

__all__ = ["Contents", "Crashed", "Disk", "Fate"]

T = TypeVar("T")
Contents = dict[Table, list[tuple[bytes, bytes]]]

INITIAL_MAP = 1 << 18
"""Small, so that maps grow now and then."""


class Fate(Enum):
    """What becomes of a transaction whose work is done."""

    BEFORE = "the process ends before the commit"
    AFTER = "the process ends after the commit, before anyone learns of it"
    FULL = "there is no room for the commit"


class Crashed(BaseException):
    """The process is no more. ``committed``: whether its last transaction is there."""

    def __init__(self, committed: bool) -> None:
        super().__init__("the simulated process ended")
        self.committed = committed


class Disk(Environment):
    """An environment whose commits meet the fates that were given to them, oldest first; None is a good one."""

    fates: list[Fate | None]

    @classmethod
    def made(cls, folder: Path) -> Disk:
        """A new one in *folder*."""
        disk = cls.create(folder, initial_map=INITIAL_MAP)
        assert isinstance(disk, cls)
        disk.fates = []
        return disk

    def write(self, work: Callable[[Writer], T]) -> T:
        fate = self.fates.pop(0) if self.fates else None

        def run(writer: Writer) -> T:
            result = work(writer)
            if fate is Fate.BEFORE:
                raise Crashed(False)
            if fate is Fate.FULL:
                raise StorageTrouble("The simulated disk is full. Nothing of this change was kept.")
            return result

        result = super().write(run)
        if fate is Fate.AFTER:
            raise Crashed(True)
        return result

    def wipe(self) -> None:
        """Empties all tables, for the next world."""
        self.fates = []
        self.restore({})

    def backup(self) -> Contents:
        """All that is on it."""
        with self.read() as reader:
            return {table: list(reader.scan(table)) for table in Table}

    def restore(self, contents: Contents) -> None:
        """Puts *contents* in place of all that is on it."""

        def work(writer: Writer) -> None:
            for table in Table:
                writer.delete_prefix(table, b"")
                writer.put_many(table, contents.get(table, ()))

        super().write(work)
