"""The time that a question names: *yesterday*, *last month*, *in May*, *on Monday*, *in 2023*, *on 3 June 2023*.

Pure: the question and the person's clock in, a span of days out. It is a preference and never a filter: people tell
of a thing after it happened, remember dates wrongly, and *may* is a word, too.

A month or a day without its year is taken in every year, so that a question about an old conversation means what was
said then. Words that count from today (*yesterday*, *last month*, *on Monday*) mean the one before now.
"""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta

__all__ = ["TOLD_LATER", "AskedTime", "asked_time"]

TOLD_LATER = timedelta(days=7)
"""How long after a day people still tell of it."""
_EARLIER = timedelta(days=1)
"""For clocks in other time zones."""

# not calendar.month_name: its names are the locale's
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTH = "|".join(f"{month}|{month[:3]}" for month in _MONTHS) + "|sept"
_DATE = re.compile(
    rf"\b(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?(?P<month>{_MONTH})\b\.?"
    r"(?:\s+(?P<after>\d{1,2})(?:st|nd|rd|th)?\b(?!\d))?(?:,?\s+(?:of\s+)?(?P<year>(?:19|20)\d\d)\b)?",
    re.IGNORECASE,
)
_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b")
_YEAR = re.compile(r"\b((?:19|20)\d\d)\b")
_PLAIN = frozenset({"january", "february", "july", "september", "october", "november", "december"})
"""Months that are hardly anything else. The others, and what is short for a month, are words or names, too: they count
with a day, a year or a word such as *in* before them."""
_BEFORE_MONTH = re.compile(r"\b(?:in|of|during|since|until|by|early|late|mid|last|this)[\s-]*\Z", re.IGNORECASE)
_RELATIVE = re.compile(
    r"\b(?:(?P<day>today|tonight|this morning|yesterday|last night)"
    r"|(?P<which>last|this|past|previous)\s+(?P<unit>week|weekend|month|year|spring|summer|autumn|fall|winter)"
    r"|(?P<count>\d{1,3}|a|one|two|three|four|five|six)\s+(?P<ago>day|week|month|year)s?\s+ago"
    rf"|(?:(?:on|last|this|past)\s+)(?P<weekday>{'|'.join(_WEEKDAYS)}))\b",
    re.IGNORECASE,
)
_NUMBERS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}


@dataclass(frozen=True, slots=True)
class AskedTime:
    """From the day ``first`` to the day ``last``; ``every_year`` says that their year is not meant."""

    first: date
    last: date
    every_year: bool = False

    def has(self, moment: datetime) -> bool:
        """Whether something told at *moment* may be of that time: within it, or up to `TOLD_LATER` after it."""
        day = moment.date()
        if not self.every_year:
            return self._spans(self.first, self.last, day)
        # the span as it lies in the year of the day, and in the one before, in whose wake January may be
        years = (day.year, day.year - 1)
        return any(self._spans(_in_year(self.first, year), _in_year(self.last, year), day) for year in years)

    @staticmethod
    def _spans(first: date, last: date, day: date) -> bool:
        return first.toordinal() - _EARLIER.days <= day.toordinal() <= last.toordinal() + TOLD_LATER.days


def asked_time(question: str, now: datetime) -> AskedTime | None:
    """The time that *question*, asked at *now* on the person's clock, names; None where it names none. O(length).

    The first date counts, before any word that counts from today, before a bare year.
    """
    for match in _ISO.finditer(question):
        found = _of(int(match[1]), int(match[2]), None if match[3] is None else int(match[3]))
        if found is not None:
            return found
    for match in _DATE.finditer(question):
        month = match["month"].lower()
        number = next((at for at, name in enumerate(_MONTHS, 1) if name.startswith(month[:3])), 0)
        day = match["day"] or match["after"]
        bare = day is None and match["year"] is None and month not in _PLAIN
        if bare and not _BEFORE_MONTH.search(question[: match.start()]):
            continue
        year = None if match["year"] is None else int(match["year"])
        found = _of(year, number, None if day is None else int(day))
        if found is not None:
            return found
    relative = _RELATIVE.search(question)
    if relative is not None:
        return _counted(relative, now.date())
    year_only = _YEAR.search(question)
    if year_only is not None:
        return AskedTime(date(int(year_only[1]), 1, 1), date(int(year_only[1]), 12, 31))
    return None


def _of(year: int | None, month: int, day: int | None) -> AskedTime | None:
    """None for a day that no calendar has."""
    some_year = 2024 if year is None else year  # a leap year, which has every day
    if not 1 <= month <= 12:
        return None
    length = calendar.monthrange(some_year, month)[1]
    if day is not None and not 1 <= day <= length:
        return None
    return AskedTime(date(some_year, month, day or 1), date(some_year, month, day or length), year is None)


def _counted(match: re.Match[str], today: date) -> AskedTime:
    if match["day"]:
        back = 1 if match["day"].lower() in ("yesterday", "last night") else 0
        return _days(today - timedelta(days=back))
    if match["weekday"]:
        back = (today.weekday() - _WEEKDAYS.index(match["weekday"].lower())) % 7
        return _days(today - timedelta(days=back or 7))
    if match["ago"]:
        count = _NUMBERS.get(match["count"].lower()) or int(match["count"])
        return _ago(today, count, match["ago"].lower())
    return _unit(today, match["unit"].lower(), past=match["which"].lower() != "this")


def _ago(today: date, count: int, unit: str) -> AskedTime:
    """Around then: people count roughly, the more so the longer ago it was."""
    days = count * {"day": 1, "week": 7, "month": 30, "year": 365}[unit]
    slack = {"day": 0, "week": 3, "month": 15, "year": 180}[unit]
    then = today.toordinal() - days
    return AskedTime(date.fromordinal(max(then - slack, 1)), date.fromordinal(max(then + slack, 1)))


def _unit(today: date, unit: str, *, past: bool) -> AskedTime:
    if unit in ("week", "weekend"):
        monday = today - timedelta(days=today.weekday() + (7 if past else 0))
        return AskedTime(monday + timedelta(days=5 if unit == "weekend" else 0), monday + timedelta(days=6))
    if unit == "month":
        first = today.replace(day=1)
        if past:
            first = (first - timedelta(days=1)).replace(day=1)
        return AskedTime(first, first.replace(day=calendar.monthrange(first.year, first.month)[1]))
    if unit == "year":
        year = max(today.year - past, 1)
        return AskedTime(date(year, 1, 1), date(year, 12, 31))
    return _season(today, _SEASONS[unit], past=past)


def _season(today: date, month: int, *, past: bool) -> AskedTime:
    """Three months from *month*: the one that began last; with *past*, the last that is over."""
    year = today.year if today.month >= month else today.year - 1
    first = date(max(year, 1), month, 1)
    if past and today < _quarter_end(first):
        first = first.replace(year=max(first.year - 1, 1))
    return AskedTime(first, _quarter_end(first) - timedelta(days=1))


def _quarter_end(first: date) -> date:
    """The day after the third month."""
    return date(first.year + (first.month + 2) // 12, (first.month + 2) % 12 + 1, 1)


def _days(day: date) -> AskedTime:
    return AskedTime(day, day)


def _in_year(day: date, year: int) -> date:
    year = max(year, 1)
    return day.replace(year=year, day=min(day.day, calendar.monthrange(year, day.month)[1]))
