"""The frames of the relay protocol: one msgpack array in one binary WebSocket message.

A frame is ``[kind, field, …]``. Kinds below 128 are mandatory: a receiver that does not know one refuses it by number.
Kinds from 128 on are optional, and decode to ``Unknown``. Fields after the last known one are ignored. So a later
version can add frames and fields, and say through ``Hello.mandatory`` what its peer must understand.

``decode`` is strict: whatever the bytes, it returns a frame whose every field has the type, length and range stated
here, or raises ``MalformedBytes``. ``docs/relay.md`` shows who sends what when.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeAlias, cast, get_args

from vademecum.errors import MalformedBytes
from vademecum.transport.commit import MAX_COMMIT
from vademecum.transport.strict import U64, as_array, as_bytes, as_int, as_map, as_text, pack, unpack

__all__ = [
    "MAX_FRAME",
    "MAX_LETTER",
    "MAX_STATEMENT",
    "VERSION",
    "Accepted",
    "Ask",
    "AskRoster",
    "Challenge",
    "Claim",
    "Claimed",
    "Close",
    "Commits",
    "Declined",
    "End",
    "Enrol",
    "Fetch",
    "Frame",
    "Frontier",
    "Head",
    "Heads",
    "Hello",
    "Letter",
    "Live",
    "LogEntry",
    "Offer",
    "Part",
    "Prove",
    "Pull",
    "Push",
    "Put",
    "Refused",
    "Renewed",
    "Staged",
    "Statements",
    "Stored",
    "Unknown",
    "Welcome",
    "decode",
    "encode",
    "frontier_digest",
]

VERSION = 1
MAX_FRAME = MAX_COMMIT + (1 << 16)
"""Bytes of one message: the largest commit and room for the frame around it."""
MAX_STATEMENT = 1 << 18
"""Bytes of one roster statement: a new epoch wrapped for two hundred devices."""
MAX_LETTER = 1 << 20
"""Bytes of one message in a mailbox."""
OPTIONAL_FROM = 128

Frontier: TypeAlias = Mapping[bytes, tuple[int, bytes]]
Base: TypeAlias = tuple[int, bytes]
"""(generation, id of the snapshot that began it): what a channel's commits build on."""
BEGINNING: Base = (0, bytes(16))
"""What a channel builds on before its first snapshot."""
LogEntry: TypeAlias = tuple[int, int, bytes]
"""(log sequence, log sequence of the entry before it in this channel or 0, commit)."""
Head: TypeAlias = tuple[bytes, int, bytes]
"""(channel, its last log sequence, ``frontier_digest`` of what the relay holds of it)."""
Stored: TypeAlias = tuple[bytes, bytes, int, int, int]
"""(channel, device, sequence, log sequence, log sequence before it)."""


def frontier_digest(frontier: Frontier, base: Base = BEGINNING, wanted: int = 0) -> bytes:
    """16 bytes that are equal on both sides exactly if both hold the same chains on the same snapshot: the proof of
    being in step. ``wanted`` as in ``End``: so who has not heard of it asks.
    """
    generation, snapshot = base
    start = generation.to_bytes(4, "big") + snapshot + wanted.to_bytes(4, "big")
    digest = hashlib.sha256(b"vademecum/frontier/v2" + start)
    for device in sorted(frontier):
        seq, commit_hash = frontier[device]
        digest.update(device + seq.to_bytes(8, "big") + commit_hash)
    return digest.digest()[:16]


# --- login ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hello:
    """Client: the versions it speaks, who it says it is, and by name what the relay must understand to go on."""

    KIND: ClassVar[int] = 1
    versions: tuple[int, ...]
    vault: bytes
    device: bytes
    mandatory: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Challenge:
    """Relay: the version chosen, a single-use nonce to sign until ``expiry`` (ms since 1970), and its roster's head.

    ``roster_head`` is 32 bytes, or ``None`` where the relay does not know the vault.
    """

    KIND: ClassVar[int] = 2
    version: int
    nonce: bytes
    expiry: int
    roster_head: bytes | None


