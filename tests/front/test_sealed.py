"""A sealed vault through the public API: nothing of it lies in the open, and everything works."""

from __future__ import annotations

import inspect
import json
import multiprocessing
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import keyring
import pytest

from tests.endtoend import test_forgetting
from tests.front import test_import_yaml, test_vault
from tests.front.sealed_vaults import WORDS, fill, keyring_file, marks_in, told
from vademecum import Vault
from vademecum.errors import InvalidArgument, MalformedBytes, Refused, StorageTrouble, VaultLocked, WrongKey

__all__ = ["keyring_file"]

NAME = "the-red-laptop"


def test_nothing_of_a_vault_made_sealed_lies_in_the_open(tmp_path: Path, keyring_file: Path) -> None:
    home = tmp_path / "v"
    with Vault.create(home, device_name=NAME, sealed=True) as vault:
        fill(vault)
        before = told(vault)
        assert marks_in(home) == []  # also while it is open
    assert marks_in(home) == []
    with Vault.open(home) as vault:
        assert (told(vault), vault.device_name, vault.sealed) == (before, NAME, "keyring")


def test_sealing_leaves_nothing_in_the_open_and_unsealing_brings_it_back(tmp_path: Path, keyring_file: Path) -> None:
    home = tmp_path / "v"
    with Vault.create(home, device_name=NAME) as vault:
        fill(vault)
        before = told(vault)
    assert {mark for _, mark in marks_in(home)} >= {"Kumquat", "quokka", "axolotl", "zanzibar", NAME}
    with Vault.open(home) as vault:
        vault.recall("Kumquat")
        shutil.copytree(home / "store" / "1", home / "store" / "1.format-0")  # as a change of format leaves it
        vault.seal()
        assert marks_in(home) == []
        assert told(vault) == before
        assert "Kumquat" in repr(vault.recall("what about Kumquat jam?"))
        with pytest.raises(Refused, match="sealed already"):
            vault.seal()
    assert marks_in(home) == []
    with Vault.open(home) as vault:
        assert (told(vault), vault.device_name) == (before, NAME)
        vault.unseal()
        assert (told(vault), vault.sealed) == (before, None)
        assert "Kumquat" in repr(vault.recall("what about Kumquat jam?"))
        with pytest.raises(Refused, match="not sealed"):
            vault.unseal()
    assert json.loads(keyring_file.read_text()) == {}
    with Vault.open(home) as vault:
        assert (told(vault), vault.device_name, vault.sealed) == (before, NAME, None)
    assert json.loads((home / "vault.json").read_text())["name"] == NAME
    assert sorted(one.name for one in home.iterdir()) == ["device.keys", "index", "instance", "store", "vault.json"]


def test_a_passphrase_is_the_right_one_or_it_is_said_to_be_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "v"
    with Vault.create(home, passphrase=lambda: WORDS) as vault:
        vault.user.set("a", 1)
    with pytest.raises(WrongKey, match="not the passphrase"):
        Vault.open(home, passphrase="correct horse batterie")
    with pytest.raises(VaultLocked, match="VADEMECUM_PASSPHRASE"):
        Vault.open(home)
    with Vault.open(home, passphrase=WORDS) as vault:
        assert (vault.user.get("a"), vault.sealed) == (1, "passphrase")
        with pytest.raises(WrongKey):  # though this process has it open
            Vault.open(home, passphrase="correct horse batterie")
    monkeypatch.setenv("VADEMECUM_PASSPHRASE", WORDS)
    with Vault.open(home) as vault:
        assert vault.user.get("a") == 1


def test_a_short_passphrase_is_refused_and_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="at least 8"):
        Vault.create(tmp_path / "v", passphrase="1234567")
    assert not (tmp_path / "v").exists()


def test_without_a_keyring_it_is_said_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for backend in ("keyring.backends.null.Keyring", "keyring.backends.fail.Keyring"):
        monkeypatch.setenv("PYTHON_KEYRING_BACKEND", backend)
        module = sys.modules.get(backend.rpartition(".")[0]) or __import__(backend.rpartition(".")[0], fromlist=["x"])
        before = keyring.get_keyring()
        keyring.set_keyring(module.Keyring())
        try:
            with pytest.raises(VaultLocked, match="--passphrase"):
                Vault.create(tmp_path / "v", sealed=True)
        finally:
            keyring.set_keyring(before)
        assert not (tmp_path / "v").exists()


