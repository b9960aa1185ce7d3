"""A commit on the wire: one device's signed, encrypted batch of changes to one channel.

====================  =====  ==========================================================
field                 bytes  meaning
====================  =====  ==========================================================
magic, suite, kind    4      ``VM``, 1, 1
vault                 16
channel               16
device                16     the author, who signs
epoch                 4      which epoch's key encrypts the body
generation            4      which generation of the scope's document it belongs to
seq                   8      1, 2, 3 … in each (device, channel) chain
previous              32     hash of the author's commit before; zeros for seq 1
nonce                 24     random
commitment            32     binds the body to one key
body                  80 …   AES-256-GCM of the padded plaintext, with its 16-byte tag
signature             64     Ed25519 over the SHA-512 of all before
====================  =====  ==========================================================

Integers are big-endian. No I/O, no state. The reasons for each field: `docs/protocol.md`.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from vademecum.errors import BadSignature, CannotDecrypt, InvalidArgument, MalformedBytes
from vademecum.transport import contexts
from vademecum.transport.keys import ID_SIZE, KEY_SIZE, SIGNATURE_SIZE, DeviceKeys, DevicePublic
from vademecum.transport.padding import BUCKET

__all__ = [
    "HASH_SIZE",
    "MAX_COMMIT",
    "MAX_PLAINTEXT",
    "NONCE_SIZE",
    "NO_PREVIOUS",
    "Header",
    "commit_hash",
    "open_body",
    "parse_header",
    "seal",
    "verify",
]

MAX_COMMIT: Final = 1 << 20  # bytes of a whole sealed commit; also what one message of the relay's store may hold
HASH_SIZE: Final = 32
NONCE_SIZE: Final = 24  # random nonces of this size never meet, even on devices restored from a backup
NO_PREVIOUS: Final = bytes(HASH_SIZE)  # the `previous` of the first commit of a chain

_MAGIC: Final = b"VM"
_SUITE: Final = 1  # HMAC-SHA-512 derivation, AES-256-GCM, Ed25519
_KIND: Final = 1  # a commit
_HEADER: Final = struct.Struct(">2sBB16s16s16sIIQ32s24s32s")
_TAG: Final = 16
MIN_COMMIT: Final = _HEADER.size + BUCKET + _TAG + SIGNATURE_SIZE
MAX_PLAINTEXT: Final = MAX_COMMIT - _HEADER.size - _TAG - SIGNATURE_SIZE  # bytes, padding included

# Each commit has its own key, so the nonce under that key need not vary.
_ZERO_NONCE: Final = bytes(12)


@dataclass(frozen=True, slots=True)
class Header:
    """The plain part of a commit. Nothing of it is proven before `verify`."""

    vault: bytes
    channel: bytes
    device: bytes
    epoch: int
    generation: int
    seq: int
    previous: bytes
    nonce: bytes
    commitment: bytes


def seal(
    keys: DeviceKeys,
    channel_key: bytes,
    *,
    vault: bytes,
    channel: bytes,
    epoch: int,
    generation: int,
    seq: int,
    previous: bytes,
    plaintext: bytes,
    nonce: bytes,
) -> bytes:
    """The sealed commit.

    Args:
        keys: of the author.
        channel_key: 32 bytes, `keys.channel_key` of this epoch and channel.
        vault, channel: ids, 16 bytes each.
        epoch: 1 to 2^32 - 1.
        generation: 0 to 2^32 - 1.
        seq: 1 to 2^64 - 1, the author's last one in this channel plus 1.
        previous: `commit_hash` of the author's last commit in this channel; `NO_PREVIOUS` where seq is 1.
        plaintext: as `body.encode_body` makes it, 64 to `MAX_PLAINTEXT` bytes.
        nonce: 24 bytes from the operating system's randomness, never used before.

    Raises:
        InvalidArgument: an argument is outside its range.
    """
    if len(channel_key) != KEY_SIZE or len(nonce) != NONCE_SIZE or len(previous) != HASH_SIZE:
        raise InvalidArgument("A channel key has 32 bytes, a nonce 24, a commit's hash 32.")
    if len(vault) != ID_SIZE or len(channel) != ID_SIZE:
        raise InvalidArgument("The ids of a vault and of a channel have 16 bytes each.")
    if not (0 < epoch < 1 << 32 and 0 <= generation < 1 << 32 and 0 < seq < 1 << 64):
        raise InvalidArgument(f"Epoch {epoch}, generation {generation} or seq {seq} is outside its range.")
    if (seq == 1) != (previous == NO_PREVIOUS):
        raise InvalidArgument("The first commit of a chain, and no other, has zeros for the previous hash.")
    if not BUCKET <= len(plaintext) <= MAX_PLAINTEXT:
        raise InvalidArgument(f"A commit's body has {BUCKET} to {MAX_PLAINTEXT} bytes, not {len(plaintext)}.")
    key, commitment = _body_key(channel_key, nonce)
    header = _HEADER.pack(
        _MAGIC, _SUITE, _KIND, vault, channel, keys.device, epoch, generation, seq, previous, nonce, commitment
    )
    unsigned = header + AESGCM(key).encrypt(_ZERO_NONCE, plaintext, header)
    return unsigned + keys.sign(_signed_message(unsigned))


def parse_header(data: bytes) -> Header:
    """The header of a whole commit. Checks form and bounds; no cryptography.

    Raises:
        MalformedBytes: wrong magic, a suite or kind that this program does not know, a length out of bounds, an
            epoch or seq of 0, or a first commit that names a previous one (or a later one that names none).
    """
    if not MIN_COMMIT <= len(data) <= MAX_COMMIT:
        raise MalformedBytes(f"A commit has {MIN_COMMIT} to {MAX_COMMIT} bytes, not {len(data)}.")
    magic, suite, kind, vault, channel, device, epoch, generation, seq, previous, nonce, commitment = (
        _HEADER.unpack_from(data)
    )
    if magic != _MAGIC:
        raise MalformedBytes("These bytes are not a commit.")
    if suite != _SUITE or kind != _KIND:
        raise MalformedBytes(
            f"A commit of suite {suite} and kind {kind} is unknown to this program, which knows suite {_SUITE} and "
            f"kind {_KIND}: it may come from a newer one."
        )
    if epoch == 0 or seq == 0:
        raise MalformedBytes("The epoch and the seq of a commit start at 1.")
    if (seq == 1) != (previous == NO_PREVIOUS):
        raise MalformedBytes("The first commit of a chain, and no other, has zeros for the previous hash.")
    return Header(vault, channel, device, epoch, generation, seq, previous, nonce, commitment)


def commit_hash(data: bytes) -> bytes:
    """SHA-256 over the whole commit, 32 bytes: what the author's next commit names as `previous`."""
    return hashlib.sha256(data).digest()


