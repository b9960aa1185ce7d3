"""Contracts of the frame codec."""

from __future__ import annotations

import contextlib
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.errors import MalformedBytes
from vademecum.transport import frames
from vademecum.transport.frames import MAX_FRAME, Frame, Unknown, decode, encode, frontier_digest

ID = st.binary(min_size=16, max_size=16)
HASH = st.binary(min_size=32, max_size=32)
SEQ = st.integers(0, (1 << 64) - 1)
BLOB = st.binary(max_size=200)
WORD = st.text(st.characters(codec="ascii"), min_size=1, max_size=64)


def rows(*parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(st.tuples(*parts), max_size=4).map(tuple)


BLOBS = st.lists(BLOB, max_size=4).map(tuple)
GENERATION = st.integers(0, (1 << 32) - 1)
BASE = st.tuples(GENERATION, ID)
FRONTIER = st.dictionaries(ID, st.tuples(SEQ, HASH), max_size=4)
FRAMES: st.SearchStrategy[Frame] = st.one_of(
    st.builds(
        frames.Hello,
        st.lists(st.integers(0, 255), max_size=16).map(tuple),
        ID,
        ID,
        rows().map(lambda _: ("snapshots",)),
    ),
    st.builds(frames.Challenge, st.integers(0, 255), HASH, SEQ, st.none() | HASH),
    st.builds(frames.Prove, st.binary(min_size=64, max_size=64), BLOBS),
    st.builds(frames.Welcome, ID, rows(ID, SEQ, ID), BLOBS, st.dictionaries(WORD, SEQ, max_size=8)),
    st.builds(frames.Pull, ID, ID | st.just(b""), SEQ, st.dictionaries(ID, SEQ, max_size=8), BASE),
    st.builds(frames.Commits, ID, rows(SEQ, SEQ, BLOB)),
    st.builds(frames.End, ID, ID, SEQ, FRONTIER, BASE, GENERATION),
    st.builds(frames.Push, BLOBS),
    st.builds(frames.Accepted, rows(ID, ID, SEQ, SEQ, SEQ)),
    st.builds(frames.Refused, WORD, WORD, st.none() | SEQ, rows(ID, ID, SEQ)),
    st.builds(frames.Live, ID, SEQ, SEQ, BLOB),
    st.builds(frames.Ask),
    st.builds(frames.AskRoster),
    st.builds(frames.Heads, ID, rows(ID, SEQ, ID)),
    st.builds(frames.Offer, BLOB),
    st.builds(frames.Staged, ID, GENERATION),
    st.builds(frames.Renewed, ID, BASE, SEQ),
    st.builds(frames.Declined, ID, GENERATION, WORD, WORD),
    st.builds(frames.Part, ID, BLOB),
    st.builds(frames.Enrol, BLOBS),
    st.builds(frames.Statements, HASH, BLOBS),
    st.builds(frames.Claim, ID, st.integers(0, 1), ID),
    st.builds(frames.Claimed, SEQ),
    st.builds(frames.Put, st.integers(0, 15), BLOB),
    st.builds(frames.Fetch, st.integers(0, 15)),
    st.builds(frames.Letter, st.integers(0, 15), BLOB),
    st.builds(frames.Close),
)
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 64) - 1) | st.binary() | st.text() | st.floats(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.binary(max_size=17), inner, max_size=3),
    max_leaves=20,
)


@given(FRAMES)
def test_every_frame_comes_back_as_it_was_sent(frame: Frame) -> None:
    assert decode(encode(frame)) == frame


@given(FRAMES, st.lists(JUNK, min_size=1, max_size=3))
def test_fields_of_a_later_version_are_ignored(frame: Frame, more: list[Any]) -> None:
    longer = msgpack.packb([*msgpack.unpackb(encode(frame)), *more])
    assert decode(longer) == frame


@given(st.binary(max_size=300))
def test_any_bytes_decode_or_raise_malformed_bytes(data: bytes) -> None:
    with contextlib.suppress(MalformedBytes):
        decode(data)


@given(st.integers(0, 40), st.lists(JUNK, max_size=6))
def test_any_fields_decode_or_raise_malformed_bytes(kind: int, fields: list[Any]) -> None:
    with contextlib.suppress(MalformedBytes):
        decode(msgpack.packb([kind, *fields]))


@given(FRAMES, st.data())
def test_a_truncated_or_extended_frame_is_malformed(frame: Frame, data: st.DataObject) -> None:
    whole = encode(frame)
    with pytest.raises(MalformedBytes):
        decode(whole[: data.draw(st.integers(0, len(whole) - 1))])
    with pytest.raises(MalformedBytes):
        decode(whole + b"\xc0")


def test_an_unknown_optional_kind_is_passed_over_and_an_unknown_mandatory_one_named() -> None:
    assert decode(msgpack.packb([128, "new"])) == Unknown(128)
    with pytest.raises(MalformedBytes, match="kind 99"):
        decode(msgpack.packb([99, "new"]))


def test_a_frame_over_the_limit_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(MalformedBytes, match="at most"):
        decode(bytes(MAX_FRAME + 1))


@given(FRONTIER, FRONTIER, BASE, BASE)
def test_digests_agree_exactly_when_frontiers_and_snapshots_do(
    one: frames.Frontier, other: frames.Frontier, base: frames.Base, another: frames.Base
) -> None:
    assert (frontier_digest(one) == frontier_digest(other)) == (one == other)
    assert (frontier_digest(one, base) == frontier_digest(one, another)) == (base == another)
