"""What the indexes named, as it stands in the database now: an index may be late, the rows are not.

A row is decoded only where its record is asked for: most of what the indexes name will not be shown.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from vademecum.storage.tables import Table

from .conversation import Turn, is_question
from .indexing import entry_id, parse_entry_id
from .leaf import memory_id
from .messages import is_spoken, message_parts
from .records import Record
from .sight import Sight
from .slots import SlotMap, decode_row, is_live
from .view import row_key

__all__ = ["Found", "Place", "around", "found_key", "living", "turns_of"]

Place = tuple[str | None, str | None]
"""The keys of the turns before and after; None where there is none."""

_PASSED_OVER = 8
"""Rows that nobody spoke, such as what tools gave back, between two turns that still count as neighbours."""
_LOGGED = re.compile(r"[0-9a-f]{24}\Z")
_NUMBERED = re.compile(r"(?P<stem>.*?)(?P<number>[0-9]{1,18})\Z", re.DOTALL)


class Found:
    """A living row that an index has named, under its ``key``, ``scope ␊ entry``."""

    __slots__ = ("_record", "key", "name", "row", "scope", "slot_map")

    def __init__(self, key: str, scope: str, slot_map: SlotMap, name: str, row: bytes) -> None:
        self.key = key
        self.scope = scope
        self.slot_map = slot_map
        self.name = name
        self.row = row
        self._record: Record | None = None

    @property
    def id(self) -> str:
        return memory_id(self.scope, self.name)

    @property
    def is_turn(self) -> bool:
        return self.slot_map is SlotMap.MESSAGES

    @property
    def record(self) -> Record:
        if self._record is None:
            self._record = decode_row(self.row).slots[0].record
        return self._record


def found_key(scope: str, entry: str) -> str:
    """What an entry of a scope is called while a question is answered."""
    return f"{scope}\n{entry}"


def living(sight: Sight, keys: Iterable[str], numbers: Mapping[str, bytes]) -> dict[str, Found]:
    """Those of *keys* that are there, by key; *numbers* are the scopes' numbers. O(keys × log n)."""
    wanted = {}
    for key in keys:
        scope, _, entry = key.partition("\n")
        slot_map, name = parse_entry_id(entry)
        wanted[key] = (scope, slot_map, name, numbers[scope] + row_key(slot_map, name))
    rows = sight.view.reader.get_many(Table.LEAVES, sorted(full for *_, full in wanted.values()))
    found = {}
    for key, (scope, slot_map, name, full) in wanted.items():
        row = rows.get(full)
        if row is not None and is_live(row):
            found[key] = Found(key, scope, slot_map, name, row)
    return found


def around(sight: Sight, turns: Collection[Found], numbers: Mapping[str, bytes]) -> dict[str, Place]:
    """The keys of the turns before and after each of *turns*, by key.

    A message that was logged here has a name that sorts by time, so its neighbours stand next to it. An imported one
    keeps the id it had, whose order is its source's: where it ends in a number (``D1:9``, ``m-007``) its neighbours are
    those one less and one more, if there are such; otherwise it has none, rather than wrong ones.
    """
    found = {}
    for one in turns:
        if _LOGGED.match(one.name):
            found[one.key] = (_next(sight, one, numbers, back=True), _next(sight, one, numbers, back=False))
        else:
            found[one.key] = (_counted(one, -1), _counted(one, 1))
    return found


def turns_of(found: Mapping[str, Found], places: Mapping[str, Place]) -> dict[str, Turn]:
    """The turns among *found*, each with its place between others where *places* has it."""
    turns = {}
    for key, one in found.items():
        if one.is_turn and is_spoken(one.record):
            speaker, text = message_parts(one.record)
            turns[key] = Turn(one.scope, speaker, one.record.created, is_question(text), *places.get(key, (None, None)))
    return turns


def _counted(one: Found, step: int) -> str | None:
    match = _NUMBERED.match(one.name)
    if match is None or int(match["number"]) + step < 0:
        return None
    digits = match["number"]
    number = f"{int(digits) + step:0{len(digits) if digits[0] == '0' else 1}d}"
    return found_key(one.scope, entry_id(row_key(SlotMap.MESSAGES, match["stem"] + number)))


def _next(sight: Sight, one: Found, numbers: Mapping[str, bytes], *, back: bool) -> str | None:
    number = numbers[one.scope]
    prefix = number + bytes([SlotMap.MESSAGES])
    here = number + row_key(SlotMap.MESSAGES, one.name)
    partial = sight.is_partial(one.scope)
    passed = 0
    for full, row in sight.view.reader.scan(Table.LEAVES, prefix, after=here, reverse=back):
        if partial and not sight.may_see(one.scope, full[len(prefix) :].decode()):
            continue  # not counted, either: what is hidden moves no score
        if passed == _PASSED_OVER:
            break
        passed += 1
        if is_live(row) and is_spoken(decode_row(row).slots[0].record):
            return found_key(one.scope, entry_id(full[len(number) :]))
    return None
