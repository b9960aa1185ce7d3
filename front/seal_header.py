"""How the data key of a sealed vault is kept: wrapped for a passphrase or for a key in the OS keyring, and always for
the recovery phrase. No I/O; `docs/sealed.md` has the format.

The data key is random and derived from nothing. Its check value stands beside every wrap, so that what is opened is
known to be the key, and a wrong one says that it is wrong.
"""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass, replace
from typing import Any, Final

from vademecum.errors import CannotDecrypt, InvalidArgument, MalformedBytes, NewerFormat, WrongKey
from vademecum.storage.sealer import CHECK_SIZE, DATA_KEY_SIZE, Sealer
from vademecum.transport import contexts
from vademecum.transport.keys import KEY_SIZE, DeviceKeys, DevicePublic

__all__ = ["COST", "SALT_SIZE", "WRAP_ENTROPY", "Cost", "Header", "InKeyring", "ToPassphrase"]

FORMAT: Final = 1
SALT_SIZE: Final = 16
WRAP_ENTROPY: Final = 12
"""Random bytes that a wrap takes, its nonce."""
MIN_PASSPHRASE: Final = 8
MAX_PASSPHRASE: Final = 1024
"""Characters of a passphrase."""
_TAG: Final = 16
_WRAPPED: Final = WRAP_ENTROPY + DATA_KEY_SIZE + _TAG


@dataclass(frozen=True, slots=True)
class Cost:
    """What one try at a passphrase costs, by Argon2id: *memory* in KiB, passes over it, lanes."""

    memory: int
    iterations: int
    lanes: int

    def __post_init__(self) -> None:
        # a header is read before anything in it is proven: it must not be able to ask for hours, or all the memory
        if not (8 * self.lanes <= self.memory <= 1 << 21 and 1 <= self.iterations <= 64 and 1 <= self.lanes <= 64):
            raise MalformedBytes(f"The cost of the passphrase, {self}, is out of its range.")


COST: Final = Cost(memory=1 << 16, iterations=3, lanes=4)
"""RFC 9106's second choice: 64 MiB, about 0.2 to 0.4 seconds."""


@dataclass(frozen=True, slots=True)
class ToPassphrase:
    """The data key wrapped under ``Argon2id(passphrase, salt, cost)``."""

    salt: bytes
    cost: Cost
    wrapped: bytes


@dataclass(frozen=True, slots=True)
class InKeyring:
    """The data key wrapped under a random key, which the OS keyring keeps under the name *entry*."""

    entry: str
    wrapped: bytes


