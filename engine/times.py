"""Times as people and callers give them: aware, in UTC, shown as ISO 8601 with ``Z``."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from vademecum.errors import InvalidTime

__all__ = ["from_ms", "parse_time", "show_time", "to_ms"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def to_ms(moment: datetime) -> int:
    """Milliseconds since 1970. Raises `InvalidTime` for a naive datetime: it would mean another moment elsewhere."""
    if not isinstance(moment, datetime):
        raise InvalidTime(f"A time is an aware datetime; {moment!r} is not.")
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise InvalidTime(
            f"The time {moment.isoformat()} has no time zone, so it would mean another moment on another machine. "
            f"Give an aware one, such as datetime.now(timezone.utc)."
        )
    return (moment - _EPOCH) // _MILLISECOND


def from_ms(ms: int) -> datetime:
    """The moment *ms* milliseconds after 1970, in UTC; the nearest that a datetime can hold."""
    try:
        return _EPOCH + ms * _MILLISECOND
    except OverflowError:
        return (datetime.max if ms > 0 else datetime.min).replace(tzinfo=UTC)


def parse_time(text: str) -> datetime:
    """An aware datetime from ISO 8601. Raises `InvalidTime`."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidTime(f"{text!r} is not a time; write it as 2026-11-29T08:30:00Z.") from None
    to_ms(moment)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise InvalidTime(f"{text!r} lies outside the years 1 to 9999 in UTC.") from None


def show_time(ms: int) -> str:
    """*ms* milliseconds after 1970 as ``2026-11-29T08:30:00.000Z``."""
    return from_ms(ms).isoformat(timespec="milliseconds").replace("+00:00", "Z")
