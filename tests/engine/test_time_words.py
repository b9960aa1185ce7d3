"""The time that a question names, on the person's clock."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.engine.time_words import TOLD_LATER, AskedTime, asked_time

NOW = datetime(2026, 11, 18, 9, 30, tzinfo=UTC)  # a Wednesday


def days(*parts: int) -> tuple[date, date]:
    first, last = date(*parts[:3]), date(*parts[3:] or parts)
    return first, last


@pytest.mark.parametrize(
    ("question", "first_and_last"),
    [
        ("What did we eat yesterday?", days(2026, 11, 17)),
        ("Who called last night?", days(2026, 11, 17)),
        ("What is planned for today?", days(2026, 11, 18)),
        ("What happened last week?", days(2026, 11, 9, 2026, 11, 15)),
        ("Where were we last weekend?", days(2026, 11, 14, 2026, 11, 15)),
        ("What did I spend this month?", days(2026, 11, 1, 2026, 11, 30)),
        ("Where did she travel last month?", days(2026, 10, 1, 2026, 10, 31)),
        ("What did I read last year?", days(2025, 1, 1, 2025, 12, 31)),
        ("What did we do last summer?", days(2026, 6, 1, 2026, 8, 31)),
        ("Where did we ski last winter?", days(2025, 12, 1, 2026, 2, 28)),
        ("What did he say on Monday?", days(2026, 11, 16)),
        ("What did he say last Wednesday?", days(2026, 11, 11)),
        ("What broke three days ago?", days(2026, 11, 15)),
        ("What broke 2 weeks ago?", days(2026, 11, 1, 2026, 11, 7)),
        ("Where did she move in 2023?", days(2023, 1, 1, 2023, 12, 31)),
        ("What did Ann do in May 2023?", days(2023, 5, 1, 2023, 5, 31)),
        ("Who had dinner on May 3, 2023?", days(2023, 5, 3)),
        ("What did she find on 1 February, 2023?", days(2023, 2, 1)),
        ("What was on the 3rd of June 2023?", days(2023, 6, 3)),
        ("What was booked for 2024-02-29?", days(2024, 2, 29)),
        ("What was booked for 2024-02?", days(2024, 2, 1, 2024, 2, 29)),
    ],
)
def test_a_time_becomes_a_span_of_days(question: str, first_and_last: tuple[date, date]) -> None:
    asked = asked_time(question, NOW)
    assert asked is not None
    assert (asked.first, asked.last) == first_and_last
    assert not asked.every_year


@pytest.mark.parametrize(
    "question",
    [
        "What may Ann eat?",
        "May I come in?",
        "What did June say?",
        "How do I march on?",
        "When did it happen?",
        "What was on 31 February 2023?",
        "Which bus goes at 20:15?",
        "",
    ],
)
def test_what_only_looks_like_a_time_names_none(question: str) -> None:
    asked = asked_time(question, NOW)
    assert asked is None or asked.first.year == 2023  # of a day that no calendar has, the year is left


def test_a_month_without_its_year_means_every_year() -> None:
    asked = asked_time("Where did she go camping in June?", NOW)
    assert asked is not None
    assert asked.has(datetime(2023, 6, 20, tzinfo=UTC)) and asked.has(datetime(2019, 6, 1, tzinfo=UTC))
    assert not asked.has(datetime(2023, 8, 20, tzinfo=UTC))


def test_the_end_of_the_year_is_told_of_in_january() -> None:
    asked = asked_time("What happened in December?", NOW)
    assert asked is not None
    assert asked.has(datetime(2024, 1, 3, tzinfo=UTC)) and not asked.has(datetime(2024, 1, 20, tzinfo=UTC))


def test_a_thing_is_told_of_for_some_days_after_it_and_hardly_before() -> None:
    asked = AskedTime(date(2023, 5, 3), date(2023, 5, 3))
    told = datetime(2023, 5, 3, 12, tzinfo=UTC)
    assert asked.has(told) and asked.has(told + TOLD_LATER)
    assert not asked.has(told + TOLD_LATER + timedelta(days=1))
    assert not asked.has(told - timedelta(days=2))


@given(st.text(max_size=60), st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)))
def test_any_question_at_any_time_gives_a_span_or_none(question: str, now: datetime, moment: datetime) -> None:
    asked = asked_time(question, now)
    if asked is not None:
        assert asked.first <= asked.last
        asked.has(moment)


WORDS = st.sampled_from(
    ["yesterday", "last", "this", "winter", "week", "year", "month", "a", "999", "day", "years", "ago", "on", "in"],
) | st.sampled_from(["Monday", "May", "30", "Feb", "1900", "2099-12", "weekend"])


@given(st.lists(WORDS, max_size=6).map(" ".join), st.datetimes(timezones=st.just(UTC)))
def test_time_words_in_any_order_at_any_time_give_a_span_or_none(question: str, now: datetime) -> None:
    asked = asked_time(question, now)
    if asked is not None:
        assert asked.first <= asked.last
        asked.has(now)
