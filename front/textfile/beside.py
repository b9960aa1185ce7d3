"""Places beside a file, for what must not be lost and cannot stay in it."""

from __future__ import annotations

import time
from pathlib import Path

from vademecum.storage.files import write_atomically

__all__ = ["beside", "keep_beside"]


def beside(file: Path, word: str) -> Path:
    """A place beside *file* that is free: ``vault.conflict-20261130T073108Z.yaml``."""
    when = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    number, place = 1, file.with_name(f"{file.stem}.{word}-{when}{file.suffix}")
    while place.exists():
        number += 1
        place = file.with_name(f"{file.stem}.{word}-{when}-{number}{file.suffix}")
    return place


def keep_beside(file: Path, word: str, data: bytes) -> Path:
    """Writes *data* beside *file*, durably; returns where. Raises ``OSError``."""
    place = beside(file, word)
    write_atomically(place, data)
    return place
