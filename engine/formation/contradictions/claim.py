"""One claim: a thing in a slot that holds one at a time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Claim", "Slot"]


class Slot(StrEnum):
    HOME = "home"
    EMPLOYER = "employer"
    NAME = "name"
    ADDRESS = "address-as"
    AGE = "age"
    WHEREABOUTS = "whereabouts"
    STATE = "state"
    ROLE = "role"
    STOPPED = "stopped"
    FAVOURITE = "favourite"
    ATTRIBUTE = "attribute"
    DIET = "diet"
    EATS = "eats"
    SHUNS = "shuns"
    FEELS = "feels"
    PREFERS = "prefers"
    USES = "uses"
    SWITCHES = "switches"


@dataclass(frozen=True, slots=True)
class Claim:
    """``thing`` is folded words; ``of`` is what it belongs to (*colour* of a favourite colour, the slot's name in a
    path); ``left`` is what it takes the place of; ``sign`` is −1 where it is disliked or denied; ``when`` are words
    that limit it (*in the morning*).
    """

    slot: Slot
    thing: str
    of: str = ""
    left: str = ""
    sign: int = 1
    when: frozenset[str] = frozenset()
    subject: str = ""
    """Whose it is, where it is not the person's: *our team*, *the office*."""
    denied: bool = False
    """Whether a liking is told by its denial: *don't like*, *no longer hate*."""
    proper: bool = False
    """Whether *thing* is written like a name."""

    @property
    def is_denied(self) -> bool:
        """Whether a negation was needed to say so, which an end (*no longer*) may then have been."""
        return self.denied if self.slot is Slot.FEELS else self.sign < 0 or self.slot is Slot.SHUNS
