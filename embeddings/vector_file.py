"""The bytes of a saved vector index. No I/O.

========  ======  ==================================================================================
offset    bytes   field (integers are little-endian)
========  ======  ==================================================================================
0         8       ``VDMVEC\\r\\n``: tells the file's kind, and that no newline was translated on the way
8         2       format, 1
10        1       layout: 1 rows, 2 graph
11        1       zero
12        4       dimensions
16        8       entries
24        8       sequence, the caller's
32        8       bytes of the ids
40        8       bytes of the payload
48        32      SHA-256 over everything but itself
80        –       ids: the length of each in UTF-8 as 4 bytes, then all of them
–         –       payload
========  ======  ==================================================================================

Payload of *rows*: entries × dimensions float32. Payload of a *graph*: each entry's label as 8 bytes, then what hnswlib
writes. hnswlib trusts its input and a wrong link is a read outside its memory, so every size, link and label of
it is checked here before it is handed over. Damage costs the index, which is filled again from the store.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vademecum.errors import MalformedBytes

__all__ = ["MAX_BYTES", "Layout", "SavedVectors", "decode", "encode", "graph_rows"]

MAGIC = b"VDMVEC\r\n"
FORMAT = 1
HEADER = struct.Struct("<8sHBBIQQQQ32s")
CHECKSUM_AT = 48
MAX_BYTES = 1 << 33
"""8 GiB, some five million vectors: whatever is larger is no index of a person's memory."""
MAX_DIMENSIONS = 65_536
MAX_SEQUENCE = (1 << 64) - 1

GRAPH_HEADER = struct.Struct("<QQQQQQiIQQQdQ")
"""offset, room, elements, bytes per element, offset of label, offset of vector, highest level, entry point, links per
element above level 0 and on it, M, a factor of levels, ef_construction: as hnswlib 0.8 writes them."""
DELETED = 0x01
"""hnswlib's mark, in the third byte of an element's links on level 0."""


class Layout(IntEnum):
    """How the vectors are held."""

    ROWS = 1
    GRAPH = 2


@dataclass(frozen=True, slots=True)
class SavedVectors:
    """An index as it is saved. ``labels`` and ``graph`` are empty for `Layout.ROWS`, ``rows`` for `Layout.GRAPH`."""

    layout: Layout
    dimensions: int
    sequence: int
    ids: list[str]
    rows: NDArray[np.float32]
    labels: NDArray[np.int64]
    graph: bytes


def encode(saved: SavedVectors) -> bytes:
    """The file's bytes."""
    names = [name.encode("utf-8") for name in saved.ids]
    ids = np.array([len(name) for name in names], "<u4").tobytes() + b"".join(names)
    if saved.layout is Layout.ROWS:
        payload = saved.rows.astype("<f4", copy=False).tobytes()
    else:
        payload = saved.labels.astype("<u8").tobytes() + saved.graph
    fields = (MAGIC, FORMAT, saved.layout, 0, saved.dimensions, len(names), saved.sequence, len(ids), len(payload))
    start = HEADER.pack(*fields, bytes(32))[:CHECKSUM_AT]
    return b"".join((start, _checksum(start, ids, payload), ids, payload))


def decode(data: bytes) -> SavedVectors:
    """Read what `encode` wrote. Raises `MalformedBytes`, and nothing else, for any other bytes."""
    if len(data) < HEADER.size or len(data) > MAX_BYTES:
        raise MalformedBytes(f"A vector index of {len(data)} bytes is cut short or too large.")
    magic, version, layout, zero, dimensions, count, sequence, ids_size, payload_size, checksum = HEADER.unpack_from(
        data
    )
    if magic != MAGIC:
        raise MalformedBytes("This is not a vector index.")
    if version != FORMAT or layout not in (Layout.ROWS, Layout.GRAPH) or zero != 0:
        raise MalformedBytes(f"Format {version}.{layout} of the vector index is not known to this version.")
    if not 1 <= dimensions <= MAX_DIMENSIONS or len(data) != HEADER.size + ids_size + payload_size:
        raise MalformedBytes("The sizes in the vector index do not add up to its length.")
    body = memoryview(data)[HEADER.size :]
    ids, payload = body[:ids_size], body[ids_size:]
    if _checksum(data[:CHECKSUM_AT], ids, payload) != checksum:
        raise MalformedBytes("The checksum of the vector index does not match.")

    names = _names(ids, count)
    rows, labels, graph = np.empty((0, dimensions), np.float32), np.empty(0, np.int64), b""
    if layout == Layout.ROWS:
        if payload_size != count * dimensions * 4:
            raise MalformedBytes(f"The vector index holds another number of vectors than {count}.")
        rows = np.frombuffer(payload, "<f4").reshape(count, dimensions).astype(np.float32)
        if not np.isfinite(rows).all():
            raise MalformedBytes("A vector in the index has a component that is not a number.")
    else:
        if payload_size < count * 8:
            raise MalformedBytes("The vector index ends before its graph begins.")
        unsigned = np.frombuffer(payload[: count * 8], "<u8")
        if (unsigned >= 1 << 63).any():
            raise MalformedBytes("A label in the vector index is out of range.")
        labels, graph = unsigned.astype(np.int64), bytes(payload[count * 8 :])
        _check_graph(graph, dimensions, labels)
    return SavedVectors(Layout(layout), dimensions, sequence, names, rows, labels, graph)


