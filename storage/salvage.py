"""Reading what can still be read of a damaged database file, as plain bytes: nothing here is ever mapped.

Two ways, both of which give only records whose checksum is right:

``salvage``     walks the trees of the last commit and passes over what is broken. What it gives is what the database
                held when it was last written, with gaps; it says which tables have none.
``scan_loose``  looks at every page, also those that no tree leads to any more. What it gives may have been deleted or
                replaced long ago: only for what proves itself and never changes, such as signed commits.

The layout is LMDB 0.9's on a 64-bit machine, in the machine's own byte order.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from vademecum.errors import DamagedStore

from .tables import Table
from .transaction import checked

__all__ = ["Salvage", "salvage", "scan_loose"]

_MAGIC = 0xBEEFC0DE
_HEADER = struct.Struct("=QHHHH")  # page number, pad, flags, lower, upper
_META = struct.Struct("=II8xQ48s48sQQ")  # magic, version, map size, free tree, main tree, last page, transaction
_TREE = struct.Struct("=IHHQQQQQ")  # pad, flags, depth, branch, leaf and overflow pages, entries, root
_NODE = struct.Struct("=HHHH")  # low and high half of the size, flags, length of the key
_BRANCH, _LEAF, _OVERFLOW = 1, 2, 4
_BIG, _SUBTREE = 1, 2
_MAX_DEPTH = 32
_NOWHERE = 2**64 - 1
_ORDER = sys.byteorder


@dataclass(frozen=True, slots=True)
class Salvage:
    """What was read; ``whole`` are the tables of which nothing is missing."""

    pairs: dict[Table, dict[bytes, bytes]]
    whole: frozenset[Table]


def salvage(file: Path) -> Salvage:
    """What the trees of the last commit in *file* still lead to. O(size). Raises ``OSError``, never anything else."""
    pairs: dict[Table, dict[bytes, bytes]] = {table: {} for table in Table}
    whole: set[Table] = set()
    with _Pages.open(file) as pages:
        for root in pages.roots():
            trees = {}
            broken = False
            for node in pages.nodes(root):
                if node is None:
                    broken = True
                elif node.flags & _SUBTREE and len(node.data) == _TREE.size:
                    trees[node.key] = _TREE.unpack(node.data)
            if not trees:
                continue  # the other meta page may lead somewhere
            for table in Table:
                tree = trees.get(table.value)
                if tree is None:
                    continue
                missing = False
                for node in pages.nodes(tree[-1]):
                    value = None if node is None else _checked(table, node)
                    if node is None or value is None:
                        missing = True
                    else:
                        pairs[table][node.key] = value
                if not missing and not broken and len(pairs[table]) == tree[-2]:
                    whole.add(table)
            break
    return Salvage(pairs, frozenset(whole))


def scan_loose(file: Path, tables: Collection[Table]) -> dict[Table, dict[bytes, bytes]]:
    """Every record of *tables* that any page of *file* holds; which table it is of, its checksum says. O(size)."""
    found: dict[Table, dict[bytes, bytes]] = {table: {} for table in tables}
    with _Pages.open(file) as pages:
        for number in range(pages.count):
            for node in pages.leaf_nodes(number):
                if node is None or node.flags & _SUBTREE:
                    continue
                for table in tables:
                    value = _checked(table, node)
                    if value is not None:
                        found[table][node.key] = value
                        break
    return found


class _Node(NamedTuple):
    key: bytes
    flags: int
    data: bytes


def _checked(table: Table, node: _Node) -> bytes | None:
    try:
        return checked(table, node.key, node.data)
    except DamagedStore:
        return None


class _Pages:
    """The pages of a file; what does not look like one is passed over with a None in its place."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        size = os.fstat(descriptor).st_size
        self.size = self._page_size()
        self.count = size // self.size

    @classmethod
    def open(cls, file: Path) -> _Pages:
        return cls(os.open(file, os.O_RDONLY | os.O_CLOEXEC))

    def __enter__(self) -> _Pages:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def roots(self) -> list[int]:
        """Roots of the main tree, the newest commit's first."""
        found = []
        for number in (0, 1):
            meta = self._meta(number * self.size)
            if meta is not None:
                found.append((meta[6], _TREE.unpack(meta[4])[-1]))
        return [root for _, root in sorted(found, reverse=True)]

    def nodes(self, root: int) -> Iterator[_Node | None]:
        """The nodes of the leaves of a tree in order; None for each page or node that is broken."""
        yield from self._walk(root, 0, set())

    def leaf_nodes(self, number: int) -> Iterator[_Node | None]:
        """The nodes of one page, if it is a leaf."""
        page = self._page(number)
        if page is not None and _HEADER.unpack_from(page)[2] == _LEAF:
            for place in self._places(page):
                yield self._leaf_node(page, place)

    def _walk(self, number: int, depth: int, seen: set[int]) -> Iterator[_Node | None]:
        if number == _NOWHERE:
            return
        page = self._page(number)
        if page is None or number in seen or depth > _MAX_DEPTH:
            yield None
            return
        seen.add(number)
        flags = _HEADER.unpack_from(page)[2]
        if flags == _LEAF:
            for place in self._places(page):
                yield self._leaf_node(page, place)
        elif flags == _BRANCH:
            for place in self._places(page):
                if place + _NODE.size > self.size:
                    yield None
                    continue
                low, high, upper, _ = _NODE.unpack_from(page, place)
                yield from self._walk(low | high << 16 | upper << 32, depth + 1, seen)
        else:
            yield None

    def _places(self, page: bytes) -> list[int]:
        """Where the nodes of a page stand; one place beyond the page where that cannot be."""
        _, _, _, lower, upper = _HEADER.unpack_from(page)
        if not _HEADER.size <= lower <= upper <= self.size:
            return [self.size]
        return [int.from_bytes(page[at : at + 2], _ORDER) for at in range(_HEADER.size, lower, 2)]

    def _leaf_node(self, page: bytes, place: int) -> _Node | None:
        if not _HEADER.size <= place <= self.size - _NODE.size:
            return None
        low, high, flags, length = _NODE.unpack_from(page, place)
        start = place + _NODE.size
        data_at, size = start + length, low | high << 16
        if data_at > self.size:
            return None
        key = page[start:data_at]
        if flags & _BIG:
            data = self._overflow(page[data_at : data_at + 8], size)
        else:
            data = page[data_at : data_at + size] if data_at + size <= self.size else None
        return None if data is None else _Node(key, flags, data)

    def _overflow(self, pointer: bytes, size: int) -> bytes | None:
        number = int.from_bytes(pointer, _ORDER)
        if len(pointer) != 8 or number >= self.count or size > self.count * self.size:
            return None
        data = os.pread(self._descriptor, _HEADER.size + size, number * self.size)
        if len(data) < _HEADER.size + size or _HEADER.unpack_from(data)[::2][:2] != (number, _OVERFLOW):
            return None
        return data[_HEADER.size :]

    def _page(self, number: int) -> bytes | None:
        if number >= self.count:
            return None
        page = os.pread(self._descriptor, self.size, number * self.size)
        return page if len(page) == self.size and _HEADER.unpack_from(page)[0] == number else None

    def _page_size(self) -> int:
        for at in (0, mmap.PAGESIZE):
            meta = self._meta(at)
            if meta is not None:
                size: int = _TREE.unpack(meta[3])[0]
                if 256 <= size <= 1 << 15 and size & (size - 1) == 0:
                    return size
        return mmap.PAGESIZE

    def _meta(self, at: int) -> tuple[int, int, int, bytes, bytes, int, int] | None:
        data = os.pread(self._descriptor, _META.size, at + _HEADER.size)
        if len(data) < _META.size:
            return None
        magic, version, map_size, free, main, last, transaction = _META.unpack(data)
        if magic != _MAGIC or version & 0xFFFF != 1:
            return None
        return magic, version, map_size, free, main, last, transaction
