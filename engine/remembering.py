"""The rules for writing leaves: as the person, and as an agent who must give its reason.

Pure of callers' concerns: what is checked here holds for every door (library, command line, importers, and later
doors), because all of them write through these functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vademecum.errors import InvalidArgument, NotFound, Protected

from .agents import AgentId
from .evidence import justify
from .forgetting import is_void
from .formation.budget import check as check_budget
from .leaf import Leaf, leaf_of
from .records import KINDS, USER, Record
from .replica import Transaction
from .scopes import PRIVATE, PUBLIC, tier
from .sight import Sight, grant_name
from .slots import SlotMap
from .trees import flatten
from .values import Value, check_value, same_value
from .writing import ScopeWriter

__all__ = [
    "MAX_RECEIPTS",
    "check_confidence",
    "check_kind",
    "check_protected",
    "check_sentence",
    "grant",
    "keep_memory",
    "remember",
    "revoke",
    "set_leaves",
    "withdraw",
]

MAX_SENTENCE = 4096
"""Bytes of UTF-8 in a leaf's sentence."""
MAX_RECEIPTS = 256
"""Receipts that a memory names; what so many messages support, one more still renews but no longer adds to."""


def set_leaves(
    transaction: Transaction, scope_name: str, path: str, value: object, *, kind: str = KINDS[0]
) -> list[Leaf]:
    """Writes *value* at *path* as the person; an object becomes a subtree. Raises `InvalidPath`, `InvalidValue`."""
    check_kind(kind)
    scope = transaction.scope(scope_name)
    return [
        leaf_of(scope_name, leaf, scope.put(SlotMap.LEAVES, leaf, Record(0, value=plain, kind=kind)))
        for leaf, plain in flatten(path, value)
    ]


def remember(
    transaction: Transaction,
    agent: AgentId,
    scope_name: str,
    path: str,
    value: object,
    *,
    because: str | None = None,
    evidence: Sequence[str] = (),
    kind: str = KINDS[0],
    confidence: float = 1.0,
    sentence: str | None = None,
    said_ms: int | None = None,
) -> list[Leaf]:
    """Writes *value* at *path* as *agent*, for the reason given (see `evidence.justify`); a value that stands there
    already is confirmed (see `keep_memory`).

    Raises `Protected` where the person's own value stands, `BudgetExceeded` where there is no room for all that would
    be new about the person, and as `evidence.justify` and `set_leaves`.
    """
    check_kind(kind)
    check_confidence(confidence)
    scope = transaction.scope(scope_name)
    leaves = list(flatten(path, value))
    for leaf, _ in leaves:
        check_protected(scope, leaf)
    wording = check_sentence(sentence)
    if tier(scope_name) == 1:
        creates = sum(1 for leaf, _ in leaves if not scope.row(SlotMap.LEAVES, leaf).live)
        check_budget(transaction, creates=creates, agent=agent)
    receipts = justify(
        scope, Sight(transaction, agent), str(agent), because=because, evidence=evidence, said_ms=said_ms
    )
    draft = Record(0, writer=str(agent), kind=kind, confidence=confidence, sentence=wording, receipts=receipts)
    return [leaf_of(scope_name, leaf, keep_memory(scope, leaf, draft._replace(value=plain))) for leaf, plain in leaves]


def keep_memory(scope: ScopeWriter, path: str, draft: Record) -> Record:
    """Writes an agent's *draft* at *path*; returns the record as it stands there. Whether it may is the caller's
    question (`check_protected`, and its receipts).

    Where an agent's memory says the same already, on whichever device, this confirms it: the receipts of all stay,
    those of *draft* come to them, and the age is that of now. When it was first learned, how sure it was if it was
    surer, and how it reads stay too.
    """
    row = scope.row(SlotMap.LEAVES, path)
    standing = row.winner
    if standing is None or standing.by_person or not same_value(standing.value, draft.value):
        return scope.put(SlotMap.LEAVES, path, draft)
    forgotten = scope.forgotten()
    known = [
        slot.record.receipts
        for slot in sorted(row.slots, key=lambda one: one.record.order)
        if not (slot.by_person or slot.record.deleted or is_void(slot.record, forgotten(slot.record.writer)))
        and same_value(slot.record.value, draft.value)
    ]
    receipts = tuple(dict.fromkeys(one for each in (*known, draft.receipts) for one in each))
    return scope.put(
        SlotMap.LEAVES,
        path,
        draft._replace(
            kind=standing.kind if draft.kind == KINDS[0] else draft.kind,
            confidence=max(standing.confidence, draft.confidence),
            sentence=draft.sentence or standing.sentence,
            half_life=draft.half_life or standing.half_life,
            receipts=receipts[:MAX_RECEIPTS],
        ),
    )


