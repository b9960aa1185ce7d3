"""Editing the vault in an editor: a copy of the text file, which is taken over when the editor has ended.

The copy lies in the vault's folder, where a crash does not take it away, and goes when it has been taken over. Where
it cannot be, it stays, and `edit` goes on with it.
"""

from __future__ import annotations

import shlex
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.errors import StorageTrouble, UnreadableFile

from .bases import forget_meeting
from .mirror import FILE_NAME
from .passes import Report, bring_into_step

if TYPE_CHECKING:
    from vademecum.vault import Vault

__all__ = ["edit"]

_PREFIX = "edit-"


def edit(
    vault: Vault,
    editor: Callable[[Path], None],
    try_again: Callable[[UnreadableFile], bool],
    copy: Path | None = None,
) -> Report:
    """Lets *editor* change a copy of the text file, and takes it over; with *copy*, goes on with one that was left.

    editor: returns when the person has done; what it raises ends this, and the copy stays if it was changed.
    try_again: told why the copy cannot be taken over; whether the editor is to open it again.
    Returns what was taken over; what could not be merged is in ``kept``.
    Raises `UnreadableFile` if not; then the vault has not changed, and the copy is where the error says.
    """
    file = (_new_copy(vault) if copy is None else copy).expanduser().absolute().resolve()
    if copy is not None and not file.exists():
        raise UnreadableFile(f"There is no file {str(file)!r}.")
    if copy is None:
        bring_into_step(vault, file)
    untouched = file.read_bytes()
    try:
        editor(file)
        while True:
            try:
                report = Report() if not file.exists() else bring_into_step(vault, file)
                break
            except UnreadableFile as error:
                if not try_again(error):
                    way_out = f"`vademecum edit {shlex.quote(str(file))}` goes on with it."
                    raise UnreadableFile(f"{error.message} {way_out}") from error
                editor(file)
    except BaseException:
        if copy is None and file.exists() and file.read_bytes() == untouched:
            _leave(vault, file)
        raise
    if copy is None or file.parent.name.startswith(_PREFIX):
        _leave(vault, file, but=report.kept)
    return report


def _new_copy(vault: Vault) -> Path:
    try:
        return Path(tempfile.mkdtemp(dir=vault.home, prefix=_PREFIX)) / FILE_NAME
    except OSError as error:
        raise StorageTrouble(f"No copy can be made in {vault.home}: {error.strerror}.") from error


def _leave(vault: Vault, file: Path, but: tuple[Path, ...] = ()) -> None:
    """Removes the copy and what is known of it, and its folder if nothing was kept in it."""
    forget_meeting(vault.replica, file)
    file.unlink(missing_ok=True)
    if not but:
        shutil.rmtree(file.parent, ignore_errors=True)
