"""Gaps for things, for what somebody does, and for rules and notes."""

from __future__ import annotations

import re

from .gaps import EDGES, SMALL, Fill, Filled, bare_of, parts_of, rule_segment, segment
from .grammar import Language

__all__ = [
    "fill_aim",
    "fill_allergens",
    "fill_animal",
    "fill_choice",
    "fill_doing",
    "fill_fact",
    "fill_gerund",
    "fill_kin",
    "fill_known",
    "fill_named",
    "fill_note",
    "fill_thing",
    "fill_things",
    "fill_words",
]

MAX_THING_WORDS = 5
MAX_RULE_WORDS = 30
_COUNTED = re.compile(r"^[一二两兩三四五六七八九十\d]+[个個位只隻条條匹名人]の?")


def fill_things(words: str, language: Language, sloppy: int) -> list[Filled] | None:
    found: list[Filled] = []
    parts = parts_of(words, language)
    head = language.regex["heads"].search(parts[-1].strip()) if len(parts) > 1 else None
    for part in parts:
        if head and part is not parts[-1] and len(part.split()) == 1 and not part.strip().endswith("s"):
            part = f"{part.strip()} {head.group()}"
        one = fill_thing(part, language, sloppy)
        if one is None:
            return None
        found.extend(one)
    return found or None


def fill_thing(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
    bare = bare_of(words, language)
    if not bare or not any(one.isalpha() for one in bare):
        return None
    if language.regex["things"].search(bare) and not is_title(bare, language):
        return None
    if language.spaced:
        if len(bare.split()) > MAX_THING_WORDS or len(bare) > 48:
            return None
    elif len(bare) > 16:
        return None
    return [Filled(segment(bare), bare, words=bare)]


def fill_fact(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
    """What somebody's car, size or doctor is: a thing, or a number."""
    bare = bare_of(words, language)
    long = len(bare) > 40 or (language.spaced and len(bare.split()) > 5)
    if long or not any(one.isalnum() for one in bare) or language.regex["things"].search(bare):
        return None
    return [Filled(segment(bare), bare)]


def fill_named(words: str, language: Language, sloppy: int) -> list[Filled] | None:
    """A fact of a kind that people also judge (*my car is great*): only with a name, a number or an article."""
    if not (
        re.search(r"\d", words) or any(one[0].isupper() for one in words.split()) or bare_of(words, language) != words
    ):
        return None
    return fill_fact(words, language, sloppy)


def is_title(words: str, language: Language) -> bool:
    """Whether *words* are the name of a work or a band, in which any small word may stand: *Lord of the Rings*."""
    parts = words.split()
    great = [one for one in parts if one[0].isupper()]
    small = all(one[0].isupper() or one in SMALL for one in parts)
    return language.spaced and small and len(great) > 1 and len(parts[0]) > 2


def fill_allergens(words: str, language: Language, sloppy: int) -> list[Filled] | None:
    found = fill_things(words, language, sloppy)
    idle = found and any(language.meaning("not-allergen", str(one.value)) for one in found)
    return found if found and not idle else None


def fill_doing(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
    """What somebody does, of up to six words."""
    if len(words.split()) > 6 or language.regex["things"].search(words):
        return None
    return [Filled(segment(words), words)]


def fill_gerund(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
    """What somebody likes to do, of up to seven words, none of which points at what is at hand or at the hearer."""
    if len(words.split()) > 7 or language.regex["pointing"].search(words):
        return None
    return [Filled(segment(words), words)]


def fill_aim(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
    """What somebody is after, of up to twelve words, none of which points at what is at hand."""
    if len(words.split()) > 12 or language.regex["momentary"].search(words):
        return None
    return [Filled(rule_segment(words, language), words)]


def fill_choice(words: str, language: Language, sloppy: int) -> list[Filled] | None:
    """What was chosen: *the vegan one* is *vegan*."""
    bare = language.regex["chosen"].sub("", words).strip(EDGES)
    short = len(words.split()) <= 2 if language.spaced else False
    return fill_thing(bare, language, sloppy) if bare and (bare != words or short) else None


def fill_kin(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
    """Relatives, each with how many: *a sister and two brothers*."""
    found: list[Filled] = []
    for part in parts_of(words, language):
        relation = last_known(part, language, "kin")
        if relation is None:
            return None
        bare = bare_of(part, language)
        found.append(Filled(segment(relation), bare, words=part.strip(EDGES)))
    return found or None


def fill_animal(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
    found: list[Filled] = []
    for part in parts_of(words, language):
        species = last_known(part, language, "animal")
        if species is None:
            return None
        found.append(Filled(segment(species), species, words=part.strip(EDGES)))
    return found or None


def last_known(words: str, language: Language, kind: str) -> str | None:
    """The meaning of the last of up to three words, if the lexicon knows it."""
    bare = bare_of(words, language)
    if not language.spaced:
        bare = _COUNTED.sub("", bare)
    whole = language.meaning(kind, bare)
    parts = bare.split()
    if whole or not language.spaced or not 1 < len(parts) <= 3 or language.regex["things"].search(bare):
        return whole
    return language.meaning(kind, parts[-1])


def fill_words(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
    if len(words.split()) > MAX_RULE_WORDS or language.regex["momentary"].search(words):
        return None
    return [Filled(rule_segment(words, language), words)]


def fill_note(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
    """What was to be remembered: something in particular (*the gate code*, *Anna*, *at five*), no saying."""
    if len(words.split()) > MAX_RULE_WORDS or (language.spaced and len(words.split()) < 3):
        return None
    long = len(words.split()) > 12 if language.spaced else len(words) > 24
    if long and not language.regex["own"].search(words):
        return None
    if not language.regex["particular"].search(words) and not re.search(r"\d|(?<=\s)[A-ZÀ-ÖØ-Þ]", words):
        return None
    return [Filled(rule_segment(words, language), words)]


def fill_known(kind: str) -> Fill:
    """A gap for words of the lexicon, one or several."""

    def check(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
        whole = language.meaning(kind, words)
        if whole is not None:
            return [Filled(segment(whole), whole)]
        found: list[Filled] = []
        for part in parts_of(words, language):
            meaning = language.meaning(kind, bare_of(part, language))
            if meaning is None:
                return None
            found.append(Filled(segment(meaning), meaning, words=part.strip(EDGES)))
        return found or None

    return check