@dataclass(frozen=True, slots=True)
class Prove:
    """Client: its signature (64 bytes), and its roster statements if the heads differ."""

    KIND: ClassVar[int] = 3
    signature: bytes
    statements: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Welcome:
    """Relay: its log's id, every channel of the vault, the statements the client lacks, and its limits by name."""

    KIND: ClassVar[int] = 4
    log_id: bytes
    heads: tuple[Head, ...]
    statements: tuple[bytes, ...]
    limits: Mapping[str, int]


# --- the log --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pull:
    """Client: what lies after ``after`` in the log of ``channel``, without what ``have`` (device → sequence) covers.

    ``after`` counts only if ``log_id`` is the relay's; otherwise the relay reads from the beginning. Where ``base`` is
    not what the relay's commits build on, ``after`` and ``have`` do not count: the relay sends its snapshot and all
    commits after it; or neither, if its generation is the lower one.
    """

    KIND: ClassVar[int] = 5
    channel: bytes
    log_id: bytes
    after: int
    have: Mapping[bytes, int]
    base: Base = BEGINNING


@dataclass(frozen=True, slots=True)
class Commits:
    """Relay: a part of the answer to a pull, in log order."""

    KIND: ClassVar[int] = 6
    channel: bytes
    entries: tuple[LogEntry, ...]


@dataclass(frozen=True, slots=True)
class End:
    """Relay: the pull is answered; where the log stood then, and what the relay holds (device → sequence, hash).

    ``base`` is what its commits build on. ``wanted`` is the greatest generation that it had to decline because it held
    commits which that snapshot did not contain; where it is the greater one, some device cannot take in what is here,
    and a device that is in step should offer a snapshot of a still greater generation.
    """

    KIND: ClassVar[int] = 7
    channel: bytes
    log_id: bytes
    seq: int
    frontier: Frontier
    base: Base = BEGINNING
    wanted: int = 0


