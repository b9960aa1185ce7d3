"""How long to wait before connecting again: full jitter, so that devices cut off together do not return together."""

from __future__ import annotations

__all__ = ["BASE", "CAP", "delay"]

BASE = 0.5
"""Seconds; the most that is waited before the first new attempt."""
CAP = 60.0
"""Seconds; the most that is ever waited."""


def delay(attempt: int, random: float) -> float:
    """Seconds to wait before new attempt number ``attempt`` (from 0): ``random`` times ``min(CAP, BASE · 2^attempt)``.

    ``random`` is uniform in [0, 1). ``attempt`` counts failures since the last connection that got through.
    """
    return random * min(CAP, BASE * 2.0 ** min(attempt, 16))
