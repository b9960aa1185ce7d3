"""Small files, written so that a crash leaves either the old one or the new one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

__all__ = ["sync_folder", "write_atomically"]


def write_atomically(
    path: Path, data: bytes, *, mode: int = 0o600, last_look: Callable[[], None] | None = None
) -> None:
    """Replaces *path* by a file that holds *data*, durable when this returns.

    Readers see the old content or the new, never a part. Raises ``OSError`` as the system gives it; then *path* is
    as it was. *last_look* is called right before the replacement, and whatever it raises prevents that.
    """
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        if last_look is not None:
            last_look()
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Makes durable which names *folder* holds."""
    if os.name != "posix":  # other systems cannot open a folder; their rename is durable with the file
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
