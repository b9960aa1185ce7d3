"""The secrets of a vault's epochs as the roster carries them: wrapped for each device, the older under the newer ones.

A device that was handed the secrets of one epoch opens those of the epochs before by itself. It seals under the newest
that it has, and reads with all of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final, TypeVar

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from vademecum.errors import CannotDecrypt, InvalidArgument, KeysMissing, MalformedBytes
from vademecum.transport import contexts
from vademecum.transport.history import FIRST_EPOCH
from vademecum.transport.keys import KEY_SIZE, DeviceKeys, DevicePublic, channel_key, hkdf
from vademecum.transport.membership import Roster
from vademecum.transport.padding import pad, unpad
from vademecum.transport.standing import Epoch
from vademecum.transport.statement import Entry
from vademecum.transport.vault_secrets import VaultSecrets

__all__ = [
    "MAX_NAME",
    "at_hand",
    "check_secrets",
    "entry",
    "epoch_of",
    "is_settled",
    "member_name",
    "open_secrets",
    "opened_with",
    "seal_earlier",
    "sealed_name",
    "wrapped",
]

MAX_NAME: Final = 127  # bytes of UTF-8 in a device's name: two padding buckets
_GCM_NONCE: Final = 12

T = TypeVar("T")


def open_secrets(roster: Roster, keys: DeviceKeys) -> VaultSecrets:
    """The secrets that this device was handed: those of the newest epoch, with those of the others beside them.

    Raises:
        UnknownDevice: it is no member and never was.
        CannotDecrypt: the wrap is for other keys, or holds other secrets than the roster's epoch has.
    """
    member = roster.member(keys.device)
    found: dict[bytes, VaultSecrets] = {}
    trouble: CannotDecrypt | None = None
    try:
        secrets = _unwrapped(roster, keys, member.wrap, member.epoch)
        found[epoch_of(roster, secrets, member.epoch).statement] = secrets
    except CannotDecrypt as error:
        trouble = error
    for epoch in sorted(roster.epochs.values(), key=lambda epoch: epoch.number, reverse=True):  # keys lead backwards
        if epoch.statement not in found and keys.device in epoch.wraps:
            try:
                secrets = _unwrapped(roster, keys, epoch.wraps[keys.device], epoch.number)
                check_secrets(roster, secrets, epoch)
                found[epoch.statement] = secrets
            except CannotDecrypt as error:
                trouble = trouble or error
        if epoch.statement in found:
            for its, earlier in _open_earlier(roster, epoch, found[epoch.statement]).items():
                found.setdefault(its, earlier)
    if not found:
        assert trouble is not None  # a member was handed something
        raise trouble
    newest, *others = sorted(found, key=lambda its: roster.epochs[its].rank, reverse=True)
    best = found[newest]
    return VaultSecrets(best.epoch, best.epoch_key, best.naming_key, tuple(found[its] for its in others))


def at_hand(roster: Roster, secrets: VaultSecrets) -> dict[bytes, VaultSecrets]:
    """hash of its statement → secrets, of all epochs of *roster* whose secrets are among *secrets*."""
    return {
        epoch.statement: one
        for epoch in roster.epochs.values()
        for one in secrets.of(epoch.number)
        if one.epoch_check(roster.vault) == epoch.check
    }


def opened_with(secrets: VaultSecrets, epoch: int, channel: bytes, work: Callable[[bytes], T]) -> T:
    """What *work* returns for the channel's key of that epoch; of several with one number, for the first that fits.

    Raises `KeysMissing` where the right key may still come, and what *work* raises.
    """
    trouble: CannotDecrypt | None = None
    for one in secrets.of(epoch):
        try:
            return work(channel_key(one.epoch_key, epoch, channel))
        except CannotDecrypt as error:
            trouble = error
    if trouble is not None and epoch == FIRST_EPOCH:
        raise trouble  # there is one of that number; of others, one that began elsewhere may not be known here yet
    raise KeysMissing(
        f"It is of epoch {epoch}, whose keys this device does not have yet: another device hands them over when it "
        f"next syncs."
    )


def is_settled(roster: Roster, secrets: VaultSecrets) -> bool:
    """Whether the epoch in force is for exactly those who are in the vault, and leads each to all *secrets* at hand.

    Otherwise somebody was revoked, or let in, while an epoch began elsewhere: then an administrator begins another.
    """
    if roster.covered != roster.live:
        return False
    known = at_hand(roster, secrets).keys()
    for device in roster.live:
        opened = {its for one in roster.epochs.values() if device in one.wraps for its in _reach(roster, one.statement)}
        if not known <= opened | _reach(roster, roster.current.statement):
            return False
    return True


def _reach(roster: Roster, statement: bytes) -> set[bytes]:
    """The epochs whose secrets can be opened by who has those of the one that *statement* began; with itself."""
    found: set[bytes] = set()
    waiting = [statement]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += roster.epochs[one].earlier
    return found


def epoch_of(roster: Roster, secrets: VaultSecrets, number: int) -> Epoch:
    """The epoch that *secrets* are of, which must have that number. Raises CannotDecrypt."""
    for epoch in roster.epochs.values():
        if secrets.epoch == number == epoch.number and secrets.epoch_check(roster.vault) == epoch.check:
            return epoch
    raise CannotDecrypt(
        f"The secrets of epoch {secrets.epoch} at hand are not those of epoch {number} of vault {roster.vault.hex()}."
    )


def check_secrets(roster: Roster, secrets: VaultSecrets, epoch: Epoch) -> None:
    """Raises CannotDecrypt unless *secrets* are those of *epoch*."""
    if epoch_of(roster, secrets, epoch.number) is not epoch and secrets.epoch_check(roster.vault) != epoch.check:
        raise CannotDecrypt(f"The secrets at hand are of another epoch {epoch.number} than the one that is meant.")


def _unwrapped(roster: Roster, keys: DeviceKeys, wrap: bytes, epoch: int) -> VaultSecrets:
    plain = keys.unwrap(wrap, _wrap_info(roster.vault, epoch, keys.device))
    try:
        return VaultSecrets.from_bytes(plain)
    except MalformedBytes as error:
        raise CannotDecrypt("The secrets wrapped for this device are not a vault's secrets.") from error


def wrapped(vault: bytes, public: DevicePublic, secrets: VaultSecrets) -> bytes:
    """*secrets*, of their one epoch, for the device *public* alone."""
    return public.wrap(secrets.to_bytes(), _wrap_info(vault, secrets.epoch, public.device))


def seal_earlier(vault: bytes, secrets: VaultSecrets, earlier: list[VaultSecrets]) -> bytes:
    """The keys of the epochs *earlier*, in that order, under the key of the epoch of *secrets*."""
    nonce = os.urandom(_GCM_NONCE)
    plain = b"".join(one.epoch_key for one in earlier)
    return nonce + AESGCM(_earlier_key(vault, secrets)).encrypt(nonce, plain, None)


def _open_earlier(roster: Roster, epoch: Epoch, secrets: VaultSecrets) -> dict[bytes, VaultSecrets]:
    """What of the epochs before can be opened; nothing where it was sealed wrongly."""
    if not epoch.earlier:
        return {}
    nonce, sealed = epoch.earlier_keys[:_GCM_NONCE], epoch.earlier_keys[_GCM_NONCE:]
    try:
        plain = AESGCM(_earlier_key(roster.vault, secrets)).decrypt(nonce, sealed, None)
    except (InvalidTag, ValueError):
        return {}
    if len(plain) != KEY_SIZE * len(epoch.earlier):
        return {}
    found = {}
    for place, its in enumerate(epoch.earlier):
        before = roster.epochs[its]
        key = plain[place * KEY_SIZE : (place + 1) * KEY_SIZE]
        one = VaultSecrets(before.number, key, secrets.naming_key)
        if one.epoch_check(roster.vault) == before.check:
            found[its] = one
    return found


def member_name(roster: Roster, device: bytes, secrets: VaultSecrets) -> str:
    """The name that a device was given.

    Raises:
        UnknownDevice: it is no member and never was.
        CannotDecrypt: the name was sealed in an epoch of which nothing is among `secrets`, or was altered.
    """
    member = roster.member(device)
    nonce, sealed = member.sealed_name[:_GCM_NONCE], member.sealed_name[_GCM_NONCE:]
    for one in secrets.of(member.named_in):
        try:
            return unpad(AESGCM(_name_key(roster.vault, device, one)).decrypt(nonce, sealed, None)).decode("utf-8")
        except (InvalidTag, MalformedBytes, ValueError):
            continue
    raise CannotDecrypt(f"The name of device {device.hex()} cannot be opened with the keys at hand.")


def sealed_name(vault: bytes, device: bytes, name: str, secrets: VaultSecrets) -> bytes:
    """Raises InvalidArgument for a name outside its range."""
    plain = name.encode("utf-8")
    if not 1 <= len(plain) <= MAX_NAME:
        raise InvalidArgument(f"A device's name has 1 to {MAX_NAME} bytes, not {len(plain)}.")
    nonce = os.urandom(_GCM_NONCE)
    return nonce + AESGCM(_name_key(vault, device, secrets)).encrypt(nonce, pad(plain), None)


def entry(vault: bytes, public: DevicePublic, role: str, name: str, secrets: VaultSecrets) -> Entry:
    """A device as a statement brings it in. Raises InvalidArgument for a name outside its range."""
    return Entry(public, role, sealed_name(vault, public.device, name, secrets), wrapped(vault, public, secrets))


def _name_key(vault: bytes, device: bytes, secrets: VaultSecrets) -> bytes:
    return hkdf(secrets.epoch_key, contexts.NAME_KEY + vault + secrets.epoch.to_bytes(4, "big") + device)


def _earlier_key(vault: bytes, secrets: VaultSecrets) -> bytes:
    return hkdf(secrets.epoch_key, contexts.EARLIER_KEYS + vault + secrets.epoch.to_bytes(4, "big"))


def _wrap_info(vault: bytes, epoch: int, device: bytes) -> bytes:
    return contexts.SECRETS_WRAP + vault + epoch.to_bytes(4, "big") + device
