"""Vectors in the database, and the indexes in memory that follow them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.box import PUBLIC, Box, boxes
from vademecum.engine import vectors
from vademecum.engine.replica import Transaction
from vademecum.engine.slots import SlotMap
from vademecum.engine.vector_cache import VectorCache
from vademecum.engine.view import row_key
from vademecum.storage.tables import Table

TAG = vectors.model_tag("model-1")
OTHER = vectors.model_tag("model-2")
DIMENSIONS = 4


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    with boxes(tmp_path, 1) as (made,):
        made.user.set("any", 1)  # so that the scope is there
        yield made


def number_of(box: Box) -> bytes:
    with box.replica.read() as view:
        number = view.number(PUBLIC)
    assert number is not None
    return number


def unit(place: int) -> Any:
    vector = np.zeros(DIMENSIONS, np.float32)
    vector[place] = 1
    return vector


def keep(box: Box, name: str, vector: Any, tag: bytes = TAG, text: bytes = b"h" * 16) -> None:
    def work(transaction: Transaction) -> None:
        vectors.keep(transaction, number_of(box), row_key(SlotMap.LEAVES, name), tag, text, vector)

    box.replica.write(work)


def drop(box: Box, name: str) -> None:
    box.replica.write(lambda transaction: vectors.drop(transaction, number_of(box), row_key(SlotMap.LEAVES, name)))


def changes(box: Box, after: int = 0, tag: bytes = TAG) -> list[tuple[str, bool]]:
    with box.replica.read() as view:
        found = list(vectors.changes_after(view, number_of(box), after, tag))
    return [(key[1:].decode(), vector is not None) for _, key, vector in found]


def nearest(cache: VectorCache, box: Box, vector: Any) -> list[str]:
    with box.replica.read() as view:
        index = cache.index(view, number_of(box), PUBLIC)
    return [entry.partition(":")[2] for entry, cosine in index.search(vector, 10) if cosine > 0.5]


def test_the_log_names_each_row_once_at_its_last_change(box: Box) -> None:
    for name in ("a", "b", "a", "c", "a"):
        keep(box, name, unit(0))
    drop(box, "b")
    assert changes(box) == [("c", True), ("a", True), ("b", False)]
    with box.replica.read() as view:
        assert sum(1 for _ in view.reader.keys(Table.VECTOR_LOG)) == 3


def test_dropping_what_has_no_vector_leaves_no_trace(box: Box) -> None:
    drop(box, "a")
    assert changes(box) == []


def test_a_vector_is_current_for_its_text_and_model_only(box: Box) -> None:
    keep(box, "a", unit(0))
    full = number_of(box) + row_key(SlotMap.LEAVES, "a")
    with box.replica.read() as view:
        assert vectors.is_current(view, full, TAG, b"h" * 16)
        assert not vectors.is_current(view, full, OTHER, b"h" * 16)
        assert not vectors.is_current(view, full, TAG, b"i" * 16)
    drop(box, "a")
    with box.replica.read() as view:
        assert not vectors.is_current(view, full, TAG, b"h" * 16)


def test_another_models_vector_counts_as_gone(box: Box) -> None:
    keep(box, "a", unit(0))
    keep(box, "b", unit(0), OTHER)
    assert changes(box) == [("a", True), ("b", False)]
    assert changes(box, tag=OTHER) == [("a", False), ("b", True)]


def test_an_index_in_memory_follows_what_is_kept_changed_and_dropped(box: Box, tmp_path: Path) -> None:
    cache = VectorCache(tmp_path, "model-1", DIMENSIONS)
    keep(box, "a", unit(0))
    keep(box, "b", unit(1))
    assert nearest(cache, box, unit(0)) == ["a"]
    keep(box, "a", unit(2))
    drop(box, "b")
    keep(box, "c", unit(1))
    assert nearest(cache, box, unit(0)) == []
    assert nearest(cache, box, unit(1)) == ["c"] and nearest(cache, box, unit(2)) == ["a"]


def test_dropping_all_empties_indexes_that_are_in_memory_already(box: Box, tmp_path: Path) -> None:
    cache = VectorCache(tmp_path, "model-1", DIMENSIONS)
    keep(box, "a", unit(0))
    assert nearest(cache, box, unit(0)) == ["a"]
    box.replica.write(vectors.drop_all)
    assert nearest(cache, box, unit(0)) == []


def test_an_index_in_memory_holds_its_own_models_vectors_only(box: Box, tmp_path: Path) -> None:
    first, second = (VectorCache(tmp_path, name, DIMENSIONS) for name in ("model-1", "model-2"))
    keep(box, "a", unit(0))
    keep(box, "b", unit(0), OTHER)
    assert nearest(first, box, unit(0)) == ["a"] and nearest(second, box, unit(0)) == ["b"]
