"""Transcripts: conversations as a JSON list, their turns and the facts that someone drew from them.

::

    [{"conversation": "trip",
      "turns": [{"id": "t1", "session": 1, "at": "2026-05-08T13:56:00Z", "speaker": "Ines", "text": "…"}],
      "facts": [{"speaker": "Ines", "text": "Ines gets seasick.", "evidence": ["t1"]}]}]

A turn becomes a message of ``session/<conversation>``, under its id. A fact becomes the leaf
``people.<speaker>.<conversation>.<hash>`` of ``user.public``, where the hash is that of speaker and text, so that the
same fact is the same leaf wherever it is imported; its receipts are its turns, which are therefore required. Both are
written by the agent ``vademecum/import``. ``facts`` and ``session`` may be absent; other keys are ignored.

``at`` is ISO 8601 with an offset, or the form of LoCoMo's files, ``1:56 pm on 8 May, 2023``, which has no time zone
and is read as UTC.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple, NoReturn

import vademecum
from vademecum.engine.agents import AgentId
from vademecum.engine.messages import log_message
from vademecum.engine.paths import parse_path, segment_from
from vademecum.engine.receipts import cite_message
from vademecum.engine.records import Record
from vademecum.engine.remembering import import_leaf
from vademecum.engine.scopes import PUBLIC, session_scope
from vademecum.engine.sight import OWNER
from vademecum.engine.slots import SlotMap
from vademecum.engine.times import parse_time, to_ms
from vademecum.engine.values import MAX_TEXT
from vademecum.engine.writing import ScopeWriter
from vademecum.errors import InvalidPath, InvalidTime

from .batches import Entry, EntryKind
from .files import parse_json, refuse

__all__ = ["IMPORTER", "read", "read_moment", "segment_of"]

IMPORTER = AgentId("vademecum", "import", vademecum.__version__)
MAX_ID = 128
"""Bytes of UTF-8 in a turn's id; it becomes part of a key of the database."""

_LOCOMO = re.compile(r"(\d{1,2}):(\d\d) ([ap]m) on (\d{1,2}) ([A-Za-z]+), (\d{4})\Z")
# not strptime: its names of months are the locale's
_MONTHS = "january february march april may june july august september october november december"


class Turn(NamedTuple):
    session: str
    id: str
    speaker: str
    text: str
    at_ms: int


class Fact(NamedTuple):
    path: str
    text: str
    evidence: tuple[Turn, ...]


def read(text: str, file: str) -> list[Entry]:
    """What the transcript *text*, called *file*, holds: turns before the facts that cite them.

    Raises `UnreadableFile`, naming the line, or the conversation and the turn or fact.
    """
    try:
        document = parse_json(text)
    except json.JSONDecodeError as error:
        refuse(file, f"Line {error.lineno} is not JSON: {error.msg}.")
    except RecursionError:
        refuse(file, "It is nested too deeply.")
    except ValueError as error:
        refuse(file, str(error))
    if not isinstance(document, list):
        refuse(file, "A transcript is a list of conversations.")
    entries: list[Entry] = []
    seen: set[str] = set()
    for number, conversation in enumerate(document, 1):
        reader = _Reader(file, f"conversation {number}")
        name = reader.text(reader.object(conversation), "conversation")
        reader.where = f"conversation {name!r}"
        if name in seen:
            reader.refuse("is there twice")
        seen.add(name)
        entries += _conversation(reader, name, conversation)
    return entries


def read_moment(text: str) -> int:
    """Milliseconds since 1970 of a turn's ``at``. Raises `InvalidTime`."""
    found = _LOCOMO.match(text)
    if not found:
        return to_ms(parse_time(text))
    hour, minute, half, day, month, year = found.groups()
    months = _MONTHS.split()
    if month.lower() not in months or not 1 <= int(hour) <= 12:
        raise InvalidTime(f"{text!r} is not a time.")
    try:
        moment = datetime(
            int(year),
            months.index(month.lower()) + 1,
            int(day),
            int(hour) % 12 + (12 if half == "pm" else 0),
            int(minute),
            tzinfo=UTC,
        )
    except ValueError:
        raise InvalidTime(f"{text!r} is not a time.") from None
    return to_ms(moment)


def segment_of(name: str) -> str:
    """The path segment, and the session, that stand for a speaker or conversation called *name*.

    A name that is no segment is made one, with a hash that keeps it apart from others. Raises `InvalidPath` if it has
    no letter or digit.
    """
    fit = segment_from(name)
    return fit if fit == name else f"{fit[:55]}-{_short(name)}"


