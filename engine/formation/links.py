"""Links between memories: ``elaborates``, ``extends``, ``confirms``, ``contradicts``, each with its provenance.

A link is one record in the scope of the memory that it leads from. Its name follows from its type and both ends, so
devices that make the same link have one. A ``contradicts`` link *flags* its target: recall counts on it less. The flag
is void as soon as the target was written or confirmed again, and with either end the link is gone. What the person
wrote is flagged by another word of theirs, never by what an agent or the curator wrote.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from vademecum.errors import VademecumError

from ..leaf import Leaf, leaf_of, memory_id, parse_memory_id
from ..records import Record
from ..sight import Sight
from ..slots import SlotMap
from ..times import from_ms, show_time, to_ms
from ..view import View

if TYPE_CHECKING:
    from ..replica import Transaction

__all__ = ["Link", "LinkType", "flagged", "link", "links_of", "seen", "unlink"]


class LinkType(StrEnum):
    """Read from the newer memory to the older."""

    ELABORATES = "elaborates"
    """It says the same in more detail."""
    EXTENDS = "extends"
    """It says something more about the same matter."""
    CONFIRMS = "confirms"
    """It says the same elsewhere."""
    CONTRADICTS = "contradicts"
    """Both cannot be so; the target is flagged."""


@dataclass(frozen=True, slots=True)
class Link:
    """``source`` and ``target`` are ids of memories; ``void`` says that a flag no longer counts; ``why`` is a sentence,
    and ``agent`` who made it.
    """

    type: LinkType
    source: str
    target: str
    at: datetime
    agent: str
    why: str
    confidence: float
    void: bool = False

    def as_json(self) -> dict[str, Any]:
        return {
            "type": str(self.type),
            "source": self.source,
            "target": self.target,
            "at": show_time(to_ms(self.at)),
            "agent": self.agent,
            "why": self.why,
            "confidence": self.confidence,
            "void": self.void,
        }


def link(
    transaction: Transaction,
    kind: LinkType,
    source: tuple[str, str],
    target: tuple[str, str],
    *,
    writer: str,
    why: str,
    confidence: float = 1.0,
    receipts: tuple[str, ...] = (),
) -> bool:
    """Links *source* to *target*, each (scope, path); False, and nothing written, if that link is there and counts.

    Both must be there. A link from a memory to itself is a mistake of the caller's.
    """
    assert source != target, "a memory is not linked to itself"
    scope = transaction.scope(source[0])
    name = _name(kind, source, target)
    row = scope.row(SlotMap.LINKS, name)
    of = transaction.row(target[0], SlotMap.LEAVES, target[1]).newest
    if row.newest_by_person and not row.live:
        return False
    if row.winner is not None and not (kind is LinkType.CONTRADICTS and _is_void(transaction, row.winner, target)):
        return False
    value = {"type": str(kind), "from": source[1], "to": memory_id(*target), "of": of, "why": why}
    scope.put(SlotMap.LINKS, name, Record(0, writer=writer, value=value, confidence=confidence, receipts=receipts))  # type: ignore[arg-type]  # a dict of text and an integer is a value
    return True


def links_of(view: View, path: str, scope: str | None = None) -> list[Link]:
    """The links from and to the memories at *path* (in *scope* only), in the order of their making. O(links)."""
    found = []
    for home in view.scopes():
        for record, made in _links(view, home):
            ends = (parse_memory_id(made.source), parse_memory_id(made.target))
            if any(name == path and scope in (None, its_scope) for its_scope, name in ends):
                found.append((record.order, made))
    return [made for _, made in sorted(found, key=lambda pair: pair[0])]


def flagged(sight: Sight) -> dict[str, Link]:
    """By the id of each memory that another contradicts, the surest link that says so.

    Only memories that the caller sees flag another: what it may not see has no part in what it is told. O(flags).
    """
    found: dict[str, Link] = {}
    for home in sight.scopes():
        if home.startswith("session/"):
            continue
        for _, made in _links(sight.view, home, f"{LinkType.CONTRADICTS}:"):
            known = found.get(made.target)
            if made.void or (known is not None and known.confidence >= made.confidence):
                continue
            if sight.may_see(*parse_memory_id(made.source)) and _may_flag(sight.view, made):
                found[made.target] = made
    return found


def seen(scope: str, path: str, record: Record, flags: Mapping[str, Link]) -> Leaf:
    """The leaf, marked where another contradicts it."""
    flag = flags.get(memory_id(scope, path))
    return leaf_of(scope, path, record, None if flag is None else flag.source)


def unlink(transaction: Transaction, scope_name: str, paths: Collection[str]) -> None:
    """Removes the links from and to memories that are forgotten, as the person. O(links)."""
    ids = {memory_id(scope_name, path) for path in paths}
    for home in transaction.scopes():
        gone = []
        for name, row in transaction.rows(home, SlotMap.LINKS):
            made = None if row.winner is None else _link(transaction, home, row.winner)
            if made is not None and not ids.isdisjoint((made.source, made.target)):
                gone.append(name)
        for name in gone:
            transaction.scope(home).put(SlotMap.LINKS, name, Record(0, deleted=True))


def _may_flag(view: View, made: Link) -> bool:
    """Whether the source's word counts against the target's."""
    source, target = (
        view.get(scope, SlotMap.LEAVES, path) for scope, path in map(parse_memory_id, (made.source, made.target))
    )
    return source is not None and target is not None and (source.by_person or not target.by_person)


def _links(view: View, home: str, prefix: str = "") -> Iterator[tuple[Record, Link]]:
    """Those of which both ends are there, and whose name begins with *prefix*."""
    for _, row in view.rows(home, SlotMap.LINKS, prefix):
        made = None if row.winner is None else _link(view, home, row.winner)
        if row.winner is not None and made is not None:
            ends = (parse_memory_id(made.source), parse_memory_id(made.target))
            if all(view.row(scope, SlotMap.LEAVES, path).live for scope, path in ends):
                yield row.winner, made


def _link(view: View, home: str, record: Record) -> Link | None:
    """None for what no version of this program wrote."""
    value = record.value
    if not isinstance(value, dict):
        return None
    try:
        kind = LinkType(str(value.get("type")))
        target = parse_memory_id(str(value.get("to")))
    except (ValueError, VademecumError):
        return None
    return Link(
        kind,
        memory_id(home, str(value.get("from"))),
        memory_id(*target),
        from_ms(record.created),
        record.writer,
        str(value.get("why", "")),
        record.confidence,
        kind is LinkType.CONTRADICTS and _is_void(view, record, target),
    )


def _is_void(view: View, record: Record, target: tuple[str, str]) -> bool:
    """Whether the target was written since: with a greater order than it had, and than the link has."""
    of = record.value.get("of") if isinstance(record.value, dict) else None
    known = max(record.order, of if isinstance(of, int) else 0)
    now = view.get(target[0], SlotMap.LEAVES, target[1])
    return now is None or now.order > known


def _name(kind: LinkType, source: tuple[str, str], target: tuple[str, str]) -> str:
    """A digest of the ends: what stays as the mark of a link that was forgotten tells nobody what it was about."""
    ends = f"{source[1]}→{memory_id(*target)}"
    return f"{kind}:{blake2b(ends.encode(), digest_size=16).hexdigest()}"
