"""``vademecum compact``: small files, the same memory, and nothing left in them of what is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.front.cli_runs import Call, in_process
from vademecum import Vault

MARKER = "heliotrope"


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return in_process(capsys)


def fill(vault: Vault) -> None:
    for number in range(60):
        vault.user.set(f"topics.t{number}", f"{MARKER} {number} " * 30)
    vault.user.set("name", "Alice")


def test_the_files_are_smaller_and_the_memory_is_the_same(tmp_path: Path) -> None:
    with Vault.create(tmp_path / "home") as vault:
        fill(vault)
        for number in range(60):
            vault.user.set(f"topics.t{number}", "short")
        before = vault.user.tree()
        assert vault.recall("Alice")[0].path == "name"
        old, new = vault.compact()
        assert new < old
        assert vault.user.tree() == before
        assert vault.recall("Alice")[0].path == "name"
        vault.user.set("name", "Bob")
    with Vault.open(tmp_path / "home") as vault:
        assert vault.user.get("name") == "Bob"
        assert vault.why("name").history, "the history is kept"


def test_the_recall_indexes_hold_nothing_of_what_was_forgotten(tmp_path: Path) -> None:
    with Vault.create(tmp_path / "home") as vault:
        fill(vault)
        vault.recall(MARKER)
        vault.forget("topics")
        vault.compact()
        assert vault.recall("Alice")[0].path == "name"
        held = b"".join(file.read_bytes() for file in (tmp_path / "home" / "index").rglob("*") if file.is_file())
        assert MARKER[:6].encode() not in held


def test_the_command_says_what_was_gained(call: Call) -> None:
    assert call("init").code == 0
    assert call("set", "name", "Alice").code == 0
    said = call("compact", "--json").json
    assert said["before"] > 0
    assert said["after"] > 0
    assert "nothing to give back" in call("compact").out
    assert call("get", "name").out == "Alice\n"
