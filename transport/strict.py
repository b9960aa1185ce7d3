"""Strict reading of msgpack from outside: every value is checked for type, size and range before use.

`unpack` and the `as_…` readers raise nothing but `MalformedBytes`; `what` names the thing in its message.
"""

from __future__ import annotations

from typing import Final

import msgpack

from vademecum.errors import MalformedBytes

__all__ = ["U64", "as_array", "as_bool", "as_bytes", "as_int", "as_map", "as_text", "pack", "unpack"]

U64: Final = (1 << 64) - 1


def pack(value: object) -> bytes:
    """`value` (None, bool, int, str, bytes, lists, tuples and maps of these) as msgpack."""
    packed: bytes = msgpack.packb(value, use_bin_type=True)
    return packed


def unpack(data: bytes, what: str, *, at_most: int) -> object:
    """The one msgpack value that is the whole of `data`, which may have `at_most` bytes."""
    if len(data) > at_most:
        raise MalformedBytes(f"{what} has {len(data)} bytes; at most {at_most} are allowed.")
    try:
        value: object = msgpack.unpackb(data, raw=False, strict_map_key=True)
    except (ValueError, OverflowError, msgpack.UnpackException) as error:
        raise MalformedBytes(f"{what} is not msgpack.") from error
    return value


def as_array(value: object, what: str, *, exactly: int | None = None, at_most: int = 1 << 16) -> list[object]:
    """`value` as a list of `exactly` so many, or `at_most` so many, items."""
    if not isinstance(value, list):
        raise MalformedBytes(f"{what} is not an array.")
    if (exactly is not None and len(value) != exactly) or len(value) > at_most:
        raise MalformedBytes(f"{what} has {len(value)} items.")
    return value


def as_map(value: object, what: str, *, at_most: int = 1 << 16) -> dict[object, object]:
    """`value` as a map of at most `at_most` entries."""
    if not isinstance(value, dict) or len(value) > at_most:
        raise MalformedBytes(f"{what} is not a map of at most {at_most} entries.")
    return value


def as_bytes(value: object, what: str, *, exactly: int | None = None, at_most: int = 1 << 24) -> bytes:
    """`value` as bytes, `exactly` or `at_most` so many."""
    if not isinstance(value, bytes):
        raise MalformedBytes(f"{what} is not a byte string.")
    if (exactly is not None and len(value) != exactly) or len(value) > at_most:
        raise MalformedBytes(f"{what} has {len(value)} bytes.")
    return value


def as_int(value: object, what: str, *, at_least: int = 0, at_most: int = U64) -> int:
    """`value` as an integer within the two bounds, both included."""
    if not isinstance(value, int) or isinstance(value, bool) or not at_least <= value <= at_most:
        raise MalformedBytes(f"{what} is not an integer from {at_least} to {at_most}.")
    return value


def as_text(value: object, what: str, *, at_most: int) -> str:
    """`value` as text of 1 to `at_most` bytes of UTF-8."""
    if not isinstance(value, str) or not 1 <= len(value.encode("utf-8")) <= at_most:
        raise MalformedBytes(f"{what} is not a text of 1 to {at_most} bytes.")
    return value


def as_bool(value: object, what: str) -> bool:
    """`value` as a boolean."""
    if not isinstance(value, bool):
        raise MalformedBytes(f"{what} is not a boolean.")
    return value
