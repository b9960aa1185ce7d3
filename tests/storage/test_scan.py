"""Scanning, compared with a sorted dictionary."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from vademecum.storage.environment import Environment
from vademecum.storage.tables import Table
from vademecum.storage.transaction import Reader, Writer

TABLE = Table.LEAVES
Rows = dict[bytes, bytes]


def scanned(rows: Rows, prefix: bytes, after: bytes | None, reverse: bool) -> list[tuple[bytes, bytes]]:
    """What the docstring of `Reader.scan` promises."""
    keys = sorted((key for key in rows if key.startswith(prefix)), reverse=reverse)
    if after is not None:
        keys = [key for key in keys if (key < after if reverse else key > after)]
    return [(key, rows[key]) for key in keys]


def check(reader: Reader, rows: Rows, prefix: bytes, after: bytes | None) -> None:
    for reverse in (False, True):
        found = list(reader.scan(TABLE, prefix, after=after, reverse=reverse))
        assert found == scanned(rows, prefix, after, reverse)
    keys = sorted(key for key in rows if key.startswith(prefix))
    assert list(reader.keys(TABLE, prefix)) == keys
    assert reader.has(TABLE, prefix) is bool(keys)
    assert reader.last_key(TABLE, prefix) == (keys[-1] if keys else None)
    assert reader.count(TABLE) == len(rows)


@pytest.fixture
def some(environment: Environment) -> Iterator[tuple[Reader, Rows]]:
    rows = {key: b"value of " + key for key in (b"a", b"ab", b"ab\0", b"ab\xff", b"ac", b"b", b"\xff", b"\xff\xff")}
    environment.write(lambda writer: writer.put_many(TABLE, rows.items()))
    with environment.read() as reader:
        yield reader, rows


PREFIXES = [b"", b"a", b"ab", b"ab\0", b"ab\xff", b"aa", b"b", b"c", b"\0", b"\xff", b"\xff\xff", b"\xff\xff\xff"]


@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_prefix_selects_what_begins_with_it(some: tuple[Reader, Rows], prefix: bytes) -> None:
    check(*some, prefix, None)


@pytest.mark.parametrize("after", [key for key in PREFIXES if key])
def test_after_a_key_comes_what_is_strictly_behind_it_whether_it_is_there_or_not(
    some: tuple[Reader, Rows], after: bytes
) -> None:
    check(*some, b"", after)


@pytest.mark.parametrize("after", [b"a", b"ab", b"aba", b"ab\xff", b"ab\xff\xff"])
def test_after_a_key_inside_the_prefix(some: tuple[Reader, Rows], after: bytes) -> None:
    check(*some, b"a", after)


@pytest.mark.parametrize("after", [b"a", b"\0", b"", b"c", b"\xff\xff\xff"])
def test_after_a_key_outside_the_prefix_comes_all_of_the_prefix_that_is_behind_it(
    some: tuple[Reader, Rows], after: bytes
) -> None:
    check(*some, b"b", after)
    check(*some, b"ab", after)


def test_after_the_longest_key(environment: Environment) -> None:
    rows = {b"k" * 511: b"1", b"k" * 510 + b"l": b"2"}
    environment.write(lambda writer: writer.put_many(TABLE, sorted(rows.items())))
    with environment.read() as reader:
        check(reader, rows, b"", b"k" * 511)
        check(reader, rows, b"k" * 511, None)


@pytest.mark.parametrize("prefix", [b"", b"x", b"\xff"])
def test_an_empty_table_has_nothing(environment: Environment, prefix: bytes) -> None:
    with environment.read() as reader:
        check(reader, {}, prefix, None)
        check(reader, {}, prefix, b"k")


def test_a_scan_that_is_not_finished_does_no_harm(some: tuple[Reader, Rows]) -> None:
    reader, rows = some
    first, second = reader.scan(TABLE), reader.scan(TABLE, reverse=True)
    assert next(first)[0] == min(rows)
    assert next(second)[0] == max(rows)
    assert next(first)[0] == sorted(rows)[1]


def test_tables_are_scanned_apart(environment: Environment) -> None:
    environment.write(lambda writer: (writer.put(Table.META, b"a", b"1"), writer.put(Table.ROSTER, b"b", b"2")))
    with environment.read() as reader:
        assert list(reader.scan(Table.META)) == [(b"a", b"1")]
        assert list(reader.scan(Table.ROSTER)) == [(b"b", b"2")]


KEYS = st.lists(st.sampled_from([b"\0", b"\1", b"a", b"b", b"\xff"]), min_size=1, max_size=4).map(b"".join)
PREFIX = st.just(b"") | KEYS
VALUES = st.binary(max_size=8) | st.just(b"x" * 5000)


class Tables(RuleBasedStateMachine):
    """One table and a dictionary, changed and looked at alike; what a failed transaction did is nowhere."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.environment = Environment.create(Path(self.folder.name) / "database", initial_map=1 << 20)
        self.rows: Rows = {}

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.environment.close()
            self.folder.cleanup()

    @rule(rows=st.dictionaries(KEYS, VALUES, max_size=6), at_once=st.booleans())
    def put(self, rows: Rows, at_once: bool) -> None:
        def work(writer: Writer) -> None:
            if at_once:
                writer.put_many(TABLE, rows.items())
            else:
                for key, value in rows.items():
                    writer.put(TABLE, key, value)

        self.environment.write(work)
        self.rows.update(rows)

    @rule(keys=st.lists(KEYS, max_size=4))
    def delete(self, keys: list[bytes]) -> None:
        was_there = self.environment.write(lambda writer: [writer.delete(TABLE, key) for key in keys])
        assert was_there == [self.rows.pop(key, None) is not None for key in keys]

    @rule(prefix=PREFIX)
    def delete_prefix(self, prefix: bytes) -> None:
        doomed = [key for key in self.rows if key.startswith(prefix)]
        assert self.environment.write(lambda writer: writer.delete_prefix(TABLE, prefix)) == len(doomed)
        for key in doomed:
            del self.rows[key]

    @rule(rows=st.dictionaries(KEYS, VALUES, min_size=1, max_size=3), prefix=PREFIX)
    def fail(self, rows: Rows, prefix: bytes) -> None:
        def work(writer: Writer) -> None:
            writer.put_many(TABLE, rows.items())
            writer.delete_prefix(TABLE, prefix)
            raise KeyError("on purpose")

        with pytest.raises(KeyError):
            self.environment.write(work)

    @rule(prefix=PREFIX, after=st.none() | PREFIX)
    def look(self, prefix: bytes, after: bytes | None) -> None:
        with self.environment.read() as reader:
            check(reader, self.rows, prefix, after)

    @rule(prefix=PREFIX, after=st.none() | PREFIX, rows=st.dictionaries(KEYS, VALUES, max_size=4))
    def look_while_writing(self, prefix: bytes, after: bytes | None, rows: Rows) -> None:
        def work(writer: Writer) -> None:
            writer.put_many(TABLE, rows.items())
            check(writer, self.rows | rows, prefix, after)

        self.environment.write(work)
        self.rows.update(rows)

    @rule()
    def reopen(self) -> None:
        folder = self.environment.folder
        self.environment.close()
        self.environment = Environment.open(folder, initial_map=1 << 20)

    @invariant()
    def every_value_is_the_one_put_last(self) -> None:
        if hasattr(self, "environment"):
            with self.environment.read() as reader:
                assert {key: reader.get(TABLE, key) for key in self.rows} == self.rows


TestTables = Tables.TestCase
TestTables.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
