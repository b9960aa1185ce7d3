"""A copy of a device becomes a device of its own.

All in one transaction: the statement that brings the new device in, signed with the keys that the copy still holds;
the new name in the database; and what the device has written that nobody else may have, said again under that name
(`vademecum.engine.renewing`).

What of the old device's chains stays here depends on how the copy was noticed. Where its *folder* shows it, before
anything was written in it, every commit that it holds was sealed before there were two: all stay, and are pushed where
they are lacking. Where *another's commit* shows it, any commit that a relay was not seen to hold may be a twin of
another one: those are given up, with their content said again, and the chain that the relay holds is taken in. Chains
of devices that this installation was before are treated in the same way, so that no fork of them stays.

Nothing is lost on either side: what is given up here is said again here, and what the other copy holds comes from it.
At most, both send the same record, in two slots.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import msgpack

from vademecum.engine.changes import decode_changes
from vademecum.engine.documents import generation_at
from vademecum.engine.merging import bind_clients
from vademecum.engine.renewing import TakenOut, put_back, take_out
from vademecum.engine.replica import Replica, Transaction
from vademecum.errors import CannotDecrypt
from vademecum.storage.identity import OWNER, owner_mark
from vademecum.storage.installation import INSTANCE, token_hash
from vademecum.storage.tables import Table
from vademecum.storage.transaction import Reader, Writer
from vademecum.transport import chains
from vademecum.transport.intake import Intake
from vademecum.transport.keys import DeviceKeys, channel_id
from vademecum.transport.roster import MAX_NAME, Roster, member_name, open_secrets, succeed
from vademecum.transport.vault_secrets import VaultSecrets

__all__ = ["Copies", "Fork", "Renewal", "Successor", "last_renewal", "renew"]

_RENEWED = b"renewed"


class Fork(NamedTuple):
    """The relay holds another commit than this replica at *seq* of the chain of *device*."""

    channel: bytes
    device: bytes
    seq: int


class Copies:
    """What a ledger needs to know of its installation, to deal with a copy of it. The front door knows the rest."""

    def __init__(
        self,
        keys: Callable[[bytes], DeviceKeys],
        renew: Callable[[Fork], None],
        sealed: Callable[[int], None],
    ) -> None:
        self.keys = keys
        """The secret keys of a device that this installation is."""
        self.renew = renew
        """Makes this installation another device."""
        self.sealed = sealed
        """Told how many commits this installation has sealed, when that is durable."""


@dataclass(frozen=True, slots=True)
class Renewal:
    """That this installation became *device*, called *name*, at a time in milliseconds since 1970; it was *former*.

    ``why`` is what showed the copy: ``copied``, ``restored`` or ``twin``.
    """

    at_ms: int
    why: str
    former: bytes
    device: bytes
    name: str


@dataclass(frozen=True, slots=True)
class Successor:
    """What the copy is to be from now on: keys, CRDT client id, instance token."""

    keys: DeviceKeys
    client: int
    token: bytes


def renew(
    replica: Replica,
    vault: bytes,
    former: DeviceKeys,
    successor: Successor,
    *,
    why: str,
    fork: Fork | None,
    at_ms: int,
    keep: Callable[[Writer, str], None],
) -> bool:
    """Makes the installation that was *former* into *successor*.

    Args:
        former: keys of the device that *replica* is.
        fork: where a commit of another copy was seen; None where the folder itself told.
        at_ms: wall clock, milliseconds since 1970.
        keep: stores the successor's keys, so that they are there when the transaction is. Called inside it, with the
            successor's name.

    Returns:
        False if another process has renewed the installation meanwhile, or the device has been revoked: a copy of it
        is in nobody's way.

    Raises:
        InvalidRoster, UnknownDevice, CannotDecrypt: the roster or the keys here are of no use. Nothing has changed.
    """
    client = replica.client

    def work(transaction: Transaction) -> None:
        writer = transaction.writer
        roster = Roster.verify(vault, [raw for _, raw in writer.scan(Table.ROSTER)])
        secrets = open_secrets(roster, former)
        if roster.is_revoked(former.device):
            raise _Revoked
        name = _free_name(roster, former.device, secrets)
        keep(writer, name)
        statement = succeed(former, roster, successor.keys.public, name, secrets=secrets, at_ms=at_ms)
        roster = roster.merge([statement])
        for one in roster.statements:
            writer.put(Table.ROSTER, one.hash, one.raw)
        formers = chains.former_clients(writer) | {former.device: client}
        taken = [
            (scope, _take_out(writer, number, scope, device, its, device == former.device, fork, roster, secrets))
            for number, scope in sorted(transaction.scope_names().items())
            for device, its in formers.items()
        ]
        writer.put(Table.META, OWNER, vault + owner_mark(successor.keys.device, successor.client))
        writer.put(Table.META, INSTANCE, token_hash(successor.token))
        bind_clients(transaction, [(former.device, client)])
        chains.set_former_clients(writer, formers)
        chains.forget_told(writer)
        renewal = Renewal(at_ms, why, former.device, successor.keys.device, name)
        writer.put(Table.META, _RENEWED, _packed(renewal))
        for scope, records in taken:
            put_back(transaction, scope, records)

    try:
        return replica.renew(successor.keys.device, successor.client, work)
    except _Revoked:
        return False


class _Revoked(Exception):
    """The device that was copied has been revoked."""


def last_renewal(reader: Reader) -> Renewal | None:
    """The last time that this installation became another device, if it ever did."""
    found = reader.get(Table.META, _RENEWED)
    return None if found is None else Renewal(*msgpack.unpackb(found))


def _take_out(
    writer: Writer,
    number: bytes,
    scope: str,
    device: bytes,
    client: int,
    current: bool,
    fork: Fork | None,
    roster: Roster,
    secrets: VaultSecrets,
) -> TakenOut:
    dropped = []
    if fork is not None:
        channel = channel_id(secrets.naming_key, scope)
        intake = Intake(roster.vault, channel, roster, secrets)
        for data in chains.cut(writer, channel, device, _common(writer, channel, device, fork)):
            header, body = intake.open(data)
            if header.generation == generation_at(writer, number).number:
                dropped.append(decode_changes(body.changes))
    return take_out(writer, number, device, client, current=current, dropped=dropped)


def _common(reader: Reader, channel: bytes, device: bytes, fork: Fork) -> int:
    """How many commits of a chain the relay has in common with this replica, at least."""
    seen = chains.acknowledged(reader, channel).get(device, 0)
    if (fork.channel, fork.device) == (channel, device) and seen >= fork.seq:
        return 0  # the relay has lost what it had, and been given another chain
    return min(seen, chains.frontier(reader, channel).get(device, chains.NO_COMMIT)[0])


def _free_name(roster: Roster, device: bytes, secrets: VaultSecrets) -> str:
    """``laptop (2)``, or the next number that no device has."""
    taken = {_name(roster, one, secrets) for one in roster.members}
    stem = _name(roster, device, secrets)
    base, _, number = stem.removesuffix(")").rpartition(" (")
    if stem.endswith(")") and base and number.isdecimal():
        stem = base
    for number_ in range(2, len(taken) + 3):
        tail = f" ({number_})"
        name = stem.encode()[: MAX_NAME - len(tail)].decode(errors="ignore") + tail
        if name not in taken:
            return name
    raise AssertionError("there are more numbers than names")


def _name(roster: Roster, device: bytes, secrets: VaultSecrets) -> str:
    try:
        return member_name(roster, device, secrets)
    except CannotDecrypt:  # of an epoch that began elsewhere, whose keys are still to come
        return device.hex()[:8]


def _packed(renewal: Renewal) -> bytes:
    fields = [renewal.at_ms, renewal.why, renewal.former, renewal.device, renewal.name]
    return bytes(msgpack.packb(fields))
