"""Seeded fleets of devices: whatever happens to them, after healing all say the same, and what the model says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.simulation.runs import opened_pool, run_seed
from tests.simulation.world import KINDS, Plan, Pool

MIXED = 100
ALONE = 2


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with opened_pool() as pool:
        yield pool


@pytest.mark.parametrize("first", range(0, MIXED, 20))
def test_after_healing_every_device_says_what_the_model_says(first: int, pool: Pool) -> None:
    for seed in range(first, first + 20):
        run_seed(seed, pool)


@pytest.mark.parametrize("kind", KINDS)
def test_after_one_kind_of_fault_every_device_says_what_the_model_says(kind: str, pool: Pool) -> None:
    for seed in range(ALONE):
        run_seed(seed, pool, [kind])


def test_a_plan_is_the_same_for_the_same_seed() -> None:
    assert Plan.draw(5) == Plan.draw(5) != Plan.draw(6)
    assert Plan.draw(5, ["crash"]).kinds == ("crash",)
