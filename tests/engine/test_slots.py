"""The keys of slots, and the row that gathers the slots of one name."""

from __future__ import annotations

from random import Random

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.model import Forgotten, Model, Written
from vademecum.engine.records import USER, Record, encode_record
from vademecum.engine.slots import (
    EMPTY_ROW,
    Row,
    Slot,
    SlotMap,
    decode_row,
    encode_row,
    parse_slot_key,
    row_of,
    slot_key,
)
from vademecum.errors import MalformedBytes

LAPTOP, PHONE = b"\x01" * 16, b"\xfe" * 16
EATS = "prix/daily-eats@1.0.0"
NAMES = st.text(st.characters(exclude_characters="\x1f", codec="utf-8"), min_size=1, max_size=30)


def slot(record: Record, device: bytes) -> Slot:
    return Slot.of(record.by_person, device, encode_record(record))


@given(NAMES, st.booleans(), st.binary(min_size=16, max_size=16))
def test_a_slots_key_survives_the_round_trip(name: str, by_person: bool, device: bytes) -> None:
    assert parse_slot_key(slot_key(name, by_person, device)) == (name, by_person, device)


def test_the_keys_of_slots_are_what_they_always_were() -> None:
    assert slot_key("diet.kind", True, LAPTOP) == "diet.kind\x1fu\x1fAQEBAQEBAQEBAQEBAQEBAQ"
    assert slot_key("diet.kind", False, PHONE) == "diet.kind\x1fa\x1f_v7-_v7-_v7-_v7-_v7-_g"


def test_the_numbers_and_names_of_the_slot_maps_are_what_they_always_were() -> None:
    assert {each.value: each.root for each in SlotMap} == {
        1: "leaves",
        2: "receipts",
        3: "messages",
        4: "settings",
        5: "grants",
        6: "links",
        7: "observations",
        8: "suggestions",
    }


TAG = "AQEBAQEBAQEBAQEBAQEBAQ"


@pytest.mark.parametrize(
    "key",
    [
        "",
        "diet",
        "\x1f\x1f",
        f"\x1fu\x1f{TAG}",
        f"diet\x1fx\x1f{TAG}",
        f"diet\x1f\x1f{TAG}",
        f"diet\x1fU\x1f{TAG}",
        f"diet\x1fu\x1f{TAG}A",
        f"diet\x1fu\x1f{TAG[:-1]}",
        f"diet\x1fu\x1f{TAG}\n",
        f"diet\x1fu\x1f{TAG}==",
        f"diet\x1fu\x1f{TAG}\x1f",
        f"a\x1fu\x1fdiet\x1fu\x1f{TAG}",
        "diet\x1fu\x1f" + "+" * 22,
        "diet\x1fu\x1f" + "é" * 22,
        "diet\x1fu\x1f" + "\ud800" * 22,
        "diet\x1fu\x1f" + "=" * 22,
        f"diet\x1fu\x1f{TAG[:-1]}R",  # the same device with other unused bits: one slot would have two names
    ],
)
def test_a_key_that_is_no_slots_is_malformed(key: str) -> None:
    with pytest.raises(MalformedBytes):
        parse_slot_key(key)


@given(st.text(max_size=60))
def test_any_text_is_a_slots_only_key_or_malformed(text: str) -> None:
    try:
        parts = parse_slot_key(text)
    except MalformedBytes:
        return
    assert slot_key(*parts) == text


def test_an_agents_record_in_the_persons_slot_is_malformed_and_so_is_the_reverse() -> None:
    with pytest.raises(MalformedBytes):
        Slot.of(True, PHONE, encode_record(Record(5, EATS, "vegan")))
    with pytest.raises(MalformedBytes):
        Slot.of(False, PHONE, encode_record(Record(5, USER, "vegan")))


def test_the_winner_comes_first_in_a_row_and_the_row_tells_what_a_writer_has_seen() -> None:
    agents = slot(Record(9, EATS, "carnivore", seen=3), PHONE)
    persons = slot(Record(5, USER, "vegan"), LAPTOP)
    row = row_of([agents, persons])
    assert row.slots == (persons, agents)
    assert row.live
    assert row.winner is not None
    assert row.winner.value == "vegan"
    assert (row.newest, row.newest_by_person) == (9, 5)
    assert row.own(False, PHONE) == agents
    assert row.own(True, PHONE) is None


def test_a_row_whose_winner_is_a_deletion_has_no_value() -> None:
    row = row_of([slot(Record(5, USER, deleted=True), LAPTOP), slot(Record(9, EATS, "x"), PHONE)])
    assert not row.live
    assert row.winner is None
    assert row.slots[0].record.deleted


