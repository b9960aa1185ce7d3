"""A clock that no wall clock jump can touch, and that all processes of a machine share: time since the machine started.

A `Moment` is (which start of the machine, milliseconds since then). Moments of one start compare; a moment of another
start is the past, for no process outlives one.

=================  =====================================  =============================================
system             which start                            milliseconds
=================  =====================================  =============================================
Linux, Android     ``/proc/sys/kernel/random/boot_id``    ``CLOCK_BOOTTIME``: goes on while suspended
macOS              ``kern.bootsessionuuid``               ``CLOCK_MONOTONIC_RAW``, which there does the same
others             unknown: the empty text                Python's monotonic clock
=================  =====================================  =============================================

Where the start is unknown, a moment that lies in the future is one of another start; one that does not is taken for
one of this start, so what had an end then may last, once, until this machine has run as long as that one had.
"""

from __future__ import annotations

import sys
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

__all__ = ["Moment", "now"]

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_NS_PER_MS = 1_000_000


class Moment(NamedTuple):
    """``boot`` names the start of the machine, empty where that is unknown; ``ms`` have passed since."""

    boot: str
    ms: int

    def until(self, later: Moment) -> int | None:
        """Milliseconds from here to *later*, below 0 if it lies behind; None if it is of another start."""
        return later.ms - self.ms if later.boot == self.boot else None


def now() -> Moment:
    """The present moment; well under a microsecond."""
    return Moment(_boot(), _since_start_ns() // _NS_PER_MS)


def _since_start_ns() -> int:
    clock: int | None = getattr(time, "CLOCK_MONOTONIC_RAW" if sys.platform == "darwin" else "CLOCK_BOOTTIME", None)
    return time.monotonic_ns() if clock is None else time.clock_gettime_ns(clock)


@cache
def _boot() -> str:
    if sys.platform == "darwin":
        return _boot_session()
    try:
        return _BOOT_ID.read_text("ascii").strip()
    except (OSError, ValueError):
        return ""


def _boot_session() -> str:
    import ctypes

    size = ctypes.c_size_t(64)
    found = ctypes.create_string_buffer(size.value)
    try:
        failed = ctypes.CDLL(None).sysctlbyname(b"kern.bootsessionuuid", found, ctypes.byref(size), None, 0)
    except (OSError, AttributeError):
        return ""
    return "" if failed else found.value.decode("ascii", "replace")
