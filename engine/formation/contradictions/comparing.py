"""Whether two claims can both hold."""

from __future__ import annotations

from typing import NamedTuple

from .claim import Claim, Slot
from .kinds import FORBIDDEN, feeds, kinds_of
from .lexicon import FUNCTION, are_opposite, canonical, covers
from .statements import Relation
from .words import same_word, stem, tokens

__all__ = ["Finding", "compared", "same_thing"]

_ONE = (Slot.HOME, Slot.EMPLOYER, Slot.NAME, Slot.ADDRESS, Slot.AGE, Slot.ROLE, Slot.WHEREABOUTS)
_HELD = (Slot.PREFERS, Slot.USES, Slot.FEELS, Slot.FAVOURITE, Slot.SWITCHES, Slot.ATTRIBUTE, Slot.EATS)
_LIMITED = (Slot.PREFERS, Slot.USES, Slot.FEELS, Slot.FAVOURITE, Slot.EATS, Slot.SHUNS)
_SINGLE_NOUNS = frozenset(
    "name birthday age email phone number address employer "
    "job role title timezone budget deadline salary height weight password size school university major religion "
    "nationality tongue sign dose rent surname nickname currency "
    "adresse geburtstag beruf direccion cumpleanos profesion anniversaire metier 名字 生日 职业 地址 誕生日 職業 住所 仕事 hometown branch flight port host gate seat plan "
    "bank gym pharmacy provider plan capital colour color".split()
)
_COUNTRIES = frozenset(
    "germany france spain italy portugal austria switzerland netherlands belgium poland sweden norway denmark finland "
    "england scotland wales ireland uk usa us america canada mexico brazil argentina chile japan china korea india "
    "australia europe asia deutschland frankreich spanien italien osterreich schweiz espana francia alemania allemagne "
    "espagne italie suisse 中国 日本 德国 法国 美国 bavaria bayern california texas catalonia brittany tuscany".split()
)

_MANNERS = frozenset({"tongue", "channel", "language", "units", "cash", "style", "length"})


class Finding(NamedTuple):
    relation: Relation
    confidence: float
    reason: str


def compared(old: Claim, new: Claim, *, now: bool) -> Finding | None:
    """What the two say of one another, or None where they are about different things. *now*: the new one says that
    something has changed (*now*, *these days*, *again*).
    """
    if old.subject != new.subject and not {old.slot, new.slot} & {Slot.FAVOURITE, Slot.ATTRIBUTE}:
        return None
    if old.slot in _LIMITED and new.slot in _LIMITED and _apart(old.when, new.when):
        return _manner(old, new) if old.slot is new.slot and same_thing(old.thing, new.thing) else None
    finding = _compared(old, new, now)
    if (
        finding is not None
        and finding.relation is Relation.CONTRADICTS
        and old.slot in _LIMITED
        and new.slot in _LIMITED
        and bool(_limits(old.when)) != bool(_limits(new.when))
    ):
        return Finding(Relation.UNSURE, 0.5, f"{finding.reason}, though only one of them says when or where")
    return finding


def _compared(old: Claim, new: Claim, now: bool) -> Finding | None:
    if new.slot is Slot.SWITCHES:
        return _switched(old, new)
    if old.slot is new.slot is Slot.STATE:
        return _state(old, new)
    if old.slot is new.slot and old.slot in _ONE:
        return _one(old, new)
    pair = {old.slot, new.slot}
    if pair & {Slot.DIET, Slot.SHUNS} and pair <= {Slot.DIET, Slot.SHUNS, Slot.EATS, Slot.FEELS}:
        return _eating(old, new)
    if old.slot is new.slot is Slot.FEELS:
        return _feelings(old, new)
    if old.slot is new.slot is Slot.FAVOURITE:
        return _other(old, new, 0.9, f"favourite {new.of}") if _same_words(old.of, new.of) else None
    if old.slot is new.slot is Slot.ATTRIBUTE:
        return _attributes(old, new) if _same_words(old.of, new.of) else None
    if old.slot is new.slot is Slot.USES:
        return _uses(old, new, now)
    if pair == {Slot.FEELS, Slot.PREFERS}:
        felt, preferred = (old, new) if old.slot is Slot.FEELS else (new, old)
        if same_thing(felt.thing, preferred.thing):
            return _signs(felt.sign, 1, felt.thing)
        return None
    if pair <= {Slot.PREFERS, Slot.SWITCHES, Slot.FAVOURITE, Slot.USES}:
        return _preferred(old, new, now)
    return None


