"""What a device has to say in the roster by itself, as soon as it learns that another one was revoked.

*What it holds.* Nobody takes in what a revoked device sends later. What of it somebody holds already is the memory's,
so who holds more than the roster names says so, as a witness; then all take it in, and all devices come to agree.

*That the keys go to those who are in the vault.* If two epochs began at the same time, or one did while a device was
let in elsewhere, then the epoch in force is for somebody who was revoked, or not for everybody. An administrator that
sees it begins another one. Where all are connected all see it at the same moment, and one statement is enough: then the
first of them does it, and the others only when they next compare themselves with the relay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vademecum.engine.replica import Replica
from vademecum.errors import Refused
from vademecum.storage.transaction import Reader
from vademecum.transport import chains
from vademecum.transport.frames import BEGINNING
from vademecum.transport.history import ADMINISTRATOR
from vademecum.transport.keys import KEY_SIZE, DeviceKeys
from vademecum.transport.roster import Roster, is_settled, revoke, witness
from vademecum.transport.statement import Held
from vademecum.transport.vault_secrets import VaultSecrets

__all__ = ["due_statements"]


def due_statements(
    replica: Replica,
    roster: Roster,
    keys: DeviceKeys,
    secrets: VaultSecrets,
    *,
    patient: bool,
    entropy: Callable[[int], bytes],
    at_ms: int,
) -> Sequence[bytes]:
    """What the device of *keys* has to say now; nothing where it is in the vault no more. O(channels) at most.

    *patient*: leaves it to the first administrator to begin an epoch.
    """
    me = roster.members.get(keys.device)
    if me is None or me.revoked:
        return ()
    said: list[bytes] = []
    try:
        if any(member.revoked for member in roster.members.values()):
            with replica.read() as view:
                held, snapshots = _unknown(view.reader, roster)
            if held or snapshots:
                said += witness(keys, roster, held, snapshots, at_ms=at_ms)
        administrators = [who for who, one in roster.members.items() if one.role == ADMINISTRATOR and not one.revoked]
        mine = keys.device in (administrators[:1] if patient else administrators)
        if mine and not is_settled(roster, secrets):
            said.append(revoke(keys, roster, (), secrets=secrets, epoch_key=entropy(KEY_SIZE), at_ms=at_ms))
    except Refused:  # the roster is full: whoever wants to change it next is told
        return said
    return said


def _unknown(reader: Reader, roster: Roster) -> tuple[list[Held], list[bytes]]:
    """The ends of revoked devices' chains that lie behind what the roster names, and their snapshots."""
    held: list[Held] = []
    snapshots: list[bytes] = []
    for channel in chains.channels(reader):
        for device, (seq, its_hash) in chains.frontier(reader, channel).items():
            limit = roster.limit(device, channel)
            if limit is not None and seq > limit[0]:
                held.append(Held(device, channel, seq, its_hash))
        base = chains.base(reader, channel)
        author = chains.base_author(reader, channel)
        known = base[1] in roster.snapshots or (author is not None and roster.accepts_snapshot(author, base[1]))
        if base != BEGINNING and not known:
            snapshots.append(base[1])
    return held, snapshots
