"""The roster: who belongs to a vault, proven by signatures alone.

A roster is a set of signed statements. Each names the statements its author knew last (`parents`), so that the set is a
history. Two rosters merge by union, and the order in which statements arrive never matters: `history` says which of
them are valid, `standing` what of them counts. Verification needs no secret: the relay does it too, and learns ids and
public keys but no name. `vademecum.transport.roster` makes statements.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from vademecum.errors import InvalidRoster, UnknownDevice
from vademecum.transport import contexts
from vademecum.transport.history import ADMINISTRATOR, FIRST_EPOCH, RECOVERY, History, check_signature
from vademecum.transport.keys import vault_id
from vademecum.transport.standing import Epoch, Member
from vademecum.transport.statement import GENESIS, Statement, parse_statement

__all__ = ["MAX_ROSTER", "MAX_STATEMENTS", "NOTHING_HELD", "Roster"]

MAX_STATEMENTS: Final = 1024  # in one roster
MAX_ROSTER: Final = 940_000  # bytes of all statements: what one frame and one grant can carry
NOTHING_HELD: Final = (0, bytes(32))


@dataclass(frozen=True)
class Roster:
    """A verified roster. Make one with `Roster.verify`; two are equal when they hold the same statements.

    Attributes:
        vault: the vault's id.
        members: device id → member, in the order of `statements`; those that were revoked stay in it, marked.
        statements: every statement, causes before effects, otherwise by their time and hash; the same on all devices.
        epochs: hash of the statement that began it → epoch.
        current: the epoch in force.
        covered: the devices that were handed its secrets.
        held: device → channel → (seq, hash): the most of its commits that a member has said to hold.
        snapshots: ids of snapshots that members have said to build on.
        tips: hashes of the statements that none follows yet.
        head: 32-byte hash of the set of statements; equal heads, equal rosters.
    """

    vault: bytes
    head: bytes
    members: Mapping[bytes, Member] = field(compare=False, repr=False)
    statements: tuple[Statement, ...] = field(compare=False, repr=False)
    epochs: Mapping[bytes, Epoch] = field(compare=False, repr=False)
    current: Epoch = field(compare=False, repr=False)
    covered: frozenset[bytes] = field(compare=False, repr=False)
    held: Mapping[bytes, Mapping[bytes, tuple[int, bytes]]] = field(compare=False, repr=False)
    snapshots: frozenset[bytes] = field(compare=False, repr=False)
    tips: tuple[bytes, ...] = field(compare=False, repr=False)

    @classmethod
    def verify(cls, vault: bytes | None, statements: Iterable[bytes]) -> Roster:
        """The roster that these statements make, in whatever order and however often each is given.

        Args:
            vault: the id it must be for; None takes the one that the genesis certifies.
            statements: raw statements; all that any of them builds on must be among them.

        Raises:
            MalformedBytes: one of them does not decode.
            InvalidRoster: one is forged, another vault's, orphaned, by a device without the right to say it, or of a
                mandatory kind that this program does not know; or there is no genesis, or more than one.
        """
        return _verify(vault, [parse_statement(raw) for raw in statements])

    def merge(self, statements: Iterable[bytes]) -> Roster:
        """This roster and more statements. Raises as `verify`; this roster stays as it is."""
        known = {statement.raw for statement in self.statements}
        new = [raw for raw in statements if raw not in known]
        if not new:
            return self
        return _verify(self.vault, [*self.statements, *(parse_statement(raw) for raw in new)])

    def member(self, device: bytes) -> Member:
        """The device with this id, also if it was revoked. Raises UnknownDevice."""
        found = self.members.get(device)
        if found is None:
            raise UnknownDevice(f"Device {device.hex()} is not in the roster of vault {self.vault.hex()}.")
        return found

    @property
    def epoch(self) -> int:
        """The number of the epoch in force."""
        return self.current.number

    @property
    def size(self) -> int:
        """Bytes of all statements."""
        return sum(len(statement.raw) for statement in self.statements)

    @property
    def live(self) -> frozenset[bytes]:
        """The devices that are in the vault, and the recovery key."""
        return frozenset(device for device, member in self.members.items() if not member.revoked)

    def is_revoked(self, device: bytes) -> bool:
        """Whether the device was in the vault and is so no more."""
        member = self.members.get(device)
        return member is not None and member.revoked

    def limit(self, device: bytes, channel: bytes) -> tuple[int, bytes] | None:
        """Where the chain of a revoked device ends, as (seq, hash): nothing behind it is taken in. None: nowhere.

        That is the most that any member has said to hold when it heard of the revocation, or before.
        """
        if not self.is_revoked(device):
            return None
        return self.held.get(device, {}).get(channel, NOTHING_HELD)

    def accepts_snapshot(self, author: bytes, snapshot: bytes) -> bool:
        """Whether a snapshot with that id may be built on: one by a revoked device only if a member has done so."""
        return not self.is_revoked(author) or snapshot in self.snapshots


def _verify(vault: bytes | None, parsed: list[Statement]) -> Roster:
    by_hash = {statement.hash: statement for statement in parsed}
    if len(by_hash) > MAX_STATEMENTS:
        raise InvalidRoster(f"A roster has at most {MAX_STATEMENTS} statements, not {len(by_hash)}.")
    first = _check_genesis(vault, by_hash)
    history = History(first)
    ordered = _causal_order(by_hash)
    for statement in ordered[1:]:
        history.admit(statement)
    standing = history.standing()
    inner = {parent for statement in ordered for parent in statement.parents}
    return Roster(
        vault=first.vault,
        head=hashlib.sha256(contexts.ROSTER_HEAD + first.vault + b"".join(sorted(by_hash))).digest(),
        members=MappingProxyType(standing.members),
        statements=tuple(ordered),
        epochs=MappingProxyType(standing.epochs),
        current=standing.current,
        covered=standing.covered,
        held=MappingProxyType(standing.held),
        snapshots=standing.snapshots,
        tips=tuple(sorted(by_hash.keys() - inner)),
    )


def _check_genesis(vault: bytes | None, by_hash: Mapping[bytes, Statement]) -> Statement:
    found = [statement for statement in by_hash.values() if statement.kind == GENESIS]
    if len(found) != 1:
        raise InvalidRoster(f"A roster begins with one genesis statement; here are {len(found)}.")
    first = found[0]
    if vault is not None and first.vault != vault:
        raise InvalidRoster(f"The roster is that of vault {first.vault.hex()}, not of {vault.hex()}.")
    if first.parents or first.epoch != FIRST_EPOCH or [e.role for e in first.members] != [ADMINISTRATOR, RECOVERY]:
        raise InvalidRoster("The genesis statement brings in one administrator and one recovery key, in epoch 1.")
    founder, recovery = (entry.public for entry in first.members)
    if founder == recovery or first.author != founder.device or first.vault != vault_id(founder, first.salt):
        raise InvalidRoster(f"The genesis statement does not certify the id of vault {first.vault.hex()}.")
    check_signature(first, founder)
    return first


def _causal_order(by_hash: Mapping[bytes, Statement]) -> list[Statement]:
    """Causes before effects; the genesis, the only one without parents, comes first."""
    children: dict[bytes, list[Statement]] = {}
    waiting: dict[bytes, int] = {}
    ready: list[tuple[int, bytes]] = []
    for statement in by_hash.values():
        waiting[statement.hash] = len(statement.parents)
        for parent in statement.parents:
            if parent not in by_hash:
                raise InvalidRoster(
                    f"A statement of the roster builds on {parent.hex()[:16]}, which is not there: it is an orphan."
                )
            children.setdefault(parent, []).append(statement)
        if not statement.parents:
            if statement.kind != GENESIS:
                raise InvalidRoster("A statement of the roster builds on none, and is no genesis: it is an orphan.")
            ready.append((statement.at_ms, statement.hash))
    ordered: list[Statement] = []
    while ready:
        _, chosen = heapq.heappop(ready)
        ordered.append(by_hash[chosen])
        for child in children.get(chosen, ()):
            waiting[child.hash] -= 1
            if waiting[child.hash] == 0:
                heapq.heappush(ready, (child.at_ms, child.hash))
    return ordered  # complete: a cycle would be a collision of SHA-256
