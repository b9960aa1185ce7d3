"""The hybrid clock under honest, wrong and hostile time."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.engine.clock import (
    COUNTER_BITS,
    MAX_AHEAD_MS,
    MAX_READING,
    Clock,
    from_wall,
    is_suspect,
    to_wall,
)

NOW = 1_790_000_000_000  # a day in 2026
YEAR = 365 * 24 * 3600 * 1000
WALLS = st.one_of(
    st.integers(NOW - 1000, NOW + 1000),  # a clock that stumbles
    st.integers(0, 2**48 - 1),  # one that jumps by years, in both directions
    st.integers(-(2**63), 2**64),  # and one that is no clock at all
)
READINGS = st.one_of(st.integers(0, MAX_READING), st.integers(MAX_READING - 3, MAX_READING))


@given(st.lists(WALLS, min_size=2, max_size=50))
def test_readings_only_grow_whatever_the_wall_clock_does(walls: list[int]) -> None:
    clock = Clock()
    readings = [clock.now(wall) for wall in walls]
    assert all(earlier < later for earlier, later in pairwise(readings))


@given(st.lists(st.tuples(st.sampled_from(["now", "stamp", "observe"]), WALLS, READINGS), max_size=50))
def test_no_use_of_a_clock_takes_it_back(uses: list[tuple[str, int, int]]) -> None:
    clock = Clock()
    for what, wall, reading in uses:
        before = clock.last
        if what == "now":
            assert clock.now(wall) > before
        elif what == "stamp":
            assert clock.stamp(wall, reading) > before
        else:
            clock.observe(reading, wall)
        assert clock.last >= before
        assert 0 <= clock.last <= MAX_READING


@given(WALLS, READINGS)
def test_every_reading_fits_in_64_bits(wall: int, seen: int) -> None:
    clock = Clock()
    for reading in (clock.now(wall), clock.stamp(wall, seen), clock.last):
        assert 0 <= reading < 2**64


def test_a_reading_is_not_behind_the_wall_clock() -> None:
    assert to_wall(Clock().now(NOW)) == NOW
    assert to_wall(Clock(from_wall(NOW)).now(NOW + 1)) == NOW + 1


def test_the_first_reading_of_a_millisecond_has_a_counter_of_zero() -> None:
    assert Clock().now(NOW) == from_wall(NOW) == NOW << COUNTER_BITS


def test_within_one_millisecond_the_counter_counts() -> None:
    clock = Clock()
    first, second, third = (clock.now(NOW) for _ in range(3))
    assert (second, third) == (first + 1, first + 2)
    assert to_wall(third) == NOW


def test_a_counter_that_overflows_borrows_the_next_millisecond() -> None:
    clock = Clock(from_wall(NOW) + (1 << COUNTER_BITS) - 1)
    assert clock.now(NOW) == from_wall(NOW + 1)
    assert clock.now(NOW + 1) == from_wall(NOW + 1) + 1


def test_a_wall_clock_set_back_ten_years_is_outlived_by_the_counter() -> None:
    clock = Clock()
    before = clock.now(NOW)
    assert clock.now(NOW - 10 * YEAR) == before + 1


def test_a_wall_clock_before_1970_reads_as_1970() -> None:
    assert from_wall(-1) == 0
    assert Clock().now(-YEAR) == 1


@given(WALLS, WALLS, st.integers(1, 20))
def test_a_clock_made_again_from_what_was_kept_goes_on_after_it(first: int, second: int, writes: int) -> None:
    clock = Clock()
    for _ in range(writes):
        last = clock.now(first)
    assert Clock(clock.last).now(second) > last


@given(WALLS, st.integers(0, MAX_READING), st.integers(0, MAX_READING - 1))
def test_a_stamp_outranks_whatever_was_seen_and_every_earlier_reading(wall: int, last: int, seen: int) -> None:
    clock = Clock(last % 2**63)
    earlier = clock.last
    order = clock.stamp(wall, seen)
    assert order > seen
    assert order > earlier


@given(READINGS)
def test_a_stamp_over_a_record_from_the_future_does_not_move_the_clock(seen: int) -> None:
    clock = Clock()
    clock.stamp(NOW, seen)
    assert clock.last == from_wall(NOW)


def test_two_writes_over_a_record_from_the_future_outrank_each_other_in_turn() -> None:
    laptop, phone = Clock(), Clock()
    far = from_wall(NOW + 100 * YEAR)
    first = laptop.stamp(NOW, far)
    second = phone.stamp(NOW - YEAR, first)
    assert far < first < second < laptop.stamp(NOW, second)


def test_nothing_seen_stamps_the_present() -> None:
    assert Clock().stamp(NOW, 0) == from_wall(NOW)


@given(READINGS, WALLS, READINGS)
def test_a_remote_reading_is_followed_only_up_to_five_minutes_ahead(last: int, wall: int, remote: int) -> None:
    clock = Clock(last)
    clock.observe(remote, wall)
    assert clock.last == max(last, min(remote, from_wall(wall + 5 * 60 * 1000)))


def test_a_remote_reading_just_ahead_is_followed() -> None:
    clock = Clock(from_wall(NOW))
    clock.observe(from_wall(NOW + 1000) + 7, NOW)
    assert clock.now(NOW) == from_wall(NOW + 1000) + 8


def test_a_device_from_next_year_does_not_drag_this_one_along() -> None:
    clock = Clock(from_wall(NOW))
    clock.observe(from_wall(NOW + YEAR), NOW)
    assert to_wall(clock.now(NOW)) == NOW + MAX_AHEAD_MS


def test_many_readings_from_the_future_drag_no_further_than_one() -> None:
    clock = Clock()
    for ahead in range(1000):
        clock.observe(from_wall(NOW + YEAR + ahead), NOW)
        clock.now(NOW)
    assert to_wall(clock.last) == NOW + MAX_AHEAD_MS


def test_a_remote_reading_from_the_past_changes_nothing() -> None:
    clock = Clock(from_wall(NOW))
    clock.observe(from_wall(NOW - YEAR), NOW)
    assert clock.last == from_wall(NOW)


@pytest.mark.parametrize(
    ("ahead", "suspect"),
    [(-YEAR, False), (0, False), (MAX_AHEAD_MS, False), (MAX_AHEAD_MS + 1, True), (YEAR, True)],
)
def test_a_device_is_suspect_exactly_when_its_reading_is_not_followed(ahead: int, suspect: bool) -> None:
    reading = from_wall(NOW + ahead)
    clock = Clock()
    clock.observe(reading, NOW)
    assert is_suspect(reading, NOW) is suspect
    assert (clock.last < reading) is suspect


@given(st.integers(0, 2**47 - 1))
def test_a_millisecond_survives_the_round_trip_through_a_reading(wall: int) -> None:
    assert to_wall(from_wall(wall)) == wall


@given(st.integers(-(2**70), 2**70), st.integers(-(2**70), 2**70))
def test_a_later_millisecond_never_reads_as_an_earlier_one(one: int, other: int) -> None:
    assert (from_wall(one) <= from_wall(other)) or one > other


def test_a_wall_clock_at_the_end_of_time_leaves_room_to_outrank_it() -> None:
    clock = Clock()
    last = clock.now(2**64)
    assert clock.now(2**64) == last + 1
    assert clock.stamp(2**64, last + 1) > last + 1
    assert last < MAX_READING // 2 + 1


def test_nothing_is_above_the_greatest_reading_and_stamping_over_it_says_no_more() -> None:
    assert Clock().stamp(NOW, MAX_READING) == MAX_READING
