"""The byte form of a record: round trips, what it may not be made of, and vectors that must never change."""

from __future__ import annotations

import math
from typing import Any

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vademecum.engine.clock import from_wall
from vademecum.engine.records import KINDS, USER, Record, decode_record, encode_record, read_order
from vademecum.errors import MalformedBytes

EATS = "prix/daily-eats@1.0.0"
NOW = 1_790_000_000_000

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


@st.composite
def records(draw: st.DrawFn) -> Record:
    order = draw(st.integers(0, 2**64 - 1))
    updated = draw(st.integers(-(2**47), 2**47))
    deleted = draw(st.booleans())
    earlier = st.one_of(st.just(0), st.integers(0, max(0, order - 1)))
    return Record(
        order=order,
        writer=draw(st.sampled_from([USER, EATS, "a/b@1"])),
        value=None if deleted else draw(VALUES),
        created=updated - draw(st.integers(0, 2**47)),
        updated=updated,
        seen=draw(earlier),
        heard=draw(st.one_of(earlier, st.integers(0, 2**64 - 1))),
        kind=draw(st.sampled_from(KINDS)),
        confidence=draw(st.integers(0, 1000)) / 1000,
        half_life=draw(st.none() | st.floats(0.001, 1e9)),
        sentence=draw(st.none() | st.text(max_size=30)),
        receipts=tuple(draw(st.lists(st.text(max_size=30), max_size=3))),
        deleted=deleted,
        swept=deleted and draw(st.booleans()),
        imported=draw(st.booleans()),
    )


@settings(max_examples=300)
@given(records())
def test_a_record_survives_the_round_trip(record: Record) -> None:
    data = encode_record(record)
    assert decode_record(data) == record
    assert read_order(data) == record.order
    assert encode_record(decode_record(data)) == data


