"""Hypotheses: weak signs that have not earned a memory yet, kept as sightings that merge by union over all devices.

A sighting is one record in the observations of ``user.public`` or ``user.private``. Its name follows from what was seen
and where it was said, so the same sighting is one wherever it is written, and devices that each saw one have two after
they meet. Sightings of the same value at the same path are a hypothesis. It *graduates* when the person gave signs of
it often enough in enough conversations; it *fades* when nothing repeated it for long. Nothing else removes it but
forgetting: it holds its own quotes and outlives its sessions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from typing import Any, NamedTuple

from vademecum.errors import InvalidArgument

from ..forgetting import drop_message, note_forgetting
from ..records import Record
from ..replica import Transaction
from ..scopes import PRIVATE, PUBLIC
from ..slots import SlotMap
from ..times import show_time
from ..values import Value
from ..view import View
from .candidates import PERSON
from .wording import normal_value

__all__ = [
    "DEFAULT_RULE",
    "GraduationRule",
    "Hypothesis",
    "Sighting",
    "forget",
    "hypotheses",
    "is_held",
    "keep",
    "keep_rule",
    "read_rule",
    "remove",
    "sightings",
]

_DAY_MS = 86_400_000
_RULE = "formation/graduation"
"""Setting of ``user.public``: the rule, the same on all devices."""


class Sighting(NamedTuple):
    """One sign of *value* at *path*. ``source`` is who gave it, ``user`` for the person; ``session`` is a scope and
    ``message`` the name in it; ``explicit`` says that it was said outright, and only the budget kept it from becoming a
    memory.
    """

    path: str
    value: Value
    sentence: str
    kind: str
    confidence: float
    source: str
    session: str
    message: str
    quote: str
    agent: str | None
    at_ms: int
    explicit: bool = False

    @property
    def by_person(self) -> bool:
        return self.source == PERSON

    @property
    def group(self) -> str:
        """The same for all sightings of one hypothesis."""
        return _hash(self.path, normal_value(self.value))

    @property
    def name(self) -> str:
        return f"{self.group}/{_hash(self.session, self.message, self.source)}"


class GraduationRule(NamedTuple):
    """``sightings`` of the person's in at least ``conversations`` make a memory; after ``fade_days`` without another
    sighting a hypothesis is dropped.
    """

    sightings: int = 3
    conversations: int = 2
    fade_days: int = 60


DEFAULT_RULE = GraduationRule()


class Hypothesis(NamedTuple):
    """All sightings of one value at one path, oldest first; never none."""

    scope: str
    sightings: tuple[Sighting, ...]

    @property
    def path(self) -> str:
        return self.sightings[0].path

    @property
    def value(self) -> Value:
        return self.sightings[0].value

    @property
    def group(self) -> str:
        return self.sightings[0].group

    @property
    def own(self) -> list[Sighting]:
        """Those that the person gave."""
        return [one for one in self.sightings if one.by_person]

    @property
    def conversations(self) -> int:
        return len({one.session for one in self.own})

    def is_ripe(self, rule: GraduationRule) -> bool:
        if any(one.explicit for one in self.own):
            return True
        return len(self.own) >= rule.sightings and self.conversations >= rule.conversations

    def has_faded(self, rule: GraduationRule, now_ms: int) -> bool:
        return now_ms - max(one.at_ms for one in self.sightings) > rule.fade_days * _DAY_MS

    def as_json(self) -> dict[str, Any]:
        return {
            "scope": self.scope,
            "path": self.path,
            "value": self.value,
            "sightings": len(self.own),
            "conversations": self.conversations,
            "others": len(self.sightings) - len(self.own),
            "waits_for_room": any(one.explicit for one in self.own),
            "first": show_time(self.sightings[0].at_ms),
            "last": show_time(self.sightings[-1].at_ms),
            "seen": [
                {
                    "at": show_time(one.at_ms),
                    "source": one.source,
                    "text": one.quote,
                    "session": one.session.removeprefix("session/"),
                    "message": one.message,
                }
                for one in self.sightings
            ],
        }


def sightings(view: View, scope: str) -> Iterator[Sighting]:
    """All that *scope* holds, in the order of their names. O(sightings)."""
    for found, _ in _all(view, scope):
        yield found


def hypotheses(view: View) -> list[Hypothesis]:
    """Of both scopes of Tier 1, the most often seen first. O(sightings)."""
    found: dict[tuple[str, str], list[Sighting]] = {}
    for scope in (PUBLIC, PRIVATE):
        for one in sightings(view, scope):
            found.setdefault((scope, one.group), []).append(one)
    made = [
        Hypothesis(scope, tuple(sorted(seen, key=lambda one: (one.at_ms, one.name))))
        for (scope, _), seen in found.items()
    ]
    return sorted(made, key=lambda one: (-len(one.own), -one.sightings[-1].at_ms, one.path))


def is_held(view: View, scope: str, group: str) -> bool:
    """Whether there is any sighting of the hypothesis *group*. O(its sightings)."""
    return any(row.live for _, row in view.rows(scope, SlotMap.OBSERVATIONS, f"{group}/"))


def keep(transaction: Transaction, scope_name: str, sighting: Sighting, writer: str) -> bool:
    """Writes *sighting*; False, and nothing written, if it is there, or the person has forgotten it."""
    scope = transaction.scope(scope_name)
    row = scope.row(SlotMap.OBSERVATIONS, sighting.name)
    if row.live or row.newest_by_person:
        return False
    scope.put(
        SlotMap.OBSERVATIONS,
        sighting.name,
        Record(
            0,
            writer=writer,
            value=sighting._asdict(),
            created=min(sighting.at_ms, transaction.wall_ms),
            kind=sighting.kind,
            confidence=sighting.confidence,
        ),
    )
    return True


def remove(transaction: Transaction, scope_name: str, gone: Iterable[Sighting], writer: str) -> None:
    """Takes sightings away that have become a memory, or have faded; written as *writer*."""
    scope = transaction.scope(scope_name)
    for one in gone:
        if scope.row(SlotMap.OBSERVATIONS, one.name).live:
            scope.put(SlotMap.OBSERVATIONS, one.name, Record(0, writer=writer, deleted=True))


def forget(
    transaction: Transaction, meant: Callable[[Sighting, Record], bool], scopes: Iterable[str] = (PUBLIC, PRIVATE)
) -> int:
    """Removes, as the person, the sightings that are *meant*, and the messages that nothing else rests on: what is gone
    so does not come back, neither from elsewhere nor by being learned again. Returns how many. O(sightings).
    """
    gone = 0
    for scope_name in scopes:
        doomed = [one for one, record in _all(transaction, scope_name) if meant(one, record)]
        if not doomed:
            continue
        scope = transaction.scope(scope_name)
        for one in doomed:
            scope.put(SlotMap.OBSERVATIONS, one.name, Record(0, deleted=True))
            if not _is_quoted(transaction, one):
                drop_message(transaction, one.session, one.message)
        note_forgetting(scope)
        gone += len(doomed)
    return gone


def _is_quoted(transaction: Transaction, sighting: Sighting) -> bool:
    """Whether a memory rests on other words of the same message."""
    receipt = f"{sighting.session.partition('/')[2]}/{sighting.message}"
    return any(transaction.row(scope, SlotMap.RECEIPTS, receipt).live for scope in (PUBLIC, PRIVATE))


def read_rule(view: View) -> GraduationRule:
    """The person's rule, or the default."""
    record = view.get(PUBLIC, SlotMap.SETTINGS, _RULE)
    value = record.value if record is not None and record.by_person else None
    if isinstance(value, list) and len(value) == 3 and all(isinstance(one, int) and one >= 1 for one in value):
        return GraduationRule(*value)  # type: ignore[arg-type]  # integers, as was just seen
    return DEFAULT_RULE


