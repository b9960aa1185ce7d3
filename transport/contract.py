"""What the sync machine asks of a replica, and the values that pass between them.

The machine in ``vademecum.transport.sync`` decides what to ask for and what to send; a ledger keeps commits, opens
them and applies them. Neither knows how the other does its part. Every method is synchronous and may block on the
disk; a caller with an event loop runs the machine in a thread, one call at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from vademecum.transport.roster import Roster

__all__ = ["Ledger", "Problem", "Received"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something the person should see. The replica keeps working.

    ``code`` is stable; the codes made by the sync machine are ``relay-rewound``, ``fork-detected``, ``cannot-catch-up``
    and ``refused:<reason>``. ``channel`` and ``device`` are 16 bytes or empty, ``seq`` a commit's number or 0.
    """

    code: str
    message: str
    channel: bytes = b""
    device: bytes = b""
    seq: int = 0


@dataclass(frozen=True, slots=True)
class Received:
    """What became of one batch of commits.

    ``applied`` are new and visible now; ``duplicates`` were here already; ``held`` are kept but wait for a commit
    before them in their device's chain; ``quarantined`` has one problem for each commit set aside for good.
    ``gave_up`` says that nothing of the batch was taken in: commits were given up here for those of another copy of
    this device, and what came may build on those, which must be had first.
    """

    applied: int = 0
    duplicates: int = 0
    held: int = 0
    quarantined: tuple[Problem, ...] = ()
    gave_up: bool = False


class Ledger(Protocol):
    """A replica as seen by replication. Channels, devices and log ids are 16 bytes, hashes 32."""

    @property
    def vault(self) -> bytes: ...

    @property
    def device(self) -> bytes:
        """This replica's device id."""
        ...

    def follow(self) -> None:
        """Goes on as the device that this replica is now, if another process of it has made it another one."""
        ...

    def roster(self) -> Roster:
        """The roster as this replica knows it, verified."""
        ...

    def merge_roster(self, statements: Sequence[bytes]) -> Roster:
        """Adds statements and returns the roster that results, durable on return. Raises ``InvalidRoster``."""
        ...

    def tend(self) -> None:
        """Adds to the roster what this device has to say there by itself, where others were revoked: `tending`."""
        ...

    def sign_login(self, origin: str, nonce: bytes, expiry: int) -> bytes:
        """The login proof of ``login.py`` for a relay's challenge. ``expiry`` is in milliseconds since 1970."""
        ...

    def seal_pending(self) -> int:
        """Gathers local changes into commits, durable on return. The number of commits sealed; 0 if nothing waited."""
        ...

    def channels(self) -> Sequence[bytes]:
        """Every channel of which a commit, or a snapshot, is held here."""
        ...

    def base(self, channel: bytes) -> tuple[int, bytes]:
        """(generation, id) of the snapshot that the channel builds on here; ``frames.BEGINNING`` before the first."""
        ...

    def frontier(self, channel: bytes) -> Mapping[bytes, tuple[int, bytes]]:
        """Device → (sequence, hash) of the last commit of its chain held here without a gap, or contained in the
        snapshot. Empty if unknown.
        """
        ...

    def position(self, channel: bytes) -> tuple[bytes, int]:
        """The (log id, sequence) last stored for the relay this vault is set to use; ``(b"", 0)`` when new."""
        ...

    def acknowledged(self, channel: bytes) -> Mapping[bytes, int]:
        """Device → greatest sequence that this relay was seen to hold: what it acknowledged and what it delivered.

        Kept by ``receive`` and ``acknowledge`` in their transactions, whatever the log id; begun anew when the vault is
        pointed at another relay.
        """
        ...

    def commits_lacking(self, channel: bytes, have: Mapping[bytes, int], limit_bytes: int) -> Sequence[bytes]:
        """Commits held here that a peer with the frontier ``have`` (device → sequence) lacks, on the same base.

        Each device's in order and without a gap. Stops before ``limit_bytes`` are exceeded, but gives at least one
        commit if any is lacking.
        """
        ...

    def receive(self, channel: bytes, log_id: bytes, items: Sequence[tuple[int, bytes]], position: int) -> Received:
        """Verifies, opens and applies commits from the relay's log, as (log sequence, commit), in log order.

        Rows and position are stored in one transaction. ``position`` is the log sequence up to which the replica then
        lacks nothing; ``items`` may be empty, when only the position moves. A commit that does not verify is
        quarantined, never raised; only trouble with the store is, and then nothing has changed.
        """
        ...

    def snapshot_due(self, channel: bytes) -> bool:
        """Whether there is a reason to offer a snapshot, now that the two sides are in step. Cheap."""
        ...

    def make_snapshot(self, channel: bytes, generation: int) -> Sequence[bytes]:
        """The sealed parts of all that is held here, to begin ``generation`` or a later one.

        What waits in the channel is sealed first, so that they hold what their frontier says, and no more. Empty if
        a snapshot cannot hold it.
        """
        ...

    def adopt(self, channel: bytes, log_id: bytes, parts: Sequence[bytes], position: int) -> Received:
        """Builds the channel on a snapshot, by merging: what it lacks of this device's own waits to be sent anew.

        Everything in one transaction, with the position as for ``receive``. A snapshot that does not verify, or is not
        for this channel, is one problem in ``quarantined``, and nothing has changed. ``applied`` is 1 if anything did.
        """
        ...

    def acknowledge(
        self, channel: bytes, log_id: bytes, accepted: Sequence[tuple[bytes, int, int]], position: int
    ) -> None:
        """Notes that the relay holds these commits durably, as (device, sequence, log sequence).

        ``position`` is stored in the same transaction, as for ``receive``.
        """
        ...

    def release(self, channel: bytes, device: bytes, seq: int) -> bool:
        """The relay holds another commit than this replica at ``seq`` of the chain of ``device``.

        True if that was a chain of this replica's own: then two copies of it have written, and this one has given up
        what it had of the chain, and gone on as another ``device``. False if the chain stays as it is.
        """
        ...

    def record(self, state: str, problems: Sequence[Problem]) -> None:
        """Stores what ``status`` shows.

        ``state`` is ``offline``, ``connecting``, ``syncing``, ``synced`` or ``blocked``; ``problems`` replaces the list
        of the session before. ``synced`` also moves the time of the last complete sync.
        """
        ...
