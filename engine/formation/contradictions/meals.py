"""What somebody eats and does without: diets, allergies, meals."""

from __future__ import annotations

import re

from .claim import Claim, Slot
from .kinds import FORBIDDEN, feeds
from .tidying import denied_before, is_negated, tidy
from .words import CJK

__all__ = ["diets", "meals"]


def diets(text: str) -> list[str]:
    """The diets that *text* names."""
    text = _TWO_WORDS.sub(r"\1-\2", text)
    words = set(re.findall(r"[a-z]+(?:-[a-z]+)*", text))
    return [word for word in FORBIDDEN if word in words or (not word.isascii() and word in text)]


_TWO_WORDS = re.compile(r"\b(gluten|dairy|sugar|lactose|plant) (free|intolerant|based)\b")
_SUBSTITUTE = re.compile(
    r"\b(?:[a-z]+[ -]free|vegan|vegetarian|veggie|soy|oat|almond|coconut|plant[ -]based|non[ -]alcoholic|decaf(?:feinated)?|alkoholfrei(?:es)?|glutenfrei(?:es)?)\b"
)
_CANNOT_EAT = re.compile(
    r"\b(?:allergic to|intolerant to|allergy to|allergisch gegen|alergic[oa] a(?:l| los| las| la)?|allergique (?:a|aux?)) (?P<x>[^.,;!?]+)|(?:\b|^)(?P<y>[a-z]+) (?:allergy|intolerance)\b|对(?P<z>[一-鿿]+?)过敏"
)
_EATING = re.compile(
    rf"\b(?:eat|eats|eating|ate|had|have|having|order|drink|drinks|love|loves|like|likes|enjoy|want|crave|"
    rf"esse|isst|trinke|como|come|comer|bebo|bebe|mange|bois|aime|adore) (?P<x>[^.,;!?]+)|(?:吃|喝)了?(?P<y>[{CJK}]+)|(?P<z>[{CJK}]+?)[をも](?:食べ|飲)"
)


def meals(text: str) -> list[Claim]:
    """The diet that *text* claims, or what it says is eaten and not eaten."""
    found = []
    for word in diets(text):
        place = text.find(word)
        before = re.sub(r"\b(?:a|an|strictly|really|fully|longer|ein|eine|etre|vegan or) ?$", "", text[:place])
        negated = denied_before(before, len(before))
        found.append(Claim(Slot.DIET, word, sign=-1 if negated else 1))
    if found and not _SUBSTITUTE.search(text):
        return found
    found = [
        claim
        for claim in found
        if not re.search(rf"\b{claim.thing.replace('-', '[ -]')} (?!and\b|but\b|now\b|since\b|for\b)[a-z]", text)
    ]
    for match in _CANNOT_EAT.finditer(text):
        thing = next(part for part in match.groups() if part is not None)
        if not denied_before(text, match.start()):
            found.append(Claim(Slot.SHUNS, tidy(thing)[0]))
    for match in _EATING.finditer(text):
        thing = next(part for part in match.groups() if part is not None)
        if not feeds(thing) or _SUBSTITUTE.search(thing) or re.search(r"\b(?:allerg|intoleran)", thing):
            continue
        without = re.match(r"(?:no|kein|keine|keinen|pas de|plus de|nichts)\b", thing) is not None
        thing, when = tidy(thing)
        found.append(Claim(Slot.SHUNS if without or is_negated(text, match) else Slot.EATS, thing, when=when))
    return found
