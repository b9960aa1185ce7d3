"""Updates taken apart into columns: byte for byte the same put together again, and no harm in any other bytes."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pycrdt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vademecum.engine.columns import join, split
from vademecum.engine.document import Document, merge_updates
from vademecum.engine.slots import SlotMap
from vademecum.errors import MalformedBytes

KEYS = st.sampled_from(["name␟u␟x", "diet␟a␟x", "tried.places␟a␟x", "köln␟a␟x"])
EDIT = st.tuples(st.sampled_from([SlotMap.LEAVES, SlotMap.RECEIPTS]), KEYS, st.none() | st.binary(max_size=9))
TRANSACTIONS = st.lists(st.lists(EDIT, min_size=1, max_size=4), min_size=1, max_size=8)


def written(document: Document, transactions: list[list[tuple[SlotMap, str, bytes | None]]]) -> list[bytes]:
    """The updates of each transaction; no data removes the key."""
    updates: list[bytes] = []
    for edits in transactions:
        with document.edit() as made:
            for slot_map, key, data in edits:
                if data is None:
                    document.remove(slot_map, key)
                else:
                    document.put(slot_map, key, data)
        updates += made
    return updates


@settings(max_examples=200)
@given(TRANSACTIONS, TRANSACTIONS, st.data())
def test_what_documents_make_is_the_same_again(
    mine: list[list[tuple[SlotMap, str, bytes | None]]],
    other: list[list[tuple[SlotMap, str, bytes | None]]],
    data: st.DataObject,
) -> None:
    first, second = Document(1), Document(2**52)
    foreign = written(second, other)
    for update in foreign:
        first.apply(update)
    updates = written(first, mine)
    wholes = [first.encode(), first.encode_own_since(data.draw(st.integers(0, first.own_clock()))), *updates]
    if updates:
        wholes.append(merge_updates([*foreign, *updates]))
        wholes.append(merge_updates(updates[data.draw(st.integers(0, len(updates) - 1)) :: 2]))  # with gaps
    for whole in wholes:
        parts = split(whole)
        assert parts is not None
        assert join(parts.frame, parts.values) == whole


def test_what_another_program_makes_is_left_as_it_is() -> None:
    document: pycrdt.Doc[Any] = pycrdt.Doc()
    document["text"] = pycrdt.Text("not ours")
    assert split(document.get_update()) is None
    document = pycrdt.Doc()
    document["map"] = pycrdt.Map({"number": 1.5, "list": [b"1", b"2"]})
    assert split(document.get_update()) is None


@given(st.binary(max_size=60))
def test_other_bytes_are_left_as_they_are_or_survive(data: bytes) -> None:
    parts = split(data)
    assert parts is None or join(parts.frame, parts.values) == data


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=3)
    | st.binary(max_size=9),
    lambda inner: st.lists(inner, max_size=5),
    max_leaves=40,
)


@given(st.lists(JSON, min_size=8, max_size=8), st.lists(st.binary(max_size=4), max_size=3))
def test_a_frame_that_is_none_is_refused_and_nothing_else_is_raised(frame: list[Any], values: list[bytes]) -> None:
    with suppress(MalformedBytes, TypeError, ValueError):
        join(frame, values)


@pytest.mark.parametrize("place", range(7))
@pytest.mark.parametrize("longer", [True, False])
def test_a_column_of_another_length_is_refused(place: int, longer: bool) -> None:
    document = Document(1)
    written(document, [[(SlotMap.LEAVES, "a", b"1")], [(SlotMap.LEAVES, "a", b"2"), (SlotMap.LEAVES, "b", b"3")]])
    parts = split(document.encode())
    assert parts is not None
    columns: list[Any] = [*map(list, parts.frame[1:7]), list(parts.values)]
    columns[place] = columns[place] * 2 if longer else columns[place][:-1]
    with pytest.raises(MalformedBytes):
        join([parts.frame[0], *columns[:6], parts.frame[7]], columns[6])
