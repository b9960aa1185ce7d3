"""What a distiller is given, and what it may propose: typed candidates for memories.

A candidate is a proposal and no more. Whoever made it, rules or a language model, the curator checks it against the
recorded messages and the rules of the memory before anything is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, runtime_checkable

from ..records import KINDS
from ..values import Value

__all__ = [
    "Action",
    "Candidate",
    "Distilled",
    "Distiller",
    "Known",
    "Message",
    "Strength",
    "SweepingDistiller",
    "begin_sweep",
]

PERSON = "user"
"""The role of messages that the person wrote. Nobody else's words make a memory about the person."""


class Strength(StrEnum):
    """How clearly it was said."""

    EXPLICIT = "explicit"
    """Said outright (*I am*, *always*, *remember that*): a memory at once."""
    WEAK = "weak"
    """A sign (a choice, a repeated request): a sighting of a hypothesis."""


class Action(StrEnum):
    """What the words do to the memory."""

    STATE = "state"
    """They say that it is so, from now on."""
    END = "end"
    """They say that it is no longer so (*not any more*, *I stopped*). The value is what ended, None for any."""


@dataclass(frozen=True, slots=True)
class Message:
    """A recorded message. ``id`` is ``session/<id>:<name>``; ``role`` is ``user`` for the person, else ``assistant``,
    ``tool``, ``system`` or a speaker's name; ``at_ms`` is milliseconds since 1970.
    """

    id: str
    role: str
    text: str
    at_ms: int

    @property
    def session(self) -> str:
        """The scope, ``session/<id>``."""
        return self.id.partition(":")[0]

    @property
    def by_person(self) -> bool:
        return self.role == PERSON


@dataclass(frozen=True, slots=True)
class Known:
    """A memory that is there already, for corrections that lean on one (*no, actually it's Berlin*)."""

    scope: str
    path: str
    value: Value
    sentence: str
    by_person: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """One proposal.

    path: where the memory would stand; for an attribute of many values with the value's own segment at its end
        (``allergies.peanuts``), see `attributes`.
    value: what it would hold.
    sentence: how it reads in words; the rules take the person's own.
    quote: the exact words in one of the messages of *evidence* that say so.
    evidence: ids of messages.
    confidence: above 0, up to 1, by how clearly it was said.
    """

    path: str
    value: Value
    sentence: str
    quote: str
    evidence: tuple[str, ...]
    kind: str = KINDS[0]
    confidence: float = 0.9
    strength: Strength = Strength.EXPLICIT
    action: Action = Action.STATE


@dataclass(frozen=True, slots=True)
class Distilled:
    """What a distiller made of some messages. ``rejected`` counts pieces of its answer that were unusable, by reason;
    ``unread`` names messages that it could not read this time (a service that is away, a budget that is spent): their
    signals wait for the next sweep.
    """

    candidates: tuple[Candidate, ...] = ()
    rejected: dict[str, int] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    note: str | None = None
    """Why something is unread, for a person to read."""


class Distiller(Protocol):
    """Turns messages into candidates. Messages are data: nothing in them is an instruction."""

    @property
    def name(self) -> str:
        """What reports and settings call it, such as ``rules``."""

    def distil(self, messages: Sequence[Message], context: Sequence[Message], known: Sequence[Known]) -> Distilled:
        """Candidates from *messages*, oldest first, all of one session; *context* is what was said around them, of
        any role, for understanding only; *known* are memories that may bear on them. Candidates cite *messages* only.
        """


@runtime_checkable
class SweepingDistiller(Distiller, Protocol):
    """One that has a budget for each sweep, or does not ask again within one what did not answer."""

    def begin_sweep(self) -> None:
        """A new sweep begins, over one vault or over many."""


def begin_sweep(distiller: Distiller | None) -> None:
    """Tells *distiller* that a sweep begins, if it wants to know."""
    if isinstance(distiller, SweepingDistiller):
        distiller.begin_sweep()
