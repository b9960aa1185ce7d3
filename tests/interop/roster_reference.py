"""What a roster with revocations says, written once more from section 8 of `docs/protocol.md` alone.

Nothing here imports the project; only the bare primitives are shared. It believes what `reference.check_statement` has
checked, and looks up everything anew instead of remembering it, so that it is short and slow.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import msgpack
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tests.interop.reference import device_id, hkdf, sha256

Json = dict[str, Any]


class Statement(NamedTuple):
    hash: bytes
    kind: str
    author: bytes
    parents: list[bytes]
    at_ms: int
    fields: Json


def parse(raw: bytes) -> Statement:
    assert raw[:3] == b"VR\x01"
    kind, _, _, author, parents, at_ms, fields = msgpack.unpackb(raw[3:-64])
    return Statement(sha256(raw), kind, author, parents, at_ms, fields)


class Rosters:
    """The statements of one roster, in any order."""

    def __init__(self, vault: bytes, statements: list[bytes]) -> None:
        self.vault = vault
        self.all = {one.hash: one for one in map(parse, statements)}

    def past(self, statement: Statement) -> set[bytes]:
        found: set[bytes] = set()
        for parent in statement.parents:
            found |= {parent} | self.past(self.all[parent])
        return found

    def admitted_by(self, statement: Statement) -> list[bytes]:
        return [device_id(entry[0], entry[1]) for entry in statement.fields.get("members", [])]

    def counts(self, statement: Statement) -> bool:
        """A revocation counts as a revocation always; this is of everything else that a statement says."""
        if statement.kind == "genesis":
            return True
        before = self.past(statement)
        let_in = any(statement.author in self.admitted_by(self.all[h]) and self.counts(self.all[h]) for h in before)
        return let_in and all(statement.hash in self.past(revocation) for revocation in self.against(statement.author))

    def against(self, device: bytes) -> list[Statement]:
        return [one for one in self.all.values() if device in one.fields.get("revoked", [])]

    def revoked(self) -> set[bytes]:
        known = {device for one in self.all.values() for device in self.admitted_by(one)}
        in_ = {device for one in self.all.values() if self.counts(one) for device in self.admitted_by(one)}
        return {device for device in known if device not in in_ or self.against(device)}

    def in_force(self) -> Statement:
        begun = [one for one in self.all.values() if "check" in one.fields and self.counts(one)]
        return max(begun, key=lambda one: (one.fields["epoch"], one.author, one.hash))

    def ends(self) -> dict[tuple[bytes, bytes], tuple[int, bytes]]:
        """(revoked device, channel) → (seq, hash)."""
        found: dict[tuple[bytes, bytes], tuple[int, bytes]] = {}
        for one in self.all.values():
            for device, channel, seq, its_hash in one.fields.get("held", []):
                if self.counts(one) and device in self.revoked():
                    found[device, channel] = max(found.get((device, channel), (0, b"")), (seq, its_hash))
        return found

    def earlier_keys(self, statement: Statement, epoch_key: bytes) -> dict[bytes, bytes]:
        """hash of the statement that began it → key, of the epochs whose keys are under this one's."""
        number = struct.pack(">I", statement.fields["epoch"])
        key = hkdf(epoch_key, b"vademecum/earlier-epochs/v1" + self.vault + number)
        sealed = statement.fields["keys"]
        joined = AESGCM(key).decrypt(sealed[:12], sealed[12:], None)
        earlier = statement.fields["earlier"]
        assert len(joined) == 32 * len(earlier)
        return {its: joined[32 * at : 32 * at + 32] for at, its in enumerate(earlier)}
