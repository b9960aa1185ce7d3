"""What one client did last can be taken out of an update, as if it had never been done."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vademecum.engine.document import Document
from vademecum.engine.slots import SlotMap
from vademecum.engine.splitting import NO_UPDATE, cut_update
from vademecum.errors import MalformedBytes

ONE, OTHER = 11, 22
STEPS = st.lists(
    st.tuples(st.sampled_from([ONE, OTHER]), st.sampled_from("abcd"), st.binary(max_size=3) | st.none()), max_size=30
)


def run(steps: list[tuple[int, str, bytes | None]], keep: int | None = None) -> tuple[Document, list[bytes]]:
    """The document after *steps*; of ONE only the first *keep* operations where that is given. Each writes own keys."""
    documents = {ONE: Document(ONE), OTHER: Document(OTHER)}
    updates = []
    for client, name, data in steps:
        document = documents[client]
        with document.edit() as made:
            if data is None:
                document.remove(SlotMap.LEAVES, f"{name}{client}")
            else:
                document.put(SlotMap.LEAVES, f"{name}{client}", data)
        updates += made
        for other in documents.values():
            for update in made:
                other.load(update)
    return documents[OTHER], updates


@settings(max_examples=150, deadline=None)
@given(STEPS, st.integers(0, 20))
def test_what_is_left_is_what_was_there_less_what_was_cut_and_what_that_had_overwritten(
    steps: list[tuple[int, str, bytes | None]], keep: int
) -> None:
    whole, _ = run(steps)
    cut = Document(OTHER)
    cut.load(cut_update(whole.fold([whole.encode()]), ONE, keep))
    assert cut.clock(ONE) == min(keep, whole.clock(ONE)) and cut.clock(OTHER) == whole.clock(OTHER)
    placed: dict[str, int] = {}
    clock = 0
    for client, name, data in steps:
        if client == ONE and data is not None:
            placed[f"{name}{ONE}"] = clock
            clock += 1
    left = {
        key: data
        for key, data in whole.items(SlotMap.LEAVES).items()
        if not key.endswith(str(ONE)) or placed[key] < keep
    }
    assert cut.items(SlotMap.LEAVES) == left


@settings(max_examples=60, deadline=None)
@given(STEPS, st.integers(0, 12))
def test_what_was_cut_can_come_again_from_elsewhere(steps: list[tuple[int, str, bytes | None]], keep: int) -> None:
    whole, updates = run(steps)
    cut = Document(OTHER)
    cut.load(cut_update(whole.encode(), ONE, keep))
    for update in updates:
        cut.load(update)
    assert cut.items(SlotMap.LEAVES) == whole.items(SlotMap.LEAVES)
    assert cut.clock(ONE) == whole.clock(ONE)


def test_nothing_is_cut_where_nothing_is_to_be() -> None:
    whole, _ = run([(ONE, "a", b"1"), (OTHER, "b", b"2")])
    assert cut_update(whole.encode(), 33, 0) == whole.encode()
    assert cut_update(NO_UPDATE, ONE, 0) == NO_UPDATE


@given(st.binary(max_size=60))
def test_any_bytes_are_cut_or_malformed(data: bytes) -> None:
    with suppress(MalformedBytes):
        cut_update(data, ONE, 1)


def test_what_is_not_ours_is_refused() -> None:
    with pytest.raises(MalformedBytes):
        cut_update(b"\x01\x01\x0b\x00\x04\x01\x01a\x03abc\x00", ONE, 0)
