"""A file, or a folder with a file and copies for reading, kept in step with the vault for as long as it is asked.

Both sides are polled: the file by its place in the file system (times, size, inode), the vault by the number of its
last transaction, which rises with every write of any process. A file is read when it has stood still for one interval,
so that an editor can finish; if it is caught half written all the same, it does not parse or is refused as cut off.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vademecum.errors import DamagedStore, NewerFormat, StorageTrouble, UnreadableFile, VademecumError

from .copies import Copies, write_copies
from .passes import Report, bring_into_step

if TYPE_CHECKING:
    from vademecum.vault import Vault

__all__ = ["FILE_NAME", "POLL_SECONDS", "Mirror", "Mirrored"]

FILE_NAME = "vault.yaml"
POLL_SECONDS = 0.5
"""How often both sides are looked at."""

_Signature = tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Mirrored:
    """What one step did; ``trouble`` is what stood in the way of the file, which is tried again when it changes."""

    report: Report = field(default_factory=Report)
    copies: Copies = field(default_factory=Copies)
    trouble: VademecumError | None = None

    @property
    def is_quiet(self) -> bool:
        return self == Mirrored()

    def as_json(self) -> dict[str, Any]:
        return {**self.report.as_json(), "copies": self.copies.as_json()}


class Mirror:
    """Keeps *target* in step with *vault*: a file, or a folder. What does not exist is a folder if it has no suffix."""

    def __init__(self, vault: Vault, target: Path) -> None:
        target = target.expanduser().absolute().resolve()
        self._vault = vault
        self.folder = target if target.is_dir() or (not target.exists() and not target.suffix) else None
        self.file = target if self.folder is None else target / FILE_NAME
        self._handled: tuple[_Signature, int] | None = None
        self._seen: _Signature = None
        self._told: str | None = None

    def once(self) -> Mirrored:
        """Brings both sides into step now. Raises `UnreadableFile`, `StorageTrouble`."""
        done = self._work()
        if done.trouble is not None:
            raise done.trouble
        return done

    def step(self) -> Mirrored:
        """Does what there is to do, if anything; to be called every `POLL_SECONDS`.

        What stands in the way of the file is in the answer, once. Raises `DamagedStore`, `NewerFormat`.
        """
        signature, version = self._signature(), self._version()
        stands_still, self._seen = signature == self._seen, signature
        if (signature, version) == self._handled or not stands_still:
            return Mirrored()
        done = self._work()
        if not isinstance(done.trouble, StorageTrouble):  # the world may be better at the next look
            self._handled = signature, version  # as it was before: what changed meanwhile is looked at again
        text = None if done.trouble is None else done.trouble.message
        is_known, self._told = text == self._told, text
        return Mirrored(done.report, done.copies) if is_known else done

    def _work(self) -> Mirrored:
        report, copies, trouble = Report(), Copies(), None
        try:
            if self.folder is not None:
                self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                copies = write_copies(self._vault.replica, self.folder)
            report = bring_into_step(self._vault, self.file)
        except (DamagedStore, NewerFormat):
            raise
        except (UnreadableFile, StorageTrouble) as error:
            trouble = error
        except OSError as error:
            trouble = StorageTrouble(f"{error.filename or self.file}: {error.strerror or error}.")
        return Mirrored(report, copies, trouble)

    def _signature(self) -> _Signature:
        try:
            found = self.file.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns

    def _version(self) -> int:
        with self._vault.replica.read() as view:
            return view.reader.version
