"""A folder has a vault whole, or none."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from vademecum import Vault
from vademecum.engine.replica import Transaction
from vademecum.errors import InvalidArgument, StorageTrouble, VaultExists, VaultMissing
from vademecum.founding import check_name, make_folder


def test_a_new_vault_opens_again_and_is_where_it_was_asked_for(tmp_path: Path) -> None:
    home = tmp_path / "deep" / "down" / "vault"
    with Vault.create(home, device_name="laptop") as vault:
        vault.user.set("a", 1)
        assert vault.recovery_phrase is not None and len(vault.recovery_phrase.split()) == 24
    with Vault.open(home) as vault:
        assert vault.user.get("a") == 1 and vault.device_name == "laptop"
        assert vault.recovery_phrase is None


def test_the_recovery_phrase_is_in_no_file(tmp_path: Path) -> None:
    with Vault.create(tmp_path / "v") as vault:
        phrase = vault.recovery_phrase
    assert phrase is not None
    words = b" ".join(word.encode() for word in phrase.split()[:3])
    assert not any(words in file.read_bytes() for file in (tmp_path / "v").rglob("*") if file.is_file())


def test_two_vaults_share_nothing(tmp_path: Path) -> None:
    with Vault.create(tmp_path / "a") as a, Vault.create(tmp_path / "b") as b:
        assert a.ledger().vault != b.ledger().vault and a.ledger().device != b.ledger().device
        assert a.recovery_phrase != b.recovery_phrase


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are those of POSIX")
def test_only_the_owner_may_read_what_a_vault_is_made_of(tmp_path: Path) -> None:
    home = tmp_path / "v"
    with Vault.create(home) as vault:
        vault.user.set("a", 1)
    for place in (home, *home.iterdir()):
        assert stat.S_IMODE(place.stat().st_mode) & 0o077 == 0 or place.parent == home, place
    assert stat.S_IMODE((home / "device.keys").stat().st_mode) & 0o077 == 0


def test_where_there_is_a_vault_none_is_made(tmp_path: Path) -> None:
    with Vault.create(tmp_path) as vault:
        vault.user.set("a", 1)
    with pytest.raises(VaultExists, match="--home"):
        Vault.create(tmp_path)
    with Vault.open(tmp_path) as vault:
        assert vault.user.get("a") == 1


def test_a_vault_whose_identity_was_lost_is_not_made_over(tmp_path: Path) -> None:
    Vault.create(tmp_path).close()
    (tmp_path / "vault.json").unlink()
    with pytest.raises(VaultExists):
        Vault.create(tmp_path)
    with pytest.raises(VaultMissing):
        Vault.open(tmp_path)


def test_a_folder_with_other_things_in_it_will_do_and_keeps_them(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    Vault.create(tmp_path).close()
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_file_in_the_way_is_trouble(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(StorageTrouble, match="not a folder"):
        Vault.create(tmp_path / "file")
    with pytest.raises(StorageTrouble):
        Vault.create(tmp_path / "file" / "below")
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_may_not_be_written_is_trouble(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StorageTrouble, match="No vault can be made"):
        Vault.create(tmp_path / "v")
    tmp_path.chmod(0o700)


def test_a_making_that_fails_leaves_no_vault_and_nothing_else(tmp_path: Path) -> None:
    def fail(_: Transaction) -> None:
        raise LookupError

    with pytest.raises(LookupError):
        make_folder(tmp_path / "v", vault=b"v" * 16, device=b"d" * 16, name="n", keys=b"", fill=fail, wall=lambda: 1)
    assert list((tmp_path / "v").iterdir()) == []
    with pytest.raises(VaultMissing):
        Vault.open(tmp_path / "v")
    Vault.create(tmp_path / "v").close()


def test_what_a_crash_left_behind_is_in_nobodys_way(tmp_path: Path) -> None:
    (tmp_path / ".new-abc" / "store").mkdir(parents=True)
    with pytest.raises(VaultMissing):
        Vault.open(tmp_path)
    Vault.create(tmp_path).close()
    Vault.open(tmp_path).close()


def test_where_no_vault_is_none_is_opened_and_nothing_made(tmp_path: Path) -> None:
    with pytest.raises(VaultMissing, match="init"):
        Vault.open(tmp_path / "absent")
    assert not (tmp_path / "absent").exists()


@pytest.mark.parametrize("name", ["", "  ", "a\nb\0", "\x1b[31m", "x" * 128, "ü" * 64])
def test_a_device_is_called_by_a_short_printable_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidArgument):
        Vault.create(tmp_path / "v", device_name=name)
    assert not (tmp_path / "v").exists()


def test_a_devices_name_is_tidied() -> None:
    assert check_name("  my \n old   laptop ") == "my old laptop"
