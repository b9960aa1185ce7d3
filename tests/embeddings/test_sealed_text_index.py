"""The encrypted text index does what the plain one does, and leaves nothing in the open."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.embeddings import test_text_index as plain
from vademecum.embeddings.conditions import IndexDamaged
from vademecum.embeddings.sealed_text_index import SealedTextIndex
from vademecum.errors import DamagedStore, InvalidArgument
from vademecum.storage.sealer import Sealer

KEY = bytes(range(32))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "index" / "text.sealed"


@pytest.fixture
def index(file: Path) -> Iterator[SealedTextIndex]:
    opened = opened_at(file)
    yield opened
    opened.close()


def opened_at(file: Path, key: bytes = KEY) -> SealedTextIndex:
    return SealedTextIndex(file, Sealer(key).file(file.name))


@pytest.mark.parametrize(
    "test",
    [
        plain.test_an_index_that_nobody_wrote_to_is_empty,
        plain.test_the_entry_with_more_of_the_rarer_words_comes_first,
        plain.test_putting_again_replaces_and_repeating_changes_nothing,
        plain.test_more_entries_than_a_batch_are_all_written,
        plain.test_deleted_entries_are_not_found,
        plain.test_scopes_know_nothing_of_each_other,
        plain.test_notes_live_and_die_with_the_index,
        plain.test_clear_removes_everything,
        plain.test_threads_share_one_index,
    ],
    ids=lambda test: test.__name__,
)
def test_it_does_what_the_plain_one_does(test: Callable[[SealedTextIndex], None], index: SealedTextIndex) -> None:
    test(index)


def test_who_reads_sees_what_others_have_written_since_and_nobody_overwrites_it(file: Path) -> None:
    one, other = opened_at(file), opened_at(file)
    one.put("s", [("a", "word")])
    assert other.ids("s") == {"a"}
    other.put("s", [("b", "word")])
    one.put("s", [("c", "word")])
    assert other.ids("s") == one.ids("s") == {"a", "b", "c"}
    one.close()
    other.close()


def test_no_word_and_no_sign_of_sqlite_is_in_any_file(index: SealedTextIndex, file: Path) -> None:
    index.put("quokka-scope", [("Kumquat", "the axolotl ate")])
    assert index.scrub()
    held = b"".join(path.read_bytes() for path in file.parent.iterdir())
    assert [word for word in (b"quokka", b"Kumquat", b"axolotl", b"SQLite") if word in held] == []


def test_what_fails_half_way_is_not_in_the_file(index: SealedTextIndex, file: Path) -> None:
    index.put("s", [("a", "word")])

    def entries() -> Iterator[tuple[str, str]]:
        yield "b", "word"
        raise InvalidArgument("no more")

    with pytest.raises(InvalidArgument):
        index.put("s", entries())
    assert index.ids("s") == {"a"} == opened_at(file).ids("s")


@pytest.mark.parametrize("damage", [plain.cut, plain.overwrite_middle, plain.replace_whole])
def test_a_damaged_file_is_told_and_can_be_filled_again(file: Path, damage: Callable[[Path], None]) -> None:
    index = opened_at(file)
    index.put("s", [(str(number), "word number") for number in range(300)])
    damage(file)
    with pytest.raises(IndexDamaged, match="Fill it again"):
        index.search("s", "word", 5)
    index.clear()
    index.put("s", [("a", "word")])
    assert index.ids("s") == {"a"}
    index.close()


def test_another_key_does_not_open_it(index: SealedTextIndex, file: Path) -> None:
    index.put("s", [("a", "word")])
    with pytest.raises(IndexDamaged):
        opened_at(file, bytes(32)).count("s")
    with pytest.raises(DamagedStore):
        Sealer(bytes(32)).file(file.name).open(file.read_bytes())


def test_a_plain_database_in_its_place_is_not_read(file: Path) -> None:
    file.parent.mkdir()
    with sqlite3.connect(file) as made:
        made.execute("CREATE TABLE scopes (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)")
    made.close()
    with pytest.raises(IndexDamaged):
        opened_at(file).count("s")
