"""A folder that was copied or whose database went back in time is told from one that was left, or moved as a whole."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from vademecum.errors import DamagedStore
from vademecum.storage import installation
from vademecum.storage.installation import COPIED, RESTORED, Place, judge, same_place, token_hash

TOKEN = bytes(range(32))
HASH = token_hash(TOKEN)
HERE = Place(1, 2, 3, "machine")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    installation.keep_token(folder, TOKEN)
    installation.note_place(folder)
    return folder


@pytest.mark.parametrize(
    ("now", "same"),
    [
        (HERE, True),
        (replace(HERE, changed=9), False),  # a copy that was given the number of the deleted original
        (replace(HERE, device=9), True),  # mounted anew, under another number
        (replace(HERE, inode=9), True),  # a file system that numbers files when it is mounted
        (replace(HERE, inode=9, changed=9), False),  # a copy
        (replace(HERE, device=9, changed=9), False),  # a copy on another disk, with the same number there
        (replace(HERE, machine="other"), False),  # the disk of another machine
        (replace(HERE, machine=""), True),  # a machine that has no id says nothing
    ],
)
def test_which_changes_make_another_place(now: Place, same: bool) -> None:
    assert same_place(HERE, now) is same


def test_a_folder_that_was_left_alone_or_renamed_is_the_same(home: Path) -> None:
    assert judge(home, HASH, 0) is None
    moved = home.rename(home.with_name("moved"))
    assert judge(moved, HASH, 0) is None


def test_a_copy_is_one_also_where_it_keeps_all_times_or_took_the_place_of_the_original(home: Path) -> None:
    for way in (shutil.copy, shutil.copy2):
        there = home.with_name(way.__name__)
        shutil.copytree(home, there, copy_function=way)
        assert judge(there, HASH, 0) == COPIED
    shutil.rmtree(home)
    shutil.copytree(there, home, copy_function=shutil.copy2)
    assert judge(home, HASH, 0) == COPIED


def test_a_copy_that_left_files_out_or_another_token_is_one(home: Path) -> None:
    assert judge(home, token_hash(bytes(32)), 0) == COPIED
    (home / "instance" / "place.json").unlink()
    assert judge(home, HASH, 0) == COPIED
    shutil.rmtree(home / "instance")
    assert judge(home, HASH, 0) == COPIED


def test_a_database_from_before_there_were_tokens_is_not_judged(home: Path) -> None:
    shutil.rmtree(home / "instance")
    assert judge(home, None, 0) is None


def test_a_database_that_has_sealed_less_than_was_noted_was_restored(home: Path) -> None:
    installation.note_sealed(home, 5)
    assert judge(home, HASH, 5) is None and judge(home, HASH, 6) is None
    assert judge(home, HASH, 4) == RESTORED


def test_a_note_that_a_crash_has_emptied_says_nothing(home: Path) -> None:
    (home / "instance" / "sealed").write_bytes(b"")
    assert judge(home, HASH, 0) is None and installation.noted_sealed(home) == 0


def test_a_note_that_cannot_be_written_is_no_failure(home: Path) -> None:
    shutil.rmtree(home / "instance")
    installation.note_sealed(home, 5)
    assert not (home / "instance").exists()


def test_a_token_is_adopted_once_and_where_it_lies_is_noted(home: Path) -> None:
    installation.keep_next_token(home, bytes(32))
    for _ in range(2):
        installation.adopt_token(home)
        assert judge(home, token_hash(bytes(32)), 0) is None
    assert judge(home, HASH, 0) == COPIED


@pytest.mark.parametrize("name", ["token", "place.json"])
@pytest.mark.parametrize("content", [b"\xff", b"", b"{}", b"[1]", b"null", b"\x00" * 40])
def test_a_damaged_file_is_said_to_be_damaged_or_a_copy(home: Path, name: str, content: bytes) -> None:
    (home / "instance" / name).write_bytes(content)
    try:
        assert judge(home, HASH, 0) == COPIED
    except DamagedStore as error:
        assert os.fspath(home) in error.message


def test_the_machine_is_known_by_a_hash_only() -> None:
    found = installation.machine()
    assert found == installation.machine() and len(found) in (0, 32)
    for file in ("/etc/machine-id", "/var/lib/dbus/machine-id"):
        if Path(file).exists():
            assert Path(file).read_text().strip() != found or not found
