"""What the memory itself put into a transcript is not learned from it.

Whoever hands memory to an agent notes the lines (`Shown.note`): this device keeps hashes of the newest of them, in the
meta table, and a line of a message that repeats one word for word counts as not said. Blocks of memory stand between
`FRAME_BEGIN` and `FRAME_END`, and go as a whole; so do code fences and lines quoted with ``>``, which are somebody
else's words more often than not. What is left are the person's *own words*.

Hashes, because the lines themselves are in the memory or forgotten; they go when anything is forgotten.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from hashlib import blake2b
from typing import TYPE_CHECKING

import msgpack

from vademecum.storage.tables import Table
from vademecum.storage.transaction import Reader, Writer

from .wording import one_line

if TYPE_CHECKING:
    from ..replica import Transaction

__all__ = ["FRAME_BEGIN", "FRAME_END", "Shown", "forget_shown", "framed", "own_words", "shown_lines"]

FRAME_BEGIN = "<vademecum-memory>"
FRAME_END = "</vademecum-memory>"
KEPT = 2048
"""Lines that are remembered as shown: some forty context blocks of different memories."""
SHORTEST = 8
"""Bytes of a line below which it may be said by chance (*yes*, *pytest*), and says too little to be a memory."""

_SHOWN = b"shown"
_SIZE = 8
_FRAMES = re.compile(f"{re.escape(FRAME_BEGIN)}.*?(?:{re.escape(FRAME_END)}|\\Z)", re.DOTALL | re.IGNORECASE)
_FENCES = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_QUOTED = re.compile(r"^[ \t]*>")
_BULLET = re.compile(r"^(?:[-*•–]|\d{1,3}[.)])\s+")


def framed(text: str) -> str:
    """*text* as a block of memory that is handed to an agent. Marks inside of it are taken out."""
    inner = re.sub(f"{re.escape(FRAME_BEGIN)}|{re.escape(FRAME_END)}", "", text, flags=re.IGNORECASE)
    return f"{FRAME_BEGIN}\n{inner}\n{FRAME_END}"


def own_words(text: str, shown: frozenset[bytes] = frozenset()) -> str:
    """*text* without blocks of memory, fences, quoted lines, and lines that are *shown*."""
    left = _FENCES.sub("\n", _FRAMES.sub("\n", text))
    return "\n".join(
        line
        for line in left.splitlines()
        if not _QUOTED.match(line) and not (shown and any(hashed in shown for hashed in _hashes(line)))
    ).strip()


class Shown:
    """What this process has handed out and not yet noted in the database. Threads may share it.

    Recall must not wait for a disk: lines are kept here and written along with the next write of the replica.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pending: dict[bytes, None] = {}
        self._riding: list[bytes] = []

    def note(self, texts: Iterable[str]) -> None:
        """To be called with each text that an agent is given out of the memory."""
        hashes = [hashed for text in texts for line in text.splitlines() for hashed in _hashes(line)]
        with self._lock:
            self._pending.update(dict.fromkeys(hashes))
            while len(self._pending) > KEPT:
                del self._pending[next(iter(self._pending))]

    @property
    def pending(self) -> bool:
        return bool(self._pending)

    def write(self, transaction: Transaction) -> None:
        """Adds what is pending to what the database knows."""
        with self._lock:
            self._riding = list(self._pending)
        if self._riding:
            _add(transaction.writer, self._riding)

    def written(self) -> None:
        """The transaction that `write` was given is committed."""
        with self._lock:
            for hashed in self._riding:
                self._pending.pop(hashed, None)
            self._riding = []


def shown_lines(reader: Reader) -> frozenset[bytes]:
    """Hashes of the lines that were shown of late."""
    return frozenset(_load(reader))


def forget_shown(writer: Writer) -> None:
    writer.delete(Table.META, _SHOWN)


def _add(writer: Writer, hashes: list[bytes]) -> None:
    kept = dict.fromkeys(_load(writer))
    for hashed in hashes:
        kept.pop(hashed, None)
        kept[hashed] = None
    writer.put(Table.META, _SHOWN, msgpack.packb(b"".join(list(kept)[-KEPT:])))


def _load(reader: Reader) -> list[bytes]:
    found = reader.get(Table.META, _SHOWN)
    data = b"" if found is None else msgpack.unpackb(found)
    return [data[at : at + _SIZE] for at in range(0, len(data), _SIZE)]


def _hashes(line: str) -> list[bytes]:
    """Of the line as it stands, and without a bullet; none of a line too short to be anybody's in particular."""
    plain = one_line(line).casefold()
    forms = dict.fromkeys((plain, _BULLET.sub("", plain)))
    return [blake2b(form.encode(), digest_size=_SIZE).digest() for form in forms if len(form.encode()) >= SHORTEST]
