"""Padding that hides the exact length of what is encrypted.

Lengths up to 256 bytes are rounded up to a multiple of 64; above that Padmé is used, whose length keeps only as many
significant bits as its exponent needs, which costs at most 12 %. The padding itself is one byte 0x80 and then zeros
(ISO/IEC 7816-4). A given plaintext has exactly one padded form, and `unpad` accepts no other.
"""

from __future__ import annotations

from typing import Final

from vademecum.errors import MalformedBytes

__all__ = ["pad", "padded_length", "unpad"]

BUCKET: Final = 64  # bytes; the rounding of small plaintexts
SMALL: Final = 256  # bytes; where Padmé takes over, so that its own steps (16 bytes here) are not finer than is useful

_MARK: Final = b"\x80"


def padded_length(length: int) -> int:
    """The length of `length` bytes (0 or more) once padded; always greater than `length`."""
    needed = length + 1
    if needed <= SMALL:
        return -(-needed // BUCKET) * BUCKET
    exponent = needed.bit_length() - 1
    free_bits = exponent - exponent.bit_length()
    step = 1 << free_bits
    return -(-needed // step) * step


def pad(data: bytes) -> bytes:
    """`data` with its padding."""
    return (data + _MARK).ljust(padded_length(len(data)), b"\x00")


def unpad(data: bytes) -> bytes:
    """The bytes given to `pad`.

    Raises:
        MalformedBytes: `data` is not what `pad` makes of any bytes.
    """
    marked = data.rstrip(b"\x00")
    if not marked.endswith(_MARK) or len(data) != padded_length(len(marked) - 1):
        raise MalformedBytes(f"The padding of {len(data)} decrypted bytes is not valid.")
    return marked[:-1]
