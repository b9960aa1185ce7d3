"""Compacting any prefix of a history and then applying the rest gives what applying everything gives."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.engine.histories import DEVICES, check_seed, draw, run


@pytest.mark.parametrize("seed", range(1))
def test_a_generation_begun_after_any_prefix_changes_nothing_of_what_is_said(tmp_path: Path, seed: int) -> None:
    history = draw(random.Random(seed), 14)
    for prefix in range(len(history) + 1):
        begin = [(prefix, prefix % DEVICES)]
        plain = run(history, tmp_path / f"plain{prefix}", begin, only_meet=True)
        compacted = run(history, tmp_path / f"compacted{prefix}", begin)
        assert plain.tree == plain.model
        assert compacted == plain
        for party in compacted.histories:
            assert party == compacted.histories[0]


@pytest.mark.parametrize("seed", range(100, 106))
def test_generations_begun_again_and_again_by_any_device(tmp_path: Path, seed: int) -> None:
    check_seed(seed, tmp_path)
