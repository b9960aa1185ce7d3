"""What a question says beside its words, weighed: whom it names, which time it means, what stands around a turn. Pure.

    score = fit in context × 0.5 if somebody else says it × 0.7 if it was said at another time

Signs are preferences: none takes anything out of the answer, for the question may name the wrong person or time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from .conversation import Turn, in_context
from .ranking import Fused
from .time_words import AskedTime
from .weights import Weights

__all__ = ["NOT_NAMED", "Asked", "weigh"]

NOT_NAMED = Fused(0.0, None, None, 0.0, 0.0)
"""The fit of what neither index has named."""


@dataclass(frozen=True, slots=True)
class Asked:
    """``people``: names, as speakers and paths have them, of those whom the question names; ``time``: when."""

    people: frozenset[str] = frozenset()
    time: AskedTime | None = None


def weigh(
    fused: Mapping[str, Fused],
    turns: Mapping[str, Turn],
    subjects: Mapping[str, str],
    moments: Mapping[str, tuple[datetime, ...]],
    asked: Asked,
    weights: Weights,
) -> dict[str, Fused]:
    """The fits of all that *fused* and *turns* name, as the rank decides by them.

    turns: the turns among them, and neighbours that may come into the answer.
    subjects: whom an entry that is no turn is about, where its path says so.
    moments: when an entry was said or written; what has none keeps its score. O(n log n).
    """
    contexts = in_context({key: fit.score for key, fit in fused.items()}, turns, weights)
    speaks = {(turn.session, turn.speaker) for turn in turns.values() if turn.speaker in asked.people}
    sessions = {session for session, _ in speaks}
    about = any(subject in asked.people for subject in subjects.values())
    weighed = {}
    for key in fused.keys() | turns.keys():
        fit = fused.get(key, NOT_NAMED)
        turn = turns.get(key)
        if turn is not None:
            elsewhere = turn.session in sessions and turn.speaker not in asked.people
        else:
            elsewhere = about and subjects.get(key, "") not in ("", *asked.people)
        speaker = weights.other_speaker if elsewhere else 1.0
        when = moments.get(key, ())
        late = asked.time is not None and bool(when) and not any(asked.time.has(moment) for moment in when)
        time = weights.other_time if late else 1.0
        context = contexts.get(key)
        score = (fit.score if context is None else context) * speaker * time
        weighed[key] = replace(fit, score=score, own=fit.score, context=context, speaker=speaker, time=time)
    return weighed
