"""The text index: what it finds, who may use it at once, and what damage does."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.embeddings.conditions import IndexDamaged
from vademecum.embeddings.text_index import BATCH, TextIndex
from vademecum.errors import InvalidArgument, StorageTrouble

WRITER = Path(__file__).with_name("index_writer.py")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "index" / "words.sqlite"


@pytest.fixture
def index(file: Path) -> Iterator[TextIndex]:
    opened = TextIndex(file)
    yield opened
    opened.close()


def found(index: TextIndex, query: str, scope: str = "s", k: int = 10) -> list[str]:
    return [entry for entry, _ in index.search(scope, query, k)]


def test_an_index_that_nobody_wrote_to_is_empty(index: TextIndex) -> None:
    assert index.search("s", "anything", 5) == []
    assert (index.count("s"), index.ids("s"), index.scopes(), index.noted("x")) == (0, set(), [], None)


def test_the_entry_with_more_of_the_rarer_words_comes_first(index: TextIndex) -> None:
    index.put("s", [("a", "we eat bread"), ("b", "we eat dumplings tonight"), ("c", "we sleep"), ("d", "eat")])
    results = index.search("s", "where could we eat dumplings tonight?", 10)
    assert results[0][0] == "b"
    assert [score for _, score in results] == sorted((score for _, score in results), reverse=True)
    assert all(score > 0 for _, score in results)


def test_k_bounds_the_results(index: TextIndex) -> None:
    index.put("s", [(str(n), "the same words") for n in range(20)])
    assert len(index.search("s", "words", 7)) == 7
    with pytest.raises(InvalidArgument):
        index.search("s", "words", 0)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("重跑gen-itgc后", "gen-itgc"),
        ("重跑gen-itgc后", "gen"),
        ("重跑gen-itgc后", "重跑"),
        ("我喜欢黑猫", "猫"),
        ("我喜欢黑猫", "喜欢什么"),
        ("東京タワーに行った", "タワー"),
        ("저는 채식주의자입니다", "채식주의자"),
        ("Café Müller", "cafe muller"),
        ("she painted sunsets", "painting a sunset"),
        ("calls getUserName twice", "user name"),
        ("🎸 practice", "🎸"),
        ("हिन्दी में नमस्ते", "नमस्ते"),
    ],
)
def test_a_text_is_found_by_a_part_of_it_in_any_script(index: TextIndex, text: str, query: str) -> None:
    index.put("s", [("other", "nothing of the kind"), ("wanted", text)])
    assert found(index, query) == ["wanted"]


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "'",
        "NEAR(a b)",
        "a AND",
        "OR",
        "NOT x",
        "words:a",
        "a*",
        "^a",
        "-a",
        "(",
        "{a b}",
        "+",
        "\x00",
        "\ud800",
        "💥",
    ],
)
def test_no_question_is_a_syntax_error(index: TextIndex, query: str) -> None:
    index.put("s", [("a", "a b x near words")])
    index.search("s", query, 5)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_may_be_indexed_and_asked(tmp_path_factory: pytest.TempPathFactory, text: str, query: str) -> None:
    index = TextIndex(tmp_path_factory.getbasetemp() / "any" / "words.sqlite")
    try:
        index.put("s", [("entry", text)])
        assert index.ids("s") == {"entry"}
        assert set(found(index, query)) <= {"entry"}
    finally:
        index.close()


def test_a_huge_text_and_an_empty_one_are_entries_like_others(index: TextIndex) -> None:
    index.put("s", [("huge", "needle " + "hay " * 500_000), ("empty", "")])
    assert index.count("s") == 2
    assert found(index, "needle") == ["huge"]


def test_putting_again_replaces_and_repeating_changes_nothing(index: TextIndex) -> None:
    index.put("s", [("a", "old words")])
    index.put("s", [("a", "new words")])
    index.put("s", [("a", "new words")])
    assert (found(index, "old"), found(index, "new"), index.count("s")) == ([], ["a"], 1)


def test_more_entries_than_a_batch_are_all_written(index: TextIndex) -> None:
    index.put("s", ((str(n), f"word{n}") for n in range(BATCH + 10)))
    assert index.count("s") == BATCH + 10
    assert found(index, f"word{BATCH + 5}")[0] == str(BATCH + 5)


def test_deleted_entries_are_not_found(index: TextIndex) -> None:
    index.put("s", [("a", "one word"), ("b", "another word")])
    index.delete("s", ["a", "never there"])
    index.delete("never there", ["a"])
    assert (found(index, "word"), index.ids("s")) == (["b"], {"b"})


def test_scopes_know_nothing_of_each_other(index: TextIndex) -> None:
    index.put("one", [("a", "shared word")])
    alone = index.search("one", "word", 5)
    index.put("two", [(str(n), "word word") for n in range(50)])
    assert index.search("one", "word", 5) == alone
    index.drop("two")
    assert (index.scopes(), index.count("two")) == (["one"], 0)


def test_a_small_scope_and_a_large_one_are_measured_alike(index: TextIndex) -> None:
    index.put("large", [(str(n), f"we tried thing number {n}") for n in range(1_000)])
    index.put("small", [("x", "we tried the restaurant Ox & Fig"), ("y", "hello")])
    results = index.search_scopes(["large", "small"], "which restaurant have we tried?", 3)
    assert results[0][:2] == ("small", "x")


def test_searching_several_scopes_names_each_once_and_passes_over_absent_ones(index: TextIndex) -> None:
    index.put("one", [("a", "word")])
    assert [result[:2] for result in index.search_scopes(["one", "absent", "one"], "word", 5)] == [("one", "a")]
    assert index.search_scopes([], "word", 5) == []


def test_notes_live_and_die_with_the_index(index: TextIndex) -> None:
    index.note("filled", "17")
    index.note("filled", "18")
    assert index.noted("filled") == "18"
    index.clear()
    assert index.noted("filled") is None


def test_clear_removes_everything(index: TextIndex) -> None:
    index.put("s", [("a", "word")])
    index.clear()
    assert index.scopes() == []
    index.put("s", [("b", "word")])
    assert found(index, "word") == ["b"]


def test_a_closed_index_refuses_use(file: Path) -> None:
    index = TextIndex(file)
    index.put("s", [("a", "word")])
    index.close()
    index.close()
    with pytest.raises(InvalidArgument, match="closed"):
        index.search("s", "word", 1)


def test_scrub_leaves_no_byte_of_deleted_entries(index: TextIndex, file: Path) -> None:
    index.put("s", [(str(n), f"ordinary entry {n}") for n in range(500)] + [("secret", "xylophagous zeppelinfahrt")])
    index.put("gone", [("secret", "quokkasoup")])
    index.delete("s", ["secret"])
    index.drop("gone")
    assert index.scrub()
    held = b"".join(path.read_bytes() for path in file.parent.iterdir())
    for stem in (b"xylophag", b"zeppelinfahrt", b"quokkasoup"):
        assert stem not in held
    assert b"ordinary" in held and index.count("s") == 500


# --- several users at once ---


def test_threads_share_one_index(index: TextIndex) -> None:
    def write(name: int) -> None:
        for number in range(50):
            index.put("s", [(f"{name}-{number}", f"word {number}")])
            index.search("s", "word", 5)

    threads = [threading.Thread(target=write, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert index.count("s") == 200


def writer(file: Path, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(WRITER), "texts", str(file), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_processes_write_and_read_one_index_at_once(index: TextIndex, file: Path) -> None:
    writers = [writer(file, name, 200) for name in ("left", "right")]
    while any(process.poll() is None for process in writers):
        index.search("shared", "entry", 5)
    for process in writers:
        _, complaints = process.communicate(timeout=60)
        assert (process.returncode, complaints) == (0, "")
    assert index.count("shared") == 400
    assert found(index, "199 left", "shared")[0] == "left-199"


def test_what_was_acknowledged_before_a_kill_is_there(index: TextIndex, file: Path) -> None:
    process = writer(file, "doomed", 1_000_000)
    assert process.stdout is not None
    acknowledged = [process.stdout.readline().strip() for _ in range(50)]
    process.kill()
    rest, _ = process.communicate(timeout=60)
    acknowledged += rest.split("\n")[:-1]
    assert set(acknowledged) <= index.ids("shared")
    assert index.count("shared") - len(acknowledged) in (0, 1)
    index.put("shared", [("next", "the index goes on")])
    assert found(index, "goes on", "shared") == ["next"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_both_sides_of_a_fork_may_go_on(file: Path) -> None:
    program = (
        "import os, sys\nfrom pathlib import Path\nfrom vademecum.embeddings.text_index import TextIndex\n"
        "index = TextIndex(Path(sys.argv[1])); index.put('s', [('before', 'word')])\n"
        "child = os.fork()\n"
        "index.put('s', [('child' if child == 0 else 'parent', 'word')])\n"
        "if child == 0: index.close(); os._exit(0)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0\n"
        "assert index.ids('s') == {'before', 'child', 'parent'}, index.ids('s')\n"
        "index.close()"
    )
    subprocess.run([sys.executable, "-c", program, str(file)], timeout=60, check=True)


# --- damage ---


def filled(file: Path) -> TextIndex:
    index = TextIndex(file)
    index.put("s", [(str(n), f"word number {n} of many") for n in range(3_000)])
    index.close()
    return TextIndex(file)


def overwrite_middle(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    file.write_bytes(data)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: 4096 * 3 + 100])


def replace_whole(file: Path) -> None:
    file.write_bytes(b"this is no database, and long enough to be looked at as one " * 100)


@pytest.mark.parametrize("damage", [overwrite_middle, cut, replace_whole])
def test_a_damaged_file_is_told_and_can_be_filled_again(file: Path, damage: object) -> None:
    index = filled(file)
    assert callable(damage)
    damage(file)
    with pytest.raises(IndexDamaged, match="Fill it again"):
        index.search("s", "word", 5)
        index.put("s", [(str(n), "another text") for n in range(3_000)])
    index.clear()
    index.put("s", [("a", "word")])
    assert found(index, "word") == ["a"]
    index.close()


def test_a_file_deleted_under_its_user_is_told(file: Path) -> None:
    index = filled(file)
    assert index.count("s") == 3_000
    for path in file.parent.iterdir():
        path.unlink()
    with pytest.raises(IndexDamaged, match="deleted"):
        index.search("s", "word", 5)
    index.clear()
    assert index.count("s") == 0
    index.close()


def test_a_file_replaced_by_another_process_is_opened_anew(file: Path) -> None:
    index = filled(file)
    assert index.count("s") == 3_000
    replace_whole(file)
    other = TextIndex(file)
    other.clear()
    other.put("s", [("fresh", "word")])
    assert index.ids("s") == {"fresh"}
    index.close()
    other.close()


def test_a_file_of_another_format_is_told(file: Path) -> None:
    import sqlite3

    filled(file).close()
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    index = TextIndex(file)
    with pytest.raises(IndexDamaged, match="format 99"):
        index.count("s")
    index.clear()
    assert index.count("s") == 0
    index.close()


def test_a_folder_in_the_place_of_the_file_is_trouble(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    index = TextIndex(tmp_path / "folder")
    with pytest.raises(StorageTrouble):
        index.count("s")
    index.close()
