"""The roster: who belongs to a vault, proven by signatures alone.

A roster is a set of signed statements. Each names the statements its author knew last (`parents`), so that the set is a
history; it is valid if its author was a member, with a role that may say such a thing, in that statement's own past.
Two rosters merge by union, and the order in which statements arrive never matters. Verification needs no secret: the
relay does it too, and learns ids and public keys but no name.
"""

from __future__ import annotations

import hashlib
import heapq
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from vademecum.errors import (
    BadSignature,
    CannotDecrypt,
    InvalidArgument,
    InvalidRoster,
    MalformedBytes,
    Refused,
    UnknownDevice,
)
from vademecum.transport import contexts
from vademecum.transport.keys import DeviceKeys, DevicePublic, hkdf, vault_id
from vademecum.transport.padding import pad, unpad
from vademecum.transport.statement import (
    ADD,
    GENESIS,
    MAX_PARENTS,
    ROLES,
    SUCCEED,
    Entry,
    Statement,
    entry_fields,
    make_statement,
    parse_statement,
)
from vademecum.transport.vault_secrets import VaultSecrets

__all__ = [
    "Member",
    "Roster",
    "Statement",
    "VaultSecrets",
    "add",
    "genesis",
    "member_name",
    "open_secrets",
    "succeed",
]

MAX_STATEMENTS: Final = 1024  # in one roster
MAX_NAME: Final = 127  # bytes of UTF-8 in a device's name: two padding buckets

_MAY_ADD: Final = ("administrator", "recovery")
_MAY_SUCCEED: Final = ("administrator", "member")
_FIRST_EPOCH: Final = 1
_GCM_NONCE: Final = 12


@dataclass(frozen=True)
class Member:
    """A device of the vault.

    `epoch` and `wrap` are the epoch of its admission and that epoch's secrets wrapped for it; `added_at_ms` is the
    adding device's wall clock (milliseconds since 1970) and proves nothing. `succeeds` says that a copy of the device
    `added_by` became this one.
    """

    public: DevicePublic
    role: str
    sealed_name: bytes = field(repr=False)
    added_by: bytes
    added_at_ms: int
    epoch: int
    wrap: bytes = field(repr=False)
    succeeds: bool = False


@dataclass(frozen=True)
class Roster:
    """A verified roster. Make one with `Roster.verify`; two are equal when they hold the same statements.

    Attributes:
        vault: the vault's id.
        members: device id → member, in the order of `statements`.
        statements: every statement, causes before effects, otherwise by their time and hash; the same on all devices.
        epochs: epoch → its public check value.
        tips: hashes of the statements that none follows yet.
        head: 32-byte hash of the set of statements; equal heads, equal rosters.
    """

    vault: bytes
    head: bytes
    members: Mapping[bytes, Member] = field(compare=False, repr=False)
    statements: tuple[Statement, ...] = field(compare=False, repr=False)
    epochs: Mapping[int, bytes] = field(compare=False, repr=False)
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
        """The member with this id. Raises UnknownDevice."""
        found = self.members.get(device)
        if found is None:
            raise UnknownDevice(f"Device {device.hex()} is not in the roster of vault {self.vault.hex()}.")
        return found

    @property
    def epoch(self) -> int:
        """The epoch in force."""
        return max(self.epochs)


