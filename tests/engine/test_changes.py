"""The byte form of what a commit carries: round trips, damage, and how little a week of edits takes."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vademecum.engine.changes import Changes, Superseded, decode_changes, encode_changes
from vademecum.engine.clock import from_wall
from vademecum.engine.document import Document, merge_updates
from vademecum.engine.records import KINDS, USER, Record, encode_record
from vademecum.engine.slots import SlotMap, slot_key
from vademecum.errors import MalformedBytes

EATS = "prix/daily-eats@1.0.0"
NOW = 1_790_000_000_000

NAMES = st.sampled_from(["name", "diet", "tried.places"])


@st.composite
def superseded(draw: st.DrawFn) -> Superseded:
    order = draw(st.integers(1, 2**64 - 1))
    updated = draw(st.integers(-(2**47), 2**47))
    by_person = draw(st.booleans())
    record = Record(
        order=order,
        writer=USER if by_person else EATS,
        value=draw(st.none() | st.text(max_size=10) | st.lists(st.integers(-5, 5), max_size=2)),
        created=updated - draw(st.integers(0, 2**40)),
        updated=updated,
        seen=draw(st.integers(0, order)),
        heard=draw(st.sampled_from([0, order // 2])),
        kind=draw(st.sampled_from(KINDS)),
        receipts=tuple(draw(st.lists(st.text(max_size=8), max_size=2))),
        sentence=draw(st.none() | st.text(max_size=8)),
    )
    return Superseded(draw(st.sampled_from(SlotMap)), draw(NAMES), by_person, encode_record(record))


@settings(max_examples=300)
@given(st.binary(max_size=40), st.lists(superseded(), max_size=12))
def test_changes_survive_the_round_trip(update: bytes, records: list[Superseded]) -> None:
    changes = Changes(update, tuple(records))
    assert decode_changes(encode_changes(changes)) == changes


@settings(max_examples=300)
@given(st.data(), st.lists(superseded(), min_size=1, max_size=4))
def test_damaged_changes_are_refused_or_are_other_changes(data: st.DataObject, records: list[Superseded]) -> None:
    whole = bytearray(encode_changes(Changes(b"update", tuple(records))))
    for _ in range(data.draw(st.integers(1, 3))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    with suppress(MalformedBytes):
        decode_changes(bytes(whole))


@given(st.binary(max_size=200))
def test_random_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(MalformedBytes):
        decode_changes(b"\x95\x01" + data)


COLUMNS: list[list[Any]] = [[8], [0], [5], [0], [0], [""], ["x"], [0], [0]]


@pytest.mark.parametrize(
    "fields",
    [
        [],
        [2, b""],
        [1, "text"],
        [1, b"", []],
        [1, b"", [[1, "name", True]], [0], []],
        [1, b"", [[1, "name", True]], [0], COLUMNS[:-1]],
        [1, b"", [[1, "name", True]], [0, 0], COLUMNS],
        [1, b"", [[1, "name", True]], [1], COLUMNS],
        [1, b"", [[99, "name", True]], [0], COLUMNS],
        [1, b"", [[1, "", True]], [0], COLUMNS],
        [1, b"", [[1, "name", True]], [0], [*COLUMNS[:2], ["5"], *COLUMNS[3:]]],
        [1, b"", [[1, "name", True]], [0], [*COLUMNS[:7], [None], *COLUMNS[8:]]],
    ],
)
def test_what_no_encoder_made_is_refused(fields: list[Any]) -> None:
    with pytest.raises(MalformedBytes):
        decode_changes(msgpack.packb(fields))


def test_an_edit_that_only_repeats_its_slot_takes_the_difference_of_its_order_and_its_value() -> None:
    orders = [from_wall(NOW + 60_000 * edit) for edit in range(100)]
    records = [
        Record(order, USER, edit, NOW, NOW + 60_000 * edit, seen=orders[edit - 1] if edit else 0)
        for edit, order in enumerate(orders)
    ]
    changes = Changes(b"", tuple(Superseded(SlotMap.LEAVES, "n", True, encode_record(one)) for one in records))
    columns = msgpack.unpackb(encode_changes(changes))[4]
    seen, created = columns[1 + 2], columns[1 + 7]
    assert not any(seen) and not any(created)


def edited(count: int) -> bytes:
    """The update of *count* edits of ten leaves."""
    document = Document(7)
    updates: list[bytes] = []
    for edit in range(count):
        record = Record(from_wall(NOW + 1000 * edit), EATS, f"value {edit}", NOW, NOW + 1000 * edit)
        with document.edit() as made:
            document.put(SlotMap.LEAVES, slot_key(f"leaf.{edit % 10}", False, bytes(16)), encode_record(record))
        updates += made
    return merge_updates(updates)


def test_an_update_of_many_records_travels_in_columns() -> None:
    changes = Changes(edited(200))
    data = encode_changes(changes)
    assert isinstance(msgpack.unpackb(data)[1], list)
    assert decode_changes(data) == changes
    assert encode_changes(Changes(edited(2))).endswith(edited(2))


@settings(max_examples=300)
@given(st.data())
def test_a_damaged_update_in_columns_is_refused_or_is_another_one(data: st.DataObject) -> None:
    whole = bytearray(encode_changes(Changes(edited(40))))
    for _ in range(data.draw(st.integers(1, 3))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    with suppress(MalformedBytes):
        decode_changes(bytes(whole))


def test_random_updates_are_carried_unread() -> None:
    update = os.urandom(1000)
    assert decode_changes(encode_changes(Changes(update))) == Changes(update)
