"""How the relay's store writes keys and values: big-endian numbers, a CRC-32 behind what must not be damaged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeVar
from zlib import crc32

import lmdb

from vademecum.errors import DamagedStore

__all__ = ["checked", "key_of", "number_of", "scan", "with_check"]

_CHECK: Final = 4

B = TypeVar("B", bytes, "memoryview[int]")


def key_of(number: int) -> bytes:
    """8 bytes that sort as the numbers do."""
    return number.to_bytes(8, "big")


def number_of(data: bytes | memoryview) -> int:
    return int.from_bytes(data, "big")


def scan(cursor: lmdb.Cursor[B], prefix: bytes) -> Iterator[tuple[B, B]]:
    """Pairs whose key begins with *prefix*, in order."""
    if cursor.set_range(prefix):
        for key, value in cursor.iternext(keys=True, values=True):
            if bytes(key[: len(prefix)]) != prefix:
                return
            yield key, value


def with_check(body: bytes) -> bytes:
    return body + crc32(body).to_bytes(_CHECK, "big")


def checked(value: B) -> B:
    """What was given to `with_check`. Raises `DamagedStore`."""
    body = value[:-_CHECK]
    if crc32(body) != number_of(value[-_CHECK:]):
        raise DamagedStore("A record of the relay's log is damaged: its checksum does not match. It was not sent.")
    return body
