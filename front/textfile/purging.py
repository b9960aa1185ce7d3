"""After forgetting: the text files and copies that the vault has written must not tell what it no longer knows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.engine.slots import SlotMap
from vademecum.engine.view import View
from vademecum.errors import VademecumError

from .bases import Base, known_files
from .beside import kept_files
from .copies import copied_folders, write_copies
from .passes import bring_into_step

if TYPE_CHECKING:
    from vademecum.vault import Vault

__all__ = ["files_left", "purge_exports"]


def files_left(view: View) -> list[Path]:
    """Text files that are there and have not been brought up to date since a leaf in them was deleted. O(leaves)."""
    return [
        file
        for file in known_files(view)
        if file.exists()
        and any(view.get(scope, SlotMap.LEAVES, path) is None for scope, path in Base.load(view, file).leaves)
    ]


def purge_exports(vault: Vault) -> dict[Path, str]:
    """Takes what was forgotten out of every text file and copy that this vault has written and that is still there.

    To be called after forgetting. Returns the files in which the words may still be, with the reason: those that could
    not be brought up to date, and what lies beside one because it could not be merged, which is the person's to judge.
    The vault itself had kept only digests of them.
    """
    left: dict[Path, str] = {}
    with vault.replica.read() as view:
        files, folders = list(known_files(view)), list(copied_folders(view))
    for file in files:
        if file.exists():
            try:
                bring_into_step(vault, file)
            except VademecumError as error:
                left[file] = error.message
        left |= dict.fromkeys(kept_files(file), f"It was kept beside {file.name}; look into it, and delete it.")
    for folder in folders:
        if folder.is_dir():
            try:
                write_copies(vault.replica, folder)
            except OSError as error:
                left[folder] = error.strerror or str(error)
    return left