def genesis(
    keys: DeviceKeys,
    recovery: DevicePublic,
    name: str,
    *,
    salt: bytes,
    epoch_key: bytes,
    naming_key: bytes,
    at_ms: int,
) -> bytes:
    """The statement that founds a vault, with its first device and its recovery key.

    Args:
        keys: of the founding device, which becomes an administrator.
        recovery: public half of `recovery.recovery_keys`.
        name: of the founding device, 1 to 127 bytes.
        salt: 16 random bytes; `keys.vault_id(keys.public, salt)` is the vault's id.
        epoch_key, naming_key: 32 random bytes each.
        at_ms: wall clock, milliseconds since 1970.

    Raises:
        InvalidArgument: an argument is outside its range.
    """
    if keys.public == recovery:
        raise InvalidArgument("The recovery key must be another than the first device's.")
    vault = vault_id(keys.public, salt)
    secrets = VaultSecrets(_FIRST_EPOCH, epoch_key, naming_key)
    fields = {
        "epoch": secrets.epoch,
        "members": [
            entry_fields(_entry(vault, keys.public, "administrator", name, secrets)),
            entry_fields(_entry(vault, recovery, "recovery", "recovery phrase", secrets)),
        ],
        "salt": salt,
        "check": secrets.epoch_check(vault),
    }
    return make_statement(keys, GENESIS, vault=vault, parents=(), at_ms=at_ms, fields=fields)


def add(
    keys: DeviceKeys,
    roster: Roster,
    new: DevicePublic,
    name: str,
    *,
    secrets: VaultSecrets,
    at_ms: int,
    role: str = "administrator",
) -> bytes:
    """The statement that admits `new` and hands it the current epoch's secrets; `roster.merge` it.

    Args:
        keys: of a member that may add.
        name: of the new device, 1 to 127 bytes.
        secrets: of the roster's epoch.
        at_ms: wall clock, milliseconds since 1970.
        role: one of `statement.ROLES`.

    Raises:
        InvalidArgument: `name` or `role` is outside its range.
        UnknownDevice: the adding device is no member.
        Refused: it may not add, or `new` is a member already.
        CannotDecrypt: `secrets` are not those of the roster's epoch.
    """
    if role not in ROLES:
        raise InvalidArgument(f"{role!r} is not a role; roles are {', '.join(ROLES)}.")
    if roster.member(keys.device).role not in _MAY_ADD:
        raise Refused("This device may not add others: do it on one that is an administrator.")
    return _bring_in(ADD, keys, roster, new, name, role, secrets, at_ms)


def succeed(
    keys: DeviceKeys, roster: Roster, new: DevicePublic, name: str, *, secrets: VaultSecrets, at_ms: int
) -> bytes:
    """The statement by which a copy of a device becomes a device of its own; `roster.merge` it.

    The copy still holds the keys of the device that it was copied from, and signs with them, once. `new` gets the same
    role; the device that was copied stays a member.

    Args:
        keys: of the device that was copied.
        name: of the new device, 1 to 127 bytes.
        secrets: of the roster's epoch.
        at_ms: wall clock, milliseconds since 1970.

    Raises:
        InvalidArgument: `name` is outside its range.
        UnknownDevice: the device that was copied is no member.
        Refused: `new` is a member already, or `keys` are the recovery key's.
        CannotDecrypt: `secrets` are not those of the roster's epoch.
    """
    role = roster.member(keys.device).role
    if role not in _MAY_SUCCEED:
        raise Refused("The recovery key has no copies: it may add a device.")
    return _bring_in(SUCCEED, keys, roster, new, name, role, secrets, at_ms)


def _bring_in(
    kind: str,
    keys: DeviceKeys,
    roster: Roster,
    new: DevicePublic,
    name: str,
    role: str,
    secrets: VaultSecrets,
    at_ms: int,
) -> bytes:
    if new.device in roster.members:
        raise Refused(f"Device {new.device.hex()} is a member already.")
    _check_secrets(roster, secrets, roster.epoch)
    fields = {
        "epoch": secrets.epoch,
        "members": [entry_fields(_entry(roster.vault, new, role, name, secrets))],
    }
    parents = roster.tips[:MAX_PARENTS]
    return make_statement(keys, kind, vault=roster.vault, parents=parents, at_ms=at_ms, fields=fields)