@dataclass(frozen=True, slots=True)
class Header:
    """*check* is the data key's; *vault* and *member*, the recovery member's id, are 16 bytes; *recovery* is an HPKE
    wrap for it.
    """

    check: bytes
    vault: bytes
    member: bytes
    recovery: bytes
    way: ToPassphrase | InKeyring

    @classmethod
    def make(cls, data_key: bytes, vault: bytes, recovery: DevicePublic, way: ToPassphrase | InKeyring) -> Header:
        """The header of a vault whose recovery member has the keys *recovery*; *way* is made for the same key."""
        check = Sealer(data_key).check
        wrapped = recovery.wrap(data_key, contexts.SEALED_RECOVERY + vault + check)
        return cls(check, vault, recovery.device, wrapped, way)

    @classmethod
    def from_bytes(cls, data: bytes) -> Header:
        """Reads `to_bytes`. Raises `MalformedBytes`, or `NewerFormat`."""
        try:
            fields = json.loads(data)
            if fields["format"] > FORMAT:
                raise NewerFormat(
                    f"This vault is sealed in format {fields['format']}; this program reads up to {FORMAT}. "
                    f"Install a newer vademecum."
                )
            recovery = fields["recovery"]
            header = cls(
                bytes.fromhex(fields["check"]),
                bytes.fromhex(fields["vault"]),
                bytes.fromhex(recovery["member"]),
                bytes.fromhex(recovery["wrapped"]),
                _read_way(fields),
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise MalformedBytes("The header of the sealed vault is damaged.") from error
        if len(header.check) != CHECK_SIZE or len(header.way.wrapped) != _WRAPPED:
            raise MalformedBytes("The header of the sealed vault is damaged: a field has the wrong length.")
        return header

    def to_bytes(self) -> bytes:
        """JSON, for the person to look at; it holds no secret that does not need a key."""
        if isinstance(self.way, ToPassphrase):
            cost = self.way.cost
            way: dict[str, Any] = {
                "passphrase": {
                    "kdf": "argon2id",
                    "salt": self.way.salt.hex(),
                    "memory_kib": cost.memory,
                    "iterations": cost.iterations,
                    "lanes": cost.lanes,
                    "wrapped": self.way.wrapped.hex(),
                }
            }
        else:
            way = {"keyring": {"entry": self.way.entry, "wrapped": self.way.wrapped.hex()}}
        fields = {
            "format": FORMAT,
            "vault": self.vault.hex(),
            "check": self.check.hex(),
            **way,
            "recovery": {"member": self.member.hex(), "wrapped": self.recovery.hex()},
        }
        return (json.dumps(fields, indent=2) + "\n").encode()

    def rekeyed(self, way: ToPassphrase | InKeyring) -> Header:
        """The same data key, kept in another way."""
        return replace(self, way=way)

    def open_with_passphrase(self, passphrase: str) -> Sealer:
        """Raises `WrongKey`. Takes as long as its cost says."""
        assert isinstance(self.way, ToPassphrase)
        key = derive(passphrase, self.way.salt, self.way.cost)
        return self._checked(
            _unwrap(key, self.way.wrapped, contexts.SEALED_PASSPHRASE + self.check),
            "That is not the passphrase of this vault. Nothing was read.",
        )

    def open_with_keyring(self, key: bytes) -> Sealer:
        """*key* is what the keyring keeps. Raises `WrongKey`."""
        assert isinstance(self.way, InKeyring)
        return self._checked(
            _unwrap(key, self.way.wrapped, contexts.SEALED_KEYRING + self.check),
            f"What the keyring keeps under {self.way.entry!r} is not the key of this vault. "
            f"`vademecum seal --rekey --recovery` opens it with the recovery phrase.",
        )

    def open_with_recovery(self, keys: DeviceKeys) -> Sealer:
        """*keys* are the recovery member's. Raises `WrongKey`."""
        try:
            found = keys.unwrap(self.recovery, contexts.SEALED_RECOVERY + self.vault + self.check)
        except CannotDecrypt:
            found = None
        return self._checked(found, "These words are not the recovery phrase of this vault. Nothing was read.")

    def _checked(self, data_key: bytes | None, otherwise: str) -> Sealer:
        if data_key is None or len(data_key) != DATA_KEY_SIZE:
            raise WrongKey(otherwise)
        sealer = Sealer(data_key)
        if sealer.check != self.check:
            raise WrongKey(otherwise)
        return sealer


def wrap_to_passphrase(data_key: bytes, passphrase: str, *, salt: bytes, nonce: bytes, cost: Cost) -> ToPassphrase:
    """Wraps *data_key* for *passphrase*. Raises `InvalidArgument` for one that is too short or too long."""
    if len(passphrase) < MIN_PASSPHRASE:
        raise InvalidArgument(f"A passphrase has at least {MIN_PASSPHRASE} characters; several words are better still.")
    key = derive(passphrase, salt, cost)
    return ToPassphrase(salt, cost, _wrap(key, data_key, contexts.SEALED_PASSPHRASE, nonce))


def wrap_to_keyring(data_key: bytes, entry: str, key: bytes, *, nonce: bytes) -> InKeyring:
    """Wraps *data_key* under *key*, 32 random bytes that the keyring keeps as *entry*."""
    return InKeyring(entry, _wrap(key, data_key, contexts.SEALED_KEYRING, nonce))


def derive(passphrase: str, salt: bytes, cost: Cost) -> bytes:
    """32 bytes of Argon2id. The passphrase is taken in NFC, so that it does not matter which keyboard typed it."""
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

    if len(passphrase) > MAX_PASSPHRASE:
        raise InvalidArgument(f"A passphrase has at most {MAX_PASSPHRASE} characters.")
    try:
        text = unicodedata.normalize("NFC", passphrase).encode()
    except UnicodeEncodeError:
        raise InvalidArgument("A passphrase is Unicode text; this one is not.") from None
    kdf = Argon2id(salt=salt, length=KEY_SIZE, iterations=cost.iterations, lanes=cost.lanes, memory_cost=cost.memory)
    return kdf.derive(text)


def _wrap(key: bytes, data_key: bytes, context: bytes, nonce: bytes) -> bytes:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return nonce + AESGCM(key).encrypt(nonce, data_key, context + Sealer(data_key).check)


def _unwrap(key: bytes, wrapped: bytes, associated: bytes) -> bytes | None:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        return AESGCM(key).decrypt(wrapped[:WRAP_ENTROPY], wrapped[WRAP_ENTROPY:], associated)
    except (InvalidTag, ValueError):
        return None


def _read_way(fields: dict[str, Any]) -> ToPassphrase | InKeyring:
    found = fields.get("passphrase")
    if found is None:
        held = fields["keyring"]
        if type(held["entry"]) is not str:
            raise TypeError("the entry is not text")
        return InKeyring(held["entry"], bytes.fromhex(held["wrapped"]))
    if found["kdf"] != "argon2id":
        raise NewerFormat(f"This vault's passphrase uses {found['kdf']!r}, which this program does not know.")
    salt = bytes.fromhex(found["salt"])
    if len(salt) != SALT_SIZE:
        raise ValueError("the salt has the wrong length")
    cost = found["memory_kib"], found["iterations"], found["lanes"]
    if any(type(one) is not int for one in cost):
        raise TypeError("a cost is not a number")
    return ToPassphrase(salt, Cost(*cost), bytes.fromhex(found["wrapped"]))
