"""A snapshot on the wire: the whole of one channel at a frontier, cut into sealed parts that any device may carry.

====================  ======  ==========================================================
field                 bytes   meaning
====================  ======  ==========================================================
magic, suite, kind    4       ``VM``, 1, 2
vault                 16
channel               16
device                16      the author, who signs
epoch                 4       which epoch's key encrypts the body
generation            4       which generation it begins; 1 or more
index, count          4 + 4   which part of how many; the first is 0
previous              32      hash of the part before; zeros for the first
nonce                 24      random, another one for each part
commitment            32      binds the body to one key
entries               2       how many entries follow; 0 in all parts but the first
frontier              56 × n  device 16 · seq 8 · hash 32 of the last commit contained, sorted by device
body                  80 …    AES-256-GCM of a padded slice, with its 16-byte tag
signature             64      Ed25519 over the SHA-512 of all before
====================  ======  ==========================================================

The slices joined are one zstd frame that states its size; in it: version 1 · scope's length 1 · scope · the engine's
bytes. Each part names the one before, so the hash of the last stands for all of them; its first 16 bytes are the
snapshot's id. The frontier is plain because a relay decides by it, and it holds nothing that a relay has not been told
by the commits themselves. No I/O, no state. The reasons for each field: `docs/protocol.md`.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import zstandard
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from vademecum.errors import BadSignature, CannotDecrypt, InvalidArgument, InvalidSnapshot, MalformedBytes
from vademecum.transport import contexts
from vademecum.transport.commit import HASH_SIZE, MAX_COMMIT, NONCE_SIZE, commit_hash
from vademecum.transport.keys import ID_SIZE, KEY_SIZE, SIGNATURE_SIZE, DeviceKeys, DevicePublic
from vademecum.transport.padding import BUCKET, pad, unpad

__all__ = [
    "MAX_PARTS",
    "MAX_SNAPSHOT",
    "NO_SNAPSHOT",
    "Part",
    "join_parts",
    "open_snapshot",
    "parse_part",
    "seal_snapshot",
    "snapshot_id",
    "verify_part",
]

MAX_PARTS: Final = 256
MAX_SNAPSHOT: Final = 128 << 20  # bytes before compression; what a reader is ready to hold for one scope
MAX_DEVICES: Final = 1024  # entries of a frontier, as in a commit's body
SLICE: Final = 507_903  # bytes of one part's slice; the longest whose padding adds one byte only, near half of a frame
NO_SNAPSHOT: Final = bytes(ID_SIZE)  # the id that stands for the beginning, before any snapshot

_MAGIC: Final = b"VM"
_SUITE: Final = 1
_KIND: Final = 2  # a part of a snapshot
_HEADER: Final = struct.Struct(">2sBB16s16s16sIIII32s24s32sH")
_ENTRY: Final = struct.Struct(">16sQ32s")
_TAG: Final = 16
_MIN_PART: Final = _HEADER.size + BUCKET + _TAG + SIGNATURE_SIZE
_FIRST: Final = bytes(HASH_SIZE)
_ZERO_NONCE: Final = bytes(12)  # each part has a key of its own, as each commit has
_VERSION: Final = b"\x01"
_LEVEL: Final = 9  # a snapshot is made seldom and fetched by many
_UNKNOWN_SIZE: Final = (0, zstandard.CONTENTSIZE_UNKNOWN, zstandard.CONTENTSIZE_ERROR)


@dataclass(frozen=True)
class Part:
    """The plain fields of a part. Nothing of it is proven before `verify_part`."""

    vault: bytes
    channel: bytes
    device: bytes
    epoch: int
    generation: int
    index: int
    count: int
    previous: bytes
    nonce: bytes
    commitment: bytes
    frontier: Mapping[bytes, tuple[int, bytes]]

    @property
    def complete(self) -> bool:
        """Whether this is the last part."""
        return self.index == self.count - 1

    def follows(self, before: Part, its_hash: bytes) -> bool:
        """Whether this part is the next one after *before*, whose hash is *its_hash*."""
        same = ("vault", "channel", "device", "epoch", "generation", "count")
        return (
            self.index == before.index + 1
            and self.previous == its_hash
            and all(getattr(self, name) == getattr(before, name) for name in same)
        )


def seal_snapshot(
    keys: DeviceKeys,
    channel_key: bytes,
    *,
    vault: bytes,
    channel: bytes,
    epoch: int,
    generation: int,
    frontier: Mapping[bytes, tuple[int, bytes]],
    scope: str,
    content: bytes,
    entropy: Callable[[int], bytes],
) -> list[bytes]:
    """All parts of a snapshot, in order. O(bytes).

    Args:
        keys: of the author.
        channel_key: 32 bytes, `keys.channel_key` of this epoch and channel.
        vault, channel: ids, 16 bytes each.
        epoch: 1 to 2^32 - 1.
        generation: 1 to 2^32 - 1.
        frontier: device → (seq from 1, hash) of the last commit contained; 1 to `MAX_DEVICES` entries.
        scope: its name, 1 to 255 bytes.
        content: the engine's bytes, up to `MAX_SNAPSHOT` less what the name takes.
        entropy: gives so many random bytes; asked for one nonce of each part.

    Raises:
        InvalidArgument: an argument is outside its range, or the whole takes more than `MAX_PARTS` parts.
    """
    name = scope.encode()
    if not 1 <= len(name) <= 255 or not 1 <= len(frontier) <= MAX_DEVICES:
        raise InvalidArgument("A snapshot has a scope's name of 1 to 255 bytes and a frontier of 1 to 1,024 devices.")
    if len(channel_key) != KEY_SIZE or len(vault) != ID_SIZE or len(channel) != ID_SIZE:
        raise InvalidArgument("A channel key has 32 bytes, the ids of a vault and of a channel 16 each.")
    if not (0 < epoch < 1 << 32 and 0 < generation < 1 << 32):
        raise InvalidArgument(f"Epoch {epoch} or generation {generation} is outside its range.")
    whole = _VERSION + bytes([len(name)]) + name + content
    if len(whole) > MAX_SNAPSHOT:
        raise InvalidArgument(f"A snapshot has at most {MAX_SNAPSHOT} bytes, not {len(whole)}.")
    packed = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=False, write_content_size=True).compress(whole)
    slices = [packed[at : at + SLICE] for at in range(0, len(packed), SLICE)]
    if len(slices) > MAX_PARTS:
        raise InvalidArgument(f"A snapshot has at most {MAX_PARTS} parts; this one would take {len(slices)}.")
    entries = b"".join(_ENTRY.pack(device, seq, end) for device, (seq, end) in sorted(frontier.items()))
    parts: list[bytes] = []
    previous = _FIRST
    for index, piece in enumerate(slices):
        nonce = entropy(NONCE_SIZE)
        key, commitment = _part_key(channel_key, nonce)
        fields = vault, channel, keys.device, epoch, generation, index, len(slices), previous, nonce, commitment
        header = _HEADER.pack(_MAGIC, _SUITE, _KIND, *fields, 0 if index else len(frontier))
        header += b"" if index else entries
        unsigned = header + AESGCM(key).encrypt(_ZERO_NONCE, pad(piece), header)
        parts.append(unsigned + keys.sign(_signed_message(unsigned)))
        previous = commit_hash(parts[-1])
    return parts


def parse_part(data: bytes) -> Part:
    """The plain fields of one part. Checks form and bounds; no cryptography.

    Raises:
        MalformedBytes: wrong magic, a suite or kind that this program does not know, lengths or numbers out of bounds,
            a frontier that is not sorted or stands in another part than the first.
    """
    if not _MIN_PART <= len(data) <= MAX_COMMIT:
        raise MalformedBytes(f"A part of a snapshot has {_MIN_PART} to {MAX_COMMIT} bytes, not {len(data)}.")
    fields = _HEADER.unpack_from(data)
    magic, suite, kind, vault, channel, author, epoch, generation, index, count, previous, nonce, commitment = fields[
        :13
    ]
    entries = fields[13]
    if magic != _MAGIC:
        raise MalformedBytes("These bytes are not a part of a snapshot.")
    if suite != _SUITE or kind != _KIND:
        raise MalformedBytes(
            f"A part of suite {suite} and kind {kind} is unknown to this program, which knows suite {_SUITE} and "
            f"kind {_KIND}: it may come from a newer one."
        )
    if epoch == 0 or generation == 0:
        raise MalformedBytes("The epoch and the generation of a snapshot start at 1.")
    if not 1 <= count <= MAX_PARTS or index >= count:
        raise MalformedBytes(f"A snapshot has 1 to {MAX_PARTS} parts; this one is number {index} of {count}.")
    if (index == 0) != (previous == _FIRST) or (index == 0) != (entries > 0) or entries > MAX_DEVICES:
        raise MalformedBytes(
            "The first part of a snapshot, and no other, has a frontier, and zeros for the part before."
        )
    if len(data) < _MIN_PART + entries * _ENTRY.size:
        raise MalformedBytes("A part of a snapshot ends before its frontier does.")
    frontier: dict[bytes, tuple[int, bytes]] = {}
    last = b""
    for place in range(entries):
        device, seq, end = _ENTRY.unpack_from(data, _HEADER.size + place * _ENTRY.size)
        if device <= last or seq == 0:
            raise MalformedBytes("The frontier of a snapshot is not sorted by device, or has an empty chain.")
        frontier[device] = seq, end
        last = device
    return Part(vault, channel, author, epoch, generation, index, count, previous, nonce, commitment, frontier)


def verify_part(data: bytes, public: DevicePublic) -> Part:
    """The plain fields, once it is proven that `public`'s device signed this whole part.

    Says nothing of membership, vault or the other parts: that is the caller's, and `join_parts`'.

    Raises:
        MalformedBytes: as `parse_part`.
        BadSignature: the part names another device, or the signature does not match.
    """
    part = parse_part(data)
    if part.device != public.device:
        raise BadSignature(f"The snapshot is by device {part.device.hex()}, not by {public.device.hex()}.")
    public.verify(_signed_message(data[:-SIGNATURE_SIZE]), data[-SIGNATURE_SIZE:])
    return part


def join_parts(parts: Sequence[bytes], public: DevicePublic) -> Part:
    """The first part's fields, once it is proven that `parts` are one whole snapshot that `public`'s device signed.

    Raises:
        MalformedBytes, BadSignature: as `verify_part`.
        InvalidSnapshot: a part is missing, doubled, out of order or of another snapshot.
    """
    verified = [verify_part(data, public) for data in parts]
    if not verified or verified[0].index != 0 or not verified[-1].complete:
        raise InvalidSnapshot("A snapshot is not whole: its first or its last part is missing.")
    for (before, data), after in zip(zip(verified, parts, strict=True), verified[1:], strict=False):
        if not after.follows(before, commit_hash(data)):
            raise InvalidSnapshot("A part of a snapshot does not follow the one before it.")
    return verified[0]


def open_snapshot(parts: Sequence[bytes], channel_key: bytes) -> tuple[str, bytes]:
    """The scope's name and the engine's bytes. Call `join_parts` first: this does not look at signatures.

    Raises:
        MalformedBytes: as `parse_part`, or what is inside does not unpack.
        CannotDecrypt: another key than the one it was sealed with, or altered bytes.
    """
    whole = _unpack(b"".join(_open(data, channel_key) for data in parts))
    length = whole[1] if whole[:1] == _VERSION and len(whole) > 1 else 0
    if length == 0 or len(whole) < 2 + length:
        raise MalformedBytes("The content of a snapshot is of a version that this program does not know, or cut short.")
    try:
        return whole[2 : 2 + length].decode(), whole[2 + length :]
    except UnicodeDecodeError as error:
        raise MalformedBytes("The name of a snapshot's scope is not UTF-8.") from error


def snapshot_id(last_part: bytes) -> bytes:
    """16 bytes that stand for the whole snapshot which ends with this part."""
    return commit_hash(last_part)[:ID_SIZE]


def _open(data: bytes, channel_key: bytes) -> bytes:
    part = parse_part(data)
    key, commitment = _part_key(channel_key, part.nonce)
    if not hmac.compare_digest(commitment, part.commitment):
        raise CannotDecrypt(
            f"A snapshot by device {part.device.hex()} was sealed with another key than the one at hand for channel "
            f"{part.channel.hex()} in epoch {part.epoch}."
        )
    start = _HEADER.size + len(part.frontier) * _ENTRY.size
    try:
        return unpad(AESGCM(key).decrypt(_ZERO_NONCE, data[start:-SIGNATURE_SIZE], data[:start]))
    except InvalidTag as error:
        raise CannotDecrypt(f"A snapshot by device {part.device.hex()} was altered.") from error


def _unpack(frame: bytes) -> bytes:
    try:
        size = zstandard.get_frame_parameters(frame).content_size
        # The size is stated before anything is allocated for it.
        if size in _UNKNOWN_SIZE or size > MAX_SNAPSHOT:
            raise MalformedBytes(f"A snapshot unpacks to more than {MAX_SNAPSHOT} bytes, or does not say to how many.")
        return zstandard.ZstdDecompressor().decompress(frame, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise MalformedBytes("A snapshot does not unpack.") from error


def _part_key(channel_key: bytes, nonce: bytes) -> tuple[bytes, bytes]:
    derived = hmac.digest(channel_key, contexts.SNAPSHOT_KEY + nonce, "sha512")
    return derived[:KEY_SIZE], derived[KEY_SIZE:]


def _signed_message(unsigned: bytes) -> bytes:
    return contexts.SNAPSHOT_SIGNATURE + hashlib.sha512(unsigned).digest()
