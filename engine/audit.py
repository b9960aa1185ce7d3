"""Who wrote this, when, and because of which words: ``why`` for one path, ``log`` for everything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vademecum.errors import InvalidArgument, NotFound

from . import journal
from .agents import AgentPattern
from .formation.links import flagged, seen
from .journal import Entry
from .leaf import Leaf
from .receipts import Receipt, find_receipts, suggester
from .records import Record
from .sight import Sight
from .slots import SlotMap
from .times import from_ms, show_time, to_ms
from .values import Value, same_value
from .view import FORGOTTEN, View, row_key

__all__ = ["Change", "Why", "log", "supporting", "why"]


@dataclass(frozen=True, slots=True)
class Change:
    """One change. ``what`` is ``set``, ``deleted``, ``swept`` (its agent was forgotten), ``forgot``,
    ``granted`` or ``revoked``.

    ``value`` is what was written and ``old`` what stood there before in the merged history; both are None where the
    person has had them forgotten (then ``forgotten`` is true) or where there was none.
    """

    at: datetime
    agent: str
    device: bytes
    scope: str
    path: str
    what: str
    value: Value
    old: Value
    receipts: tuple[Receipt, ...]
    forgotten: bool
    suggested_by: str | None = None
    """The agent that suggested what the person then accepted."""

    def as_json(self) -> dict[str, Any]:
        return {
            "at": show_time(to_ms(self.at)),
            "agent": self.agent,
            "device": self.device.hex(),
            "scope": self.scope,
            "path": self.path,
            "what": self.what,
            "value": self.value,
            "old": self.old,
            "receipts": [receipt.as_json() for receipt in self.receipts],
            "forgotten": self.forgotten,
            "suggested_by": self.suggested_by,
        }


@dataclass(frozen=True, slots=True)
class Why:
    """Everything known of one path in one scope: what stands there, the words behind it, how it came about.

    ``receipts`` are those of every time that this value was written here, on whichever device, oldest first; each
    change in ``history`` has the ones that came with it.
    """

    scope: str
    path: str
    current: Leaf | None
    receipts: tuple[Receipt, ...]
    history: tuple[Change, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "scope": self.scope,
            "current": None if self.current is None else self.current.as_json(),
            "receipts": [receipt.as_json() for receipt in self.receipts],
            "history": [change.as_json() for change in self.history],
        }


def why(sight: Sight, path: str, scope: str | None = None) -> Why:
    """What stands at *path*, in *scope* or in the first scope that has it, now or in its history.

    Raises `NotFound` if this caller sees neither.
    """
    found = sight.find(path, scope)
    if found is not None:
        place, record = found
        return Why(
            place,
            path,
            seen(place, path, record, flagged(sight)),
            tuple(find_receipts(sight.view, place, supporting(sight.view, place, path))),
            tuple(_history(sight, place, path)),
        )
    for candidate in [scope] if scope else sight.scopes():
        if sight.may_see(candidate, path):
            changes = tuple(_history(sight, candidate, path))
            if changes:
                return Why(candidate, path, None, (), changes)
    raise NotFound(f"Nothing is known of {path!r}. `tree` lists what there is.")


def supporting(view: View, scope: str, path: str) -> tuple[str, ...]:
    """Ids of the receipts behind the value at *path* now: of every time that it was written there, oldest first."""
    number = view.number(scope)
    row = view.row(scope, SlotMap.LEAVES, path)
    if number is None or row.winner is None:
        return ()
    value = row.winner.value
    said = [entry.record for entry in journal.history(view.reader, number, row_key(SlotMap.LEAVES, path))]
    said += [slot.record for slot in row.slots]
    return tuple(
        dict.fromkeys(
            receipt
            for record in said
            if not record.deleted and same_value(record.value, value)
            for receipt in record.receipts
        )
    )


def log(
    sight: Sight, *, agent: AgentPattern | None = None, path: str | None = None, limit: int | None = None
) -> list[Change]:
    """Changes that this caller may see, newest first: all, or those by *agent*, or at and below *path*.

    Raises `InvalidArgument` for a *limit* below 1.
    """
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise InvalidArgument(f"The limit is {limit!r}; it must be a whole number from 1.")
    names = sight.view.scope_names()
    found: list[Change] = []
    for entry in journal.entries(sight.view.reader):
        if limit is not None and len(found) >= limit:
            break
        if agent is not None and not agent.matches(entry.record.writer):
            continue
        if path is not None and not (entry.name == path or entry.name.startswith(path + ".")):
            continue
        scope = names[entry.scope]
        if _is_visible(sight, scope, entry):
            found.append(_change(sight, scope, entry, _before(sight, entry)))
    return found


def _history(sight: Sight, scope: str, path: str) -> Iterator[Change]:
    number = sight.view.number(scope)
    if number is None:
        return
    before: Entry | None = None
    for entry in journal.history(sight.view.reader, number, row_key(SlotMap.LEAVES, path)):
        yield _change(sight, scope, entry, before)
        before = entry


def _before(sight: Sight, entry: Entry) -> Entry | None:
    before = None
    for other in journal.history(sight.view.reader, entry.scope, row_key(entry.map, entry.name)):
        if other.record.order == entry.record.order and other.device == entry.device:
            break
        before = other
    return before


def _is_visible(sight: Sight, scope: str, entry: Entry) -> bool:
    if entry.map is SlotMap.LEAVES:
        return sight.may_see(scope, entry.name)
    if sight.agent is None:
        return entry.map is SlotMap.GRANTS or entry.name.startswith(FORGOTTEN)
    return False


def _change(sight: Sight, scope: str, entry: Entry, before: Entry | None) -> Change:
    record = entry.record
    receipts = tuple(find_receipts(sight.view, scope, _came_with(record, before)))
    return Change(
        from_ms(record.updated),
        record.writer,
        entry.device,
        scope,
        entry.name.removeprefix(FORGOTTEN) if entry.map is SlotMap.SETTINGS else entry.name,
        _what(entry),
        record.value if entry.map is SlotMap.LEAVES else None,
        before.record.value if before is not None and entry.map is SlotMap.LEAVES else None,
        receipts,
        entry.forgotten,
        suggester(receipts) if record.by_person else None,
    )


def _came_with(record: Record, before: Entry | None) -> tuple[str, ...]:
    """The receipts that *record* adds to what stood there; all of them where it adds none."""
    if before is None or not same_value(record.value, before.record.value):
        return record.receipts
    known = set(before.record.receipts)
    return tuple(receipt for receipt in record.receipts if receipt not in known) or record.receipts


def _what(entry: Entry) -> str:
    if entry.map is SlotMap.GRANTS:
        return "revoked" if entry.record.deleted else "granted"
    if entry.map is SlotMap.SETTINGS:
        return "forgot"
    if entry.record.swept:
        return "swept"
    return "deleted" if entry.record.deleted else "set"
