"""Signals whose curation failed: when they are tried again, and when not any more.

========  ==========================================================================
attempt   what follows
========  ==========================================================================
first     again at once, with few others
second    again after a minute, alone: so that the one that fails keeps no other
others    again after twice as long each time, an hour at the most
eighth    parked: out of the queue, and shown in the status
========  ==========================================================================

A holder that was killed counts as a failure of whatever it had at work, since a message may be what kills. What is
parked is queued again when another version of the program comes, or when somebody asks for it.

An attempt is kept in the meta table under the number of its signal, a parked signal likewise. Both name the message,
because a number can be given again when the queue has been empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

import msgpack

from vademecum.storage.boot_time import Moment
from vademecum.storage.tables import Table
from vademecum.storage.transaction import Reader, Writer

from . import signals
from .signals import Signal

__all__ = [
    "GROUP_SIZES",
    "MAX_ATTEMPTS",
    "Due",
    "Parked",
    "blame",
    "clear",
    "delay_ms",
    "due",
    "failed",
    "forget",
    "parked",
    "postpone",
    "unpark",
]

MAX_ATTEMPTS = 8
FIRST_DELAY_MS = 60_000
MAX_DELAY_MS = 3_600_000
GROUP_SIZES = (64, 8, 1)
"""How many signals of a session are considered together, by how often one of them has failed."""
KILLED = "killed"
"""The reason for what was at work when its curator was killed."""
LOOKED_AT = 20_000
"""Signals that are looked at for those that are due, at most."""

_ATTEMPT = b"curation/attempt/"
_PARKED = b"curation/parked/"


class Parked(NamedTuple):
    """A signal that is not tried any more: ``reason`` is the name of the last error, ``at_ms`` when it was dropped."""

    seq: int
    session: str
    message: str
    at_ms: int
    attempts: int
    version: str
    reason: str

    @property
    def id(self) -> str:
        return f"{self.session}:{self.message}"


class Due(NamedTuple):
    """Signals to be considered together, all of one session, which have failed ``attempts`` times (counted to two)."""

    signals: tuple[Signal, ...]
    attempts: int


class _Attempt(NamedTuple):
    message: str
    attempts: int
    boot: str
    not_before_ms: int
    reason: str


def due(reader: Reader, now: Moment, limit: int) -> tuple[list[Due], int | None]:
    """The groups that can be considered now, oldest first, of *limit* signals in all; and in how many milliseconds the
    first of those comes that cannot, None if there is no such one. O(limit + those that wait for another attempt).
    """
    groups: dict[tuple[str, int], list[Signal]] = {}
    sized: list[tuple[tuple[str, int], list[Signal]]] = []
    taken, next_ms = 0, None
    for signal in islice(signals.each(reader), LOOKED_AT):
        if taken == limit:
            break
        attempt = _attempt(reader, signal)
        wait = 0 if attempt is None else _left(attempt, now)
        if wait > 0:
            next_ms = wait if next_ms is None else min(next_ms, wait)
            continue
        tries = 0 if attempt is None else attempt.attempts
        size = GROUP_SIZES[min(tries, len(GROUP_SIZES) - 1)]
        key = signal.session, size
        group = groups.get(key)
        if group is None or len(group) == size:
            group = groups[key] = []
            sized.append((key, group))
        group.append(signal)
        taken += 1
    return [Due(tuple(group), GROUP_SIZES.index(key[1])) for key, group in sized], next_ms


def failed(writer: Writer, failing: Iterable[Signal], now: Moment, *, reason: str, version: str) -> list[Parked]:
    """Notes that the curation of *failing* did not come to its end; returns those that are parked now.

    reason: the error's name, never its text, which may hold words of the message.
    """
    given_up = []
    for signal in failing:
        before = _attempt(writer, signal)
        attempts = 1 if before is None else before.attempts + 1
        if attempts < MAX_ATTEMPTS:
            kept = _Attempt(signal.id, attempts, now.boot, now.ms + delay_ms(attempts), reason)
            writer.put(Table.META, _ATTEMPT + _key(signal.seq), msgpack.packb(kept))
            continue
        parked_now = Parked(signal.seq, signal.session, signal.message, signal.at_ms, attempts, version, reason)
        writer.put(Table.META, _PARKED + _key(_free(writer, signal.seq)), msgpack.packb(parked_now))
        signals.done(writer, [signal])
        clear(writer, [signal])
        given_up.append(parked_now)
    return given_up


def postpone(writer: Writer, unread: Iterable[Signal], now: Moment) -> None:
    """Lets *unread*, which could not be read this time, wait a minute. That is no failure of theirs."""
    for signal in unread:
        before = _attempt(writer, signal)
        kept = _Attempt(
            signal.id, 0 if before is None else before.attempts, now.boot, now.ms + FIRST_DELAY_MS, "unread"
        )
        writer.put(Table.META, _ATTEMPT + _key(signal.seq), msgpack.packb(kept))


def blame(writer: Writer, abandoned: Iterable[int], now: Moment, *, version: str) -> list[Parked]:
    """Counts a failure for the signals with these numbers: their curator was killed."""
    found = (signals.at(writer, seq) for seq in abandoned)
    return failed(writer, [one for one in found if one is not None], now, reason=KILLED, version=version)


def clear(writer: Writer, handled: Iterable[Signal]) -> None:
    """Forgets the attempts of what is handled. To be called in the transaction that takes the signals away."""
    for signal in handled:
        writer.delete(Table.META, _ATTEMPT + _key(signal.seq))


def forget(writer: Writer, session: str) -> None:
    """Takes away all signals of *session*, those that wait and those that are parked. O(signals)."""
    its = [one for one in signals.each(writer) if one.session == session]
    signals.done(writer, its)
    clear(writer, its)
    for key, data in list(writer.scan(Table.META, _PARKED)):
        if Parked(*msgpack.unpackb(data)).session == session:
            writer.delete(Table.META, key)


def parked(reader: Reader) -> list[Parked]:
    """What is not tried any more, oldest first."""
    return [Parked(*msgpack.unpackb(data)) for _, data in reader.scan(Table.META, _PARKED)]


def unpark(writer: Writer, *, version: str | None) -> int:
    """Queues again what was parked by another version than *version*, or everything for None; returns how many."""
    count = 0
    for key, data in list(writer.scan(Table.META, _PARKED)):
        one = Parked(*msgpack.unpackb(data))
        if one.version != version:
            writer.delete(Table.META, key)
            signals.drop(writer, one.session, one.message, one.at_ms)
            count += 1
    return count


def delay_ms(attempts: int) -> int:
    """How long after this many failures the next attempt is due."""
    return 0 if attempts < 2 else min(FIRST_DELAY_MS << (attempts - 2), MAX_DELAY_MS)


def _left(attempt: _Attempt, now: Moment) -> int:
    """Milliseconds until the next attempt; 0 if the machine has started anew since, or that would be beyond bounds."""
    left = now.until(Moment(attempt.boot, attempt.not_before_ms))
    return left if left is not None and 0 < left <= MAX_DELAY_MS else 0


def _attempt(reader: Reader, signal: Signal) -> _Attempt | None:
    found = reader.get(Table.META, _ATTEMPT + _key(signal.seq))
    attempt = None if found is None else _Attempt(*msgpack.unpackb(found))
    return attempt if attempt is not None and attempt.message == signal.id else None


def _free(writer: Writer, seq: int) -> int:
    """A number for a parked signal: its own, or the next one that is free."""
    while writer.get(Table.META, _PARKED + _key(seq)) is not None:
        seq += 1
    return seq


def _key(seq: int) -> bytes:
    return seq.to_bytes(8, "big")
