"""What a sealed vault's files hold instead of what they mean: values encrypted, names in keys replaced by keyed hashes.

Everything comes from one random 32-byte data key, whose ways to be kept are no concern of this module:

=================  ============================================================================================
subkey for         ``BLAKE2b-256(key = data key, "vademecum/sealed/" ‖ purpose ‖ 00 ‖ table or file)``
a value            purpose ``value``: ``nonce (12 random bytes) ‖ AES-256-GCM(subkey, nonce, plain, aad = stored key)``
a name in a key    purpose ``name``: ``BLAKE2b-128(key = subkey, head of the key ‖ name)``
a file             purpose ``file``: as a value, with empty associated data
the check value    purpose ``check``, of the empty table: its first 16 bytes
=================  ============================================================================================

The key under which a value is stored is bound to it, so values cannot change places; each table has keys of its own, so
neither can they change tables, nor equal names be told from one table to another. With a key for each table, the 2³²
values that random nonces of 96 bits allow are ten writes a second for thirteen years.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from vademecum.errors import DamagedStore, InvalidArgument

from .tables import Table

__all__ = ["CHECK_SIZE", "DATA_KEY_SIZE", "NAME_SIZE", "FileSeal", "Sealer"]

DATA_KEY_SIZE: Final = 32
CHECK_SIZE: Final = 16
NAME_SIZE: Final = 16
_NONCE: Final = 12
_CONTEXT: Final = b"vademecum/sealed/"


class Sealer:
    """The data key at work. Threads may share one.

    Args:
        data_key: 32 secret random bytes.
        entropy: gives that many random bytes; the system's by default, fixed ones in test vectors.
    """

    def __init__(self, data_key: bytes, *, entropy: Callable[[int], bytes] = os.urandom) -> None:
        if len(data_key) != DATA_KEY_SIZE:
            raise InvalidArgument(f"A data key has {DATA_KEY_SIZE} bytes, not {len(data_key)}.")
        self.data_key: Final = data_key
        self.check: Final = _subkey(data_key, b"check", b"")[:CHECK_SIZE]
        """Tells this data key from another, and says nothing of it."""
        self._entropy = entropy
        self._values: dict[Table, AESGCM] = {}
        self._names: dict[Table, bytes] = {}

    def name(self, table: Table, plain: bytes) -> bytes:
        """What stands in a key of *table* for *plain*, the head of the key and the name: 16 bytes."""
        key = self._names.get(table)
        if key is None:
            key = self._names[table] = _subkey(self.data_key, b"name", table.value)
        return hashlib.blake2b(plain, key=key, digest_size=NAME_SIZE).digest()

    def seal(self, table: Table, key: bytes, value: bytes) -> bytes:
        """*value* encrypted for its place, the stored *key* of *table*: 28 bytes longer."""
        nonce = self._entropy(_NONCE)
        return nonce + self._cipher(table).encrypt(nonce, value, key)

    def open(self, table: Table, key: bytes, data: bytes) -> bytes:
        """What `seal` was given. Raises `DamagedStore` if it was altered, or sealed for another place or by another
        key.
        """
        try:
            return self._cipher(table).decrypt(data[:_NONCE], data[_NONCE:], key)
        except (InvalidTag, ValueError) as error:
            raise DamagedStore(
                f"A record in the sealed table {table.value.decode()} is damaged or not in its place. "
                f"It was not used; restore from a backup or join this device to the vault again."
            ) from error

    def file(self, name: str) -> FileSeal:
        """The seal of the small file that is called *name*."""
        return FileSeal(name, _subkey(self.data_key, b"file", name.encode()), self._entropy)

    def _cipher(self, table: Table) -> AESGCM:
        cipher = self._values.get(table)
        if cipher is None:
            cipher = self._values[table] = AESGCM(_subkey(self.data_key, b"value", table.value))
        return cipher

    def __repr__(self) -> str:
        return f"Sealer(check={self.check.hex()})"


class FileSeal:
    """Encrypts one file as a whole."""

    def __init__(self, name: str, key: bytes, entropy: Callable[[int], bytes]) -> None:
        self._name = name
        self._cipher = AESGCM(key)
        self._entropy = entropy

    def seal(self, data: bytes) -> bytes:
        """28 bytes longer than *data*."""
        nonce = self._entropy(_NONCE)
        return nonce + self._cipher.encrypt(nonce, data, None)

    def open(self, data: bytes) -> bytes:
        """What `seal` was given. Raises `DamagedStore` for anything else."""
        try:
            return self._cipher.decrypt(data[:_NONCE], data[_NONCE:], None)
        except (InvalidTag, ValueError) as error:
            raise DamagedStore(f"The sealed file {self._name} is damaged, or another vault's.") from error


def _subkey(data_key: bytes, purpose: bytes, of: bytes) -> bytes:
    return hashlib.blake2b(_CONTEXT + purpose + b"\0" + of, key=data_key, digest_size=32).digest()
