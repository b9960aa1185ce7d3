"""Making the folder of a vault: everything is made aside and moved in, the file that says so last.

So a folder has a vault whole, or none; what a crash leaves behind is a hidden folder that nothing reads.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.engine.replica import Replica, Transaction
from vademecum.errors import DamagedStore, InvalidArgument, MalformedBytes, StorageTrouble, VaultExists, VaultLocked
from vademecum.storage import installation
from vademecum.storage.environment import Environment
from vademecum.storage.files import write_atomically
from vademecum.storage.identity import IDENTITY_FILE, OWNER, Identity
from vademecum.storage.tables import Table

if TYPE_CHECKING:
    from vademecum.storage.sealer import Sealer
    from vademecum.transport.keys import DeviceKeys

__all__ = [
    "DEVICE_NAME",
    "INDEX",
    "KEYS_FILE",
    "STORE",
    "check_free",
    "check_name",
    "check_room",
    "key_files",
    "load_keys",
    "make_folder",
    "new_client",
    "new_token",
    "read_keys",
    "write_keys",
]

STORE = "store"
INDEX = "index"
KEYS_FILE = "device.keys"
DEVICE_NAME = b"device-name"
"""In the meta table of a sealed vault: the name that `vault.json` does not tell."""
MAX_NAME = 127
"""Bytes of UTF-8 in a device's name."""
_SEALED_KEYS = b"VE\x01"
"""Begins a sealed key file, and is the version of that format; see `FileSeal` for what follows."""
_CLIENT_BITS = 52
_ROOM = 1 << 18
"""Bytes that a new vault takes, about."""


def check_free(home: Path) -> None:
    """Raises `VaultExists` if *home* has a vault, `StorageTrouble` if it cannot be a folder."""
    try:
        if b"\0" in os.fspath(home).encode():  # LMDB opens no path that is not Unicode
            raise StorageTrouble(f"No vault can be made in {home}: a name has no zero byte.")
        if (home / IDENTITY_FILE).exists() or (home / STORE).exists():
            raise VaultExists(f"There is a vault in {home} already. Choose another folder with --home.")
        if home.exists() and not home.is_dir():
            raise StorageTrouble(f"{home} is not a folder, so no vault can be made in it.")
    except OSError as error:
        raise StorageTrouble(f"No vault can be made in {home}: {error.strerror}.") from error
    except UnicodeEncodeError as error:
        raise StorageTrouble(f"No vault can be made in {home}: its name is not Unicode.") from error


def check_room(home: Path) -> None:
    """Raises `StorageTrouble` if nothing can be made at *home*; leaves no trace there."""
    try:
        place = next(one for one in (home, *home.parents) if one.exists())
        with tempfile.TemporaryDirectory(dir=place, prefix=".new-") as aside:
            write_atomically(Path(aside) / "room", bytes(_ROOM))
    except OSError as error:
        raise StorageTrouble(f"No vault can be made in {home}: {error.strerror}.") from error


def check_name(name: str) -> str:
    """*name* as a device's name. Raises `InvalidArgument`."""
    cleaned = " ".join(name.split()) if isinstance(name, str) else ""
    # what is printable has no half of a surrogate pair, so it can be encoded
    if not cleaned or not cleaned.isprintable() or len(cleaned.encode()) > MAX_NAME:
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
    seal: tuple[Sealer, bytes] | None = None,
) -> None:
    """Makes the vault's folder at *home* with a database that *fill* begins. Raises `VaultExists`, `StorageTrouble`.

    With *seal*, a sealed one: the data key at work, and the header that says how it is kept.
    """
    check_free(home)
    identity = Identity(vault, device, new_client(), name, sealed=seal is not None)
    token = new_token()

    def fill_and_sign(transaction: Transaction) -> None:
        fill(transaction)
        if seal is not None:
            transaction.writer.put(Table.META, DEVICE_NAME, name.encode())
        transaction.writer.put(Table.META, OWNER, identity.owner)
        transaction.writer.put(Table.META, installation.INSTANCE, installation.token_hash(token))

    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        aside = Path(tempfile.mkdtemp(dir=home, prefix=".new-"))
        try:
            environment = Environment.create(aside / STORE, seal=seal)
            replica = Replica(environment, device=device, client=identity.client, wall=wall)
            try:
                replica.write(fill_and_sign)
            finally:
                replica.close()
            write_keys(aside, keys, None if seal is None else seal[0])
            (aside / INDEX).mkdir(mode=0o700)
            installation.keep_token(aside, token)
            _move_in(aside, home, (STORE, INDEX, KEYS_FILE, installation.FOLDER))
            installation.note_place(home)
            identity.write(home)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    except OSError as error:
        raise StorageTrouble(f"No vault can be made in {home}: {error.strerror}.") from error


def new_client() -> int:
    """A CRDT client id for an installation."""
    return int.from_bytes(os.urandom(8), "big") >> (64 - _CLIENT_BITS)


def new_token() -> bytes:
    """An instance token."""
    return os.urandom(installation.TOKEN_SIZE)


def write_keys(home: Path, keys: bytes, sealer: Sealer | None, name: str = KEYS_FILE) -> None:
    """Keeps a device's secret keys, `DeviceKeys.to_bytes`, in *home*; sealed with *sealer*. Raises ``OSError``."""
    write_atomically(home / name, keys if sealer is None else _SEALED_KEYS + sealer.file(KEYS_FILE).seal(keys))


def key_files(home: Path, *, sealed: bool) -> list[str]:
    """The names of the key files in *home* that are sealed, or of those that are not. Raises ``OSError``."""
    files = [file for file in home.glob(f"{KEYS_FILE}*") if file.is_file()]  # whatever else is there is said elsewhere
    return [file.name for file in files if file.read_bytes().startswith(_SEALED_KEYS) is sealed]


def read_keys(home: Path, device: bytes, sealer: Sealer | None = None, name: str = KEYS_FILE) -> DeviceKeys:
    """The secret keys of *device*. Raises `MalformedBytes` or `StorageTrouble` if the file holds something else, and
    `VaultLocked` if it is sealed and *sealer* is not given.
    """
    keys = load_keys(home, sealer, name)
    if keys.device != device:
        raise StorageTrouble(f"The keys in {home / name} are those of another device. Put this device's own back.")
    return keys


def load_keys(home: Path, sealer: Sealer | None, name: str) -> DeviceKeys:
    """The secret keys in the file *name*, whosever they are. Raises as `read_keys`."""
    from vademecum.transport.keys import DeviceKeys

    file = home / name
    try:
        data = file.read_bytes()
        if data.startswith(_SEALED_KEYS):
            if sealer is None:
                raise VaultLocked(f"This device's keys, {file}, are sealed, and the vault was opened without a key.")
            data = sealer.file(KEYS_FILE).open(data[len(_SEALED_KEYS) :])
        return DeviceKeys.from_bytes(data)
    except OSError as error:
        raise StorageTrouble(f"This device's keys, {file}, cannot be read: {error.strerror}.") from error
    except (MalformedBytes, DamagedStore) as error:
        raise MalformedBytes(f"This device's keys, {file}, are damaged. {error.message}") from error


def _move_in(aside: Path, home: Path, names: Sequence[str]) -> None:
    for name in names:
        (aside / name).rename(home / name)
