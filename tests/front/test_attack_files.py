"""A vault's folder that was edited, mixed up with another's, or put where it cannot be: named, and nothing spoilt."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.front.cli_runs import Call, in_process, program
from vademecum import Vault
from vademecum.errors import DamagedStore, StorageTrouble, VademecumError

OTHER = {"vault": "11" * 16, "device": "22" * 16, "client": 12345}


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return in_process(capsys)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with Vault.create(tmp_path / "v", device_name="laptop") as vault:
        vault.user.set("name", "Alice")
    return tmp_path / "v"


@pytest.mark.parametrize("field", OTHER)
def test_an_identity_that_is_not_the_databases_own_is_refused_before_any_write(home: Path, field: str) -> None:
    file = home / "vault.json"
    right = file.read_text()
    file.write_text(json.dumps(json.loads(right) | {field: OTHER[field]}))
    with pytest.raises(DamagedStore, match="belongs to another"):
        Vault.open(home)
    file.write_text(right)
    with Vault.open(home) as vault:
        vault.user.set("name", "Bob")
        assert vault.user.get("name") == "Bob"


def test_the_database_of_another_vault_is_refused(home: Path, tmp_path: Path) -> None:
    Vault.create(tmp_path / "other").close()
    shutil.rmtree(home / "store")
    shutil.copytree(tmp_path / "other" / "store", home / "store")
    with pytest.raises(DamagedStore, match="belongs to another"):
        Vault.open(home)


def test_a_device_may_be_renamed_in_the_identity_file(home: Path) -> None:
    file = home / "vault.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"name": "desk"}))
    with Vault.open(home) as vault:
        assert (vault.device_name, vault.user.get("name")) == ("desk", "Alice")


def _of_another(keys: Path) -> None:
    with Vault.create(keys.parent.parent / "other") as other:
        keys.write_bytes((other.home / keys.name).read_bytes())


def _lost(keys: Path) -> None:
    keys.unlink()


def _folder(keys: Path) -> None:
    keys.unlink()
    keys.mkdir()


def _cut(keys: Path) -> None:
    keys.write_bytes(keys.read_bytes()[:10])


@pytest.mark.parametrize("spoil", [_of_another, _lost, _folder, _cut], ids=lambda one: one.__name__[1:])
def test_keys_that_are_not_this_devices_are_one_typed_error_and_reading_goes_on(
    home: Path, call: Call, spoil: Callable[[Path], None]
) -> None:
    spoil(home / "device.keys")
    with Vault.open(home) as vault:
        with pytest.raises(VademecumError) as refused:
            vault.status()
        assert str(home / "device.keys") in refused.value.message
        assert vault.user.get("name") == "Alice"
    for arguments in (("log",), ("why", "name")):
        shown = call(*arguments, "--home", home)
        assert (shown.code, shown.err) == (0, "")
        assert "Alice" in shown.out


def test_a_home_that_no_name_can_say_is_one_sentence(tmp_path: Path) -> None:
    for home in ("x" * 300, os.fsdecode(b"a\xffb"), "a/" * 3000):
        for arguments in (("init",), ("get", "name"), ("status",)):
            refused = program(*arguments, "--home", tmp_path / home)
            assert refused.code == 1
            assert refused.refusal
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"])
def test_a_home_that_the_system_cannot_name_is_a_typed_error(tmp_path: Path, name: str) -> None:
    for make in (Vault.create, Vault.open):
        with pytest.raises(StorageTrouble):
            make(tmp_path / name)


@pytest.mark.skipif(os.geteuid() == 0 and not Path("/proc").exists(), reason="needs a folder that cannot be written")
def test_where_no_vault_can_be_made_nothing_is_left(tmp_path: Path) -> None:
    refused = program("init", "--home", "/proc/vademecum")
    assert refused.code == 1
    assert "/proc/vademecum" in refused.refusal


def test_an_index_folder_that_cannot_be_is_a_typed_error_until_it_can(home: Path) -> None:
    with Vault.open(home) as vault:
        assert vault.recall("alice")
        shutil.rmtree(home / "index")
        (home / "index").write_text("in the way")
        with pytest.raises(StorageTrouble, match="index"):
            vault.recall("alice")
        (home / "index").unlink()
        assert vault.recall("alice")[0].value == "Alice"
