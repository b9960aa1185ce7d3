"""A device that joins late: from connecting to holding all of a large vault, over a relay on loopback.

The floor is the same result without vault, relay or keys: the document's state applied to an empty pycrdt document,
and all rows that the joined replica holds put into an empty LMDB database in one durable transaction.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import pycrdt

from vademecum import Vault
from vademecum.engine.documents import Documents
from vademecum.engine.scopes import PUBLIC
from vademecum.storage.tables import Table

from .measure import Row, at_most, seconds
from .workload import import_leaves, joined, made_up, relay_process
from .write import contents, raw

__all__ = ["rows"]

LEAVES = 20_000
TIMES_FLOOR = 8.0
ROUNDS = 5


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder, relay_process(Path(folder) / "relay") as relay:
        return asyncio.run(_rows(Path(folder), relay))


async def _rows(folder: Path, relay: str) -> list[Row]:
    values, floors = [], []
    with Vault.create(folder / "first") as first:
        first.use_relay(relay)
        import_leaves(first, made_up(LEAVES))
        await first.sync_once()
        (await joined(first, folder / "second", "second")).close()
        for number in range(ROUNDS):
            with await joined(first, folder / f"joined-{number}", f"joined {number}") as third:
                values.append((await third.sync_once()).seconds)
                if len(third.user.leaves()) != LEAVES:
                    raise RuntimeError("the device that joined does not hold every leaf")
                floors.append(_floor(third, folder / f"raw-{number}"))
    value, floor = median(values), median(floors)
    return [at_most("join/third-device", value, "s", floor=floor, target=TIMES_FLOOR * floor)]


def _floor(vault: Vault, folder: Path) -> float:
    state = _state(vault)
    tables: dict[Table, list[tuple[bytes, bytes]]] = {}
    for (table, key), value in contents(vault).items():
        tables.setdefault(table, []).append((key, value))
    with raw(folder, tables=len(tables)) as environment:
        databases = {table: environment.open_db(table.value) for table in tables}

        def work() -> None:
            document: pycrdt.Doc[Any] = pycrdt.Doc()
            document.apply_update(state)
            with environment.begin(write=True) as transaction:
                for table, pairs in tables.items():
                    with transaction.cursor(db=databases[table]) as cursor:
                        cursor.putmulti(pairs)

        return seconds(work)


def _state(vault: Vault) -> bytes:
    """The document of the public scope as one update."""
    found: list[bytes] = []
    vault.write(
        lambda transaction: found.append(
            Documents(1).open(transaction.writer, transaction.number(PUBLIC) or b"").document.encode()
        )
    )
    return found[-1]
