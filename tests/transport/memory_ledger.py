"""A replica in memory: keeps sealed commits as they are, and checks signatures and chains.

Its memory is a set of facts for each channel, (device, content of a commit), in place of slots: nothing overwrites
anything, so what merging must keep can be seen at once.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import msgpack

from tests.transport.family import AT, Family, device
from vademecum.errors import BadSignature, MalformedBytes, PeerFault
from vademecum.transport import login
from vademecum.transport.commit import NO_PREVIOUS, commit_hash, open_body, seal, verify
from vademecum.transport.contract import Problem, Received
from vademecum.transport.frames import BEGINNING, Base
from vademecum.transport.keys import DeviceKeys, channel_id, channel_key
from vademecum.transport.roster import Roster, VaultSecrets, add
from vademecum.transport.snapshot import join_parts, open_snapshot, parse_part, seal_snapshot, snapshot_id

FIRST = channel_id(b"n" * 32, "user.public")
SECOND = channel_id(b"n" * 32, "user.private")


class MemoryLedger:
    """Implements ``Ledger``. ``write`` is a local change that waits to be sealed."""

    def __init__(self, keys: DeviceKeys, roster: Roster, secrets: VaultSecrets) -> None:
        self.keys = keys
        self._roster = roster
        self._secrets = secrets
        self.chains: dict[bytes, dict[bytes, list[bytes]]] = {}  # behind the floor
        self.floor: dict[bytes, dict[bytes, tuple[int, bytes]]] = {}  # what the snapshot stands for
        self.bases: dict[bytes, Base] = {}
        self.facts: dict[bytes, set[tuple[bytes, bytes]]] = {}
        self.due: set[bytes] = set()
        self.carried: dict[bytes, set[bytes]] = {}
        self.adopted = 0
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

    def follow(self) -> None:
        pass

    def tend(self) -> None:
        pass

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
            seq, previous = self._end(channel, self.device)
            chain = self.chains.setdefault(channel, {}).setdefault(self.device, [])
            chain.append(self.sealed(channel, seq + 1, previous, content))
            self.facts.setdefault(channel, set()).add((self.device, content.ljust(64, b"\0")))
        return len(pending)

    def _end(self, channel: bytes, who: bytes) -> tuple[int, bytes]:
        seq, last = self.floor.get(channel, {}).get(who, (0, NO_PREVIOUS))
        chain = self.chains.get(channel, {}).get(who, [])
        return seq + len(chain), commit_hash(chain[-1]) if chain else last

    def _key(self, channel: bytes) -> bytes:
        return channel_key(self._secrets.epoch_key, self._secrets.epoch, channel)

    def sealed(self, channel: bytes, seq: int, previous: bytes, content: bytes) -> bytes:
        return seal(
            self.keys,
            self._key(channel),
            vault=self.vault,
            channel=channel,
            epoch=self._secrets.epoch,
            generation=self.base(channel)[0],
            seq=seq,
            previous=previous,
            plaintext=content.ljust(64, b"\0"),
            nonce=os.urandom(24),
        )

    def channels(self) -> Sequence[bytes]:
        return [name for name in {**self.floor, **self.chains} if self.frontier(name)]

    def base(self, channel: bytes) -> Base:
        return self.bases.get(channel, BEGINNING)

    def frontier(self, channel: bytes) -> Mapping[bytes, tuple[int, bytes]]:
        devices = {**self.floor.get(channel, {}), **self.chains.get(channel, {})}
        ends = {who: self._end(channel, who) for who in devices}
        return {who: end for who, end in ends.items() if end[0]}

    def position(self, channel: bytes) -> tuple[bytes, int]:
        return self._positions.get(channel, (b"", 0))

    def acknowledged(self, channel: bytes) -> Mapping[bytes, int]:
        return dict(self._seen.get(channel, {}))

    def commits_lacking(self, channel: bytes, have: Mapping[bytes, int], limit_bytes: int) -> Sequence[bytes]:
        found: list[bytes] = []
        size = 0
        for who, chain in self.chains.get(channel, {}).items():
            below = self.floor.get(channel, {}).get(who, (0, b""))[0]
            for commit in chain[max(0, have.get(who, 0) - below) :]:
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
        seq, last = self._end(channel, header.device)
        if header.seq <= seq:
            below = seq - len(chain)
            return "" if header.seq <= below or chain[header.seq - 1 - below] == commit else "fork"
        if header.generation != self.base(channel)[0]:
            return "another generation"
        if header.seq != seq + 1 or header.previous != last:
            return "gap or fork"
        chain.append(commit)
        self.facts.setdefault(channel, set()).add((header.device, open_body(commit, self._key(channel))))
        seen = self._seen.setdefault(channel, {})
        seen[header.device] = max(seen.get(header.device, 0), header.seq)
        return None

    def snapshot_due(self, channel: bytes) -> bool:
        return channel in self.due

    def make_snapshot(self, channel: bytes, generation: int) -> Sequence[bytes]:
        return seal_snapshot(
            self.keys,
            self._key(channel),
            vault=self.vault,
            channel=channel,
            epoch=self._secrets.epoch,
            generation=generation,
            frontier=self.frontier(channel),
            scope="any",
            content=msgpack.packb(sorted(map(list, self.facts.get(channel, ())))),
            entropy=os.urandom,
        )

    def adopt(self, channel: bytes, log_id: bytes, parts: Sequence[bytes], position: int) -> Received:
        try:
            author = self._roster.member(parse_part(parts[0]).device).public
            first = join_parts(parts, author)
            _, content = open_snapshot(parts, self._key(channel))
        except PeerFault as error:
            return Received(quarantined=(Problem(error.code, error.message, channel),))
        self._positions[channel] = log_id, position
        base = first.generation, snapshot_id(parts[-1])
        if base == self.base(channel) or base[0] < self.base(channel)[0]:
            return Received(duplicates=1)
        offered = {(who, fact) for who, fact in msgpack.unpackb(content)}
        beyond = {
            who
            for who, (seq, last) in self.frontier(channel).items()
            if first.frontier.get(who, (0, b""))[0] < seq
            or (first.frontier[who][0] == seq and first.frontier[who][1] != last)
        } | self.carried.get(channel, set())
        extra = {fact for fact in self.facts.get(channel, set()) - offered if fact[0] in beyond}
        own = {fact for fact in self.facts.get(channel, set()) - offered if fact[0] == self.device}
        self._pending += [(channel, fact) for _, fact in sorted(own)]
        self.facts[channel] = offered | extra | own
        self.carried[channel] = {who for who, _ in extra if who != self.device}
        self.due.discard(channel)
        if self.carried[channel]:
            self.due.add(channel)
        self.chains[channel] = {}
        self.floor[channel] = dict(first.frontier)
        self.bases[channel] = base
        self._seen[channel] = {who: seq for who, (seq, _) in first.frontier.items()}
        self.adopted += 1
        return Received(applied=1)

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
