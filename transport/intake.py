"""Taking in commits of one channel: verified, opened, applied and kept, or held, or set aside; all in one transaction.

A commit that cannot be used is set aside and reported, and never stops the others: whatever it had begun to do is
undone by running the whole transaction again without it.

The tripwire: a commit that this device has signed and does not hold shows that there is a copy of this device. So does
what another member says to hold of it: its commit may remove what the copy has written, and operations are removed by
their numbers, which both copies have used. Nothing is taken in then; the ledger first gives this replica another name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vademecum.engine.changes import decode_changes
from vademecum.engine.merging import merge
from vademecum.engine.replica import Replica, Transaction
from vademecum.engine.scopes import parse_scope
from vademecum.errors import AuthorRevoked, InvalidCommit, InvalidScope, OtherGeneration, PeerFault
from vademecum.storage.transaction import Writer
from vademecum.transport import chains
from vademecum.transport.body import Body, decode_body
from vademecum.transport.commit import Header, commit_hash, open_body, parse_header, verify
from vademecum.transport.contract import Problem, Received
from vademecum.transport.epochs import opened_with
from vademecum.transport.keys import channel_id
from vademecum.transport.roster import Roster
from vademecum.transport.vault_secrets import VaultSecrets

__all__ = ["Intake", "Twin"]


class Twin(Exception):
    """There is a commit in the name of this replica, or of a device that it has been, that this replica does not hold.

    Not an error of the library's: the ledger deals with it.
    """

    def __init__(self, channel: bytes, device: bytes, seq: int) -> None:
        self.channel, self.device, self.seq = channel, device, seq


class Intake:
    """Takes in commits of one channel. With *tripwire*, `take` raises `Twin`, and then nothing has changed.

    What comes *by_hand*, past the relay, does not count as seen there.
    """

    def __init__(
        self,
        vault: bytes,
        channel: bytes,
        roster: Roster,
        secrets: VaultSecrets,
        *,
        tripwire: bool = False,
        by_hand: bool = False,
    ) -> None:
        self.tripwire = tripwire
        self.by_hand = by_hand
        self._vault = vault
        self._channel = channel
        self._roster = roster
        self._secrets = secrets

    def take(self, replica: Replica, commits: Sequence[bytes], also: Callable[[Writer], None]) -> Received:
        """Takes in *commits*, in order, and runs *also* in the same transaction.

        Only trouble with the store is raised, and then nothing has changed.
        """
        spoiled: dict[bytes, Problem] = {}  # hash of a commit → why it is set aside

        def work(transaction: Transaction) -> Received:
            run = _Run(self, transaction, spoiled)
            for data in commits:
                run.admit(data)
            also(transaction.writer)
            return run.received()

        while True:
            try:
                return replica.write(work)
            except _Spoiled as found:
                spoiled[found.hash] = found.problem

    def open(self, data: bytes) -> tuple[Header, Body]:
        """Verifies and decrypts one commit. Raises `PeerFault`."""
        header = verify(data, self._roster.member(parse_header(data).device).public)
        if header.vault != self._vault or header.channel != self._channel:
            raise InvalidCommit("A commit belongs to another vault or channel than the one it came in.")
        body = decode_body(opened_with(self._secrets, header.epoch, self._channel, lambda key: open_body(data, key)))
        try:
            parse_scope(body.scope)
        except InvalidScope as error:
            raise InvalidCommit("A commit is for a scope that cannot exist.") from error
        if channel_id(self._secrets.naming_key, body.scope) != self._channel:
            raise InvalidCommit("A commit is for a scope that has another channel.")
        return header, body

    def limit(self, device: bytes) -> tuple[int, bytes] | None:
        """Where the chain of a revoked device ends; None for others."""
        return self._roster.limit(device, self._channel)


class _Spoiled(Exception):
    """Ends a transaction in which a commit proved unusable after the document had begun to take it in."""

    def __init__(self, hash_: bytes, problem: Problem) -> None:
        self.hash = hash_
        self.problem = problem


class _Run:
    """One attempt at a batch, inside one transaction."""

    def __init__(self, intake: Intake, transaction: Transaction, spoiled: dict[bytes, Problem]) -> None:
        self._intake = intake
        self._channel = intake._channel
        self._transaction = transaction
        self._writer = transaction.writer
        self._spoiled = spoiled
        self._frontier = chains.frontier(transaction.writer, self._channel)
        self._generation, _ = chains.base(transaction.writer, self._channel)
        self._claimed = chains.claimed(transaction.writer, self._channel)
        self._mine = {transaction.device, *chains.former_clients(transaction.writer)} if intake.tripwire else set()
        self._applied = self._duplicates = self._held = 0
        self._problems: list[Problem] = []

    def received(self) -> Received:
        return Received(self._applied, self._duplicates, self._held, tuple(self._problems))

    def admit(self, data: bytes) -> None:
        """Applies *data* and whatever was waiting for it; or holds it, or sets it aside."""
        waiting: bytes | None = data
        seen = not self._intake.by_hand
        while waiting is not None:
            header = self._admit_one(waiting, seen=seen)
            waiting, seen = None, False  # one that was held may have come by hand
            if header is not None:
                waiting = chains.held(self._writer, self._channel, header.device, header.seq + 1)

    def _admit_one(self, data: bytes, *, seen: bool) -> Header | None:
        """The header, if the commit was applied. *seen* says that the relay was seen to hold it."""
        its_hash = commit_hash(data)
        if its_hash in self._spoiled:
            self._problems.append(self._spoiled[its_hash])
            return None
        try:
            header = parse_header(data)
            seq, last = self._frontier.get(header.device, chains.NO_COMMIT)
            if header.seq <= seq:
                self._compare(header, data, seen=seen)
                return None
            header, body = self._intake.open(data)
            if header.device == self._transaction.device and header.device in self._mine:
                raise Twin(self._channel, header.device, header.seq)
            self._check_author(header, its_hash)
            if header.generation != self._generation:
                raise OtherGeneration(
                    f"It belongs to generation {header.generation} of its scope, and this device has generation "
                    f"{self._generation}: its changes come with a snapshot, or again."
                )
            if header.seq > seq + 1:
                chains.hold(self._writer, self._channel, header.device, header.seq, data)
                self._held += 1
                return None
            if header.previous != last:
                raise InvalidCommit(
                    "A commit does not follow the one before it: its device's history has two versions."
                )
            changes = decode_changes(body.changes)
        except PeerFault as error:
            self._problems.append(self._problem(data, error))
            return None
        scope = self._transaction.scope(body.scope)
        complete = self._note_claims(header.device, body)
        try:
            merge(scope, header.device, changes, complete=complete)
        except PeerFault as error:
            raise _Spoiled(its_hash, self._problem(data, error)) from error
        chains.set_scope(self._writer, self._channel, body.scope)
        chains.add_commit(self._writer, self._channel, header.device, header.seq, its_hash, data)
        if seen:
            chains.set_acknowledged(self._writer, self._channel, header.device, header.seq)
        self._frontier[header.device] = (header.seq, its_hash)
        self._applied += 1
        return header

    def _check_author(self, header: Header, its_hash: bytes) -> None:
        limit = self._intake.limit(header.device)
        if limit is None or header.seq < limit[0] or (header.seq, its_hash) == limit:
            return
        if header.device == self._transaction.device or header.device in chains.former_clients(self._writer):
            return  # what is put together anew here may be all that there is of it
        chains.note_refused(self._writer, self._channel, header.device, header.seq)
        raise AuthorRevoked(
            "Its device has been revoked, and no other device of the vault had it by then. It is still on that device: "
            "`vademecum export` there and `vademecum import` here carry over what it says."
        )

    def _compare(self, header: Header, data: bytes, *, seen: bool) -> None:
        """A commit that is here already is the same one, or its device's history has been forked.

        One that the snapshot contains cannot be compared any more, unless it is the last of those.
        """
        here = chains.commit_at(self._writer, self._channel, header.device, header.seq)
        seq, last = self._frontier[header.device]
        if data == here or (here is None and (header.seq < seq or commit_hash(data) == last)):
            self._duplicates += 1
            if seen:
                chains.set_acknowledged(self._writer, self._channel, header.device, header.seq)
            return
        if header.device in self._mine:
            self._intake.open(data)  # only what the device has signed counts
            raise Twin(self._channel, header.device, header.seq)
        self._problems.append(
            Problem(
                "fork-detected",
                f"The device {header.device.hex()} has two different commits with the number {header.seq}: its folder "
                f"was copied or restored, or its key was stolen. The one that came first was kept.",
                self._channel,
                header.device,
                header.seq,
            )
        )

    def _note_claims(self, author: bytes, body: Body) -> bool:
        """Notes what *author* says to hold; whether this replica holds all that any author has said to hold.

        Any author and not only this one, because a commit carries all deletions that its author knew of: what another
        device has since replaced may be deleted here before it arrives, and then is not there to be judged by.
        """
        if body.frontier:
            for device, claim in body.frontier.items():
                if self._is_of_a_copy(device, claim):
                    raise Twin(self._channel, device, claim[0])
            news = {device: seq for device, (seq, _) in body.frontier.items()}
            chains.set_claims(
                self._writer, self._channel, author, chains.claims(self._writer, self._channel, author) | news
            )
            for device, seq in news.items():
                self._claimed[device] = max(seq, self._claimed.get(device, 0))
        return all(
            self._frontier.get(device, chains.NO_COMMIT)[0] >= self._awaited(device, seq)
            for device, seq in self._claimed.items()
        )

    def _awaited(self, device: bytes, seq: int) -> int:
        """How much of what was claimed of *device* can still come."""
        limit = self._intake.limit(device)
        return seq if limit is None else min(seq, limit[0])

    def _is_of_a_copy(self, device: bytes, claim: tuple[int, bytes]) -> bool:
        """Whether someone holds another commit of this very device than is here, or one more: a copy of it has written
        too. Of one that the snapshot contains there is nothing to compare, unless it is the last of those.

        Of a name that this replica had before, more may be on its way: another copy has kept that name.
        """
        if device not in self._mine:
            return False
        seq, prefix = claim
        held, last = self._frontier.get(device, chains.NO_COMMIT)
        if seq > held:
            return device == self._transaction.device
        mine = chains.commit_at(self._writer, self._channel, device, seq)
        if mine is None:
            return seq == held and not last.startswith(prefix)
        return not commit_hash(mine).startswith(prefix)

    def _problem(self, data: bytes, error: PeerFault) -> Problem:
        try:
            header = parse_header(data)
        except PeerFault:
            return Problem(error.code, f"{error.message} It was set aside.", self._channel)
        return Problem(
            error.code,
            f"Commit {header.seq} of the device {header.device.hex()} was set aside: {error.message}",
            self._channel,
            header.device,
            header.seq,
        )
