"""The merge law once more, told slowly: what every path of a scope must say, given everything ever written there.

This is the second opinion that the engine is compared with. It shares no code with the engine, is written from the
design alone, and keeps nothing clever: it looks at all records each time and never removes one. A replica, by
contrast, sees records in some order, keeps one per slot and throws hopeless ones away; both must agree.

    model = Model(everything_written, everything_forgotten)
    model.winner("diet")    the record that counts at that path, or None where it says nothing
    model.tree()            {path: value} of all paths that say something
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

__all__ = ["Forgotten", "Model", "Written"]


@dataclass(frozen=True)
class Written:
    """One write, as it left the hand of its writer. ``value`` means nothing where ``deleted``."""

    path: str
    by_person: bool
    device: bytes
    order: int
    value: Any = None
    deleted: bool = False
    seen: int = 0
    heard: int = 0
    writer: str = "user"


@dataclass(frozen=True)
class Forgotten:
    """The person's statement "forget everything by this agent": ``developer/slug``, or one version of it."""

    agent: str
    order: int

    def means(self, writer: str) -> bool:
        return writer == self.agent or writer.split("@")[0] == self.agent


class Model:
    """All writes to one scope and all statements of forgetting, in no particular order; repetition means nothing."""

    def __init__(self, written: Iterable[Written] = (), forgotten: Iterable[Forgotten] = ()) -> None:
        self.written = list(written)
        self.forgotten = list(forgotten)

    def write(self, record: Written) -> None:
        self.written.append(record)

    def forget(self, statement: Forgotten) -> None:
        self.forgotten.append(statement)

    def paths(self) -> set[str]:
        return {record.path for record in self.written}

    def is_void(self, record: Written) -> bool:
        """An agent's write, made by a replica that had not heard that the agent is forgotten."""
        if record.by_person:
            return False
        return any(each.means(record.writer) and record.heard < each.order for each in self.forgotten)

    def says_something(self, record: Written) -> bool:
        return not record.deleted and not self.is_void(record)

    def last_word(self, path: str) -> Written | None:
        """The record that decides the path, which may be a deletion or void."""
        here = [record for record in self.written if record.path == path]
        persons = _latest([record for record in here if record.by_person])
        agents = [record for record in here if not record.by_person]
        if persons is None:
            return _latest(agents)
        if not persons.deleted:
            return persons
        knowing = [record for record in agents if record.seen >= persons.order]
        return _latest(knowing) or persons

    def winner(self, path: str) -> Written | None:
        record = self.last_word(path)
        return record if record is not None and self.says_something(record) else None

    def tree(self) -> dict[str, Any]:
        winners = {path: self.winner(path) for path in sorted(self.paths())}
        return {path: record.value for path, record in winners.items() if record is not None}


def _latest(records: list[Written]) -> Written | None:
    """The record that no other comes after: later order first, then the greater device."""
    for one in records:
        beaten = False
        for other in records:
            later = other.order > one.order or (other.order == one.order and other.device > one.device)
            beaten = beaten or later
        if not beaten:
            return one
    return None
