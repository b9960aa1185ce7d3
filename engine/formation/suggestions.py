"""Suggestions: what an agent or the curator would change of the person's own, until the person decides.

A suggestion is a record in the scope of the leaf it is about, named ``path:digest`` by its path and value, so the same
one made on two devices is one. It holds the value in a list, and the receipts that speak for it. The person's answer
takes its place:

* *accepted*: the leaf is written as the person, with the suggestion's receipts and one more that says who suggested
  it; the suggestion is deleted, and may be made again should the person change the leaf later. What is no longer so
  (`ENDED`, an empty list in the record) is deleted as the person deletes.
* *rejected*: the person's record stands where the suggestion stood, for good, so the same is not suggested again.

Two devices that decide apart follow the merge law: the later answer stands. What one of them accepted stays written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Final, TypeAlias

from vademecum.errors import NotFound, Refused, SuggestionsFull

from ..agents import AgentId
from ..evidence import justify
from ..forgetting import forget_leaf, is_void
from ..leaf import Leaf, leaf_of
from ..receipts import Receipt, find_receipts, note_suggester
from ..records import KINDS, USER, Record
from ..remembering import MAX_RECEIPTS, check_confidence, check_kind, check_sentence
from ..replica import Transaction
from ..scopes import PRIVATE, PUBLIC
from ..sentences import path_words
from ..sentences import sentence as sentence_of
from ..sight import Sight
from ..slots import SlotMap
from ..times import from_ms, show_time, to_ms
from ..trees import flatten
from ..values import Value, same_value, value_text
from ..view import View
from ..writing import ScopeWriter

__all__ = [
    "AS_SUGGESTED",
    "ENDED",
    "MAX_OPEN",
    "Suggestion",
    "Wanted",
    "accept",
    "find",
    "open_suggestions",
    "reject",
    "suggest",
    "suggest_as",
    "suggestion_id",
    "why_not",
]

MAX_OPEN: Final = 100
"""Suggestions that may wait for the person at once; more would not be read."""
_REJECTED: Final = "rejected"


class _Mark:
    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


AS_SUGGESTED: Final = _Mark("AS_SUGGESTED")
"""For `accept`: the value that was suggested, and not another."""
ENDED: Final = _Mark("ENDED")
"""For `suggest`: that what stands there is no longer so."""
Wanted: TypeAlias = "Value | _Mark"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One that waits for the person. ``current`` is the leaf that stands there now, if one does; ``agent`` is who
    suggests, or the last who did. ``ends`` says that the leaf is no longer so; the value is then None.
    """

    id: str
    scope: str
    path: str
    value: Value
    agent: str
    at: datetime
    text: str
    current: Leaf | None
    receipts: tuple[Receipt, ...]
    ends: bool = False

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "scope": self.scope,
            "path": self.path,
            "value": self.value,
            "ends": self.ends,
            "text": self.text,
            "agent": self.agent,
            "at": show_time(to_ms(self.at)),
            "current": None if self.current is None else self.current.as_json(),
            "receipts": [receipt.as_json() for receipt in self.receipts],
        }


def suggestion_id(scope: str, path: str, value: Wanted) -> str:
    """The same for the same suggestion on every device."""
    wanted = "" if isinstance(value, _Mark) else value_text(value)
    digest = sha256(f"{scope}\0{path}\0{wanted}".encode()).digest()[:4]
    return f"{path}:{digest.hex()}"


def why_not(view: View, scope: str, path: str, value: Wanted) -> str | None:
    """Why *value* cannot be suggested at *path*, in words; None if it can. A curator asks before it writes receipts."""
    record = view.get(scope, SlotMap.SUGGESTIONS, suggestion_id(scope, path, value))
    if record is not None and record.by_person:
        return f"The person has rejected this for {path!r} before, so it is not suggested again."
    standing = view.get(scope, SlotMap.LEAVES, path)
    if not _is_wanted(standing, value):
        return f"That is what the person has at {path!r} already; there is nothing to suggest."
    return None


def _is_wanted(standing: Record | None, value: Wanted) -> bool:
    """Whether *value* would change anything where *standing* is."""
    if isinstance(value, _Mark):
        return standing is not None
    return standing is None or not standing.by_person or not same_value(standing.value, value)


