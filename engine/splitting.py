"""Cutting the update of a document into several, for what one commit cannot hold.

An update (version 1 of Yjs's encoding) is a list of structures for each client, each structure an operation or a run
of deleted ones, and then the set of what was deleted. Applied in order, the parts do what the whole does: each holds
the next structures of the one client that wrote them, and the last holds all deletions.

Only what this program writes into a document is understood: maps of bytes.
"""

from __future__ import annotations

from vademecum.errors import MalformedBytes

__all__ = ["NO_UPDATE", "cut_update", "split_update"]

NO_UPDATE = b"\0\0"
"""The update that changes nothing."""

_CONTENT = 0x1F  # of a structure's first byte: what it holds; 0 stands for operations whose content is gone
_HAS_KEY, _HAS_RIGHT, _HAS_LEFT = 0x20, 0x40, 0x80
_DELETED, _ANY = 1, 8
_BYTES = 116  # of a value
_EVERYTHING = 1 << 64


def split_update(update: bytes, limit: int) -> list[bytes]:
    """*update* in parts of at most about *limit* bytes, but at least one operation each; itself, if it fits.

    Raises `MalformedBytes` if it holds structures of several clients, or what no document of ours holds.
    """
    if len(update) <= limit:
        return [update]
    source = _Source(update)
    clients = source.number()
    if clients == 0:  # only deletions
        return [update]
    if clients != 1:
        raise MalformedBytes("An update to be split holds the operations of several clients.")
    count, client, clock = source.number(), source.number(), source.number()
    parts = []
    begun, first, held = source.at, clock, 0
    for _ in range(count):
        at = source.at
        length = source.structure()
        if held and source.at - begun > limit:
            parts.append(_part(held, client, first, update[begun:at], b"\0"))
            begun, first, held = at, clock, 0
        held += 1
        clock += length
    structures, deletions = update[begun : source.at], update[source.at :]
    if len(structures) + len(deletions) <= limit:
        return [*parts, _part(held, client, first, structures, deletions)]
    return [*parts, _part(held, client, first, structures, b"\0"), b"\0" + deletions]


def cut_update(update: bytes, client: int, keep: int) -> bytes:
    """*update* without what *client* did after its first *keep* operations.

    What those operations had deleted of others, or of its own earlier ones, stays deleted. Raises `MalformedBytes` if
    it holds what no document of ours holds.
    """
    source = _Source(update)
    kept: list[bytes] = []
    for _ in range(source.number()):
        count, its, clock = source.number(), source.number(), source.number()
        first = source.at
        last = keep if its == client else _EVERYTHING
        held, reached, structures = 0, clock, b""
        for _ in range(count):
            at = source.at
            length = source.structure()
            if reached < last <= reached + length:  # the last that stays, maybe only the first part of it
                structures = update[first:at] + source.shortened(at, length, last - reached)
            held += reached < last
            reached += length
        if held:
            kept.append(_number(held) + _number(its) + _number(clock) + (structures or update[first : source.at]))
    deleted: list[bytes] = []
    for _ in range(source.number()):
        its = source.number()
        ranges = [(source.number(), source.number()) for _ in range(source.number())]
        if its == client:
            ranges = [(clock, min(length, keep - clock)) for clock, length in ranges if clock < keep]
        if ranges:
            numbers = [its, len(ranges), *(number for pair in ranges for number in pair)]
            deleted.append(b"".join(_number(number) for number in numbers))
    return b"".join([_number(len(kept)), *kept, _number(len(deleted)), *deleted])


def _part(count: int, client: int, clock: int, structures: bytes, deletions: bytes) -> bytes:
    return b"\1" + _number(count) + _number(client) + _number(clock) + structures + deletions


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


class _Source:
    """The bytes of an update and the place reached in them."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    def number(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def structure(self) -> int:
        """Passes over a structure; how many operations it stands for."""
        info = self._byte()
        content = info & _CONTENT
        if content == 0:
            return self.number()
        for origin in (_HAS_LEFT, _HAS_RIGHT):
            if info & origin:
                self.number()
                self.number()
        if not info & (_HAS_LEFT | _HAS_RIGHT):
            if self.number() != 1:
                raise MalformedBytes("An operation to be split off is not at the top of its document.")
            self._skip(self.number())
            if info & _HAS_KEY:
                self._skip(self.number())
        if content == _DELETED:
            return self.number()
        if content != _ANY:
            raise MalformedBytes(f"An update to be split holds content of the kind {content}.")
        length = self.number()
        for _ in range(length):
            if self._byte() != _BYTES:
                raise MalformedBytes("An update to be split holds a value that is not bytes.")
            self._skip(self.number())
        return length

    def shortened(self, begin: int, length: int, to: int) -> bytes:
        """The structure that began at *begin* and was passed over last, of *length* operations, cut down to *to*."""
        if to == length:
            return self._data[begin : self.at]
        if self._data[begin] & _CONTENT not in (0, _DELETED):
            raise MalformedBytes("An update is cut in the middle of a value.")
        return self._data[begin : self.at - len(_number(length))] + _number(to)  # the length stands last

    def _byte(self) -> int:
        if self.at >= len(self._data):
            raise MalformedBytes("An update to be split ends too early.")
        self.at += 1
        return self._data[self.at - 1]

    def _skip(self, count: int) -> None:
        self.at += count
