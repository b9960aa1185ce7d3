"""The vault's side of a merge: what Tier 1 says, and taking over what the file says, in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from vademecum.engine import forgetting
from vademecum.engine.leaf import Leaf, leaf_of
from vademecum.engine.records import KINDS, USER, Record
from vademecum.engine.replica import Replica, Transaction
from vademecum.engine.slots import SlotMap
from vademecum.engine.times import to_ms
from vademecum.engine.view import View
from vademecum.importers.tree_form import NotATree, Stated, source_of

from .bases import Base
from .merging import Ours, Outcome, Theirs, merge
from .reading import PARTS, Key

__all__ = ["Merged", "living", "merge_into"]

_WRITES = (Outcome.WRITE, Outcome.DELETE, Outcome.DELETE_UNSEEN)


class Merged(NamedTuple):
    """The outcome for each leaf, what the vault said before, and what it says after."""

    outcomes: dict[Key, Outcome]
    before: dict[Key, Leaf]
    after: dict[Key, Leaf]


def living(view: View) -> dict[Key, Leaf]:
    """The leaves of Tier 1, in the order of the file. O(leaves)."""
    return {
        (scope, path): leaf_of(scope, path, record)
        for scope in PARTS.values()
        for path, record in sorted(view.leaves(scope), key=lambda pair: pair[0].split("."))
    }


def merge_into(replica: Replica, base: Base, stated: Mapping[Key, Stated], saved_ms: int) -> Merged:
    """Merges what the file states into the vault as the person; durable when this returns, whole or not at all.

    *saved_ms* is when the file was last changed: that is when the person wrote what is new in it. What both sides now
    agree in is kept as the base in the same transaction.
    """
    theirs = {key: Theirs(base.digest(leaf.value), _agents_ms(leaf)) for key, leaf in stated.items()}

    def merged(view: View) -> tuple[dict[Key, Outcome], dict[Key, Leaf]]:
        before = living(view)
        ours = {key: Ours(base.digest(leaf.value), to_ms(leaf.updated), leaf.agent == USER)
                for key, leaf in before.items()}  # fmt: skip
        ours |= _deleted(view, (key for key in [*base.leaves, *theirs] if key not in before))
        return merge(base.leaves, theirs, ours, saved_ms), before

    def work(transaction: Transaction) -> Merged:
        outcomes, before = merged(transaction)
        for (scope, path), outcome in outcomes.items():
            if outcome is Outcome.WRITE:
                _write(transaction, scope, path, stated[scope, path], saved_ms)
            elif outcome in _WRITES:
                forgetting.forget_leaf(transaction, scope, path)
        _agreed(base, outcomes, theirs).save(transaction)
        return Merged(outcomes, before, living(transaction))

    with replica.read() as view:
        outcomes, before = merged(view)
    if not any(outcome in _WRITES for outcome in outcomes.values()):
        return Merged(outcomes, before, before)
    return replica.write(work)


def _agreed(base: Base, outcomes: Mapping[Key, Outcome], theirs: Mapping[Key, Theirs]) -> Base:
    """*base* as far as the file, which is not yet written, and the vault now say the same."""
    leaves = dict(base.leaves)
    for key, outcome in outcomes.items():
        if outcome in (Outcome.SAME, *_WRITES):
            leaves.pop(key, None)
            if key in theirs:
                leaves[key] = theirs[key].digest
    return base.met(base.stamp, leaves)


def _write(transaction: Transaction, scope: str, path: str, leaf: Stated, saved_ms: int) -> None:
    writer = transaction.scope(scope)
    current = writer.row(SlotMap.LEAVES, path).winner
    kind = KINDS[0] if current is None else current.kind
    updated = min(saved_ms, transaction.wall_ms)
    writer.put(SlotMap.LEAVES, path, Record(0, value=leaf.value, kind=kind, updated=updated))


def _deleted(view: View, keys: Iterable[Key]) -> dict[Key, Ours]:
    """What is known of *keys*, none of which has a value."""
    found = {}
    for scope, path in keys:
        row = view.row(scope, SlotMap.LEAVES, path)
        if row.slots:
            record = row.slots[0].record
            found[scope, path] = Ours(None, record.updated, record.by_person)
    return found


def _agents_ms(leaf: Stated) -> int | None:
    """When the agent that the leaf's source names wrote it; None where it names none, or makes no sense."""
    try:
        source = source_of(leaf)
    except NotATree:
        return None
    return None if source.writer == USER else source.updated_ms
