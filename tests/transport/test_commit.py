from __future__ import annotations

import dataclasses
import os
import secrets
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.transport.family import device
from vademecum.errors import BadSignature, CannotDecrypt, InvalidArgument, MalformedBytes
from vademecum.transport.body import Body, decode_body, encode_body
from vademecum.transport.commit import (
    MAX_COMMIT,
    MAX_PLAINTEXT,
    NO_PREVIOUS,
    commit_hash,
    open_body,
    parse_header,
    seal,
    verify,
)

ALICE, BOB = device(1), device(2)
VAULT, CHANNEL, KEY = b"v" * 16, b"c" * 16, b"k" * 32
BODY = Body("user.public", b"one leaf", {})


def make(**changes: Any) -> bytes:
    fields: dict[str, Any] = {
        "vault": VAULT,
        "channel": CHANNEL,
        "epoch": 1,
        "generation": 0,
        "seq": 1,
        "previous": NO_PREVIOUS,
        "plaintext": encode_body(BODY),
        "nonce": b"x" * 24,
    }
    return seal(ALICE, KEY, **{**fields, **changes})


COMMIT = make()


def read(data: bytes) -> Body:
    verify(data, ALICE.public)
    return decode_body(open_body(data, KEY))


def test_a_commit_comes_back() -> None:
    second = make(seq=2, previous=commit_hash(COMMIT), generation=7, epoch=3)
    header = verify(second, ALICE.public)
    assert (header.vault, header.channel, header.device) == (VAULT, CHANNEL, ALICE.device)
    assert (header.epoch, header.generation, header.seq) == (3, 7, 2)
    assert header.previous == commit_hash(COMMIT)
    assert read(second) == BODY


def test_every_flipped_bit_is_refused() -> None:
    for bit in range(len(COMMIT) * 8):
        altered = bytearray(COMMIT)
        altered[bit // 8] ^= 1 << bit % 8
        with pytest.raises((BadSignature, MalformedBytes)):
            verify(bytes(altered), ALICE.public)


def test_without_the_signature_every_flipped_bit_is_still_refused_by_the_key() -> None:
    for bit in range((len(COMMIT) - 64) * 8):
        altered = bytearray(COMMIT)
        altered[bit // 8] ^= 1 << bit % 8
        with pytest.raises((CannotDecrypt, MalformedBytes)):
            open_body(bytes(altered), KEY)


@pytest.mark.parametrize("altered", [COMMIT[:-1], COMMIT + b"\x00", COMMIT[:156], COMMIT[1:], b"", COMMIT * 2])
def test_a_cut_or_lengthened_commit_is_refused(altered: bytes) -> None:
    with pytest.raises((BadSignature, MalformedBytes)):
        verify(altered, ALICE.public)


def test_another_device_s_commit_is_not_taken_for_one_s_own() -> None:
    with pytest.raises(BadSignature, match=ALICE.device.hex()):
        verify(COMMIT, BOB.public)


def test_another_signature_of_the_same_device_does_not_fit() -> None:
    other = make(generation=1)
    with pytest.raises(BadSignature):
        verify(COMMIT[:-64] + other[-64:], ALICE.public)


def test_a_wrong_key_says_that_it_is_wrong() -> None:
    with pytest.raises(CannotDecrypt, match="another key"):
        open_body(COMMIT, b"w" * 32)


def test_two_commits_with_fresh_nonces_share_no_ciphertext() -> None:
    one, other = make(nonce=os.urandom(24)), make(nonce=os.urandom(24))
    assert one[156:-64] != other[156:-64]


@given(st.binary(max_size=600) | st.binary(max_size=600).map(lambda rest: COMMIT[:4] + rest.ljust(400, b"\0")))
def test_any_bytes_parse_or_are_malformed(data: bytes) -> None:
    try:
        header = parse_header(data)
    except MalformedBytes:
        return
    assert header.seq >= 1
    with pytest.raises(BadSignature):
        verify(data, ALICE.public)
    with pytest.raises(CannotDecrypt):
        open_body(data, KEY)


@pytest.mark.parametrize(
    ("at", "value", "sentence"),
    [
        (0, b"X", "not a commit"),
        (2, b"\x02", "suite 2"),
        (3, b"\x09", "kind 9"),
        (52, bytes(4), "epoch"),
        (60, bytes(8), "seq"),
    ],
)
def test_a_header_of_another_form_is_refused_by_name(at: int, value: bytes, sentence: str) -> None:
    with pytest.raises(MalformedBytes, match=sentence):
        parse_header(COMMIT[:at] + value + COMMIT[at + len(value) :])


def test_the_first_commit_of_a_chain_and_no_other_names_no_previous() -> None:
    second = make(seq=2, previous=commit_hash(COMMIT))
    for whole, at, value in ((COMMIT, 68, b"p" * 32), (second, 68, bytes(32))):
        with pytest.raises(MalformedBytes, match="first commit"):
            parse_header(whole[:at] + value + whole[at + 32 :])


@pytest.mark.parametrize(
    "changes",
    [
        {"vault": b"short"},
        {"channel": b""},
        {"epoch": 0},
        {"epoch": 1 << 32},
        {"generation": -1},
        {"seq": 0},
        {"seq": 2},
        {"previous": b"p" * 32},
        {"previous": b""},
        {"nonce": bytes(12)},
        {"plaintext": b""},
        {"plaintext": bytes(MAX_PLAINTEXT + 1)},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_what_cannot_be_sealed_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        make(**changes)


def test_the_largest_commit_is_a_mebibyte() -> None:
    largest = make(plaintext=secrets.token_bytes(MAX_PLAINTEXT))
    assert len(largest) == MAX_COMMIT
    verify(largest, ALICE.public)
    with pytest.raises(MalformedBytes, match="1048576"):
        parse_header(largest + b"\x00")


@pytest.mark.parametrize(("changes", "frontier", "size"), [(150, 0, 428), (150, 1, 428), (230, 0, 492), (230, 1, 508)])
def test_a_one_leaf_edit_is_small_on_the_wire(changes: int, frontier: int, size: int) -> None:
    seen = {os.urandom(16): (100 + i, os.urandom(8)) for i in range(frontier)}
    sealed = make(plaintext=encode_body(dataclasses.replace(BODY, changes=os.urandom(changes), frontier=seen)))
    assert len(sealed) == size