def _switched(old: Claim, new: Claim) -> Finding | None:
    if old.slot not in _HELD or old.sign < 0:
        return None
    if new.left and (_about(old.thing, new.left) or any(_same_words(word, new.left) for word in old.when)):
        return Finding(Relation.CONTRADICTS, 0.95, f"it says that {new.left} gave way to {new.thing}")
    if same_thing(old.thing, new.thing):
        return Finding(Relation.ENTAILS, 0.8, f"both come to {new.thing}")
    if _rivals(old, new):
        return Finding(Relation.CONTRADICTS, 0.9, f"it changed to {new.thing}, which takes the place of {old.thing}")
    if not new.left and old.slot in (Slot.PREFERS, Slot.USES, Slot.SWITCHES) and not _kinds_differ(old, new):
        return Finding(Relation.UNSURE, 0.5, f"it changed to {new.thing}, which may take the place of {old.thing}")
    return None


def _one(old: Claim, new: Claim) -> Finding | None:
    named = f"{new.slot} was {old.thing} and is {new.thing}"
    same = same_thing(old.thing, new.thing) or _within(old.thing, new.thing) or _within(new.thing, old.thing)
    if same:
        return _signs(old.sign, new.sign, new.thing)
    if new.left and same_thing(old.thing, new.left):
        return Finding(Relation.CONTRADICTS, 0.97, f"it says that {new.left} gave way to {new.thing}")
    if old.sign < 0 or new.sign < 0:
        return None
    if new.slot is Slot.HOME and (old.thing in _COUNTRIES) != (new.thing in _COUNTRIES) and not new.left:
        return Finding(Relation.UNSURE, 0.5, f"{named}; one may lie in the other")
    return Finding(Relation.CONTRADICTS, 0.9, named)


def _state(old: Claim, new: Claim) -> Finding | None:
    if old.of != new.of:
        return None
    if old.thing == new.thing:
        return Finding(Relation.DUPLICATE, 0.8, f"{new.of}: {new.thing}, as before")
    return Finding(Relation.CONTRADICTS, 0.88, f"{new.of} was {old.thing} and is {new.thing}")


def _eating(old: Claim, new: Claim) -> Finding | None:
    if old.slot is new.slot is Slot.DIET:
        if old.thing == new.thing or _narrower_diet(old.thing, new.thing):
            return _signs(old.sign, new.sign, new.thing)
        if old.sign > 0 and new.sign > 0:
            return Finding(Relation.CONTRADICTS, 0.9, f"the diet was {old.thing} and is {new.thing}")
        return None
    for rule, meal in ((old, new), (new, old)):
        if meal.slot not in (Slot.EATS, Slot.FEELS) or meal.sign < 0:
            continue
        if rule.slot is Slot.DIET and rule.sign > 0 and FORBIDDEN[rule.thing] & feeds(meal.thing):
            return Finding(Relation.CONTRADICTS, 0.85, f"{meal.thing} is not {rule.thing}")
        if rule.slot is Slot.SHUNS and (
            _about(meal.thing, rule.thing) or rule.thing in feeds(meal.thing) or _is_group(rule.thing, meal.thing)
        ):
            return Finding(Relation.CONTRADICTS, 0.85, f"one does without {rule.thing}, the other has {meal.thing}")
    return None


def _feelings(old: Claim, new: Claim) -> Finding | None:
    if same_thing(old.thing, new.thing):
        return _signs(old.sign, new.sign, new.thing)
    if old.sign != new.sign and (_within(old.thing, new.thing) or _within(new.thing, old.thing)):
        return Finding(Relation.UNSURE, 0.5, f"{old.thing} and {new.thing} are felt about differently, and overlap")
    return None


def _attributes(old: Claim, new: Claim) -> Finding | None:
    if same_thing(old.thing, new.thing) or _within(old.thing, new.thing) or _within(new.thing, old.thing):
        return _signs(old.sign, new.sign, f"{new.of}: {new.thing}")
    if old.sign < 0 or new.sign < 0:
        return None
    head = stem(new.of.split()[-1])
    single = head in {stem(word) for word in _SINGLE_NOUNS}
    if single or _comparable(old.thing, new.thing) or (old.proper and new.proper):
        return Finding(Relation.CONTRADICTS, 0.85, f"{new.of} was {old.thing} and is {new.thing}")
    return None


def _uses(old: Claim, new: Claim, now: bool) -> Finding | None:
    if same_thing(old.thing, new.thing):
        return _signs(old.sign, new.sign, new.thing)
    denied, said = (old, new) if old.sign < new.sign else (new, old)
    if denied.sign < said.sign and _within(denied.thing, said.thing):
        return Finding(Relation.CONTRADICTS, 0.85, f"one has no {denied.thing}, the other {said.thing}")
    if old.sign > 0 and new.sign > 0 and now and _rivals(old, new) and "tongue" not in kinds_of(new.thing):
        return Finding(Relation.CONTRADICTS, 0.75, f"now it is {new.thing}, which takes the place of {old.thing}")
    return None


