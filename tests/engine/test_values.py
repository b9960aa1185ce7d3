"""What a leaf may hold, and what is said of what it may not."""

from __future__ import annotations

import enum
import math
from collections import OrderedDict, UserDict, UserList, deque
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import overload

import msgpack
import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.engine.values import MAX_DEPTH, MAX_PACKED, MAX_TEXT, check_value
from vademecum.errors import InvalidValue

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_what_json_can_say_is_kept_as_it_is(value: object) -> None:
    kept = check_value(value, "here")
    assert kept == value
    assert type(kept) is type(value)
    assert msgpack.unpackb(msgpack.packb(kept)) == value


@pytest.mark.parametrize(
    "value", [2**63 - 1, -(2**63), 0, -1, 1.5, -0.0, 5e-324, 1.7976931348623157e308, "", [], {}, [[], {}], True]
)
def test_values_at_the_edge_of_the_rules_are_kept(value: object) -> None:
    kept = check_value(value, "here")
    assert kept == value
    assert type(kept) is type(value)


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        (math.nan, "finite"),
        (math.inf, "finite"),
        (-math.inf, "finite"),
        (2**63, "64 bits"),
        (-(2**63) - 1, "64 bits"),
        (b"bytes", "bytes"),
        (bytearray(b"x"), "bytearray"),
        (memoryview(b"x"), "memoryview"),
        ({1, 2}, "set"),
        (object(), "object"),
        (datetime(2026, 1, 1, tzinfo=UTC), "datetime"),
        (date(2026, 1, 1), "date"),
        (Decimal("1.5"), "Decimal"),
        (Fraction(1, 2), "Fraction"),
        (1j, "complex"),
        (len, "builtin_function_or_method"),
        (numpy.int64(1), "int64"),
        (numpy.zeros(2), "ndarray"),
        (iter([1]), "list_iterator"),
        ("\ud800", "surrogate"),
        ("x" * (MAX_TEXT + 1), "32,769 bytes"),
        ("é" * (MAX_TEXT // 2 + 1), "32,770 bytes"),
        ({1: "one"}, "key 1"),
        ({None: 1}, "key None"),
        ({b"k": 1}, "key b'k'"),
        ({"\udfff": 1}, "surrogate"),
    ],
)
@pytest.mark.parametrize("wrap", [lambda value: value, lambda value: [value], lambda value: {"deep": [0, value]}])
def test_anything_else_is_refused_and_the_message_names_the_place_and_the_rule(
    value: object, rule: str, wrap: object
) -> None:
    assert callable(wrap)
    with pytest.raises(InvalidValue) as refusal:
        check_value(wrap(value), "diet.allergies")
    assert "diet.allergies" in refusal.value.message
    assert rule in refusal.value.message
    refusal.value.message.encode()
    assert len(refusal.value.message) < 400
    assert refusal.value.exit_code == 2


def test_an_integer_of_thousands_of_digits_is_refused_without_being_printed() -> None:
    with pytest.raises(InvalidValue, match="64 bits") as refusal:
        check_value(10**5000, "here")
    assert len(refusal.value.message) < 200


def test_text_may_take_32_kib_and_no_more() -> None:
    assert check_value("x" * MAX_TEXT, "here") == "x" * MAX_TEXT
    assert check_value(["x" * MAX_TEXT], "here") == ["x" * MAX_TEXT]
    with pytest.raises(InvalidValue):
        check_value(["x" * (MAX_TEXT + 1)], "here")


def test_a_list_or_object_may_take_64_kib_packed_and_no_more() -> None:
    half = "x" * (MAX_TEXT - 3)  # packed: three bytes more
    assert len(msgpack.packb([half, half])) == MAX_PACKED + 1
    with pytest.raises(InvalidValue, match="65,537 bytes; at most 65,536"):
        check_value([half, half], "here")
    assert check_value([half, half[1:]], "here") == [half, half[1:]]


def test_nesting_goes_32_deep_and_no_deeper() -> None:
    def nested(levels: int) -> list[object]:
        value: list[object] = []
        for _ in range(levels - 1):
            value = [value]
        return value

    assert check_value(nested(MAX_DEPTH), "here") == nested(32)
    with pytest.raises(InvalidValue, match="deeper than 32"):
        check_value(nested(33), "here")
    with pytest.raises(InvalidValue, match="deeper than 32"):
        check_value(nested(900), "here")


def test_a_value_that_contains_itself_is_refused() -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(InvalidValue, match="deeper"):
        check_value(loop, "here")
    ring: dict[str, object] = {}
    ring["ring"] = ring
    with pytest.raises(InvalidValue, match="deeper"):
        check_value([ring], "here")


class Doubling(Sequence[object]):
    """A list that holds another one twice, and counts how often it is walked."""

    walks = 0

    def __init__(self, inner: object) -> None:
        self.inner = inner

    def __len__(self) -> int:
        return 2

    @overload
    def __getitem__(self, index: int) -> object: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[object]: ...
    def __getitem__(self, index: int | slice) -> object:
        return self.inner

    def __iter__(self) -> Iterator[object]:
        Doubling.walks += 1
        assert Doubling.walks < 4 * MAX_PACKED, "a value of thirty lists is walked without end"
        yield self.inner
        yield self.inner


def test_a_few_lists_that_stand_for_a_billion_items_are_refused_without_being_spelled_out() -> None:
    """As aliases in a YAML file can: thirty lines, each holding the one before it twice."""
    Doubling.walks = 0
    value: object = "x"
    for _ in range(30):
        value = Doubling(value)
    with pytest.raises(InvalidValue):
        check_value(value, "here")


def test_relatives_of_the_plain_types_become_plain() -> None:
    class Diet(str, enum.Enum):  # noqa: UP042  # what people wrote before StrEnum
        VEGAN = "vegan"

    class Level(enum.IntEnum):
        HIGH = 3

    given = {
        "tuple": (1, (2,)),
        "deque-like": UserList([1]),
        "ordered": OrderedDict(a=UserDict(b=1)),
        "enum": Level.HIGH,
        "float": numpy.float64(1.5),
        "diet": Diet.VEGAN,
    }
    kept = check_value(given, "here")
    assert kept == {
        "tuple": [1, [2]],
        "deque-like": [1],
        "ordered": {"a": {"b": 1}},
        "enum": 3,
        "float": 1.5,
        "diet": "vegan",
    }
    assert msgpack.unpackb(msgpack.packb(kept)) == kept
    assert isinstance(kept, dict)
    assert [type(kept[name]) for name in ("enum", "float", "diet")] == [int, float, str]


def test_the_kept_value_shares_nothing_with_the_one_given() -> None:
    given: dict[str, list[int]] = {"list": [1]}
    kept = check_value(given, "here")
    given["list"].append(2)
    assert kept == {"list": [1]}


def test_an_unordered_or_one_way_container_is_not_taken_for_a_list() -> None:
    for value in ({1}, frozenset({1}), iter([1]), {}.keys(), deque):
        with pytest.raises(InvalidValue):
            check_value(value, "here")
