"""Compacting any prefix of a history and then applying the rest gives what applying everything gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.histories import check_prefixes, check_seed


def test_a_generation_begun_after_any_prefix_changes_nothing_of_what_is_said(tmp_path: Path) -> None:
    check_prefixes(3, tmp_path, steps=9)


@pytest.mark.parametrize("seed", range(100, 106))
def test_generations_begun_again_and_again_by_any_device(tmp_path: Path, seed: int) -> None:
    check_seed(seed, tmp_path)
