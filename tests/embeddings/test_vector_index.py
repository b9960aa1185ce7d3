"""The vector index: what it finds, how it deletes, how it is saved, and what damage does."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from numpy.typing import NDArray

from vademecum.embeddings.conditions import IndexDamaged
from vademecum.embeddings.vector_file import HEADER, decode
from vademecum.embeddings.vector_index import VectorIndex
from vademecum.errors import InvalidArgument, MalformedBytes, StorageTrouble

WRITER = Path(__file__).with_name("index_writer.py")
DIMENSIONS = 8
GRAPH_LIMIT = 32
"""So few vectors make a graph in these tests."""


def vectors(count: int, dimensions: int = DIMENSIONS, seed: int = 0) -> NDArray[np.float32]:
    rows = np.random.default_rng(seed).normal(size=(count, dimensions)).astype(np.float32)
    unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def names(count: int) -> list[str]:
    return [f"é{n}" for n in range(count)]


def make(count: int, *, graph: bool) -> VectorIndex:
    index = VectorIndex(DIMENSIONS, exact_limit=GRAPH_LIMIT if graph else 1_000_000)
    index.put(names(count), vectors(count))
    assert index.exact is not graph
    return index


@pytest.fixture(params=["rows", "graph"])
def index(request: pytest.FixtureRequest) -> VectorIndex:
    return make(200, graph=request.param == "graph")


def test_an_empty_index_finds_nothing() -> None:
    index = VectorIndex(DIMENSIONS)
    index.put([], [])
    index.delete(["absent"])
    assert (len(index), index.search(np.ones(DIMENSIONS), 5), index.ids()) == (0, [], set())


def test_the_nearest_come_first_with_their_cosines(index: VectorIndex) -> None:
    rows = vectors(200)
    asked = vectors(1, seed=9)[0]
    results = index.search(asked * 7.0, 10)
    cosines = rows @ asked
    assert [entry for entry, _ in results] == [f"é{n}" for n in np.argsort(-cosines)[:10]]
    assert np.allclose([score for _, score in results], np.sort(cosines)[::-1][:10], atol=1e-5)


def test_a_search_never_gives_fewer_than_it_could(index: VectorIndex) -> None:
    index.delete([f"é{n}" for n in range(15)])
    for k in (1, 50, 184, 185, 186, 10_000):
        results = index.search(np.ones(DIMENSIONS), k)
        assert len({entry for entry, _ in results}) == len(results) == min(k, 185)


def test_a_deleted_vector_is_neither_found_nor_kept(index: VectorIndex, tmp_path: Path) -> None:
    secret = vectors(200)[7]
    assert index.search(secret, 1)[0][0] == "é7"
    index.delete(["é7", "é7", "absent"])
    assert "é7" not in index and len(index) == 199
    assert "é7" not in {entry for entry, _ in index.search(secret, 199)}
    index.save(tmp_path / "x.vectors", sequence=1)
    data = (tmp_path / "x.vectors").read_bytes()
    assert secret.tobytes() not in data and vectors(200)[8].tobytes() in data


def test_a_deleted_entry_may_come_back(index: VectorIndex, tmp_path: Path) -> None:
    index.delete(["é7"])
    index.save(tmp_path / "x.vectors", sequence=1)
    loaded, _ = VectorIndex.load(tmp_path / "x.vectors", DIMENSIONS, exact_limit=GRAPH_LIMIT)
    for held in (index, loaded):
        held.put(["é7", "é7"], vectors(2, seed=5))
        assert held.search(vectors(2, seed=5)[1], 1)[0][0] == "é7"
        assert len(held) == 200


def test_deleting_most_of_a_graph_leaves_the_rest_found() -> None:
    index = make(200, graph=True)
    index.delete([f"é{n}" for n in range(100)])
    assert not index.exact
    assert index.search(vectors(200)[150], 1)[0][0] == "é150"
    index.delete([f"é{n}" for n in range(100, 190)])
    assert index.exact
    assert index.search(vectors(200)[195], 1)[0][0] == "é195"
    index.delete(index.ids())
    assert index.search(vectors(200)[195], 1) == []


def test_equal_vectors_are_all_found() -> None:
    index = VectorIndex(DIMENSIONS, exact_limit=GRAPH_LIMIT)
    index.put(names(300), np.ones((300, DIMENSIONS)))
    assert len(index.search(np.ones(DIMENSIONS), 300)) == 300


@pytest.mark.parametrize(
    "rows",
    [
        np.zeros((1, DIMENSIONS)),
        np.full((1, DIMENSIONS), np.nan),
        np.full((1, DIMENSIONS), np.inf),
        np.ones((1, 3)),
        [],
    ],
)
def test_what_has_no_direction_is_refused_and_changes_nothing(index: VectorIndex, rows: object) -> None:
    with pytest.raises(InvalidArgument):
        index.put(["new"], rows)  # type: ignore[arg-type]  # what is wrong with it is the point
    assert "new" not in index and len(index) == 200
    with pytest.raises(InvalidArgument):
        index.search(np.ones(3), 1)
    with pytest.raises(InvalidArgument):
        index.search(np.ones(DIMENSIONS), 0)


def test_the_graph_finds_what_comparing_all_finds() -> None:
    rows, asked = vectors(3_000, 64), vectors(50, 64, seed=3)
    graph, exact = VectorIndex(64, exact_limit=100), VectorIndex(64)
    graph.put(names(3_000), rows)
    exact.put(names(3_000), rows)
    shared = [
        len({entry for entry, _ in graph.search(one, 10)} & {entry for entry, _ in exact.search(one, 10)})
        for one in asked
    ]
    assert sum(shared) / 500 > 0.95


class AgainstADictionary(RuleBasedStateMachine):
    """The index beside a dictionary of the same vectors, crossing the limit between rows and graph both ways."""

    def __init__(self) -> None:
        super().__init__()
        self.index = VectorIndex(DIMENSIONS, exact_limit=12)
        self.model: dict[str, NDArray[np.float32]] = {}

    @rule(first=st.integers(0, 40), count=st.integers(1, 12), seed=st.integers(0, 1_000))
    def put(self, first: int, count: int, seed: int) -> None:
        ids = [str(n) for n in range(first, first + count)]
        rows = vectors(count, seed=seed)
        self.index.put(ids, rows)
        self.model.update(zip(ids, rows, strict=True))

    @rule(first=st.integers(0, 40), count=st.integers(1, 20))
    def delete(self, first: int, count: int) -> None:
        ids = [str(n) for n in range(first, first + count)]
        self.index.delete(ids)
        for entry in ids:
            self.model.pop(entry, None)

    @invariant()
    def agrees(self) -> None:
        assert self.index.ids() == self.model.keys()
        results = self.index.search(np.ones(DIMENSIONS), 100)
        assert {entry for entry, _ in results} == self.model.keys()
        direction = np.ones(DIMENSIONS) / DIMENSIONS**0.5
        for entry, score in results:
            assert abs(score - float(self.model[entry] @ direction)) < 1e-4


TestAgainstADictionary = AgainstADictionary.TestCase


def test_threads_share_one_index(index: VectorIndex) -> None:
    def work(name: int) -> None:
        for number in range(20):
            index.put([f"{name}-{number}"], vectors(1, seed=number))
            index.search(np.ones(DIMENSIONS), 5)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(index) == 280


# --- files ---


def test_what_is_saved_is_what_is_loaded(index: VectorIndex, tmp_path: Path) -> None:
    file = tmp_path / "deep" / "x.vectors"
    index.delete(["é3"])
    index.save(file, sequence=2**64 - 1)
    loaded, sequence = VectorIndex.load(file, DIMENSIONS, exact_limit=GRAPH_LIMIT)
    assert sequence == 2**64 - 1
    assert loaded.ids() == index.ids()
    asked = vectors(1, seed=4)[0]
    assert loaded.search(asked, 20) == index.search(asked, 20)


def test_an_empty_index_is_saved_and_loaded(tmp_path: Path) -> None:
    VectorIndex(DIMENSIONS).save(tmp_path / "x", sequence=0)
    loaded, sequence = VectorIndex.load(tmp_path / "x", DIMENSIONS)
    assert (len(loaded), sequence) == (0, 0)


def test_a_saved_graph_is_read_and_searched_without_hnswlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = make(200, graph=True)
    index.delete(["é3"])
    index.save(tmp_path / "x", sequence=5)
    monkeypatch.setitem(sys.modules, "hnswlib", None)
    loaded, sequence = VectorIndex.load(tmp_path / "x", DIMENSIONS, exact_limit=GRAPH_LIMIT)
    assert (sequence, loaded.exact, loaded.ids()) == (5, True, index.ids())
    asked = vectors(1, seed=4)[0]
    assert [entry for entry, _ in loaded.search(asked, 20)] == [entry for entry, _ in index.search(asked, 20)]
    loaded.put(["more"], vectors(1, seed=6))
    assert loaded.exact and loaded.search(vectors(1, seed=6)[0], 1)[0][0] == "more"


def test_saving_leaves_nothing_beside_the_file_but_its_lock(index: VectorIndex, tmp_path: Path) -> None:
    index.save(tmp_path / "x", sequence=1)
    VectorIndex.load(tmp_path / "x", DIMENSIONS)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".x.lock", "x"]


@pytest.mark.parametrize("sequence", [-1, 2**64])
def test_a_sequence_is_64_bits(index: VectorIndex, tmp_path: Path, sequence: int) -> None:
    with pytest.raises(InvalidArgument):
        index.save(tmp_path / "x", sequence=sequence)


def test_an_absent_file_and_one_of_another_model_are_to_be_filled_again(index: VectorIndex, tmp_path: Path) -> None:
    with pytest.raises(IndexDamaged, match="no vector index"):
        VectorIndex.load(tmp_path / "x", DIMENSIONS)
    index.save(tmp_path / "x", sequence=1)
    with pytest.raises(IndexDamaged, match="8 dimensions, and the model 384"):
        VectorIndex.load(tmp_path / "x", 384)


def test_a_folder_in_the_place_of_the_file_is_trouble(index: VectorIndex, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    with pytest.raises(StorageTrouble):
        VectorIndex.load(tmp_path / "x", DIMENSIONS)
    with pytest.raises(StorageTrouble):
        index.save(tmp_path / "x", sequence=1)


Damage = Callable[[bytes], bytes]
DAMAGES: dict[str, Damage] = {
    "emptied": lambda data: b"",
    "header cut": lambda data: data[:40],
    "cut": lambda data: data[: len(data) // 2],
    "last byte gone": lambda data: data[:-1],
    "longer": lambda data: data + b"\0",
    "zeroed": lambda data: bytes(len(data)),
    "text": lambda data: b"not an index" * 1_000,
    "magic": lambda data: b"X" + data[1:],
    "format": lambda data: data[:8] + b"\x09" + data[9:],
    "sequence": lambda data: data[:24] + b"\x77" + data[25:],
    "count": lambda data: data[:16] + b"\xff" * 8 + data[24:],
    "sizes": lambda data: data[:32] + b"\xff" * 16 + data[48:],
    "ids": lambda data: data[:81] + b"\xff" + data[82:],
    "payload": lambda data: data[:-100] + b"\xff\xff\xff\xff" + data[-96:],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_told_and_can_be_saved_over(index: VectorIndex, tmp_path: Path, damage: str) -> None:
    file = tmp_path / "x"
    index.save(file, sequence=1)
    file.write_bytes(DAMAGES[damage](file.read_bytes()))
    with pytest.raises(IndexDamaged, match="Fill it again"):
        VectorIndex.load(file, DIMENSIONS)
    index.save(file, sequence=2)
    assert VectorIndex.load(file, DIMENSIONS)[1] == 2


def sealed(data: bytes) -> bytes:
    """The same bytes with a checksum that matches them."""
    import hashlib

    return data[:48] + hashlib.sha256(data[:48] + data[HEADER.size :]).digest() + data[HEADER.size :]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, bytes]:
    file = tmp_path_factory.mktemp("saved") / "x"
    found = {}
    for graph in (False, True):
        make(60, graph=graph).save(file, sequence=1)
        found[graph] = file.read_bytes()
    return found


@given(graph=st.booleans(), at=st.integers(0, 10_000), junk=st.binary(min_size=1, max_size=12), end=st.booleans())
def test_bytes_that_were_changed_and_sealed_again_either_decode_or_are_malformed(
    saved: dict[bool, bytes], tmp_path_factory: pytest.TempPathFactory, graph: bool, at: int, junk: bytes, end: bool
) -> None:
    data = bytearray(saved[graph])
    at = at % len(data) if end else at % 400
    data[at : at + len(junk)] = junk
    file = tmp_path_factory.getbasetemp() / "changed"
    file.write_bytes(sealed(bytes(data)))
    try:
        decode(file.read_bytes())
    except MalformedBytes:
        return
    loaded, _ = VectorIndex.load(file, int.from_bytes(data[12:16], "little"))
    assert len(loaded.search(np.ones(loaded.dimensions), 100)) == len(loaded)


@given(st.binary(max_size=400))
def test_random_bytes_are_malformed(data: bytes) -> None:
    with pytest.raises(MalformedBytes):
        decode(data)


@pytest.mark.parametrize("limit", [16, 1_000_000], ids=["graph", "rows"])
def test_a_kill_while_saving_leaves_a_whole_file(tmp_path: Path, limit: int) -> None:
    file = tmp_path / "x"
    command = [sys.executable, str(WRITER), "vectors", str(file), "32", str(limit), "2000"]
    last = 0
    for rounds in (1, 3, 7):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(rounds):
                last = int(process.stdout.readline())
            process.kill()
        index, sequence = VectorIndex.load(file, 32, exact_limit=limit)
        assert len(index) == 2_000 and sequence >= last
        index.save(file, sequence=0)
        assert {path.name for path in tmp_path.iterdir()} <= {"x", ".x.lock", ".x.new"}


def test_a_reader_finds_a_whole_file_while_another_process_saves(tmp_path: Path) -> None:
    file = tmp_path / "x"
    command = [sys.executable, str(WRITER), "vectors", str(file), "32", "16", "500"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            seen = [VectorIndex.load(file, 32, exact_limit=16)[1] for _ in range(30)]
        finally:
            process.kill()
    assert seen == sorted(seen)
