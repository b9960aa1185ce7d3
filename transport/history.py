"""A roster's statements as a history: what each may say in its own past, and what of all of them counts.

Two questions, kept apart.

*Is it valid?* A statement is judged by its own past alone, so the answer never changes whatever else arrives: its
author was a member there, had not been revoked there, and had a role that may say such a thing. One that is not makes
the whole set invalid.

*Does it count?* That is a function of the whole set. Every valid revocation counts. Whatever else a device has said
counts only if it lies in the past of *every* statement that revokes the device: what it says later, or behind the back
of those who revoke it, is void, and so is what a device says that nobody but a revoked one has let in. So the set of
revoked devices only grows, two devices that revoke each other at the same time are both revoked, and all replicas agree
as soon as they hold the same statements.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from vademecum.errors import BadSignature, InvalidRoster
from vademecum.transport.keys import DevicePublic
from vademecum.transport.statement import ADD, GENESIS, RENAME, REVOKE, SUCCEED, WITNESS, Entry, Statement

__all__ = ["FIRST_EPOCH", "MAY_ADD", "MAY_SUCCEED", "Epoch", "History", "Member", "Standing", "check_signature"]

FIRST_EPOCH: Final = 1
RECOVERY: Final = "recovery"
ADMINISTRATOR: Final = "administrator"
MAY_ADD: Final = (ADMINISTRATOR, RECOVERY)
"""Roles that may add devices and revoke them."""
MAY_SUCCEED: Final = (ADMINISTRATOR, "member")

_NONE: Final = (0, b"")


@dataclass(frozen=True)
class Member:
    """A device that is in the vault, or was.

    `epoch` and `wrap` are the epoch of its admission and that epoch's secrets wrapped for it; `added_at_ms` is the
    adding device's wall clock (milliseconds since 1970) and proves nothing. `succeeds` says that a copy of the device
    `added_by` became this one. `named_in` is the epoch of its name's key. `revoked`: it is in the vault no more;
    `revoked_by` is the device that said so, itself or by revoking the one that had let it in, at `revoked_at_ms`.
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


class _Line(NamedTuple):
    statement: Statement
    bit: int
    past: int  # the bits of all that lie before it


