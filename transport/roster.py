"""Making statements of a roster: found a vault, admit, revoke and rename devices. `membership` verifies them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from vademecum.errors import InvalidArgument, Refused
from vademecum.transport.epochs import (
    MAX_NAME,
    at_hand,
    check_secrets,
    entry,
    epoch_of,
    is_settled,
    member_name,
    open_secrets,
    seal_earlier,
    sealed_name,
    wrapped,
)
from vademecum.transport.history import ADMINISTRATOR, FIRST_EPOCH, MAY_ADD, MAY_SUCCEED, RECOVERY
from vademecum.transport.keys import DeviceKeys, DevicePublic, vault_id
from vademecum.transport.membership import MAX_ROSTER, MAX_STATEMENTS, Roster
from vademecum.transport.standing import Member
from vademecum.transport.statement import (
    ADD,
    GENESIS,
    MAX_PARENTS,
    RENAME,
    REVOKE,
    ROLES,
    SUCCEED,
    WITNESS,
    Held,
    Statement,
    entry_fields,
    make_statement,
)
from vademecum.transport.vault_secrets import VaultSecrets

__all__ = [
    "MAX_NAME",
    "Member",
    "Roster",
    "Statement",
    "VaultSecrets",
    "add",
    "genesis",
    "is_settled",
    "member_name",
    "open_secrets",
    "rename",
    "revoke",
    "succeed",
    "witness",
]

_AT_ONCE: Final = 1000
"""Ends of chains in one statement of a witness: about 80 KB."""


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
    secrets = VaultSecrets(FIRST_EPOCH, epoch_key, naming_key)
    fields = {
        "epoch": secrets.epoch,
        "members": [
            entry_fields(entry(vault, keys.public, ADMINISTRATOR, name, secrets)),
            entry_fields(entry(vault, recovery, RECOVERY, "recovery phrase", secrets)),
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
        Refused: it may not add, or `new` is a member already, or was one.
        CannotDecrypt: `secrets` are not those of the roster's epoch.
    """
    if role not in ROLES:
        raise InvalidArgument(f"{role!r} is not a role; roles are {', '.join(ROLES)}.")
    if _author(keys, roster).role not in MAY_ADD:
        raise Refused("This device may not add others: do it on one that is an administrator.")
    check_secrets(roster, secrets, roster.current)
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
        secrets: of the newest epoch that the device was handed.
        at_ms: wall clock, milliseconds since 1970.

    Raises:
        InvalidArgument: `name` is outside its range.
        UnknownDevice: the device that was copied is no member.
        Refused: `new` is a member already, `keys` are the recovery key's, or the device was revoked.
        CannotDecrypt: `secrets` are of none of the roster's epochs.
    """
    role = _author(keys, roster).role
    if role not in MAY_SUCCEED:
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
    epoch_of(roster, secrets, secrets.epoch)
    fields: dict[str, object] = {
        "epoch": secrets.epoch,
        "members": [entry_fields(entry(roster.vault, new, role, name, secrets))],
    }
    return _said(keys, roster, kind, fields, at_ms)


def revoke(
    keys: DeviceKeys,
    roster: Roster,
    devices: Iterable[bytes],
    *,
    secrets: VaultSecrets,
    epoch_key: bytes,
    at_ms: int,
) -> bytes:
    """The statement that revokes devices and begins an epoch for those that are left; `roster.merge` it.

    With no devices it only begins an epoch. Send a `witness` with it, so that nothing of theirs is lost that is here.

    Args:
        keys: of an administrator, or the recovery key.
        secrets: all that is at hand of the epochs so far; those who are left find their keys in the new one.
        epoch_key: 32 fresh random bytes.
        at_ms: wall clock, milliseconds since 1970.

    Raises:
        UnknownDevice: one of the devices is no member.
        Refused: the author may not revoke, or it names itself, the recovery key, what is revoked already or the last
            administrator.
        CannotDecrypt: `secrets` are of none of the roster's epochs.
    """
    gone = sorted(set(devices))
    if _author(keys, roster).role not in MAY_ADD:
        raise Refused("This device may not revoke others: do it on one that is an administrator.")
    for device in gone:
        member = roster.member(device)
        if device == keys.device:
            raise Refused("A device cannot revoke itself: do it on another one of the vault.")
        if member.role == RECOVERY:
            raise Refused("The recovery key is no device, and cannot be revoked.")
        if member.revoked:
            raise Refused(f"Device {device.hex()} is revoked already.")
    left = roster.live.difference(gone)
    if not any(roster.members[device].role == ADMINISTRATOR for device in left):
        raise Refused("The last administrator of a vault cannot be revoked.")
    epoch_of(roster, secrets, secrets.epoch)
    number = 1 + max(epoch.number for epoch in roster.epochs.values())
    fresh = VaultSecrets(number, epoch_key, secrets.naming_key)
    earlier = sorted(at_hand(roster, secrets).items())
    fields = {
        "epoch": number,
        "revoked": gone,
        "wraps": [[device, wrapped(roster.vault, roster.members[device].public, fresh)] for device in sorted(left)],
        "check": fresh.epoch_check(roster.vault),
        "earlier": [its for its, _ in earlier],
        "keys": seal_earlier(roster.vault, fresh, [one for _, one in earlier]),
    }
    return _said(keys, roster, REVOKE, fields, at_ms)


def witness(
    keys: DeviceKeys, roster: Roster, held: Sequence[Held], snapshots: Sequence[bytes], *, at_ms: int
) -> list[bytes]:
    """The statements, perhaps several, by which a member says what it holds of devices that are revoked.

    Args:
        held: the ends of their chains.
        snapshots: ids of the snapshots that its channels build on.
        at_ms: wall clock, milliseconds since 1970.

    Raises:
        UnknownDevice, Refused: the author is no member.
    """
    _author(keys, roster)
    ends, ids = sorted(set(held)), sorted(set(snapshots))
    return [
        _said(
            keys,
            roster,
            WITNESS,
            {
                "held": [list(one) for one in ends[start : start + _AT_ONCE]],
                "snapshots": ids[start : start + _AT_ONCE],
            },
            at_ms,
        )
        for start in range(0, max(len(ends), len(ids)), _AT_ONCE)
    ]


def rename(keys: DeviceKeys, roster: Roster, device: bytes, name: str, *, secrets: VaultSecrets, at_ms: int) -> bytes:
    """The statement that gives a device another name; `roster.merge` it.

    Raises:
        InvalidArgument: `name` is outside its range.
        UnknownDevice: there is no such device.
        Refused: the author is no administrator and not the device itself.
        CannotDecrypt: `secrets` are of none of the roster's epochs.
    """
    roster.member(device)
    if _author(keys, roster).role != ADMINISTRATOR and device != keys.device:
        raise Refused("This device may not rename others: do it on one that is an administrator.")
    epoch_of(roster, secrets, secrets.epoch)
    fields = {"epoch": secrets.epoch, "device": device, "name": sealed_name(roster.vault, device, name, secrets)}
    return _said(keys, roster, RENAME, fields, at_ms)


def _author(keys: DeviceKeys, roster: Roster) -> Member:
    member = roster.member(keys.device)
    if member.revoked:
        raise Refused("This device was revoked: it has no say in the vault any more.")
    return member


def _said(keys: DeviceKeys, roster: Roster, kind: str, fields: dict[str, object], at_ms: int) -> bytes:
    parents = roster.tips[:MAX_PARENTS]
    said = make_statement(keys, kind, vault=roster.vault, parents=parents, at_ms=at_ms, fields=fields)
    most = MAX_ROSTER if fields.get("revoked") else MAX_ROSTER * 9 // 10  # a lost device can still be revoked
    if roster.size + len(said) > most or len(roster.statements) >= MAX_STATEMENTS:
        raise Refused(
            f"The list of this vault's devices has {roster.size:,} bytes in {len(roster.statements):,} statements, and "
            f"nothing can be added to it: devices and relays take it in one piece. Make a new vault, and import there "
            f"what this one exports."
        )
    return said
