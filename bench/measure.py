"""What every group shares: a row, and how two things are timed beside each other."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import TypedDict

__all__ = ["Row", "at_least", "at_most", "seconds", "side_by_side"]


class Row(TypedDict):
    """One measurement. ``floor`` is what the least possible work came to in the same run, ``ratio`` is value ÷ floor.

    ``target`` has the unit of ``value``: where the requirement is a multiple of the floor, it is that multiple of this
    run's floor. ``met`` says whether the value keeps to it; None where nothing is required.
    """

    name: str
    value: float
    unit: str
    floor: float | None
    ratio: float | None
    target: float | None
    met: bool | None


def at_most(name: str, value: float, unit: str, *, target: float | None, floor: float | None = None) -> Row:
    """A row whose value should be small."""
    return _row(name, value, unit, floor, target, None if target is None else value <= target)


def at_least(name: str, value: float, unit: str, *, target: float | None, floor: float | None = None) -> Row:
    """A row whose value should be great."""
    return _row(name, value, unit, floor, target, None if target is None else value >= target)


def seconds(work: Callable[[], object]) -> float:
    """How long *work* takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def side_by_side(rounds: int, first: Callable[[], object], second: Callable[[], object]) -> tuple[float, float]:
    """Median seconds of both, run in turn A B A B, so that whatever else the machine does meets both alike."""
    pairs = [(seconds(first), seconds(second)) for _ in range(rounds)]
    return median(one for one, _ in pairs), median(other for _, other in pairs)


def _row(name: str, value: float, unit: str, floor: float | None, target: float | None, met: bool | None) -> Row:
    return Row(
        name=name,
        value=_rounded(value),
        unit=unit,
        floor=None if floor is None else _rounded(floor),
        ratio=round(value / floor, 3) if floor else None,
        target=None if target is None else _rounded(target),
        met=met,
    )


def _rounded(number: float) -> float:
    """Three digits behind the point below a hundred, none above: a stopwatch knows no more."""
    return round(number, 3) if abs(number) < 100 else round(number)
