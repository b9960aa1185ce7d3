"""A vault where nothing can be written, for a full disk or a folder that can only be read, is still there to read.

The real thing: a small file system in memory, mounted in a namespace of its own.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import lmdb
import pytest

from tests.storage.processes import run
from vademecum import Vault
from vademecum.storage.tables import Table

PROBE = "mount -t tmpfs tmpfs {0} && mount -o remount,ro {0}"


def can_mount(folder: Path) -> bool:
    if shutil.which("unshare") is None:
        return False
    done = subprocess.run(["unshare", "-m", "sh", "-c", PROBE.format(folder)], capture_output=True, check=False)
    return done.returncode == 0


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder on which a file system can be mounted."""
    place = tmp_path / "place"
    place.mkdir()
    if not can_mount(place):
        pytest.skip("this system lets no test mount a file system")
    return place


def run_mounted(place: Path, *commands: str, size: str = "8m") -> list[str]:
    """The lines said by shell *commands* in turn, with an empty file system of *size* mounted on *place*."""
    script = "\n".join(["set -e", f"mount -t tmpfs -o size={size} tmpfs {place}", *commands])
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, sys.executable], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


READ = """
import sys
from vademecum import Vault
from vademecum.errors import StorageTrouble
with Vault.open(sys.argv[1]) as vault:
    print(vault.user.get("name"), vault.user.tree()["private"]["diet"]["_value"], vault.why("name").current is not None)
    print(vault.recall("who is Alice")[0].path, vault.status().state)
    try:
        vault.user.set("name", "Bob")
    except StorageTrouble as error:
        print("refused:", error)
"""


def write_script(folder: Path, text: str) -> Path:
    script = folder / "script.py"
    script.write_text(text)
    return script


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with Vault.create(tmp_path / "home") as vault:
        vault.user.set("name", "Alice")
        vault.user.set("diet", "vegetarian", private=True)
    return tmp_path / "home"


def test_a_vault_on_a_file_system_that_can_only_be_read(tmp_path: Path, place: Path, home: Path) -> None:
    script = write_script(tmp_path, READ)
    said = run_mounted(
        place,
        f"cp -r {home}/. {place}",
        f"mount -o remount,ro {place}",
        f'"$0" {script} {place}',
        f'"$0" {script} {place}',
    )
    assert said[:2] == said[3:5] == ["Alice vegetarian True", "name offline"]
    assert said[2].startswith(f"refused: Nothing can be written in {place}")


def test_a_vault_on_a_full_disk_can_be_read_and_works_on_once_there_is_room(
    tmp_path: Path, place: Path, home: Path
) -> None:
    script = write_script(tmp_path, READ)
    fill = f"dd if=/dev/zero of={place}/filling bs=4096 2>/dev/null || true"
    said = run_mounted(
        place,
        f"cp -r {home}/. {place}",
        fill,
        f'"$0" {script} {place}',
        f"rm {place}/filling",
        f'"$0" {script} {place}',
        f'"$0" {script} {place}',
    )
    assert said[:2] == ["Alice vegetarian True", "name offline"]
    assert said[2].startswith("refused:")
    assert said[3:5] == ["Alice vegetarian True", "name offline"]
    assert said[5:] == ["Bob vegetarian True", "name offline"]


FILL_UP = """
import sys
from vademecum import Vault
from vademecum.errors import StorageTrouble
kept = 0
with Vault.open(sys.argv[1]) as vault:
    try:
        while True:
            vault.user.set(f"topics.t{kept}", str(kept) * 8_000)
            kept += 1
    except StorageTrouble:
        print("full")
    print(all(vault.user.get(f"topics.t{n}")[:1] == str(n)[:1] for n in range(kept)), vault.user.get("name"))
with Vault.open(sys.argv[1]) as vault:
    print(kept > 3, all(vault.user.get(f"topics.t{n}")[:1] == str(n)[:1] for n in range(kept)))
"""


def test_a_disk_that_fills_up_while_the_vault_is_written_loses_nothing(tmp_path: Path, place: Path, home: Path) -> None:
    script = write_script(tmp_path, FILL_UP)
    said = run_mounted(place, f"cp -r {home}/. {place}", f'"$0" {script} {place}', size="3m")
    assert said == ["full", "True Alice", "True True"]


OLDER = """
import sys
from vademecum import Vault
from vademecum.storage.tables import Table
with Vault.open(sys.argv[1]) as vault, vault.replica.read() as view:
    reader, table = view.reader, Table.SIGNALS
    print(vault.user.get("name"), vault.replica.environment.read_only)
    print(reader.count(table), reader.get(table, b"1"), reader.get_many(table, [b"1"]), list(reader.scan(table)))
    print(list(reader.keys(table)), reader.has(table), reader.last_key(table), list(reader.raw(table)))
"""


@pytest.mark.parametrize("sealed", [False, True])
def test_a_vault_of_before_a_table_was_thought_of_has_it_empty(tmp_path: Path, place: Path, sealed: bool) -> None:
    home = tmp_path / "older"
    with Vault.create(home, passphrase="open sesame" if sealed else None) as vault:
        vault.user.set("name", "Alice")
        folder = vault.replica.environment.file.parent
    with lmdb.open(str(folder), max_dbs=64) as env:
        table = env.open_db(Table.SIGNALS.value)
        with env.begin(write=True) as txn:
            txn.drop(table)
    script = write_script(tmp_path, OLDER)
    run_script = f'VADEMECUM_PASSPHRASE="open sesame" "$0" {script} {place}'
    said = run_mounted(place, f"cp -r {home}/. {place}", f"mount -o remount,ro {place}", run_script)
    assert said == ["Alice True", "0 None {} []", "[] False None []"]


@pytest.mark.skipif(sys.platform != "linux", reason="root gives up its powers in the way of Linux")
def test_a_folder_that_its_permissions_close_can_be_read(home: Path) -> None:
    for path in (home, *home.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        said = run(
            """
import ctypes
from vademecum import Vault
head = (ctypes.c_uint32 * 2)(0x20080522, 0)
ctypes.CDLL(None).capset(head, (ctypes.c_uint32 * 6)())  # permissions mean nothing to whoever has every capability
with Vault.open(folder) as vault:
    say(vault.user.get("name"))
    try:
        vault.user.set("name", "Bob")
    except StorageTrouble as error:
        say("refused")
""",
            home,
        )
    finally:
        for path in (home, *home.rglob("*")):
            path.chmod(0o700)
    assert said == ["Alice", "refused"]