def graph_rows(saved: SavedVectors) -> NDArray[np.float32]:
    """The vectors in the graph, in the order of ``ids``: for an installation without hnswlib."""
    elements, at_label, at_vector = _elements(saved.graph)
    where = {int(label): row for row, label in enumerate(_column(elements, at_label, "<u8", 1)[:, 0])}
    vectors = _column(elements, at_vector, "<f4", saved.dimensions)
    return vectors[[where[int(label)] for label in saved.labels]].astype(np.float32)


def _checksum(start: bytes, ids: bytes | memoryview, payload: bytes | memoryview) -> bytes:
    digest = hashlib.sha256(start)
    digest.update(ids)
    digest.update(payload)
    return digest.digest()


def _names(ids: memoryview, count: int) -> list[str]:
    if len(ids) < count * 4:
        raise MalformedBytes("The vector index ends within its ids.")
    lengths = np.frombuffer(ids[: count * 4], "<u4").astype(np.int64)
    ends = np.concatenate(([0], np.cumsum(lengths))) + count * 4
    if ends[-1] != len(ids):
        raise MalformedBytes("The ids of the vector index do not fill their place.")
    try:
        names = [str(ids[start:end], "utf-8") for start, end in pairwise(ends.tolist())]
    except UnicodeDecodeError as error:
        raise MalformedBytes("An id in the vector index is not text.") from error
    if len(set(names)) != count:
        raise MalformedBytes("An id stands twice in the vector index.")
    return names


def _elements(graph: bytes) -> tuple[NDArray[np.uint8], int, int]:
    _, _, count, stride, at_label, at_vector, *_ = GRAPH_HEADER.unpack_from(graph)
    flat = np.frombuffer(graph, np.uint8, count * stride, GRAPH_HEADER.size)
    return flat.reshape(count, stride), at_label, at_vector


def _column(elements: NDArray[np.uint8], start: int, kind: str, width: int) -> NDArray[np.generic]:
    bytes_wide = np.dtype(kind).itemsize * width
    return np.ascontiguousarray(elements[:, start : start + bytes_wide]).view(kind)


def _check_graph(graph: bytes, dimensions: int, labels: NDArray[np.int64]) -> None:
    """Raise `MalformedBytes` unless hnswlib can read ``graph`` without leaving it."""
    if len(graph) < GRAPH_HEADER.size:
        raise MalformedBytes("The graph of the vector index is cut short.")
    fields = GRAPH_HEADER.unpack_from(graph)
    start, room, count, stride, at_label, at_vector, top, entry, upper_links, base_links, m, factor, _ = fields
    base_bytes, upper_bytes = 4 + 4 * base_links, 4 + 4 * upper_links
    sound = start == 0 and 1 <= count <= room <= MAX_BYTES // stride if 0 < stride < 1 << 20 else False
    if not (
        sound
        and 1 <= m == upper_links <= 256
        and base_links == 2 * m
        and at_vector == base_bytes
        and at_label == base_bytes + 4 * dimensions
        and stride == at_label + 8
        and GRAPH_HEADER.size + count * stride <= len(graph)
        and entry < count
        and 0 <= top < 64
        and 0.0 < factor < 10.0
    ):
        raise MalformedBytes("The header of the graph in the vector index contradicts itself.")
    elements, _, _ = _elements(graph)
    _check_base(elements, base_links, at_label, at_vector, dimensions, labels)
    levels = _check_upper(graph, GRAPH_HEADER.size + count * stride, count, upper_bytes)
    if levels[entry] != top or max(levels) != top:
        raise MalformedBytes("The graph of the vector index begins at the wrong place.")


def _check_base(
    elements: NDArray[np.uint8], links: int, at_label: int, at_vector: int, dimensions: int, labels: NDArray[np.int64]
) -> None:
    used = _column(elements, 0, "<u2", 1)[:, 0].astype(np.int64)
    neighbours = _column(elements, 4, "<u4", links).astype(np.int64)
    within = np.arange(links) < used[:, None]
    if (used > links).any() or (neighbours[within] >= len(elements)).any():
        raise MalformedBytes("A link in the vector index leads nowhere.")
    if not np.isfinite(_column(elements, at_vector, "<f4", dimensions).astype(np.float32)).all():
        raise MalformedBytes("A vector in the index has a component that is not a number.")
    held = _column(elements, at_label, "<u8", 1)[:, 0]
    live = held[(elements[:, 2] & DELETED) == 0]
    if len(np.unique(held)) != len(held) or not np.array_equal(np.sort(live.astype(np.int64)), np.sort(labels)):
        raise MalformedBytes("The labels in the vector index are not those of its ids.")


def _check_upper(graph: bytes, at: int, count: int, links_bytes: int) -> list[int]:
    """The highest level of each element, once its links on the levels above 0 are known to lead to elements there."""
    levels: list[int] = []
    places: list[int] = []
    for _ in range(count):
        size = int.from_bytes(graph[at : at + 4], "little")
        if at + 4 + size > len(graph) or size % links_bytes:
            raise MalformedBytes("The upper levels of the vector index are cut short.")
        levels.append(size // links_bytes)
        places.append(at + 4)
        at += 4 + size
    if at != len(graph):
        raise MalformedBytes("The vector index goes on after its end.")
    for element, level in enumerate(levels):
        for height in range(level):
            place = places[element] + height * links_bytes
            used = int.from_bytes(graph[place : place + 2], "little")
            if used > links_bytes // 4 - 1:
                raise MalformedBytes("A link in the vector index leads nowhere.")
            for neighbour in struct.unpack_from(f"<{used}I", graph, place + 4):
                if neighbour >= count or levels[neighbour] <= height:
                    raise MalformedBytes("A link in the vector index leads nowhere.")
    return levels
