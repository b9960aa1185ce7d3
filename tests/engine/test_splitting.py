"""A long update in parts does what the whole does; what is not ours to split is said to be so."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.engine.document import Document
from vademecum.engine.slots import SlotMap
from vademecum.engine.splitting import NO_UPDATE, split_update
from vademecum.errors import MalformedBytes

LEAVES, GRANTS = SlotMap.LEAVES, SlotMap.GRANTS


def written(rng: random.Random, client: int = 1) -> tuple[Document, bytes, bytes]:
    """A document after some edits, the state of it that was sent before, and what was made since."""
    document, sent, since = Document(client), b"", 0
    steps = rng.randrange(1, 60)
    for step in range(steps):
        with document.edit():
            for _ in range(rng.randrange(1, 4)):
                slot_map, key = rng.choice([LEAVES, GRANTS]), f"key {rng.randrange(12)}"
                if rng.random() < 0.25:
                    document.remove(slot_map, key)
                else:
                    document.put(slot_map, key, rng.randbytes(rng.choice([0, 5, 60, 300])))
        if step == steps // 3:
            sent, since = document.encode(), document.own_clock()
    return document, sent, document.encode_own_since(since)


@given(st.randoms(use_true_random=False), st.integers(1, 2000))
def test_the_parts_applied_in_order_do_what_the_whole_does(rng: random.Random, limit: int) -> None:
    document, sent, update = written(rng)
    parts = split_update(update, limit)
    copy = Document(2)
    if sent:
        copy.load(sent)
    for part in parts:
        copy.apply(part)
    for slot_map in SlotMap:
        assert copy.items(slot_map) == document.items(slot_map)
    # nothing is left waiting: what comes next is understood
    with document.edit() as made:
        document.put(LEAVES, "next", b"next")
    assert copy.apply(made[0]) == {LEAVES: {"next": b"next"}}


@given(st.randoms(use_true_random=False))
def test_parts_are_as_long_as_they_may_be_but_for_a_single_operation(rng: random.Random) -> None:
    _, _, update = written(rng)
    parts = split_update(update, 500)
    assert all(len(part) <= 520 for part in parts[:-1])
    assert len(parts) <= 2 + len(update) // 100


def test_an_update_that_fits_is_left_as_it_is() -> None:
    _, _, update = written(random.Random(1))
    assert split_update(update, len(update)) == [update]


def test_the_update_that_changes_nothing_changes_nothing() -> None:
    document, _, _ = written(random.Random(2))
    before = document.encode()
    assert not any(document.apply(NO_UPDATE).values()) and document.encode() == before


def test_an_update_of_several_clients_is_not_split() -> None:
    one, two = written(random.Random(3), 1)[0], written(random.Random(4), 2)[0]
    one.load(two.encode())
    with pytest.raises(MalformedBytes):
        split_update(one.encode(), 10)


@given(st.binary(max_size=300))
def test_random_bytes_are_split_or_malformed(data: bytes) -> None:
    with suppress(MalformedBytes):
        split_update(data, 3)


@given(st.randoms(use_true_random=False))
def test_a_damaged_update_is_split_or_malformed(rng: random.Random) -> None:
    data = bytearray(written(rng)[2])
    for _ in range(rng.randrange(1, 4)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    with suppress(MalformedBytes):
        split_update(bytes(data), 50)
