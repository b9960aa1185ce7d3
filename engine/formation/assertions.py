"""What is asserted: a value at a path, and which recorded words say so. One candidate's, or those of all sightings."""

from __future__ import annotations

from typing import NamedTuple

from ..scopes import PRIVATE, PUBLIC
from ..values import Value
from .attributes import is_private
from .candidates import Candidate
from .guards import Support
from .hypotheses import Hypothesis, Sighting
from .learning import Source
from .report import Outcome, What
from .wording import normal_value

__all__ = ["Assertion", "Key", "home_of", "key_of", "of_candidate", "of_hypothesis"]

GRADUATED = 0.6
"""Confidence in what was put together from signs, at least; each sign beyond the first three adds to it."""
_EACH = 0.05
_MOST = 0.95

Key = tuple[str, str, str]


class Assertion(NamedTuple):
    """``outright``: said so, and not put together from signs. ``source`` is who said it, ``user`` for the person;
    *demoted* says why it is not taken at its word.
    """

    scope: str
    path: str
    value: Value
    sentence: str
    kind: str
    confidence: float
    sources: list[Source]
    evidence: tuple[str, ...]
    outright: bool
    source: str
    demoted: str | None = None

    @property
    def said_ms(self) -> int:
        return max(source.at_ms for source in self.sources)

    @property
    def key(self) -> Key:
        return key_of(self.scope, self.path, self.value)

    def outcome(self, what: What, why: str, **more: str | None) -> Outcome:
        return Outcome(what, self.path, why, self.evidence, self.scope, self.value, **more)

    def sightings(self, *, explicit: bool = False) -> list[Sighting]:
        """It as signs of a hypothesis, one for each of its sources."""
        return [
            Sighting(
                self.path,
                self.value,
                self.sentence,
                self.kind,
                self.confidence,
                self.source,
                one.session,
                one.message,
                one.quote,
                one.agent,
                one.at_ms,
                explicit,
            )
            for one in self.sources
        ]


def key_of(scope: str, path: str, value: Value) -> Key:
    """The same for all assertions that say the same at one path."""
    return scope, path, normal_value(value)


def home_of(path: str) -> str:
    """The scope in which what is learned at *path* is kept."""
    return PRIVATE if is_private(path) else PUBLIC


def of_candidate(candidate: Candidate, support: Support, agent: str | None, logged_ms: int) -> Assertion:
    """*agent* logged the message that supports it, at *logged_ms*; nothing was said later than it was logged."""
    message = support.message
    name = message.id.partition(":")[2]
    source = Source(message.session, name, candidate.quote.strip(), min(message.at_ms, logged_ms), agent)
    return Assertion(
        home_of(candidate.path),
        candidate.path,
        candidate.value,
        candidate.sentence,
        candidate.kind,
        candidate.confidence,
        [source],
        candidate.evidence,
        outright=True,
        source=support.source,
        demoted=support.demoted,
    )


def of_hypothesis(hypothesis: Hypothesis) -> Assertion:
    """What the person's sightings come to. There must be one of theirs."""
    own = hypothesis.own
    newest = own[-1]
    more = _EACH * max(0, len(own) - 3)
    return Assertion(
        hypothesis.scope,
        hypothesis.path,
        hypothesis.value,
        newest.sentence,
        newest.kind,
        min(_MOST, max(GRADUATED + more, *(one.confidence for one in own))),
        [Source(one.session, one.message, one.quote, one.at_ms, one.agent) for one in own],
        tuple(f"{one.session}:{one.message}" for one in own),
        outright=any(one.explicit for one in own),
        source=newest.source,
    )