def open_secrets(roster: Roster, keys: DeviceKeys) -> VaultSecrets:
    """The secrets that were handed to this device.

    Raises:
        UnknownDevice: it is no member.
        CannotDecrypt: the wrap is for other keys, or holds other secrets than the roster's epoch has.
    """
    member = roster.member(keys.device)
    plain = keys.unwrap(member.wrap, _wrap_info(roster.vault, member.epoch, keys.device))
    try:
        secrets = VaultSecrets.from_bytes(plain)
    except MalformedBytes as error:
        raise CannotDecrypt("The secrets wrapped for this device are not a vault's secrets.") from error
    _check_secrets(roster, secrets, member.epoch)
    return secrets


def member_name(roster: Roster, device: bytes, secrets: VaultSecrets) -> str:
    """The name that a device was given.

    Raises:
        UnknownDevice: it is no member.
        CannotDecrypt: `secrets` are of another epoch than the one the name was sealed in, or the name was altered.
    """
    member = roster.member(device)
    nonce, sealed = member.sealed_name[:_GCM_NONCE], member.sealed_name[_GCM_NONCE:]
    try:
        return unpad(AESGCM(_name_key(roster.vault, device, secrets)).decrypt(nonce, sealed, None)).decode("utf-8")
    except (InvalidTag, MalformedBytes, ValueError) as error:
        raise CannotDecrypt(f"The name of device {device.hex()} cannot be opened with the keys at hand.") from error


# --- making ---------------------------------------------------------------------------------------------------------


def _entry(vault: bytes, public: DevicePublic, role: str, name: str, secrets: VaultSecrets) -> Entry:
    plain = name.encode("utf-8")
    if not 1 <= len(plain) <= MAX_NAME:
        raise InvalidArgument(f"A device's name has 1 to {MAX_NAME} bytes, not {len(plain)}.")
    nonce = os.urandom(_GCM_NONCE)
    sealed_name = nonce + AESGCM(_name_key(vault, public.device, secrets)).encrypt(nonce, pad(plain), None)
    wrap = public.wrap(secrets.to_bytes(), _wrap_info(vault, secrets.epoch, public.device))
    return Entry(public, role, sealed_name, wrap)


def _name_key(vault: bytes, device: bytes, secrets: VaultSecrets) -> bytes:
    return hkdf(secrets.epoch_key, contexts.NAME_KEY + vault + secrets.epoch.to_bytes(4, "big") + device)


def _wrap_info(vault: bytes, epoch: int, device: bytes) -> bytes:
    return contexts.SECRETS_WRAP + vault + epoch.to_bytes(4, "big") + device


def _check_secrets(roster: Roster, secrets: VaultSecrets, epoch: int) -> None:
    if secrets.epoch != epoch or secrets.epoch_check(roster.vault) != roster.epochs[epoch]:
        raise CannotDecrypt(
            f"The secrets of epoch {secrets.epoch} at hand are not those of epoch {epoch} "
            f"of vault {roster.vault.hex()}."
        )


# --- verifying ------------------------------------------------------------------------------------------------------


def _verify(vault: bytes | None, parsed: list[Statement]) -> Roster:
    by_hash = {statement.hash: statement for statement in parsed}
    if len(by_hash) > MAX_STATEMENTS:
        raise InvalidRoster(f"A roster has at most {MAX_STATEMENTS} statements, not {len(by_hash)}.")
    first = _check_genesis(vault, by_hash)
    history = _History(first)
    ordered = _causal_order(by_hash)
    for statement in ordered[1:]:
        history.admit(statement)
    inner = {parent for statement in ordered for parent in statement.parents}
    return Roster(
        vault=first.vault,
        head=hashlib.sha256(contexts.ROSTER_HEAD + first.vault + b"".join(sorted(by_hash))).digest(),
        members=MappingProxyType(history.members),
        statements=tuple(ordered),
        epochs=MappingProxyType({first.epoch: first.check}),
        tips=tuple(sorted(by_hash.keys() - inner)),
    )


