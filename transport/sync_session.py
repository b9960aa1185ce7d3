"""What the sync machine knows during one connection, shared by its parts: login, channels, snapshots."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from vademecum.transport.contract import Ledger, Problem
from vademecum.transport.frames import BEGINNING, Base, Frame, encode

__all__ = ["MAX_ATTEMPTS", "Channel", "Offer", "Session"]

MAX_ATTEMPTS = 3
"""Times that a channel is read from its log's beginning, pushed again after a refusal, or offered, before it is said
that this does not help."""

Chain = tuple[int, bytes]


@dataclass(slots=True)
class Offer:
    """A snapshot on its way to the relay."""

    base: Base
    parts: Sequence[bytes]
    sent: int = 0


@dataclass(slots=True)
class Channel:
    """What this connection knows of one channel. ``ours`` and ``base`` are the replica's frontier and base."""

    ours: dict[bytes, Chain]
    base: Base
    position: int  # the log sequence up to which the replica lacks nothing
    asked: dict[bytes, int] = field(default_factory=dict)  # what the replica held when the channel was last pulled
    relay: dict[bytes, Chain] = field(default_factory=dict)  # the relay's frontier, as last told
    relay_base: Base = BEGINNING
    told: bool = False  # whether the relay's frontier and base are known at all
    pulling: bool = False
    newest: int = 0  # the greatest log sequence seen in a live frame
    batch: list[tuple[int, bytes]] = field(default_factory=list)  # received, not yet given to the ledger
    flying: dict[tuple[bytes, int], tuple[int, bytes]] = field(default_factory=dict)  # pushed → size, hash
    stuck: set[bytes] = field(default_factory=set)  # devices whose chain the relay will not take from here
    attempts: int = 0
    parts: list[bytes] = field(default_factory=list)  # of the relay's snapshot, as far as they have come
    spoiled: bool = False  # whether the snapshot that came last cannot be adopted
    offer: Offer | None = None
    offered: Base | None = None  # what the last offer was to begin, given up or not
    unanswered: int = 0  # parts of offers that the relay has not answered yet
    declined: int = 0  # offers in a row
    wanted: int = 0  # a generation that the relay asks to be outdone
    disowned: bool = False  # whether the relay's snapshot is by a revoked device and nobody builds on it

    @property
    def tail(self) -> int:
        return self.batch[-1][0] if self.batch else self.position

    @property
    def busy(self) -> bool:
        return self.pulling or bool(self.flying) or not self.told or self.unanswered > 0

    @property
    def lacks(self) -> bool:
        """Whether the relay holds commits that the replica does not."""
        return any(seq > self.ours.get(device, (0, b""))[0] for device, (seq, _) in self.relay.items())

    @property
    def on_one_base(self) -> bool:
        """Whether commits may pass between the two sides."""
        return self.told and self.base == self.relay_base

    @property
    def agreed(self) -> bool:
        if self.disowned and not self.ours:
            return True  # only a revoked device has ever written here, and nobody has taken anything of it
        return self.base == self.relay_base and self.ours == self.relay


class Session:
    """One connection."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.log_id = b""
        self.channels: dict[bytes, Channel] = {}
        self.to_pull: deque[bytes] = deque()
        self.to_consider: set[bytes] = set()
        """Channels of which a snapshot may have become due."""
        self.problems: dict[tuple[str, bytes, bytes, int], Problem] = {}
        self.out: list[bytes] = []
        self.checks = 0
        """Asked and not yet answered."""
        self.took_in = False
        """Commits or a snapshot, since the last sealing; taking them in can make the replica write in answer."""
        self.pulled = 0
        self.pushed = 0

    def channel(self, name: bytes) -> Channel:
        channel = self.channels.get(name)
        if channel is None:
            log_id, seq = self.ledger.position(name)
            position = seq if log_id == self.log_id else 0
            channel = Channel(dict(self.ledger.frontier(name)), self.ledger.base(name), position)
            self.channels[name] = channel
        return channel

    def send(self, frame: Frame) -> None:
        self.out.append(encode(frame))

    def report(self, code: str, message: str, channel: bytes = b"", device: bytes = b"", seq: int = 0) -> None:
        self.problems.setdefault((code, channel, device, seq), Problem(code, message, channel, device, seq))

    def withdraw(self, code: str, channel: bytes | None = None) -> None:
        """Problems of that kind with *channel*, or with any, are over."""
        for key in [key for key in self.problems if key[0] == code and channel in (None, key[1])]:
            del self.problems[key]

    def ask_for(self, name: bytes, channel: Channel) -> None:
        """Sees to it that the channel is pulled."""
        if not channel.pulling:
            channel.pulling = True
            self.to_pull.append(name)
