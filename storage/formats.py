"""The format of a database: its number, where it is said, and which programs read it.

Each numbered folder holds a small file ``format``: the number, and the first version of the program that reads it. It
is read before anything of the database is, so a newer one is refused before it can be misread, whatever has changed.
"""

from __future__ import annotations

from pathlib import Path

from vademecum.errors import DamagedStore, NewerFormat, StorageTrouble

from .files import write_atomically

__all__ = ["FORMATS", "newest", "read_format", "write_format"]

FORMATS = {1: "0.1.0"}
"""Format → the first version of the program that reads it. Each is kept under ``tests/formats``."""

_FILE = "format"
_FIRST = 1
"""That of a folder without the file."""


def newest() -> int:
    """The format that this program writes."""
    return max(FORMATS)


def read_format(folder: Path) -> int:
    """The format of the database in the numbered *folder*.

    Raises `NewerFormat` if this program cannot read it, `DamagedStore` if the file is damaged, `StorageTrouble`.
    """
    file = folder / _FILE
    try:
        number, _, version = file.read_bytes().decode("ascii").strip().partition(" ")
        found = int(number)
    except FileNotFoundError:
        return _FIRST
    except OSError as error:
        raise StorageTrouble(f"The file {file} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise DamagedStore(f"The file {file} is damaged: it does not say a format. It was not used.") from error
    if found > newest():
        raise NewerFormat(
            f"The database in {folder} has format {found}, which takes vademecum {version or 'of a later version'} or "
            f"newer; this program reads formats up to {newest()}. Install a newer one; nothing was changed."
        )
    if found not in FORMATS:
        raise DamagedStore(f"The file {file} is damaged: there is no format {found}. It was not used.")
    return found


def write_format(folder: Path, number: int) -> None:
    """Says that the database in *folder* has format *number*. Raises ``OSError``."""
    write_atomically(folder / _FILE, f"{number} {FORMATS[number]}\n".encode("ascii"))
