"""A sealed vault beside a plain one with the same 20,000 leaves: the floor of each row is the plain one."""

from __future__ import annotations

import itertools
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

from vademecum import Vault
from vademecum.engine.indexing import Indexer
from vademecum.founding import INDEX

from .measure import Row, at_most, seconds, side_by_side
from .workload import AGENT, MANY, import_leaves, made_up, sentence

__all__ = ["rows"]

ROUNDS = 200
FEW = 5
LEAVES = 20_000
WORDS = "not to be guessed"


def rows() -> list[Row]:
    leaves = made_up(LEAVES)
    path = leaves[7][0]
    with tempfile.TemporaryDirectory() as folder:
        plain = Vault.create(Path(folder) / "plain")
        sealed = Vault.create(Path(folder) / "sealed", passphrase=WORDS)
        both = sealed, plain
        for vault in both:
            vault.set_budget(MANY)
        imported = [seconds(lambda vault=vault: import_leaves(vault, leaves)) for vault in both]
        remembered = side_by_side(ROUNDS, *map(_remembering, both))
        indexed = side_by_side(FEW, *map(_indexing, both))
        one = side_by_side(ROUNDS, lambda: sealed.user.get(path), lambda: plain.user.get(path))
        below = path.rsplit(".", 1)[0]
        tree = side_by_side(FEW, lambda: sealed.user.leaves(below), lambda: plain.user.leaves(below))
        sealing = seconds(lambda: plain.seal(WORDS))
        for vault in both:
            vault.close()
    return [
        _row("remember", 1e6, "µs", remembered, times=2.0),
        _row("import", 1.0, "s", (imported[0], imported[1]), times=3.0),
        _row("index-after-write", 1e3, "ms", indexed),
        _row("get", 1e6, "µs", one),
        _row("subtree", 1e3, "ms", tree),
        at_most("sealed/seal", sealing, "s", target=5.0),
    ]


def _row(name: str, scale: float, unit: str, times_of: tuple[float, float], times: float | None = None) -> Row:
    value, floor = (scale * one for one in times_of)
    return at_most(f"sealed/{name}", value, unit, floor=floor, target=None if times is None else times * floor)


def _remembering(vault: Vault) -> Callable[[], object]:
    rng = random.Random(1)
    agent = vault.agent(AGENT)
    number = itertools.count()

    def remember() -> None:
        agent.remember(f"notes.{next(number):05d}", sentence(rng, 40), because=sentence(rng, 40))

    remember()  # loads the document
    return remember


def _indexing(vault: Vault) -> Callable[[], object]:
    """One more leaf made findable by its words, once all others are."""
    remember = _remembering(vault)
    indexer = Indexer(vault.replica, vault.home / INDEX)
    indexer.drain_text()

    def index() -> None:
        remember()
        indexer.drain_text()

    return index
