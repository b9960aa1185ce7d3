"""The rules for writing leaves: as the person, and as an agent who must give its reason.

Pure of callers' concerns: what is checked here holds for every door (library, command line, importers, and later
doors), because all of them write through these functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vademecum.errors import InvalidArgument, NotFound, Protected

from .agents import AgentId
from .leaf import Leaf, leaf_of
from .receipts import quote
from .records import KINDS, USER, Record
from .replica import Transaction
from .scopes import PRIVATE, PUBLIC
from .sight import grant_name
from .slots import SlotMap
from .trees import flatten
from .values import Value, check_value
from .writing import ScopeWriter

__all__ = ["check_confidence", "check_kind", "grant", "remember", "revoke", "set_leaves", "withdraw"]

MAX_SENTENCE = 4096
"""Bytes of UTF-8 in a leaf's sentence."""


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
    because: str,
    kind: str = KINDS[0],
    confidence: float = 1.0,
    sentence: str | None = None,
    said_ms: int | None = None,
) -> list[Leaf]:
    """Writes *value* at *path* as *agent*, justified by the person's words *because*, said at *said_ms* (now).

    Raises `Protected` where the person's own value stands, `ReceiptRequired` without words, and as `set_leaves`.
    """
    check_kind(kind)
    check_confidence(confidence)
    scope = transaction.scope(scope_name)
    leaves = list(flatten(path, value))
    for leaf, _ in leaves:
        _refuse_protected(scope, leaf)
    receipt = quote(scope, str(agent), because, said_ms)
    draft = Record(
        0,
        writer=str(agent),
        kind=kind,
        confidence=confidence,
        sentence=_checked_sentence(sentence),
        receipts=(receipt,),
    )
    return [
        leaf_of(scope_name, leaf, scope.put(SlotMap.LEAVES, leaf, draft._replace(value=plain)))
        for leaf, plain in leaves
    ]


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
        ),
    )
    return True


def withdraw(transaction: Transaction, agent: AgentId, scope_name: str, path: str) -> None:
    """Deletes the leaf at *path* as *agent*. Raises `NotFound`, or `Protected` where the person's value stands."""
    scope = transaction.scope(scope_name)
    _refuse_protected(scope, path)
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


def _checked_sentence(sentence: str | None) -> str | None:
    if sentence is None:
        return None
    text = check_value(sentence, "sentence")
    if not isinstance(text, str) or not text.strip() or len(text.encode()) > MAX_SENTENCE:
        raise InvalidArgument(f"A sentence is text of 1 to {MAX_SENTENCE:,} bytes.")
    return text


def _refuse_protected(scope: ScopeWriter, path: str) -> None:
    current = scope.row(SlotMap.LEAVES, path).winner
    if current is not None and current.by_person:
        where = "" if scope.name == PUBLIC else f" in {scope.name}"
        raise Protected(
            f"The person wrote {path!r}{where} themselves, so no agent may change or delete it. "
            f"Ask the person to change it."
        )
