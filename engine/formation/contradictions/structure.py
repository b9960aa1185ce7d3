"""The first layer: what the paths say. Deterministic, without a model, and certain.

The same path with the same normalised value is a duplicate; with another one a contradiction, because a leaf holds one
value. Attributes of many values are subtrees (`attributes`): neighbours in them stand side by side and never conflict
by value alone. Preferences and rules are exempt from that: *prefers pytest* and *prefers unittest* are neighbours too,
and words decide.
"""

from __future__ import annotations

from ...sentences import show_value
from ..attributes import attribute_of, is_single
from .statements import Layer, Relation, Statement, Verdict
from .values import normalised

__all__ = ["by_structure", "side_by_side"]

_JUDGED_BY_WORDS = ("preferences", "rules", "notes", "routines", "tools", "goals", "today", "work.project")
_LONG = 4
"""Words from which a text is a sentence, whose wording may differ while its meaning does not."""


def by_structure(old: Statement, new: Statement) -> Verdict | None:
    """What the paths decide, or None where they decide nothing. O(size of the values)."""
    if not old.path or old.path != new.path:
        return None
    one, other = normalised(old.value), normalised(new.value)
    if one == other:
        return Verdict(Relation.DUPLICATE, 1.0, Layer.STRUCTURE, (f"{new.path} has this value already",))
    if isinstance(one, frozenset) or isinstance(other, frozenset):
        before = one if isinstance(one, frozenset) else frozenset([one])
        after = other if isinstance(other, frozenset) else frozenset([other])
        if before < after:
            reason = f"{new.path} keeps what it had and has more"
            return Verdict(Relation.ENTAILS, 0.95, Layer.STRUCTURE, (reason,))
    if not is_single(new.path):
        reason = f"{new.path} holds many values, which stand side by side"
        return Verdict(Relation.NEUTRAL, 0.9, Layer.STRUCTURE, (reason,))
    if _is_sentence(old) and _is_sentence(new):
        return None
    if isinstance(one, str) and isinstance(other, str) and set(one.split()) < set(other.split()):
        reason = f"{new.path} says the same in more words"
        return Verdict(Relation.ENTAILS, 0.8, Layer.STRUCTURE, (reason,))
    reason = f"{new.path} holds one value; it was {_shown(old)} and is {_shown(new)}"
    return Verdict(Relation.CONTRADICTS, 0.97, Layer.STRUCTURE, (reason,))


def side_by_side(old: Statement, new: Statement) -> bool:
    """Whether the two are neighbours in an attribute of many values, such as two languages or two allergies."""
    one, other = attribute_of(old.path), attribute_of(new.path)
    return one is not None and one == other and one.many and old.path != new.path and one.path not in _JUDGED_BY_WORDS


def _is_sentence(statement: Statement) -> bool:
    return isinstance(statement.value, str) and len(statement.value.split()) >= _LONG


def _shown(statement: Statement) -> str:
    return show_value(statement.value)
