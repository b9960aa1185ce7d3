"""What a commit carries inside its encryption.

    plaintext  padded( method 1 · content )          method 0: stored, 1: one zstd frame that states its size
    content    version 1 · scope · frontier · relay head · changes

=============  ==========================================================================================
scope          length (varint) · UTF-8
frontier       count (varint) · entries of device 16 · hash 8 · seq (varint), sorted by device
relay head     0x00, or 0x01 · log id 16 · seq (varint)
changes        the rest; opaque here
=============  ==========================================================================================

A varint is an unsigned LEB128 of up to 64 bits, in its shortest form. Each `Body` has one content, so a decoder refuses
every other spelling. Compression comes before padding, so that the length on the wire is the padded one.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import zstandard

from vademecum.errors import InvalidArgument, MalformedBytes
from vademecum.transport.commit import MAX_PLAINTEXT
from vademecum.transport.keys import ID_SIZE
from vademecum.transport.padding import pad, padded_length, unpad

__all__ = ["FRONTIER_HASH_SIZE", "MAX_CONTENT", "SAFE_CHANGES", "Body", "decode_body", "encode_body"]

MAX_CONTENT: Final = 8 << 20  # bytes before compression; what a reader is ready to hold for one commit
SAFE_CHANGES: Final = 960 << 10  # bytes of changes that fit in one commit even where they do not compress
FRONTIER_HASH_SIZE: Final = 8  # bytes; enough to tell two commits of one device apart, and small in every commit

_VERSION: Final = b"\x01"
_STORED: Final = b"\x00"
_COMPRESSED: Final = b"\x01"
_LEVEL: Final = 3
_SMALL: Final = 256 << 10  # bytes; up to here, what devices send each other day by day
_SMALL_LEVEL: Final = 16  # a sixth shorter, for some 35 ms at most; 17 and above take twice as long for a thousandth
_MAX_SCOPE: Final = 255  # bytes
_MAX_FRONTIER: Final = 1024  # devices
_UNKNOWN_SIZE: Final = (0, zstandard.CONTENTSIZE_UNKNOWN, zstandard.CONTENTSIZE_ERROR)


@dataclass(frozen=True)
class Body:
    """The inside of a commit.

    Args:
        scope: name of the scope, 1 to 255 bytes; a device that does not know the channel learns it from here.
        changes: the changes themselves, in the engine's own format.
        frontier: device → (seq, first 8 bytes of the hash) of the last commit the author holds, for each other device
            whose entry has moved since the author's commit before.
        relay_head: (log id, seq) of the relay's log as the author last saw it, or None.
    """

    scope: str
    changes: bytes
    frontier: Mapping[bytes, tuple[int, bytes]]
    relay_head: tuple[bytes, int] | None = None


def encode_body(body: Body) -> bytes:
    """The plaintext for `commit.seal`: compressed where that helps, and padded.

    Raises:
        InvalidArgument: a field is outside its range, or the whole does not fit in one commit; changes of up to
            `SAFE_CHANGES` bytes always do.
    """
    plaintext = _plaintext(_content(body))
    if len(plaintext) > MAX_PLAINTEXT:
        raise InvalidArgument(
            f"The changes take {len(plaintext)} bytes compressed and padded; one commit holds {MAX_PLAINTEXT}. "
            "Split them."
        )
    return plaintext


def decode_body(data: bytes) -> Body:
    """Reads `encode_body`.

    Raises:
        MalformedBytes: any other bytes.
    """
    plain = unpad(data)
    method, rest = plain[:1], plain[1:]
    if method == _STORED:
        content = rest
    elif method == _COMPRESSED:
        content = _decompress(rest)
    else:
        raise MalformedBytes("The body of a commit is packed in a way that this program does not know.")
    return _read(content)


# --- content --------------------------------------------------------------------------------------------------------


def _content(body: Body) -> bytes:
    scope = body.scope.encode("utf-8")
    if not 1 <= len(scope) <= _MAX_SCOPE:
        raise InvalidArgument(f"The name of a scope has 1 to {_MAX_SCOPE} bytes, not {len(scope)}.")
    if len(body.frontier) > _MAX_FRONTIER:
        raise InvalidArgument(f"A frontier has at most {_MAX_FRONTIER} devices, not {len(body.frontier)}.")
    parts = [_VERSION, _varint(len(scope)), scope, _varint(len(body.frontier))]
    for device, (seq, prefix) in sorted(body.frontier.items()):
        if len(device) != ID_SIZE or len(prefix) != FRONTIER_HASH_SIZE or seq == 0:
            raise InvalidArgument("A frontier maps a 16-byte device id to a seq from 1 and 8 bytes of a commit's hash.")
        parts += (device, prefix, _varint(seq))
    if body.relay_head is None:
        parts.append(b"\x00")
    else:
        log_id, seq = body.relay_head
        if len(log_id) != ID_SIZE:
            raise InvalidArgument("A relay's head is a 16-byte log id and a seq.")
        parts += (b"\x01", log_id, _varint(seq))
    parts.append(body.changes)
    content = b"".join(parts)
    if len(content) > MAX_CONTENT:
        raise InvalidArgument(f"The changes of one commit have at most {MAX_CONTENT} bytes, not {len(content)}.")
    return content


def _read(content: bytes) -> Body:
    reader = _Reader(content)
    if reader.take(1) != _VERSION:
        raise MalformedBytes("The body of a commit is of a version that this program does not know.")
    try:
        scope = reader.take(reader.varint(1, _MAX_SCOPE)).decode("utf-8")
    except UnicodeDecodeError as error:
        raise MalformedBytes("The name of a commit's scope is not UTF-8.") from error
    frontier: dict[bytes, tuple[int, bytes]] = {}
    last = b""
    for _ in range(reader.varint(0, _MAX_FRONTIER)):
        device = reader.take(ID_SIZE)
        if device <= last:
            raise MalformedBytes("The frontier in a commit is not sorted by device, or names one twice.")
        prefix = reader.take(FRONTIER_HASH_SIZE)
        frontier[device] = (reader.varint(1), prefix)
        last = device
    has_head = reader.varint(0, 1)
    relay_head = (reader.take(ID_SIZE), reader.varint()) if has_head else None
    return Body(scope, reader.rest(), frontier, relay_head)


class _Reader:
    """Takes bytes from the front; raises MalformedBytes where there are too few."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, size: int) -> bytes:
        end = self._at + size
        if end > len(self._data):
            raise MalformedBytes("The body of a commit ends too early.")
        taken = self._data[self._at : end]
        self._at = end
        return taken

    def varint(self, at_least: int = 0, at_most: int = (1 << 64) - 1) -> int:
        value, shift = 0, 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            if shift > 63:
                raise MalformedBytes("A number in a commit has more than 64 bits.")
        if byte == 0 and shift:
            raise MalformedBytes("A number in a commit is not in its shortest form.")
        if not at_least <= value <= at_most:
            raise MalformedBytes(f"A number in a commit is {value}, outside {at_least} to {at_most}.")
        return value

    def rest(self) -> bytes:
        return self.take(len(self._data) - self._at)


