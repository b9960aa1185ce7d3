"""The three-way merge at the leaf: what the file says, what the vault says, and what both said when they last met.

A pure rule. Values are compared by their digests (`bases`); an absent one is None.

===============  ===============  =====================================================================
in the file      in the vault     outcome
===============  ===============  =====================================================================
as at the base   anything         the vault's: what the person did not touch is not theirs
changed          as at the base   the file's, written or deleted as the person
changed          changed alike    nothing to do
changed          by an agent      the file's: what the person wrote is never beaten by an agent
changed          by the person    the later one; the file's where the times are equal
===============  ===============  =====================================================================

The file's time is that of its last change. Whatever loses and would be nowhere else is kept beside the file: what was
typed into the file, and a value of the person's that the file deletes without having shown it.

Where the two have never met, an agent's leaf in the file (one with its ``_source``) is an old copy unless it is at
least as new as the vault's.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from enum import Enum
from typing import NamedTuple, TypeVar

__all__ = ["Ours", "Outcome", "Theirs", "merge"]

K = TypeVar("K", bound=Hashable)


class Theirs(NamedTuple):
    """A leaf in the file. ``agents_ms`` is when the agent of its ``_source`` wrote it; None for the person's."""

    digest: bytes
    agents_ms: int | None = None


class Ours(NamedTuple):
    """A leaf in the vault, or what is known of one that was deleted: then ``digest`` is None."""

    digest: bytes | None
    updated_ms: int
    by_person: bool


class Outcome(Enum):
    SAME = "same"  # both say the same
    VAULT = "vault"  # the file gets what the vault says
    WRITE = "write"  # the vault gets the file's value
    DELETE = "delete"  # the vault's leaf is deleted
    OVERRULED = "overruled"  # as VAULT, and what was typed into the file is kept beside it
    RETURNED = "returned"  # as VAULT, although the person removed it from the file
    DELETE_UNSEEN = "delete-unseen"  # as DELETE, and the vault's value is kept beside the file


def merge(
    base: Mapping[K, bytes], theirs: Mapping[K, Theirs], ours: Mapping[K, Ours], saved_ms: int
) -> dict[K, Outcome]:
    """The outcome for every key that any of the three knows. *saved_ms* is when the file was last changed. O(keys)."""
    keys = dict.fromkeys([*theirs, *base, *ours])
    return {key: _outcome(base.get(key), theirs.get(key), ours.get(key), saved_ms) for key in keys}


def _outcome(base: bytes | None, theirs: Theirs | None, ours: Ours | None, saved_ms: int) -> Outcome:
    file = None if theirs is None else theirs.digest
    vault = None if ours is None else ours.digest
    if file == vault:
        return Outcome.SAME
    if file == base:
        return Outcome.VAULT
    if base is None and theirs is not None and theirs.agents_ms is not None and ours is not None:
        is_current = ours.digest is not None and theirs.agents_ms >= ours.updated_ms
        return Outcome.WRITE if is_current else Outcome.OVERRULED
    is_latest = vault == base or ours is None or not ours.by_person or saved_ms >= ours.updated_ms
    if file is not None:
        return Outcome.WRITE if is_latest else Outcome.OVERRULED
    if not is_latest:
        return Outcome.RETURNED
    unseen = vault != base and ours is not None and ours.by_person
    return Outcome.DELETE_UNSEEN if unseen else Outcome.DELETE
