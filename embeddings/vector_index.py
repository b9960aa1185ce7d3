"""Finding the nearest vectors by cosine: exactly while there are few, by an HNSW graph of hnswlib beyond.

An index belongs to one scope and one model; the caller keeps it under a name that says which. It lives in memory
and is saved as one file (`vector_file` has the format). One process at a time saves it; any may load it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vademecum.embeddings import vector_file
from vademecum.embeddings.conditions import IndexDamaged
from vademecum.embeddings.filelock import file_lock
from vademecum.embeddings.vector_file import Layout, SavedVectors
from vademecum.embeddings.vector_stores import Graph, Rows, Store, graph_available
from vademecum.errors import InvalidArgument, MalformedBytes, StorageTrouble

__all__ = ["EXACT_LIMIT", "VectorIndex"]

EXACT_LIMIT = 4_096
"""Up to so many vectors all are compared. The graph is given up again below half of it."""


class VectorIndex:
    """Vectors under ids. Safe to share among threads: one call at a time is served.

    Without hnswlib it works the same, and always compares all vectors.
    """

    def __init__(self, dimensions: int, *, exact_limit: int = EXACT_LIMIT) -> None:
        """An empty index for vectors of ``dimensions`` numbers."""
        if not 1 <= dimensions <= vector_file.MAX_DIMENSIONS:
            raise InvalidArgument(f"A vector has 1 to {vector_file.MAX_DIMENSIONS} dimensions, and not {dimensions}.")
        self._dimensions = dimensions
        self._exact_limit = exact_limit
        self._lock = threading.RLock()
        self._labels: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._next = 0
        self._store: Store = Rows(dimensions)

    @property
    def dimensions(self) -> int:
        """Length of each vector."""
        return self._dimensions

    @property
    def exact(self) -> bool:
        """Whether a search compares all vectors."""
        return isinstance(self._store, Rows)

    def __len__(self) -> int:
        return len(self._labels)

    def __contains__(self, entry: object) -> bool:
        return entry in self._labels

    def ids(self) -> set[str]:
        """The ids of all entries."""
        with self._lock:
            return set(self._labels)

    def put(self, ids: Sequence[str], vectors: ArrayLike) -> None:
        """Add one vector per id, or replace the one that the id has; of an id given twice the last counts.

        ``vectors`` has the shape ``(len(ids), dimensions)``, any length but 0; only their direction is kept. Raises
        `InvalidArgument`, with nothing changed, for another shape, a zero vector, or one that is not finite.
        """
        rows = self._unit(vectors, len(ids))
        last = {entry: at for at, entry in enumerate(ids)}
        if not last:
            return
        with self._lock:
            labels = np.fromiter((self._label(entry) for entry in last), np.int64, len(last))
            self._store.put(labels, rows[list(last.values())])
            self._settle()

    def delete(self, ids: Iterable[str]) -> None:
        """Remove entries; ids that are not there are passed over. Nothing of them is searched, kept or saved again."""
        with self._lock:
            labels = [self._labels.pop(entry) for entry in dict.fromkeys(ids) if entry in self._labels]
            for label in labels:
                del self._names[label]
            if not labels:
                return
            if not self._labels:
                self._store = Rows(self._dimensions)
                return
            self._store.remove(labels)
            self._settle()

    def search(self, vector: ArrayLike, k: int) -> list[tuple[str, float]]:
        """The ``min(k, len(self))`` nearest entries as (id, cosine), best first; cosines lie in [-1, 1].

        Exact up to `EXACT_LIMIT` entries; beyond it a true neighbour may be missed, and never is one made up.
        """
        if k < 1:
            raise InvalidArgument(f"k is {k}; it must be 1 or more.")
        row = self._unit(np.reshape(np.asarray(vector, np.float32), (1, -1)), 1)[0]
        with self._lock:
            if not self._labels:
                return []
            labels, scores = self._store.nearest(row, k)
            return [
                (self._names[label], min(1.0, max(-1.0, score))) for label, score in zip(labels, scores, strict=True)
            ]

    def save(self, file: Path, *, sequence: int) -> None:
        """Write the index to ``file``, replacing it as a whole: whoever reads it finds the old or the new one.

        ``sequence`` is given back by `load`: up to where of the caller's changes the index has come. Raises
        `StorageTrouble` if the disk fails; the old file is then still there.
        """
        if not 0 <= sequence <= vector_file.MAX_SEQUENCE:
            raise InvalidArgument(f"A sequence number is 0 to 2^64 - 1, and not {sequence}.")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with self._lock, file_lock(_beside(file, "lock")):
                _beside(file, "graph").unlink(missing_ok=True)  # of a process that died; it may hold what is deleted
                data = vector_file.encode(self._saved(file, sequence))
                temporary = _beside(file, "new")
                with temporary.open("wb") as opened:
                    opened.write(data)
                    opened.flush()
                    os.fsync(opened.fileno())
                temporary.replace(file)
        except OSError as error:
            raise StorageTrouble(f"The vector index {file} cannot be written: {error.strerror}.") from error

    @classmethod
    def load(cls, file: Path, dimensions: int, *, exact_limit: int = EXACT_LIMIT) -> tuple[VectorIndex, int]:
        """Read what `save` wrote: the index and the sequence number.

        Raises `IndexDamaged` if the file is absent, damaged, in another format, or of other dimensions, and
        `StorageTrouble` if the disk fails.
        """
        try:
            size = file.stat().st_size
            if size > vector_file.MAX_BYTES:
                raise IndexDamaged(f"The vector index {file} has {size} bytes, which no index has. Fill it again.")
            saved = vector_file.decode(file.read_bytes())
        except FileNotFoundError as error:
            raise IndexDamaged(f"There is no vector index {file}. Fill it again.") from error
        except OSError as error:
            raise StorageTrouble(f"The vector index {file} cannot be read: {error.strerror}.") from error
        except MalformedBytes as error:
            raise IndexDamaged(f"{file}: {error.message} Fill it again.") from error
        if saved.dimensions != dimensions:
            raise IndexDamaged(
                f"The vector index {file} has {saved.dimensions} dimensions, and the model {dimensions}. Fill it again."
            )
        index = cls(dimensions, exact_limit=exact_limit)
        index._restore(saved, file)
        return index, saved.sequence

    def _unit(self, vectors: ArrayLike, count: int) -> NDArray[np.float32]:
        rows = np.asarray(vectors, np.float32)
        if rows.size == 0 and count == 0:
            return np.empty((0, self._dimensions), np.float32)
        if rows.shape != (count, self._dimensions):
            raise InvalidArgument(f"Vectors of the shape {rows.shape} were given for {(count, self._dimensions)}.")
        lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
        if not (np.isfinite(lengths).all() and (lengths > 0).all()):
            raise InvalidArgument("A vector is zero or has a component that is not a finite number.")
        unit: NDArray[np.float32] = (rows / lengths).astype(np.float32)
        return unit

    def _label(self, entry: str) -> int:
        if entry not in self._labels:
            self._labels[entry] = self._next
            self._names[self._next] = entry
            self._next += 1
        return self._labels[entry]

    def _settle(self) -> None:
        """Change from rows to a graph, or back, when the number of entries asks for it."""
        if isinstance(self._store, Rows):
            if len(self) > self._exact_limit and graph_available():
                self._store = Graph(self._dimensions, *self._store.all())
        elif len(self) < self._exact_limit // 2:
            rows = Rows(self._dimensions)
            rows.put(*self._store.all())
            self._store = rows

    def _saved(self, file: Path, sequence: int) -> SavedVectors:
        if isinstance(self._store, Graph):
            temporary = _beside(file, "graph")
            try:
                self._store.save(temporary)
                graph = temporary.read_bytes()
            finally:
                temporary.unlink(missing_ok=True)
            labels = np.fromiter(self._labels.values(), np.int64, len(self))
            rows = np.empty((0, self._dimensions), np.float32)
            return SavedVectors(Layout.GRAPH, self._dimensions, sequence, list(self._labels), rows, labels, graph)
        labels, rows = self._store.all()
        names = [self._names[label] for label in labels.tolist()]
        none = np.empty(0, np.int64)
        return SavedVectors(Layout.ROWS, self._dimensions, sequence, names, rows, none, b"")

    def _restore(self, saved: SavedVectors, file: Path) -> None:
        if saved.layout is Layout.GRAPH and graph_available():
            # hnswlib reads from a path only.
            temporary = _beside(file, "graph")
            try:
                with file_lock(_beside(file, "lock")):
                    temporary.write_bytes(saved.graph)
                    self._store = Graph.load(temporary, self._dimensions, saved.labels)
                    temporary.unlink()
            except OSError as error:
                raise StorageTrouble(f"The vector index {file} cannot be unpacked: {error.strerror}.") from error
            self._labels = dict(zip(saved.ids, saved.labels.tolist(), strict=True))
            self._next = self._store.highest_label + 1
        else:
            rows = saved.rows if saved.layout is Layout.ROWS else vector_file.graph_rows(saved)
            self._labels = {entry: label for label, entry in enumerate(saved.ids)}
            self._store.put(np.arange(len(rows), dtype=np.int64), rows)
            self._next = len(rows)
        self._names = {label: entry for entry, label in self._labels.items()}


def _beside(file: Path, role: str) -> Path:
    """A hidden file next to ``file``; its user holds the lock, so one that a dead process left may be overwritten."""
    return file.with_name(f".{file.name}.{role}")
