"""A record: one device's statement about one name, with its provenance. And its bytes.

The bytes are a msgpack array; fields that hold their default are left off the end, times are written as differences,
so that the record of a short leaf takes about sixty bytes:

==  ==========  ==========================================================================
 0  flags       1: deleted; 2: because its writer was forgotten; 4: imported
 1  order       the reading that ranks it
 2  seen        order − order of the newest record of the person's that the writer held; 0: none
 3  heard       order − order of the newest forgetting of this writer that it had heard, plus 1 where that is not
                negative (a clock from the future may have spoken), modulo 2^64 where it is below −2^63; 0: none
 4  writer      "" for the person, else ``developer/slug@version``
 5  value       nil when deleted
 6  updated     wall clock of the write − wall clock in ``order``, ms
 7  created     updated − created, ms
 8  kind        place in `KINDS`
 9  confidence  thousandths
10  receipts    ids of the messages that justify it
11  half_life   days; nil: what the kind says
12  sentence    how it reads in words; nil: derived from path and value
==  ==========  ==========================================================================

Fields beyond these are kept out of the way of later versions: they are ignored here.
"""

from __future__ import annotations

import math
from functools import lru_cache
from types import NoneType
from typing import Any, NamedTuple, cast

import msgpack

from vademecum.errors import InvalidAgent, InvalidValue, MalformedBytes

from .agents import AgentId
from .clock import MAX_READING, to_wall
from .values import MAX_DEPTH, MAX_TEXT, Value, check_value

__all__ = ["KINDS", "USER", "Record", "decode_record", "encode_record", "read_order"]

USER = "user"
"""How the person is shown as a writer; in a record's bytes the person is the empty text."""

KINDS = ("fact", "identity", "preference", "skill", "technical", "behaviour", "project", "context")
"""What a memory is about; decides how fast its confidence fades. The order is part of the format."""

_DELETED = 1
_SWEPT = 2
_IMPORTED = 4
_DEFAULTS: list[Any] = [0, None, 0, 0, "", None, 0, 0, 0, 1000, [], None, None]


class Record(NamedTuple):
    """One record. Times are milliseconds since 1970 (UTC); ``confidence`` lies in 0…1, kept to a thousandth."""

    order: int
    writer: str = USER
    value: Value = None
    created: int = 0
    updated: int = 0
    seen: int = 0
    heard: int = 0
    kind: str = KINDS[0]
    confidence: float = 1.0
    half_life: float | None = None
    sentence: str | None = None
    receipts: tuple[str, ...] = ()
    deleted: bool = False
    swept: bool = False
    """The deletion stands in for a record whose writer the person has forgotten; the agent did not write it."""
    imported: bool = False
    """The person brought this memory of an agent along, or it took the place of one: it does not count as learned."""

    @property
    def by_person(self) -> bool:
        return self.writer == USER


def encode_record(record: Record) -> bytes:
    """The one byte form of *record*."""
    order = record.order
    fields = [
        (_DELETED if record.deleted else 0) | (_SWEPT if record.swept else 0) | (_IMPORTED if record.imported else 0),
        order,
        order - record.seen if record.seen else 0,
        _to_distance(order, record.heard),
        "" if record.writer == USER else record.writer,
        None if record.deleted else record.value,
        record.updated - to_wall(order),
        record.updated - record.created,
        KINDS.index(record.kind),
        round(record.confidence * 1000),
        list(record.receipts),
        record.half_life,
        record.sentence,
    ]
    while fields[-1] == _DEFAULTS[len(fields) - 1]:
        fields.pop()
    return bytes(msgpack.packb(fields))


