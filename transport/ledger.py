"""The ledger: seals what a replica changed into commits, and opens and applies the commits of others.

Implements what the sync machine asks for (`contract.Ledger`). Every step that stores something does so in one
transaction of the replica, so that a kill between two steps leaves either the one state or the other: a change is in
the outbox or in a commit, a commit is applied with its place in the relay's log or not at all.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence

from vademecum.engine.changes import encode_changes
from vademecum.engine.gathering import gather
from vademecum.engine.generations import generation_of
from vademecum.engine.replica import Replica, Transaction
from vademecum.errors import RelayRefused
from vademecum.storage.installation import SEALED
from vademecum.storage.tables import Table
from vademecum.storage.transaction import Writer
from vademecum.transport import chains, login
from vademecum.transport.body import SAFE_CHANGES, Body, encode_body
from vademecum.transport.commit import NONCE_SIZE, commit_hash, seal
from vademecum.transport.contract import Problem, Received
from vademecum.transport.frames import Base
from vademecum.transport.intake import Intake, Twin
from vademecum.transport.keys import DeviceKeys, channel_id, channel_key
from vademecum.transport.rebasing import Rebasing, is_due
from vademecum.transport.roster import Roster, open_secrets
from vademecum.transport.succession import Copies, Fork
from vademecum.transport.sync_state import note_state
from vademecum.transport.tending import due_statements
from vademecum.transport.vault_secrets import VaultSecrets

__all__ = ["ReplicaLedger", "keep_statements", "load_roster"]

_HASH_SHOWN = 8
"""Bytes of a hash in a frontier inside a body."""


class ReplicaLedger:
    """The ledger of one replica. Methods block on the disk; one thread at a time."""

    def __init__(
        self,
        replica: Replica,
        vault: bytes,
        keys: DeviceKeys,
        *,
        entropy: Callable[[int], bytes] = os.urandom,
        wall: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        copies: Copies | None = None,
    ) -> None:
        """Without *copies* a fork of this device's own chain is reported as any other is."""
        self._replica = replica
        self._vault = vault
        self._keys = keys
        self._entropy = entropy
        self._wall = wall
        self._copies = copies
        self._roster = load_roster(replica, vault)
        self._secrets = open_secrets(self._roster, keys)

    @property
    def vault(self) -> bytes:
        return self._vault

    @property
    def device(self) -> bytes:
        return self._keys.device

    @property
    def secrets(self) -> VaultSecrets:
        """Those of the newest epoch that this device was handed, with the others beside them."""
        return self._secrets

    @property
    def revoked(self) -> bool:
        """Whether this device is in the vault no more, as far as it knows."""
        return self.roster().is_revoked(self.device)

    def follow(self) -> None:
        """Goes on as the device that this installation is now, if another process has renewed it."""
        if self._be(self._replica.follow()):
            self._know(load_roster(self._replica, self._vault), anew=True)

    def roster(self) -> Roster:
        with self._replica.read() as view:
            kept = view.reader.count(Table.ROSTER)
        if kept != len(self._roster.statements):  # another process of this device has admitted or revoked somebody
            self._know(load_roster(self._replica, self._vault))
        return self._roster

    def merge_roster(self, statements: Sequence[bytes]) -> Roster:
        self.follow()  # what comes is for the device that this one is now, and for no former one
        self._keep(statements)
        self.tend(patient=True)
        return self._roster

    def tend(self, *, patient: bool = False) -> None:
        said = due_statements(
            self._replica,
            self.roster(),
            self._keys,
            self._secrets,
            patient=patient,
            entropy=self._entropy,
            at_ms=self._wall(),
        )
        if said:
            self._keep(said)

    def _keep(self, statements: Sequence[bytes]) -> None:
        known = self.roster()
        merged = known.merge(statements)
        if merged != known:
            self._replica.write(lambda transaction: keep_statements(transaction, merged))
            self._know(merged)

    def _know(self, roster: Roster, *, anew: bool = False) -> None:
        """Goes by *roster* from now on, and seals under the newest key in it that this device was handed."""
        fresh = anew or roster.epochs.keys() != self._roster.epochs.keys() or roster.current != self._roster.current
        self._roster = roster
        if fresh:
            self._secrets = open_secrets(roster, self._keys)

    def sign_login(self, origin: str, nonce: bytes, expiry: int) -> bytes:
        return login.sign_login(self._keys, origin=origin, vault=self._vault, nonce=nonce, expiry_ms=expiry)

    def seal_pending(self) -> int:
        with self._replica.read() as view:
            if not view.reader.has(Table.OUTBOX):
                return 0
        if self.revoked:
            return 0  # what waits stays where it can be seen that it waits
        sealed, count = self._replica.write(self._seal_all)
        if sealed and self._copies is not None:
            self._copies.sealed(count)
        return sealed

    def channels(self) -> Sequence[bytes]:
        with self._replica.read() as view:
            return chains.channels(view.reader)

    def frontier(self, channel: bytes) -> Mapping[bytes, tuple[int, bytes]]:
        with self._replica.read() as view:
            return chains.frontier(view.reader, channel)

    def base(self, channel: bytes) -> Base:
        with self._replica.read() as view:
            return chains.base(view.reader, channel)

    def position(self, channel: bytes) -> tuple[bytes, int]:
        with self._replica.read() as view:
            return chains.position(view.reader, channel)

    def acknowledged(self, channel: bytes) -> Mapping[bytes, int]:
        with self._replica.read() as view:
            return chains.acknowledged(view.reader, channel)

    def commits_lacking(self, channel: bytes, have: Mapping[bytes, int], limit_bytes: int) -> Sequence[bytes]:
        found: list[bytes] = []
        size = 0
        with self._replica.read() as view:
            ends = chains.frontier(view.reader, channel).items()
            # Own ones last: they build on what this replica holds of others, its former names included.
            for device, (seq, _) in sorted(ends, key=lambda end: end[0] == self.device):
                if seq <= have.get(device, 0):
                    continue
                for data in chains.commits_after(view.reader, channel, device, have.get(device, 0)):
                    if found and size + len(data) > limit_bytes:
                        return found
                    found.append(data)
                    size += len(data)
        return found

    def receive(self, channel: bytes, log_id: bytes, items: Sequence[tuple[int, bytes]], position: int) -> Received:
        commits = [data for _, data in items]
        return self._take(channel, commits, lambda writer: chains.set_position(writer, channel, log_id, position))

    def receive_by_hand(self, channel: bytes, commits: Sequence[bytes]) -> Received:
        """As `receive`, for commits that came past the relay: nothing is known of what the relay holds."""
        return self._take(channel, commits, lambda _: None, by_hand=True)

    def _take(
        self, channel: bytes, commits: Sequence[bytes], also: Callable[[Writer], None], *, by_hand: bool = False
    ) -> Received:
        while True:
            tripwire = self._copies is not None
            intake = Intake(self._vault, channel, self.roster(), self._secrets, tripwire=tripwire, by_hand=by_hand)
            try:
                return intake.take(self._replica, commits, also)
            except Twin as twin:
                before = self.frontier(channel)
                self._renew(Fork(twin.channel, twin.device, twin.seq))
                now = self.frontier(channel)
                if not by_hand and any(seq > now.get(who, chains.NO_COMMIT)[0] for who, (seq, _) in before.items()):
                    return Received(gave_up=True)

    def release(self, channel: bytes, device: bytes, seq: int) -> bool:
        self.follow()
        with self._replica.read() as view:
            mine = device == self.device or device in chains.former_clients(view.reader)
            held = chains.frontier(view.reader, channel).get(device, chains.NO_COMMIT)[0]
        if self._copies is None or not mine:
            return False
        if held >= seq:  # otherwise it was given up together with another chain
            self._renew(Fork(channel, device, seq))
        return True

    def snapshot_due(self, channel: bytes) -> bool:
        return is_due(self._replica, channel)

    def make_snapshot(self, channel: bytes, generation: int) -> Sequence[bytes]:
        rebasing = Rebasing(self._vault, channel, self.roster(), self._secrets)

        def make(transaction: Transaction) -> tuple[Sequence[bytes], int, int]:
            scope = chains.scope_of(transaction.writer, channel)
            number = None if scope is None else transaction.number(scope)
            sealed, count = self._seal(transaction, [] if number is None else [number])
            return rebasing.make(transaction, self._keys, generation, self._entropy), sealed, count

        parts, sealed, count = self._replica.write(make)
        if sealed and self._copies is not None:
            self._copies.sealed(count)
        return parts

    def adopt(self, channel: bytes, log_id: bytes, parts: Sequence[bytes], position: int) -> Received:
        while True:
            tripwire = self._copies is not None
            rebasing = Rebasing(self._vault, channel, self.roster(), self._secrets, tripwire=tripwire)
            try:
                received = rebasing.adopt(
                    self._replica, parts, lambda writer: chains.set_position(writer, channel, log_id, position)
                )
                self.tend(patient=True)  # it may contain more of a revoked device than any other member has told of
                return received
            except Twin as twin:
                self._renew(Fork(twin.channel, twin.device, twin.seq))

    def acknowledge(
        self, channel: bytes, log_id: bytes, accepted: Sequence[tuple[bytes, int, int]], position: int
    ) -> None:
        def note(transaction: Transaction) -> None:
            for device, seq, _ in accepted:
                chains.set_acknowledged(transaction.writer, channel, device, seq)
            chains.set_position(transaction.writer, channel, log_id, position)

        self._replica.write(note)

    def record(self, state: str, problems: Sequence[Problem]) -> None:
        at_ms = self._wall()
        self._replica.write(lambda transaction: note_state(transaction.writer, state, problems, at_ms))

    def _renew(self, fork: Fork) -> None:
        assert self._copies is not None  # what leads here asks first
        if self.revoked:
            raise RelayRefused("This device was revoked.", reason="revoked")
        self._copies.renew(fork)
        self.follow()

    def _be(self, device: bytes) -> bool:
        """Whether this ledger was another device until now."""
        if device == self.device or self._copies is None:
            return False
        self._keys = self._copies.keys(device)
        return True

    def _seal_all(self, transaction: Transaction) -> tuple[int, int]:
        return self._seal(transaction, {key[:4] for key in transaction.writer.keys(Table.OUTBOX)})

    def _seal(self, transaction: Transaction, numbers: Collection[bytes]) -> tuple[int, int]:
        """How many commits were sealed now, and how many ever."""
        anew = self._be(transaction.device)
        writer = transaction.writer
        if anew or writer.count(Table.ROSTER) != len(self._roster.statements):  # another process has revoked a device
            self._know(Roster.verify(self._vault, [raw for _, raw in writer.scan(Table.ROSTER)]), anew=anew)
        names = transaction.scope_names()
        sealed = sum(self._seal_scope(transaction, names[number]) for number in sorted(numbers))
        count = int.from_bytes(writer.get(Table.META, SEALED) or b"", "big") + sealed
        writer.put(Table.META, SEALED, count.to_bytes(8, "big"))
        return sealed, count

    def _seal_scope(self, transaction: Transaction, scope: str) -> int:
        writer = transaction.writer
        channel = channel_id(self._secrets.naming_key, scope)
        chains.set_scope(writer, channel, scope)
        key = channel_key(self._secrets.epoch_key, self._secrets.epoch, channel)
        frontier = chains.frontier(writer, channel)
        seq, previous = frontier.pop(self.device, chains.NO_COMMIT)
        told = chains.told(writer, channel)
        generation = generation_of(transaction, scope)
        sealed = 0
        for changes in gather(transaction, scope, limit=SAFE_CHANGES):
            news = {
                device: (held, its[:_HASH_SHOWN])
                for device, (held, its) in frontier.items()
                if held > told.get(device, 0)
            }
            seq += 1
            data = seal(
                self._keys,
                key,
                vault=self._vault,
                channel=channel,
                epoch=self._secrets.epoch,
                generation=generation,
                seq=seq,
                previous=previous,
                plaintext=encode_body(Body(scope, encode_changes(changes), news)),
                nonce=self._entropy(NONCE_SIZE),
            )
            previous = commit_hash(data)
            chains.add_commit(writer, channel, self.device, seq, previous, data)
            told |= {device: held for device, (held, _) in news.items()}
            sealed += 1
        chains.set_told(writer, channel, told)
        return sealed


def load_roster(replica: Replica, vault: bytes) -> Roster:
    """The roster as the replica keeps it. Raises `InvalidRoster` if what is kept does not verify."""
    with replica.read() as view:
        return Roster.verify(vault, [raw for _, raw in view.reader.scan(Table.ROSTER)])


def keep_statements(transaction: Transaction, roster: Roster) -> None:
    """Keeps all statements of *roster*."""
    for statement in roster.statements:
        transaction.writer.put(Table.ROSTER, statement.hash, statement.raw)
