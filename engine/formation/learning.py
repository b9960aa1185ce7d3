"""What the curator writes into Tier 1: a memory, its confirmation, its end; and the receipts of each.

A receipt quotes no more of a message than what supports the memory: the rest of it may be private. All that one message
supports in one scope is one receipt. ``updated`` is when a memory was last confirmed, and its age counts from there.
"""

from __future__ import annotations

from typing import NamedTuple

from ..clock import MAX_AHEAD_MS
from ..receipts import cite_message
from ..records import Record
from ..remembering import MAX_RECEIPTS, keep_memory
from ..replica import Transaction
from ..scopes import PRIVATE
from ..sight import grant_name
from ..slots import SlotMap
from ..values import MAX_TEXT, Value
from ..view import View
from .candidates import PERSON
from .wording import stands_in

__all__ = ["CURATOR", "Source", "cite", "confirm", "end", "learn", "said_last", "said_since"]

CURATOR = "vademecum/curator@1"
"""Who writes what is learned; the version is that of the rules in this package."""


class Source(NamedTuple):
    """The words of a recorded message; ``session`` is a scope, ``agent`` whose session it is (``developer/slug``)."""

    session: str
    message: str
    quote: str
    at_ms: int
    agent: str | None

    @property
    def receipt(self) -> str:
        return f"{self.session.removeprefix('session/')}/{self.message}"


def cite(transaction: Transaction, scope_name: str, source: Source) -> str:
    """The id of the receipt for *source*; a quote that it does not hold yet is added to it."""
    scope = transaction.scope(scope_name)
    record = scope.row(SlotMap.RECEIPTS, source.receipt).winner
    text = source.quote
    if record is not None and isinstance(record.value, list) and len(record.value) == 4:
        held = str(record.value[0])
        longer = f"{held} … {text}"
        if not stands_in(text, held) and len(longer.encode()) <= MAX_TEXT:
            scope.put(
                SlotMap.RECEIPTS,
                source.receipt,
                Record(0, writer=CURATOR, value=[longer, *record.value[1:]], created=record.created),
            )
        return source.receipt
    return cite_message(
        scope,
        CURATOR,
        session=source.session.removeprefix("session/"),
        message=source.message,
        speaker=PERSON,
        text=text,
        at_ms=min(source.at_ms, transaction.wall_ms),
    )


def learn(
    transaction: Transaction,
    scope_name: str,
    path: str,
    value: Value,
    sources: list[Source],
    *,
    sentence: str | None,
    kind: str,
    confidence: float,
) -> Record:
    """Writes a memory. What stood at *path* is in the history; the caller has seen to it that it is not the person's.

    In ``user.private`` the agents whose sessions the *sources* are may read it, unless the person took that back.
    """
    receipts = tuple(dict.fromkeys(cite(transaction, scope_name, source) for source in sources))
    _let_read(transaction, scope_name, path, sources)
    return keep_memory(
        transaction.scope(scope_name),
        path,
        Record(
            0,
            writer=CURATOR,
            value=value,
            kind=kind,
            confidence=confidence,
            sentence=sentence or None,
            receipts=receipts[:MAX_RECEIPTS],
            created=min(min(source.at_ms for source in sources), transaction.wall_ms),
        ),
    )


def confirm(transaction: Transaction, scope_name: str, path: str, record: Record, sources: list[Source]) -> bool:
    """Adds receipts to a memory that an agent or the curator wrote, and renews its age; False, and nothing written,
    if it has them all. What it says and how it reads stay.
    """
    _let_read(transaction, scope_name, path, sources)
    if all(source.receipt in record.receipts for source in sources):
        return False
    receipts = tuple(dict.fromkeys(cite(transaction, scope_name, source) for source in sources))
    draft = record._replace(order=0, writer=CURATOR, created=0, updated=0, receipts=receipts)
    keep_memory(transaction.scope(scope_name), path, draft)
    return True


def end(transaction: Transaction, scope_name: str, path: str, source: Source) -> None:
    """Deletes a memory because the person said that it is no longer so; what it was stays in the history."""
    receipt = cite(transaction, scope_name, source)
    transaction.scope(scope_name).put(
        SlotMap.LEAVES, path, Record(0, writer=CURATOR, receipts=(receipt,), deleted=True)
    )


def said_last(view: View, scope: str, record: Record) -> int:
    """When the newest of the words behind *record* were said, in milliseconds; when it was written, without any."""
    return max(_times(view, scope, record))


def said_since(view: View, scope: str, record: Record, said_ms: int, wall_ms: int) -> bool:
    """Whether words behind *record* were said after *said_ms*. A time that lies ahead comes from a clock that was wrong
    and says nothing: or else what was said by it could not be corrected until then.
    """
    return any(said_ms < at <= wall_ms + MAX_AHEAD_MS for at in _times(view, scope, record))


def _times(view: View, scope: str, record: Record) -> list[int]:
    receipts = (view.get(scope, SlotMap.RECEIPTS, one) for one in record.receipts)
    return [receipt.created for receipt in receipts if receipt is not None] or [record.updated]


def _let_read(transaction: Transaction, scope_name: str, path: str, sources: list[Source]) -> None:
    if scope_name == PRIVATE:
        for agent in sorted({source.agent for source in sources if source.agent is not None}):
            _grant(transaction, path, agent)


def _grant(transaction: Transaction, path: str, agent: str) -> None:
    scope = transaction.scope(PRIVATE)
    name = grant_name(path, agent)
    row = scope.row(SlotMap.GRANTS, name)
    if not row.live and not row.newest_by_person:
        scope.put(SlotMap.GRANTS, name, Record(0, writer=CURATOR, value=True))
