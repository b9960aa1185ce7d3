"""What file and vault said when they last met, kept in the vault's folder as digests: no value lies there.

``exports/<id>.json`` holds, for one file, its place, a random key, and the digest of each leaf's value under that key,
in the order of the file. A digest tells whether a value has changed, which is all that a merge asks. So there is
nothing to forget there but names; the file itself is what `purge_exports` brings up to date.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

import msgpack

from vademecum.engine.values import Value
from vademecum.errors import DamagedStore, NewerFormat
from vademecum.storage.files import write_atomically

from .reading import Key

__all__ = ["EXPORTS", "Base", "base_file", "bases"]

EXPORTS = "exports"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Base:
    """The last meeting with *file*: its leaves' digests, in the order of the file.

    ``is_whole`` tells whether the file ended with the line that tells it from one that is cut off.
    """

    file: Path
    key: bytes = field(default_factory=lambda: os.urandom(16), repr=False)
    leaves: dict[Key, bytes] = field(default_factory=dict)
    is_whole: bool = False

    def digest(self, value: Value) -> bytes:
        """Equal for equal values of equal types, and else different."""
        return blake2b(msgpack.packb(value), key=self.key, digest_size=16).digest()

    def save(self, home: Path) -> None:
        """Durable when this returns. Raises ``OSError``."""
        document = {
            "format": FORMAT,
            "file": str(self.file),
            "key": self.key.hex(),
            "whole": self.is_whole,
            "leaves": [[*key, digest.hex()] for key, digest in self.leaves.items()],
        }
        write_atomically(base_file(home, self.file), json.dumps(document, ensure_ascii=False).encode())

    @classmethod
    def load(cls, home: Path, file: Path) -> Base:
        """The last meeting with *file*; an empty one if there was none. Raises `DamagedStore`, `NewerFormat`."""
        kept = base_file(home, file)
        return _read(kept) if kept.exists() else cls(file)


def base_file(home: Path, file: Path) -> Path:
    """Where the vault in *home* keeps what it knows of *file*; the folder is made if need be."""
    folder = home / EXPORTS
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / f"{blake2b(os.fsencode(file), digest_size=12).hexdigest()}.json"


def bases(home: Path) -> Iterator[Base]:
    """All files that the vault in *home* is known to have met. Raises `DamagedStore`, `NewerFormat`."""
    for kept in sorted((home / EXPORTS).glob("*.json")):
        yield _read(kept)


def _read(kept: Path) -> Base:
    try:
        found = json.loads(kept.read_bytes())
        if found["format"] > FORMAT:
            raise NewerFormat(f"{kept} was written by a newer vademecum; install that one.")
        leaves = {(scope, path): bytes.fromhex(digest) for scope, path, digest in found["leaves"]}
        return Base(Path(found["file"]), bytes.fromhex(found["key"]), leaves, found["whole"] is True)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DamagedStore(
            f"{kept} is damaged. Delete it: vault and text file then meet as if for the first time, so that nothing "
            f"is deleted, and of two values the later one stands."
        ) from error
