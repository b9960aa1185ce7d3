"""Signals: that a message of the person was recorded, and nobody has thought about it yet.

A queue of this device in the table of signals, ``seq → [session, message, at]``; it is not told to others: the device
that logged a message curates it. Dropped in the transaction that records the message, taken away in the one that
writes what came of it, so each is handled once in effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import msgpack

from vademecum.storage.tables import Table
from vademecum.storage.transaction import Reader, Writer

__all__ = ["Signal", "at", "count", "done", "drop", "each", "is_waiting", "oldest", "waiting"]


class Signal(NamedTuple):
    """``session`` is the scope, ``message`` the name in it; ``at_ms`` is when the signal was dropped, by wall clock."""

    seq: int
    session: str
    message: str
    at_ms: int

    @property
    def id(self) -> str:
        return f"{self.session}:{self.message}"


def drop(writer: Writer, session: str, message: str, at_ms: int) -> None:
    """Adds a signal for *message* of the scope *session*. O(1)."""
    last = writer.last_key(Table.SIGNALS, b"")
    seq = 1 if last is None else int.from_bytes(last, "big") + 1
    writer.put(Table.SIGNALS, seq.to_bytes(8, "big"), _packed(Signal(seq, session, message, at_ms)))


def each(reader: Reader) -> Iterator[Signal]:
    """All of them, oldest first, read as they are asked for."""
    for key, data in reader.scan(Table.SIGNALS):
        yield _signal(key, data)


def waiting(reader: Reader, limit: int) -> list[Signal]:
    """The *limit* oldest."""
    return list(islice(each(reader), limit))


def at(reader: Reader, seq: int) -> Signal | None:
    """The one with the number *seq*, or None."""
    key = seq.to_bytes(8, "big")
    data = reader.get(Table.SIGNALS, key)
    return None if data is None else _signal(key, data)


def oldest(reader: Reader) -> Signal | None:
    """The one that has waited longest."""
    return next(iter(waiting(reader, 1)), None)


def is_waiting(reader: Reader, signal: Signal) -> bool:
    """Whether nobody has handled *signal* yet."""
    return reader.get(Table.SIGNALS, signal.seq.to_bytes(8, "big")) == _packed(signal)


def count(reader: Reader) -> int:
    return reader.count(Table.SIGNALS)


def done(writer: Writer, signals: Iterable[Signal]) -> None:
    """Takes *signals* away; those that are gone already are no matter.

    A number is given again once the queue has been empty, so one that means another message by now stays.
    """
    for signal in signals:
        if is_waiting(writer, signal):
            writer.delete(Table.SIGNALS, signal.seq.to_bytes(8, "big"))


def _signal(key: bytes, data: bytes) -> Signal:
    return Signal(int.from_bytes(key, "big"), *msgpack.unpackb(data))


def _packed(signal: Signal) -> bytes:
    return bytes(msgpack.packb([signal.session, signal.message, signal.at_ms]))
