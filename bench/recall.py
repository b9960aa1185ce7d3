"""Recall over ten thousand leaves beside the embedding of the same questions alone; and one program's whole life."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from pathlib import Path

from vademecum import Vault
from vademecum.embeddings.embedder import OnnxEmbedder

from .measure import Row, at_most, side_by_side
from .workload import import_leaves, made_up, sentence

__all__ = ["rows"]

LEAVES = 10_000
QUESTIONS = 60
BEYOND_EMBEDDING = 0.005
"""Seconds."""
PROCESSES = 15
PROCESS = 0.300
"""Seconds."""


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "vault"
        with Vault.create(home) as vault:
            vault.user.set("name", "Alice")
            import_leaves(vault, made_up(LEAVES))
            vault.index()
            recalled = _recall(vault)
        return [recalled, _get(home)]


def _recall(vault: Vault) -> Row:
    embedder = OnnxEmbedder.default()
    rng = random.Random(2)
    questions = [f"What about {sentence(rng, 25).lower()}?" for _ in range(QUESTIONS + 1)]
    for warm in (vault.recall(questions[-1]), embedder.embed(questions[-1:])):
        del warm
    asked, embedded = iter(questions), iter(questions)
    value, floor = side_by_side(QUESTIONS, lambda: vault.recall(next(asked)), lambda: embedder.embed([next(embedded)]))
    return at_most("recall/question", 1e3 * value, "ms", floor=1e3 * floor, target=1e3 * (floor + BEYOND_EMBEDDING))


def _get(home: Path) -> Row:
    program = [sys.executable, "-c", "from vademecum.cli import main; main()"]
    command = [*program, "get", "name", "--home", str(home)]
    bare = [sys.executable, "-c", "pass"]
    value, floor = side_by_side(
        PROCESSES,
        lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL),
        lambda: subprocess.run(bare, check=True),
    )
    return at_most("recall/get-process", 1e3 * value, "ms", floor=1e3 * floor, target=1e3 * PROCESS)
