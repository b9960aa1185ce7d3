"""Seeded fleets: many devices, clocks that lie, every order and repetition; after healing all equal the model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.simulation.world import check_seed

STEPS = 60


@pytest.mark.parametrize("seed", range(60))
def test_after_healing_every_device_says_what_the_model_says(seed: int, tmp_path: Path) -> None:
    try:
        check_seed(seed, tmp_path, STEPS)
    except AssertionError as error:
        error.add_note(f"again: python -m tests.simulation --seeds 1 --from {seed} --steps {STEPS}")
        raise
