"""What of the past is kept: by age, by size, and always what is needed to say why a living leaf says what it says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.box import NOW, Box, boxes
from tests.engine.test_generations import told
from vademecum.engine import journal
from vademecum.engine.clock import from_wall
from vademecum.engine.retention import DAY_MS, ROW_BYTES, Retention, horizon, unneeded
from vademecum.engine.settings import keep_retention
from vademecum.errors import InvalidArgument


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Box, Box]]:
    with boxes(tmp_path, 2) as (a, b):
        yield a, b


def test_rows_older_than_the_days_lie_below_the_horizon() -> None:
    assert horizon([(from_wall(NOW), 10)], NOW, Retention(days=1)) == from_wall(NOW - DAY_MS)


def test_the_oldest_rows_lie_below_the_horizon_where_all_take_too_much() -> None:
    rows = [(from_wall(NOW - age), 100) for age in range(10)]
    room = 3 * (100 + ROW_BYTES)
    below = horizon(rows, NOW, Retention(bytes=room))
    assert sum(order >= below for order, _ in rows) == 3


@given(
    st.lists(st.integers(1, 100), unique=True, max_size=30),
    st.integers(0, 120),
    st.integers(1, 5),
    st.booleans(),
    st.data(),
)
def test_never_what_is_said_now_nor_the_newest_of_a_living_leaf_nor_what_is_above_the_horizon(
    orders: list[int], below: int, newest: int, living: bool, data: st.DataObject
) -> None:
    orders.sort()
    said = set(data.draw(st.lists(st.sampled_from(orders), max_size=3))) if orders else set()
    gone = unneeded(orders, said, living=living, below=below, retention=Retention(newest=newest))
    for place in gone:
        assert orders[place] < below and orders[place] not in said
        assert not living or place < len(orders) - newest
    kept = [place for place in range(len(orders)) if place not in gone]
    for place in kept:
        needed = orders[place] in said or orders[place] >= below or (living and place >= len(orders) - newest)
        assert needed


@pytest.mark.parametrize(
    "retention", [Retention(days=0), Retention(bytes=-1), Retention(newest=0), Retention(days=True)]
)
def test_a_retention_that_would_keep_nothing_is_refused(pair: tuple[Box, Box], retention: Retention) -> None:
    with pytest.raises(InvalidArgument):
        pair[0].replica.write(lambda transaction: keep_retention(transaction, retention))


def test_all_devices_let_the_same_past_go_and_living_leaves_keep_theirs(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.user.set("still", "old")
    for number in range(6):
        a.agent().remember("often", number, because=f"said {number}")
        a.agent().remember("gone", number, because=f"said {number}")
    a.agent().forget("gone")
    a.give(b)
    a.wall += 30 * DAY_MS
    a.replica.write(lambda transaction: keep_retention(transaction, Retention(days=10, newest=2)))
    b.replica.write(lambda transaction: keep_retention(transaction, Retention(days=10, newest=2)))
    snapshot = a.snapshot()
    for box in pair:
        box.adopt(snapshot)
        assert [value for value, _, _ in told(box, "often")] == [4, 5]
        assert [what for _, what, _ in told(box, "gone")] == ["deleted"]
        assert [value for value, _, _ in told(box, "still")] == ["old"]
        with box.replica.read() as view:
            receipts = [one.record.receipts for one in journal.entries(view.reader) if one.name == "often"]
            assert all(receipts)


def test_a_clock_that_runs_years_ahead_takes_nobodys_past(pair: tuple[Box, Box]) -> None:
    a, b = pair
    for number in range(20):
        b.agent().remember("often", number, because=f"said {number}")
    b.user.set("home", "Lyon")
    b.give(a)
    a.wall += 3650 * DAY_MS
    a.user.set("diet", "vegan")
    snapshot = a.snapshot()
    for box in pair:
        box.adopt(snapshot)
        assert [value for value, _, _ in told(box, "often")] == list(range(20))


def test_a_device_away_since_before_the_horizon_still_brings_what_it_wrote(pair: tuple[Box, Box]) -> None:
    a, b = pair
    for number in range(3):
        b.user.set("b", number)  # not sent
    a.user.set("a", 1)
    a.wall += 500 * DAY_MS
    snapshot = a.snapshot()
    a.adopt(snapshot)
    b.adopt(snapshot)
    b.give(a)
    assert a.values() == b.values() == {"a": 1, "b": 2}
    assert [value for value, _, _ in told(a, "b")] == [0, 1, 2]
