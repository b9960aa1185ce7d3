"""A device with its replica, its keys and its ledger; commits are carried to another by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from tests.transport.family import AT, Family, device, found
from vademecum.engine.agents import AgentId
from vademecum.engine.changes import Changes, encode_changes
from vademecum.engine.handle import AgentHandle, agent_handle
from vademecum.engine.person import Person
from vademecum.engine.recollection import Recollections
from vademecum.engine.replica import Replica
from vademecum.storage.environment import Environment
from vademecum.storage.tables import Table
from vademecum.transport import roster as rosters
from vademecum.transport.body import Body, encode_body
from vademecum.transport.commit import NO_PREVIOUS, seal
from vademecum.transport.contract import Received
from vademecum.transport.keys import channel_id, channel_key
from vademecum.transport.ledger import ReplicaLedger, keep_statements
from vademecum.transport.roster import Roster

__all__ = ["LOG", "PUBLIC", "Member", "channel", "contents", "members", "sealed"]

PUBLIC = "user.public"
LOG = b"l" * 16
EVERYTHING = 1 << 40


def channel(scope: str = PUBLIC) -> bytes:
    return channel_id(found().secrets.naming_key, scope)


class Member:
    """Device *number* of the family's vault. ``wall`` is its clock."""

    def __init__(self, folder: Path, number: int, roster: Roster) -> None:
        self.keys = device(number)
        self.id = self.keys.device
        self.wall = AT
        environment = Environment.create(folder, initial_map=64 << 20)
        self.replica = Replica(environment, device=self.id, client=100 + number, wall=lambda: self.wall)
        self.replica.write(lambda transaction: keep_statements(transaction, roster))
        self.ledger = ReplicaLedger(self.replica, roster.vault, self.keys, wall=lambda: self.wall)
        self.user = Person(self.replica)

    def agent(self, agent: str = "x/y@1") -> AgentHandle:
        return agent_handle(self.replica, _no_recall, AgentId.parse(agent))

    def values(self, scope: str = PUBLIC) -> dict[str, Any]:
        return {leaf.path: leaf.value for leaf in self.user.leaves() if leaf.scope == scope}

    def commits(self, scope: str = PUBLIC, have: Mapping[bytes, int] | None = None) -> list[bytes]:
        """All commits here, after sealing what waits."""
        self.ledger.seal_pending()
        return list(self.ledger.commits_lacking(channel(scope), have or {}, EVERYTHING))

    def own(self, scope: str = PUBLIC) -> list[bytes]:
        """This device's own commits."""
        others = {who: seq for who, (seq, _) in self.ledger.frontier(channel(scope)).items() if who != self.id}
        return self.commits(scope, others)

    def take(self, commits: Sequence[bytes], scope: str = PUBLIC) -> Received:
        return self.ledger.receive(channel(scope), LOG, list(enumerate(commits, 1)), len(commits))


@contextmanager
def members(folder: Path, count: int) -> Iterator[list[Member]]:
    roster = _roster(count)
    made = [Member(folder / f"member{number}", number, roster) for number in range(count)]
    try:
        yield made
    finally:
        for member in made:
            member.replica.close()


def sealed(
    number: int,
    update: bytes,
    *,
    seq: int = 1,
    previous: bytes = NO_PREVIOUS,
    scope: str = PUBLIC,
    into: bytes | None = None,
    epoch: int = 1,
    frontier: Mapping[bytes, tuple[int, bytes]] | None = None,
    changes: bytes | None = None,
    vault: bytes | None = None,
) -> bytes:
    """A commit that device *number* could make with its keys, whatever it holds."""
    family = found()
    name = channel(scope) if into is None else into
    return seal(
        device(number),
        channel_key(family.secrets.epoch_key, epoch, name),
        vault=family.roster.vault if vault is None else vault,
        channel=name,
        epoch=epoch,
        generation=0,
        seq=seq,
        previous=previous,
        plaintext=encode_body(
            Body(scope, encode_changes(Changes(update)) if changes is None else changes, dict(frontier or {}))
        ),
        nonce=bytes([number, seq % 256]) + bytes(22),
    )


def contents(member: Member) -> dict[Table, list[tuple[bytes, bytes]]]:
    """Every table but that of positions in the relay's log, to tell whether anything has changed."""
    with member.replica.read() as view:
        return {table: list(view.reader.scan(table)) for table in Table if table is not Table.POSITIONS}


@cache
def _roster(count: int) -> Roster:
    family: Family = found()
    roster = family.roster
    for number in range(1, count):
        statement = rosters.add(
            family.keys, roster, device(number).public, "more", secrets=family.secrets, at_ms=AT + number
        )
        roster = roster.merge([statement])
    return roster


def _no_recall(_query: str, _k: int, _agent: AgentId | None) -> Recollections:
    raise AssertionError("nothing is recalled here")