def import_leaf(
    scope: ScopeWriter,
    path: str,
    value: Value,
    *,
    writer: str,
    receipts: Callable[[], Sequence[str]] = tuple,
    kind: str = KINDS[0],
    created_ms: int = 0,
    updated_ms: int = 0,
) -> bool:
    """Writes a leaf that comes from elsewhere with its provenance; False, and nothing written, if it is here already.

    receipts: records them and returns their ids; called only if the leaf is written.

    A leaf is here already when its path has that value; and an agent's leaf is not written where the person's value
    stands. So the same file twice changes nothing, and an old file does not undo what the person wrote since.
    """
    current = scope.row(SlotMap.LEAVES, path).winner
    if current is not None and (current.value == value or (current.by_person and writer != USER)):
        return False
    scope.put(
        SlotMap.LEAVES,
        path,
        Record(
            0,
            writer=writer,
            value=value,
            kind=kind,
            receipts=tuple(receipts()),
            created=created_ms,
            updated=updated_ms,
            imported=writer != USER,
        ),
    )
    return True


def withdraw(transaction: Transaction, agent: AgentId, scope_name: str, path: str) -> None:
    """Deletes the leaf at *path* as *agent*. Raises `NotFound`, or `Protected` where the person's value stands."""
    scope = transaction.scope(scope_name)
    check_protected(scope, path)
    if not scope.row(SlotMap.LEAVES, path).live:
        raise NotFound(f"There is no leaf at {path!r} in {scope_name}.")
    scope.put(SlotMap.LEAVES, path, Record(0, writer=str(agent), deleted=True))


def grant(transaction: Transaction, path: str, agent: str) -> None:
    """Lets *agent* (``developer/slug``) read ``user.private`` at and below *path*."""
    transaction.scope(PRIVATE).put(SlotMap.GRANTS, grant_name(path, agent), Record(0, value=True))


def revoke(transaction: Transaction, path: str, agent: str) -> None:
    """Takes a grant back. Raises `NotFound` if there is none at exactly *path*."""
    scope = transaction.scope(PRIVATE)
    name = grant_name(path, agent)
    if not scope.row(SlotMap.GRANTS, name).live:
        raise NotFound(f"{agent} was not granted {path!r}.")
    scope.put(SlotMap.GRANTS, name, Record(0, deleted=True))


def check_kind(kind: str) -> None:
    """Raises `InvalidArgument`."""
    if kind not in KINDS:
        raise InvalidArgument(f"{kind!r} is no kind of memory; kinds are {', '.join(sorted(KINDS))}.")


def check_confidence(confidence: float) -> None:
    """Raises `InvalidArgument`."""
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 < confidence <= 1:
        raise InvalidArgument(f"The confidence {confidence!r} does not lie above 0 and up to 1.")


def check_sentence(sentence: str | None) -> str | None:
    """Raises `InvalidArgument`."""
    if sentence is None:
        return None
    text = check_value(sentence, "sentence")
    if not isinstance(text, str) or not text.strip() or len(text.encode()) > MAX_SENTENCE:
        raise InvalidArgument(f"A sentence is text of 1 to {MAX_SENTENCE:,} bytes.")
    return text


def check_protected(scope: ScopeWriter, path: str) -> None:
    """Raises `Protected` where the person's own value stands."""
    current = scope.row(SlotMap.LEAVES, path).winner
    if current is not None and current.by_person:
        where = "" if scope.name == PUBLIC else f" in {scope.name}"
        raise Protected(
            f"The person wrote {path!r}{where} themselves, so no agent may change or delete it. "
            f"Suggest it (`suggest`), or ask the person to change it."
        )
