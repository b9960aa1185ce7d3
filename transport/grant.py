"""What an inviter hands to a device that it has just admitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from vademecum.errors import MalformedBytes
from vademecum.transport.commit import HASH_SIZE
from vademecum.transport.keys import ID_SIZE
from vademecum.transport.statement import MAX_STATEMENT
from vademecum.transport.strict import as_array, as_bytes, as_int, as_map, as_text, pack, unpack

__all__ = ["MAX_GRANT", "Grant"]

MAX_GRANT: Final = 960 << 10  # bytes; of eight devices, a hundred that were there before; or fewer and many channels

_VERSION: Final = 1
_MAX_URL: Final = 2048


@dataclass(frozen=True)
class Grant:
    """All that a new device needs to take part.

    It travels inside the pairing's encryption, whose key only the two devices that know the code have: no signature is
    needed for the new device to believe it.

    Args:
        vault: the vault's id.
        inviter: device id of the member that admitted the new device.
        statements: the whole roster, the new device's admission included; its secrets are wrapped in there.
        relay: URL of the relay the vault is set to use, or None.
        frontier: channel → device → (seq, hash) of what the inviter holds. What a relay offers on the first sync must
            come to at least this: so a rewind shows even to a device that has never synced.
    """

    vault: bytes
    inviter: bytes
    statements: tuple[bytes, ...]
    relay: str | None
    frontier: Mapping[bytes, Mapping[bytes, tuple[int, bytes]]]

    def to_bytes(self) -> bytes:
        """For `from_bytes`."""
        frontier = {
            channel: {device: [seq, commit] for device, (seq, commit) in sorted(entries.items())}
            for channel, entries in sorted(self.frontier.items())
        }
        return pack([_VERSION, self.vault, self.inviter, list(self.statements), self.relay, frontier])

    @classmethod
    def from_bytes(cls, data: bytes) -> Grant:
        """Reads `to_bytes`. Raises MalformedBytes."""
        value = unpack(data, "A grant", at_most=MAX_GRANT)
        version, vault, inviter, statements, relay, frontier = as_array(value, "A grant", exactly=6)
        if version != _VERSION:
            raise MalformedBytes("A grant is of a version that this program does not know.")
        return cls(
            as_bytes(vault, "The vault of a grant", exactly=ID_SIZE),
            as_bytes(inviter, "The inviter of a grant", exactly=ID_SIZE),
            tuple(
                as_bytes(statement, "A statement in a grant", at_most=MAX_STATEMENT)
                for statement in as_array(statements, "The statements of a grant")
            ),
            None if relay is None else as_text(relay, "The relay of a grant", at_most=_MAX_URL),
            {
                as_bytes(channel, "A channel in a grant", exactly=ID_SIZE): _entries(entries)
                for channel, entries in as_map(frontier, "The frontier of a grant").items()
            },
        )


def _entries(value: object) -> dict[bytes, tuple[int, bytes]]:
    entries: dict[bytes, tuple[int, bytes]] = {}
    for device, entry in as_map(value, "A channel's frontier in a grant").items():
        seq, commit = as_array(entry, "A frontier's entry", exactly=2)
        entries[as_bytes(device, "A device in a frontier", exactly=ID_SIZE)] = (
            as_int(seq, "A seq in a frontier", at_least=1),
            as_bytes(commit, "A hash in a frontier", exactly=HASH_SIZE),
        )
    return entries