def _varint(value: int) -> bytes:
    if not 0 <= value < 1 << 64:
        raise InvalidArgument(f"A seq is 0 to 2^64 - 1, not {value}.")
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


# --- compression ----------------------------------------------------------------------------------------------------


class _Zstd(threading.local):
    """One pair of contexts a thread: making one takes longer than using it, and two threads may not share one."""

    def __init__(self) -> None:
        self.compressor = _compressor(_LEVEL)
        self.small_compressor = _compressor(_SMALL_LEVEL)
        self.decompressor = zstandard.ZstdDecompressor()


def _compressor(level: int) -> zstandard.ZstdCompressor:
    return zstandard.ZstdCompressor(level=level, write_checksum=False, write_content_size=True)


_zstd = _Zstd()


def _plaintext(content: bytes) -> bytes:
    compressor = _zstd.small_compressor if len(content) <= _SMALL else _zstd.compressor
    compressed = compressor.compress(content)
    # Only a smaller bucket is worth unpacking.
    if padded_length(1 + len(compressed)) < padded_length(1 + len(content)):
        return pad(_COMPRESSED + compressed)
    return pad(_STORED + content)


def _decompress(frame: bytes) -> bytes:
    try:
        size = zstandard.get_frame_parameters(frame).content_size
        # The size is stated before anything is allocated for it.
        if size in _UNKNOWN_SIZE or size > MAX_CONTENT:
            raise MalformedBytes(
                f"The body of a commit unpacks to more than {MAX_CONTENT} bytes, or does not say to how many."
            )
        return _zstd.decompressor.decompress(frame, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise MalformedBytes("The body of a commit does not unpack.") from error
