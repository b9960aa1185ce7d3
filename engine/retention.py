"""How much of the past is kept: by age and by size, and never less than the history of a living leaf needs. Pure.

The rule in one sentence: **a row of the journal goes when it lies below the horizon and nothing needs it.** The
horizon is an order. A row is needed where it is what a slot still says, or where it is among the newest rows of a name
that has a value. What is left out takes its words with it only if nothing else rests on them: receipts have slots of
their own, and those stay.

Applied where a snapshot is taken and where one is adopted, with the horizon that the snapshot names; so all devices
keep the same past.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from vademecum.errors import InvalidArgument

from .clock import from_wall, to_wall

__all__ = ["Retention", "agreed_now", "horizon", "unneeded"]

DAY_MS = 24 * 60 * 60 * 1000
ROW_BYTES = 100
"""What a row takes beside its record: keys in two tables, and its name."""


class Retention(NamedTuple):
    """What of a scope's journal is kept.

    days: rows older than this go. bytes: so do the oldest ones where all together take more. newest: rows of each
    living leaf that stay in any case.
    """

    days: int = 400
    bytes: int = 8 << 20
    newest: int = 8

    def checked(self) -> Retention:
        """Itself. Raises `InvalidArgument` for what would keep nothing."""
        for name, value, least in (("days", self.days, 1), ("bytes", self.bytes, 0), ("newest", self.newest, 1)):
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2**63:
                raise InvalidArgument(f"The retention's {name} is {value!r}; it must be a whole number from {least}.")
        return self


def horizon(rows: Iterable[tuple[int, int]], now_ms: int, retention: Retention) -> int:
    """The order below which rows may go. *rows* are (order, bytes of the record) of all rows of a scope. O(n log n).

    A row stamped by a clock from the future is old once that time has come, and not before.
    """
    old = from_wall(now_ms - retention.days * DAY_MS)
    room = retention.bytes
    for order, size in sorted(rows, reverse=True):
        room -= size + ROW_BYTES
        if room < 0:
            return max(old, order + 1)
        if order < old:
            break
    return old


def agreed_now(wall_ms: int, others: Iterable[int]) -> int:
    """The time from which an age is counted for all devices: by this one's *wall_ms*, but not later than what another
    device has read. *others* are the orders of the other devices' rows.

    A clock that runs years ahead would otherwise take the past of every device. Where nobody else has written, the
    own clock is all there is.
    """
    newest = max(others, default=None)
    return wall_ms if newest is None else min(wall_ms, to_wall(newest))


def unneeded(
    orders: Sequence[int], said: Collection[int], *, living: bool, below: int, retention: Retention
) -> list[int]:
    """The places in *orders*, a name's history oldest first, of the rows that may go.

    *said* are the orders of what its slots say now; *living*, whether it has a value; *below*, the horizon.
    """
    free = len(orders) - retention.newest if living else len(orders)
    return [place for place, order in enumerate(orders[: max(0, free)]) if order < below and order not in said]