class _Reader:
    """Takes checked fields out of objects; every refusal names *where* they are."""

    def __init__(self, file: str, where: str) -> None:
        self.file = file
        self.where = where

    def refuse(self, what: str) -> NoReturn:
        refuse(self.file, f"{self.where[0].upper()}{self.where[1:]} {what}.")

    def object(self, found: object) -> Mapping[str, Any]:
        if not isinstance(found, dict):
            self.refuse("is not an object")
        return found

    def text(self, found: Mapping[str, Any], key: str) -> str:
        value = found.get(key)
        if not isinstance(value, str) or not value.strip():
            self.refuse(f"has no {key!r}" if key not in found else f"has a {key!r} that is no text")
        try:
            size = len(value.encode())
        except UnicodeEncodeError:
            self.refuse(f"has a {key!r} that is not valid Unicode")
        if size > MAX_TEXT:
            self.refuse(f"has a {key!r} of {size:,} bytes; at most {MAX_TEXT:,} are allowed")
        return value

    def list(self, found: Mapping[str, Any], key: str, default: Sequence[Any] | None = None) -> Sequence[Any]:
        value = found.get(key, default)
        if not isinstance(value, list | tuple):
            self.refuse(f"has no list {key!r}")
        return value

    def segment(self, name: str) -> str:
        try:
            return segment_of(name)
        except InvalidPath:
            self.refuse(f"needs a letter or digit in the name {name!r}")

    def moment(self, found: Mapping[str, Any]) -> int:
        text = self.text(found, "at")
        try:
            return read_moment(text)
        except InvalidTime:
            self.refuse(
                f"has the time {text!r}; write it with its offset, such as 2026-05-08T13:56:00Z, "
                f"or as '1:56 pm on 8 May, 2023', which is read as UTC"
            )


def _conversation(reader: _Reader, name: str, found: Mapping[str, Any]) -> list[Entry]:
    session = reader.segment(name)
    where = reader.where
    turns: dict[str, Turn] = {}
    for number, one in enumerate(reader.list(found, "turns"), 1):
        reader.where = f"turn {number} of {where}"
        turn = _turn(reader, session, reader.object(one))
        if turn.id in turns:
            reader.refuse(f"has the id {turn.id!r}, which another turn has")
        turns[turn.id] = turn
    facts: dict[str, Fact] = {}
    for number, one in enumerate(reader.list(found, "facts", ()), 1):
        reader.where = f"fact {number} of {where}"
        fact = _fact(reader, session, reader.object(one), turns)
        known = facts.get(fact.path)
        if known is not None:
            fact = fact._replace(evidence=tuple(dict.fromkeys([*known.evidence, *fact.evidence])))
        facts[fact.path] = fact
    reader.where = where
    scope = session_scope(session)
    return [
        *(Entry(EntryKind.MESSAGE, scope, _size(turn), partial(_write_turn, turn=turn)) for turn in turns.values()),
        *(
            Entry(
                EntryKind.LEAF,
                PUBLIC,
                len(fact.text.encode()) + sum(_size(turn) for turn in fact.evidence),
                partial(_write_fact, fact=fact),
            )
            for fact in facts.values()
        ),
    ]


def _turn(reader: _Reader, session: str, found: Mapping[str, Any]) -> Turn:
    identity = reader.text(found, "id")
    reader.where = f"turn {identity!r} of {reader.where.partition(' of ')[2]}"
    if len(identity.encode()) > MAX_ID or not identity.isprintable():
        reader.refuse(f"has an id that is not 1 to {MAX_ID} bytes of printable text")
    return Turn(session, identity, reader.text(found, "speaker"), reader.text(found, "text"), reader.moment(found))


def _fact(reader: _Reader, session: str, found: Mapping[str, Any], turns: Mapping[str, Turn]) -> Fact:
    speaker, text = reader.text(found, "speaker"), reader.text(found, "text")
    evidence = reader.list(found, "evidence")
    if not evidence:
        reader.refuse("names no turn as its evidence")
    for identity in evidence:
        if not isinstance(identity, str) or identity not in turns:
            reader.refuse(f"names the turn {identity!r} as its evidence, and there is no such turn")
    digest = _short(f"{speaker}\0{text}")
    try:
        path = parse_path(f"people.{reader.segment(speaker)}.{session}.{digest}")
    except InvalidPath:
        reader.refuse("has a speaker and a conversation whose names are too long together")
    return Fact(path, text, tuple(dict.fromkeys(turns[identity] for identity in evidence)))


def _write_turn(scope: ScopeWriter, turn: Turn) -> bool:
    if scope.row(SlotMap.SETTINGS, OWNER).winner is None:
        scope.put(SlotMap.SETTINGS, OWNER, Record(0, value=IMPORTER.name))
    return log_message(scope, str(IMPORTER), turn.id, speaker=turn.speaker, text=turn.text, at_ms=turn.at_ms)


def _write_fact(scope: ScopeWriter, fact: Fact) -> bool:
    return import_leaf(
        scope,
        fact.path,
        fact.text,
        writer=str(IMPORTER),
        receipts=lambda: [
            cite_message(
                scope,
                str(IMPORTER),
                session=turn.session,
                message=turn.id,
                speaker=turn.speaker,
                text=turn.text,
                at_ms=turn.at_ms,
            )
            for turn in fact.evidence
        ],
        created_ms=max(turn.at_ms for turn in fact.evidence),
    )


def _size(turn: Turn) -> int:
    return len(turn.text.encode()) + len(turn.speaker.encode())


def _short(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:8]
