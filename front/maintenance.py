"""Keeping a vault's files in order: making them small. (What is wrong with them is ``doctor``'s question.)"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from vademecum.engine.restarting import copy_restarted
from vademecum.engine.settings import read_retention
from vademecum.engine.trimming import trim, unkept
from vademecum.storage.folders import Folders

if TYPE_CHECKING:
    from vademecum.engine.replica import Transaction
    from vademecum.vault import Vault

__all__ = ["Compacted", "compact"]


ROWS_AT_ONCE = 20_000
"""Rows removed in one transaction: other writers wait meanwhile."""


class Compacted(NamedTuple):
    """Bytes of the vault's database and recall indexes, before and after."""

    before: int
    after: int


def compact(vault: Vault) -> Compacted:
    """See `Vault.compact`."""
    index = vault.indexer()
    index_before = _size(index.folder)
    index.shrink()
    with vault.replica.read() as view:
        scopes = view.scopes()
    for scope in scopes:
        _let_go(vault, scope)
        vault.replica.write(partial(_fold, scope=scope))
    environment = vault.replica.environment
    before, after = environment.replace(copy_restarted)
    Folders(environment.folder).remove_kept("format-")  # what is here has stood the test; that holds what is gone
    return Compacted(before + index_before, after + _size(index.folder))


def _let_go(vault: Vault, scope: str) -> None:
    """Removes what the retention does not keep of the history of *scope*, some rows at a time."""
    replica = vault.replica
    with replica.read() as view:
        keys = unkept(view, scope, read_retention(view), device=replica.device, wall_ms=replica.wall())
    for start in range(0, len(keys), ROWS_AT_ONCE):
        replica.write(partial(trim, scope_name=scope, keys=keys[start : start + ROWS_AT_ONCE]))


def _fold(transaction: Transaction, scope: str) -> None:
    transaction.scope(scope).fold()


def _size(folder: Path) -> int:
    total = 0
    for file in folder.rglob("*"):
        try:
            total += file.stat().st_size
        except FileNotFoundError:  # another process works here as well
            continue
    return total
