"""Writing what was read: in transactions so small that the changes of each fit into one commit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import NamedTuple

from vademecum.engine.replica import Replica, Transaction
from vademecum.engine.writing import ScopeWriter

__all__ = ["Entry", "EntryKind", "ImportReport", "write_all"]

MAX_ENTRIES = 1000
"""Entries of one transaction."""
MAX_BYTES = 256 * 1024
"""Bytes of values in one transaction, unless a single one is larger."""


class EntryKind(Enum):
    LEAF = "leaf"
    MESSAGE = "message"


class Entry(NamedTuple):
    """One thing to import into one scope. ``write`` returns whether it changed anything; it may run more than once."""

    kind: EntryKind
    scope: str
    size: int
    """About how many bytes it writes."""
    write: Callable[[ScopeWriter], bool]


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did: leaves and messages written, and entries that were here already."""

    leaves: int
    messages: int
    unchanged: int

    def as_json(self) -> dict[str, int]:
        return {"leaves": self.leaves, "messages": self.messages, "unchanged": self.unchanged}


def write_all(
    replica: Replica, entries: Sequence[Entry], progress: Callable[[int, int], None] | None = None
) -> ImportReport:
    """Writes *entries* in their order. O(entries × log(rows))."""
    written = dict.fromkeys(EntryKind, 0)
    done = 0
    for batch in _batches(entries):
        for kind, count in replica.write(partial(_write, batch=batch)).items():
            written[kind] += count
        done += len(batch)
        if progress is not None:
            progress(done, len(entries))
    leaves, messages = written[EntryKind.LEAF], written[EntryKind.MESSAGE]
    return ImportReport(leaves, messages, len(entries) - leaves - messages)


def _write(transaction: Transaction, batch: Sequence[Entry]) -> dict[EntryKind, int]:
    written = dict.fromkeys(EntryKind, 0)
    for entry in batch:
        written[entry.kind] += entry.write(transaction.scope(entry.scope))
    return written


def _batches(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    batch: list[Entry] = []
    size = 0
    for entry in entries:
        if batch and (len(batch) == MAX_ENTRIES or size + entry.size > MAX_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(entry)
        size += entry.size
    if batch:
        yield batch
