"""What the curator reads for some signals of one session: their messages, what was said around them, what is known.

A distiller is given the person's *own words* (see `echoes`), and of the memory only what the agent of that session may
see: what is private between the person and another agent has no business in this one's transcript.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from vademecum.storage.tables import Table

from ..agents import AgentId
from ..messages import logged_ms, message_id, message_parts
from ..records import Record
from ..scopes import PRIVATE, PUBLIC
from ..sentences import sentence
from ..sight import Sight
from ..slots import SlotMap, decode_row
from ..view import View, row_key
from .candidates import Known, Message
from .echoes import own_words
from .likeness import content_words
from .shown import shown_lines
from .signals import Signal

__all__ = ["Reading", "Recorded", "read", "recorded_at"]

BEFORE = 8
"""Messages before the first signal that are read along."""
AFTER = 2
MOST_KNOWN = 64
"""Memories that a distiller is told of: those that share words with the messages first, then the newest."""
_SCANNED = 2000  # leaves that are looked at; a person may have imported a hundred thousand


class Reading(NamedTuple):
    """``messages`` are those of the signals, in the person's own words only; ``context`` is what stands around them."""

    session: str
    messages: tuple[Message, ...]
    context: tuple[Message, ...]
    known: tuple[Known, ...]


class Recorded(NamedTuple):
    """A message as it is recorded, and the agent (``developer/slug``) that logged it, if one did; ``logged_ms`` is
    when, and may be long after it was said.
    """

    message: Message
    agent: str | None
    logged_ms: int


def read(view: View, session: str, signals: Sequence[Signal]) -> Reading:
    """O(messages around the signals + leaves of Tier 1)."""
    shown = shown_lines(view.reader)
    around = _around(view, session, signals)
    wanted = {signal.id for signal in signals}
    messages: list[Message] = []
    context: list[Message] = []
    for message, _, logged in around:
        own = own_words(message.text, shown, logged) if message.by_person else message.text
        if own:
            (messages if message.id in wanted and message.by_person else context).append(
                Message(message.id, message.role, own, message.at_ms)
            )
    agents = {agent for _, agent, _ in around}
    known = _known(view, agents.pop() if len(agents) == 1 else None, messages)
    return Reading(session, tuple(messages), tuple(context), known)


def recorded_at(view: View, message_id: str) -> Recorded | None:
    """The recorded message, or None where there is none (any more)."""
    session, _, name = message_id.partition(":")
    record = view.get(session, SlotMap.MESSAGES, name) if name else None
    return None if record is None else _recorded(session, name, record)


def _around(view: View, session: str, signals: Sequence[Signal]) -> list[Recorded]:
    """The messages from a few before the first signal to a few behind the last, in the order of their names."""
    number = view.number(session)
    if number is None:
        return []
    base = number + bytes([SlotMap.MESSAGES])
    names = sorted(signal.message for signal in signals)
    first, last = (number + row_key(SlotMap.MESSAGES, name) for name in (names[0], names[-1]))
    before = _some(view, base, first, BEFORE, reverse=True)[::-1]
    between: list[tuple[str, Record]] = []
    after = 0
    at = before[-1][0] if before else ""
    start = number + row_key(SlotMap.MESSAGES, at) if at else None
    for key, data in view.reader.scan(Table.LEAVES, base, after=start):
        after += key > last
        if after > AFTER:
            break
        row = decode_row(data)
        if row.winner is not None:
            between.append((key[len(base) :].decode(), row.winner))
    return [_recorded(session, name, record) for name, record in (*before, *between)]


def _some(view: View, base: bytes, edge: bytes, count: int, *, reverse: bool) -> list[tuple[str, Record]]:
    found: list[tuple[str, Record]] = []
    for key, data in view.reader.scan(Table.LEAVES, base, after=edge, reverse=reverse):
        if len(found) == count:
            break
        row = decode_row(data)
        if row.winner is not None:
            found.append((key[len(base) :].decode(), row.winner))
    return found


def _recorded(session: str, name: str, record: Record) -> Recorded:
    role, text = message_parts(record)
    agent = None if record.by_person else AgentId.parse(record.writer).name
    return Recorded(
        Message(message_id(session, name), role or "unknown", text, record.created), agent, logged_ms(record)
    )


def _known(view: View, agent: str | None, messages: Iterable[Message]) -> tuple[Known, ...]:
    sight = Sight(view, None if agent is None else AgentId.parse(f"{agent}@0"))
    words = content_words("\n".join(message.text for message in messages))
    found = []
    for scope in (PUBLIC, PRIVATE) if agent is not None else (PUBLIC,):
        for path, record in sight.leaves(scope):
            said = record.sentence or sentence(path, record.value)
            shared = len(words & content_words(f"{path} {said}"))
            found.append((-shared, -record.order, Known(scope, path, record.value, said, record.by_person)))
            if len(found) == _SCANNED:
                break
    found.sort(key=lambda one: one[:2])
    return tuple(known for _, _, known in found[:MOST_KNOWN])
