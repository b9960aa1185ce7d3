"""Contracts of the relay's store on LMDB."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from vademecum.errors import DamagedStore, StorageTrouble
from vademecum.transport.commit import NO_PREVIOUS
from vademecum.transport.frames import frontier_digest
from vademecum.transport.relay.lmdb_store import LmdbStore
from vademecum.transport.relay.store import Arrival, Enrolment, Place

VAULT, OTHER = b"V" * 16, b"W" * 16
CHANNEL, SECOND = b"C" * 16, b"D" * 16
ALICE, BOB = b"a" * 16, b"b" * 16


def arrival(seq: int, *, device: bytes = ALICE, channel: bytes = CHANNEL, size: int = 50, salt: bytes = b"") -> Arrival:
    return Arrival(VAULT, channel, device, seq, name(seq - 1), name(seq, salt), bytes(size))


def name(seq: int, salt: bytes = b"") -> bytes:
    return NO_PREVIOUS if seq == 0 else (salt + seq.to_bytes(8, "big")).rjust(32, b"h")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LmdbStore]:
    one = LmdbStore.open(tmp_path, initial_map=1 << 20)
    yield one
    one.close()


def test_commits_get_a_place_in_their_channels_log_with_the_place_before(store: LmdbStore) -> None:
    assert store.commit([arrival(1), arrival(2), arrival(1, device=BOB), arrival(1, channel=SECOND)]) == [
        Place(1, 0, fresh=True),
        Place(2, 1, fresh=True),
        Place(3, 2, fresh=True),
        Place(1, 0, fresh=True),
    ]
    page = store.read_after(VAULT, CHANNEL, 0, {}, 1 << 20)
    assert [(seq, previous) for seq, previous, _ in page.entries] == [(1, 0), (2, 1), (3, 2)]
    assert page.frontier == {ALICE: (2, name(2)), BOB: (1, name(1))}
    assert store.heads(VAULT) == (
        (CHANNEL, 3, frontier_digest(page.frontier)),
        (SECOND, 1, frontier_digest({ALICE: (1, name(1))})),
    )
    assert store.heads(OTHER) == ()


def test_a_commit_sent_again_is_answered_with_its_first_place_and_stored_once(store: LmdbStore) -> None:
    store.commit([arrival(1), arrival(2)])
    assert store.commit([arrival(1), arrival(2)]) == [Place(1, 0), Place(2, 1)]
    assert len(store.read_after(VAULT, CHANNEL, 0, {}, 1 << 20).entries) == 2


def test_a_gap_and_a_fork_are_told_apart_and_store_nothing(store: LmdbStore) -> None:
    store.commit([arrival(1)])
    assert store.commit([arrival(3)]) == [Place(reason="gap")]
    assert store.commit([arrival(1, salt=b"x")]) == [Place(reason="fork")]
    elsewhere = Arrival(VAULT, CHANNEL, ALICE, 2, name(1, b"x"), name(2, b"x"), b"")
    assert store.commit([elsewhere]) == [Place(reason="fork")]
    assert store.commit([arrival(2)]) == [Place(2, 1, fresh=True)]


def test_reading_goes_on_from_a_position_and_leaves_out_what_the_reader_has(store: LmdbStore) -> None:
    store.commit([arrival(1), arrival(1, device=BOB), arrival(2), arrival(2, device=BOB)])

    def seqs(after: int, have: dict[bytes, int]) -> list[int]:
        return [seq for seq, _, _ in store.read_after(VAULT, CHANNEL, after, have, 1 << 20).entries]

    assert seqs(0, {}) == [1, 2, 3, 4]
    assert seqs(2, {}) == [3, 4]
    assert seqs(0, {ALICE: 2}) == [2, 4]
    assert seqs(0, {ALICE: 1, BOB: 2}) == [3]
    assert seqs(9, {}) == []
    assert store.read_after(VAULT, CHANNEL, 9, {}, 1).seq == 4, "the log ends where it ends"


def test_pages_are_bounded_in_bytes_but_never_empty_before_the_last(store: LmdbStore) -> None:
    store.commit([arrival(seq, size=1000) for seq in range(1, 8)])
    after, pages = 0, []
    while True:
        page = store.read_after(VAULT, CHANNEL, after, {}, 2500)
        pages.append(len(page.entries))
        after = page.seq
        if page.frontier is not None:
            break
    assert pages == [2, 2, 2, 1]
    assert len(store.read_after(VAULT, CHANNEL, 0, {}, 1).entries) == 1


def test_the_map_grows_under_a_batch_larger_than_itself(store: LmdbStore) -> None:
    places = store.commit([arrival(seq, size=200_000) for seq in range(1, 41)])
    assert places[-1] == Place(40, 39, fresh=True)
    assert len(store.read_after(VAULT, CHANNEL, 0, {}, 1 << 30).entries) == 40


def test_everything_is_there_when_it_is_opened_again(tmp_path: Path) -> None:
    store = LmdbStore.open(tmp_path)
    log_id = store.log_id
    store.commit([arrival(1), Enrolment(VAULT, [(bytes(32), b"statement")])])
    store.close()
    again = LmdbStore.open(tmp_path)
    assert again.log_id == log_id
    assert again.statements(VAULT) == [b"statement"]
    assert again.commit([arrival(2)]) == [Place(2, 1, fresh=True)]
    again.close()


def test_a_second_relay_on_the_same_folder_is_refused(tmp_path: Path, store: LmdbStore) -> None:
    with pytest.raises(StorageTrouble, match="Another relay"):
        LmdbStore.open(tmp_path)


def written(folder: Path) -> Path:
    store = LmdbStore.open(folder)
    store.commit([arrival(seq, size=5000) for seq in range(1, 20)])
    store.close()
    return folder / "data.mdb"


def test_a_database_that_has_vanished_is_refused_and_not_begun_anew(tmp_path: Path) -> None:
    written(tmp_path).unlink()
    with pytest.raises(DamagedStore):
        LmdbStore.open(tmp_path)
    assert not (tmp_path / "data.mdb").exists()


def test_an_emptied_a_truncated_and_a_foreign_database_are_refused(tmp_path: Path) -> None:
    whole = written(tmp_path).read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], os.urandom(len(whole))):
        (tmp_path / "data.mdb").write_bytes(damaged)
        with pytest.raises(DamagedStore):
            LmdbStore.open(tmp_path)
    (tmp_path / "data.mdb").write_bytes(whole)
    LmdbStore.open(tmp_path).close()


def test_another_logs_database_in_its_place_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "one")
    (tmp_path / "one" / "data.mdb").write_bytes(written(tmp_path / "two").read_bytes())
    with pytest.raises(DamagedStore, match="not the one"):
        LmdbStore.open(tmp_path / "one")


def test_a_flipped_bit_in_a_record_is_noticed_and_not_sent(tmp_path: Path) -> None:
    store = LmdbStore.open(tmp_path)
    commit = b"needle" * 100
    store.commit([Arrival(VAULT, CHANNEL, ALICE, 1, NO_PREVIOUS, name(1), commit)])
    store.close()
    file = tmp_path / "data.mdb"
    data = bytearray(file.read_bytes())
    at = data.find(commit)
    assert at > 0
    data[at + 10] ^= 1
    file.write_bytes(data)
    again = LmdbStore.open(tmp_path)
    with pytest.raises(DamagedStore, match="checksum"):
        again.read_after(VAULT, CHANNEL, 0, {}, 1 << 20)
    again.close()
