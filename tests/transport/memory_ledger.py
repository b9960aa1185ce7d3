"""A replica in memory: keeps sealed commits as they are, checks signatures and chains, and opens nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from tests.transport.family import AT, Family, device
from vademecum.errors import BadSignature, MalformedBytes
from vademecum.transport import login
from vademecum.transport.commit import NO_PREVIOUS, commit_hash, seal, verify
from vademecum.transport.contract import Problem, Received
from vademecum.transport.keys import DeviceKeys, channel_id, channel_key
from vademecum.transport.roster import Roster, VaultSecrets, add

FIRST = channel_id(b"n" * 32, "user.public")
SECOND = channel_id(b"n" * 32, "user.private")


class MemoryLedger:
    """Implements ``Ledger``. ``write`` is a local change that waits to be sealed."""

    def __init__(self, keys: DeviceKeys, roster: Roster, secrets: VaultSecrets) -> None:
        self.keys = keys
        self._roster = roster
        self._secrets = secrets
        self.chains: dict[bytes, dict[bytes, list[bytes]]] = {}
        self._pending: list[tuple[bytes, bytes]] = []
        self._positions: dict[bytes, tuple[bytes, int]] = {}
        self._seen: dict[bytes, dict[bytes, int]] = {}
        self.recorded: list[tuple[str, tuple[Problem, ...]]] = []
        self.batches: list[int] = []
        self.answers = False
        """Whether taking in commits makes this replica write one itself, as hearing of a forgotten agent does."""

    # --- what a test does with it -------------------------------------------------------------------------------

    def write(self, channel: bytes = FIRST, content: bytes = b"") -> None:
        self._pending.append((channel, content or os.urandom(40)))

    def forget_acknowledged(self) -> None:
        """As after a kill in the moment before it was noted."""
        self._seen.clear()

    def content(self) -> dict[bytes, dict[bytes, list[bytes]]]:
        """Channel → device → its commits, in order: equal on two replicas that are in step."""
        return {name: {who: list(chain) for who, chain in chains.items()} for name, chains in self.chains.items()}

    def own(self) -> set[bytes]:
        return {one for chains in self.chains.values() for one in chains.get(self.device, [])}

    # --- Ledger -------------------------------------------------------------------------------------------------

    @property
    def vault(self) -> bytes:
        return self._roster.vault

    @property
    def device(self) -> bytes:
        return self.keys.device

    def roster(self) -> Roster:
        return self._roster

    def merge_roster(self, statements: Sequence[bytes]) -> Roster:
        self._roster = self._roster.merge(statements)
        return self._roster

    def sign_login(self, origin: str, nonce: bytes, expiry: int) -> bytes:
        return login.sign_login(self.keys, origin=origin, vault=self.vault, nonce=nonce, expiry_ms=expiry)

    def seal_pending(self) -> int:
        pending, self._pending = self._pending, []
        for channel, content in pending:
            chain = self.chains.setdefault(channel, {}).setdefault(self.device, [])
            chain.append(
                self.sealed(channel, len(chain) + 1, commit_hash(chain[-1]) if chain else NO_PREVIOUS, content)
            )
        return len(pending)

    def sealed(self, channel: bytes, seq: int, previous: bytes, content: bytes) -> bytes:
        return seal(
            self.keys,
            channel_key(self._secrets.epoch_key, self._secrets.epoch, channel),
            vault=self.vault,
            channel=channel,
            epoch=self._secrets.epoch,
            generation=0,
            seq=seq,
            previous=previous,
            plaintext=content.ljust(64, b"\0"),
            nonce=os.urandom(24),
        )

    def channels(self) -> Sequence[bytes]:
        return [name for name, chains in self.chains.items() if any(chains.values())]

    def frontier(self, channel: bytes) -> Mapping[bytes, tuple[int, bytes]]:
        chains = self.chains.get(channel, {})
        return {who: (len(chain), commit_hash(chain[-1])) for who, chain in chains.items() if chain}

    def position(self, channel: bytes) -> tuple[bytes, int]:
        return self._positions.get(channel, (b"", 0))

    def acknowledged(self, channel: bytes) -> Mapping[bytes, int]:
        return dict(self._seen.get(channel, {}))

    def commits_lacking(self, channel: bytes, have: Mapping[bytes, int], limit_bytes: int) -> Sequence[bytes]:
        found: list[bytes] = []
        size = 0
        for who, chain in self.chains.get(channel, {}).items():
            for commit in chain[have.get(who, 0) :]:
                if found and size + len(commit) > limit_bytes:
                    return found
                found.append(commit)
                size += len(commit)
        return found

    def receive(self, channel: bytes, log_id: bytes, items: Sequence[tuple[int, bytes]], position: int) -> Received:
        applied = duplicates = 0
        problems: list[Problem] = []
        for _, commit in items:
            problem = self._take(channel, commit)
            applied += problem is None
            duplicates += problem == ""
            if problem:
                problems.append(Problem("quarantined", problem, channel))
        self._positions[channel] = log_id, position
        self.batches.append(len(items))
        if self.answers and applied:
            self.write(channel)
        return Received(applied, duplicates, 0, tuple(problems))

    def _take(self, channel: bytes, commit: bytes) -> str | None:
        """None if the commit was taken, nothing if it was here, else what is wrong with it."""
        try:
            who = self._roster.members[commit[36:52]]
            header = verify(commit, who.public)
        except (BadSignature, MalformedBytes, KeyError) as error:
            return repr(error)
        chain = self.chains.setdefault(channel, {}).setdefault(header.device, [])
        if header.seq <= len(chain):
            return "" if chain[header.seq - 1] == commit else "fork"
        if header.seq != len(chain) + 1 or header.previous != (commit_hash(chain[-1]) if chain else NO_PREVIOUS):
            return "gap or fork"
        chain.append(commit)
        seen = self._seen.setdefault(channel, {})
        seen[header.device] = max(seen.get(header.device, 0), header.seq)
        return None

    def acknowledge(
        self, channel: bytes, log_id: bytes, accepted: Sequence[tuple[bytes, int, int]], position: int
    ) -> None:
        seen = self._seen.setdefault(channel, {})
        for who, seq, _ in accepted:
            seen[who] = max(seen.get(who, 0), seq)
        self._positions[channel] = log_id, position

    def release(self, channel: bytes, device: bytes, seq: int) -> bool:
        return False

    def record(self, state: str, problems: Sequence[Problem]) -> None:
        self.recorded.append((state, tuple(problems)))


def replicas(family: Family, count: int) -> list[MemoryLedger]:
    """The founder and ``count - 1`` more devices, all of which know the whole roster."""
    roster = family.roster
    for number in range(1, count):
        statement = add(family.keys, roster, device(number).public, "more", secrets=family.secrets, at_ms=AT + number)
        roster = roster.merge([statement])
    return [MemoryLedger(device(number), roster, family.secrets) for number in range(count)]
