"""What the turns around a turn say for it. Pure: fits and turns in, fits out.

A turn of a conversation seldom repeats what it is about: *"Where was that?" – "In Oslo."* So a turn takes over a part
of the fit of its neighbours, more of a question's, and a part of the best fit of its sitting:

    (fit + previous · fit before + following · fit after + sitting · best of the sitting) ÷ most that this can come to

A *sitting* is what was said in one session without a pause of `PAUSE_MS`. A turn that neither index has named can so
come into the answer. Leaves are no turns: each stands for itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .weights import Weights

__all__ = ["PAUSE_MS", "Turn", "in_context", "is_question", "sittings"]

PAUSE_MS = 6 * 3_600_000
"""After six hours without a word another conversation has begun, also where it is kept in the same session."""
_QUESTION_MARKS = ("?", "？", "؟", "⸮", "\u037e")  # the last is Greek


class Turn(NamedTuple):
    """A turn as its neighbours are judged by. ``before`` and ``after`` are the keys of the turns next to it in the same
    session, None where there is none; ``asks`` says whether it asks something.
    """

    session: str
    speaker: str
    at_ms: int
    asks: bool
    before: str | None = None
    after: str | None = None


def is_question(text: str) -> bool:
    """Whether something is asked in *text*; where is not told apart, for people ask and then go on."""
    return any(mark in text for mark in _QUESTION_MARKS)


def in_context(fits: Mapping[str, float], turns: Mapping[str, Turn], weights: Weights) -> dict[str, float]:
    """The fit in context, 0–1, of every turn that has one: those that *fits* names, and their neighbours.

    fits: 0–1 by key, of turns and of anything else, which is passed over.
    turns: by key; those that *fits* names, and of their neighbours those that may come into the answer. O(n log n).
    """
    sitting_of = sittings(turns)
    best: dict[int, float] = {}
    for key, place in sitting_of.items():
        best[place] = max(best.get(place, 0.0), fits.get(key, 0.0))
    most = 1.0 + max(weights.previous, weights.after_question) + weights.following + weights.sitting
    context = {}
    for key, turn in turns.items():
        total = fits.get(key, 0.0)
        before = _same_sitting(turn, turn.before, turns)
        if before is not None:
            share = weights.after_question if before.asks else weights.previous
            total += share * fits.get(turn.before or "", 0.0)
        if _same_sitting(turn, turn.after, turns) is not None:
            total += weights.following * fits.get(turn.after or "", 0.0)
        total += weights.sitting * best[sitting_of[key]]
        context[key] = total / most
    return context


def sittings(turns: Mapping[str, Turn]) -> dict[str, int]:
    """The number of the sitting of each turn: the same number, the same sitting."""
    places: dict[str, int] = {}
    last: tuple[str, int] | None = None
    for key in sorted(turns, key=lambda key: (turns[key].session, turns[key].at_ms)):
        turn = turns[key]
        if last is None or last[0] != turn.session or turn.at_ms - last[1] > PAUSE_MS:
            place = len(places)  # of the first turn in it: no other sitting has the same
        last = (turn.session, turn.at_ms)
        places[key] = place
    return places


def _same_sitting(turn: Turn, key: str | None, turns: Mapping[str, Turn]) -> Turn | None:
    other = None if key is None else turns.get(key)
    return other if other is not None and abs(other.at_ms - turn.at_ms) <= PAUSE_MS else None


def speakers(turns: Iterable[Turn]) -> dict[str, set[str]]:
    """Who speaks in each session, of these turns."""
    found: dict[str, set[str]] = {}
    for turn in turns:
        found.setdefault(turn.session, set()).add(turn.speaker)
    return found
