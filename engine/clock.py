"""The hybrid logical clock: a reading ranks records, and is not the time shown to people.

A reading is an unsigned 64-bit integer, 48 bits of milliseconds since 1970 and 16 bits of counter (Kulkarni et al.,
*Logical Physical Clocks*, 2014). Readings of one device never go back, also across restarts, because the last one is
kept with the data. A remote reading is followed only up to five minutes ahead of the local wall clock: a device from
next year does not drag the others along. Nothing is refused for its time; whoever has *seen* such a record outranks
it by stamping one more than it (`stamp`), which does not move the clock.
"""

from __future__ import annotations

__all__ = ["COUNTER_BITS", "MAX_AHEAD_MS", "MAX_READING", "Clock", "from_wall", "is_suspect", "to_wall"]

COUNTER_BITS = 16
MAX_READING = 2**64 - 1
MAX_WALL_MS = 2**47 - 1
"""The last millisecond a clock reads (year 6429). Above it there is always room to outrank what was seen."""
MAX_AHEAD_MS = 5 * 60 * 1000
"""How far ahead of the local wall clock a remote reading may pull this device, in milliseconds."""


def from_wall(wall_ms: int) -> int:
    """The first reading of the millisecond *wall_ms*."""
    return min(max(0, wall_ms), MAX_WALL_MS) << COUNTER_BITS


def to_wall(reading: int) -> int:
    """The millisecond of *reading*."""
    return reading >> COUNTER_BITS


class Clock:
    """One device's clock. ``last`` is what must be kept; give it back when the clock is made again.

    Not thread-safe: it lives inside one write transaction.
    """

    __slots__ = ("last",)

    def __init__(self, last: int = 0) -> None:
        self.last = last

    def now(self, wall_ms: int) -> int:
        """The next reading: greater than every one before it, and not behind the wall clock."""
        self.last = min(max(self.last + 1, from_wall(wall_ms)), MAX_READING)
        return self.last

    def stamp(self, wall_ms: int, seen: int) -> int:
        """The order of a write by someone who has seen a record of order *seen* (0 for none): greater than both."""
        return min(max(self.now(wall_ms), seen + 1), MAX_READING)

    def observe(self, reading: int, wall_ms: int) -> None:
        """Follows a remote *reading*, but not beyond `MAX_AHEAD_MS` ahead of the wall clock."""
        self.last = max(self.last, min(reading, from_wall(wall_ms + MAX_AHEAD_MS)))


def is_suspect(reading: int, wall_ms: int) -> bool:
    """Whether a device that stamped *reading* has a clock further ahead than we follow."""
    return reading > from_wall(wall_ms + MAX_AHEAD_MS)