def verify(data: bytes, public: DevicePublic) -> Header:
    """The header, once it is proven that `public`'s device signed this whole commit.

    Says nothing of membership, vault or chain: that is the caller's.

    Raises:
        MalformedBytes: as `parse_header`.
        BadSignature: the commit names another device, or the signature does not match.
    """
    header = parse_header(data)
    if header.device != public.device:
        raise BadSignature(f"The commit is by device {header.device.hex()}, not by {public.device.hex()}.")
    public.verify(_signed_message(data[:-SIGNATURE_SIZE]), data[-SIGNATURE_SIZE:])
    return header


def open_body(data: bytes, channel_key: bytes) -> bytes:
    """The plaintext of a commit, for `body.decode_body`. Call `verify` first: this does not look at the signature.

    Raises:
        MalformedBytes: as `parse_header`.
        CannotDecrypt: another key than the one it was sealed with, or altered bytes.
    """
    header = parse_header(data)
    key, commitment = _body_key(channel_key, header.nonce)
    if not hmac.compare_digest(commitment, header.commitment):
        raise CannotDecrypt(
            f"Commit {header.seq} of device {header.device.hex()} was sealed with another key than the one at hand for "
            f"channel {header.channel.hex()} in epoch {header.epoch}."
        )
    sealed = data[_HEADER.size : -SIGNATURE_SIZE]
    try:
        return AESGCM(key).decrypt(_ZERO_NONCE, sealed, data[: _HEADER.size])
    except InvalidTag as error:
        raise CannotDecrypt(f"Commit {header.seq} of device {header.device.hex()} was altered.") from error


def _body_key(channel_key: bytes, nonce: bytes) -> tuple[bytes, bytes]:
    # The second half commits to the key, which GCM does not: otherwise one ciphertext could open under two keys.
    derived = hmac.digest(channel_key, contexts.COMMIT_KEY + nonce, "sha512")
    return derived[:KEY_SIZE], derived[KEY_SIZE:]


def _signed_message(unsigned: bytes) -> bytes:
    return contexts.COMMIT_SIGNATURE + hashlib.sha512(unsigned).digest()
