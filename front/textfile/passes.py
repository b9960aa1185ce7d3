"""One pass: file and vault are brought into step, both ways, and nothing that was typed is lost.

Order matters, because the program may die and the person may save at any moment:

1. the file is read whole, and refused whole;
2. what it says is merged into the vault, in one transaction;
3. what could not be merged is written beside the file;
4. the file's text is patched and put in place, if it is still the one that was read; otherwise all begins again;
5. the base is kept as the new text says. In 2 it was kept as far as both sides then agreed.

After any of them, the next pass finds a base that is no newer than what either side has seen.
"""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from vademecum.embeddings.filelock import file_lock
from vademecum.engine.times import show_time
from vademecum.errors import StorageTrouble, UnreadableFile
from vademecum.importers.files import MAX_FILE, decode_text
from vademecum.storage.files import write_atomically

from .applying import Merged, living, merge_into
from .bases import Base
from .beside import BEFORE, CONFLICT, LATE, keep_beside
from .merging import Outcome
from .patching import patch, render_file
from .reading import PARTS, Key, VaultText, end_line, read_vault_text
from .rendering import Shown, render_parts, shown

if TYPE_CHECKING:
    from vademecum.vault import Vault

__all__ = ["Report", "bring_into_step"]

LOCK = "textfile.lock"
"""In the vault's folder: one pass at a time, of all processes."""
MAX_ATTEMPTS = 20
_BOM = b"\xef\xbb\xbf"
_NAMES = {scope: name for name, scope in PARTS.items()}


@dataclass(frozen=True, slots=True)
class Report:
    """What a pass did. Leaves are named as ``public.diet``.

    ``file`` is ``unchanged``, ``updated``, ``created``, ``restored`` (it had been deleted) or ``rewritten`` (whole,
    because its lines could not be patched). ``overruled`` lost against a later value in the vault, ``returned`` were
    removed from the file and have changed since; what was lost of them, and of ``unseen``, which the file deleted
    although their last value never stood in it, is in the files ``kept``.
    """

    file: str = "unchanged"
    written: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    overruled: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    kept: tuple[Path, ...] = ()

    @property
    def is_quiet(self) -> bool:
        """Whether nothing has happened that is worth a word."""
        return self == Report()

    def plus(self, later: Report) -> Report:
        """Both, one after the other."""
        return Report(
            self.file if later.file == "unchanged" else later.file,
            (*self.written, *later.written),
            (*self.deleted, *later.deleted),
            (*self.overruled, *later.overruled),
            (*self.returned, *later.returned),
            (*self.unseen, *later.unseen),
            (*self.kept, *later.kept),
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "written": list(self.written),
            "deleted": list(self.deleted),
            "overruled": list(self.overruled),
            "returned": list(self.returned),
            "unseen": list(self.unseen),
            "kept": [str(file) for file in self.kept],
        }


class _Found(NamedTuple):
    data: bytes
    saved_ms: int


class _Changed(Exception):  # the file is another one than was read; the pass begins again
    pass


def bring_into_step(vault: Vault, file: Path) -> Report:
    """Takes over what was changed in *file*, and writes into it what changed in the vault.

    A file that is not there is written; one that was deleted is written anew, and deletes nothing.
    Raises `UnreadableFile`, which names the line: then neither side has changed. Raises `StorageTrouble` if the file
    cannot be read or written; what was taken over into the vault then stays.
    """
    file = file.expanduser().absolute().resolve()
    total = Report()
    with ExitStack() as held:
        try:
            lock = vault.home / LOCK
            lock.touch(mode=0o600)
            held.enter_context(file_lock(lock))
            for _ in range(MAX_ATTEMPTS):
                try:
                    return _pass(vault, file, total)
                except _Again as again:
                    total = again.so_far
        except OSError as error:
            raise StorageTrouble(
                f"The file {str(file)!r} cannot be kept in step: {error.strerror or error}."
            ) from error
    raise StorageTrouble(f"The file {str(file)!r} changes faster than it can be read. Try again.")


class _Again(Exception):  # carries what the pass has done up to now
    def __init__(self, so_far: Report) -> None:
        super().__init__()
        self.so_far = so_far


def _pass(vault: Vault, file: Path, total: Report) -> Report:
    with vault.replica.read() as view:
        base = Base.load(view, file)
    found = _look(file)
    if found is None:
        return _write_anew(vault, file, base, total)
    stated = read_vault_text(decode_text(found.data, file, "Nothing has changed."), file)
    base = base.made_from(stated.stamp)
    _refuse_what_is_cut_off(stated, base, file)
    merged = merge_into(vault.replica, base, stated.leaves, min(found.saved_ms, _now()))
    kept = _keep_losers(file, merged, stated)
    total = _sum(total, merged, kept)
    wanted = {key: shown(leaf) for key, leaf in merged.after.items()}
    stamp = _new_stamp(base)
    text = patch(stated, wanted, file, stamp)
    if text is None:
        total = replace(total, file="rewritten", kept=(*total.kept, keep_beside(file, BEFORE, found.data)))
        text = render_file(wanted, stamp)
    data = (_BOM if found.data.startswith(_BOM) else b"") + text.encode()
    if data != found.data:
        try:
            late = _replace(file, found.data, data)
        except _Changed:
            raise _Again(total) from None
        kept = () if late is None else (keep_beside(file, LATE, late),)
        total = replace(total, file=total.file if total.file == "rewritten" else "updated", kept=(*total.kept, *kept))
    _meet(vault, base, stated if text == stated.text else read_vault_text(text, file))
    return total


