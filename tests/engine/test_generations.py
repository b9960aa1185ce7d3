"""Beginning a new generation: nothing that counts is lost, all end alike, and the past goes on being told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.box import PUBLIC, Box, boxes
from vademecum.engine import audit
from vademecum.engine.document import Document
from vademecum.engine.documents import OpenDocument
from vademecum.engine.generations import Adopted, build_document, generation_of
from vademecum.engine.replica import Transaction
from vademecum.engine.sight import Sight
from vademecum.engine.slots import SlotMap
from vademecum.storage.tables import Table


@pytest.fixture
def three(tmp_path: Path) -> Iterator[list[Box]]:
    with boxes(tmp_path, 3) as made:
        yield made


def document(box: Box, scope: str = PUBLIC) -> dict[SlotMap, dict[str, bytes]]:
    """The document as a process finds it that has just begun."""

    def read(transaction: Transaction) -> dict[SlotMap, dict[str, bytes]]:
        number = transaction.number(scope)
        assert number is not None
        opened = OpenDocument(number, Document(1))
        opened.catch_up(transaction.writer)
        return {slot_map: opened.document.items(slot_map) for slot_map in SlotMap}

    return box.replica.write(read)


def rows(box: Box) -> dict[bytes, bytes]:
    with box.replica.read() as view:
        return dict(view.reader.scan(Table.LEAVES))


def told(box: Box, path: str) -> list[tuple[object, str, str]]:
    """What `why` tells of the past."""
    with box.replica.read() as view:
        return [(one.value, one.what, one.device.hex()) for one in audit.why(Sight(view, None), path).history]


def generation(box: Box) -> int:
    with box.replica.read() as view:
        return generation_of(view, PUBLIC)


def test_all_that_adopt_a_snapshot_end_alike_and_go_on_together(three: list[Box]) -> None:
    a, b, c = three
    a.user.set("name", "Alice")
    a.give(b, c)
    b.agent().remember("diet", ["vegetarian"], because="I eat no meat")
    b.give(a, c)
    snapshot = a.snapshot()
    assert snapshot.generation == 1 and generation(a) == 0  # taking it changes nothing
    for box in three:
        assert box.adopt(snapshot) == Adopted()
        assert generation(box) == 1
    b.user.set("name", "Alicia")
    b.give(a, c)
    a.agent().remember("diet", ["vegan"], because="no cheese either")
    a.give(b, c)
    for box in three:
        assert box.values() == {"name": "Alicia", "diet": ["vegan"]}
        assert document(box) == document(a) and rows(box) == rows(a)


def test_a_snapshot_of_a_generation_that_is_here_already_changes_nothing(three: list[Box]) -> None:
    a, _, _ = three
    a.user.set("a", 1)
    snapshot = a.snapshot()
    a.adopt(snapshot)
    a.user.set("a", 2)
    before = rows(a)
    assert a.adopt(snapshot) == Adopted() and rows(a) == before
    assert a.snapshot().generation == 2


def test_documents_built_from_one_snapshot_take_each_others_updates(three: list[Box]) -> None:
    a, b, _ = three
    a.user.set("a", {"x": 1, "y": 2})
    snapshot = a.snapshot()
    one, other = build_document(snapshot, 5001), build_document(b.replica and snapshot, 5002)
    assert one.encode() == other.encode()
    key = next(iter(one.items(SlotMap.LEAVES)))
    with one.edit() as first:
        one.put(SlotMap.LEAVES, key, b"by one")
    with other.edit() as second:
        other.remove(SlotMap.LEAVES, key)
        other.put(SlotMap.LEAVES, "new", b"by other")
    one.apply(second[0])
    other.apply(first[0])
    assert one.encode() == other.encode()


def test_another_process_of_the_device_goes_on_in_the_new_document(three: list[Box]) -> None:
    a, b, _ = three
    other = a.again()
    a.user.set("a", 1)
    other.user.set("b", 2)  # so that it holds the old document
    snapshot = a.snapshot()
    a.adopt(snapshot)
    b.adopt(snapshot)
    other.user.set("c", 3)
    a.user.set("d", 4)
    a.give(b)
    assert b.values() == a.values() == {"a": 1, "b": 2, "c": 3, "d": 4}
    assert document(a) == document(b)
    other.close()


def test_what_waits_to_be_sent_is_said_again_with_its_history(three: list[Box]) -> None:
    a, b, c = three
    a.user.set("a", 1)
    a.give(b, c)
    for value in (2, 3, 4):  # not sent
        b.user.set("b", value)
    snapshot = a.snapshot()
    a.adopt(snapshot)
    assert b.adopt(snapshot) == Adopted(0, 1, 0)
    c.adopt(snapshot)
    b.give(a, c)
    for box in three:
        assert box.values() == {"a": 1, "b": 4}
        assert told(box, "b") == [(value, "set", b.id.hex()) for value in (2, 3, 4)]
        assert document(box) == document(a)


def test_what_was_sealed_but_never_seen_by_the_others_is_said_again_with_its_history(three: list[Box]) -> None:
    a, b, _ = three
    a.user.set("a", 1)
    a.give(b)
    b.user.set("b", 1)
    b.user.set("b", 2)
    b.gather()  # sealed; then the commit is given up
    snapshot = a.snapshot()
    a.adopt(snapshot)
    assert b.adopt(snapshot).rewritten == 1
    b.give(a)
    assert a.values() == {"a": 1, "b": 2} and told(a, "b") == told(b, "b") and len(told(a, "b")) == 2


def test_a_device_that_joins_later_is_told_the_same_history(three: list[Box]) -> None:
    a, b, c = three
    for number in range(3):
        a.user.set("a", number)
        a.give(b)
        b.agent().remember("b", number, because="said")
        b.give(a)
    a.user.forget("b")
    a.give(b)
    snapshot = b.snapshot()
    for box in three:
        box.adopt(snapshot)
    for path in ("a", "b"):
        assert told(c, path) == told(a, path) == told(b, path)
    assert len(told(c, "a")) == 3 and [value for value, _, _ in told(c, "b")] == [None] * 4


def test_records_that_cannot_win_any_more_are_left_out(three: list[Box]) -> None:
    a, b, _ = three
    a.user.set("a", "by a")
    b.wall += 1000
    b.user.set("a", "by b")
    a.give(b)
    b.give(a)
    assert len(a.row("a").slots) == 2
    snapshot = a.snapshot()
    assert [held.slot.device for held in snapshot.slots] == [b.id]
    a.adopt(snapshot)
    b.adopt(snapshot)
    assert rows(a) == rows(b) and a.values() == {"a": "by b"}


def test_a_forgotten_agents_values_are_in_no_snapshot(three: list[Box]) -> None:
    a, b, c = three
    b.agent().remember("secret", "marker-one", because="marker-two")
    b.give(a, c)
    a.user.forget_agent("x/y")
    snapshot = a.snapshot()
    assert b"marker" not in repr(snapshot).encode()
    for box in three:
        box.adopt(snapshot)
    a.give(b, c)
    b.give(a, c)
    for box in three:
        assert box.values() == {}
        assert traces(box) == {}


def test_a_device_that_was_away_does_not_bring_back_what_was_forgotten(three: list[Box]) -> None:
    a, b, c = three
    b.agent().remember("old", "marker", because="marker")
    b.give(a, c)
    b.agent().remember("late", "marker", because="marker")  # not sent
    a.user.forget("old")
    a.user.forget_agent("x/y")
    a.give(c)
    for turn in (a, c):
        snapshot = turn.snapshot()
        for box in (a, c):
            box.adopt(snapshot)
            for one in (a, c):
                one.give(*(other for other in (a, c) if other is not one))
    b.adopt(snapshot)
    b.give(a, c)
    for box in three:
        assert box.values() == {}
        assert traces(box) == {}


def test_slots_that_the_snapshot_could_not_know_are_kept_where_the_caller_says_so(three: list[Box]) -> None:
    a, b, c = three
    b.user.set("b", 1)
    b.give(c)
    snapshot = a.snapshot()
    assert c.adopt(snapshot, beyond=[b.id]) == Adopted(0, 0, 1)
    assert c.values() == {"b": 1}
    a.adopt(snapshot)
    a.adopt(c.snapshot())
    assert a.values() == {"b": 1}


def traces(box: Box, marker: bytes = b"marker") -> dict[Table, int]:
    """Rows in which *marker* still stands, by table."""
    with box.replica.read() as view:
        found = {table: sum(marker in data for _, data in view.reader.scan(table)) for table in Table}
    return {table: count for table, count in found.items() if count}
