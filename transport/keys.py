"""The keys of one device, and the ids and keys that are derived from others.

A device signs with Ed25519 and receives keys with X-Wing (ML-KEM-768 with X25519), which stays safe as long as either
of its two parts does: what a relay stores may be read decades later. Both private keys are kept as their 32-byte seeds.
Formats and derivations: `docs/protocol.md`.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey, MLKEM768PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hpke import (
    AEAD,
    KDF,
    KEM,
    MLKEM768X25519PrivateKey,
    MLKEM768X25519PublicKey,
    Suite,
)
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from vademecum.errors import BadSignature, CannotDecrypt, InvalidArgument, MalformedBytes
from vademecum.transport import contexts

__all__ = [
    "ID_SIZE",
    "KEY_SIZE",
    "PUBLIC_SIZE",
    "SIGNATURE_SIZE",
    "DeviceKeys",
    "DevicePublic",
    "channel_id",
    "channel_key",
    "fingerprint",
    "hkdf",
    "vault_id",
]

ID_SIZE: Final = 16  # bytes of a vault's, device's or channel's id
KEY_SIZE: Final = 32  # bytes of every symmetric key, seed, and Ed25519 or X25519 public key
SIGNATURE_SIZE: Final = 64

_MLKEM_PUBLIC: Final = 1184
RECEIVING_SIZE: Final = _MLKEM_PUBLIC + KEY_SIZE  # ML-KEM-768 public key ‖ X25519 public key, as X-Wing orders them
PUBLIC_SIZE: Final = KEY_SIZE + RECEIVING_SIZE  # signing ‖ receiving

_MAGIC: Final = b"VK\x01"  # and the version of the format
_CHECK: Final = 16
_FILE_SIZE: Final = len(_MAGIC) + 2 * KEY_SIZE + _CHECK

_HPKE: Final = Suite(KEM.MLKEM768_X25519, KDF.HKDF_SHA256, AEAD.AES_256_GCM)
_PROBE: Final = X25519PrivateKey.from_private_bytes(bytes(range(KEY_SIZE)))  # a fixed key; no secret


@dataclass(frozen=True)
class DevicePublic:
    """The public half of a device's keys. Two are equal when both keys are.

    Args:
        signing: Ed25519 public key, 32 bytes.
        receiving: X-Wing public key, 1,216 bytes.

    Raises:
        MalformedBytes: a key has another length, or nobody could wrap anything for it.
    """

    signing: bytes
    receiving: bytes = field(repr=False)
    device: bytes = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if len(self.signing) != KEY_SIZE or len(self.receiving) != RECEIVING_SIZE:
            raise MalformedBytes(
                f"A device's public keys have {KEY_SIZE} and {RECEIVING_SIZE} bytes, "
                f"not {len(self.signing)} and {len(self.receiving)}."
            )
        digest = hashlib.sha256(contexts.DEVICE_ID + self.signing + self.receiving).digest()
        object.__setattr__(self, "device", digest[:ID_SIZE])
        try:
            # A key that is out of range, or a point of low order, would make every later rotation of keys fail.
            MLKEM768PublicKey.from_public_bytes(self.receiving[:_MLKEM_PUBLIC])
            _PROBE.exchange(X25519PublicKey.from_public_bytes(self.receiving[_MLKEM_PUBLIC:]))
        except ValueError as error:
            raise MalformedBytes(f"Device {self.device.hex()} has a receiving key that is not valid.") from error

    @classmethod
    def from_bytes(cls, data: bytes) -> DevicePublic:
        """Reads `to_bytes`. Raises MalformedBytes."""
        if len(data) != PUBLIC_SIZE:
            raise MalformedBytes(f"A device's public keys are {PUBLIC_SIZE} bytes, not {len(data)}.")
        return cls(data[:KEY_SIZE], data[KEY_SIZE:])

    def to_bytes(self) -> bytes:
        """Signing key ‖ receiving key, 1,248 bytes."""
        return self.signing + self.receiving

    def verify(self, message: bytes, signature: bytes) -> None:
        """Checks that this device signed `message`, which begins with its context.

        Raises:
            BadSignature: it did not.
        """
        try:
            self._verifier.verify(signature, message)
        except InvalidSignature as error:
            raise BadSignature(f"The signature is not device {self.device.hex()}'s for these bytes.") from error

    def wrap(self, plaintext: bytes, info: bytes) -> bytes:
        """`plaintext` encrypted for this device alone, 1,136 bytes longer; `info` is bound to it but not sent.

        Says nothing about who wrapped it: sign whatever carries the result.
        """
        return _HPKE.encrypt(plaintext, self._encapsulator, info=info)

    @cached_property
    def _verifier(self) -> Ed25519PublicKey:
        return Ed25519PublicKey.from_public_bytes(self.signing)

    @cached_property
    def _encapsulator(self) -> MLKEM768X25519PublicKey:
        return MLKEM768X25519PublicKey(
            MLKEM768PublicKey.from_public_bytes(self.receiving[:_MLKEM_PUBLIC]),
            X25519PublicKey.from_public_bytes(self.receiving[_MLKEM_PUBLIC:]),
        )


class DeviceKeys:
    """The secrets of one device.

    Args:
        signing_seed: Ed25519 seed, 32 secret random bytes.
        receiving_seed: X-Wing seed, 32 other secret random bytes.
    """

    def __init__(self, signing_seed: bytes, receiving_seed: bytes) -> None:
        if len(signing_seed) != KEY_SIZE or len(receiving_seed) != KEY_SIZE:
            raise InvalidArgument(f"A seed has {KEY_SIZE} bytes, not {len(signing_seed)} or {len(receiving_seed)}.")
        self._seeds = signing_seed + receiving_seed
        self._signer = Ed25519PrivateKey.from_private_bytes(signing_seed)
        expanded = hashlib.shake_256(receiving_seed).digest(96)  # X-Wing's expandDecapsulationKey
        mlkem = MLKEM768PrivateKey.from_seed_bytes(expanded[:64])
        x25519 = X25519PrivateKey.from_private_bytes(expanded[64:])
        self._decapsulator = MLKEM768X25519PrivateKey(mlkem, x25519)
        self.public: Final = DevicePublic(
            self._signer.public_key().public_bytes_raw(),
            mlkem.public_key().public_bytes_raw() + x25519.public_key().public_bytes_raw(),
        )

    @classmethod
    def generate(cls) -> DeviceKeys:
        """New keys, from the operating system's randomness."""
        return cls(os.urandom(KEY_SIZE), os.urandom(KEY_SIZE))

    @classmethod
    def from_bytes(cls, data: bytes) -> DeviceKeys:
        """Reads `to_bytes`.

        Raises:
            MalformedBytes: not a key file, one of a newer version, or a damaged one.
        """
        if data[:2] != _MAGIC[:2]:
            raise MalformedBytes("These bytes are not a device's keys.")
        if data[2:3] != _MAGIC[2:]:
            raise MalformedBytes("These device keys are of a version that this program does not know.")
        if len(data) != _FILE_SIZE or not hmac.compare_digest(data[-_CHECK:], _check(data[:-_CHECK])):
            raise MalformedBytes("The device's keys are damaged: their check value does not match.")
        seeds = data[len(_MAGIC) : -_CHECK]
        return cls(seeds[:KEY_SIZE], seeds[KEY_SIZE:])

    def to_bytes(self) -> bytes:
        """The secrets in plain, 83 bytes, with a check value. Keep them where only the owner can read."""
        content = _MAGIC + self._seeds
        return content + _check(content)

    @property
    def device(self) -> bytes:
        """The device's id, 16 bytes."""
        return self.public.device

    def sign(self, message: bytes) -> bytes:
        """The 64-byte signature of `message`, which begins with its context (see `contexts`)."""
        return self._signer.sign(message)

    def unwrap(self, wrapped: bytes, info: bytes) -> bytes:
        """What was given to `DevicePublic.wrap` with the same `info`.

        Raises:
            CannotDecrypt: it was wrapped for another device or other `info`, or altered.
        """
        try:
            return _HPKE.decrypt(wrapped, self._decapsulator, info=info)
        except InvalidTag as error:
            raise CannotDecrypt(
                f"A wrapped key cannot be opened with the keys of device {self.device.hex()}."
            ) from error

    def __repr__(self) -> str:
        return f"DeviceKeys(device={self.device.hex()})"


