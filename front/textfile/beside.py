"""Places beside a file, for what must not be lost and cannot stay in it."""

from __future__ import annotations

import time
from glob import escape
from pathlib import Path

from vademecum.storage.files import write_atomically

__all__ = ["BEFORE", "CONFLICT", "LATE", "beside", "keep_beside", "kept_files"]

CONFLICT = "conflict"
"""What lost in a merge, or stood in a copy that is not read."""
BEFORE = "before"
"""The whole text, before the file was written anew."""
LATE = "late"
"""What was written into the old file while it was replaced."""


def beside(file: Path, word: str) -> Path:
    """A place beside *file* that is free: ``vault.conflict-20261130T073108Z.yaml``."""
    when = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    number, place = 1, file.with_name(f"{file.stem}.{word}-{when}{file.suffix}")
    while place.exists():
        number += 1
        place = file.with_name(f"{file.stem}.{word}-{when}-{number}{file.suffix}")
    return place


def kept_files(file: Path) -> list[Path]:
    """What lies beside *file* because it could not stay in it."""
    words = (CONFLICT, BEFORE, LATE)
    return sorted(one for word in words for one in file.parent.glob(f"{escape(file.stem)}.{word}-*{file.suffix}"))


def keep_beside(file: Path, word: str, data: bytes) -> Path:
    """Writes *data* beside *file*, durably; returns where. Raises ``OSError``."""
    place = beside(file, word)
    write_atomically(place, data)
    return place
