"""Documents in the database: several processes, folding, and transactions that fail."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.box import PUBLIC, Box, boxes
from vademecum.engine import documents
from vademecum.engine.checking import check_replica
from vademecum.engine.document import Document
from vademecum.engine.documents import OpenDocument
from vademecum.engine.records import Record
from vademecum.engine.replica import Transaction
from vademecum.engine.slots import SlotMap
from vademecum.storage.tables import Table


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    with boxes(tmp_path, 1) as (made,):
        yield made


def rows_kept(box: Box) -> int:
    with box.replica.read() as view:
        return sum(1 for _ in view.reader.scan(Table.DOCUMENTS))


def fold(box: Box) -> None:
    box.replica.write(lambda transaction: transaction.scope(PUBLIC)._open.fold(transaction.writer))


def kept(box: Box, scope: str = PUBLIC) -> dict[str, bytes]:
    """The document as a process finds it that has just begun."""

    def read(transaction: Transaction) -> dict[str, bytes]:
        number = transaction.number(scope)
        assert number is not None
        document = Document(1)
        OpenDocument(number, document).catch_up(transaction.writer)
        return document.items(SlotMap.LEAVES)

    return box.replica.write(read)


def test_a_process_sees_what_another_one_wrote_before_it_writes(box: Box) -> None:
    other = box.again()
    for number in range(10):
        (box, other)[number % 2].user.set(f"n{number}", number)
    assert len(kept(box)) == 10
    box.user.set("n0", "again")  # written through one, last seen by the other
    other.user.set("n0", "last")
    assert len(kept(box)) == 10 and box.user.get("n0") == "last"
    other.close()


def test_folding_keeps_what_is_there_and_drops_what_was_overwritten(box: Box) -> None:
    for number in range(40):
        box.user.set("a", f"overwritten {number}")
    box.user.set("a", "last")
    before = kept(box)
    fold(box)
    assert rows_kept(box) == 1 and kept(box) == before
    with box.replica.read() as view:
        ((_, data),) = view.reader.scan(Table.DOCUMENTS)
    assert b"overwritten" not in data


def test_a_process_that_held_the_document_before_another_folded_it_goes_on(box: Box) -> None:
    other = box.again()
    other.user.set("theirs", 1)
    for number in range(20):
        box.user.set(f"n{number}", number)
    fold(box)
    other.user.set("theirs", 2)
    box.user.set("ours", 3)
    fold(other)
    box.user.set("ours", 4)
    assert len(kept(box)) == 22 and box.user.get("ours") == 4 and other.user.get("theirs") == 2
    other.close()


def test_updates_are_folded_when_they_outweigh_the_state(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "FOLD_BYTES", 2000)
    for number in range(60):
        box.user.set("a", f"value {number} " + "x" * 100)
    assert rows_kept(box) < 20
    assert box.user.get("a").startswith("value 59")


def test_updates_are_folded_when_there_are_many(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "FOLD_COUNT", 10)
    for number in range(35):
        box.user.set(f"n{number}", number)
    assert rows_kept(box) <= 11 and len(kept(box)) == 35


def test_a_write_that_fails_after_it_changed_the_document_leaves_nothing_for_the_next_one(box: Box) -> None:
    box.user.set("a", 1)

    def fail(transaction: Transaction) -> None:
        transaction.scope(PUBLIC).put(SlotMap.LEAVES, "a", Record(0, value="never"))
        transaction.scope(PUBLIC).put(SlotMap.LEAVES, "b", Record(0, value="never"))
        raise LookupError

    with pytest.raises(LookupError):
        box.replica.write(fail)
    box.user.set("c", 3)
    assert box.values() == {"a": 1, "c": 3}
    assert len(kept(box)) == 2 and b"never" not in b"".join(kept(box).values())


def test_a_removal_that_arrives_before_what_it_removes_survives_a_fold_and_a_restart(tmp_path: Path) -> None:
    with boxes(tmp_path, 3) as (a, b, c):
        b.agent().remember("p", "earlier", because="said")
        earlier = b.gather()
        a.take(b.id, earlier)
        a.agent().remember("p", "later", because="said")  # makes the earlier one hopeless, and removes it
        later = a.gather()
        c.take(a.id, later, complete=False)
        fold(c)
        again = c.again()
        again.take(b.id, earlier)
        again.close()
        c.user.set("other", 1)
        assert c.values() == {"p": "later", "other": 1}
        assert len(c.row("p").slots) == len(a.row("p").slots) == 1
        assert {key for key in kept(c) if key.startswith("p")} == {key for key in kept(a) if key.startswith("p")}


def test_few_documents_are_held_and_those_let_go_are_loaded_again(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "HELD", 2)
    talks = [box.agent().session(f"s{number}") for number in range(5)]
    for turn in range(3):
        for talk in talks:
            talk.log("user", f"turn {turn}")
            assert len(box.replica._documents._open) <= 2
    assert all([one.text for one in talk.messages()] == ["turn 0", "turn 1", "turn 2"] for talk in talks)
    with box.replica.read() as view:
        assert not list(check_replica(view))