def suggest(
    transaction: Transaction,
    writer: str,
    scope_name: str,
    path: str,
    value: Wanted,
    receipts: Sequence[str],
    *,
    kind: str = KINDS[0],
    confidence: float = 1.0,
    sentence: str | None = None,
) -> str:
    """Puts *value* at *path*, as a leaf holds it, or `ENDED`, before the person; returns the suggestion's id. Made
    again, it gains the receipts.

    receipts: ids of receipts that the scope has (`evidence.cite`, `receipts.quote`), at least one.
    Raises `Refused` where `why_not` gives a reason, `SuggestionsFull`. O(suggestions).
    """
    reason = why_not(transaction, scope_name, path, value)
    if reason is not None:
        raise Refused(reason)
    scope = transaction.scope(scope_name)
    name = suggestion_id(scope_name, path, value)
    row = scope.row(SlotMap.SUGGESTIONS, name)
    if row.live:
        receipts = tuple(dict.fromkeys((*_receipts(scope, name), *receipts)))
    elif sum(1 for _ in _open(transaction)) >= MAX_OPEN:
        raise SuggestionsFull(
            f"{MAX_OPEN} suggestions wait for the person, and no more are taken until they have decided about some "
            f"(`vademecum review`)."
        )
    scope.put(
        SlotMap.SUGGESTIONS,
        name,
        Record(
            0,
            writer=writer,
            value=[] if isinstance(value, _Mark) else [value],
            kind=kind,
            confidence=confidence,
            sentence=sentence,
            receipts=tuple(receipts)[:MAX_RECEIPTS],
        ),
    )
    return name


def suggest_as(
    transaction: Transaction,
    agent: AgentId,
    path: str,
    value: object,
    *,
    because: str | None,
    evidence: Sequence[str],
    kind: str,
    confidence: float,
    sentence: str | None,
) -> list[Suggestion]:
    """`suggest` for an agent, with the reason it gives (see `evidence.justify`): one suggestion for each leaf of an
    object. Where the person has granted it the private path, and nothing public stands there, it is a private one.

    Raises `Refused`, `SuggestionsFull`, `InvalidPath`, `InvalidValue`, and as `evidence.justify`.
    """
    check_kind(kind)
    check_confidence(confidence)
    wording = check_sentence(sentence)
    sight = Sight(transaction, agent)
    placed = []
    for leaf, plain in flatten(path, value):
        public = transaction.get(PUBLIC, SlotMap.LEAVES, leaf)
        scope_name = PRIVATE if public is None and sight.may_see(PRIVATE, leaf) else PUBLIC
        reason = why_not(transaction, scope_name, leaf, plain)
        if reason is not None:
            raise Refused(reason)
        placed.append((scope_name, leaf, plain))
    receipts = {
        scope_name: justify(transaction.scope(scope_name), sight, str(agent), because=because, evidence=evidence)
        for scope_name in dict.fromkeys(scope_name for scope_name, _, _ in placed)
    }
    names = [
        suggest(
            transaction,
            str(agent),
            scope_name,
            leaf,
            plain,
            receipts[scope_name],
            kind=kind,
            confidence=confidence,
            sentence=wording,
        )
        for scope_name, leaf, plain in placed
    ]
    return [find(transaction, name) for name in names]


def open_suggestions(view: View) -> list[Suggestion]:
    """Those that wait for the person, oldest first. O(suggestions)."""
    found = [_suggestion(view, scope, name, record) for scope, name, record in _open(view)]
    return sorted(found, key=lambda one: (one.at, one.id))


def find(view: View, identity: str) -> Suggestion:
    """The one of that id that waits for the person. Raises `NotFound`."""
    scope, record = _find(view, identity)
    return _suggestion(view, scope, identity, record)