def keep_rule(transaction: Transaction, rule: GraduationRule) -> None:
    """Sets the rule for all devices, as the person. Raises `InvalidArgument` for numbers below 1."""
    if any(isinstance(number, bool) or not isinstance(number, int) or number < 1 for number in rule):
        raise InvalidArgument(
            f"Hypotheses graduate by whole numbers from 1: sightings {rule.sightings!r}, conversations "
            f"{rule.conversations!r}, fade_days {rule.fade_days!r}."
        )
    transaction.scope(PUBLIC).put(SlotMap.SETTINGS, _RULE, Record(0, value=list(rule)))


def _all(view: View, scope: str) -> Iterator[tuple[Sighting, Record]]:
    for _, row in view.rows(scope, SlotMap.OBSERVATIONS):
        found = None if row.winner is None else _sighting(row.winner)
        if found is not None and row.winner is not None:
            yield found, row.winner


def _sighting(record: Record) -> Sighting | None:
    """None for what no version of this program wrote: another device may be newer."""
    value = record.value
    if not isinstance(value, dict):
        return None
    fields = {name: value[name] for name in Sighting._fields if name in value}
    try:
        made = Sighting(**fields)  # type: ignore[arg-type]  # checked below
    except TypeError:
        return None
    texts = (made.path, made.sentence, made.kind, made.source, made.session, made.message, made.quote)
    if not all(isinstance(text, str) for text in texts) or not isinstance(made.at_ms, int):
        return None
    return made


def _hash(*parts: str) -> str:
    return blake2b("\x1f".join(parts).encode(), digest_size=10).hexdigest()
