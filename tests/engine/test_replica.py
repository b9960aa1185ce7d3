"""The one path by which a replica changes: whole or not at all, stamped by a clock that never goes back."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.engine.box import NOW, PUBLIC, Box, boxes
from vademecum.engine.clock import MAX_AHEAD_MS, from_wall
from vademecum.engine.document import Document
from vademecum.engine.documents import OpenDocument
from vademecum.engine.records import Record
from vademecum.engine.replica import Transaction
from vademecum.engine.slots import SlotMap, slot_key
from vademecum.storage.environment import Environment
from vademecum.storage.tables import Table

YEAR = 365 * 86_400_000


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    with boxes(tmp_path, 1) as (made,):
        yield made


def order(box: Box, name: str) -> int:
    return box.row(name).slots[0].record.order


def contents(box: Box) -> dict[Table, list[tuple[bytes, bytes]]]:
    with box.replica.read() as view:
        return {table: list(view.reader.scan(table)) for table in Table}


def put_and_fail(transaction: Transaction) -> None:
    transaction.scope(PUBLIC).put(SlotMap.LEAVES, "a", Record(0, value="never"))
    transaction.scope("user.private").put(SlotMap.LEAVES, "a", Record(0, value="never"))
    raise LookupError


def test_a_write_that_raises_leaves_every_table_as_it_was(box: Box) -> None:
    box.user.set("a", 1)
    before = contents(box)
    with pytest.raises(LookupError):
        box.replica.write(put_and_fail)
    assert contents(box) == before


def test_a_write_brings_value_journal_outbox_and_the_request_to_index_together(box: Box) -> None:
    before = contents(box)
    box.user.set("a", 1)
    after = contents(box)
    changed = {table for table in Table if before[table] != after[table]}
    assert changed == {
        Table.META,
        Table.SCOPES,
        Table.DOCUMENTS,
        Table.LEAVES,
        Table.JOURNAL,
        Table.HISTORY,
        Table.REINDEX,
        Table.OUTBOX,
    }


def test_no_memory_is_there_without_its_request_to_be_indexed(tmp_path: Path) -> None:
    with boxes(tmp_path, 2) as (a, b):
        a.user.set("a", {"x": 1, "y": 2})
        a.agent().remember("b", 1, because="said")
        a.user.forget("a.x")
        a.give(b)
        for box in (a, b):
            with box.replica.read() as view:
                queued = {key[5:].decode() for key in view.reader.keys(Table.REINDEX)}
            assert queued >= {leaf.path for leaf in box.user.leaves()}
        with a.replica.read() as view:
            assert "a.x" in {key[5:].decode() for key in view.reader.keys(Table.REINDEX)}


def test_orders_rise_when_the_wall_clock_stands_or_goes_back(box: Box) -> None:
    orders = []
    for step in (0, 0, -YEAR, 5, YEAR, -YEAR):
        box.wall += step
        box.user.set("a", step)
        orders.append(order(box, "a"))
    assert orders == sorted(set(orders))


def test_orders_rise_across_a_restart_on_a_clock_that_went_back(box: Box) -> None:
    box.user.set("a", 1)
    first = order(box, "a")
    again = box.again()
    again.wall = NOW - YEAR
    again.user.set("b", 2)
    assert order(again, "b") > first
    again.close()


def test_a_record_from_next_year_is_kept_and_outranked_by_whoever_has_seen_it(tmp_path: Path) -> None:
    with boxes(tmp_path, 2) as (ahead, box):
        ahead.wall = NOW + YEAR
        ahead.user.set("a", "from the future")
        ahead.give(box)
        assert box.user.get("a") == "from the future"
        box.user.set("a", "now")
        assert box.user.get("a") == "now"
        box.give(ahead)
        assert ahead.user.get("a") == "now"


def test_a_record_from_next_year_does_not_drag_the_clock_along(tmp_path: Path) -> None:
    with boxes(tmp_path, 2) as (ahead, box):
        ahead.wall = NOW + YEAR
        ahead.user.set("a", 1)
        ahead.give(box)
        box.user.set("b", 2)
        assert order(box, "b") <= from_wall(NOW + MAX_AHEAD_MS) + 2


@pytest.fixture
def _hasty_threads() -> Iterator[None]:
    """Threads are interrupted as often as can be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("_hasty_threads")
def test_threads_write_side_by_side_while_others_of_them_fail(box: Box) -> None:
    """Neither what a failed write had put into the document, nor when it says so, may reach another thread's write."""
    failures: list[BaseException] = []

    def write(name: str) -> None:
        try:
            for number in range(40):
                box.user.set(f"{name}.n{number}", number)
                with pytest.raises(LookupError):
                    box.replica.write(put_and_fail)
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=write, args=(f"t{number}",)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(box.values()) == len(document_of(box)) == 480
    assert b"never" not in b"".join(document_of(box).values())


FORK = """
import os, sys
from pathlib import Path
from tests.engine.box import Box

box = Box(Path(sys.argv[1]), 1, new=False)
box.user.set("a", 1)
child = os.fork()
name = "parent" if child else "child"
for number in range(20):
    box.user.set(f"{name}{number}", number)
if not child:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert len(box.values()) == 41
box.close()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="nothing forks there")
def test_a_forked_child_and_its_parent_both_go_on_writing(box: Box) -> None:
    # in a process of its own: this one may have threads, and what has threads should not fork
    subprocess.run([sys.executable, "-c", FORK, str(box.folder)], check=True, timeout=60)
    assert len(box.values()) == 41
    assert set(document_of(box)) == set(keys_of(box))


def test_a_write_that_outgrows_the_map_is_done_once(tmp_path: Path) -> None:
    """The work runs again on a larger map; what the document had taken in the first time must be gone."""
    environment = Environment.create(tmp_path / "small", initial_map=1 << 19)
    box = Box(tmp_path / "small", 1, new=False)
    try:
        runs = 0

        def work(transaction: Transaction, turn: int) -> None:
            nonlocal runs
            runs += 1
            for number in range(20):
                value = os.urandom(2000).hex()
                transaction.scope(PUBLIC).put(SlotMap.LEAVES, f"t{turn}.n{number}", Record(0, value=value))

        for turn in range(20):
            box.replica.write(partial(work, turn=turn))
        assert runs > 20
        assert len(box.values()) == 400 and set(document_of(box)) == set(keys_of(box))
        with box.replica.read() as view:
            assert sum(1 for _ in view.reader.keys(Table.JOURNAL)) == 400
    finally:
        box.close()
        environment.close()


def test_a_write_inside_a_write_is_refused_and_changes_nothing(box: Box) -> None:
    def nested(transaction: Transaction) -> None:
        transaction.scope(PUBLIC).put(SlotMap.LEAVES, "outer", Record(0, value=1))
        box.user.set("inner", 1)

    with pytest.raises(RuntimeError):
        box.replica.write(nested)
    box.user.set("a", 1)
    assert box.values() == {"a": 1}


def document_of(box: Box) -> dict[str, bytes]:
    """The leaves' document as a process finds it that has just begun."""

    def read(transaction: Transaction) -> dict[str, bytes]:
        number = transaction.number(PUBLIC)
        assert number is not None
        document = Document(1)
        OpenDocument(number, document).catch_up(transaction.writer)
        return document.items(SlotMap.LEAVES)

    return box.replica.write(read)


def keys_of(box: Box) -> list[str]:
    with box.replica.read() as view:
        return [
            slot_key(name, slot.by_person, slot.device)
            for name, row in view.rows(PUBLIC, SlotMap.LEAVES)
            for slot in row.slots
        ]