class History:
    """Statements, admitted one by one, causes first. The genesis has been checked with `check_genesis`."""

    def __init__(self, first: Statement) -> None:
        self._vault = first.vault
        self._lines: list[_Line] = []
        self._by_hash: dict[bytes, _Line] = {}
        self._admissions: dict[bytes, list[tuple[int, Entry]]] = {}  # device → (bit, how it was brought in)
        self._revocations: dict[bytes, int] = {}  # device → bits of the statements that revoke it
        self._epochs: list[tuple[int, int, bytes]] = []  # (bit, number, statement)
        self._record(first, 0)

    def admit(self, statement: Statement) -> None:
        """Takes in the next statement. Raises InvalidRoster if it may not say what it says."""
        if statement.vault != self._vault:
            raise InvalidRoster(
                f"A statement of the roster belongs to vault {statement.vault.hex()}, not to {self._vault.hex()}."
            )
        past = 0
        for parent in statement.parents:
            line = self._by_hash[parent]
            past |= line.past | line.bit
        author = self._as_known(statement.author, past)
        if author is None:
            raise InvalidRoster(
                f"A statement of the roster is by device {statement.author.hex()}, which was no member when it said so."
            )
        check_signature(statement, author.public)
        if self._is_revoked(statement.author, past):
            raise InvalidRoster(
                f"A statement of the roster is by device {statement.author.hex()}, which had been revoked before."
            )
        if statement.kind == ADD and author.role not in MAY_ADD:
            raise InvalidRoster(
                f"Device {statement.author.hex()} added another without being an administrator; "
                f"its role is {author.role}."
            )
        if statement.kind == SUCCEED:
            self._check_succession(statement, author)
        if statement.kind in (ADD, SUCCEED):
            self._check_entry(statement, past)
        if statement.kind == REVOKE:
            self._check_revocation(statement, author, past)
        if statement.kind == WITNESS:
            self._check_known({one.device for one in statement.held}, past)
        if statement.kind == RENAME:
            self._check_renaming(statement, author, past)
        self._record(statement, past)

    def standing(self, within: int = -1) -> Standing:
        """What counts of the statements admitted so far; of those with a bit in *within* only, if it is given."""
        lines = [line for line in self._lines if line.bit & within]
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
            counts = one.kind == GENESIS or bool(
                admitted.get(author, 0) & line.past and line.bit & allowed.get(author, -1)
            )
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
                    of = self._handed_over(one, line.past)
                    if of is not None:
                        covered[of].add(device)
            if not counts:
                continue
            for device, channel, seq, its_hash in one.held:
                channels = held.setdefault(device, {})
                channels[channel] = max(channels.get(channel, _NONE), (seq, its_hash))
            snapshots.update(one.snapshots)
            if one.kind == RENAME and one.device in members:
                members[one.device] = replace(members[one.device], sealed_name=one.sealed_name, named_in=one.epoch)
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

    def _handed_over(self, statement: Statement, past: int) -> bytes | None:
        """The epoch of which an admission hands over the secrets, as far as can be told from outside."""
        begun = [its for bit, number, its in self._epochs if bit & past and number == statement.epoch]
        return max(begun, default=None)

    # --- what may be said ---------------------------------------------------------------------------------------

    def _check_succession(self, statement: Statement, author: Entry) -> None:
        if author.role not in MAY_SUCCEED or any(entry.role != author.role for entry in statement.members):
            raise InvalidRoster(
                f"A copy of device {statement.author.hex()} took another role than that device has; "
                f"its role is {author.role}."
            )

    def _check_entry(self, statement: Statement, past: int) -> None:
        self._check_begun(statement, past, "A device was added")
        if len(statement.members) != 1:
            raise InvalidRoster(
                f"A statement of the kind {statement.kind!r} adds one device, not {len(statement.members)}."
            )
        device = statement.members[0].public.device
        if self._as_known(device, past) is not None:
            raise InvalidRoster(f"Device {device.hex()} was added although it was a member already.")

    def _check_begun(self, statement: Statement, past: int, what: str) -> None:
        if statement.epoch not in self._numbers(past):
            raise InvalidRoster(f"{what} in epoch {statement.epoch}, which has not begun.")

    def _check_revocation(self, statement: Statement, author: Entry, past: int) -> None:
        who = statement.author.hex()
        if author.role not in MAY_ADD:
            raise InvalidRoster(f"Device {who} revoked another without being an administrator.")
        before = self.standing(past)
        if before.members[statement.author].revoked:
            raise InvalidRoster(f"Device {who} revoked another; it had been let in by a device that was revoked.")
        self._check_known(set(statement.revoked), past)
        for device in statement.revoked:
            if device == statement.author:
                raise InvalidRoster(f"Device {who} revoked itself.")
            if before.members[device].role == RECOVERY or self._is_revoked(device, past):
                raise InvalidRoster(f"Device {who} revoked the recovery key, or what was revoked already.")
        left = before.live - set(statement.revoked)
        if not any(before.members[device].role == ADMINISTRATOR for device in left):
            raise InvalidRoster(f"Device {who} revoked the last administrator.")
        if {device for device, _ in statement.wraps} != left:
            raise InvalidRoster(f"Device {who} began an epoch whose keys are not for exactly those that are left.")
        if statement.epoch != 1 + max(self._numbers(past)):
            raise InvalidRoster(f"Device {who} began epoch {statement.epoch}, which is not the next one.")
        if not before.epochs.keys() >= set(statement.earlier):
            raise InvalidRoster(f"Device {who} named an earlier epoch that has not begun.")

    def _check_renaming(self, statement: Statement, author: Entry, past: int) -> None:
        self._check_known({statement.device}, past)
        self._check_begun(statement, past, "A device was given a name")
        if author.role != ADMINISTRATOR and statement.author != statement.device:
            raise InvalidRoster(f"Device {statement.author.hex()} named another without being an administrator.")

    def _check_known(self, devices: set[bytes], past: int) -> None:
        for device in devices:
            if self._as_known(device, past) is None:
                raise InvalidRoster(f"A statement of the roster is about device {device.hex()}, which was no member.")

    # --- what was so --------------------------------------------------------------------------------------------

    def _as_known(self, device: bytes, past: int) -> Entry | None:
        for bit, entry in self._admissions.get(device, ()):
            if past & bit:
                return entry
        return None

    def _is_revoked(self, device: bytes, past: int) -> bool:
        return bool(self._revocations.get(device, 0) & past)

    def _numbers(self, past: int) -> set[int]:
        return {number for bit, number, _ in self._epochs if bit & past}

    def _record(self, statement: Statement, past: int) -> None:
        line = _Line(statement, 1 << len(self._lines), past)
        self._lines.append(line)
        self._by_hash[statement.hash] = line
        for entry in statement.members:
            self._admissions.setdefault(entry.public.device, []).append((line.bit, entry))
        for device in statement.revoked:
            self._revocations[device] = self._revocations.get(device, 0) | line.bit
        if statement.check:
            self._epochs.append((line.bit, statement.epoch, statement.hash))


def check_signature(statement: Statement, public: DevicePublic) -> None:
    """Raises InvalidRoster unless *public* signed *statement*."""
    try:
        statement.verify(public)
    except BadSignature as error:
        raise InvalidRoster(f"A statement of the roster in the name of {public.device.hex()} is forged.") from error


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