def _check_genesis(vault: bytes | None, by_hash: Mapping[bytes, Statement]) -> Statement:
    found = [statement for statement in by_hash.values() if statement.kind == GENESIS]
    if len(found) != 1:
        raise InvalidRoster(f"A roster begins with one genesis statement; here are {len(found)}.")
    first = found[0]
    if vault is not None and first.vault != vault:
        raise InvalidRoster(f"The roster is that of vault {first.vault.hex()}, not of {vault.hex()}.")
    if first.parents or first.epoch != _FIRST_EPOCH or [e.role for e in first.members] != ["administrator", "recovery"]:
        raise InvalidRoster("The genesis statement brings in one administrator and one recovery key, in epoch 1.")
    founder, recovery = (entry.public for entry in first.members)
    if founder == recovery or first.author != founder.device or first.vault != vault_id(founder, first.salt):
        raise InvalidRoster(f"The genesis statement does not certify the id of vault {first.vault.hex()}.")
    _check_signature(first, founder)
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


class _History:
    """Checks statements one by one against what was so in each one's own past."""

    def __init__(self, first: Statement) -> None:
        self.members: dict[bytes, Member] = {}
        self._past: dict[bytes, int] = {}  # statement → the set of those before it, one bit each, and itself
        self._admissions: dict[bytes, list[tuple[int, Entry]]] = {}  # device → (bit, how it was brought in)
        self._vault = first.vault
        self._record(first, 0)

    def admit(self, statement: Statement) -> None:
        if statement.vault != self._vault:
            raise InvalidRoster(
                f"A statement of the roster belongs to vault {statement.vault.hex()}, not to {self._vault.hex()}."
            )
        past = 0
        for parent in statement.parents:
            past |= self._past[parent]
        author = self._as_known(statement.author, past)
        if author is None:
            raise InvalidRoster(
                f"A statement of the roster is by device {statement.author.hex()}, which was no member when it said so."
            )
        _check_signature(statement, author.public)
        if statement.kind == ADD and author.role not in _MAY_ADD:
            raise InvalidRoster(
                f"Device {statement.author.hex()} added another without being an administrator; "
                f"its role is {author.role}."
            )
        if statement.kind == SUCCEED:
            self._check_succession(statement, author)
        if statement.kind in (ADD, SUCCEED):
            self._check_entry(statement, past)
        self._record(statement, past)

    def _check_succession(self, statement: Statement, author: Entry) -> None:
        if author.role not in _MAY_SUCCEED or any(entry.role != author.role for entry in statement.members):
            raise InvalidRoster(
                f"A copy of device {statement.author.hex()} took another role than that device has; "
                f"its role is {author.role}."
            )

    def _check_entry(self, statement: Statement, past: int) -> None:
        if statement.epoch != _FIRST_EPOCH:
            raise InvalidRoster(f"A device was added in epoch {statement.epoch}, which has not begun.")
        if len(statement.members) != 1:
            raise InvalidRoster(
                f"A statement of the kind {statement.kind!r} adds one device, not {len(statement.members)}."
            )
        device = statement.members[0].public.device
        if self._as_known(device, past) is not None:
            raise InvalidRoster(f"Device {device.hex()} was added although it was a member already.")

    def _as_known(self, device: bytes, past: int) -> Entry | None:
        for bit, entry in self._admissions.get(device, ()):
            if past & bit:
                return entry
        return None

    def _record(self, statement: Statement, past: int) -> None:
        bit = 1 << len(self._past)
        self._past[statement.hash] = past | bit
        for entry in statement.members:
            device = entry.public.device
            self._admissions.setdefault(device, []).append((bit, entry))
            # Two devices may add a third at the same time; the first in causal order stands, on every replica.
            self.members.setdefault(
                device,
                Member(
                    entry.public,
                    entry.role,
                    entry.sealed_name,
                    statement.author,
                    statement.at_ms,
                    statement.epoch,
                    entry.wrap,
                    statement.kind == SUCCEED,
                ),
            )


def _check_signature(statement: Statement, public: DevicePublic) -> None:
    try:
        statement.verify(public)
    except BadSignature as error:
        raise InvalidRoster(f"A statement of the roster in the name of {public.device.hex()} is forged.") from error
