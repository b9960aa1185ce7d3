"""What file and vault said when they last met: the digest of each leaf's value, and no value.

An editor may save a text that it was given before the file was last written. So what former texts said is kept too, by
the stamp in their last line: an old text is merged against what it was made from, and does not undo what came later.

All this is kept in the vault's database, under a name made from the file's place, so that it changes in one
transaction with the memory, and is sealed where the vault is. A digest, under a random key, tells whether a value has
changed, which is all that a merge asks. So there is nothing to forget in it but names; the files themselves are what
`purge_exports` brings up to date.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgpack

from vademecum.engine.replica import Replica, Transaction
from vademecum.engine.values import Value
from vademecum.engine.view import View
from vademecum.errors import NewerFormat
from vademecum.storage.tables import Table

from .reading import Key

__all__ = ["Base", "forget_meeting", "known_files", "place_key"]

FORMAT = 1
MAX_FORMER = 1000
"""Former texts of a file of which it is known what they said."""
MAX_CHANGES = 20_000
"""Leaves by which they differ, all together."""
_PREFIX = b"textfile/"


Changes = dict[Key, bytes | None]
"""Leaves by their digests; None for one that is not there."""


@dataclass(frozen=True, slots=True)
class Base:
    """The last meeting with *file*: its leaves' digests, in the order of the file, and the stamp of its text.

    ``stamp`` is None where the text has no last line, ``is_known`` tells whether there was a meeting. ``former`` are
    other texts of the file by their stamps, the newest first: each as what must be changed in the one before it, the
    first in ``leaves``.
    """

    file: Path
    key: bytes = field(default_factory=lambda: os.urandom(16), repr=False)
    leaves: dict[Key, bytes] = field(default_factory=dict)
    stamp: str | None = None
    is_known: bool = False
    former: tuple[tuple[str, Changes], ...] = ()

    def digest(self, value: Value) -> bytes:
        """Equal for equal values of equal types, and else different."""
        return blake2b(msgpack.packb(value), key=self.key, digest_size=16).digest()

    def made_from(self, stamp: str | None) -> Base:
        """What the text with *stamp* said when it was last met; the last meeting where there is no stamp.

        Of a stamp that is not known nothing is known: merged with that, a text deletes nothing.
        """
        if stamp in (None, self.stamp):
            return self
        leaves = dict(self.leaves)
        for its, changes in self.former:
            leaves = _changed(leaves, changes)
            if its == stamp:
                return self.met(stamp, leaves)
        return self.met(stamp, {}) if self.is_known else self

    def met(self, stamp: str | None, leaves: dict[Key, bytes]) -> Base:
        """This after another meeting, at which the text had *stamp* and said *leaves*. O(leaves + former texts)."""
        former: list[tuple[str, Changes]] = []
        pending: Changes = {}
        rows = 0
        for its, changes in [(self.stamp, _differences(leaves, self.leaves)), *self.former]:
            pending = {**pending, **changes}
            if its is None or its == stamp:
                continue
            rows += len(pending)
            if len(former) == MAX_FORMER or rows > MAX_CHANGES:
                break
            former.append((its, pending))
            pending = {}
        return replace(self, leaves=leaves, stamp=stamp, is_known=True, former=tuple(former))

    def save(self, transaction: Transaction) -> None:
        former = [[stamp, _rows(changes)] for stamp, changes in self.former]
        row = [FORMAT, os.fsencode(self.file), self.key, self.stamp, _rows(self.leaves), former]
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
    version, *fields = msgpack.unpackb(found)
    if version > FORMAT:
        raise NewerFormat("A newer vademecum has written what this vault knows of its text files; install that one.")
    file, key, stamp, rows, former = fields
    texts = tuple((its, _leaves(changes)) for its, changes in former)
    return Base(Path(os.fsdecode(file)), key, _leaves(rows), stamp, True, texts)


def _rows(leaves: Mapping[Key, bytes | None]) -> list[list[str | bytes | None]]:
    return [[*key, digest] for key, digest in leaves.items()]


def _leaves(rows: list[list[Any]]) -> dict[Key, Any]:
    return {(scope, path): digest for scope, path, digest in rows}


def _differences(now: Mapping[Key, bytes], then: Mapping[Key, bytes]) -> Changes:
    """What makes *now* into *then*."""
    changes: Changes = {key: digest for key, digest in then.items() if now.get(key) != digest}
    return changes | dict.fromkeys(key for key in now if key not in then)


def _changed(leaves: Mapping[Key, bytes], changes: Changes) -> dict[Key, bytes]:
    both = {**leaves, **changes}
    return {key: digest for key, digest in both.items() if digest is not None}
