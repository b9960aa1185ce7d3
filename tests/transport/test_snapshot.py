"""Contracts of the sealed form of snapshots, beyond the published vectors."""

from __future__ import annotations

import contextlib
import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.transport.family import device
from vademecum.errors import InvalidArgument, MalformedBytes
from vademecum.transport.commit import MAX_COMMIT
from vademecum.transport.snapshot import MAX_DEVICES, join_parts, open_snapshot, parse_part, seal_snapshot

KEY = bytes(32)
FIELDS: dict[str, Any] = {"vault": b"v" * 16, "channel": b"c" * 16, "epoch": 1, "generation": 1, "scope": "user.public"}
FRONTIER = {b"d" * 16: (1, b"h" * 32)}


def sealed(content: bytes, **changed: Any) -> list[bytes]:
    fields = {"frontier": FRONTIER, **FIELDS, **changed}
    return seal_snapshot(device(0), KEY, content=content, entropy=os.urandom, **fields)


def test_a_large_one_is_cut_into_parts_that_fit_a_frame_and_are_joined_again() -> None:
    content = os.urandom(1_700_000)
    many = {number.to_bytes(16, "big"): (number, os.urandom(32)) for number in range(1, MAX_DEVICES + 1)}
    parts = sealed(content, frontier=many)
    assert len(parts) == 4
    assert max(map(len, parts)) < MAX_COMMIT
    assert join_parts(parts, device(0).public).frontier == many
    assert open_snapshot(parts, KEY) == ("user.public", content)


def test_what_cannot_be_written_is_refused() -> None:
    changes: list[dict[str, Any]] = [
        {"frontier": {}},
        {"frontier": {number.to_bytes(16, "big"): (1, bytes(32)) for number in range(MAX_DEVICES + 1)}},
        {"generation": 0},
        {"generation": 1 << 32},
        {"epoch": 0},
        {"scope": ""},
        {"vault": b"short"},
    ]
    for changed in changes:
        with pytest.raises(InvalidArgument):
            sealed(b"", **changed)


def test_the_length_of_a_small_one_says_little() -> None:
    assert len(sealed(b"a")[0]) == len(sealed(b"as long as the other")[0])


PART = sealed(b"content")[0]


@given(st.binary(max_size=600))
def test_any_bytes_are_a_part_or_malformed(data: bytes) -> None:
    with contextlib.suppress(MalformedBytes):
        parse_part(data)


@given(st.integers(0, len(PART) - 1), st.integers(1, 255))
def test_any_altered_part_decodes_or_is_malformed(at: int, change: int) -> None:
    with contextlib.suppress(MalformedBytes):
        parse_part(PART[:at] + bytes([PART[at] ^ change]) + PART[at + 1 :])
