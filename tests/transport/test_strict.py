from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.errors import MalformedBytes
from vademecum.transport.strict import as_array, as_bool, as_bytes, as_int, as_map, as_text, pack, unpack

plain = st.recursive(
    st.none() | st.booleans() | st.integers(0, (1 << 64) - 1) | st.text(max_size=9) | st.binary(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=9,
)


@given(plain)
def test_a_value_comes_back(value: object) -> None:
    assert unpack(pack(value), "A value", at_most=10_000) == value


@given(st.binary(max_size=200))
def test_any_bytes_unpack_or_are_malformed(data: bytes) -> None:
    try:
        unpack(data, "A value", at_most=150)
    except MalformedBytes:
        return
    assert len(data) <= 150


@pytest.mark.parametrize(
    "data",
    [
        b"",
        pack(1) + pack(2),
        b"\xc1",
        b"\xdd\xff\xff\xff\xff",
        b"\xc6\xff\xff\xff\xff",
        b"\x91" * 5000 + b"\xc0",
        b"\xa1\xff",
        b"\x81\x01\x02",
        b"\xd6\xff",
        msgpack.packb(msgpack.Timestamp(1, 1))[:-1],
    ],
    ids=[
        "nothing",
        "two",
        "never used",
        "huge array",
        "huge bytes",
        "too deep",
        "not UTF-8",
        "int key",
        "cut",
        "cut time",
    ],
)
def test_broken_msgpack_is_malformed(data: bytes) -> None:
    with pytest.raises(MalformedBytes, match=r"A value"):
        unpack(data, "A value", at_most=10_000)


@pytest.mark.parametrize(
    ("reader", "value", "options"),
    [
        (as_array, (1, 2), {}),
        (as_array, [1, 2], {"exactly": 3}),
        (as_array, [1, 2], {"at_most": 1}),
        (as_map, [], {}),
        (as_map, {"a": 1}, {"at_most": 0}),
        (as_bytes, "text", {}),
        (as_bytes, b"12", {"exactly": 3}),
        (as_bytes, b"12", {"at_most": 1}),
        (as_int, True, {}),
        (as_int, 1.0, {}),
        (as_int, -1, {}),
        (as_int, 5, {"at_most": 4}),
        (as_text, b"bytes", {"at_most": 5}),
        (as_text, "", {"at_most": 5}),
        (as_text, "ééé", {"at_most": 5}),
        (as_bool, 1, {}),
    ],
)
def test_a_value_of_another_type_size_or_range_is_malformed(
    reader: Callable[..., object], value: object, options: dict[str, Any]
) -> None:
    with pytest.raises(MalformedBytes, match=r"The field"):
        reader(value, "The field", **options)