def decode_record(data: bytes) -> Record:
    """Raises `MalformedBytes` for anything that `encode_record` could not have made."""
    try:
        fields = msgpack.unpackb(data)
        if type(fields) is not list:
            raise MalformedBytes("A record is not a list.")
        flags, order, seen, heard, writer, value, updated, created, kind, confidence, receipts, half_life, sentence = (
            fields + _DEFAULTS[len(fields) :]
        )[:13]
        for number in (flags, order, seen, heard, updated, created, kind, confidence):
            if type(number) is not int:
                raise MalformedBytes("A number in a record is not an integer.")
        if not (flags >= 0 and 0 <= seen <= order <= MAX_READING):
            raise MalformedBytes("A record has seen what came after it.")
        updated += to_wall(order)
        if not (created >= 0 and updated < 2**63 and updated - created >= -(2**63)):
            raise MalformedBytes("A record's times are out of range.")
        if heard:
            heard = order - (heard - 1 if heard > 0 else heard)
            if heard < 0:
                heard += 2**64
                if heard - order <= 2**63:
                    raise MalformedBytes("A record writes what it has heard in another way than its own.")
            if heard > MAX_READING:
                raise MalformedBytes("A record has heard what no clock can read.")
        deleted = flags & _DELETED != 0
        if value is not None:
            if deleted:
                raise MalformedBytes("A deleted record has a value.")
            _check_value(value, len(data))
        if writer != "":
            _check_writer(writer)
        if not (0 <= kind < len(KINDS) and 0 <= confidence <= 1000):
            raise MalformedBytes("A record's kind or confidence is out of range.")
        if type(receipts) is not list:
            raise MalformedBytes("A record's receipts are not a list.")
        for receipt in receipts:
            if type(receipt) is not str:
                raise MalformedBytes("A record's receipts are not texts.")
        if half_life is not None and not (type(half_life) in (int, float) and 0 < half_life < math.inf):
            raise MalformedBytes("A record's half-life is not a positive number of days.")
        if sentence is not None and type(sentence) is not str:
            raise MalformedBytes("A record's sentence is not text.")
    except (ValueError, TypeError, OverflowError, msgpack.UnpackException) as error:
        if isinstance(error, MalformedBytes):
            raise
        raise MalformedBytes(f"A record does not decode ({type(error).__name__}).") from error
    return Record(
        order,
        writer or USER,
        value,
        updated - created,
        updated,
        order - seen if seen else 0,
        heard,
        KINDS[kind],
        confidence / 1000,
        half_life,
        sentence,
        tuple(receipts),
        deleted,
        flags & _SWEPT != 0,
        flags & _IMPORTED != 0,
    )


def read_order(data: bytes) -> int:
    """Only the order of an encoded record. Raises `MalformedBytes`."""
    return decode_record(data).order


def _to_distance(order: int, heard: int) -> int:
    if not heard:
        return 0
    distance = order - heard
    if distance < -(2**63):
        distance += 2**64  # msgpack has no integer below −2^63; no other distance is greater than the order
    return distance + 1 if distance >= 0 else distance


@lru_cache(maxsize=4096)
def _check_writer(writer: str) -> None:
    try:
        AgentId.parse(writer)
    except InvalidAgent:
        raise MalformedBytes("A record's writer is neither the person nor an agent.") from None


def _check_value(value: object, size: int) -> None:
    """*size* is that of the whole record: where it is small, no part of it can be too large."""
    if not _is_json(value, 0):
        raise MalformedBytes("A record's value is not what JSON can say.")
    if size > MAX_TEXT:
        try:
            check_value(value, "a record")
        except InvalidValue:
            raise MalformedBytes("A record's value is too large.") from None


def _is_json(value: object, depth: int) -> bool:
    kind = type(value)
    if kind is str or kind is bool or kind is NoneType:
        return True
    if kind is int:
        return cast(int, value) < 2**63
    if kind is float:
        return math.isfinite(cast(float, value))
    if depth >= MAX_DEPTH:
        return False
    if kind is list:
        return all(_is_json(item, depth + 1) for item in cast("list[object]", value))
    if kind is dict:
        pairs = cast("dict[object, object]", value).items()
        return all(type(key) is str and _is_json(item, depth + 1) for key, item in pairs)
    return False
