"""Consolidating: several memories become one, in one step that works where there is no room for another.

The new one keeps every receipt that `why` shows for the old ones, and gains what the agent says about why they are one:
that is the agent's own word, and stands under its name. How sure it is begins where age has left the surest of them, so
that consolidating makes nothing surer. The old ones are deleted; what they were stays in their history.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vademecum.errors import Confined, InvalidArgument, NotFound, ReceiptRequired

from .. import learned
from ..agents import AgentId
from ..audit import supporting
from ..evidence import check_person, cite, find_messages
from ..leaf import Leaf, leaf_of, memory_id, parse_memory_id
from ..ranking import Candidate, effective_confidence
from ..receipts import check_words, note_reason
from ..records import KINDS, Record
from ..remembering import check_confidence, check_kind, check_protected, check_sentence
from ..replica import Transaction
from ..scopes import PUBLIC, TIER_1, agent_scope
from ..sight import Sight
from ..slots import SlotMap
from ..trees import flatten
from .budget import check as check_budget

__all__ = ["MAX_UNION", "consolidate"]

MAX_UNION = 1024
"""Receipts that a consolidated memory may name."""
_DAY_MS = 86_400_000


class _Old(NamedTuple):
    path: str
    record: Record
    receipts: tuple[str, ...]


def consolidate(
    transaction: Transaction,
    agent: AgentId,
    ids: Sequence[str],
    into: tuple[str, object],
    *,
    because: str | None = None,
    evidence: Sequence[str] = (),
    kind: str | None = None,
    confidence: float | None = None,
    sentence: str | None = None,
) -> list[Leaf]:
    """Makes of the memories *ids* one at *into*, a path and its value, as *agent*; returns the leaves written.

    ids: of one scope, ``user.public`` or the agent's own; the memory at the path of *into* may be among them.
    because: why they are one. evidence: messages that say so, beside the receipts that they have.
    kind, confidence: by default, the kind that they share (else ``fact``), and what age has left of the surest.

    Raises `Protected` for what the person wrote, on either side; `Confined`, `NotFound`, `ReceiptRequired`,
    `InvalidArgument`, `InvalidPath`, `InvalidValue`, and `BudgetExceeded` where more would be there than before and
    there is no room; nothing has changed then. O(history of the memories).
    """
    scope_name, paths = _places(ids)
    if scope_name not in (PUBLIC, agent_scope(agent)):
        raise Confined(
            f"{agent} consolidates what is in user.public, or in its own scope; {scope_name!r} is neither of them."
        )
    path, value = _target(into)
    leaves = list(flatten(path, value))
    if kind is not None:
        check_kind(kind)
    if confidence is not None:
        check_confidence(confidence)
    wording = check_sentence(sentence)
    scope = transaction.scope(scope_name)
    for place in dict.fromkeys([*paths, *(leaf for leaf, _ in leaves)]):
        check_protected(scope, place)
    old = [_old(transaction, scope_name, place) for place in paths]
    for leaf, _ in leaves:
        if leaf not in paths and scope.row(SlotMap.LEAVES, leaf).live:
            raise InvalidArgument(
                f"Another memory stands at {leaf!r}, and would be lost. Name {memory_id(scope_name, leaf)} among those "
                f"to consolidate, or choose another path."
            )
    gone = [one for one in old if one.path not in {leaf for leaf, _ in leaves}]
    brought = {one.path for one in old if one.record.imported}
    imported = len(brought) == len(old) >= len(leaves)  # what was brought along stays so, and does not become more
    if scope_name in TIER_1:
        after = sum(1 for leaf, _ in leaves if not (imported or leaf in brought))
        before = sum(1 for one in old if learned.is_learned(one.record))
        check_budget(transaction, creates=after - before, agent=agent)
    messages = find_messages(Sight(transaction, agent), evidence)
    if messages and scope_name in TIER_1:
        check_person(messages)
    if because is None and not messages:
        raise ReceiptRequired("Consolidating needs its reason: say in because=… why these are one memory.")
    words = None if because is None else check_words(because)
    union = [receipt for one in old for receipt in one.receipts]
    union += cite(scope, str(agent), messages)
    if words is not None:
        union.append(note_reason(scope, str(agent), words))
    receipts = tuple(dict.fromkeys(union))
    if len(receipts) > MAX_UNION:
        raise InvalidArgument(
            f"These memories have {len(receipts):,} receipts together; a memory names at most {MAX_UNION:,}. "
            f"Consolidate fewer of them."
        )
    kinds = {one.record.kind for one in old}
    draft = Record(
        0,
        writer=str(agent),
        kind=kind or (kinds.pop() if len(kinds) == 1 else KINDS[0]),
        confidence=confidence or max(_sure(one, transaction.wall_ms) for one in old),
        sentence=wording,
        receipts=receipts,
        created=min(one.record.created for one in old),
        imported=imported,
    )
    for one in gone:
        scope.put(SlotMap.LEAVES, one.path, Record(0, writer=str(agent), deleted=True))
    return [
        leaf_of(scope_name, leaf, scope.put(SlotMap.LEAVES, leaf, draft._replace(value=plain)))
        for leaf, plain in leaves
    ]


def _places(ids: Sequence[str]) -> tuple[str, list[str]]:
    """The one scope of *ids*, and their paths. Raises `InvalidArgument`, `InvalidScope`."""
    if isinstance(ids, str) or not isinstance(ids, Sequence) or not ids:
        raise InvalidArgument("Name the memories to consolidate: a list of ids such as user.public:diet.")
    if not all(isinstance(one, str) for one in ids):
        raise InvalidArgument("A memory's id is text, scope:path, such as user.public:diet.")
    twice = sorted({one for one in ids if list(ids).count(one) > 1})
    if twice:
        raise InvalidArgument(f"{', '.join(twice)} is named twice; name each memory once.")
    places = [parse_memory_id(one) for one in ids]
    scopes = {scope for scope, _ in places}
    if len(scopes) > 1:
        raise InvalidArgument(
            f"Only memories of one scope become one; {' and '.join(sorted(scopes))} have other readers."
        )
    return places[0][0], [path for _, path in places]


def _target(into: object) -> tuple[str, object]:
    if not isinstance(into, tuple | list) or len(into) != 2 or not isinstance(into[0], str):
        raise InvalidArgument(f"into=(path, value) says where the one memory stands and what it holds; not {into!r}.")
    return into[0], into[1]


def _old(transaction: Transaction, scope_name: str, path: str) -> _Old:
    record = transaction.get(scope_name, SlotMap.LEAVES, path)
    if record is None:
        raise NotFound(f"There is no memory {memory_id(scope_name, path)}; nothing was consolidated.")
    return _Old(path, record, supporting(transaction, scope_name, path))


def _sure(old: _Old, now_ms: int) -> float:
    """What age has left of its confidence, but never nothing: a record keeps thousandths."""
    record = old.record
    age = (now_ms - record.updated) / _DAY_MS
    candidate = Candidate(old.path, record.kind, record.confidence, age, half_life_days=record.half_life)
    return max(0.001, effective_confidence(candidate))
