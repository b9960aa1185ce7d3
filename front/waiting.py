"""What waits for the curator, for people to see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vademecum.engine.formation import attempts, claims, signals
from vademecum.engine.formation.attempts import Parked
from vademecum.engine.formation.claims import Running
from vademecum.engine.times import show_time
from vademecum.storage import boot_time

if TYPE_CHECKING:
    from vademecum.engine.view import View

__all__ = ["Waiting", "read_waiting"]


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits for the curator of one vault.

    signals: how many messages wait. since_ms: when the oldest of them was logged, milliseconds since 1970.
    running: the curator that is at work now. next_ms: in how long the next one is due, 0 if now; None if none waits.
    parked: those that failed again and again; another version of the program, or `sweep --retry`, tries them again.
    """

    signals: int
    since_ms: int | None
    running: Running | None
    next_ms: int | None
    parked: tuple[Parked, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "signals": self.signals,
            "since": None if self.since_ms is None else show_time(self.since_ms),
            "running": None
            if self.running is None
            else {"since": show_time(self.running.since_ms), "signals": self.running.signals},
            "due_in_ms": self.next_ms,
            "parked": [
                {"message": one.id, "attempts": one.attempts, "reason": one.reason, "version": one.version}
                for one in self.parked
            ],
        }


def read_waiting(view: View) -> Waiting:
    """How *view*'s vault stands. O(signals that wait for another attempt)."""
    reader, now = view.reader, boot_time.now()
    oldest = signals.oldest(reader)
    groups, next_ms = attempts.due(reader, now, 1)
    return Waiting(
        signals.count(reader),
        None if oldest is None else oldest.at_ms,
        claims.running(reader, now),
        0 if groups else next_ms,
        tuple(attempts.parked(reader)),
    )
