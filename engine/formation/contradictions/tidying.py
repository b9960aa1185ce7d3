"""The bare thing in what somebody says of it, and whether it is denied."""

from __future__ import annotations

import re

from .words import tokens

__all__ = ["denied_before", "is_negated", "tidy"]

_LEADING = re.compile(
    r"^(?:(?:[a-z]+ (?:thinks?|finds?|believes?|feels?)(?: that)?|a|an|the|my|our|his|her|their|some|any|all|to|de|der|die|das|den|dem|ein|eine|einen|einem|kein|keine|keinen|"
    r"el|la|los|las|lo|un|una|unos|unas|le|les|une|des|du|me|it|being|using|drinking|eating|having|taking|really|very|"
    r"eat|drink|drinking|wear|play|playing|only|always|just|now|more|much|sehr|mucho|mucha|beaucoup|me a|is|"
    r"jetzt|ahora|maintenant|nur|immer|about|almost|called|new|either|both|every|each) )+"
)
_TRAILING = re.compile(
    r"(?: (?:now|today|currently|again|instead|anymore|any more|any longer|these days|nowadays|already|a lot|so much|very much|most|"
    r"at all|too|as well|anyway|more|the most|best|better|recently|lately|for now|please|only|ago|altogether|completely|"
    r"last (?:week|month|year|spring|summer|autumn|fall|winter)|this (?:week|month|year|spring|summer|autumn|winter)|"
    r"seats?|jetzt|inzwischen|wieder|sehr|nicht|mehr|gerne?|um|ahora|mucho|maintenant|desormais|beaucoup|pas|plus|vor))+$"
)
_CUT = re.compile(
    r" (?:and|but|because|since|so|though|although|if|that (?:i|we|he|she|it|they|is|are|was|has)|which|who|where|over|instead of|rather than|than|compared|"
    r"und|aber|weil|als|statt|seit|y|pero|porque|desde|que|en vez de|et|mais|parce|depuis|plutot que|"
    r"more than|together with|to be|as of) "
)
_WHEN = re.compile(
    r" (?:in|on|at|for|from|when|while|during|before|after|with|as|if|by|whenever|im|am|bei|beim|zum|fur|wenn|mit|en|por|para|"
    r"cuando|con|au|pour|quand|avec|les|abends|morgens) .*$| le (?:matin|soir|midi)$"
)
_NEGATED_BEFORE = re.compile(
    r"(?:\bnot|\bnever|\bno longer|\bnot really|\bne|\bno me|\bno le|\bno|\bno longer really|不太?|没有?|\bnot particularly|\bnot a|\bnot much of a|\bnot a big)(?: even| really| longer| much| particularly| to)? ?$"
)
_NEGATED_AFTER = re.compile(
    r"^[ぁ-ん]{0,2}(?:ません|ない(?!と)|なくな)|^(?:nicht\b|keine?[nmrs]?\b|pas\b|plus\b|だ?ではな|だ?じゃな|くな|ではありませ|じゃありませ|ではなく)|\b(?:uberhaupt |gar )?nicht(?: mehr)?$"
)


def denied_before(text: str, place: int) -> bool:
    """Whether a negation stands right before *place*."""
    return _NEGATED_BEFORE.search(text[:place]) is not None


def is_negated(text: str, match: re.Match[str]) -> bool:
    """Whether a negation stands just before the match or ends it."""
    if denied_before(text, match.start()) or _NEGATED_AFTER.search(text[match.end() :]):
        return True
    return re.search(r"\b(?:nicht|pas)(?: mehr)?$", match.group()) is not None


def tidy(thing: str) -> tuple[str, frozenset[str]]:
    """The bare thing, and the words that limit it."""
    thing = f"{thing.strip()} "
    cut = _CUT.search(thing)
    if cut is not None:
        thing = thing[: cut.start()]
    thing = thing.strip()
    when: frozenset[str] = frozenset()
    limit = _WHEN.search(f" {thing}")
    if limit is not None and limit.start() > 0:
        when = frozenset(tokens(limit.group()))
        thing = thing[: limit.start()].strip() if limit.start() else thing
    previous = None
    while previous != thing:
        previous = thing
        thing = _TRAILING.sub("", _LEADING.sub("", thing)).strip()
    return thing, when
