"""Small vaults with fixed keys, for tests."""

from __future__ import annotations

from dataclasses import dataclass

from vademecum.transport import roster as rosters
from vademecum.transport.keys import DeviceKeys
from vademecum.transport.roster import Roster, VaultSecrets

AT = 1_790_000_000_000


def device(number: int) -> DeviceKeys:
    """The same keys for the same number (0 to 99)."""
    return DeviceKeys(bytes([number]) * 32, bytes([100 + number]) * 32)


@dataclass(frozen=True)
class Family:
    """A vault founded by `device(founder)`, with `device(99)` as its recovery key."""

    keys: DeviceKeys
    recovery: DeviceKeys
    genesis: bytes
    roster: Roster
    secrets: VaultSecrets


def found(founder: int = 0, salt: bytes = bytes(16)) -> Family:
    keys, recovery = device(founder), device(99)
    genesis = rosters.genesis(
        keys, recovery.public, "laptop", salt=salt, epoch_key=b"e" * 32, naming_key=b"n" * 32, at_ms=AT
    )
    roster = Roster.verify(None, [genesis])
    return Family(keys, recovery, genesis, roster, rosters.open_secrets(roster, keys))
