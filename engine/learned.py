"""How many memories about the person agents have learned: kept up to date by every write, so that asking costs nothing.

What counts is a leaf of Tier 1 whose value an agent or the curator wrote. What the person wrote, or accepted as their
own, or imported does not. The number stands in the meta table and is derived: whoever changes rows by another way than
a scope's writer has it counted again.
"""

from __future__ import annotations

from collections.abc import Iterator

from vademecum.storage.tables import Table
from vademecum.storage.transaction import Writer

from .records import Record
from .scopes import TIER_1
from .slots import Row
from .view import View

__all__ = ["adjust", "begin", "counted", "counts", "is_learned", "kept", "leaves", "number", "recount"]

_LEARNED = b"learned"


def counts(row: Row) -> bool:
    """Whether the leaf of *row*, in Tier 1, counts."""
    return row.live and is_learned(row.slots[0].record)


def is_learned(record: Record) -> bool:
    """Whether a living leaf of Tier 1 with *record* counts."""
    return not (record.by_person or record.imported)


def adjust(writer: Writer, change: int) -> None:
    """Notes that *change* more leaves count."""
    if change:
        found = writer.get(Table.META, _LEARNED)
        if found is not None:
            writer.put(Table.META, _LEARNED, b"%d" % (int(found) + change))


def begin(writer: Writer) -> None:
    """Begins to count, where there is no leaf of Tier 1 yet."""
    writer.put(Table.META, _LEARNED, b"0")


def recount(writer: Writer) -> None:
    """Has the number counted again when it is next asked for."""
    writer.delete(Table.META, _LEARNED)


def number(view: View, writer: Writer | None = None) -> int:
    """How many leaves count. With *writer*, a number that had to be counted is kept. O(1), else O(leaves of Tier 1)."""
    found = kept(view)
    if found is None:
        found = counted(view)
        if writer is not None:
            writer.put(Table.META, _LEARNED, b"%d" % found)
    return found


def kept(view: View) -> int | None:
    """The number that is kept, if one is."""
    found = view.reader.get(Table.META, _LEARNED)
    return None if found is None else int(found)


def counted(view: View) -> int:
    """The number, counted leaf by leaf."""
    return sum(1 for _ in leaves(view))


def leaves(view: View) -> Iterator[tuple[str, str, Record]]:
    """(scope, path, record) of the leaves that count."""
    for scope in TIER_1:
        for path, record in view.leaves(scope):
            if is_learned(record):
                yield scope, path, record