def _preferred(old: Claim, new: Claim, now: bool) -> Finding | None:
    if same_thing(old.thing, new.thing):
        return _signs(old.sign, new.sign, new.thing) if old.slot is new.slot else None
    if old.sign < 0 or new.sign < 0:
        return None
    if (old.left and same_thing(old.left, new.thing)) or (new.left and same_thing(new.left, old.thing)):
        return Finding(Relation.CONTRADICTS, 0.9, f"{new.thing} now goes before {old.thing}")
    used = Slot.USES in (old.slot, new.slot)
    if _rivals(old, new) or (not used and _comparable(old.thing, new.thing)):
        reason = f"{new.thing} takes the place of {old.thing}"
        if used and not now:
            return Finding(Relation.UNSURE, 0.4, reason)
        return Finding(Relation.CONTRADICTS, 0.85, reason)
    return None


def _other(old: Claim, new: Claim, confidence: float, what: str) -> Finding:
    if same_thing(old.thing, new.thing) or _within(old.thing, new.thing) or _within(new.thing, old.thing):
        return _signs(old.sign, new.sign, new.thing)
    return Finding(Relation.CONTRADICTS, confidence, f"{what} was {old.thing} and is {new.thing}")


def _signs(old: int, new: int, what: str) -> Finding:
    if old == new:
        return Finding(Relation.DUPLICATE, 0.85, f"both say the same of {what}")
    return Finding(Relation.CONTRADICTS, 0.92, f"one says yes to {what}, the other no")


def _rivals(old: Claim, new: Claim) -> bool:
    """Whether the things are of one kind of which one is held at a time."""
    kinds = kinds_of(old.thing) | ({old.of} if old.of else set())
    others = kinds_of(new.thing) | ({new.of} if new.of else set())
    return bool(kinds & others)


def _kinds_differ(old: Claim, new: Claim) -> bool:
    one, other = kinds_of(old.thing), kinds_of(new.thing)
    return bool(one and other and not one & other)


def _words(thing: str) -> list[str]:
    return [canonical(stem(word)) for word in tokens(thing) if word not in FUNCTION and word[0].isalnum()]


def same_thing(one: str, other: str) -> bool:
    """Whether two things are one, whatever the order, endings and small words."""
    return _same_words(one, other)


def _same_words(one: str, other: str) -> bool:
    a, b = _words(one), _words(other)
    return bool(a) and len(a) == len(b) and all(any(same_word(x, y) for y in b) for x in a)


def _within(one: str, other: str) -> bool:
    """Whether *other* says all of *one*, and more."""
    a, b = _words(one), _words(other)
    return bool(a) and len(a) <= len(b) and a != b and all(any(same_word(x, y) or covers(x, y) for y in b) for x in a)


def _about(thing: str, other: str) -> bool:
    return same_thing(thing, other) or _within(other, thing) or _within(thing, other)


def _comparable(one: str, other: str) -> bool:
    """Whether two values answer one question: two numbers, two of one kind, or opposites, with the rest alike."""
    a, b = _words(one), _words(other)
    left = [x for x in a if not any(same_word(x, y) for y in b)]
    right = [y for y in b if not any(same_word(x, y) for x in a)]
    if len(left) != 1 or len(right) != 1:
        return bool(kinds_of(one) & kinds_of(other))
    x, y = left[0], right[0]
    return (x[0].isdigit() and y[0].isdigit()) or are_opposite(x, y) or bool(kinds_of(x) & kinds_of(y))


def _narrower_diet(old: str, new: str) -> bool:
    return FORBIDDEN[old] == FORBIDDEN[new]


def _is_group(group: str, thing: str) -> bool:
    """Whether the thing shunned is a whole group of food (*fleisch*, *carne*) that the other belongs to."""
    names = {
        "meat": "meat fleisch carne viande 肉",
        "fish": "fish fisch pescado poisson 鱼 魚 seafood",
        "shellfish": "shellfish seafood mariscos",
        "alcohol": "alcohol alkohol alcool 酒 お酒",
        "dairy": "dairy",
    }
    return any(
        _same_words(group, word) and name in feeds(thing) for name, words in names.items() for word in words.split()
    )


_SMALL = frozenset("in on at for when while during before after with as if by the a an my i am im am au en".split())


def _manner(old: Claim, new: Claim) -> Finding | None:
    """*By email* and *by SMS* are two ways of one thing; *in the morning* and *at night* are two occasions."""
    for one in _limits(old.when):
        for other in _limits(new.when):
            kinds = kinds_of(one) & kinds_of(other)
            if one != other and (kinds & _MANNERS or (kinds and new.slot is Slot.PREFERS)):
                return Finding(Relation.CONTRADICTS, 0.8, f"{new.thing} was {one} and is {other}")
    return None


def _limits(when: frozenset[str]) -> frozenset[str]:
    return frozenset(canonical(stem(word)) for word in when if word not in _SMALL and word not in FUNCTION)


def _apart(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether both are limited, and to different occasions."""
    a, b = _limits(one), _limits(other)
    return bool(a and b) and not a & b
