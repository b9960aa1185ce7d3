"""The code that a person reads on one device and types on the other: ``K7QM-3F9X-2P``.

Ten characters of Crockford's base 32. The first four name the mailbox in which both sides meet and are no secret; the
other six are 30 secret bits, of which whoever carries the messages gets one guess. Small letters, spaces and dashes in
other places, and O for 0, I or L for 1 are forgiven.
"""

from __future__ import annotations

import hashlib
from typing import Final

from vademecum.errors import InvalidArgument, PairingFailed
from vademecum.transport import contexts
from vademecum.transport.keys import ID_SIZE

__all__ = ["CODE_ENTROPY", "mailbox_id", "new_code", "normal_code", "secret_part"]

CODE_ENTROPY: Final = 7  # bytes of randomness that `new_code` takes; 50 bits are used

_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LENGTH: Final = 10
_PUBLIC: Final = 4  # characters that name the mailbox
_FORGIVEN: Final = str.maketrans({"O": "0", "I": "1", "L": "1", "-": None, " ": None})


def new_code(entropy: bytes) -> str:
    """The code for 7 bytes from the operating system's randomness.

    Raises:
        InvalidArgument: `entropy` has another length.
    """
    if len(entropy) != CODE_ENTROPY:
        raise InvalidArgument(f"A pairing code is made of {CODE_ENTROPY} random bytes, not {len(entropy)}.")
    number = int.from_bytes(entropy, "big")
    return _grouped("".join(_ALPHABET[number >> 5 * i & 31] for i in range(_LENGTH)))


def normal_code(typed: str) -> str:
    """`typed` as `new_code` would have written it.

    Raises:
        PairingFailed: no typing error that is forgiven makes it a code.
    """
    plain = typed.strip().upper().translate(_FORGIVEN)
    if len(plain) != _LENGTH or any(character not in _ALPHABET for character in plain):
        raise PairingFailed(f"{typed!r} is not a pairing code: one has ten letters and digits, like K7QM-3F9X-2P.")
    return _grouped(plain)


def mailbox_id(code: str) -> bytes:
    """The 16-byte id of the mailbox of a code. Raises PairingFailed as `normal_code`."""
    public = _plain(code)[:_PUBLIC]
    return hashlib.sha256(contexts.MAILBOX_ID + public.encode("ascii")).digest()[:ID_SIZE]


def secret_part(code: str) -> bytes:
    """The password of a code. Raises PairingFailed as `normal_code`."""
    return _plain(code)[_PUBLIC:].encode("ascii")


def _plain(code: str) -> str:
    return normal_code(code).replace("-", "")


def _grouped(plain: str) -> str:
    return f"{plain[:4]}-{plain[4:8]}-{plain[8:]}"
