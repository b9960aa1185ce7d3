"""The simulation finds faults of the program: each of these, put in on purpose, shows within some seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from tests.simulation.disk import Disk
from tests.simulation.runs import opened_pool
from tests.simulation.world import Plan, run_plan
from vademecum.engine import gathering, law, merging, outbox, slots, writing
from vademecum.engine.changes import decode_changes
from vademecum.engine.clock import Clock
from vademecum.engine.documents import Documents
from vademecum.engine.replica import Replica, Transaction
from vademecum.storage.tables import Table
from vademecum.storage.transaction import Writer
from vademecum.transport import chains, history, standing, tending
from vademecum.transport.commit import Header
from vademecum.transport.intake import _Run
from vademecum.transport.ledger import ReplicaLedger
from vademecum.transport.roster import Roster
from vademecum.transport.sync_channels import Channels
from vademecum.transport.sync_session import Channel

Patch = pytest.MonkeyPatch


def _law_ignores_seen(patch: Patch) -> None:
    real = law.winner

    def winner(records: Sequence[law.Standing], forgotten: law.Forgotten = law.nobody_forgotten) -> law.Verdict | None:
        return real([record._replace(seen=1 << 63) for record in records], forgotten)

    patch.setattr(slots, "winner", winner)
    # A scope that begins anew leaves out what is hopeless, and would hide it.
    patch.setattr(ReplicaLedger, "snapshot_due", lambda self, channel: False)


def _law_lets_the_latest_win(patch: Patch) -> None:
    real = law.winner

    def winner(records: Sequence[law.Standing], forgotten: law.Forgotten = law.nobody_forgotten) -> law.Verdict | None:
        return real([record._replace(by_person=False, seen=0) for record in records], forgotten)

    patch.setattr(slots, "winner", winner)


def _removes_what_may_still_win(patch: Patch) -> None:
    def hopeless(record: law.Standing, others: Sequence[law.Standing]) -> bool:
        return any(other.key > record.key for other in others)

    patch.setattr(writing, "hopeless", hopeless)
    patch.setattr(merging, "hopeless", hopeless)


def _does_not_outrank_what_it_saw(patch: Patch) -> None:
    patch.setattr(Clock, "stamp", lambda self, wall_ms, seen: self.now(wall_ms))


def _keeps_a_document_that_was_not_committed(patch: Patch) -> None:
    patch.setattr(Documents, "discard", lambda self: setattr(self, "_uncommitted", False))


def _empties_the_outbox_before_the_commit(patch: Patch) -> None:
    real = ReplicaLedger.seal_pending
    taken: list[tuple[bytes, list[outbox.Pending]]] = []

    def seal_pending(self: ReplicaLedger) -> int:
        def take(transaction: Transaction) -> None:
            for number in sorted({key[:4] for key in transaction.writer.keys(Table.OUTBOX)}):
                waiting = list(outbox.waiting(transaction.writer, number))
                outbox.clear(transaction.writer, number)
                taken.append((number, waiting))

        def put_back(transaction: Transaction) -> None:
            for number, waiting in taken:
                for one in waiting:
                    outbox.add(transaction.writer, number, one)

        taken.clear()
        self._replica.write(take)
        self._replica.write(put_back)
        return real(self)

    patch.setattr(ReplicaLedger, "seal_pending", seal_pending)


def _keeps_a_commit_before_it_is_applied(patch: Patch) -> None:
    real = Replica.write
    kept: list[tuple[bytes, bytes, int, bytes, bytes]] = []

    def add_commit(writer: Writer, channel: bytes, device: bytes, seq: int, commit_hash: bytes, data: bytes) -> None:
        kept.append((channel, device, seq, commit_hash, data))
        real_add(writer, channel, device, seq, commit_hash, data)

    def write(self: Replica, work: Callable[[Transaction], object]) -> object:
        kept.clear()
        try:
            return real(self, work)
        except BaseException:
            taken = [one for one in kept if one[1] != self.device]
            super(Disk, self.environment).write(lambda writer: [real_add(writer, *one) for one in taken])
            raise

    real_add = chains.add_commit
    patch.setattr(chains, "add_commit", add_commit)
    patch.setattr(Replica, "write", write)


def _tells_no_history(patch: Patch) -> None:
    patch.setattr(gathering, "_superseded", lambda scope, pending: ())


def _keeps_what_was_forgotten(patch: Patch) -> None:
    patch.setattr(merging, "is_forgotten", lambda row, slot, forgotten: False)
    patch.setattr(writing.ScopeWriter, "empty_history", lambda self, key: None)


def _lets_the_forgotten_return(patch: Patch) -> None:
    patch.setattr(merging, "carry_out", lambda scope: None, raising=False)
    patch.setattr(writing, "carry_out", lambda scope: None)


def _takes_in_again_what_it_has(patch: Patch) -> None:
    real = _Run._compare

    def compare(self: _Run, header: Header, its_hash: bytes) -> None:
        data = next(chains.commits_after(self._writer, self._channel, header.device, header.seq - 1))
        _, body = self._intake.open(data)
        merging.merge(self._transaction.scope(body.scope), header.device, decode_changes(body.changes), complete=False)
        real(self, header, its_hash)

    patch.setattr(_Run, "_compare", compare)


def _never_sends_again(patch: Patch) -> None:
    real = Channels._push_some

    def push_some(self: Channels, name, channel):  # type: ignore[no-untyped-def]
        for device, seq in self._ledger.acknowledged(name).items():
            if seq > channel.relay.get(device, (0, b""))[0]:
                channel.stuck.add(device)
        return real(self, name, channel)

    patch.setattr(Channels, "_push_some", push_some)


def _counts_acknowledgements_by_number(patch: Patch) -> None:
    real = Channels._note_held
    real_check = Channels._check_forks

    def note_held(self: Channels, name: bytes, channel: Channel, position: int) -> None:
        told, channel.relay = (
            channel.relay,
            channel.relay
            | {who: end for who, end in channel.ours.items() if channel.relay.get(who, (0, b""))[0] >= end[0]},
        )
        real(self, name, channel, position)
        channel.relay = told

    def check_forks(self: Channels, name: bytes, channel: Channel) -> bool:
        # As soon as the relay tells its numbers: when what it sent is taken in, there is no other chain any more.
        note_held(self, name, channel, channel.position)
        return real_check(self, name, channel)

    patch.setattr(Channels, "_note_held", note_held)
    patch.setattr(Channels, "_check_forks", check_forks)


def _takes_in_what_a_revoked_device_sends_late(patch: Patch) -> None:
    patch.setattr(Roster, "limit", lambda self, device, channel: None)


def _tells_nobody_what_it_holds_of_a_revoked_device(patch: Patch) -> None:
    patch.setattr(tending, "_unknown", lambda reader, roster: ([], []))


def _leaves_the_keys_with_whom_they_are(patch: Patch) -> None:
    patch.setattr(tending, "is_settled", lambda roster, secrets: True)


def _lets_in_by_whom_was_revoked(patch: Patch) -> None:
    real = history.History.standing

    def of_named(self: history.History, within: int = -1) -> standing.Standing:
        found = real(self, within)
        named = {device for line in self._lines if line.bit & within for device in line.statement.revoked}
        return replace(
            found,
            members={who: replace(one, revoked=who in named) for who, one in found.members.items()},
        )

    patch.setattr(history.History, "standing", of_named)


FIRST_SEEDS = {"what a relay holds is known by its number": 100}
"""Where to begin with those that few worlds show, so that it takes seconds; 0 for all others."""

MUTANTS: dict[str, tuple[Callable[[Patch], None], list[str] | None, int]] = {
    "the law ignores what was seen": (_law_ignores_seen, ["forget"], 80),
    "the law lets the latest win": (_law_lets_the_latest_win, None, 60),
    "records are removed that may still win": (_removes_what_may_still_win, ["forget"], 80),
    "a write does not outrank what it saw": (_does_not_outrank_what_it_saw, ["skew"], 60),
    "a document is kept that was not committed": (_keeps_a_document_that_was_not_committed, ["crash", "full"], 60),
    "the outbox is emptied before the commit": (_empties_the_outbox_before_the_commit, ["crash", "full"], 60),
    "a commit is kept before it is applied": (_keeps_a_commit_before_it_is_applied, ["crash", "full"], 60),
    "what a relay holds is known by its number": (_counts_acknowledgements_by_number, ["copy"], 150),
    "no history is told": (_tells_no_history, None, 60),
    "what was forgotten stays in the journal": (_keeps_what_was_forgotten, None, 60),
    "a forgotten agent's writes stay": (_lets_the_forgotten_return, ["forget-agent"], 60),
    "what is here already is taken in again": (_takes_in_again_what_it_has, ["carry", "forget"], 60),
    "what was acknowledged is never sent again": (_never_sends_again, ["relay-restore"], 60),
    "late commits of a revoked device are taken in": (
        _takes_in_what_a_revoked_device_sends_late,
        ["revoke", "carry", "partition"],
        100,
    ),
    "nobody says what it holds of a revoked device": (
        _tells_nobody_what_it_holds_of_a_revoked_device,
        ["revoke", "partition"],
        100,
    ),
    "keys stay with a device that was revoked elsewhere": (
        _leaves_the_keys_with_whom_they_are,
        ["revoke", "partition", "join"],
        100,
    ),
    "whom a revoked device lets in belongs to the vault": (
        _lets_in_by_whom_was_revoked,
        ["revoke", "partition", "copy", "restore"],
        200,
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_fault_of_the_program_is_found(name: str, monkeypatch: Patch) -> None:
    mutate, kinds, within = MUTANTS[name]
    mutate(monkeypatch)
    with opened_pool() as pool:
        first = FIRST_SEEDS.get(name, 0)
        for seed in range(first, first + within):
            try:
                run_plan(Plan.draw(seed, kinds), pool)
            except Exception as found:  # noqa: BLE001  # whatever shows it
                print(f"found at seed {seed}: {type(found).__name__} {found}"[:300])
                return
    raise AssertionError(f"{name}: not found within {within} seeds from {first} on")
