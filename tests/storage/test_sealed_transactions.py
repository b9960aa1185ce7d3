"""A sealed database against a plain one: whoever reads and writes the tables sees the same in both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vademecum.errors import DamagedStore, VaultLocked, WrongKey
from vademecum.storage.environment import Environment
from vademecum.storage.sealer import Sealer
from vademecum.storage.tables import NAMES, Table

KEY = bytes(range(32))
NUMBER = b"\0\0\0\1"
STAMP = bytes(8) + b"d" * 16

name = st.text(alphabet="ab.", min_size=1, max_size=4).map(str.encode)
leaf = st.builds(lambda map_, name: NUMBER + bytes([map_]) + name, st.integers(1, 2), name)
leaf_prefix = st.one_of(st.just(b""), st.just(NUMBER), st.just(NUMBER + b"\1"), leaf)
history = st.builds(lambda leaf, order: leaf + b"\0" + bytes(7) + bytes([order]) + b"d" * 16, leaf, st.integers(0, 3))
outbox = st.integers(0, 9).map(lambda seq: NUMBER + seq.to_bytes(8, "big"))
value = st.one_of(st.binary(max_size=20), st.just(b"x" * 3000))


def test_every_table_says_where_its_keys_hold_names() -> None:
    assert set(NAMES) == set(Table)


def sealed(folder: Path) -> Environment:
    return Environment.create(folder, seal=(Sealer(KEY), b"header"), initial_map=1 << 22)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("both")
    plain, hidden = Environment.create(folder / "plain", initial_map=1 << 22), sealed(folder / "sealed")
    yield plain, hidden
    plain.close()
    hidden.close()


@settings(max_examples=60)
@given(data=st.data())
def test_reads_and_writes_are_those_of_a_plain_database(both: tuple[Environment, Environment], data: Any) -> None:
    rows = {
        Table.LEAVES: data.draw(st.dictionaries(leaf, value, max_size=12)),
        Table.HISTORY: data.draw(st.dictionaries(history, st.just(b""), max_size=12)),
        Table.REINDEX: data.draw(st.dictionaries(leaf, value, max_size=8)),
        Table.OUTBOX: data.draw(st.dictionaries(outbox, value, max_size=8)),
        Table.SCOPES: data.draw(st.dictionaries(name, value, max_size=5)),
    }
    doomed = {
        table: data.draw(st.sets(st.sampled_from(sorted(its)), max_size=3)) if its else set()
        for table, its in rows.items()
    }
    prefix = data.draw(leaf_prefix)
    after = data.draw(st.none() | leaf)
    reverse = data.draw(st.booleans())
    one_by_one = data.draw(st.booleans())

    def write(writer: Any) -> None:
        for table, its in rows.items():
            writer.delete_prefix(table, b"")
            if one_by_one:
                for key, item in its.items():
                    writer.put(table, key, b"before" * 400)
                    writer.put(table, key, item)
            else:
                writer.put_many(table, its.items())
            for key in doomed[table]:
                assert writer.delete(table, key)
                assert not writer.delete(table, key)

    seen = []
    for environment in both:
        environment.write(write)
        with environment.read() as reader:
            leaves = rows[Table.LEAVES]
            seen.append(
                [
                    [sorted(reader.scan(table)) for table in rows],
                    list(reader.scan(Table.LEAVES, prefix, after=after, reverse=reverse)),
                    list(reader.keys(Table.LEAVES, prefix)),
                    list(reader.scan(Table.SCOPES, reverse=reverse)),
                    list(reader.scan(Table.OUTBOX, NUMBER, reverse=reverse)),
                    [list(reader.keys(Table.HISTORY, key + b"\0")) for key in sorted(leaves)],
                    sorted(reader.keys(Table.HISTORY, prefix)),
                    sorted(reader.scan(Table.REINDEX, prefix)),
                    [reader.get(Table.LEAVES, key) for key in sorted(leaves)],
                    reader.get_many(Table.LEAVES, [*leaves, b"absent"]),
                    [reader.has(table, prefix) for table in rows],
                    [reader.last_key(table, prefix) for table in rows],
                    [reader.count(table) for table in rows],
                ]
            )
    assert seen[0] == seen[1]


def test_a_queue_can_be_read_on_from_any_of_its_keys(both: tuple[Environment, Environment]) -> None:
    _, hidden = both
    keys = [NUMBER + b"\1" + bytes([97 + at]) for at in range(9)]

    def fill(writer: Any) -> None:
        writer.delete_prefix(Table.EMBED, b"")
        writer.put_many(Table.EMBED, [(key, b"") for key in keys])

    hidden.write(fill)
    with hidden.read() as reader:
        order = list(reader.keys(Table.EMBED))
        assert sorted(order) == keys
        assert [key for key, _ in reader.scan(Table.EMBED, after=order[4])] == order[5:]


def test_no_byte_of_a_name_or_value_is_in_the_file(tmp_path: Path) -> None:
    environment = sealed(tmp_path / "store")
    marks = {table: f"mark-of-{table.name}".encode() for table in Table if table is not Table.SEAL}

    def write(writer: Any) -> None:
        for table, mark in marks.items():
            spot = NAMES[table]
            key = b"k" * 24 if spot is None else b"k" * spot.head + mark + (b"\0" + STAMP if spot.tail else b"")
            writer.put(table, key, b"value-" + mark)

    environment.write(write)
    environment.close()
    content = (tmp_path / "store" / "1" / "data.mdb").read_bytes()
    assert [mark for mark in marks.values() if mark in content] == []


def test_equal_names_are_not_told_across_tables_or_scopes() -> None:
    sealer = Sealer(KEY)
    assert sealer.name(Table.LEAVES, NUMBER + b"\1a") != sealer.name(Table.VECTORS, NUMBER + b"\1a")
    assert sealer.name(Table.LEAVES, NUMBER + b"\1a") != sealer.name(Table.LEAVES, b"\0\0\0\2\1a")


def test_values_cannot_change_places_tables_or_be_altered() -> None:
    sealer = Sealer(KEY)
    data = sealer.seal(Table.META, b"one", b"value")
    assert sealer.open(Table.META, b"one", data) == b"value"
    for table, key, altered in (
        (Table.META, b"two", data),
        (Table.SCOPES, b"one", data),
        (Table.META, b"one", data[:-1]),
        (Table.META, b"one", bytes([data[0] ^ 1]) + data[1:]),
        (Table.META, b"one", b""),
    ):
        with pytest.raises(DamagedStore):
            sealer.open(table, key, altered)
    with pytest.raises(DamagedStore):
        Sealer(bytes(32)).open(Table.META, b"one", data)


def test_without_its_key_a_sealed_database_is_neither_read_nor_written(tmp_path: Path) -> None:
    made = sealed(tmp_path / "store")
    made.write(lambda writer: writer.put(Table.META, b"a", b"1"))
    made.close()
    environment = Environment.open(tmp_path / "store", initial_map=1 << 22)
    assert environment.header == b"header"
    with pytest.raises(VaultLocked), environment.read():
        pass
    with pytest.raises(VaultLocked):
        environment.write(lambda writer: writer.put(Table.META, b"a", b"2"))
    with pytest.raises(WrongKey):
        environment.unlock(Sealer(bytes(32)))
    environment.unlock(Sealer(KEY))
    with environment.read() as reader:
        assert reader.get(Table.META, b"a") == b"1"
    environment.close()


def test_a_database_is_sealed_copied_and_unsealed_with_all_it_holds(tmp_path: Path) -> None:
    environment = Environment.create(tmp_path / "store", initial_map=1 << 22)
    rows = {table: b"value of " + table.value for table in Table if table is not Table.SEAL}
    place = NUMBER + b"\1the-name\0" + STAMP

    def put(writer: Any) -> None:
        for table, item in rows.items():
            writer.put(table, place, item)

    def all_of() -> dict[Table, Any]:
        with environment.read() as reader:
            return {table: list(reader.scan(table)) for table in rows}

    environment.write(put)
    before = all_of()
    environment.reseal((Sealer(KEY), b"header"), lambda writer: None)
    assert (environment.header, environment.number, all_of()) == (b"header", "2", before)
    environment.replace()
    assert (environment.header, environment.number, all_of()) == (b"header", "3", before)
    environment.replace(lambda old, new: new.put_many(Table.LEAVES, old.scan(Table.LEAVES)))
    assert all_of()[Table.LEAVES] == before[Table.LEAVES]
    files = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    assert not any(b"the-name" in data or b"value of" in data for data in files)
    environment.reseal(None, put)
    assert (environment.header, environment.sealer, all_of()) == (None, None, before)
    assert [one.name for one in (tmp_path / "store").iterdir() if one.name.isdigit()] == ["5"]
    environment.close()
