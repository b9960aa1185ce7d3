"""Contracts of snapshots at a relay: which may take the place of a log, and what is then left of it."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.transport.family import found
from tests.transport.relay_store_process import STEPS, ended
from vademecum.transport.commit import NO_PREVIOUS
from vademecum.transport.frames import BEGINNING, Commits, End, Frame, Pull, frontier_digest
from vademecum.transport.frames import Part as PartFrame
from vademecum.transport.keys import DeviceKeys
from vademecum.transport.relay.answers import Answer
from vademecum.transport.relay.lmdb_store import LmdbStore
from vademecum.transport.relay.snapshots import MAX_STAGED
from vademecum.transport.relay.store import Arrival, Place, SnapshotPart
from vademecum.transport.snapshot import parse_part, seal_snapshot, snapshot_id

VAULT, CHANNEL, SECOND = b"V" * 16, b"C" * 16, b"D" * 16
KEYS = [DeviceKeys(bytes([number]) * 32, bytes(32)) for number in range(8)]
ALICE, BOB = KEYS[0].device, KEYS[1].device


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LmdbStore]:
    one = LmdbStore.open(tmp_path, initial_map=1 << 20)
    yield one
    one.close()


def name(seq: int, salt: bytes = b"") -> bytes:
    return NO_PREVIOUS if seq == 0 else (salt + seq.to_bytes(8, "big")).rjust(32, b"h")


def arrival(seq: int, device: bytes = ALICE, *, generation: int = 0, data: bytes = bytes(50)) -> Arrival:
    return Arrival(VAULT, CHANNEL, device, seq, name(seq - 1), name(seq), data, generation)


def offer(
    frontier: Mapping[bytes, int | tuple[int, bytes]],
    generation: int = 1,
    *,
    author: int = 0,
    channel: bytes = CHANNEL,
    content: bytes = b"content",
) -> list[SnapshotPart]:
    parts = seal_snapshot(
        KEYS[author],
        bytes(32),
        vault=VAULT,
        channel=channel,
        epoch=1,
        generation=generation,
        frontier={who: (seq, name(seq)) if isinstance(seq, int) else seq for who, seq in frontier.items()},
        scope="user.public",
        content=content,
        entropy=os.urandom,
    )
    return [SnapshotPart(VAULT, parse_part(part), part, found().roster) for part in parts]


def base_of(parts: list[SnapshotPart]) -> tuple[int, bytes]:
    return parts[-1].part.generation, snapshot_id(parts[-1].data)


def kept(store: LmdbStore, table: str) -> int:
    with store._env.begin() as txn:
        return int(txn.stat(store._db[table])["entries"])


def test_a_snapshot_takes_the_place_of_the_log_and_the_chains_go_on_from_its_frontier(store: LmdbStore) -> None:
    store.commit([arrival(1), arrival(2), arrival(1, BOB)])
    parts = offer({ALICE: 2, BOB: 1})
    assert store.commit(parts) == [Place(3, fresh=True)]
    page = store.read_after(VAULT, CHANNEL, 0, {}, 1 << 20)
    assert (page.entries, page.seq, page.base) == ((), 3, base_of(parts))
    assert page.frontier == {ALICE: (2, name(2)), BOB: (1, name(1))}
    assert store.heads(VAULT) == ((CHANNEL, 3, frontier_digest(page.frontier, base_of(parts))),)
    assert store.part(VAULT, CHANNEL, base_of(parts), 0) == parts[0].data
    assert store.part(VAULT, CHANNEL, base_of(parts), 1) is None
    assert store.part(VAULT, CHANNEL, (1, bytes(16)), 0) is None
    assert store.commit([arrival(3, generation=1)]) == [Place(4, 3, fresh=True)]
    assert kept(store, "chains") == kept(store, "log") == 1


def test_a_commit_of_another_generation_is_refused_whatever_its_place(store: LmdbStore) -> None:
    store.commit([arrival(1), *offer({ALICE: 1})])
    for one in (arrival(1), arrival(2), arrival(2, generation=2), arrival(1, BOB), arrival(3)):
        assert store.commit([one]) == [Place(reason="generation")]
    assert store.commit([arrival(2, generation=1)]) == [Place(2, 1, fresh=True)]
    assert store.commit([arrival(2, generation=1)]) == [Place(2, 1)]


def test_a_snapshot_that_lacks_what_the_relay_holds_is_declined_and_changes_nothing(store: LmdbStore) -> None:
    store.commit([arrival(1), arrival(2), arrival(1, BOB)])
    before = store.heads(VAULT)
    assert store.commit(offer({ALICE: 1, BOB: 1})) == [Place(reason="behind")]
    assert store.commit(offer({ALICE: 2})) == [Place(reason="behind")]
    assert store.commit(offer({ALICE: (2, bytes(32)), BOB: 1})) == [Place(reason="fork")]
    assert store.heads(VAULT) == before
    assert store.base(VAULT, CHANNEL) == BEGINNING
    assert kept(store, "parts") == kept(store, "staged") == 0


def test_of_two_snapshots_of_one_generation_the_first_wins(store: LmdbStore) -> None:
    store.commit([arrival(1)])
    one, two = offer({ALICE: 1}), offer({ALICE: 1}, author=1)
    assert store.commit([*one, *two]) == [Place(1, fresh=True), Place(reason="superseded")]
    assert store.base(VAULT, CHANNEL) == base_of(one)
    three = offer({ALICE: 1}, 2, author=1)
    store.commit(three)
    assert store.base(VAULT, CHANNEL) == base_of(three)
    assert kept(store, "parts") == 1, "one snapshot is kept and not two"


def test_a_commit_that_comes_between_the_parts_makes_the_snapshot_stale(store: LmdbStore) -> None:
    store.commit([arrival(1)])
    first, *rest = offer({ALICE: 1}, content=os.urandom(1_200_000))
    assert store.commit([first]) == [Place()]
    store.commit([arrival(2)])
    assert store.commit(rest) == [Place(), Place(reason="behind")]
    assert len(store.read_after(VAULT, CHANNEL, 0, {}, 1 << 20).entries) == 2
    assert kept(store, "parts") == kept(store, "staged") == 0


def test_parts_that_do_not_follow_are_declined_and_a_first_one_begins_anew(store: LmdbStore) -> None:
    store.commit([arrival(1)])
    one, two = (offer({ALICE: 1}, content=os.urandom(1_200_000)) for _ in range(2))
    assert store.commit([one[1]]) == [Place(reason="parts")]
    assert store.commit([one[0], two[1]]) == [Place(), Place(reason="parts")]
    assert store.commit([one[1]]) == [Place(reason="parts")], "the whole offer was dropped"
    assert store.commit([one[0], one[1], *two]) == [Place(), Place(), Place(), Place(), Place(1, fresh=True)]
    assert store.base(VAULT, CHANNEL) == base_of(two)
    assert kept(store, "parts") == 3


def test_snapshots_that_are_coming_in_are_few_and_the_first_begun_gives_way(store: LmdbStore) -> None:
    offers = [offer({ALICE: 1}, author=number, content=os.urandom(600_000)) for number in range(MAX_STAGED + 1)]
    for parts in offers:
        assert store.commit([parts[0]]) == [Place()]
    assert kept(store, "staged") == kept(store, "parts") == MAX_STAGED
    assert store.commit([offers[0][1]]) == [Place(reason="parts")]
    assert store.commit([offers[1][1]]) == [Place(0, fresh=True)]
    assert kept(store, "staged") == 0, "the others cannot win any more"


def test_what_was_coming_in_when_the_relay_stopped_is_dropped(tmp_path: Path) -> None:
    store = LmdbStore.open(tmp_path)
    parts = offer({ALICE: 1}, content=os.urandom(600_000))
    store.commit([arrival(1), parts[0]])
    store.close()
    again = LmdbStore.open(tmp_path)
    assert kept(again, "parts") == kept(again, "staged") == 0
    assert again.commit([parts[1]]) == [Place(reason="parts")]
    assert (tmp_path / "data.mdb").stat().st_size < 500_000, "nor is its room in the file"
    again.close()


def test_a_device_that_builds_on_a_lost_snapshot_makes_the_relay_want_a_later_one(store: LmdbStore) -> None:
    store.commit([arrival(1), arrival(2)])
    assert store.commit(offer({ALICE: 1}, 5)) == [Place(reason="behind")]
    assert store.read_after(VAULT, CHANNEL, 0, {}, 1).wanted == 0, "only the last page says so"
    assert store.read_after(VAULT, CHANNEL, 0, {}, 1 << 20).wanted == 5
    store.commit(offer({ALICE: 2}, 6))
    assert store.read_after(VAULT, CHANNEL, 0, {}, 1 << 20).wanted == 0


def test_no_byte_of_what_a_snapshot_replaced_is_left_in_the_relays_files(tmp_path: Path) -> None:
    store = LmdbStore.open(tmp_path)
    marker, rng = b"forget me, whoever reads this", random.Random(1)
    for seq in range(1, 51):
        store.commit([arrival(seq, data=marker + os.urandom(rng.randrange(4000)))])
    large = (tmp_path / "data.mdb").stat().st_size
    assert marker in (tmp_path / "data.mdb").read_bytes()
    store.commit(offer({ALICE: 50}))
    store.tidy()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert all(marker not in path.read_bytes() for path in files), files
    assert (tmp_path / "data.mdb").stat().st_size < large / 2
    assert store.commit([arrival(51, generation=1)]) == [Place(51, 50, fresh=True)]
    store.tidy()
    store.close()
    again = LmdbStore.open(tmp_path)
    assert len(again.read_after(VAULT, CHANNEL, 0, {}, 1 << 20).entries) == 1
    again.close()


def test_a_file_with_nothing_deleted_is_left_alone(tmp_path: Path, store: LmdbStore) -> None:
    store.commit([arrival(seq) for seq in range(1, 100)])
    inode = (tmp_path / "data.mdb").stat().st_ino
    store.tidy(fully=True)
    assert (tmp_path / "data.mdb").stat().st_ino == inode


def test_a_store_of_the_first_format_is_taken_over(tmp_path: Path) -> None:
    store = LmdbStore.open(tmp_path)
    store.commit([arrival(1)])
    with store._env.begin(write=True) as txn:
        txn.put(b"format", b"1", db=store._db["meta"])
    store.close()
    again = LmdbStore.open(tmp_path)
    assert again.base(VAULT, CHANNEL) == BEGINNING
    assert again.commit([arrival(2)]) == [Place(2, 1, fresh=True)]
    again.close()


@pytest.mark.parametrize("step", STEPS)
def test_a_relay_killed_at_any_step_of_rewriting_its_file_loses_nothing(tmp_path: Path, step: str) -> None:
    acknowledged = ended(tmp_path, step)
    store = LmdbStore.open(tmp_path)
    page = store.read_after(VAULT, CHANNEL, 0, {}, 1 << 30)
    assert page.frontier == {ALICE: (acknowledged, name(acknowledged))}
    assert page.base[0] == 1
    assert store.part(VAULT, CHANNEL, page.base, 0) is not None
    assert b"forget me" not in (tmp_path / "data.mdb").read_bytes()
    assert not (tmp_path / "data.mdb.compact").exists()
    store.close()


def test_a_relay_killed_at_random_moments_keeps_what_it_acknowledged(tmp_path: Path) -> None:
    rng = random.Random(5)
    for round_ in range(6):
        acknowledged = ended(tmp_path / str(round_), "", after=rng.random() * 0.3)
        store = LmdbStore.open(tmp_path / str(round_))
        frontier = store.read_after(VAULT, CHANNEL, 0, {}, 1 << 30).frontier or {}
        assert frontier.get(ALICE, (0, b""))[0] >= acknowledged
        store.close()


def test_an_answer_begins_anew_where_the_channel_is_renewed_under_it(store: LmdbStore) -> None:
    store.commit([arrival(seq, data=os.urandom(200_000)) for seq in range(1, 6)])
    answer = Answer(store, VAULT, Pull(CHANNEL, store.log_id, 0, {}))
    (first,) = answer.next()
    assert isinstance(first, Commits) and len(first.entries) < 5
    parts = offer({ALICE: 5}, content=os.urandom(900_000))
    store.commit(parts)
    store.commit([arrival(6, generation=1)])
    rest: list[Frame] = []
    while not answer.complete:
        rest += answer.next()
    *snapshot, commits, end = rest
    assert snapshot == [PartFrame(CHANNEL, one.data) for one in parts]
    assert isinstance(commits, Commits) and [seq for seq, _, _ in commits.entries] == [6]
    assert isinstance(end, End) and end.base == base_of(parts)


def test_a_client_with_a_later_generation_is_sent_no_commits_it_cannot_use(store: LmdbStore) -> None:
    store.commit([arrival(1)])
    answer = Answer(store, VAULT, Pull(CHANNEL, store.log_id, 0, {}, (3, b"i" * 16)))
    (end,) = answer.next()
    assert isinstance(end, End) and answer.complete
    assert (end.base, end.frontier) == (BEGINNING, {ALICE: (1, name(1))})
