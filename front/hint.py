"""A hint beside the database that something waits for the curator.

It is the empty file ``signals.waiting`` in the vault's folder, so that a sweep finds among thousands of vaults
those with work by a look at each folder. It may be wrong in one direction only: it may be there although nothing waits,
which costs a look in vain. It is put down in each write transaction that leaves signals behind, before the commit, and
taken away only inside one that finds none; LMDB's writer lock keeps the two apart. Should the file be lost all the same
(a power failure), a sweep's full look finds what waits.

When the file was last changed says since when the vault has waited for its turn.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from vademecum.storage.identity import IDENTITY_FILE

__all__ = ["HINT", "Hint", "find_vaults"]

HINT = "signals.waiting"
"""Name of the hint in the vault's folder."""
MARK_NS = 1_000_000
DEPTH = 4
"""How deep below the root a vault's folder may lie."""


class Hint:
    """The hint of the vault in *home*."""

    def __init__(self, home: Path) -> None:
        self._path = os.fspath(home / HINT)

    def put(self) -> None:
        """Sees to it that it is there; some microseconds. Only inside a write transaction."""
        if not os.path.exists(self._path):  # noqa: PTH110 - at every write while something waits
            self._make()

    def remove(self) -> None:
        """Takes it away. Only inside a write transaction in which no signal waits."""
        with suppress(OSError):
            os.unlink(self._path)  # noqa: PTH108

    def renew(self) -> None:
        """Says that the vault has had its turn just now, and waits anew."""
        with suppress(OSError):
            os.utime(self._path)

    def mark(self) -> None:
        """Says that a turn begins: what others have read of `since` holds no more. The vault keeps its place, should
        the turn come to nothing.
        """
        with suppress(OSError):
            found = os.stat(self._path)  # noqa: PTH116
            os.utime(self._path, ns=(found.st_atime_ns, found.st_mtime_ns + MARK_NS))

    def since(self) -> float | None:
        """Seconds since 1970 at which the vault began to wait for its turn; None where nothing waits."""
        try:
            return os.stat(self._path).st_mtime  # noqa: PTH116 - for thousands of vaults in a row
        except OSError:
            return None

    def _make(self) -> None:
        with suppress(OSError):  # then a full look finds what waits
            os.close(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))


def find_vaults(root: Path) -> Iterator[Path]:
    """The folders of vaults at and below *root*, down to `DEPTH` folders; not those inside a vault's own folder."""
    level = [root]
    for _ in range(DEPTH + 1):
        below: list[Path] = []
        for folder in level:
            if os.path.exists(os.path.join(folder, IDENTITY_FILE)):  # noqa: PTH110, PTH118 - for thousands
                yield folder
                continue
            try:
                with os.scandir(folder) as entries:
                    below += [
                        folder / one.name
                        for one in entries
                        if not one.name.startswith(".") and one.is_dir(follow_symlinks=False)
                    ]
            except OSError:  # gone, or not ours to read
                continue
        level = below
