"""Gaps for names: of people, places, employers and tools, and for jobs, numbers and dates."""

from __future__ import annotations

import re

from .gaps import EDGES, SMALL, Filled, bare_of, segment
from .grammar import Language
from .things import fill_thing
from .words import bare_letters

__all__ = [
    "fill_called",
    "fill_date",
    "fill_exact",
    "fill_former",
    "fill_job",
    "fill_moved",
    "fill_name",
    "fill_number",
    "fill_org",
    "fill_place",
    "fill_tool",
]

_WORD = re.compile(r"[^\W\d_][\w'’.-]*\Z")
_DAY = re.compile(
    r"(?!(?:19|20)\d\d$)(?!.*\b(?:days?|weeks?|months?|hours?|tage?n?|wochen|d[ií]as|semanas|jours|semaines|after|ago)\b)"
    r"(?:\d|jan|j[äa]n|ene|feb|f[ée]v|m[aä]r|mrz|apr|abr|avr|ma[iy]|jun|jui|jul|aug|ago|ao[uû]t|sep|o[ck]t|nov|de[czc]|d[ée]c|dic)",
    re.IGNORECASE,
)
"""How a day of the year begins, and not a number of days."""
_OF_CITIES = frozenset(
    word
    for words in (
        "new san los las santa saint st tel cape hong buenos kuala el la le salt fort port north south east west",
        "abu addis mexico kansas oklahoma belo sao são rio frankfurt bad ho den palo baden",
    )
    for word in words.split()
)
"""First words of cities of two, for messages without capitals."""


def fill_name(words: str, language: Language, sloppy: int) -> list[Filled] | None:
    parts = words.split()
    if len(parts) > 3 or len(words) > 40 or language.regex["things"].search(words):
        return None
    if language.meaning("not-name", words):
        return None
    if not all(_WORD.match(one) for one in parts):
        return None
    if language.spaced:
        if sloppy:
            words = " ".join(one.capitalize() for one in parts)
        elif not all(one[0].isupper() or one in SMALL for one in parts) or parts[0] in SMALL:
            return None
    elif len(words) > 12:
        return None
    return [Filled(segment(words), words)]


def fill_called(words: str, language: Language, sloppy: int) -> list[Filled] | None:
    """A name in a form that people also use for other things (*call me later*): with a capital, unless
    the message has none.
    """
    return fill_name(words, language, 2 if sloppy == 2 and len(words.split()) == 1 else 0)


def fill_place(words: str, language: Language, sloppy: int) -> list[Filled] | None:
    whole = [part.strip(EDGES) for part in words.split(",")]
    if len(whole) > 2 or not all(whole):
        return None
    found: list[Filled] = []
    for place, part in enumerate(whole):
        country = language.meaning("country", bare_of(part, language))
        if country:
            found.append(Filled(segment(country), country, "home.country", part))
            continue
        region = language.meaning("region", part)
        if region:
            found.append(Filled(segment(region), region, "home.region", part))
            continue
        if place and len(part) <= 3:
            continue  # a state behind a city: Austin, TX
        city = proper(part, language, sloppy)
        if city is None or place:
            return None
        found.append(Filled(segment(city), city, words=part))
    return found


def fill_moved(words: str, language: Language, sloppy: int) -> list[Filled] | None:
    """A place behind *moved to*, where other things may stand (*the kitchen*, *main*): with its capital, unless the
    message has none.
    """
    return fill_place(words, language, sloppy if sloppy == 2 else 0)


def proper(words: str, language: Language, sloppy: int) -> str | None:
    """*words* as a proper name of up to four words, or None."""
    if language.regex["things"].search(words) or not any(one.isalpha() for one in words):
        return None
    if language.meaning("not-place", words):
        return None
    if not language.spaced:
        return words if len(words) <= 12 else None
    parts = words.split()
    if (
        len(parts) > 4
        or len(words) > 40
        or parts[0].casefold() in SMALL - {"la", "le", "los", "las", "el", "den", "san"}
    ):
        return None
    if sloppy:
        if len(parts) > 2 or not all(_WORD.match(one) for one in parts):
            return None
        if len(parts) == 2 and parts[0] not in _OF_CITIES:
            return None
        return " ".join(one if one in SMALL else one.capitalize() for one in parts)
    return words if all(one[0].isupper() or one[0].isdigit() or one in SMALL for one in parts) else None


def fill_tool(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
    name = proper(words, language, 0)
    return [Filled(segment(name), name)] if name else None


def fill_org(words: str, language: Language, sloppy: int) -> list[Filled] | None:
    bare = bare_of(words, language)
    if language.meaning("not-place", bare):
        return None
    if bare != words:  # "a hospital", "the BBC"
        one = fill_thing(words, language, sloppy)
        return one and [Filled(one[0].segment, words)]
    name = proper(re.sub(r"^the ", "", words, flags=re.IGNORECASE), language, sloppy)
    return [Filled(segment(name), name)] if name else None


def fill_former(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
    """An employer that was left. *I left Berlin* is not told from it, so whoever ends memories compares the value."""
    return fill_org(words, language, 0)


def fill_job(words: str, language: Language, sloppy: int) -> list[Filled] | None:
    one = fill_thing(words, language, sloppy)
    if one is None:
        return None
    last = str(one[0].value).split()[-1]
    known = language.meaning("job", last) or any(
        bare_letters(last).endswith(bare_letters(job)) for job in language.lexicon["job"] if language.joins_words
    )
    return one if known else None


def fill_number(words: str, _language: Language, _sloppy: int) -> list[Filled] | None:
    if not words.isascii() or not words.isdigit() or not 1 <= int(words[:4]) <= 120 or len(words) > 3:
        return None
    return [Filled(words, int(words))]


def fill_date(words: str, _language: Language, _sloppy: int) -> list[Filled] | None:
    if len(words) > 40 or len(words.split()) > 5 or not _DAY.match(words) or not re.search(r"\d", words):
        return None
    return [Filled(segment(words), words)]


def fill_exact(words: str, _language: Language, _sloppy: int) -> list[Filled] | None:
    return [Filled(segment(words), words)]
