"""A thousand vaults under one root, two sweepers, one of them killed -9 again and again: `tests.sweeping`, which says
whether every signal was handled once in effect, and how long a vault has waited for its turn beside the fair share.
"""

from __future__ import annotations

from tests.sweeping import FAIR, run

from .measure import Row, at_least, at_most

__all__ = ["rows"]

VAULTS = 1000
SIGNALS = 100


def rows() -> list[Row]:
    done = run(VAULTS, SIGNALS)
    return [
        at_most("formation/sweep/wrong", len(done["wrong"]), "vaults", target=0),
        at_most("formation/sweep/wait", done["longest_wait_turns"], "turns", floor=VAULTS, target=FAIR * VAULTS),
        at_most("formation/sweep/wait/seconds", done["longest_wait_seconds"], "s", target=None),
        at_least("formation/sweep/signals", done["signals_per_second"], "signals/s", target=None),
        at_least("formation/sweep/kills", done["kills"], "kills", target=None),
    ]
