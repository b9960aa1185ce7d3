"""Whether a folder is still the one in which its vault was made, or a copy, or one whose database went back in time.

A database cannot know that it was copied: the copy has all that it has. So beside it lie small files of which at least
one says something else in a copy::

    instance/token        random, written once; the database holds its hash
    instance/place.json   where on which machine the token lies, written once, right after it
    instance/sealed       how many commits this installation has sealed; written after the database has counted them

A copy, an unpacked archive, a folder moved to another disk or machine: the token does not lie where ``place.json``
says. An old database put back into its folder: it has sealed fewer commits than ``sealed`` says. Renaming or moving
the folder on its disk changes none of this.

What no file can show, a whole machine that was copied, shows when both copies have written: see the tripwire of
`vademecum.transport.intake`.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from vademecum.errors import DamagedStore, StorageTrouble

from .files import write_atomically

__all__ = [
    "COPIED",
    "FOLDER",
    "INSTANCE",
    "RESTORED",
    "SEALED",
    "TOKEN_SIZE",
    "Place",
    "adopt_token",
    "judge",
    "keep_next_token",
    "keep_token",
    "note_place",
    "note_sealed",
    "noted_sealed",
    "same_place",
    "token_hash",
]

FOLDER = "instance"
TOKEN_SIZE = 32
COPIED = "copied"
RESTORED = "restored"

INSTANCE = b"instance"
"""In the meta table: the hash of the token. A database without it was made before there were tokens."""
SEALED = b"sealed"
"""In the meta table: how many commits this installation has sealed, 8 bytes."""

_TOKEN, _NEXT, _PLACE, _SEALED = "token", "token.next", "place.json", "sealed"
_HASHED = b"vademecum/instance/v1"
_MACHINE_HASHED = b"vademecum/machine/v1"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a file lies: device and inode, when its inode was last changed (nanoseconds), and a hash of the machine's
    id, empty where the machine has none.
    """

    device: int
    inode: int
    changed: int
    machine: str

    @classmethod
    def of(cls, file: Path) -> Place:
        """Raises ``OSError``."""
        found = file.stat()
        return cls(found.st_dev, found.st_ino, found.st_ctime_ns, machine())


def same_place(recorded: Place, now: Place) -> bool:
    """Whether a file that was at *recorded* and one that is at *now* are the same file.

    The time of the last change of its inode tells: nobody can set it, so no copy has that of its original. Device and
    inode do not: file systems number both anew, and give a deleted file's number to the next one, as when a folder is
    deleted and put back from a backup. They are noted for whoever looks into it.
    """
    if recorded.machine and now.machine and recorded.machine != now.machine:
        return False
    return recorded.changed == now.changed


def token_hash(token: bytes) -> bytes:
    """What the database holds of *token*."""
    return hashlib.sha256(_HASHED + token).digest()


def judge(home: Path, instance: bytes | None, sealed: int, *, place: Callable[[Path], Place] = Place.of) -> str | None:
    """`COPIED`, `RESTORED`, or None where all is as it was left.

    *instance* and *sealed* are what the database says. Raises `StorageTrouble`, `DamagedStore`.
    """
    if instance is None:
        return None
    folder = home / FOLDER
    try:
        token = bytes.fromhex((folder / _TOKEN).read_text("ascii"))
        recorded = Place(**json.loads((folder / _PLACE).read_bytes()))
        here = place(folder / _TOKEN)
    except FileNotFoundError:  # a copy that left them out
        return COPIED
    except OSError as error:
        raise StorageTrouble(f"A file in {folder} cannot be read: {error.strerror}.") from error
    except (ValueError, TypeError) as error:
        raise DamagedStore(f"A file in {folder} is damaged; restore the folder from a backup.") from error
    if token_hash(token) != instance or not same_place(recorded, here):
        return COPIED
    return RESTORED if noted_sealed(home) > sealed else None


def keep_token(home: Path, token: bytes) -> None:
    """Writes the token of a new vault. Raises ``OSError``."""
    (home / FOLDER).mkdir(mode=0o700)
    write_atomically(home / FOLDER / _TOKEN, token.hex().encode())


def keep_next_token(home: Path, token: bytes) -> None:
    """Writes the token that `adopt_token` will put in the place of the present one. Raises ``OSError``."""
    (home / FOLDER).mkdir(mode=0o700, exist_ok=True)
    write_atomically(home / FOLDER / _NEXT, token.hex().encode())


def adopt_token(home: Path) -> None:
    """Puts the next token into its place, if that is still to be done, and notes where it lies. Raises ``OSError``."""
    with suppress(FileNotFoundError):  # it is there: the process that put it there did not come to the rest
        (home / FOLDER / _NEXT).replace(home / FOLDER / _TOKEN)
    note_place(home)


def note_place(home: Path) -> None:
    """Notes where the token lies now. Raises ``OSError``."""
    place = Place.of(home / FOLDER / _TOKEN)
    write_atomically(home / FOLDER / _PLACE, json.dumps(asdict(place)).encode())


def note_sealed(home: Path, count: int) -> None:
    """Notes that the database has come to *count* sealed commits. To be called when that is durable.

    Costs no flush: what is lost in a crash makes the file lag behind the database, which says nothing.
    """
    folder = home / FOLDER
    with suppress(OSError):  # the commits are durable; that the file lags behind them is no reason to fail
        descriptor, name = tempfile.mkstemp(dir=folder, prefix=f".{_SEALED}.")
        with os.fdopen(descriptor, "w") as file:
            file.write(str(count))
        Path(name).replace(folder / _SEALED)


def noted_sealed(home: Path) -> int:
    """What `note_sealed` was last told; 0 where that is not known. Raises `StorageTrouble`."""
    folder = home / FOLDER
    try:
        return int((folder / _SEALED).read_text("ascii"))
    except (FileNotFoundError, ValueError):  # none yet, or a crash took the content: nothing is known
        return 0
    except OSError as error:
        raise StorageTrouble(f"A file in {folder} cannot be read: {error.strerror}.") from error


@cache
def machine() -> str:
    """A hash of this machine's id, the same as long as the system is not installed anew; empty where there is none."""
    found = _machine_id()
    return hashlib.sha256(_MACHINE_HASHED + found.encode()).hexdigest()[:32] if found else ""


def _machine_id() -> str:
    if sys.platform == "win32":
        import winreg

        try:
            with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, r"SOFTWARE\Microsoft\Cryptography") as key:
                return str(winreg.QueryValueEx(key, "MachineGuid")[0])
        except OSError:
            return ""
    for file in ("/etc/machine-id", "/var/lib/dbus/machine-id"):
        try:
            return Path(file).read_text("ascii").strip()
        except (OSError, ValueError):
            continue
    return ""