def test_a_locked_keyring_says_so_and_a_lost_entry_is_made_good_by_the_recovery_phrase(
    tmp_path: Path, keyring_file: Path
) -> None:
    home = tmp_path / "v"
    with Vault.create(home, sealed=True) as vault:
        vault.user.set("a", 1)
        phrase = vault.recovery_phrase
    assert phrase is not None
    locked = keyring_file.with_name(keyring_file.name + ".locked")
    locked.touch()
    with pytest.raises(VaultLocked, match="locked"):
        Vault.open(home)
    locked.unlink()
    (entry,) = json.loads(keyring_file.read_text())
    keyring_file.write_text(json.dumps({entry: "AAAA" * 10 + "AAA="}))
    with pytest.raises(WrongKey, match="keyring"):
        Vault.open(home)
    keyring_file.write_text("{}")
    with pytest.raises(VaultLocked, match=r"lost.*--recovery"):
        Vault.open(home)
    with pytest.raises(WrongKey, match="another vault"):
        Vault.open(home, recovery_phrase="abandon " * 23 + "art")
    with Vault.open(home, recovery_phrase=phrase) as vault:
        assert vault.user.get("a") == 1
        vault.rekey()
    with Vault.open(home) as vault:
        assert vault.user.get("a") == 1
        vault.rekey(WORDS)
    assert json.loads(keyring_file.read_text()) == {}
    with Vault.open(home, passphrase=WORDS) as vault:
        assert (vault.user.get("a"), vault.sealed) == (1, "passphrase")


def test_a_vault_that_could_not_be_made_leaves_no_key_in_the_keyring(tmp_path: Path, keyring_file: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageTrouble):
        Vault.create(tmp_path / "file" / "v", sealed=True)
    assert json.loads(keyring_file.read_text()) == {}


def test_a_sealing_that_fails_leaves_the_vault_as_it_was_and_no_key_behind(tmp_path: Path, keyring_file: Path) -> None:
    home = tmp_path / "v"
    with Vault.create(home) as vault:
        vault.user.set("a", 1)
        with vault.replica.read(), pytest.raises(StorageTrouble, match="reading"):
            vault.seal()
        assert (vault.sealed, vault.user.get("a")) == (None, 1)
    assert json.loads(keyring_file.read_text()) == {}
    with Vault.open(home) as vault:
        assert vault.user.get("a") == 1


def test_a_copy_of_a_sealed_vault_becomes_a_sealed_device_of_its_own(tmp_path: Path, keyring_file: Path) -> None:
    home, copy = tmp_path / "v", tmp_path / "copy"
    with Vault.create(home, device_name=NAME, sealed=True) as vault:
        fill(vault)
        device = vault.ledger().device
    shutil.copytree(home, copy)
    with Vault.open(copy) as vault:
        vault.user.set("quokka.copied", "Kumquat")
        assert vault.ledger().device != device
        assert NAME in vault.device_name and vault.device_name != NAME
    assert marks_in(copy) == []
    with Vault.open(copy) as vault, Vault.open(home) as original:
        assert vault.user.get("quokka.copied") == "Kumquat"
        assert (original.ledger().device, original.device_name) == (device, NAME)


def test_a_damaged_key_file_is_reported_as_such(tmp_path: Path, keyring_file: Path) -> None:
    home = tmp_path / "v"
    with Vault.create(home, sealed=True) as vault:
        pass
    data = (home / "device.keys").read_bytes()
    (home / "device.keys").write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with Vault.open(home) as vault, pytest.raises(MalformedBytes, match=r"device\.keys"):
        vault.keys()


