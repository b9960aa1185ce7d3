"""An update of a CRDT document taken apart into columns, and put together again. Pure.

Yjs writes an update operation by operation, each behind a small header of its own, in which a compressor finds little
that is alike. Column by column it finds most of it: a week of edits with their reasons takes a quarter less. Only what
our documents hold is taken apart: keys of root maps, values of bytes, deletions. An update that holds anything else
is left as it is.

The form taken apart is version 1 of Yjs's updates. Integers are unsigned LEB128; texts and bytes follow their length::

    update    clients · { structs · client · clock · struct … } …
              clients · { client · ranges · { clock · length } … } …    what is deleted
    struct    info · length                                    info 0: garbage collected, 10: skipped
              info · origin client · origin clock · content    info has 0x80: overwrites the key of that operation
              info · 1 · root · [ key ] · content              otherwise; info has 0x20: there is a key
    content   length                                           info ends in 1: deleted
              1 · 't' · bytes                                  info ends in 8: a value
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from vademecum.errors import MalformedBytes

__all__ = ["Split", "join", "split"]

_GONE = (0, 10)
_KIND, _KEYED, _OVERWRITES = 0x1F, 0x20, 0x80
_DELETED, _VALUE = 1, 8
_FORMS = frozenset(kind | how for kind in (_DELETED, _VALUE) for how in (0, _KEYED, _OVERWRITES, _KEYED | _OVERWRITES))
_ROOT = 1
_ONE_BUFFER = b"\x01t"


class Split(NamedTuple):
    """``frame`` is all but the values, as msgpack can write it; ``values`` are in the order of the operations."""

    frame: list[Any]
    values: list[bytes]


class _Foreign(Exception):
    """The update holds what no document of ours holds, or ends too early."""


def split(update: bytes) -> Split | None:
    """*update* in columns, or None where it has a form that this module does not know. O(bytes)."""
    try:
        found = _split(_Reader(update))
    except _Foreign:
        return None
    return found if join(found.frame, found.values) == update else None


def join(frame: Any, values: Sequence[bytes]) -> bytes:
    """The update that was split. For a *frame* that is none: `MalformedBytes`, `TypeError`, `ValueError`."""
    clients, infos, lengths, origins, distances, roots, keys, deletions = frame
    columns: list[Iterator[Any]] = list(map(iter, (infos, lengths, origins, distances, roots, keys, values)))
    infos, lengths, origins, distances, roots, keys, rest = columns
    out = bytearray()
    _put_number(out, len(clients))
    try:
        for client, clock, structs in clients:
            for number in (structs, client, clock):
                _put_number(out, number)
            for _ in range(structs):
                info = next(infos)
                out.append(info)
                if info not in _GONE:
                    if info & _OVERWRITES:
                        _put_number(out, next(origins))
                        _put_number(out, clock - next(distances))
                    else:
                        _put_number(out, _ROOT)
                        _put_text(out, next(roots))
                        if info & _KEYED:
                            _put_text(out, next(keys))
                    if info & _KIND == _VALUE:
                        value = next(rest)
                        out += _ONE_BUFFER
                        _put_number(out, len(value))
                        out += value
                        clock += 1
                        continue
                length = next(lengths)
                _put_number(out, length)
                clock += length
    except StopIteration:
        raise MalformedBytes("A column of an update is too short.") from None
    if any(next(column, None) is not None for column in columns):
        raise MalformedBytes("A column of an update is too long.")
    _put_number(out, len(deletions))
    for client, gaps, sizes in deletions:
        _put_number(out, client)
        _put_number(out, len(gaps))
        at = 0
        for gap, size in zip(gaps, sizes, strict=True):
            _put_number(out, at + gap)
            _put_number(out, size)
            at += gap + size
    return bytes(out)


def _split(reader: _Reader) -> Split:
    clients = []
    infos = bytearray()
    lengths: list[int] = []
    origins: list[int] = []
    distances: list[int] = []
    roots: list[str] = []
    keys: list[str] = []
    values: list[bytes] = []
    for _ in range(reader.number()):
        structs, client, clock = reader.number(), reader.number(), reader.number()
        clients.append([client, clock, structs])
        for _ in range(structs):
            info = reader.byte()
            infos.append(info)
            if info not in _GONE:
                if info not in _FORMS:
                    raise _Foreign
                if info & _OVERWRITES:
                    origins.append(reader.number())
                    distances.append(clock - reader.number())
                else:
                    if reader.number() != _ROOT:
                        raise _Foreign
                    roots.append(reader.text())
                    if info & _KEYED:
                        keys.append(reader.text())
                if info & _KIND == _VALUE:
                    if reader.take(2) != _ONE_BUFFER:
                        raise _Foreign
                    values.append(reader.take(reader.number()))
                    clock += 1
                    continue
            lengths.append(reader.number())
            clock += lengths[-1]
    deletions = []
    for _ in range(reader.number()):
        client, ranges = reader.number(), reader.number()
        gaps, sizes = [], []
        at = 0
        for _ in range(ranges):
            clock, size = reader.number(), reader.number()
            gaps.append(clock - at)
            sizes.append(size)
            at = clock + size
        deletions.append([client, gaps, sizes])
    return Split([clients, bytes(infos), lengths, origins, distances, roots, keys, deletions], values)


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def byte(self) -> int:
        return self.take(1)[0]

    def take(self, size: int) -> bytes:
        end = self._at + size
        if end > len(self._data):
            raise _Foreign
        taken = self._data[self._at : end]
        self._at = end
        return taken

    def number(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
        if value >= 2**63:
            raise _Foreign
        return value

    def text(self) -> str:
        try:
            return self.take(self.number()).decode()
        except UnicodeDecodeError:
            raise _Foreign from None


def _put_number(out: bytearray, number: int) -> None:
    if not 0 <= number < 2**63:
        raise MalformedBytes("A number in an update is out of range.")
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)


def _put_text(out: bytearray, text: str) -> None:
    if type(text) is not str:
        raise MalformedBytes("A name in an update is not text.")
    data = text.encode()
    _put_number(out, len(data))
    out += data
