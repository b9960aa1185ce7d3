from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.transport.family import device
from vademecum.errors import BadSignature, CannotDecrypt, InvalidArgument, MalformedBytes
from vademecum.transport.keys import DeviceKeys, DevicePublic, channel_id, channel_key, fingerprint, vault_id

ALICE, BOB = device(1), device(2)
FILE = ALICE.to_bytes()


def test_keys_come_back_from_their_file() -> None:
    again = DeviceKeys.from_bytes(FILE)
    assert again.public == ALICE.public
    assert again.device == ALICE.device
    BOB.public.verify(b"hello", DeviceKeys.from_bytes(BOB.to_bytes()).sign(b"hello"))


def test_public_keys_come_back_from_their_bytes() -> None:
    assert DevicePublic.from_bytes(ALICE.public.to_bytes()) == ALICE.public


def test_new_keys_are_new() -> None:
    assert DeviceKeys.generate().device != DeviceKeys.generate().device


def test_the_id_of_a_device_depends_on_both_keys() -> None:
    mixed = DevicePublic(ALICE.public.signing, BOB.public.receiving)
    assert len({ALICE.device, BOB.device, mixed.device}) == 3


@pytest.mark.parametrize("bit", range(0, len(FILE) * 8, 7))
def test_a_damaged_key_file_says_so(bit: int) -> None:
    damaged = bytearray(FILE)
    damaged[bit // 8] ^= 1 << bit % 8
    with pytest.raises(MalformedBytes, match=r"damaged|not a device's keys|version"):
        DeviceKeys.from_bytes(bytes(damaged))


@given(st.binary(max_size=100) | st.binary(max_size=100).map(lambda rest: FILE[:3] + rest))
def test_any_bytes_are_a_key_file_or_malformed(data: bytes) -> None:
    with pytest.raises(MalformedBytes):
        DeviceKeys.from_bytes(data)


@settings(max_examples=50)
@given(st.binary(min_size=1216, max_size=1216) | st.binary(max_size=10))
def test_any_bytes_are_a_receiving_key_or_malformed(receiving: bytes) -> None:
    try:
        public = DevicePublic(ALICE.public.signing, receiving)
    except MalformedBytes:
        return
    public.wrap(b"secret", b"info")


def test_a_receiving_key_of_low_order_is_refused() -> None:
    with pytest.raises(MalformedBytes):
        DevicePublic(ALICE.public.signing, ALICE.public.receiving[:1184] + bytes(32))


def test_a_signature_is_bound_to_its_message_and_its_device() -> None:
    signature = ALICE.sign(b"message")
    ALICE.public.verify(b"message", signature)
    for public, message, signed in (
        (BOB.public, b"message", signature),
        (ALICE.public, b"massage", signature),
        (ALICE.public, b"message", bytes(64)),
        (ALICE.public, b"message", signature[:-1]),
        (ALICE.public, b"message", b""),
    ):
        with pytest.raises(BadSignature):
            public.verify(message, signed)


def test_a_wrap_opens_only_for_its_device_and_info() -> None:
    wrapped = ALICE.public.wrap(b"secret", b"info")
    assert len(wrapped) == len(b"secret") + 1136
    assert ALICE.unwrap(wrapped, b"info") == b"secret"
    for keys, bytes_, info in (
        (BOB, wrapped, b"info"),
        (ALICE, wrapped, b"other"),
        (ALICE, wrapped[:-1], b"info"),
        (ALICE, b"", b"info"),
        (ALICE, bytes(1200), b"info"),
        (ALICE, bytes([wrapped[0] ^ 1]) + wrapped[1:], b"info"),
    ):
        with pytest.raises(CannotDecrypt):
            keys.unwrap(bytes_, info)


def test_secrets_do_not_show_in_a_repr() -> None:
    assert FILE[3:35].hex() not in repr(ALICE)
    assert repr(ALICE) == f"DeviceKeys(device={ALICE.device.hex()})"


def test_seeds_of_another_length_are_refused() -> None:
    with pytest.raises(InvalidArgument):
        DeviceKeys(b"short", bytes(32))


def test_ids_and_keys_differ_by_everything_they_depend_on() -> None:
    assert vault_id(ALICE.public, bytes(16)) != vault_id(ALICE.public, b"s" * 16) != vault_id(BOB.public, b"s" * 16)
    assert channel_id(b"n" * 32, "user.public") != channel_id(b"n" * 32, "user.private")
    assert channel_id(b"n" * 32, "user.public") != channel_id(b"m" * 32, "user.public")
    channel, other = hashlib.sha256(b"c").digest()[:16], hashlib.sha256(b"d").digest()[:16]
    keys = {channel_key(key, epoch, c) for key in (b"e" * 32, b"f" * 32) for epoch in (1, 2) for c in (channel, other)}
    assert len(keys) == 8


def test_both_screens_show_the_same_fingerprint() -> None:
    vault = vault_id(ALICE.public, bytes(16))
    shown = fingerprint(vault, ALICE.device, BOB.device)
    assert shown == fingerprint(vault, BOB.device, ALICE.device)
    assert shown != fingerprint(vault, ALICE.device, device(3).device)
    assert shown != fingerprint(bytes(16), ALICE.device, BOB.device)
    assert [len(group) for group in shown.split(" ")] == [4, 4, 4, 4]
    assert shown.replace(" ", "").isdecimal()
