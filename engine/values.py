"""What a leaf may hold: what JSON can say, within bounds, and its one packed form.

null, boolean, integer within ±2^63, finite float, text up to 32 KiB, and lists and objects of these up to 64 KiB
packed and 32 levels deep.
"""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import msgpack

from vademecum.errors import InvalidValue

__all__ = [
    "MAX_DEPTH",
    "MAX_PACKED",
    "MAX_TEXT",
    "Value",
    "check_key",
    "check_value",
    "is_blank",
    "same_value",
    "value_text",
]

Value: TypeAlias = "bool | int | float | str | list[Value] | dict[str, Value] | None"

MAX_TEXT = 32 * 1024
"""Bytes of UTF-8 in one text."""
MAX_PACKED = 64 * 1024
"""Bytes of a whole value, packed."""
MAX_DEPTH = 32
"""Lists and objects inside one another."""

_UNSEEN = "\u034f\u115f\u1160\u2800\u3164\uffa0"  # fillers that count as letters, marks or signs


def check_value(value: object, where: str) -> Value:
    """*value* as plain JSON types (tuples become lists). Raises `InvalidValue`, naming *where* and the rule."""
    plain = _Walk(where).plain(value, 0)
    if isinstance(plain, list | dict):
        size = len(msgpack.packb(plain))
        if size > MAX_PACKED:
            raise InvalidValue(f"The value at {where} takes {size:,} bytes; at most {MAX_PACKED:,} are allowed.")
    return plain


def is_blank(text: str) -> bool:
    """Whether nothing of *text* can be seen: white space, controls, and signs that only steer how others are set."""
    return all(one.isspace() or one in _UNSEEN or unicodedata.category(one) in ("Cc", "Cf") for one in text)


def value_text(value: Value) -> str:
    """The one text that stands for *value*: JSON, the keys of objects in order. ``1``, ``1.0`` and ``true`` differ."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def same_value(one: Value, other: Value) -> bool:
    """Whether both say the same; for Python ``1``, ``1.0`` and ``True`` are equal, for a memory they are not."""
    return one == other and value_text(one) == value_text(other)


def check_key(key: object, where: str) -> str:
    """*key* of an object at *where* as plain text. Raises `InvalidValue`."""
    if not isinstance(key, str):
        raise InvalidValue(f"An object at {where} has the key {key!r}; keys are text.")
    return _text(key, where)


class _Walk:
    """Copies a value and counts what the copy will take at least, so that a few lists which hold one another many
    times over (aliases in a YAML file) are refused before they are spelled out.
    """

    __slots__ = ("left", "where")

    def __init__(self, where: str) -> None:
        self.where = where
        self.left = MAX_PACKED

    def plain(self, value: object, depth: int) -> Value:
        where = self.where
        self.spend(1)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self.text(_text(value, where))
        if isinstance(value, int):
            if not -(2**63) <= value < 2**63:
                raise InvalidValue(
                    f"The value at {where} is the integer {_digits(value)}, which does not fit in 64 bits."
                )
            return int(value)
        if isinstance(value, float):
            if not math.isfinite(value):
                raise InvalidValue(f"The value at {where} is {value}; numbers must be finite.")
            return float(value)
        if depth >= MAX_DEPTH:
            raise InvalidValue(f"The value at {where} is nested deeper than {MAX_DEPTH} levels.")
        if isinstance(value, Mapping):
            return {self.text(check_key(key, where)): self.plain(item, depth + 1) for key, item in value.items()}
        if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
            return [self.plain(item, depth + 1) for item in value]
        raise InvalidValue(
            f"The value at {where} is a {type(value).__name__}; a value is null, a boolean, a number, text, a list or "
            f"an object of these."
        )

    def text(self, text: str) -> str:
        self.spend(len(text))
        return text

    def spend(self, size: int) -> None:
        self.left -= size
        if self.left < 0:
            raise InvalidValue(f"The value at {self.where} takes more than {MAX_PACKED:,} bytes; no more are allowed.")


def _text(value: str, where: str) -> str:
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise InvalidValue(f"The text at {where} is not valid Unicode (it holds half of a surrogate pair).") from None
    if size > MAX_TEXT:
        raise InvalidValue(f"The text at {where} takes {size:,} bytes; at most {MAX_TEXT:,} are allowed.")
    return str.__str__(value)  # an enumeration's own __str__ gives its name


def _digits(value: int) -> str:
    # str() of a huge integer is slow, and refused beyond 4,300 digits
    return str(value) if value.bit_length() < 256 else f"of {value.bit_length():,} bits"
