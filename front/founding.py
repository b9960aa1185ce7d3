"""Making the folder of a vault: everything is made aside and moved in, the file that says so last.

So a folder has a vault whole, or none; what a crash leaves behind is a hidden folder that nothing reads.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from vademecum.engine.replica import Replica, Transaction
from vademecum.errors import InvalidArgument, StorageTrouble, VaultExists
from vademecum.storage.environment import Environment
from vademecum.storage.files import write_atomically
from vademecum.storage.identity import IDENTITY_FILE, Identity

__all__ = ["INDEX", "KEYS_FILE", "STORE", "check_free", "check_name", "make_folder"]

STORE = "store"
INDEX = "index"
KEYS_FILE = "device.keys"
MAX_NAME = 127
"""Bytes of UTF-8 in a device's name."""
_CLIENT_BITS = 52


def check_free(home: Path) -> None:
    """Raises `VaultExists` if *home* has a vault, `StorageTrouble` if it cannot be a folder."""
    if (home / IDENTITY_FILE).exists() or (home / STORE).exists():
        raise VaultExists(f"There is a vault in {home} already. Choose another folder with --home.")
    if home.exists() and not home.is_dir():
        raise StorageTrouble(f"{home} is not a folder, so no vault can be made in it.")


def check_name(name: str) -> str:
    """*name* as a device's name. Raises `InvalidArgument`."""
    cleaned = " ".join(name.split())
    if not cleaned or len(cleaned.encode()) > MAX_NAME or not cleaned.isprintable():
        raise InvalidArgument(f"A device's name is 1 to {MAX_NAME} bytes of text; {name!r} is not.")
    return cleaned


def make_folder(
    home: Path,
    *,
    vault: bytes,
    device: bytes,
    name: str,
    keys: bytes,
    fill: Callable[[Transaction], None],
    wall: Callable[[], int],
) -> None:
    """Makes the vault's folder at *home* with a database that *fill* begins. Raises `VaultExists`, `StorageTrouble`."""
    check_free(home)
    identity = Identity(vault, device, int.from_bytes(os.urandom(8), "big") >> (64 - _CLIENT_BITS), name)
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        aside = Path(tempfile.mkdtemp(dir=home, prefix=".new-"))
        try:
            replica = Replica(Environment.create(aside / STORE), device=device, client=identity.client, wall=wall)
            try:
                replica.write(fill)
            finally:
                replica.close()
            write_atomically(aside / KEYS_FILE, keys)
            (aside / INDEX).mkdir(mode=0o700)
            _move_in(aside, home, (STORE, INDEX, KEYS_FILE))
            identity.write(home)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    except OSError as error:
        raise StorageTrouble(f"No vault can be made in {home}: {error.strerror}.") from error


def _move_in(aside: Path, home: Path, names: Sequence[str]) -> None:
    for name in names:
        (aside / name).rename(home / name)
