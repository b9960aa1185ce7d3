"""What the curator reads for some signals of one session: their messages, what was said around them, what is known.

A distiller is given the person's *own words* (see `echoes`), and of the memory only what the agent of that session may
see: what is private between the person and another agent has no business in this one's transcript.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from vademecum.storage.tables import Table

from ..agents import AgentId, AgentPattern
from ..messages import message_parts
from ..records import Record
from ..scopes import PRIVATE, PUBLIC
from ..sentences import sentence
from ..sight import OWNER, Sight
from ..slots import SlotMap, decode_row
from ..view import View, row_key
from .candidates import PERSON, Known, Message
from .echoes import own_words, shown_lines
from .signals import Signal
from .wording import content_words

__all__ = ["Reading", "message_at", "owner_of", "read"]

BEFORE = 8
"""Messages before the first signal that are read along."""
AFTER = 2
MOST_KNOWN = 64
"""Memories that a distiller is told of: those that share words with the messages first, then the newest."""
_SCANNED = 2000  # leaves that are looked at; a person may have imported a hundred thousand


class Reading(NamedTuple):
    """``messages`` have the person's own words only, ``recorded`` the whole text by id; ``agent`` is whose session it
    is, ``developer/slug``.
    """

    session: str
    agent: str | None
    messages: tuple[Message, ...]
    context: tuple[Message, ...]
    known: tuple[Known, ...]
    recorded: dict[str, Message]


def read(view: View, session: str, signals: Sequence[Signal]) -> Reading:
    """O(messages around the signals + leaves of Tier 1)."""
    shown = shown_lines(view.reader)
    agent = owner_of(view, session)
    recorded = {message.id: message for message in _around(view, session, signals)}
    wanted = {signal.id for signal in signals}
    messages: list[Message] = []
    context: list[Message] = []
    for message in recorded.values():
        own = own_words(message.text, shown) if message.by_person else message.text
        if own:
            (messages if message.id in wanted and message.by_person else context).append(
                Message(message.id, message.role, own, message.at_ms)
            )
    return Reading(session, agent, tuple(messages), tuple(context), _known(view, agent, messages), recorded)


def message_at(view: View, message_id: str) -> Message | None:
    """The recorded message, or None where there is none (any more)."""
    session, _, name = message_id.partition(":")
    record = view.get(session, SlotMap.MESSAGES, name) if name else None
    return None if record is None else _message(session, name, record)


def owner_of(view: View, session: str) -> str | None:
    """The agent, ``developer/slug``, whose session it is."""
    owner = view.get(session, SlotMap.SETTINGS, OWNER)
    if owner is None or not isinstance(owner.value, str) or not AgentPattern.is_valid(owner.value):
        return None
    return AgentPattern.parse(owner.value).name


def _around(view: View, session: str, signals: Sequence[Signal]) -> list[Message]:
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
    return [_message(session, name, record) for name, record in (*before, *between)]


def _some(view: View, base: bytes, edge: bytes, count: int, *, reverse: bool) -> list[tuple[str, Record]]:
    found: list[tuple[str, Record]] = []
    for key, data in view.reader.scan(Table.LEAVES, base, after=edge, reverse=reverse):
        if len(found) == count:
            break
        row = decode_row(data)
        if row.winner is not None:
            found.append((key[len(base) :].decode(), row.winner))
    return found


def _message(session: str, name: str, record: Record) -> Message:
    role, text = message_parts(record)
    return Message(f"{session}:{name}", role or PERSON, text, record.created)


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
