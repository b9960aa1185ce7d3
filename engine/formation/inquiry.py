"""What is asked before anything is written: which assertions may become memories now, and what they are held against.

A model may be asked here, so only what can matter is: outright words, and signs of which there are enough.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..replica import Replica
from ..slots import SlotMap
from ..values import Value
from ..view import View
from . import budget, hypotheses
from .assertions import Key, home_of, key_of
from .candidates import Action, Candidate
from .comparing import Compared, Comparing
from .guards import Support, is_weak
from .hypotheses import Hypothesis
from .wording import normal_value

__all__ = ["Inquiry", "inquire"]

_LIKE = 64
"""Hypotheses of a scope that a new sign is compared with, the most often seen first."""


class Inquiry(NamedTuple):
    """``compared``: the memories beside each assertion. ``alike``: for a new sign, the hypothesis of which it is one
    more, although it is worded otherwise.
    """

    compared: Mapping[Key, Sequence[Compared]] = {}
    alike: Mapping[Key, Hypothesis] = {}


class _Asked(NamedTuple):
    scope: str
    path: str
    value: Value
    sentence: str

    @property
    def key(self) -> Key:
        return key_of(self.scope, self.path, self.value)


def inquire(replica: Replica, compare: Comparing, proposed: Iterable[tuple[Candidate, Support]]) -> Inquiry:
    """Compares what is *proposed*, and the hypotheses that are ripe or become so by it."""
    outright: dict[Key, _Asked] = {}
    signs: dict[Key, _Asked] = {}
    times: Counter[Key] = Counter()
    for candidate, support in proposed:
        if candidate.action is not Action.STATE:
            continue
        asked = _Asked(home_of(candidate.path), candidate.path, candidate.value, candidate.sentence)
        if not is_weak(candidate, support):
            outright[asked.key] = asked
        elif support.by_person:
            signs[asked.key] = asked
            times[asked.key] += 1
    with replica.read() as view:
        rule = hypotheses.read_rule(view)
        full = budget.used(view) >= budget.limit_of(view)  # then what is ripe waits, and need not be compared
        held = {key_of(one.scope, one.path, one.value): one for one in hypotheses.hypotheses(view)}
        known = {key for key in (*outright, *signs, *held) if _stands(view, key)}
    alike: dict[Key, Hypothesis] = {}
    for key, sign in signs.items():
        if key not in held and key not in known:
            found = compare.like(sign.path, sign.value, sign.sentence, _candidates(held, sign.scope))
            if found is not None:
                alike[key] = found
                times[key_of(found.scope, found.path, found.value)] += times[key]
    for key, one in held.items():
        if one.own and not full and (one.is_ripe(rule) or len(one.own) + times[key] >= rule.sightings):
            outright.setdefault(key, _Asked(one.scope, one.path, one.value, one.own[-1].sentence))
    for key, sign in signs.items():
        if times[key] >= rule.sightings:
            outright.setdefault(key, sign)
    return Inquiry({key: compare(*asked) for key, asked in outright.items() if key not in known}, alike)


def _candidates(held: Mapping[Key, Hypothesis], scope: str) -> list[Hypothesis]:
    return [one for one in held.values() if one.scope == scope and one.own][:_LIKE]


def _stands(view: View, key: Key) -> bool:
    """Whether the statement stands there already, and there is nothing to compare."""
    scope, path, value = key
    record = view.get(scope, SlotMap.LEAVES, path)
    return record is not None and normal_value(record.value) == value
