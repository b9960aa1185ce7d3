"""A scope's document: bytes in, bytes out; what an update changed; damage that is an error and nothing else."""

from __future__ import annotations

import random
from contextlib import suppress

import pycrdt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.engine.document import Document, merge_updates
from vademecum.engine.slots import SlotMap
from vademecum.errors import MalformedBytes

LEAVES, GRANTS = SlotMap.LEAVES, SlotMap.GRANTS


def put(document: Document, **values: bytes) -> bytes:
    with document.edit() as made:
        for key, value in values.items():
            document.put(LEAVES, key, value)
    return made[0]


def test_what_is_put_comes_back_as_the_same_bytes() -> None:
    document = Document(1)
    put(document, a=b"\x00\xff" * 10, b=b"")
    assert document.items(LEAVES) == {"a": b"\x00\xff" * 10, "b": b""}
    assert type(document.get(LEAVES, "a")) is bytes
    assert document.get(LEAVES, "c") is None and document.items(GRANTS) == {}


def test_an_edit_yields_one_update_that_brings_another_document_up_to_date() -> None:
    here, there = Document(1), Document(2)
    update = put(here, a=b"1", b=b"2")
    assert there.apply(update) == {LEAVES: {"a": b"1", "b": b"2"}}
    assert there.items(LEAVES) == here.items(LEAVES)


def test_an_edit_that_changes_nothing_yields_nothing() -> None:
    document = Document(1)
    with document.edit() as made:
        document.remove(LEAVES, "absent")
    assert made == []


def test_a_removal_is_reported_without_data() -> None:
    here, there = Document(1), Document(2)
    there.apply(put(here, a=b"1"))
    with here.edit() as made:
        here.remove(LEAVES, "a")
    assert there.apply(made[0]) == {LEAVES: {"a": None}}


def test_an_update_applied_twice_changes_nothing_the_second_time() -> None:
    here, there = Document(1), Document(2)
    update = put(here, a=b"1")
    there.apply(update)
    assert not any(there.apply(update).values())


def test_what_was_overwritten_is_not_in_the_state() -> None:
    document = Document(1)
    for number in range(20):
        put(document, a=b"overwritten-%d" % number)
    put(document, a=b"last")
    state = document.encode()
    assert b"overwritten" not in state and b"last" in state
    copy = Document(2)
    copy.load(state)
    assert copy.items(LEAVES) == {"a": b"last"}


def test_what_this_client_made_since_leaves_out_what_others_made_and_what_was_sent() -> None:
    here, there = Document(1), Document(2)
    here.apply(put(there, theirs=b"theirs"))
    put(here, sent=b"already")
    since = here.own_clock()
    put(here, news=b"news")
    update = here.encode_own_since(since)
    assert b"news" in update and b"already" not in update and b"theirs" not in update


def test_a_folded_state_still_deletes_what_arrives_only_later() -> None:
    author, remover, late = Document(1), Document(2), Document(3)
    update = put(author, a=b"1")
    remover.apply(update)
    with remover.edit() as made:
        remover.remove(LEAVES, "a")
    late.apply(made[0])
    folded = Document(4)
    folded.load(late.fold([made[0]]))
    folded.load(folded.fold([late.fold([made[0]])]))
    assert not any(folded.apply(update).values()) and folded.items(LEAVES) == {}


def test_merged_updates_do_what_all_of_them_do() -> None:
    here, there = Document(1), Document(2)
    updates = [put(here, **{f"k{number}": b"%d" % number}) for number in range(30)]
    there.apply(merge_updates(updates))
    assert there.items(LEAVES) == here.items(LEAVES)


def test_a_value_that_is_not_bytes_is_reported_as_no_bytes_and_does_not_raise() -> None:
    foreign: pycrdt.Doc[object] = pycrdt.Doc(client_id=9)
    leaves = foreign.get("leaves", type=pycrdt.Map)
    leaves["text"], leaves["number"], leaves["map"] = "text", 3.5, pycrdt.Map({"x": 1})
    assert Document(1).apply(foreign.get_update()) == {LEAVES: {"text": b"", "number": b"", "map": b""}}


def _sample() -> bytes:
    document = Document(1)
    put(document, a=b"1" * 50, b=b"2")
    with document.edit():
        document.remove(LEAVES, "a")
    return document.encode()


SAMPLE = _sample()


@given(st.binary(max_size=200))
def test_random_bytes_are_malformed_or_an_update(data: bytes) -> None:
    with suppress(MalformedBytes):
        Document(1).apply(data)


@given(st.randoms(use_true_random=False))
def test_a_damaged_update_is_malformed_or_an_update(rng: random.Random) -> None:
    data = bytearray(SAMPLE)
    for _ in range(rng.randrange(1, 4)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    if rng.random() < 0.3:
        del data[rng.randrange(len(data)) :]
    with suppress(MalformedBytes):
        Document(1).apply(bytes(data))
        merge_updates([bytes(data), SAMPLE])


@pytest.mark.parametrize("data", [b"", b"\xff", b"\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", SAMPLE[:-1]])
def test_what_is_no_update_is_malformed(data: bytes) -> None:
    with pytest.raises(MalformedBytes):
        Document(1).apply(data)
