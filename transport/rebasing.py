"""Snapshots of a replica's scopes: sealing one, and building a channel on another one.

What a snapshot does to the memory is the engine's (`engine/generations.py`); here it is opened, checked, and brought
together with the chains of commits, in one transaction: the chains begin anew behind its frontier. Commits of this
device's own beyond that frontier were never kept by the relay; their changes wait in the outbox again and are sealed
with the same numbers. Of another device whose commits go beyond it, the rows are kept, and because a document can
hold only what its own devices wrote, the replica then wants to offer a snapshot with both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from vademecum.engine.documents import Generation, generation_at
from vademecum.engine.forgetting import COMPACT
from vademecum.engine.generations import adopt, take_snapshot
from vademecum.engine.replica import Replica, Transaction
from vademecum.engine.scopes import parse_scope
from vademecum.engine.snapshots import Snapshot, base_client, decode_snapshot, encode_snapshot
from vademecum.errors import AuthorRevoked, InvalidArgument, InvalidScope, InvalidSnapshot, PeerFault
from vademecum.storage.tables import Table
from vademecum.storage.transaction import Reader, Writer
from vademecum.transport import chains
from vademecum.transport.commit import commit_hash
from vademecum.transport.contract import Problem, Received
from vademecum.transport.epochs import opened_with
from vademecum.transport.frames import Base, Frontier
from vademecum.transport.intake import Twin
from vademecum.transport.keys import DeviceKeys, channel_id, channel_key
from vademecum.transport.roster import Roster
from vademecum.transport.snapshot import join_parts, open_snapshot, parse_part, seal_snapshot, snapshot_id
from vademecum.transport.vault_secrets import VaultSecrets

__all__ = ["Rebasing", "is_due"]

LEAST: Final = 1 << 20
"""Bytes of commits for which a snapshot is never made …"""
TIMES: Final = 4
"""… nor for less than so many times the bytes of the rows."""


class _Opened(NamedTuple):
    base: Base
    author: bytes
    frontier: Frontier
    scope: str
    snapshot: Snapshot


class Rebasing:
    """Makes and adopts the snapshots of one channel. With *tripwire*, `adopt` raises `Twin` where a snapshot contains
    commits in the name of this replica that it has not written; then nothing has changed.
    """

    def __init__(
        self, vault: bytes, channel: bytes, roster: Roster, secrets: VaultSecrets, *, tripwire: bool = False
    ) -> None:
        self._tripwire = tripwire
        self._vault = vault
        self._channel = channel
        self._roster = roster
        self._secrets = secrets

    def make(
        self, transaction: Transaction, keys: DeviceKeys, generation: int, entropy: Callable[[int], bytes]
    ) -> Sequence[bytes]:
        """The sealed parts of all that is here, for *generation* or a later one; none if they would be too many.

        O(rows and journal of the scope).
        """
        scope = chains.scope_of(transaction.reader, self._channel)
        frontier = chains.frontier(transaction.reader, self._channel)
        if scope is None or not frontier:
            return []
        snapshot = take_snapshot(transaction, scope, generation)
        try:
            return seal_snapshot(
                keys,
                channel_key(self._secrets.epoch_key, self._secrets.epoch, self._channel),
                vault=self._vault,
                channel=self._channel,
                epoch=self._secrets.epoch,
                generation=snapshot.generation,
                frontier=frontier,
                scope=scope,
                content=encode_snapshot(snapshot),
                entropy=entropy,
            )
        except InvalidArgument:
            return []

    def adopt(self, replica: Replica, parts: Sequence[bytes], also: Callable[[Writer], None]) -> Received:
        """Builds the channel on the snapshot, and runs *also* in the same transaction.

        Only trouble with the store is raised, and then nothing has changed; as where the snapshot is not sound.
        """
        try:
            opened = self.open(parts)
            return replica.write(lambda transaction: self._adopt(transaction, opened, also))
        except PeerFault as error:
            message = f"A snapshot of channel {self._channel.hex()} was set aside: {error.message}"
            return Received(quarantined=(Problem(error.code, message, self._channel),))

    def open(self, parts: Sequence[bytes]) -> _Opened:
        """Verifies, joins and decrypts. Raises `PeerFault`."""
        if not parts:
            raise InvalidSnapshot("A snapshot has no parts.")
        first = join_parts(parts, self._roster.member(parse_part(parts[0]).device).public)
        if first.vault != self._vault or first.channel != self._channel:
            raise InvalidSnapshot("It belongs to another vault or channel than the one it came in.")
        its_id = snapshot_id(parts[-1])
        if not self._roster.accepts_snapshot(first.device, its_id):
            raise AuthorRevoked("Its device has been revoked, and no other device of the vault builds on it.")
        scope, content = opened_with(self._secrets, first.epoch, self._channel, lambda key: open_snapshot(parts, key))
        try:
            parse_scope(scope)
        except InvalidScope as error:
            raise InvalidSnapshot("It is for a scope that cannot exist.") from error
        if channel_id(self._secrets.naming_key, scope) != self._channel:
            raise InvalidSnapshot("It is for a scope that has another channel.")
        snapshot = decode_snapshot(content)
        if snapshot.generation != first.generation:
            raise InvalidSnapshot("Its content is of another generation than it says outside.")
        return _Opened((first.generation, its_id), first.device, first.frontier, scope, snapshot)

    def _look_for_twin(self, reader: Reader, device: bytes, frontier: Frontier, end: tuple[int, bytes]) -> None:
        """Raises `Twin` where *frontier* names another chain of this device than the one here, which ends in *end*."""
        seq, its_hash = frontier.get(device, chains.NO_COMMIT)
        if seq > end[0]:
            raise Twin(self._channel, device, end[0] + 1)
        here = chains.commit_at(reader, self._channel, device, seq)
        if (seq == end[0] and its_hash != end[1]) or (here is not None and commit_hash(here) != its_hash):
            raise Twin(self._channel, device, seq)

    def _adopt(self, transaction: Transaction, opened: _Opened, also: Callable[[Writer], None]) -> Received:
        writer, channel, device = transaction.writer, self._channel, transaction.device
        base, author, frontier, scope, snapshot = opened
        current = chains.base(writer, channel)
        if base == current or base[0] < current[0]:
            also(writer)
            return Received(duplicates=1)
        ours = chains.frontier(writer, channel)
        if self._tripwire:
            self._look_for_twin(writer, device, frontier, ours.get(device, chains.NO_COMMIT))
        number = transaction.number(scope)
        if number is not None and generation_at(writer, number) == Generation(base[0], base_client(snapshot)):
            # The very same document under another seal: what was written in it since goes on.
            chains.set_base(writer, channel, base)
            chains.set_base_author(writer, channel, author)
            also(writer)
            return Received(duplicates=1)
        beyond = {who for who, end in ours.items() if not _contains(frontier, who, end)}
        unsent = device in beyond or (number is not None and writer.has(Table.OUTBOX, number))
        beyond = (beyond | chains.carried(writer, channel)) - {device}
        adopted = adopt(transaction, scope, snapshot, beyond=beyond)
        chains.set_scope(writer, channel, scope)
        chains.rebase(writer, channel, base, frontier)
        chains.set_base_author(writer, channel, author)
        chains.set_carried(writer, channel, beyond if adopted.carried else ())
        if adopted.carried:
            writer.put(Table.META, COMPACT + scope.encode(), b"\x01")
        elif not unsent:
            writer.delete(Table.META, COMPACT + scope.encode())
        also(writer)
        return Received(applied=1)


def is_due(replica: Replica, channel: bytes) -> bool:
    """Whether something in *channel* was forgotten, or its commits outweigh what they have led to.

    O(1) nearly always; O(rows of the scope) each time that the commits have doubled.
    """
    with replica.read() as view:
        scope = chains.scope_of(view.reader, channel)
        number = None if scope is None else view.number(scope)
        if scope is None or number is None:
            return False
        if view.reader.get(Table.META, COMPACT + scope.encode()) is not None:
            return True
        kept, unworthy = chains.weight(view.reader, channel)
        if kept <= max(LEAST, unworthy):
            return False
        enough = max(TIMES * _bytes_of_rows(view.reader, number), LEAST)
    if kept > enough:
        return True
    replica.write(lambda transaction: chains.set_unworthy(transaction.writer, channel, max(enough, 2 * kept)))
    return False


def _bytes_of_rows(reader: Reader, number: bytes) -> int:
    return sum(len(value) for _, value in reader.scan(Table.LEAVES, number))


def _contains(frontier: Frontier, device: bytes, end: tuple[int, bytes]) -> bool:
    """Whether what stands for *frontier* holds the chain of *device* that ends in *end*."""
    seq, its_hash = frontier.get(device, (0, b""))
    return seq > end[0] or (seq, its_hash) == end
