"""What the rest of a relay knows of its store: what goes in, what comes out, and what is promised.

``LmdbStore`` is the store of one machine; another one (a cluster's log) can stand in its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from vademecum.transport.frames import BEGINNING, Base, Head, LogEntry
from vademecum.transport.roster import Roster
from vademecum.transport.snapshot import Part

__all__ = ["Arrival", "Enrolment", "Page", "Place", "SnapshotPart", "Store", "Work"]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A commit whose signature and author have been checked; its place in the chain has not."""

    vault: bytes
    channel: bytes
    device: bytes
    seq: int
    previous: bytes
    hash: bytes
    commit: bytes
    generation: int = 0


@dataclass(frozen=True, slots=True)
class SnapshotPart:
    """A part of a snapshot whose signature and author have been checked; whether it fits has not.

    The roster says what of the channel is by revoked devices, and need not be in it.
    """

    vault: bytes
    part: Part
    data: bytes
    roster: Roster


@dataclass(frozen=True, slots=True)
class Enrolment:
    """Verified roster statements of a vault, as (hash, statement)."""

    vault: bytes
    statements: Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an arrival stands in its channel's log. ``reason`` is empty, or why it was not stored.

    ``fresh`` is False for a commit that was stored before. Reasons: ``gap`` (the chain's next number is another one),
    ``fork`` (the chain goes on from other bytes), ``channels`` (the vault has too many), ``generation`` (the channel
    has another one). Of a snapshot's part, ``fresh`` says that it completed the snapshot, which has taken the place of
    the log up to ``seq``; for the reasons see ``snapshots.py``.
    """

    seq: int = 0
    previous: int = 0
    fresh: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a channel's log. ``frontier`` is given on the last page only.

    ``seq`` is where to read on; on the last page, the log's last sequence, which may be less than where reading began.
    ``base`` is what these commits build on, ``wanted`` as in ``frames.End``.
    """

    entries: tuple[LogEntry, ...]
    seq: int
    frontier: Mapping[bytes, tuple[int, bytes]] | None
    base: Base = BEGINNING
    wanted: int = 0


Work: TypeAlias = Arrival | Enrolment | SnapshotPart


class Store(Protocol):
    """A relay's memory. Reads are short and may be made from any one thread while another writes."""

    @property
    def log_id(self) -> bytes:
        """16 bytes, made anew with each new log; positions of another log mean nothing here."""
        ...

    def statements(self, vault: bytes) -> list[bytes]:
        """The roster statements of a vault; empty if it is unknown."""
        ...

    def heads(self, vault: bytes) -> tuple[Head, ...]: ...

    def read_after(self, vault: bytes, channel: bytes, after: int, have: Mapping[bytes, int], limit_bytes: int) -> Page:
        """Log entries after ``after`` that ``have`` (device → seq) does not cover, up to about ``limit_bytes``.

        At least one entry if any is left. Raises ``DamagedStore`` for a record that is not what was written.
        """
        ...

    def base(self, vault: bytes, channel: bytes) -> Base:
        """What the commits of a channel build on."""
        ...

    def part(self, vault: bytes, channel: bytes, base: Base, index: int) -> bytes | None:
        """A part of the snapshot ``base``; None behind its last one, or where the channel has another base by now."""
        ...

    def commit(self, work: Sequence[Work]) -> list[Place]:
        """Stores everything in one transaction, durable on return. One place for each piece of work, in its order.

        Raises ``StorageTrouble``; then nothing is stored.
        """
        ...

    def tidy(self, *, fully: bool = False) -> None:
        """Gives up the bytes of what was deleted, where that is due; with ``fully``, all of them. Raises
        ``StorageTrouble``; the store can still be used then, and they are still due. Called by the writer.
        """
        ...

    def close(self) -> None: ...
