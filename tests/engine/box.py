"""A device reduced to its replica: a clock that the test sets, and changes carried to another by hand, without keys."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from vademecum.engine.agents import AgentId
from vademecum.engine.changes import Changes, decode_changes, encode_changes
from vademecum.engine.document import Document
from vademecum.engine.gathering import gather
from vademecum.engine.generations import Adopted, adopt, take_snapshot
from vademecum.engine.handle import AgentHandle, agent_handle
from vademecum.engine.merging import Merged, merge
from vademecum.engine.person import Person
from vademecum.engine.recollection import Recollections
from vademecum.engine.records import Record, encode_record
from vademecum.engine.replica import Replica
from vademecum.engine.slots import Row, SlotMap, slot_key
from vademecum.engine.snapshots import Snapshot, decode_snapshot, encode_snapshot
from vademecum.storage.environment import Environment

__all__ = ["NOW", "PUBLIC", "Box", "boxes", "forged", "forged_keys"]

NOW = 1_790_000_000_000
PUBLIC = "user.public"
MAP_SIZE = 64 << 20
LIMIT = 1 << 20


class Box:
    """``wall`` is its clock, in milliseconds; ``id`` is made of one repeated byte."""

    def __init__(self, folder: Path, number: int, *, new: bool = True) -> None:
        self.folder = folder
        self.number = number
        self.id = bytes([number]) * 16
        self.wall = NOW
        environment = (Environment.create if new else Environment.open)(folder, initial_map=MAP_SIZE)
        self.replica = Replica(environment, device=self.id, client=100 + number, wall=lambda: self.wall)
        self.user = Person(self.replica)

    def again(self) -> Box:
        """Another process on the same database; close it."""
        return Box(self.folder, self.number, new=False)

    def close(self) -> None:
        self.replica.close()

    def agent(self, agent: str = "x/y@1") -> AgentHandle:
        return agent_handle(self.replica, _no_recall, AgentId.parse(agent))

    def row(self, name: str, scope: str = PUBLIC, slot_map: SlotMap = SlotMap.LEAVES) -> Row:
        with self.replica.read() as view:
            return view.row(scope, slot_map, name)

    def values(self, scope: str = PUBLIC) -> dict[str, Any]:
        return {leaf.path: leaf.value for leaf in self.user.leaves() if leaf.scope == scope}

    def gather(self, scope: str = PUBLIC, limit: int = LIMIT) -> list[Changes]:
        """What waits to be sent, as it would arrive."""
        gathered = self.replica.write(lambda transaction: list(gather(transaction, scope, limit=limit)))
        return [decode_changes(encode_changes(changes)) for changes in gathered]

    def take(self, author: bytes, changes: Sequence[Changes], scope: str = PUBLIC, *, complete: bool = True) -> Merged:
        """Merges; raises what `merge` raises, and then nothing has changed."""

        def work(transaction: Any) -> Merged:
            merged = Merged()
            for one in changes:
                merged = merge(transaction.scope(scope), author, one, complete=complete)
            return merged

        return self.replica.write(work)

    def snapshot(self, scope: str = PUBLIC) -> Snapshot:
        """A snapshot of the next generation, as it would arrive."""
        taken = self.replica.write(lambda transaction: take_snapshot(transaction, scope))
        return decode_snapshot(encode_snapshot(taken))

    def adopt(self, snapshot: Snapshot, scope: str = PUBLIC, *, beyond: Collection[bytes] = ()) -> Adopted:
        return self.replica.write(lambda transaction: adopt(transaction, scope, snapshot, beyond=beyond))

    def give(self, *others: Box, scope: str = PUBLIC) -> None:
        """Sends what waits to *others*."""
        changes = self.gather(scope)
        for other in others:
            other.take(self.id, changes, scope)


Forged = Record | bytes | None
"""A record, any bytes in its place, or None to remove the key."""


def forged(
    *slots: tuple[SlotMap, str, bool, bytes, Record | bytes | None], onto: bytes = b"", client: int = 900
) -> bytes:
    """An update that puts, or with None removes, (map, name, by person, device, record); *onto* an update held."""
    return forged_keys(
        *((slot_map, slot_key(name, by_person, owner), record) for slot_map, name, by_person, owner, record in slots),
        onto=onto,
        client=client,
    )


def forged_keys(*keys: tuple[SlotMap, str, Forged], onto: bytes = b"", client: int = 900) -> bytes:
    document = Document(client)
    if onto:
        document.load(onto)
    with document.edit() as made:
        for slot_map, key, record in keys:
            if record is None:
                document.remove(slot_map, key)
            else:
                document.put(slot_map, key, record if isinstance(record, bytes) else encode_record(record))
    return made[0]


@contextmanager
def boxes(folder: Path, count: int) -> Iterator[list[Box]]:
    made = [Box(folder / f"box{number}", number) for number in range(1, count + 1)]
    try:
        yield made
    finally:
        for box in made:
            box.close()


def _no_recall(_query: str, _k: int, _agent: AgentId | None) -> Recollections:
    raise AssertionError("nothing is recalled here")
