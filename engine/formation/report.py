"""What came of curating: one outcome for each thing that was considered, and their counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ..values import Value

__all__ = ["Outcome", "Report", "What"]


class What(StrEnum):
    """What was done with one candidate, or is to be done in a dry run."""

    MEMORY = "memory"  # a new leaf
    UPDATE = "update"  # another value at the same path; the one before is in the history
    ENDED = "ended"  # the person said that it is no longer so
    DUPLICATE = "duplicate"  # known already: confirmed, receipt added, age renewed
    HYPOTHESIS = "hypothesis"  # a sighting was kept
    GRADUATED = "graduated"  # enough sightings: it became a memory
    LINK = "link"  # elaborates, confirms, extends
    CONTRADICTION = "contradiction"  # an older memory elsewhere was flagged
    SUGGESTION = "suggestion"  # the person's own leaf stands there: they are asked
    REFUSED = "refused"  # a rule says no; `reason` is its code
    NOTHING = "nothing"  # the message gave no candidate


@dataclass(frozen=True, slots=True)
class Outcome:
    """*what* happened at *path* because of the messages *evidence*, and *why* in a sentence a person can check.

    reason: for `REFUSED`, its stable code: ``no-receipt``, ``misquoted``, ``not-the-person``, ``echo``, ``secret``,
        ``forbidden-path``, ``injection``, ``invalid``, ``protected`` (the person deleted it since), ``outdated``
        (something else was said since), ``budget``, ``stopped`` (after three refusals).
    other: the id of the other memory, of a link or contradiction.
    """

    what: What
    path: str | None
    why: str
    evidence: tuple[str, ...] = ()
    scope: str | None = None
    value: Value = None
    reason: str | None = None
    other: str | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "what": str(self.what),
            "scope": self.scope,
            "path": self.path,
            "value": self.value,
            "why": self.why,
            "reason": self.reason,
            "other": self.other,
            "evidence": list(self.evidence),
        }


@dataclass(frozen=True, slots=True)
class Report:
    """``signals`` is how many were handled, ``waiting`` how many still wait; ``rejected`` counts unusable pieces of a
    model's answer, by reason; ``notes`` say what could not be done this time; ``layers`` are those of the judge of
    contradictions that were on.
    """

    signals: int = 0
    waiting: int = 0
    outcomes: tuple[Outcome, ...] = ()
    rejected: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()

    def of(self, *what: What) -> list[Outcome]:
        return [one for one in self.outcomes if one.what in what]

    @property
    def memories(self) -> list[Outcome]:
        """What stands in the memory now and did not before: new, changed, graduated."""
        return self.of(What.MEMORY, What.UPDATE, What.GRADUATED)

    @property
    def hypotheses(self) -> list[Outcome]:
        return self.of(What.HYPOTHESIS)

    @property
    def duplicates(self) -> list[Outcome]:
        return self.of(What.DUPLICATE)

    @property
    def links(self) -> list[Outcome]:
        return self.of(What.LINK)

    @property
    def contradictions(self) -> list[Outcome]:
        return self.of(What.CONTRADICTION)

    @property
    def refusals(self) -> list[Outcome]:
        return self.of(What.REFUSED)

    def joined(self, other: Report) -> Report:
        return Report(
            self.signals + other.signals,
            other.waiting,
            self.outcomes + other.outcomes,
            dict(Counter(self.rejected) + Counter(other.rejected)),
            tuple(dict.fromkeys(self.notes + other.notes)),
            tuple(dict.fromkeys(self.layers + other.layers)),
        )

    def as_json(self) -> dict[str, Any]:
        counts = Counter(str(one.what) for one in self.outcomes)
        return {
            "signals": self.signals,
            "waiting": self.waiting,
            **{str(what): counts[str(what)] for what in What},
            "rejected": self.rejected,
            "notes": list(self.notes),
            "layers": list(self.layers),
            "outcomes": [one.as_json() for one in self.outcomes],
        }
