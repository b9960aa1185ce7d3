"""Bringing a new device into the vault: the two ends of a pairing through a relay's mailbox."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from vademecum.engine.replica import Transaction
from vademecum.errors import NoRelay
from vademecum.founding import check_free, check_room, make_folder
from vademecum.sealing import make_sealed, new_seal, recovery_public
from vademecum.storage.tables import Table
from vademecum.transport import chains, roster
from vademecum.transport.grant import Grant
from vademecum.transport.keys import DeviceKeys, DevicePublic
from vademecum.transport.ledger import ReplicaLedger, keep_statements
from vademecum.transport.login import origin_of
from vademecum.transport.mailbox import PAIRING_SECONDS, exchange
from vademecum.transport.pairing import Inviter, Joiner
from vademecum.transport.pairing_code import CODE_ENTROPY, new_code, normal_code
from vademecum.unlocking import Passphrase, as_text
from vademecum.vault import RELAY, Joined, Vault, wall_ms

__all__ = ["admit", "join"]


async def admit(vault: Vault, show: Callable[[str], None], timeout: float | None) -> Joined:
    """The member's end; see `Vault.pair`."""
    relay = vault.relay
    if relay is None:
        raise NoRelay("Pairing goes through a relay, and this vault uses none. `vademecum relay use URL` sets one.")
    vault.settle()
    ledger = vault.ledger()
    names: list[str] = []

    def grant(public: DevicePublic, name: str) -> Grant:
        names.append(name)
        return _admission(ledger, vault.keys(), public, name, relay)

    code = new_code(os.urandom(CODE_ENTROPY))
    inviter = Inviter(code, grant)
    await exchange(relay, inviter, timeout=PAIRING_SECONDS if timeout is None else timeout, ready=lambda: show(code))
    await vault.sync_once()  # so that the relay and the other devices know the new member
    return Joined(names[0], inviter.fingerprint or "")


def _admission(ledger: ReplicaLedger, keys: DeviceKeys, public: DevicePublic, name: str, relay: str) -> Grant:
    known = ledger.roster()
    if public.device not in known.members:
        known = ledger.merge_roster([roster.add(keys, known, public, name, secrets=ledger.secrets, at_ms=wall_ms())])
    return Grant(
        known.vault,
        keys.device,
        tuple(statement.raw for statement in known.statements),
        relay,
        {channel: _relayed(ledger, channel) for channel in ledger.channels()},
    )


def _relayed(ledger: ReplicaLedger, channel: bytes) -> dict[bytes, tuple[int, bytes]]:
    """The part of our frontier that the relay is known to hold: what the new device must be offered at least."""
    relayed = ledger.acknowledged(channel)
    return {
        device: (seq, commit)
        for device, (seq, commit) in ledger.frontier(channel).items()
        if relayed.get(device, 0) >= seq
    }


async def join(
    home: Path, code: str, relay: str, name: str, *, sealed: bool = False, passphrase: Passphrase | None = None
) -> tuple[Vault, str]:
    """The new device's end; see `Vault.join`."""
    origin_of(relay)
    secret = None if passphrase is None else as_text(passphrase)
    check_free(home)
    check_room(home)  # once the code has been used, the other device has admitted this one
    keys = DeviceKeys.generate()
    joiner = Joiner(normal_code(code), keys.public, name)
    await exchange(relay, joiner)
    grant, members = joiner.grant, joiner.roster
    assert grant is not None and members is not None  # the machine is done

    def fill(transaction: Transaction) -> None:
        keep_statements(transaction, members)
        transaction.writer.put(Table.META, RELAY, relay.encode())
        for channel, entries in grant.frontier.items():
            for device, (seq, _) in entries.items():
                chains.set_acknowledged(transaction.writer, channel, device, seq)

    make = partial(
        make_folder,
        home,
        vault=grant.vault,
        device=keys.device,
        name=name,
        keys=keys.to_bytes(),
        fill=fill,
        wall=wall_ms,
    )
    if sealed or secret is not None:
        make_sealed(make, home, new_seal(grant.vault, keys.device, recovery_public(members), secret))
    else:
        make()
    return Vault.open(home, passphrase=secret), joiner.fingerprint or ""
