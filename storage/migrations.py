"""Bringing a database of an older format to that of this program.

`MIGRATIONS` is the list of steps, oldest first; each brings a database from the format before to its own. All that are
needed run in one transaction, on a copy, which takes the place of the old one as in `Environment.replace`: a migration
that fails or is killed has changed nothing, and other processes follow. The data file of before is kept beside the new
one under the name ``N.format-M`` until the vault is compacted; put back as ``N`` with ``current`` naming it, the older
program opens it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from . import formats
from .copying import copy_everything
from .environment import Environment
from .transaction import Reader, Writer

__all__ = ["MIGRATIONS", "Migration", "bring_up"]


class Migration(NamedTuple):
    """One step: ``work`` changes a database of format ``to`` − 1 into one of format ``to``. It may run again from the
    start, and must not look at anything but the database.
    """

    to: int
    work: Callable[[Writer], object]


MIGRATIONS: tuple[Migration, ...] = ()
"""None yet: there is one format."""


def bring_up(environment: Environment, migrations: Sequence[Migration] = MIGRATIONS) -> bool:
    """Brings the database to the newest format; True if there was anything to do. O(size) then, else O(1).

    Raises `StorageTrouble` where it cannot be written, and whatever a migration raises; the old one is then in use.
    """
    found = environment.format
    if found >= formats.newest():
        return False
    steps = [one for one in migrations if one.to > found]
    if [one.to for one in steps] != list(range(found + 1, formats.newest() + 1)):
        raise RuntimeError(f"no migration leads from format {found} to format {formats.newest()}")

    def make(old: Reader, new: Writer) -> None:
        copy_everything(old, new)
        for one in steps:
            one.work(new)

    return environment.migrate(make, found, formats.newest())
