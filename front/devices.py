"""The devices of a vault: who belongs to it, who does no more, and having one revoked or renamed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from vademecum.engine.times import show_time
from vademecum.errors import CannotDecrypt, DeviceRevoked, InvalidArgument, NotFound, Refused
from vademecum.founding import check_name
from vademecum.transport import chains
from vademecum.transport.contract import Problem
from vademecum.transport.history import RECOVERY
from vademecum.transport.keys import KEY_SIZE
from vademecum.transport.roster import Roster, VaultSecrets, member_name, rename, revoke

if TYPE_CHECKING:
    from vademecum.transport.ledger import ReplicaLedger
    from vademecum.vault import Vault

__all__ = [
    "Device",
    "farewell",
    "list_devices",
    "name_of",
    "own_name",
    "refused_changes",
    "rename_device",
    "revoke_device",
]

SHOWN = 8
"""Hex digits of a device's id where its name cannot be read; as many are enough to mean it."""


@dataclass(frozen=True, slots=True)
class Device:
    """A device of the vault. ``role`` is ``administrator``, ``member`` or ``recovery``, of the recovery phrase.

    ``revoked_at`` (ISO 8601) and ``revoked_by`` (a name) are those of its revocation, None while it is in the vault.
    """

    id: bytes
    name: str
    role: str
    this: bool
    revoked_at: str | None = None
    revoked_by: str | None = None

    @property
    def revoked(self) -> bool:
        return self.revoked_at is not None

    def as_json(self) -> dict[str, Any]:
        return {"id": self.id.hex(), "name": self.name, "role": self.role, "this": self.this}


def list_devices(ledger: ReplicaLedger) -> tuple[Device, ...]:
    """See `Vault.devices`."""
    roster = ledger.roster()
    secrets = ledger.secrets
    return tuple(
        Device(
            device,
            name_of(roster, device, secrets),
            member.role,
            device == ledger.device,
            show_time(member.revoked_at_ms) if member.revoked else None,
            name_of(roster, member.revoked_by, secrets) if member.revoked else None,
        )
        for device, member in roster.members.items()
    )


def name_of(roster: Roster, device: bytes, secrets: VaultSecrets) -> str:
    """The device's name; the beginning of its id where the name is of an epoch whose keys are not here."""
    if device not in roster.members:
        return "another device"
    try:
        return member_name(roster, device, secrets)
    except CannotDecrypt:
        return device.hex()[:SHOWN]


def own_name(vault: Vault) -> str:
    """What this device is called: as the identity file says, until it is given another name."""
    ledger = vault.ledger()
    roster = ledger.roster()
    renamed = roster.members[ledger.device].renamed
    return name_of(roster, ledger.device, ledger.secrets) if renamed else vault.installation.identity.name


def revoke_device(vault: Vault, name: str) -> Device:
    """See `Vault.revoke`."""
    vault.settle()
    ledger = vault.ledger()
    meant = _meant(ledger, name)
    if meant.this:
        others = [one.name for one in list_devices(ledger) if not (one.this or one.revoked or one.role == RECOVERY)]
        where = f"run `vademecum device revoke` on {_either(others)}" if others else "it is the only one"
        raise Refused(
            f"{meant.name!r} is this device, and a device cannot revoke itself: {where}. To take the memory off this "
            f"computer, delete the folder {vault.home} afterwards."
        )
    if meant.role == RECOVERY:
        raise Refused("The recovery phrase is no device, and cannot be revoked.")
    roster = ledger.roster()
    ledger.merge_roster(
        [
            revoke(
                vault.keys(),
                roster,
                [meant.id],
                secrets=ledger.secrets,
                epoch_key=os.urandom(KEY_SIZE),
                at_ms=_now_ms(),
            )
        ]
    )
    _ring(vault)
    return next(one for one in list_devices(ledger) if one.id == meant.id)


