"""What is known to have happened: every write as it was stamped, and which replica holds it.

A fact enters when a write is durable, whether its caller has learned of it or not. It lies unsealed on its device
until a commit carries it; whoever holds the commit holds the fact. So what a replica must show can be said at any
moment, by the independent model, from the facts that it holds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.engine.model import Forgotten, Model, Written
from vademecum.transport.roster import Roster

__all__ = ["Fact", "Trees", "Truth", "models"]

Trees = dict[str, dict[str, Any]]

KEPT_MS = 400 * 24 * 60 * 60 * 1000
"""How long the journal keeps what no slot says any more."""


class Fact(NamedTuple):
    """Something that was written in a scope, or that was forgotten there."""

    scope: str
    said: Written | Forgotten


@dataclass
class Truth:
    """All facts of a vault. ``doomed`` are values that the person had forgotten where they were held."""

    facts: list[Fact] = field(default_factory=list)
    sealed: dict[tuple[str, bytes, int], list[Fact]] = field(default_factory=dict)
    doomed: set[str] = field(default_factory=set)
    latest: int = 0
    """The latest that any device has taken the time to be, in milliseconds."""
    lost: set[str] = field(default_factory=set)
    """Values that a restored device had written since its backup: nobody else may have them."""
    late: dict[str, tuple[bytes, tuple[Roster, ...]]] = field(default_factory=dict)
    """Values that a revoked device wrote when all the others knew of it, with its id and what each of them knew: nobody
    may take them in, if what they knew comes to be known to the vault."""
    copied: bool = False
    """A device has been copied or restored: the same name has then written twice, and writes are said again under
    another one."""

    revoked: bool = False
    """Somebody has revoked a device."""

    def is_old(self, said: Written) -> bool:
        """Whether a device may have thought that *said* is older than what the journal keeps."""
        return said.order >> 16 < self.latest - KEPT_MS

    def carried(self, scope: str, device: bytes, first: int, last: int) -> list[Fact]:
        """The facts in *device*'s commits *first* to *last*."""
        return [fact for seq in range(first, last + 1) for fact in self.sealed.get((scope, device, seq), ())]


def models(facts: Iterable[Fact]) -> dict[str, Model]:
    """A model of each scope."""
    made: dict[str, Model] = defaultdict(Model)
    for scope, said in facts:
        if isinstance(said, Written):
            made[scope].write(said)
        else:
            made[scope].forget(said)
    return made


def trees(facts: Iterable[Fact]) -> Trees:
    """What the law says of *facts*: scope → path → value."""
    found = {scope: model.tree() for scope, model in models(facts).items()}
    return {scope: tree for scope, tree in found.items() if tree}
