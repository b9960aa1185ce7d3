"""Vector indexes in memory, one for each scope, that follow the database's log of vectors.

Small scopes are read from the database in milliseconds. A scope beyond the exact limit has a graph that takes long to
build, so it is saved beside the text index, with its place in the log; what came after is added on top.

The graph's library reads and writes plain files only. A sealed vault has none: all its vectors are compared, in memory.
"""

from __future__ import annotations

import sys
import threading
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.embeddings.conditions import IndexDamaged

from . import vectors
from .indexing import entry_id
from .view import View

if TYPE_CHECKING:
    from vademecum.embeddings.vector_index import VectorIndex

__all__ = ["VectorCache"]

SAVE_AFTER = 1000
"""Changes since the last save after which a graph is worth saving again."""
_BATCH = 4096


class VectorCache:
    """The indexes of one replica for one model. Threads may use it at the same time."""

    def __init__(self, folder: Path | None, model_id: str, dimensions: int) -> None:
        """*folder* is where graphs are saved; None for a vault that is sealed, and has none."""
        self._folder = folder
        self._tag = vectors.model_tag(model_id)
        self._dimensions = dimensions
        self._lock = threading.Lock()
        self._held: dict[bytes, tuple[VectorIndex, int, int]] = {}  # scope# → index, place in the log, place saved

    def index(self, view: View, number: bytes, scope: str) -> VectorIndex:
        """The index of one scope, up to *view*. O(changes since the last call)."""
        with self._lock:
            index, place, saved = self._held.get(number) or self._load(scope)
            place = self._follow(view, number, index, place)
            if self._folder is not None and not index.exact and place - saved >= SAVE_AFTER:
                index.save(self._file(self._folder, scope), sequence=place)
                saved = place
            self._held[number] = (index, place, saved)
            return index

    def _follow(self, view: View, number: bytes, index: VectorIndex, place: int) -> int:
        import numpy as np

        added: dict[str, bytes] = {}
        gone: list[str] = []

        def flush() -> None:
            if gone:
                index.delete(gone)
            if added:
                rows = np.frombuffer(b"".join(added.values()), "<f2").reshape(len(added), -1)
                index.put(list(added), rows.astype(np.float32))
            added.clear()
            gone.clear()

        for moved, key, vector in vectors.changes_after(view, number, place, self._tag):
            place = moved
            entry = entry_id(key)
            if vector is None:
                gone.append(entry)
            else:
                added[entry] = vector
            if len(added) >= _BATCH:
                flush()
        flush()
        return place

    def _load(self, scope: str) -> tuple[VectorIndex, int, int]:
        from vademecum.embeddings.vector_index import VectorIndex

        if self._folder is None:
            return VectorIndex(self._dimensions, exact_limit=sys.maxsize), 0, 0
        file = self._file(self._folder, scope)
        if file.exists():
            try:
                index, place = VectorIndex.load(file, self._dimensions)
            except IndexDamaged:
                file.unlink(missing_ok=True)  # it is derived: what it held is read from the database instead
            else:
                return index, place, place
        return VectorIndex(self._dimensions), 0, 0

    def _file(self, folder: Path, scope: str) -> Path:
        name = sha256(self._tag + scope.encode()).hexdigest()[:24]
        return folder / f"{name}.vectors"
