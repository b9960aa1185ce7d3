from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.errors import MalformedBytes
from vademecum.transport.padding import pad, padded_length, unpad


@given(st.binary(max_size=2000))
def test_what_was_padded_comes_back(data: bytes) -> None:
    padded = pad(data)
    assert len(padded) == padded_length(len(data))
    assert unpad(padded) == data


@given(st.integers(0, 1 << 20))
def test_padding_costs_at_most_a_bucket_or_twelve_percent(length: int) -> None:
    padded = padded_length(length)
    assert length < padded
    assert padded <= max(64, length + 64) if padded <= 256 else padded - length - 1 <= 0.12 * length


@given(st.integers(0, 1 << 20))
def test_a_longer_plaintext_is_never_shorter_on_the_wire(length: int) -> None:
    assert padded_length(length) <= padded_length(length + 1)


@pytest.mark.parametrize(("length", "padded"), [(0, 64), (63, 64), (64, 128), (255, 256), (256, 272), (1000, 1024)])
def test_the_steps_are_those_of_the_protocol(length: int, padded: int) -> None:
    assert padded_length(length) == padded


def test_lengths_up_to_128_kib_fall_into_few_steps() -> None:
    assert len({padded_length(length) for length in range(1 << 17)}) == 164


@given(st.binary(max_size=400))
def test_any_bytes_unpad_or_are_malformed(data: bytes) -> None:
    try:
        plain = unpad(data)
    except MalformedBytes:
        return
    assert pad(plain) == data


@pytest.mark.parametrize("data", [b"", bytes(64), b"\x80", pad(b"x") + bytes(64), pad(b"x")[:-1], b"x" * 64])
def test_padding_of_another_form_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedBytes):
        unpad(data)
