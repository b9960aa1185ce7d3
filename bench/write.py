"""Writing: one durable `remember` beside one raw LMDB commit, and an importer's batches beside raw LMDB.

A floor is LMDB alone: a table of its own, in a database of its own beside the vault, given as many bytes as the
vault's write puts, in one put and one commit (`remember`), or the same rows table by table in sorted order (import).
"""

from __future__ import annotations

import itertools
import os
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import lmdb

from vademecum import Vault
from vademecum.storage.tables import Table

from .measure import Row, at_least, at_most, seconds, side_by_side
from .workload import AGENT, MANY, PER_TRANSACTION, import_leaves, made_up, sentence

__all__ = ["rows"]

ROUNDS = 300
TIMES_FLOOR = 4.0
LEAVES = 20_000
LEAVES_PER_SECOND = 15_000.0

Contents = dict[tuple[Table, bytes], bytes]


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        return [_remember(Path(folder)), _import(Path(folder))]


def _remember(folder: Path) -> Row:
    rng = random.Random(1)
    reasons = [sentence(rng, 40) for _ in range(ROUNDS + 2)]
    values = [sentence(rng, 40) for _ in range(ROUNDS + 2)]
    number = itertools.count()
    with Vault.create(folder / "one") as vault, raw(folder / "raw-one") as environment:
        vault.set_budget(MANY)
        import_leaves(vault, made_up(1000))
        agent = vault.agent(AGENT)

        def remember() -> None:
            which = next(number)
            agent.remember(f"notes.{which:05d}", values[which], because=reasons[which])

        remember()  # loads the document
        before = contents(vault)
        remember()
        size = sum(
            len(key) + len(value)
            for (table, key), value in contents(vault).items()
            if before.get((table, key)) != value
        )
        data = os.urandom(size)

        def put() -> None:
            with environment.begin(write=True) as transaction:
                transaction.put(next(number).to_bytes(8, "big"), data)

        value, floor = side_by_side(ROUNDS // 2, remember, put)
    return at_most("write/remember", 1e6 * value, "µs", floor=1e6 * floor, target=1e6 * TIMES_FLOOR * floor)


def _import(folder: Path) -> Row:
    leaves = made_up(LEAVES)
    with Vault.create(folder / "many") as vault, raw(folder / "raw-many") as environment:
        before = contents(vault)
        value = seconds(lambda: import_leaves(vault, leaves))
        added = sorted(
            (table.value + b"\0" + key, data)
            for (table, key), data in contents(vault).items()
            if (table, key) not in before
        )
        share = len(added) * PER_TRANSACTION // LEAVES

        def put() -> None:
            for start in range(0, len(added), share):
                with environment.begin(write=True) as transaction, transaction.cursor() as cursor:
                    cursor.putmulti(added[start : start + share])

        floor = seconds(put)
    return at_least("write/import", LEAVES / value, "leaves/s", floor=LEAVES / floor, target=LEAVES_PER_SECOND)


def contents(vault: Vault) -> Contents:
    """Everything in the vault's database."""
    with vault.replica.read() as view:
        return {(table, key): value for table in Table for key, value in view.reader.scan(table)}


@contextmanager
def raw(folder: Path, *, tables: int = 0) -> Iterator[lmdb.Environment]:
    """A database of LMDB and nothing else, as durable as the vault's."""
    with lmdb.open(str(folder), map_size=1 << 30, max_dbs=tables) as environment:
        yield environment
