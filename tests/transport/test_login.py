from __future__ import annotations

from typing import Any

import pytest

from tests.transport.family import AT, device
from vademecum.errors import BadSignature, InvalidArgument
from vademecum.transport.login import check_login, origin_of, sign_login

ALICE = device(1)
CHALLENGE: dict[str, Any] = {"origin": "relay.example:443", "vault": b"v" * 16, "nonce": b"n" * 32, "expiry_ms": AT}
PROOF = sign_login(ALICE, **CHALLENGE)


def test_a_device_proves_itself() -> None:
    check_login(ALICE.public, PROOF, **CHALLENGE, now_ms=AT - 1)


@pytest.mark.parametrize(
    "other",
    [{"origin": "evil.example:443"}, {"vault": b"w" * 16}, {"nonce": b"m" * 32}, {"expiry_ms": AT + 1}],
    ids=lambda other: next(iter(other)),
)
def test_a_proof_answers_one_challenge_only(other: dict[str, Any]) -> None:
    with pytest.raises(BadSignature):
        check_login(ALICE.public, PROOF, **{**CHALLENGE, **other}, now_ms=AT - 1)


def test_a_proof_is_one_device_s() -> None:
    with pytest.raises(BadSignature):
        check_login(device(2).public, PROOF, **CHALLENGE, now_ms=AT - 1)


def test_a_proof_that_comes_too_late_is_refused() -> None:
    with pytest.raises(BadSignature, match="expired"):
        check_login(ALICE.public, PROOF, **CHALLENGE, now_ms=AT)


def test_a_challenge_of_another_size_is_not_signed() -> None:
    with pytest.raises(InvalidArgument):
        sign_login(ALICE, **{**CHALLENGE, "nonce": b"short"})


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://Relay.Example", "relay.example:443"),
        ("wss://relay.example/v1/sync", "relay.example:443"),
        ("http://127.0.0.1:8765/", "127.0.0.1:8765"),
        ("ws://relay.example", "relay.example:80"),
        ("http://[::1]:8765", "[::1]:8765"),
    ],
)
def test_addresses_of_one_relay_have_one_origin(url: str, origin: str) -> None:
    assert origin_of(url) == origin


@pytest.mark.parametrize(
    "url", ["relay.example", "ftp://relay.example", "https://", "http://host:port", "http://[::1", ""]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(InvalidArgument):
        origin_of(url)
