"""How many tokens one sweep may cost: what is sent and what is answered, counted apart.

Before a request its size is estimated and set aside, with the longest answer that is allowed; afterwards the service's
own count takes the place of the estimate. A request that no longer fits is not sent, but for the first of a sweep:
however small the budget is, everything is read in the end.
"""

from __future__ import annotations

from threading import Lock

from vademecum.errors import InvalidArgument

__all__ = ["DEFAULT_INPUT", "DEFAULT_OUTPUT", "TokenBudget"]

DEFAULT_INPUT = 200_000
"""Tokens sent in one sweep: some 1,500 messages of usual length."""
DEFAULT_OUTPUT = 40_000
"""Tokens answered in one sweep."""


class TokenBudget:
    """The tokens of one sweep. Several threads may share one.

    input, output: the most that a sweep may send and receive, in tokens; at least one each.
    """

    def __init__(self, input: int = DEFAULT_INPUT, output: int = DEFAULT_OUTPUT) -> None:  # noqa: A002
        if input < 1 or output < 1:
            raise InvalidArgument(f"A budget of {input} and {output} tokens allows nothing; give at least 1 of each.")
        self.input = input
        self.output = output
        self._sent = 0
        self._received = 0
        self._lock = Lock()

    def renew(self) -> None:
        """A new sweep begins."""
        with self._lock:
            self._sent = self._received = 0

    def reserve(self, sent: int, received: int) -> bool:
        """Sets tokens aside for one request; False, and nothing set aside, if they do not fit."""
        with self._lock:
            first = not (self._sent or self._received)
            if not first and (self._sent + sent > self.input or self._received + received > self.output):
                return False
            self._sent += sent
            self._received += received
            return True

    def settle(self, reserved: tuple[int, int], actual: tuple[int, int]) -> None:
        """What a request cost in the end, in place of what was set aside for it."""
        with self._lock:
            self._sent += actual[0] - reserved[0]
            self._received += actual[1] - reserved[1]

    @property
    def spent(self) -> tuple[int, int]:
        """(sent, received) in this sweep so far."""
        with self._lock:
            return self._sent, self._received
