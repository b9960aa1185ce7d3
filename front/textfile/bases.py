"""What file and vault said when they last met: the digest of each leaf's value, and no value.

It is kept in the vault's database, under a name made from the file's place, so that it changes in one transaction with
the memory, and is sealed where the vault is. A digest, under a random key, tells whether a value has changed, which is
all that a merge asks. So there is nothing to forget in it but names, and those go with the next meeting; the files
themselves are what `purge_exports` brings up to date.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

import msgpack

from vademecum.engine.replica import Replica, Transaction
from vademecum.engine.values import Value
from vademecum.engine.view import View
from vademecum.errors import NewerFormat
from vademecum.storage.tables import Table

from .reading import Key

__all__ = ["Base", "forget_meeting", "known_files", "place_key"]

FORMAT = 1
_PREFIX = b"textfile/"


@dataclass(frozen=True, slots=True)
class Base:
    """The last meeting with *file*: its leaves' digests, in the order of the file.

    ``is_whole`` tells whether the file ended with the line that tells it from one that is cut off; ``is_known`` whether
    there was a meeting.
    """

    file: Path
    key: bytes = field(default_factory=lambda: os.urandom(16), repr=False)
    leaves: dict[Key, bytes] = field(default_factory=dict)
    is_whole: bool = False
    is_known: bool = False

    def digest(self, value: Value) -> bytes:
        """Equal for equal values of equal types, and else different."""
        return blake2b(msgpack.packb(value), key=self.key, digest_size=16).digest()

    def save(self, transaction: Transaction) -> None:
        leaves = [[scope, path, digest] for (scope, path), digest in self.leaves.items()]
        row = [FORMAT, os.fsencode(self.file), self.key, self.is_whole, leaves]
        transaction.writer.put(Table.META, place_key(_PREFIX, self.file), msgpack.packb(row))

    @classmethod
    def load(cls, view: View, file: Path) -> Base:
        """The last meeting with *file*; an empty one if there was none. Raises `NewerFormat`."""
        found = view.reader.get(Table.META, place_key(_PREFIX, file))
        return cls(file) if found is None else _read(found)


def place_key(prefix: bytes, place: Path) -> bytes:
    """The name in the meta table of what is known of *place*."""
    return prefix + blake2b(os.fsencode(place), digest_size=16).digest()


def forget_meeting(replica: Replica, file: Path) -> None:
    """Keeps nothing any more of *file*, which is to be no text file of this vault."""
    replica.write(lambda transaction: transaction.writer.delete(Table.META, place_key(_PREFIX, file)))


def known_files(view: View) -> Iterator[Path]:
    """All files that this vault has met. Raises `NewerFormat`."""
    for _, found in view.reader.scan(Table.META, _PREFIX):
        yield _read(found).file


def _read(found: bytes) -> Base:
    version, file, key, is_whole, leaves = msgpack.unpackb(found)
    if version > FORMAT:
        raise NewerFormat(
            "What is known of this vault's text files was written by a newer vademecum; install that one."
        )
    return Base(Path(os.fsdecode(file)), key, {(scope, path): digest for scope, path, digest in leaves}, is_whole, True)
