"""A transaction is there as a whole or not at all."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from vademecum.errors import VademecumError
from vademecum.storage.environment import Environment
from vademecum.storage.tables import Table
from vademecum.storage.transaction import Writer

META, LEAVES = Table.META, Table.LEAVES


class Interrupted(BaseException):
    """As a KeyboardInterrupt is: no Exception."""


def everything(environment: Environment) -> dict[Table, list[tuple[bytes, bytes]]]:
    with environment.read() as reader:
        return {table: list(reader.scan(table)) for table in Table}


def test_a_new_database_has_every_table_and_nothing_in_them(environment: Environment) -> None:
    assert everything(environment) == {table: [] for table in Table}


def test_what_was_written_is_there_in_all_its_tables(environment: Environment) -> None:
    def work(writer: Writer) -> str:
        writer.put(META, b"a", b"1")
        writer.put(LEAVES, b"a", b"2")
        return "done"

    assert environment.write(work) == "done"
    with environment.read() as reader:
        assert (reader.get(META, b"a"), reader.get(LEAVES, b"a")) == (b"1", b"2")
        assert reader.get(META, b"b") is None


def test_a_transaction_sees_its_own_writes(environment: Environment) -> None:
    def work(writer: Writer) -> None:
        writer.put(META, b"a", b"1")
        assert writer.get(META, b"a") == b"1"
        assert list(writer.scan(META)) == [(b"a", b"1")]
        assert writer.count(META) == 1
        assert writer.delete(META, b"a") is True
        assert writer.delete(META, b"a") is False
        assert writer.get(META, b"a") is None

    environment.write(work)


@pytest.mark.parametrize("error", [ValueError("no"), Interrupted(), SystemExit(3)])
def test_of_a_transaction_that_fails_nothing_is_there(environment: Environment, error: BaseException) -> None:
    environment.write(lambda writer: writer.put(META, b"kept", b"before"))
    before = everything(environment)

    def work(writer: Writer) -> None:
        writer.put(META, b"kept", b"after")
        writer.put_many(LEAVES, [(b"%d" % number, b"x") for number in range(1000)])
        writer.delete(META, b"kept")
        raise error

    with pytest.raises(type(error)):
        environment.write(work)
    assert everything(environment) == before
    environment.write(lambda writer: writer.put(META, b"next", b"works"))
    assert dict(everything(environment)[META]) == {b"kept": b"before", b"next": b"works"}


def test_rows_whose_making_fails_are_not_half_there(environment: Environment) -> None:
    def rows() -> list[tuple[bytes, bytes]]:
        return [(b"a", b"1"), (b"", b"no key may be empty"), (b"b", b"2")]

    with pytest.raises(VademecumError):
        environment.write(lambda writer: writer.put_many(META, rows()))
    assert everything(environment)[META] == []


def test_a_reader_sees_the_state_it_began_with(environment: Environment) -> None:
    environment.write(lambda writer: writer.put(META, b"a", b"old"))
    with environment.read() as reader:
        environment.write(lambda writer: writer.put(META, b"a", b"new"))
        assert reader.get(META, b"a") == b"old"
        with environment.read() as later:
            assert later.get(META, b"a") == b"new"
        assert reader.get(META, b"a") == b"old"


def test_a_write_inside_a_write_is_refused_and_the_outer_one_may_go_on(environment: Environment) -> None:
    def work(writer: Writer) -> None:
        writer.put(META, b"a", b"1")
        with pytest.raises(RuntimeError, match="inside another"):
            environment.write(lambda inner: inner.put(META, b"a", b"2"))

    environment.write(work)
    assert everything(environment)[META] == [(b"a", b"1")]


def test_a_read_inside_a_write_sees_the_state_before_it(environment: Environment) -> None:
    def work(writer: Writer) -> bytes | None:
        writer.put(META, b"a", b"1")
        with environment.read() as reader:
            return reader.get(META, b"a")

    assert environment.write(work) is None


def test_a_failing_reader_leaves_nothing_behind(environment: Environment) -> None:
    with pytest.raises(ValueError, match="mine"), environment.read() as reader:
        next(reader.scan(META), None)
        raise ValueError("mine")
    environment.write(lambda writer: writer.put(META, b"a", b"1"))


@pytest.mark.parametrize("key", [b"", b"k" * 512])
def test_a_key_that_the_file_cannot_hold_is_refused_as_such_and_changes_nothing(
    environment: Environment, key: bytes
) -> None:
    with pytest.raises(VademecumError, match=r"[Kk]ey") as refusal:
        environment.write(lambda writer: writer.put(META, key, b"v"))
    assert "disk" not in str(refusal.value), "the disk has nothing to do with it"
    assert everything(environment)[META] == []


def test_the_longest_key_and_an_empty_value_are_kept(environment: Environment) -> None:
    environment.write(lambda writer: writer.put(META, b"\xff" * 511, b""))
    assert everything(environment)[META] == [(b"\xff" * 511, b"")]


def test_a_value_of_megabytes_is_kept(environment: Environment) -> None:
    value = bytes(range(256)) * 8192
    environment.write(lambda writer: writer.put(META, b"large", value))
    with environment.read() as reader:
        assert reader.get(META, b"large") == value


def test_putting_again_replaces(environment: Environment) -> None:
    for value in (b"a longer value than the next", b"short", b""):
        environment.write(lambda writer, value=value: writer.put(META, b"a", value))
        assert everything(environment)[META] == [(b"a", value)]
    environment.write(lambda writer: writer.put_many(META, [(b"a", b"1"), (b"a", b"2")]))
    assert everything(environment)[META] == [(b"a", b"2")]


def test_threads_that_write_at_once_lose_nothing(environment: Environment) -> None:
    def increment(writer: Writer) -> None:
        count = int.from_bytes(writer.get(META, b"count") or b"", "big")
        writer.put(META, b"count", (count + 1).to_bytes(4, "big"))

    def loop() -> None:
        for _ in range(25):
            environment.write(increment)

    threads = [threading.Thread(target=loop) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with environment.read() as reader:
        assert int.from_bytes(reader.get(META, b"count") or b"", "big") == 150


def test_what_was_written_is_there_after_closing_and_opening(environment: Environment, folder: Path) -> None:
    environment.write(lambda writer: writer.put(META, b"a", b"1"))
    environment.close()
    again = Environment.open(folder)
    try:
        assert everything(again)[META] == [(b"a", b"1")]
    finally:
        again.close()


def test_the_names_of_the_tables_are_what_they_always_were() -> None:
    """They stand in people's files."""
    assert {table.value.decode() for table in Table} >= {
        "meta", "scopes", "documents", "leaves", "journal", "history", "reindex", "embed", "vectors", "vector-log",
        "outbox", "commits", "frontiers", "held", "positions", "roster",
    }  # fmt: skip