def _write_anew(vault: Vault, file: Path, base: Base, total: Report) -> Report:
    with vault.replica.read() as view:
        wanted = {key: shown(leaf) for key, leaf in living(view).items()}
    text = render_file(wanted, _new_stamp(base))

    def still_missing() -> None:
        if file.exists():
            raise _Changed

    try:
        write_atomically(file, text.encode(), last_look=still_missing)
    except _Changed:
        raise _Again(total) from None
    _meet(vault, base, read_vault_text(text, file))
    return replace(total, file="restored" if base.is_known else "created")


def _meet(vault: Vault, base: Base, said: VaultText) -> None:
    """Keeps what the text that now stands in the file says."""
    leaves = {key: base.digest(leaf.value) for key, leaf in said.leaves.items()}
    now = base.met(said.stamp, leaves)
    if now != base or list(leaves) != list(base.leaves):
        vault.replica.write(now.save)


def _new_stamp(base: Base) -> str:
    """The time, as nobody has stamped it yet."""
    used = {base.stamp, *(stamp for stamp, _ in base.former)}
    now = _now()
    while (stamp := show_time(now)) in used:
        now += 1
    return stamp


def _look(file: Path) -> _Found | None:
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_FILE + 1)
            saved = os.fstat(stream.fileno()).st_mtime_ns // 1_000_000
    except FileNotFoundError:
        return None
    return _Found(data, saved)


def _replace(file: Path, expected: bytes, data: bytes) -> bytes | None:
    """Puts *data* in place of *expected*. Raises `_Changed` if the file says something else by now.

    Returns what somebody who had the old file open wrote into it in the very moment of its replacement, if anybody did.
    """
    with file.open("rb") as old:

        def last_look() -> None:
            found = _look(file)
            if found is None or found.data != expected or file.stat().st_ino != os.fstat(old.fileno()).st_ino:
                raise _Changed

        write_atomically(file, data, last_look=last_look)
        left = old.read()
    return None if left == expected else left


def _refuse_what_is_cut_off(found: VaultText, base: Base, file: Path) -> None:
    """Raises `UnreadableFile` for a file that seems to have lost a part of itself, rather than leaves one by one."""
    for name, scope in PARTS.items():
        known = any(its == scope for its, _ in base.leaves)
        if known and not found.is_stated(name):
            raise UnreadableFile(
                f"The file {str(file)!r} no longer says what is {name}. Nothing has changed. If all of it is to be "
                f"deleted, write `{name}: {{}}`; if not, delete the file, and it is written anew."
            )
    missing = [key not in found.leaves for key in base.leaves]
    first = missing.index(True) if True in missing else len(missing)
    if first < len(missing) and all(missing[first:]) and base.stamp is not None and found.stamp is None:
        raise UnreadableFile(
            f"The file {str(file)!r} seems to be cut off: its last {len(missing) - first:,} values and its last line "
            f"are missing. Nothing has changed. If the values are to be deleted, put the last line back, "
            f"{end_line(base.stamp or '')!r}; if not, delete the file, and it is written anew."
        )


def _keep_losers(file: Path, merged: Merged, stated: VaultText) -> tuple[Path, ...]:
    """Writes beside the file what neither file nor vault will say, and nobody could read again."""
    losers: dict[Key, Shown] = {}
    for key, outcome in merged.outcomes.items():
        if outcome is Outcome.OVERRULED:
            losers[key] = Shown(stated.leaves[key].value)
        elif outcome is Outcome.DELETE_UNSEEN:
            losers[key] = Shown(merged.before[key].value)
    if not losers:
        return ()
    why = (
        f"# Kept from {file.name}: these values were overruled by later ones in the vault, or the file deleted\n"
        f"# them before it had shown them. To have one after all, copy it into {file.name}. Then delete this.\n\n"
    )
    parts = [(name, [(path, leaf) for (its, path), leaf in losers.items() if its == scope])
             for name, scope in PARTS.items()]  # fmt: skip
    return (keep_beside(file, CONFLICT, (why + render_parts(parts)).encode()),)


def _sum(total: Report, merged: Merged, kept: tuple[Path, ...]) -> Report:
    def those(*outcomes: Outcome) -> tuple[str, ...]:
        return tuple(f"{_NAMES[scope]}.{path}" for (scope, path), one in merged.outcomes.items() if one in outcomes)

    return total.plus(
        Report(
            written=those(Outcome.WRITE),
            deleted=those(Outcome.DELETE, Outcome.DELETE_UNSEEN),
            overruled=those(Outcome.OVERRULED),
            returned=those(Outcome.RETURNED),
            unseen=those(Outcome.DELETE_UNSEEN),
            kept=kept,
        )
    )


def _now() -> int:
    return time.time_ns() // 1_000_000