def rename_device(vault: Vault, name: str, new: str) -> Device:
    """See `Vault.rename_device`."""
    vault.settle()
    new = check_name(new)
    ledger = vault.ledger()
    meant = _meant(ledger, name)
    if any(one.name == new and not one.revoked for one in list_devices(ledger)):
        raise InvalidArgument(f"There is a device called {new!r} already; `vademecum device list` shows them.")
    said = rename(vault.keys(), ledger.roster(), meant.id, new, secrets=ledger.secrets, at_ms=_now_ms())
    ledger.merge_roster([said])
    _ring(vault)
    return next(one for one in list_devices(ledger) if one.id == meant.id)


def farewell(vault: Vault) -> str:
    """What a device that was revoked is told: by whom, what it still has, and how what was not sent is carried over."""
    ledger = vault.ledger()
    me = next(one for one in list_devices(ledger) if one.this)
    pending = unsent(vault)
    said = (
        f"This device, {me.name!r}, was revoked by {me.revoked_by!r} on {(me.revoked_at or '')[:10]}: it is in the "
        f"vault no more, and exchanges nothing with the others. What is here stays, and can be read."
    )
    if pending:
        changes = "a change" if pending == 1 else f"{pending:,} changes"
        said += (
            f" It has {changes} that the others do not have: `vademecum export FILE` here and "
            f"`vademecum import FILE` on another device carry over what they say."
        )
    return f"{said} To use this computer again, join it as a new device, in another folder."


def unsent(vault: Vault) -> int:
    """Changes and commits of this device that no relay has acknowledged."""
    from vademecum.engine import outbox

    with vault.replica.read() as view:
        pending = outbox.count(view.reader)
        for channel in chains.channels(view.reader):
            ends, seen = chains.frontier(view.reader, channel), chains.acknowledged(view.reader, channel)
            for device in (vault.replica.device, *chains.former_clients(view.reader)):
                pending += max(0, ends.get(device, chains.NO_COMMIT)[0] - seen.get(device, 0))
    return pending


def refused_changes(vault: Vault, ledger: ReplicaLedger) -> list[Problem]:
    """What of revoked devices has come here and was not taken in."""
    roster = ledger.roster()
    with vault.replica.read() as view:
        refused = chains.refused(view.reader)
    devices: dict[bytes, int] = {}
    for (channel, device), seq in refused.items():
        limit = roster.limit(device, channel)
        if limit is not None and seq > limit[0]:
            devices[device] = devices.get(device, 0) + seq - limit[0]
    return [
        Problem(
            "author-revoked",
            f"Of the revoked device {name_of(roster, device, ledger.secrets)!r}, {count:,} of its last commits were "
            f"not taken in: no other device had them when it was revoked. They are still on it: "
            f"`vademecum export FILE` there and `vademecum import FILE` here carry over what they say.",
            device=device,
        )
        for device, count in devices.items()
    ]


def _meant(ledger: ReplicaLedger, name: str) -> Device:
    """The device with that name, or whose id begins so. Raises `NotFound`, `InvalidArgument` where several do."""
    known = list_devices(ledger)
    if ledger.revoked:
        raise DeviceRevoked("This device was revoked: it has no say in the vault any more.")
    found = [one for one in known if one.name == name and not one.revoked]
    if not found:
        found = [one for one in known if len(name) >= SHOWN and one.id.hex().startswith(name.lower())]
    if not found:
        gone = next((one for one in known if one.name == name), None)
        if gone is not None:
            raise Refused(f"{name!r} is revoked already, since {(gone.revoked_at or '')[:10]}.")
        names = ", ".join(repr(one.name) for one in known if not one.revoked and one.role != RECOVERY)
        raise NotFound(f"No device of this vault is called {name!r}; there are {names}.")
    if len(found) > 1:
        ids = ", ".join(one.id.hex()[:SHOWN] for one in found)
        raise InvalidArgument(f"Several devices are called {name!r}; say which by the beginning of its id: {ids}.")
    if found[0].revoked:
        raise Refused(f"{found[0].name!r} is revoked already, since {(found[0].revoked_at or '')[:10]}.")
    return found[0]


def _ring(vault: Vault) -> None:
    if vault.replica.rings is not None:
        vault.replica.rings()


def _either(names: list[str]) -> str:
    return " or ".join(repr(name) for name in names)


def _now_ms() -> int:
    return int(datetime.now(UTC).timestamp() * 1000)
