"""What each sign of a good answer counts for. One setting for every vault; `docs/recall.md` says where each is from."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PLAIN", "Weights"]


@dataclass(frozen=True, slots=True)
class Weights:
    """All are fractions. Their neutral values, with which a sign counts for nothing, are in `PLAIN`.

    Around these values the results hardly move: halving or doubling one changes recall@10 by under a point. They were
    rounded, and not tuned further.
    """

    previous: float = 0.2
    """Of the fit of the turn before, that a turn takes over."""
    after_question: float = 0.5
    """The same where the turn before asks something: what follows is likely the answer, in other words."""
    following: float = 0.2
    """Of the fit of the turn that follows: people come back to what was said."""
    sitting: float = 0.2
    """Of the best fit of the same sitting: a conversation that has the matter has more of it."""
    other_speaker: float = 0.5
    """Left of what others say in a conversation in which somebody speaks whom the question names."""
    other_time: float = 0.7
    """Left of what was said outside the time that the question names."""


PLAIN = Weights(0.0, 0.0, 0.0, 0.0, 1.0, 1.0)
"""Words and meaning alone."""
