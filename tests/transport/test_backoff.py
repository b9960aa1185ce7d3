"""Contracts of the wait before a new connection."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vademecum.transport.backoff import BASE, CAP, delay

ATTEMPT = st.integers(0, 10_000)
RANDOM = st.floats(0.0, 1.0, exclude_max=True)


@given(ATTEMPT, RANDOM)
def test_a_wait_is_never_negative_and_never_over_the_cap(attempt: int, random: float) -> None:
    assert 0.0 <= delay(attempt, random) <= CAP


@given(ATTEMPT, RANDOM)
def test_the_most_that_is_waited_doubles_until_the_cap(attempt: int, random: float) -> None:
    most = min(CAP, BASE * 2 ** min(attempt, 20))
    assert delay(attempt, random) == random * most


@given(ATTEMPT, RANDOM, RANDOM)
def test_devices_with_different_luck_wait_differently(attempt: int, one: float, other: float) -> None:
    """Full jitter: anything down to nothing is as likely as the most."""
    assert (delay(attempt, one) <= delay(attempt, other)) == (one <= other) or one == other or abs(one - other) < 1e-300
