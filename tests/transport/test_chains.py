"""The tables of commits, frontiers, positions and claims."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from vademecum.storage.environment import Environment
from vademecum.transport import chains

ONE, TWO = b"1" * 16, b"2" * 16
A, B = b"a" * 16, b"b" * 16
HASH = b"h" * 32


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[Environment]:
    made = Environment.create(tmp_path / "store", initial_map=16 << 20)
    yield made
    made.close()


def test_a_frontier_is_the_last_commit_of_each_chain_of_a_channel(environment: Environment) -> None:
    def fill(writer: object) -> None:
        for device, count in ((A, 3), (B, 1)):
            for seq in range(1, count + 1):
                chains.add_commit(writer, ONE, device, seq, HASH[:-1] + bytes([seq]), b"commit%d" % seq)  # type: ignore[arg-type]
        chains.add_commit(writer, TWO, A, 1, HASH, b"other")  # type: ignore[arg-type]

    environment.write(fill)
    with environment.read() as reader:
        assert chains.frontier(reader, ONE) == {A: (3, HASH[:-1] + b"\3"), B: (1, HASH[:-1] + b"\1")}
        assert set(chains.channels(reader)) == {ONE, TWO}
        assert list(chains.commits_after(reader, ONE, A, 1)) == [b"commit2", b"commit3"]
        assert list(chains.commits_after(reader, ONE, A, 3)) == []
        assert list(chains.commits_after(reader, TWO, A, 0)) == [b"other"]


def test_commits_come_in_the_order_of_their_numbers_also_beyond_a_byte(environment: Environment) -> None:
    numbers = [1, 255, 256, 257, 65_536, 1 << 33]
    environment.write(
        lambda writer: [chains.add_commit(writer, ONE, A, seq, HASH, str(seq).encode()) for seq in reversed(numbers)]
    )
    with environment.read() as reader:
        assert [int(data) for data in chains.commits_after(reader, ONE, A, 0)] == numbers
        assert [int(data) for data in chains.commits_after(reader, ONE, A, 256)] == numbers[3:]


def test_a_held_commit_is_given_out_once(environment: Environment) -> None:
    environment.write(lambda writer: chains.hold(writer, ONE, A, 5, b"held"))
    assert environment.write(lambda writer: chains.held(writer, ONE, A, 4)) is None
    assert environment.write(lambda writer: chains.held(writer, ONE, A, 5)) == b"held"
    assert environment.write(lambda writer: chains.held(writer, ONE, A, 5)) is None


def test_positions_and_acknowledgements_do_not_mix(environment: Environment) -> None:
    environment.write(lambda writer: chains.set_position(writer, ONE, b"l" * 16, 9))
    environment.write(lambda writer: chains.set_acknowledged(writer, ONE, A, 4))
    environment.write(lambda writer: chains.set_acknowledged(writer, ONE, A, 2))
    environment.write(lambda writer: chains.set_acknowledged(writer, TWO, B, 1))
    with environment.read() as reader:
        assert chains.position(reader, ONE) == (b"l" * 16, 9) and chains.position(reader, TWO) == (b"", 0)
        assert chains.acknowledged(reader, ONE) == {A: 4} and chains.acknowledged(reader, TWO) == {B: 1}
    environment.write(chains.forget_relay)
    with environment.read() as reader:
        assert chains.position(reader, ONE) == (b"", 0) and chains.acknowledged(reader, ONE) == {}


def test_what_any_author_claims_is_the_greatest_of_all_claims(environment: Environment) -> None:
    environment.write(lambda writer: chains.set_claims(writer, ONE, A, {B: 3}))
    environment.write(lambda writer: chains.set_claims(writer, ONE, B, {A: 1, B: 2}))
    environment.write(lambda writer: chains.set_claims(writer, TWO, B, {A: 9}))
    with environment.read() as reader:
        assert chains.claims(reader, ONE, A) == {B: 3} and chains.claims(reader, ONE, ONE) == {}
        assert chains.claimed(reader, ONE) == {A: 1, B: 3}


def test_a_channels_scope_is_learnt_once_and_stays(environment: Environment) -> None:
    environment.write(lambda writer: chains.set_scope(writer, ONE, "user.public"))
    environment.write(lambda writer: chains.set_scope(writer, ONE, "user.private"))
    with environment.read() as reader:
        assert chains.scope_of(reader, ONE) == "user.public" and chains.scope_of(reader, TWO) is None


def test_what_was_told_last_is_what_is_kept(environment: Environment) -> None:
    environment.write(lambda writer: chains.set_told(writer, ONE, {A: 1}))
    environment.write(lambda writer: chains.set_told(writer, ONE, {A: 2, B: 1}))
    with environment.read() as reader:
        assert chains.told(reader, ONE) == {A: 2, B: 1} and chains.told(reader, TWO) == {}
