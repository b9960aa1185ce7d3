"""What every member of a vault shares: the key of an epoch and the naming key, each under a check value.

Keys of epochs that are over are kept: what was sealed under them is still read.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from typing import Final

from vademecum.errors import InvalidArgument, MalformedBytes
from vademecum.transport import contexts
from vademecum.transport.keys import KEY_SIZE

__all__ = ["CHECK_SIZE", "VaultSecrets"]

CHECK_SIZE: Final = 16  # bytes of every check value

_MAGIC: Final = b"VS\x01"  # and the version of the format
_EPOCH_END: Final = len(_MAGIC) + 4
_SIZE: Final = _EPOCH_END + 2 * KEY_SIZE + CHECK_SIZE


@dataclass(frozen=True)
class VaultSecrets:
    """The secrets of one epoch.

    Args:
        epoch: 1 or more.
        epoch_key: 32 bytes; all channel keys of the epoch are derived from it.
        naming_key: 32 bytes, made with the vault and never changed; gives channels their ids.
        others: what is at hand of other epochs; two that began at the same time have one number.
    """

    epoch: int
    epoch_key: bytes = field(repr=False)
    naming_key: bytes = field(repr=False)
    others: tuple[VaultSecrets, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 0 < self.epoch < 1 << 32:
            raise InvalidArgument(f"An epoch is 1 to 2^32 - 1, not {self.epoch}.")
        if len(self.epoch_key) != KEY_SIZE or len(self.naming_key) != KEY_SIZE:
            raise InvalidArgument(f"The epoch key and the naming key have {KEY_SIZE} bytes each.")

    @classmethod
    def from_bytes(cls, data: bytes) -> VaultSecrets:
        """Reads `to_bytes`.

        Raises:
            MalformedBytes: not a vault's secrets, a newer version of them, or damaged ones.
        """
        if data[:2] != _MAGIC[:2]:
            raise MalformedBytes("These bytes are not a vault's secrets.")
        if data[2:3] != _MAGIC[2:]:
            raise MalformedBytes("These vault secrets are of a version that this program does not know.")
        content, check = data[:-CHECK_SIZE], data[-CHECK_SIZE:]
        if len(data) != _SIZE or not hmac.compare_digest(check, _check(content)):
            raise MalformedBytes("The vault's secrets are damaged: their check value does not match.")
        epoch = int.from_bytes(data[len(_MAGIC) : _EPOCH_END], "big")
        if epoch == 0:
            raise MalformedBytes("The vault's secrets name epoch 0; epochs start at 1.")
        keys = data[_EPOCH_END:-CHECK_SIZE]
        return cls(epoch, keys[:KEY_SIZE], keys[KEY_SIZE:])

    def of(self, epoch: int) -> tuple[VaultSecrets, ...]:
        """All that is at hand of the epochs with that number: nearly always one, or none."""
        return tuple(one for one in (self, *self.others) if one.epoch == epoch)

    def to_bytes(self) -> bytes:
        """The secrets in plain, 87 bytes, with a check value."""
        content = _MAGIC + self.epoch.to_bytes(4, "big") + self.epoch_key + self.naming_key
        return content + _check(content)

    def epoch_check(self, vault: bytes) -> bytes:
        """The public check value (16 bytes) of this epoch: who is handed other keys than these can tell."""
        message = contexts.EPOCH_CHECK + vault + self.epoch.to_bytes(4, "big") + self.naming_key
        return hmac.digest(self.epoch_key, message, "sha256")[:CHECK_SIZE]


def _check(content: bytes) -> bytes:
    return hashlib.sha256(contexts.SECRETS_CHECK + content).digest()[:CHECK_SIZE]
