"""The merge law: which record of a name wins. A pure function of the set of records.

Each device writes only its own slots, at most one for each (name, class), class ``u`` for what the person wrote and
``a`` for what agents wrote. With ``key(r) = (order, device)``:

1. ``E`` is the record of class ``u`` with the greatest key. If it is a value, it wins: what the person wrote is never
   beaten by an agent, whatever the clocks say.
2. Otherwise, among the records of class ``a`` with ``seen ≥ order(E)`` (all of them where there is no ``E``), the
   greatest key wins; it may be a deletion.
3. Otherwise ``E``, the person's deletion, wins: what the person deleted stays deleted against every agent that had
   not seen the deletion.

A record of class ``a`` whose writer the person has forgotten, by a statement it had not heard (``heard`` less than
the statement's order), counts as a deletion at its own order.

A record is *hopeless* when another one held makes it so for ever; it may be removed anywhere, and removing it never
changes the winner, now or after any merge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

__all__ = ["Standing", "Verdict", "hopeless", "is_deletion", "nobody_forgotten", "winner"]


class Standing(NamedTuple):
    """What the law looks at in a record: nothing else can decide."""

    order: int
    device: bytes
    by_person: bool
    deleted: bool
    seen: int = 0
    heard: int = 0
    writer: str = ""

    @property
    def key(self) -> tuple[int, bytes]:
        return self.order, self.device


class Statement(Protocol):
    """What decides whether a record that wins is a value."""

    @property
    def by_person(self) -> bool: ...
    @property
    def deleted(self) -> bool: ...
    @property
    def heard(self) -> int: ...
    @property
    def writer(self) -> str: ...


class Verdict(NamedTuple):
    """The place of the winner among the records given, and whether what it says is that there is no value."""

    place: int
    deleted: bool


Forgotten = Callable[[str], int]
"""writer → order of the person's newest statement that forgets it; 0 if there is none."""


def nobody_forgotten(_writer: str) -> int:
    return 0


def winner(records: Sequence[Standing], forgotten: Forgotten = nobody_forgotten) -> Verdict | None:
    """The winner among *records*, or None where there are none. O(n)."""
    person: int | None = None
    for index, record in enumerate(records):
        if record.by_person and (person is None or record.key > records[person].key):
            person = index
    if person is not None and not records[person].deleted:
        return Verdict(person, False)
    least = 0 if person is None else records[person].order
    agent: int | None = None
    for index, record in enumerate(records):
        if record.by_person or record.seen < least:
            continue
        if agent is None or record.key > records[agent].key:
            agent = index
    if agent is not None:
        chosen = records[agent]
        return Verdict(agent, is_deletion(chosen, forgotten))
    return None if person is None else Verdict(person, True)


def is_deletion(record: Statement, forgotten: Forgotten = nobody_forgotten) -> bool:
    """Whether *record*, where it wins, says that there is no value; so it is where it stands alone."""
    return record.deleted or (not record.by_person and record.heard < forgotten(record.writer))


def hopeless(record: Standing, others: Sequence[Standing]) -> bool:
    """Whether one of *others* makes *record* hopeless for ever. O(n)."""
    return any(_beaten(record, other) for other in others)


def _beaten(x: Standing, y: Standing) -> bool:
    if x.by_person:
        return y.by_person and y.key > x.key
    if y.by_person:
        return x.seen < y.order
    return y.key > x.key and y.seen >= x.seen
