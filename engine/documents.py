"""The documents of all scopes as they are kept in the database and held in memory.

In the database a document is a state and the updates after it, keyed ``scope# ‖ seq ‖ kind``. When the updates
outweigh the state, the next write folds them into a new one. A process that holds an older copy applies whatever lies
behind its own place, state or update: a CRDT takes either, in any order, twice.

A scope's document may be replaced as a whole, by that of another *generation*. Its number, and the client under which
it was built, stand in the meta table (``generation/`` ‖ scope#). A process that holds a document of another generation
throws it away and loads what is there.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from vademecum.storage.tables import Table
from vademecum.storage.transaction import Reader, Writer

if TYPE_CHECKING:
    from .document import Document

__all__ = ["Documents", "Generation", "OpenDocument", "generation_at", "last_seq", "state_row"]

_STATE = b"s"
_UPDATE = b"u"
_SEQ = 8
_GENERATION = b"generation/"
_GENERATION_FORM = ">QQ"

FOLD_BYTES = 256 * 1024
"""Updates are folded when they are longer than the state, but not for less than this …"""
FOLD_LEAST = 8
"""… nor while they are so few: a device that joins takes in a few long ones, in which nothing is overwritten …"""
FOLD_COUNT = 4096
"""… and always when there are so many that loading them one by one is slow."""

HELD = 128
"""Documents that a process keeps in memory between two writes: a runtime may have thousands of sessions."""


class Generation(NamedTuple):
    """Which document a scope has. *client* is the one under which it was built: it tells apart two of one *number*."""

    number: int = 0
    client: int = 0


FIRST = Generation()
"""The document that a scope begins with, which is empty."""


def generation_at(reader: Reader, number: bytes) -> Generation:
    """The generation of the document of scope# *number*."""
    found = reader.get(Table.META, _GENERATION + number)
    return FIRST if found is None else Generation(*struct.unpack(_GENERATION_FORM, found))


def last_seq(reader: Reader, number: bytes) -> int:
    """The place of the newest row of the document of scope# *number*; 0 if it has none."""
    key = reader.last_key(Table.DOCUMENTS, number)
    return 0 if key is None else int.from_bytes(key[4 : 4 + _SEQ], "big")


def state_row(number: bytes, seq: int, state: bytes) -> tuple[bytes, bytes]:
    """The row that holds a whole document, at the place *seq*."""
    return number + seq.to_bytes(_SEQ, "big") + _STATE, state


@dataclass(slots=True)
class OpenDocument:
    """A document in memory, with its place in the database. Append through `append` only."""

    number: bytes
    document: Document
    seq: int = 0
    state_bytes: int = 0
    tail_bytes: int = 0
    tail_count: int = 0
    generation: Generation = FIRST

    def catch_up(self, writer: Writer) -> None:
        """Applies what other processes have added since; loads anew where they have begun another generation."""
        generation = generation_at(writer, self.number)
        if generation != self.generation:
            if self.seq:
                self.document = type(self.document)(self.document.client)
            self.generation, self.seq = generation, 0
        after = self.number + self.seq.to_bytes(_SEQ, "big") + b"\xff"
        for key, data in writer.scan(Table.DOCUMENTS, self.number, after=after):
            self.document.load(data)
            self.seq = int.from_bytes(key[4 : 4 + _SEQ], "big")
            if key.endswith(_STATE):
                self.state_bytes, self.tail_bytes, self.tail_count = len(data), 0, 0
            else:
                self._count(data)

    def append(self, writer: Writer, update: bytes) -> None:
        """Adds *update*, which the document has taken in already; folds when that is due."""
        self.seq += 1
        writer.put(Table.DOCUMENTS, self._key(_UPDATE), update)
        self._count(update)
        outweighs = self.tail_bytes > max(FOLD_BYTES, self.state_bytes) and self.tail_count > FOLD_LEAST
        if outweighs or self.tail_count > FOLD_COUNT:
            self.fold(writer)

    def begin_generation(self, writer: Writer, document: Document, generation: Generation) -> None:
        """Puts *document*, the first of *generation*, in place of the one there is."""
        state = document.encode()
        writer.delete_prefix(Table.DOCUMENTS, self.number)
        writer.put(Table.META, _GENERATION + self.number, struct.pack(_GENERATION_FORM, *generation))
        self.document, self.generation = document, generation
        self.seq += 1
        writer.put(Table.DOCUMENTS, self._key(_STATE), state)
        self.state_bytes, self.tail_bytes, self.tail_count = len(state), 0, 0

    def fold(self, writer: Writer) -> None:
        """Replaces state and updates by one state, without what was overwritten. Nothing to do where none came."""
        if self.tail_count:
            self.rewrite(writer, self.folded(writer))

    def folded(self, writer: Writer) -> bytes:
        """State and updates as one state."""
        return self.document.fold([update for _, update in writer.scan(Table.DOCUMENTS, self.number)])

    def rewrite(self, writer: Writer, state: bytes) -> None:
        """Puts *state* in the place of everything that is kept of this document. The one in memory stays as it is."""
        writer.delete_prefix(Table.DOCUMENTS, self.number)
        writer.put(Table.DOCUMENTS, self._key(_STATE), state)
        self.state_bytes, self.tail_bytes, self.tail_count = len(state), 0, 0

    def _count(self, update: bytes) -> None:
        self.tail_bytes += len(update)
        self.tail_count += 1

    def _key(self, kind: bytes) -> bytes:
        return self.number + self.seq.to_bytes(_SEQ, "big") + kind


class Documents:
    """The documents that this process has loaded. Lives under the writer's lock.

    Between `begin` and `committed` the documents may hold what the database will never hold; a second `begin`
    without `committed` therefore starts from nothing.
    """

    def __init__(self, client: int) -> None:
        self._client = client
        self._open: dict[bytes, OpenDocument] = {}
        self._uncommitted = False

    def begin(self) -> Documents:
        if self._uncommitted:
            self.discard()
        self._uncommitted = True
        return self

    def committed(self) -> None:
        self._uncommitted = False
        while len(self._open) > HELD:
            del self._open[next(iter(self._open))]  # the one that was not asked for longest

    def discard(self) -> None:
        self._open.clear()
        self._uncommitted = False

    def open(self, writer: Writer, number: bytes) -> OpenDocument:
        """The document of scope# *number*, caught up with the database."""
        found = self._open.pop(number, None)
        if found is None:
            from .document import Document  # with it comes pycrdt, which a process that only reads never needs

            found = OpenDocument(number, Document(self._client))
        self._open[number] = found
        found.catch_up(writer)
        return found
