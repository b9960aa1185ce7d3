"""The indexer: late, twice, in two processes, out of order, and always towards what stands now."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.box import PUBLIC, Box, boxes
from vademecum.engine import vectors
from vademecum.engine.indexing import Indexer, entry_id, index_text, parse_entry_id
from vademecum.engine.records import Record
from vademecum.engine.slots import SlotMap
from vademecum.storage.tables import Table


class Letters:
    """A model that counts letters, and can do something in between."""

    model_id, dimensions = "letters-1", 26

    def __init__(self) -> None:
        self.embedded: list[str] = []
        self.meanwhile = lambda: None

    def embed(self, texts: Sequence[str], progress: object = None) -> Any:
        self.embedded += texts
        self.meanwhile()
        return np.array([[text.count(chr(97 + letter)) + 0.01 for letter in range(26)] for text in texts], np.float32)


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    with boxes(tmp_path, 1) as (made,):
        yield made


@pytest.fixture
def indexer(box: Box, tmp_path: Path) -> Iterator[Indexer]:
    made = Indexer(box.replica, tmp_path / "index")
    yield made
    made.close()


def words(indexer: Indexer, query: str, scope: str = PUBLIC) -> list[str]:
    return sorted(parse_entry_id(entry)[1] for entry, _ in indexer.text.search(scope, query, 100))


def with_vectors(box: Box) -> set[str]:
    with box.replica.read() as view:
        number = view.number(PUBLIC)
        assert number is not None
        tag = vectors.model_tag(Letters.model_id)
        return {
            key[1:].decode() for _, key, vector in vectors.changes_after(view, number, 0, tag) if vector is not None
        }


def test_what_is_indexed_of_a_leaf_are_the_words_of_its_path_and_its_sentence() -> None:
    assert index_text(SlotMap.LEAVES, "pets.dog", Record(1, value="Rex")) == "pets dog: Rex"
    long = Record(1, value="We met Rex at the harbour")
    assert index_text(SlotMap.LEAVES, "pets.dog", long) == "pets dog: We met Rex at the harbour"
    assert index_text(SlotMap.LEAVES, "pets", Record(1, value=1, sentence="She has one dog")) == "pets: She has one dog"
    assert index_text(SlotMap.MESSAGES, "m1", Record(1, value=["Bo", "hello"])) == "Bo: hello"
    assert index_text(SlotMap.MESSAGES, "m1", Record(1, value=["tool", "hello", "search"])) is None


def test_an_entrys_id_names_its_map_and_name() -> None:
    for slot_map, name in ((SlotMap.LEAVES, "a.b"), (SlotMap.MESSAGES, "s:1:x")):
        assert parse_entry_id(entry_id(bytes([slot_map]) + name.encode())) == (slot_map, name)


def test_draining_empties_the_queue_and_a_second_time_does_nothing(box: Box, indexer: Indexer) -> None:
    box.user.set("a", {"x": "zebra", "y": "zebra"})
    assert indexer.waiting() == (2, 0)
    seen: list[tuple[int, int]] = []
    assert indexer.drain_text(lambda done, total: seen.append((done, total))) == 2
    assert seen == [(2, 2)] and indexer.waiting() == (0, 2)
    assert indexer.drain_text() == 0
    model = Letters()
    assert indexer.drain_vectors(model) == 2 and indexer.waiting() == (0, 0)
    assert indexer.drain_vectors(model) == 0 and len(model.embedded) == 2
    assert words(indexer, "zebra") == ["a.x", "a.y"] and with_vectors(box) == {"a.x", "a.y"}


def test_a_change_while_the_old_text_is_embedded_asks_again(box: Box, indexer: Indexer) -> None:
    box.user.set("a", "zebra")
    indexer.drain_text()
    model = Letters()

    def change() -> None:
        model.meanwhile = lambda: None
        box.user.set("a", "giraffe")
        indexer.drain_text()

    model.meanwhile = change
    indexer.drain_vectors(model)
    assert model.embedded == ["a: zebra", "a: giraffe"]
    assert words(indexer, "giraffe") == ["a"] and words(indexer, "zebra") == []
    with box.replica.read() as view:
        number = view.number(PUBLIC)
        assert number is not None
        ((_, _, kept),) = vectors.changes_after(view, number, 0, vectors.model_tag(model.model_id))
    assert kept == Letters().embed(["a: giraffe"])[0].astype("<f2").tobytes()


def test_a_deletion_while_the_text_is_embedded_leaves_no_vector(box: Box, indexer: Indexer) -> None:
    box.user.set("a", "zebra")
    box.user.set("b", "zebra")
    indexer.drain_text()
    model = Letters()

    def forget() -> None:
        model.meanwhile = lambda: None
        box.user.forget("a")
        indexer.drain_text()

    model.meanwhile = forget
    indexer.drain_vectors(model)
    assert with_vectors(box) == {"b"} and words(indexer, "zebra") == ["b"]
    assert indexer.waiting() == (0, 0)


def test_two_indexers_at_once_end_in_the_same_indexes(box: Box, tmp_path: Path) -> None:
    for number in range(150):
        box.user.set(f"n{number}", f"zebra {number}")
    other = box.again()
    pair = [Indexer(box.replica, tmp_path / "index"), Indexer(other.replica, tmp_path / "index")]
    models = [Letters(), Letters()]
    failures: list[BaseException] = []

    def drain(indexer: Indexer, model: Letters) -> None:
        try:
            indexer.drain_text()
            indexer.drain_vectors(model)
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=drain, args=each) for each in zip(pair, models, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert pair[0].waiting() == (0, 0)
    assert len(words(pair[0], "zebra")) == 100 and pair[0].text.count(PUBLIC) == 150
    assert len(with_vectors(box)) == 150
    for indexer in pair:
        indexer.close()
    other.close()


def test_a_drain_of_vectors_stops_after_its_time_and_goes_on_later(box: Box, indexer: Indexer) -> None:
    for number in range(150):
        box.user.set(f"n{number}", number)
    indexer.drain_text()
    assert 0 < indexer.drain_vectors(Letters(), seconds=0.0) < 150
    assert indexer.drain_vectors(Letters()) > 0 and indexer.waiting() == (0, 0)


def test_an_index_that_was_never_filled_is_filled_from_the_rows_though_nothing_waits(box: Box, tmp_path: Path) -> None:
    box.user.set("a", "zebra")
    first = Indexer(box.replica, tmp_path / "index")
    first.drain_text()
    first.close()
    fresh = Indexer(box.replica, tmp_path / "elsewhere")
    fresh.drain_text()
    assert words(fresh, "zebra") == ["a"]
    fresh.close()


def test_rebuilding_asks_for_every_living_row_and_no_other(box: Box, indexer: Indexer) -> None:
    box.user.set("a", "zebra")
    box.user.set("gone", "zebra")
    box.user.forget("gone")
    indexer.drain_text()
    indexer.drain_vectors(Letters())
    indexer.rebuild()
    assert indexer.waiting()[0] == 1 and words(indexer, "zebra") == [] and with_vectors(box) == set()
    indexer.drain_text()
    indexer.drain_vectors(Letters())
    assert words(indexer, "zebra") == ["a"] and with_vectors(box) == {"a"}


def test_a_change_of_model_asks_for_new_vectors_and_only_once(box: Box, indexer: Indexer) -> None:
    box.user.set("a", "zebra")
    model = Letters()
    assert indexer.change_model(model) is False  # the first model is no change
    indexer.drain_text()
    indexer.drain_vectors(model)
    assert indexer.change_model(model) is False and indexer.waiting() == (0, 0)
    other = Letters()
    other.model_id = "letters-2"  # type: ignore[misc]
    assert indexer.change_model(other) is True and indexer.waiting() == (0, 1)


def test_what_arrives_from_another_device_is_queued_like_what_is_written_here(tmp_path: Path) -> None:
    with boxes(tmp_path, 2) as (a, b):
        a.user.set("a", "zebra")
        a.user.set("b", "zebra")
        a.give(b)
        indexer = Indexer(b.replica, tmp_path / "index")
        indexer.drain_text()
        assert words(indexer, "zebra") == ["a", "b"]
        a.user.forget("a")
        a.give(b)
        indexer.drain_text()
        assert words(indexer, "zebra") == ["b"]
        indexer.close()


def test_tickets_hold_the_order_of_the_change_that_asked(box: Box) -> None:
    box.user.set("a", 1)
    with box.replica.read() as view:
        ((_, ticket),) = view.reader.scan(Table.REINDEX)
    assert int.from_bytes(ticket, "big") == box.row("a").newest
