"""Which lines of the memory this device has shown to agents of late, as hashes in the meta table.

Hashes, because the lines themselves are in the memory or forgotten; they go when anything is forgotten. Bounded, and
kept by this device alone: what is lost costs no more than a memory that is confirmed by its own echo.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from hashlib import blake2b

import msgpack

from vademecum.storage.tables import Table
from vademecum.storage.transaction import Reader, Writer

from .wording import one_line

__all__ = ["Shown", "forget_shown", "line_hashes", "shown_lines"]

KEPT = 2048
"""Lines that are remembered as shown: some forty context blocks of different memories."""
SHORTEST = 8
"""Bytes of a line below which it may be said by chance (*yes*, *pytest*), and says too little to be a memory."""

_SHOWN = b"shown"
_SIZE = 8
_BULLET = re.compile(r"^(?:[-*•–]|\d{1,3}[.)])\s+")


class Shown:
    """What this process has handed out and not yet noted in the database. Threads may share it.

    Recall must not wait for a disk: lines are kept here and written along with the next write of the replica.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pending: dict[bytes, int] = {}
        self._riding: dict[bytes, int] = {}

    def note(self, texts: Iterable[str], at_ms: int) -> None:
        """To be called with the texts that an agent is given out of the memory at *at_ms*."""
        hashes = [hashed for text in texts for line in text.splitlines() for hashed in line_hashes(line)]
        with self._lock:
            for hashed in hashes:
                self._pending.setdefault(hashed, at_ms)
            while len(self._pending) > KEPT:
                del self._pending[next(iter(self._pending))]

    @property
    def pending(self) -> bool:
        return bool(self._pending)

    def write(self, writer: Writer) -> None:
        """Adds what is pending to what the database knows. One transaction at a time."""
        with self._lock:
            self._riding = dict(self._pending)
        if self._riding:
            _add(writer, self._riding)

    def written(self) -> None:
        """The transaction that `write` was given is committed."""
        with self._lock:
            for hashed in self._riding:
                self._pending.pop(hashed, None)
            self._riding = {}


def shown_lines(reader: Reader) -> dict[bytes, int]:
    """The lines that were shown of late: hash → since when, in milliseconds by this device's clock."""
    found = reader.get(Table.META, _SHOWN)
    return {} if found is None else dict(msgpack.unpackb(found, use_list=False))


def forget_shown(writer: Writer) -> None:
    writer.delete(Table.META, _SHOWN)


def _add(writer: Writer, lines: dict[bytes, int]) -> None:
    kept = shown_lines(writer)
    for hashed, at_ms in lines.items():
        kept[hashed] = min(at_ms, kept.pop(hashed, at_ms))  # now the last to go, and shown since the first time
    writer.put(Table.META, _SHOWN, msgpack.packb(list(kept.items())[-KEPT:]))


def line_hashes(line: str) -> list[bytes]:
    """Of the line as it stands, and without a bullet; none of a line too short to be anybody's in particular."""
    plain = one_line(line).casefold()
    forms = dict.fromkeys((plain, _BULLET.sub("", plain)))
    return [blake2b(form.encode(), digest_size=_SIZE).digest() for form in forms if len(form.encode()) >= SHORTEST]