def test_who_has_a_vault_open_when_it_is_sealed_must_open_it_again(tmp_path: Path, keyring_file: Path) -> None:
    home = tmp_path / "v"
    with Vault.create(home) as vault:
        fill(vault)
    other = subprocess.Popen(
        [sys.executable, "-c", OPEN_AND_WAIT, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdin is not None and other.stdout is not None
    assert other.stdout.readline() == "open\n"
    with Vault.open(home) as vault:
        vault.seal()
    assert marks_in(home) == []
    out, _ = other.communicate("go on\n", timeout=30)
    assert out.splitlines() == ["VaultLocked", "VaultLocked", "more Kumquat", "['Kumquat jam']"]
    assert marks_in(home) == []


OPEN_AND_WAIT = """
import sys
from vademecum import Vault, VademecumError
vault = Vault.open(sys.argv[1])
vault.recall("Kumquat")
print("open", flush=True)
sys.stdin.readline()
for work in (lambda: vault.recall("Kumquat"), lambda: vault.user.set("quokka.late", "Kumquat")):
    try:
        print(work())
    except VademecumError as error:
        print(type(error).__name__)
vault.close()
with Vault.open(sys.argv[1]) as vault:
    print(vault.user.get("quokka.food"))
    print([one.value for one in vault.recall("Kumquat jam", 1)])
"""


def _write_and_ask(home: Path, number: int) -> None:
    with Vault.open(home) as vault:
        for at in range(6):
            vault.user.set(f"p{number}.n{at}", f"word{number}x{at}")
            assert f"word{number}x{at}" in repr(vault.recall(f"word{number}x{at}", 3))


def test_several_processes_write_and_find_at_once(tmp_path: Path, keyring_file: Path) -> None:
    home = tmp_path / "v"
    Vault.create(home, sealed=True).close()
    other = multiprocessing.get_context("spawn").Process(target=_write_and_ask, args=(home, 0))
    other.start()
    _write_and_ask(home, 1)
    other.join(60)
    assert other.exitcode == 0
    with Vault.open(home) as vault:
        assert len(vault.user.leaves()) == 12
        for number in range(2):
            assert vault.recall(f"word{number}x5", 1)[0].value == f"word{number}x5"


CONVERT = """
import sys, time
from vademecum import Vault
vault = Vault.open(sys.argv[1])
vault.seal()
vault.unseal()
begun = time.perf_counter()
vault.seal()
vault.unseal()
print(time.perf_counter() - begun, flush=True)
while True:
    vault.seal()
    vault.unseal()
"""


def test_a_vault_killed_while_it_is_sealed_or_unsealed_opens_with_all_it_held(
    tmp_path: Path, keyring_file: Path
) -> None:
    home = tmp_path / "v"
    with Vault.create(home, device_name=NAME) as vault:
        fill(vault)
        before = told(vault)
    seen = set()
    rng = random.Random(1)
    for round_ in range(30):
        process = subprocess.Popen([sys.executable, "-c", CONVERT, str(home)], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        time.sleep(float(process.stdout.readline()) * rng.random())
        process.kill()
        process.communicate()
        with Vault.open(home) as vault:
            assert (told(vault), vault.device_name) == (before, NAME)
            seen.add(vault.sealed)
            if vault.sealed:
                assert marks_in(home) == []
                vault.unseal()
        if round_ >= 2 and len(seen) == 2:
            break
    assert seen == {None, "keyring"}


@pytest.fixture
def all_sealed(keyring_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every vault that a test makes is a sealed one."""
    create, join = Vault.create, Vault.join
    monkeypatch.setattr(Vault, "create", lambda home, **how: create(home, sealed=True, **how))
    monkeypatch.setattr(Vault, "join", lambda home, code, **how: join(home, code, sealed=True, **how))


@pytest.mark.usefixtures("all_sealed")
@pytest.mark.parametrize(
    "test",
    [
        test_vault.test_the_example_on_the_package_does_what_it_says,
        test_vault.test_an_object_becomes_a_subtree_and_a_node_may_have_a_value_and_children,
        test_vault.test_a_tree_shows_public_private_and_each_agents_part,
        test_vault.test_a_vault_opened_twice_in_one_process_is_one_vault,
        test_vault.test_another_relay_begins_with_nothing_acknowledged_and_the_same_one_with_all,
        test_import_yaml.test_plain_values_are_the_persons_and_a_source_keeps_its_provenance,
        test_import_yaml.test_the_same_file_twice_changes_nothing,
    ],
    ids=lambda test: test.__name__,
)
def test_what_a_plain_vault_does_a_sealed_one_does_too(test: Callable[..., None], tmp_path: Path) -> None:
    with Vault.create(tmp_path / "v") as vault:
        assert vault.sealed == "keyring"
        test(vault, tmp_path) if "tmp_path" in inspect.signature(test).parameters else test(vault)


@pytest.mark.usefixtures("all_sealed")
async def test_sealed_devices_sync_and_forget(tmp_path: Path) -> None:
    await test_forgetting.test_a_forgotten_agents_leaves_are_gone_everywhere_and_the_persons_stay(tmp_path)
    assert b"seal" in (tmp_path / "b" / "vault.json").read_bytes()