def _check(content: bytes) -> bytes:
    return hashlib.sha256(contexts.DEVICE_KEYS_CHECK + content).digest()[:_CHECK]


def hkdf(key: bytes, info: bytes, *, salt: bytes | None = None) -> bytes:
    """32 bytes of HKDF-SHA-256 of `key`; `info` begins with its context."""
    return HKDF(algorithm=hashes.SHA256(), length=KEY_SIZE, salt=salt, info=info).derive(key)


def vault_id(founder: DevicePublic, salt: bytes) -> bytes:
    """The id of the vault that `founder` founds with `salt` (16 random bytes). It certifies itself."""
    if len(salt) != ID_SIZE:
        raise InvalidArgument(f"The salt of a vault has {ID_SIZE} bytes, not {len(salt)}.")
    return hashlib.sha256(contexts.VAULT_ID + founder.signing + salt).digest()[:ID_SIZE]


def channel_id(naming_key: bytes, scope: str) -> bytes:
    """The id (16 bytes) of the channel that carries `scope`: equal on all devices of a vault, opaque to the relay."""
    return hmac.digest(naming_key, contexts.CHANNEL_ID + scope.encode("utf-8"), "sha256")[:ID_SIZE]


def channel_key(epoch_key: bytes, epoch: int, channel: bytes) -> bytes:
    """The key (32 bytes) of `channel` in `epoch` (1 or more, below 2^32)."""
    return hkdf(epoch_key, contexts.CHANNEL_KEY + epoch.to_bytes(4, "big") + channel)


def fingerprint(vault: bytes, a: bytes, b: bytes) -> str:
    """What both screens show after pairing devices `a` and `b`, in either order: four groups of four digits."""
    digest = hashlib.sha256(contexts.FINGERPRINT + vault + min(a, b) + max(a, b)).digest()
    digits = f"{int.from_bytes(digest, 'big') % 10**16:016d}"
    return " ".join(digits[i : i + 4] for i in range(0, 16, 4))
