"""A million overwrites of a thousand leaves, and how large what is left of them is, here and at the relay.

The floor is a vault that was made with the last values at once, and the relay that it was sent to.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

from vademecum import Vault
from vademecum.engine.retention import Retention
from vademecum.engine.settings import keep_retention

from .measure import Row, at_most
from .workload import import_leaves, made_up, relay_process, sentence

__all__ = ["overwriting"]

OVERWRITES = 1_000_000
LEAVES = 1_000
BETWEEN_SYNCS = 50_000
TIMES_FRESH = 1.5
LEAST = Retention(days=1, bytes=0, newest=1)
"""Of the past, what `why` needs for a living leaf: the row that its value comes from."""


def overwriting(base: Path) -> list[Row]:
    """Rows for the replica and for the relay; and for a vault that has no relay."""
    paths = [path for path, _ in made_up(LEAVES)]
    rng = random.Random(2)
    with relay_process(base / "fresh-relay") as relay, Vault.create(base / "fresh") as fresh:
        fresh.use_relay(relay)
        import_leaves(fresh, [(path, sentence(rng, 50)) for path in paths])
        asyncio.run(fresh.sync_once())
        fresh.compact()
        floor = _size(base / "fresh" / "store")
    relay_floor = _size(base / "fresh-relay")
    with relay_process(base / "worn-relay") as relay, Vault.create(base / "worn") as worn:
        worn.use_relay(relay)
        worn.write(lambda transaction: keep_retention(transaction, LEAST))
        for start in range(0, OVERWRITES, BETWEEN_SYNCS):
            for number in range(start, start + BETWEEN_SYNCS, LEAVES):
                import_leaves(worn, [(path, f"{sentence(rng, 44)} {number}") for path in paths])
            asyncio.run(worn.sync_once())
        asyncio.run(worn.sync_once())
        worn.compact()
        value = _size(base / "worn" / "store")
    relay_value = _size(base / "worn-relay")
    alone, alone_floor = _alone(base, paths, rng)
    return [
        at_most(name, size / 1e6, "MB", floor=least / 1e6, target=TIMES_FRESH * least / 1e6)
        for name, size, least in (
            ("replica/overwritten", value, floor),
            ("replica/overwritten/relay", relay_value, relay_floor),
            ("replica/overwritten/alone", alone, alone_floor),
        )
    ]


def _alone(base: Path, paths: Sequence[str], rng: random.Random) -> tuple[int, int]:
    """Bytes of a vault that has never synced, overwritten a tenth as often; and of a fresh one."""
    sizes = []
    for name, overwrites in (("alone", OVERWRITES // 10), ("alone-fresh", LEAVES)):
        with Vault.create(base / name) as vault:
            vault.write(lambda transaction: keep_retention(transaction, LEAST))
            for number in range(0, overwrites, LEAVES):
                import_leaves(vault, [(path, f"{sentence(rng, 44)} {number}") for path in paths])
            vault.compact()
        sizes.append(_size(base / name / "store"))
    return sizes[0], sizes[1]


def _size(folder: Path) -> int:
    """Bytes on the disk of the files in *folder*: a file may be longer than what was ever written of it."""
    return sum(512 * file.stat().st_blocks for file in folder.rglob("*") if file.is_file())
