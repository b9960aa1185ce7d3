from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from vademecum.errors import InvalidArgument, MalformedBytes
from vademecum.transport.body import MAX_CONTENT, SAFE_CHANGES, Body, decode_body, encode_body
from vademecum.transport.commit import MAX_PLAINTEXT
from vademecum.transport.padding import pad, padded_length

ids = st.binary(min_size=16, max_size=16)
seqs = st.integers(1, (1 << 64) - 1)
bodies = st.builds(
    Body,
    scope=st.text(min_size=1, max_size=60),
    changes=st.binary(max_size=500) | st.integers(0, 3000).map(lambda size: b"z" * size),
    frontier=st.dictionaries(ids, st.tuples(seqs, st.binary(min_size=8, max_size=8)), max_size=5),
    relay_head=st.none() | st.tuples(ids, st.integers(0, (1 << 64) - 1)),
)


@given(bodies)
def test_a_body_comes_back(body: Body) -> None:
    encoded = encode_body(body)
    assert decode_body(encoded) == body
    assert len(encoded) % 16 == 0


def test_repetitive_changes_are_compressed_and_random_ones_stored() -> None:
    assert len(encode_body(Body("s", b"z" * 100_000, {}))) < 200
    assert len(encode_body(Body("s", os.urandom(100_000), {}))) == padded_length(100_000 + 6)


@given(st.binary(max_size=300).map(pad) | st.binary(max_size=300))
def test_any_bytes_are_a_body_or_malformed(data: bytes) -> None:
    try:
        decode_body(data)
    except MalformedBytes:
        return


@given(bodies, st.data())
def test_an_altered_body_is_a_body_or_malformed(body: Body, data: st.DataObject) -> None:
    altered = bytearray(encode_body(body))
    altered[data.draw(st.integers(0, len(altered) - 1))] = data.draw(st.integers(0, 255))
    try:
        decode_body(bytes(altered))
    except MalformedBytes:
        return


def stored(content: bytes) -> bytes:
    return pad(b"\x00" + content)


def compressed(content: bytes, **options: Any) -> bytes:
    return pad(b"\x01" + zstandard.ZstdCompressor(**options).compress(content))


@pytest.mark.parametrize(
    "data",
    [
        pad(b""),
        pad(b"\x02" + b"\x01\x01s\x00\x00"),
        stored(b""),
        stored(b"\x02\x01s\x00\x00"),
        stored(b"\x01\x00\x00\x00"),
        stored(b"\x01\x05s"),
        stored(b"\x01\x02\xff\xff\x00\x00"),
        stored(b"\x01\x01s\x01" + bytes(16)),
        stored(b"\x01\x01s\x81\x00\x00"),
        stored(b"\x01\x01s\x02" + 2 * (b"d" * 16 + bytes(8) + b"\x01") + b"\x00"),
        stored(b"\x01\x01s\x02" + b"e" * 16 + bytes(8) + b"\x01" + b"d" * 16 + bytes(8) + b"\x01" + b"\x00"),
        stored(b"\x01\x01s\x01" + b"d" * 16 + bytes(8) + b"\x00" + b"\x00"),
        stored(b"\x01\x01s\x01" + b"d" * 16 + bytes(8) + b"\xff" * 9 + b"\x02" + b"\x00"),
        stored(b"\x01\x01s\x00\x02"),
        compressed(b"\x01\x01s\x00\x00")[:-1],
        compressed(b"\x01\x01s\x00\x00" + bytes(100), write_content_size=False),
        pad(b"\x01" + b"\x50\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"\x01\x01s\x00\x00"),
        pad(b"\x01" + zstandard.ZstdCompressor().compress(b"\x01\x01s\x00\x00") + b"more"),
    ],
    ids=[
        "empty",
        "unknown method",
        "no content",
        "unknown version",
        "no scope",
        "scope cut",
        "scope not UTF-8",
        "frontier cut",
        "varint not shortest",
        "device twice",
        "devices not sorted",
        "seq 0",
        "seq over 64 bits",
        "head flag 2",
        "padding cut",
        "size not stated",
        "skippable frame",
        "bytes after the frame",
    ],
)
def test_a_body_of_another_form_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedBytes):
        decode_body(data)


def test_a_body_that_unpacks_to_too_much_is_refused_before_it_is_unpacked() -> None:
    with pytest.raises(MalformedBytes, match=str(MAX_CONTENT)):
        decode_body(compressed(b"\x01\x01s\x00\x00" + bytes(MAX_CONTENT)))


def test_twenty_thousand_leaves_that_compress_fit_in_one_commit() -> None:
    leaves = json.dumps(
        [{"path": f"people.alice.facts.{i}", "value": i % 97, "at": 1_790_000_000_000 + i} for i in range(20_000)]
    )
    body = Body("user.public", (leaves * 4).encode()[:5_000_000], {})
    encoded = encode_body(body)
    assert len(encoded) <= MAX_PLAINTEXT
    assert decode_body(encoded) == body


def test_changes_of_the_safe_size_always_fit() -> None:
    frontier = {os.urandom(16): ((1 << 64) - 1, os.urandom(8)) for _ in range(1024)}
    body = Body("s" * 255, os.urandom(SAFE_CHANGES), frontier, (os.urandom(16), (1 << 64) - 1))
    assert len(encode_body(body)) <= MAX_PLAINTEXT


@pytest.mark.parametrize(
    "body",
    [
        Body("", b"", {}),
        Body("s" * 256, b"", {}),
        Body("s", b"", {b"short": (1, bytes(8))}),
        Body("s", b"", {bytes(16): (1, bytes(32))}),
        Body("s", b"", {bytes(16): (1 << 64, bytes(8))}),
        Body("s", b"", {bytes(16): (0, bytes(8))}),
        Body("s", b"", {}, (b"short", 1)),
        Body("s", b"", {}, (bytes(16), -1)),
        Body("s", b"", {i.to_bytes(16, "big"): (1, bytes(8)) for i in range(1025)}),
        Body("s", bytes(MAX_CONTENT), {}),
        Body("s", os.urandom(1 << 20), {}),
    ],
    ids=lambda body: body.scope[:3],
)
def test_what_does_not_fit_is_refused(body: Body) -> None:
    with pytest.raises(InvalidArgument):
        encode_body(body)


def test_threads_may_encode_and_decode_at_once() -> None:
    def work(number: int) -> bool:
        body = Body("s", bytes([number]) * 50_000 + os.urandom(500), {})
        return all(decode_body(encode_body(body)) == body for _ in range(20))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(16)))
