"""Making a plan that ends badly small: steps are left out, many at first, as long as it still ends in the same way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.simulation.world import Plan

__all__ = ["minimised"]

MAX_RUNS = 400


def minimised(plan: Plan, fails: Callable[[Plan], bool], *, runs: int = MAX_RUNS) -> Plan:
    """A plan with some of the steps of *plan*, for which *fails* still holds. At most *runs* are tried."""
    size = len(plan.steps) // 2
    while size:
        place = len(plan.steps)
        while place > 0 and runs:
            runs -= 1
            first = max(0, place - size)
            smaller = replace(plan, steps=plan.steps[:first] + plan.steps[place:])
            if fails(smaller):
                plan = smaller
            place = first
        size //= 2
    return plan