# name → (record, its bytes in hex). These bytes are in people's vaults: a change of them is a change of the format.
VECTORS = {
    "the person's short text": (
        Record(from_wall(NOW), USER, "vegan", NOW, NOW),
        "96" "00" "cf01a0c4506c000000" "00" "00" "a0" "a5766567616e",
    ),
    "an agent's list with everything": (
        Record(
            from_wall(NOW) + 3,
            EATS,
            ["nuts", 1],
            NOW - 86_400_000,
            NOW + 5,
            seen=from_wall(NOW) + 1,
            heard=from_wall(NOW) - 65_536,
            kind="preference",
            confidence=0.85,
            half_life=30.0,
            sentence="Is allergic to nuts",
            receipts=("m1", "m2"),
        ),
        "9d" "00" "cf01a0c4506c000003" "02" "ce00010004"
        "b5707269782f6461696c792d6561747340312e302e30" "92a46e75747301" "05" "ce05265c05" "02" "cd0352"
        "92a26d31a26d32" "cb403e000000000000" "b3497320616c6c657267696320746f206e757473",
    ),
    "the person's deletion": (
        Record(from_wall(NOW), USER, None, NOW, NOW, deleted=True),
        "92" "01" "cf01a0c4506c000000",
    ),
    "an agent's half-confident fact": (
        Record(7, EATS, True, 0, 0, seen=6, confidence=0.5),
        "9a" "00" "07" "01" "00" "b5707269782f6461696c792d6561747340312e302e30" "c3" "00" "00" "00" "cd01f4",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", VECTORS)
def test_the_bytes_of_a_record_are_what_they_always_were(name: str) -> None:
    record, expected = VECTORS[name]
    assert encode_record(record).hex() == expected
    assert decode_record(bytes.fromhex(expected)) == record


def test_the_kinds_stand_in_the_order_that_is_part_of_the_format() -> None:
    assert KINDS == ("fact", "identity", "preference", "skill", "technical", "behaviour", "project", "context")


def test_the_record_of_a_short_leaf_takes_about_sixty_bytes() -> None:
    record = Record(from_wall(NOW) + 2, EATS, "vegetarian", NOW - 10**8, NOW, seen=from_wall(NOW) - 10**6)
    assert len(encode_record(record._replace(receipts=("m" * 8,)))) <= 70


def test_fields_of_later_versions_are_ignored() -> None:
    fields = msgpack.unpackb(bytes.fromhex(VECTORS["an agent's list with everything"][1]))
    later = msgpack.packb([*fields, "new", {"later": 1}])
    assert decode_record(later) == VECTORS["an agent's list with everything"][0]


def test_a_deleted_record_keeps_no_value() -> None:
    record = Record(5, EATS, "secret", deleted=True)
    assert b"secret" not in encode_record(record)
    assert decode_record(encode_record(record)).value is None


def test_a_confidence_is_kept_to_a_thousandth() -> None:
    assert decode_record(encode_record(Record(5, confidence=1 / 3))).confidence == 0.333


def test_the_person_is_the_writer_of_the_empty_name() -> None:
    assert Record(1).by_person
    assert not Record(1, EATS).by_person
    assert decode_record(encode_record(Record(1, USER, 1))).by_person


def test_what_an_agent_heard_may_be_newer_than_what_it_writes() -> None:
    """The person's other device, a year ahead, forgets the agent; this one hears it, and the agent writes again."""
    statement = from_wall(NOW + 365 * 86_400_000)
    record = Record(from_wall(NOW), EATS, "vegan", NOW, NOW, heard=statement)
    assert decode_record(encode_record(record)) == record


GOOD: list[Any] = [0, from_wall(NOW), 1, 1, EATS, "vegan", 0, 0, 0, 1000, ["m1"], 30.0, "Is vegan"]
FLAGS, ORDER, SEEN, HEARD, WRITER, VALUE, UPDATED, CREATED, KIND, CONFIDENCE, RECEIPTS, HALF_LIFE, SENTENCE = range(13)


def test_the_record_that_the_bad_ones_differ_from_is_good() -> None:
    assert decode_record(msgpack.packb(GOOD)).value == "vegan"


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        *[(FLAGS, bad) for bad in (None, "1", 1.0, [], -1)],
        *[(ORDER, bad) for bad in (None, -1, 1.0, "1", True, [])],
        *[(SEEN, bad) for bad in (None, -1, 1.5, "1", from_wall(NOW) + 1, True)],
        *[(HEARD, bad) for bad in (None, 1.5, "1", True, [])],
        *[(WRITER, bad) for bad in (None, 1, b"user", ["user"], True, "user", "nobody", "prix/daily-eats", "a\x1fb")],
        *[(VALUE, bad) for bad in (b"x", math.nan, math.inf, 2**63, [b"x"], {"k": math.nan}, {1: 2}, {b"k": 1})],
        *[(VALUE, bad) for bad in (msgpack.ExtType(5, b"x"), msgpack.Timestamp(1), "x" * 32_769, ["x" * 32_000] * 3)],
        *[(UPDATED, bad) for bad in (None, 1.5, "1", 2**63, True)],
        *[(CREATED, bad) for bad in (None, 0.5, "1", True, -1)],
        *[(KIND, bad) for bad in (None, -1, len(KINDS), 1.0, "fact", True)],
        *[(CONFIDENCE, bad) for bad in (None, -1, 1001, 0.5, math.nan, "1", True)],
        *[(RECEIPTS, bad) for bad in (None, "m1", {"m1": 1}, [1], [b"m1"], [["m1"]], [None])],
        *[(HALF_LIFE, bad) for bad in (0, -1.0, math.nan, math.inf, "30", True, [])],
        *[(SENTENCE, bad) for bad in (1, b"x", [], True)],
    ],
    ids=lambda given: repr(given)[:24],
)
def test_a_record_with_a_field_out_of_its_range_is_malformed(field: int, bad: object) -> None:
    fields = GOOD.copy()
    fields[field] = bad
    with pytest.raises(MalformedBytes):
        decode_record(msgpack.packb(fields))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        b"\xc0",
        b"\x80",
        b"\x90",
        b"\x91\x00",
        b"\xff" * 40,
        b"\x9d",
        b"\xdd\xff\xff\xff\xff",
        b"\xa2\xff\xff",
        msgpack.packb({"order": 1}),
        msgpack.packb(GOOD)[:-1],
        msgpack.packb(GOOD) + b"\x00",
        b"\x96\x00\x05\x00\x00\xa2\xff\xfe\xa1x",
        b"\x96\x00\x05\x00\x00\xa0" + b"\x91" * 400 + b"\x00",
        b"\x96\x00\x05\x00\x00\xa0" + b"\x91" * 900 + b"\x00",
        b"\x96\x00\x05\x00\x00\xa0" + b"\x91" * 100_000 + b"\x00",
        b"\x91" * 100_000,
    ],
    ids=lambda data: f"{data[:6].hex()}-{len(data)}",
)
def test_bytes_that_are_no_record_are_malformed(data: bytes) -> None:
    with pytest.raises(MalformedBytes):
        decode_record(data)


FIELDS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.integers(0, 9), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def nearly_records(draw: st.DrawFn) -> bytes:
    fields = GOOD.copy()
    for _ in range(draw(st.integers(1, 3))):
        fields[draw(st.integers(0, 12))] = draw(FIELDS)
    return bytes(msgpack.packb(fields[: draw(st.integers(0, 13))]))


@st.composite
def damaged_records(draw: st.DrawFn) -> bytes:
    data = bytearray(encode_record(draw(records())))
    for _ in range(draw(st.integers(1, 3))):
        data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    return bytes(data[: draw(st.integers(0, len(data)))])


@settings(max_examples=400)
@given(st.one_of(st.binary(max_size=80), nearly_records(), damaged_records()))
def test_any_bytes_are_a_record_that_can_be_kept_or_are_malformed(data: bytes) -> None:
    try:
        record = decode_record(data)
    except MalformedBytes as fault:
        fault.message.encode()
        return
    integers = (record.order, record.created, record.updated, record.seen, record.heard)
    assert all(type(each) is int for each in integers), record
    assert all(0 <= each < 2**64 for each in (record.order, record.seen, record.heard))
    assert type(record.receipts) is tuple
    assert record.kind in KINDS
    assert 0 <= record.confidence <= 1
    assert decode_record(encode_record(record)) == record