def accept(transaction: Transaction, identity: str, value: object = AS_SUGGESTED) -> list[Leaf]:
    """Writes what was suggested, or *value* in its place, as the person; returns the leaves written, none where it
    ended.

    Raises `NotFound`, `InvalidValue`, `InvalidPath`; nothing has changed then.
    """
    scope_name, record = _find(transaction, identity)
    path, suggested = _path(identity), _value(record)
    scope = transaction.scope(scope_name)
    if value is not AS_SUGGESTED:
        leaves = list(flatten(path, value))
    elif isinstance(suggested, _Mark):
        forget_leaf(transaction, scope_name, path)
        return []
    else:
        leaves = [(path, suggested)]
    known = {leaf: scope.row(SlotMap.LEAVES, leaf).winner for leaf, _ in leaves}
    receipts = _receipts(scope, identity)
    _adopt(scope, receipts)
    told = f"Suggested {_in_words(path, record)}"
    by = note_suggester(scope, identity, record.writer, told, record.updated)
    written = []
    for leaf, plain in leaves:
        standing = known[leaf]
        draft = Record(
            0,
            value=plain,
            kind=record.kind if standing is None or record.kind != KINDS[0] else standing.kind,
            sentence=record.sentence if not isinstance(suggested, _Mark) and same_value(plain, suggested) else None,
            receipts=(*receipts, by),
        )
        written.append(leaf_of(scope_name, leaf, scope.put(SlotMap.LEAVES, leaf, draft)))
    scope.put(SlotMap.SUGGESTIONS, identity, Record(0, deleted=True))
    return written


def reject(transaction: Transaction, identity: str) -> None:
    """Takes a suggestion away for good. Raises `NotFound`."""
    scope_name, _ = _find(transaction, identity)
    # the receipts stay named, so that forgetting the path takes their words along
    scope = transaction.scope(scope_name)
    scope.put(SlotMap.SUGGESTIONS, identity, Record(0, value=_REJECTED, receipts=_receipts(scope, identity)))


def _open(view: View) -> Iterator[tuple[str, str, Record]]:
    """(scope, name, record) of what the person has not decided about and could still want."""
    for scope in (PUBLIC, PRIVATE):
        for name, row in view.rows(scope, SlotMap.SUGGESTIONS):
            record = row.winner
            if record is not None and _is_open(view, scope, name, record):
                yield scope, name, record


def _is_open(view: View, scope: str, name: str, record: Record) -> bool:
    if record.by_person or not isinstance(record.value, list) or len(record.value) > 1:
        return False
    return _is_wanted(view.get(scope, SlotMap.LEAVES, _path(name)), _value(record))


def _find(view: View, identity: str) -> tuple[str, Record]:
    for scope in (PUBLIC, PRIVATE):
        record = view.get(scope, SlotMap.SUGGESTIONS, identity) if isinstance(identity, str) and identity else None
        if record is not None and _is_open(view, scope, identity, record):
            return scope, record
    raise NotFound(f"No suggestion {identity!r} waits for a decision. `vademecum review` lists those that do.")


def _suggestion(view: View, scope: str, name: str, record: Record) -> Suggestion:
    path, value = _path(name), _value(record)
    standing = view.get(scope, SlotMap.LEAVES, path)
    return Suggestion(
        name,
        scope,
        path,
        None if isinstance(value, _Mark) else value,
        record.writer,
        from_ms(record.updated),
        _in_words(path, record),
        None if standing is None else leaf_of(scope, path, standing),
        tuple(find_receipts(view, scope, record.receipts)),
        isinstance(value, _Mark),
    )


def _receipts(scope: ScopeWriter, name: str) -> tuple[str, ...]:
    """What speaks for a suggestion, on whichever device it was made."""
    forgotten = scope.forgotten()
    return tuple(
        dict.fromkeys(
            receipt
            for slot in sorted(scope.row(SlotMap.SUGGESTIONS, name).slots, key=lambda one: one.record.order)
            if not (slot.by_person or slot.record.deleted or is_void(slot.record, forgotten(slot.record.writer)))
            for receipt in slot.record.receipts
        )
    )


def _adopt(scope: ScopeWriter, receipts: Sequence[str]) -> None:
    """Makes *receipts* the person's own: they have read and accepted them, and no later word about the agent that
    recorded them takes them away.
    """
    for receipt in receipts:
        record = scope.row(SlotMap.RECEIPTS, receipt).winner
        if record is not None and not record.by_person:
            scope.put(SlotMap.RECEIPTS, receipt, record._replace(order=0, writer=USER, seen=0, heard=0))


def _path(name: str) -> str:
    return name.rpartition(":")[0]


def _value(record: Record) -> Wanted:
    assert isinstance(record.value, list)
    return record.value[0] if record.value else ENDED


def _in_words(path: str, record: Record) -> str:
    value = _value(record)
    if isinstance(value, _Mark):
        return f"{path_words(path)}: no longer so"
    return record.sentence or sentence_of(path, value)
