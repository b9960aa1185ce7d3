"""Filling a new database from an old one where either is sealed: what `Environment.replace` runs then."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from .copying import Make
from .sealed_transaction import SealedReader, SealedWriter
from .sealer import Sealer
from .tables import CHECK, HEADER, Table
from .transaction import Reader, Writer

__all__ = ["inside", "resealed"]

BATCH = 1000
"""Pairs that are put in one call."""


def inside(make: Make, sealer: Sealer) -> Make:
    """*make* for a sealed database: it reads and writes as if it were plain, and the new one is sealed as the old one
    was.
    """

    def work(old: Reader, new: Writer) -> None:
        new.take_over(old, Table.SEAL)
        make(SealedReader.over(old, sealer), SealedWriter.over(new, sealer))

    return work


def resealed(before: Sealer | None, after: tuple[Sealer, bytes] | None, also: Callable[[Writer], object]) -> Make:
    """Copies everything from a database that *before* sealed to one that *after*, a data key and its header, seals;
    None stands for a plain one. *also* adds to the new one. O(size), a few microseconds for each pair.
    """

    def work(old: Reader, new: Writer) -> None:
        source = old if before is None else SealedReader.over(old, before)
        target = new
        if after is not None:
            sealer, header = after
            new.put(Table.SEAL, CHECK, sealer.check)
            new.put(Table.SEAL, HEADER, header)
            target = SealedWriter.over(new, sealer)
        for table in Table:
            if table is not Table.SEAL:
                pairs = iter(source.scan(table))
                while batch := list(islice(pairs, BATCH)):
                    target.put_many(table, batch)
        also(target)

    return work