@dataclass(frozen=True, slots=True)
class Push:
    """Client: sealed commits, of any channels; each device's in order."""

    KIND: ClassVar[int] = 8
    commits: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Accepted:
    """Relay: these commits are durable here, now or since an earlier push."""

    KIND: ClassVar[int] = 9
    stored: tuple[Stored, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """Relay: no, and why. ``reason`` is a stable code, ``message`` a sentence for the person.

    ``retry_after`` is in milliseconds, or ``None`` where trying again will not help. ``which`` names the commits
    concerned as (channel, device, sequence); empty where the refusal concerns the whole request.
    """

    KIND: ClassVar[int] = 10
    reason: str
    message: str
    retry_after: int | None = None
    which: tuple[tuple[bytes, bytes, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Live:
    """Relay: another device's commit, right after it became durable.

    ``previous`` is the log sequence before it in the channel; a client that is not there has a gap, and pulls.
    """

    KIND: ClassVar[int] = 11
    channel: bytes
    seq: int
    previous: int
    commit: bytes


@dataclass(frozen=True, slots=True)
class Ask:
    """Client: where does every channel stand? Answered by ``Heads``."""

    KIND: ClassVar[int] = 12


@dataclass(frozen=True, slots=True)
class AskRoster:
    """Client: every statement of the vault's roster, for a device that has lost its own. Answered by ``Statements``."""

    KIND: ClassVar[int] = 21


@dataclass(frozen=True, slots=True)
class Heads:
    """Relay: every channel of the vault."""

    KIND: ClassVar[int] = 13
    log_id: bytes
    heads: tuple[Head, ...]


# --- snapshots ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Offer:
    """Client: the next sealed part of a snapshot (``snapshot.py``), from the first to the last."""

    KIND: ClassVar[int] = 16
    part: bytes


@dataclass(frozen=True, slots=True)
class Staged:
    """Relay: the part with that number has come; the client sends the next ones. Nothing is promised yet."""

    KIND: ClassVar[int] = 17
    channel: bytes
    index: int


@dataclass(frozen=True, slots=True)
class Renewed:
    """Relay: from log sequence ``seq`` on, the channel builds on this snapshot, durably. To all devices of the vault,
    the one that offered it included. Or it still does, but another one is wanted, as in ``End``.
    """

    KIND: ClassVar[int] = 18
    channel: bytes
    base: Base
    seq: int


@dataclass(frozen=True, slots=True)
class Declined:
    """Relay: a snapshot of that generation was not taken, or not a part of it, and why. The rest need not be sent."""

    KIND: ClassVar[int] = 19
    channel: bytes
    generation: int
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Part:
    """Relay: a part of its snapshot, in answer to a pull; from the first to the last, before any commits.

    A first part again means that the answer begins anew, because the channel has been renewed meanwhile.
    """

    KIND: ClassVar[int] = 20
    channel: bytes
    part: bytes


# --- the roster -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Enrol:
    """Client: statements that the relay should add to the vault's roster. Answered by ``Statements`` once durable."""

    KIND: ClassVar[int] = 14
    statements: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Statements:
    """Relay: statements added by this client or another one, and the head (32 bytes) of the roster with them."""

    KIND: ClassVar[int] = 15
    head: bytes
    statements: tuple[bytes, ...]


# --- mailboxes, used before a device can log in ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Claim:
    """Client: take one side of a mailbox: 0 makes it, 1 joins it. ``token`` (16 random bytes) allows coming back."""

    KIND: ClassVar[int] = 32
    mailbox: bytes
    side: int
    token: bytes


@dataclass(frozen=True, slots=True)
class Claimed:
    """Relay: the side is this connection's; the mailbox ends ``seconds`` from now."""

    KIND: ClassVar[int] = 33
    seconds: int


@dataclass(frozen=True, slots=True)
class Put:
    """Client: its letter number ``index`` (from 0) for the other side. The same letter twice is stored once."""

    KIND: ClassVar[int] = 34
    index: int
    letter: bytes


@dataclass(frozen=True, slots=True)
class Fetch:
    """Client: the other side's letter number ``index``, as soon as it is there."""

    KIND: ClassVar[int] = 35
    index: int


@dataclass(frozen=True, slots=True)
class Letter:
    """Relay: a letter that was fetched."""

    KIND: ClassVar[int] = 36
    index: int
    letter: bytes


@dataclass(frozen=True, slots=True)
class Close:
    """Client: the mailbox is done with; its name stays used until it would have expired."""

    KIND: ClassVar[int] = 37


@dataclass(frozen=True, slots=True)
class Unknown:
    """A frame of an optional kind from a later version. To be ignored; never encoded."""

    KIND: ClassVar[int] = -1
    kind: int


Frame: TypeAlias = (
    Hello
    | Challenge
    | Prove
    | Welcome
    | Pull
    | Commits
    | End
    | Push
    | Accepted
    | Refused
    | Live
    | Ask
    | AskRoster
    | Heads
    | Offer
    | Staged
    | Renewed
    | Declined
    | Part
    | Enrol
    | Statements
    | Claim
    | Claimed
    | Put
    | Fetch
    | Letter
    | Close
    | Unknown
)

# --- strict decoding ------------------------------------------------------------------------------------------------

Check: TypeAlias = Callable[[object], Any]
_FIELD = "A field of a frame"


def _size(length: int) -> Check:
    return lambda value: as_bytes(value, _FIELD, exactly=length)


def _blob(limit: int) -> Check:
    return lambda value: as_bytes(value, _FIELD, at_most=limit)


def _number(limit: int = U64) -> Check:
    return lambda value: as_int(value, _FIELD, at_most=limit)


def _text(limit: int) -> Check:
    return lambda value: as_text(value, _FIELD, at_most=limit)


def _optional(inner: Check) -> Check:
    return lambda value: None if value is None else inner(value)


def _many(inner: Check, limit: int = 1 << 16) -> Check:
    return lambda value: tuple(map(inner, as_array(value, _FIELD, at_most=limit)))


def _row(*inner: Check) -> Check:
    def check(value: object) -> tuple[Any, ...]:
        items = as_array(value, _FIELD, exactly=len(inner))
        return tuple(one(item) for one, item in zip(inner, items, strict=True))

    return check


def _table(key: Check, inner: Check, limit: int = 1 << 14) -> Check:
    return lambda value: {key(name): inner(item) for name, item in as_map(value, _FIELD, at_most=limit).items()}


_ID, _HASH, _SEQ = _size(16), _size(32), _number()
_GENERATION = _number((1 << 32) - 1)
_BASE = _row(_GENERATION, _ID)
_COMMIT = _blob(MAX_COMMIT)
_STATEMENTS = _many(_blob(MAX_STATEMENT), 4096)
_HEADS = _many(_row(_ID, _SEQ, _ID))
_ENTRIES = _many(_row(_SEQ, _SEQ, _COMMIT))
_LETTER = _blob(MAX_LETTER)
_INDEX = _number(15)

_FIELDS: dict[type[Any], tuple[Check, ...]] = {
    Hello: (_many(_number(255), 16), _ID, _ID, _many(_text(64), 16)),
    Challenge: (_number(255), _HASH, _SEQ, _optional(_HASH)),
    Prove: (_size(64), _STATEMENTS),
    Welcome: (_ID, _HEADS, _STATEMENTS, _table(_text(64), _SEQ, 64)),
    Pull: (_ID, _blob(16), _SEQ, _table(_ID, _SEQ), _BASE),
    Commits: (_ID, _ENTRIES),
    End: (_ID, _ID, _SEQ, _table(_ID, _row(_SEQ, _HASH)), _BASE, _GENERATION),
    Push: (_many(_COMMIT),),
    Accepted: (_many(_row(_ID, _ID, _SEQ, _SEQ, _SEQ)),),
    Refused: (_text(64), _text(1024), _optional(_SEQ), _many(_row(_ID, _ID, _SEQ))),
    Live: (_ID, _SEQ, _SEQ, _COMMIT),
    Ask: (),
    AskRoster: (),
    Heads: (_ID, _HEADS),
    Offer: (_COMMIT,),
    Staged: (_ID, _GENERATION),
    Renewed: (_ID, _BASE, _SEQ),
    Declined: (_ID, _GENERATION, _text(64), _text(1024)),
    Part: (_ID, _COMMIT),
    Enrol: (_STATEMENTS,),
    Statements: (_HASH, _STATEMENTS),
    Claim: (_ID, _number(1), _ID),
    Claimed: (_SEQ,),
    Put: (_INDEX, _LETTER),
    Fetch: (_INDEX,),
    Letter: (_INDEX, _LETTER),
    Close: (),
}
_KINDS: dict[int, type[Any]] = {kind.KIND: kind for kind in _FIELDS}
_NAMES: dict[type[Any], tuple[str, ...]] = {kind: tuple(item.name for item in fields(kind)) for kind in get_args(Frame)}


def encode(frame: Frame) -> bytes:
    """The bytes of one message. The caller keeps to ``MAX_FRAME`` and to the ranges stated at each frame."""
    return pack([frame.KIND, *(getattr(frame, name) for name in _NAMES[type(frame)])])


def decode(data: bytes) -> Frame:
    """The frame in one message. Raises ``MalformedBytes``, and nothing else, for bytes that are none."""
    kind, *parts = as_array(unpack(data, "A frame", at_most=MAX_FRAME), "A frame", at_most=64) or [None]
    kind = as_int(kind, "The kind of a frame")
    frame_type = _KINDS.get(kind)
    if frame_type is None:
        if kind >= OPTIONAL_FROM:
            return Unknown(kind)
        raise MalformedBytes(f"A frame of kind {kind} is not known to version {VERSION} of the protocol.")
    checks = _FIELDS[frame_type]
    if len(parts) < len(checks):
        raise MalformedBytes(f"A frame of kind {kind} has {len(parts)} fields; it takes {len(checks)}.")
    return cast(Frame, frame_type(*(check(part) for check, part in zip(checks, parts, strict=False))))
