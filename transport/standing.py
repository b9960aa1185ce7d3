"""What of a roster's statements counts, as a function of the whole set: members, epochs, witnesses.

Every valid revocation counts. Whatever else a device has said counts only if it lies in the past of *every* statement
that revokes the device: what it says later, or behind the back of those who revoke it, is void, and so is what a device
says that nobody but a revoked one has let in. So the set of revoked devices only grows, two devices that revoke each
other at the same time are both revoked, and all replicas agree as soon as they hold the same statements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from vademecum.transport.keys import DevicePublic
from vademecum.transport.statement import GENESIS, RENAME, SUCCEED, Entry, Statement

__all__ = ["Epoch", "Line", "Member", "Standing", "standing_of"]

_NONE: Final = (0, b"")


@dataclass(frozen=True)
class Member:
    """A device that is in the vault, or was.

    `epoch` and `wrap` are the epoch of its admission and that epoch's secrets wrapped for it; `added_at_ms` is the
    adding device's wall clock (milliseconds since 1970) and proves nothing. `succeeds` says that a copy of the device
    `added_by` became this one. `named_in` is the epoch of its name's key; `renamed` says that it was given that name
    later. `revoked`: it is in the vault no more; `revoked_by` is the device that said so, itself or by revoking the one
    that had let it in, at `revoked_at_ms`.
    """

    public: DevicePublic
    role: str
    sealed_name: bytes = field(repr=False)
    added_by: bytes
    added_at_ms: int
    epoch: int
    wrap: bytes = field(repr=False)
    succeeds: bool = False
    named_in: int = 0
    renamed: bool = False
    revoked: bool = False
    revoked_by: bytes = b""
    revoked_at_ms: int = 0


@dataclass(frozen=True)
class Epoch:
    """The time during which one key is in force: from the statement with the hash `statement` on.

    Two may have one `number`, if they began at the same time. `wraps` has the secrets for each device that was a member
    then; `earlier_keys` are those of the epochs `earlier`, sealed under this one's key. `counts` is False where the
    device that began it had been revoked: nothing is sealed in it any more.
    """

    number: int
    statement: bytes
    author: bytes
    check: bytes = field(repr=False)
    wraps: Mapping[bytes, bytes] = field(repr=False)
    earlier: tuple[bytes, ...] = field(repr=False)
    earlier_keys: bytes = field(repr=False)
    counts: bool = True

    @property
    def rank(self) -> tuple[bool, int, bytes, bytes]:
        """The greatest is the epoch in force."""
        return self.counts, self.number, self.author, self.statement


@dataclass(frozen=True)
class Standing:
    """What counts of a set of statements.

    Attributes:
        members: device → member, those that were revoked included.
        epochs: hash of its statement → epoch.
        current: the epoch in force.
        covered: the devices that were handed the secrets of the epoch in force.
        held: device → channel → (seq, hash): the most that a member has said to hold of its commits.
        snapshots: ids of snapshots that members have said to build on.
    """

    members: Mapping[bytes, Member]
    epochs: Mapping[bytes, Epoch]
    current: Epoch
    covered: frozenset[bytes]
    held: Mapping[bytes, Mapping[bytes, tuple[int, bytes]]]
    snapshots: frozenset[bytes]

    @property
    def live(self) -> frozenset[bytes]:
        """The devices that are in the vault, and the recovery key."""
        return frozenset(device for device, member in self.members.items() if not member.revoked)


class Line(NamedTuple):
    """A statement in its place in the history."""

    statement: Statement
    bit: int
    past: int  # the bits of all that lie before it


def standing_of(lines: Sequence[Line]) -> Standing:
    """What counts of these statements, causes first; all that any of them builds on is among them. O(statements)."""
    allowed: dict[bytes, int] = {}  # revoked device → what lies in the past of all statements that revoke it
    by: dict[bytes, Statement] = {}
    for line in lines:
        for device in line.statement.revoked:
            allowed[device] = allowed.get(device, -1) & line.past
            by.setdefault(device, line.statement)
    members: dict[bytes, Member] = {}
    admitted: dict[bytes, int] = {}  # device → bits of the admissions of it that count
    epochs: dict[bytes, Epoch] = {}
    covered: dict[bytes, set[bytes]] = {}  # epoch → devices that were handed its secrets
    held: dict[bytes, dict[bytes, tuple[int, bytes]]] = {}
    snapshots: set[bytes] = set()
    for line in lines:
        one, author = line.statement, line.statement.author
        counts = one.kind == GENESIS or bool(admitted.get(author, 0) & line.past and line.bit & allowed.get(author, -1))
        if one.check:
            epochs[one.hash] = epoch = _epoch(one, counts)
            covered[one.hash] = set(epoch.wraps)
        for entry in one.members:
            device = entry.public.device
            if device not in members or (counts and not admitted[device]):
                # Two devices may add a third at the same time; the first that counts stands, on every replica.
                members[device] = _member(one, entry)
            admitted[device] = admitted.get(device, 0) | (line.bit if counts else 0)
            if counts and one.kind != GENESIS:
                of = _handed_over(lines, line)
                if of is not None:
                    covered[of].add(device)
        if not counts:
            continue
        for device, channel, seq, its_hash in one.held:
            channels = held.setdefault(device, {})
            channels[channel] = max(channels.get(channel, _NONE), (seq, its_hash))
        snapshots.update(one.snapshots)
        if one.kind == RENAME and one.device in members:
            members[one.device] = replace(
                members[one.device], sealed_name=one.sealed_name, named_in=one.epoch, renamed=True
            )
    for device, member in members.items():
        said = by.get(device)
        inviter = device
        while said is None and inviter != members[inviter].added_by:  # the founder has let itself in
            inviter = members[inviter].added_by
            said = by.get(inviter)
        if device in allowed or not admitted[device]:
            members[device] = replace(
                member,
                revoked=True,
                revoked_by=b"" if said is None else said.author,
                revoked_at_ms=0 if said is None else said.at_ms,
            )
    current = max(epochs.values(), key=lambda epoch: epoch.rank)
    return Standing(members, epochs, current, frozenset(covered[current.statement]), held, frozenset(snapshots))


def _handed_over(lines: Sequence[Line], line: Line) -> bytes | None:
    """The epoch of which an admission hands over the secrets, as far as can be told from outside."""
    number = line.statement.epoch
    begun = [one.statement for one in lines if one.bit & line.past and one.statement.check]
    return max((one.hash for one in begun if one.epoch == number), default=None)


def _epoch(statement: Statement, counts: bool) -> Epoch:
    if statement.kind == GENESIS:
        wraps = {entry.public.device: entry.wrap for entry in statement.members}
    else:
        wraps = dict(statement.wraps)
    return Epoch(
        statement.epoch,
        statement.hash,
        statement.author,
        statement.check,
        wraps,
        statement.earlier,
        statement.earlier_keys,
        counts,
    )


def _member(statement: Statement, entry: Entry) -> Member:
    return Member(
        entry.public,
        entry.role,
        entry.sealed_name,
        statement.author,
        statement.at_ms,
        statement.epoch,
        entry.wrap,
        statement.kind == SUCCEED,
        statement.epoch,
    )