def test_a_row_whose_winner_is_void_has_no_value() -> None:
    row = row_of([slot(Record(9, EATS, "x"), PHONE)], lambda writer: 10 if writer == EATS else 0)
    assert row.winner is None


def test_the_row_of_nothing_is_empty() -> None:
    assert row_of([]) == EMPTY_ROW == decode_row(None)
    assert (EMPTY_ROW.winner, EMPTY_ROW.newest, EMPTY_ROW.newest_by_person) == (None, 0, 0)


@st.composite
def slots(draw: st.DrawFn) -> list[Slot]:
    """At most one for each class and device, as in a document."""
    places = draw(st.lists(st.tuples(st.booleans(), st.sampled_from([LAPTOP, PHONE])), unique=True, max_size=4))
    made = []
    for by_person, device in places:
        order = draw(st.integers(1, 6))
        record = Record(
            order,
            USER if by_person else EATS,
            draw(st.integers(0, 9)),
            seen=0 if by_person else draw(st.integers(0, order - 1)),
            heard=0 if by_person else draw(st.integers(0, order - 1)),
            deleted=draw(st.booleans()),
        )
        made.append(slot(record, device))
    return made


@settings(max_examples=300)
@given(slots(), st.integers(0, 6))
def test_a_row_says_what_the_model_says(held: list[Slot], statement: int) -> None:
    written = [
        Written("x", each.by_person, each.device, *each.record[:1], each.record.value, each.record.deleted,
                each.record.seen, each.record.heard, each.record.writer)
        for each in held
    ]  # fmt: skip
    row = row_of(held, lambda writer: statement)
    expected = Model(written, [Forgotten("prix/daily-eats", statement)]).winner("x")
    assert (None if row.winner is None else (row.winner.order, row.winner.value)) == (
        None if expected is None else (expected.order, expected.value)
    )
    assert sorted(row.slots) == sorted(held)


@given(slots(), st.randoms())
def test_a_row_does_not_depend_on_the_order_of_its_slots(held: list[Slot], chance: Random) -> None:
    shuffled = held.copy()
    chance.shuffle(shuffled)
    assert encode_row(row_of(held)) == encode_row(row_of(shuffled))


@given(slots())
def test_a_row_survives_the_round_trip(held: list[Slot]) -> None:
    row = row_of(held)
    assert decode_row(encode_row(row)) == row


def test_the_bytes_of_a_row_are_what_they_always_were() -> None:
    row = row_of([slot(Record(9, EATS, 1, seen=3), PHONE), slot(Record(5, USER, deleted=True), LAPTOP)])
    assert encode_row(row).hex() == (
        "95" "c2"
        "c411" "75" + "01" * 16 + "c403" "92" "01" "05"
        "c411" "61" + "fe" * 16 + "c41c" "96" "00" "09" "06" "00" "b5707269782f6461696c792d6561747340312e302e30" "01"
    )  # fmt: skip


GOOD = encode_row(row_of([slot(Record(9, EATS, 1), PHONE), slot(Record(5, USER, 2), LAPTOP)]))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        b"\xc0",
        b"\x90",
        b"\x80",
        b"\x91\xc3",  # a live row without a slot has no winner to show
        GOOD[:-1],
        GOOD + b"\x00",
        msgpack.packb([True, b"u" + LAPTOP]),
        msgpack.packb([True, b"x" + LAPTOP, encode_record(Record(5, EATS, 2))]),
        msgpack.packb([True, b"", encode_record(Record(5, EATS, 2))]),
        msgpack.packb([True, b"u" + LAPTOP[1:], encode_record(Record(5, USER, 2))]),
        msgpack.packb([True, "u" + "a" * 16, encode_record(Record(5, USER, 2))]),
        msgpack.packb([True, b"u" + LAPTOP, "text"]),
        msgpack.packb([True, b"u" + LAPTOP, 7]),
        msgpack.packb(["yes", b"u" + LAPTOP, encode_record(Record(5, USER, 2))]),
    ],
    ids=lambda data: f"{data[:6].hex()}-{len(data)}",
)
def test_bytes_that_are_no_row_are_malformed(data: bytes) -> None:
    with pytest.raises(MalformedBytes):
        decode_row(data)


@settings(max_examples=300)
@given(st.one_of(st.binary(max_size=60), st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 255))))
def test_any_bytes_are_a_row_or_malformed(data: bytes | tuple[int, int]) -> None:
    if isinstance(data, tuple):
        damaged = bytearray(GOOD)
        damaged[data[0]] = data[1]
        data = bytes(damaged)
    try:
        row = decode_row(data)
    except MalformedBytes:
        return
    assert isinstance(row, Row)
    assert row.winner is None or isinstance(row.winner, Record)
