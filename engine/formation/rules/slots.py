"""What may stand in the gap of a form, and the path segments and values that its words give.

A gap is strict, because a form alone is not: *I love cilantro* is a preference, *I love how it shows the light* is
talk. What does not look like the kind of thing that belongs there makes the whole form void.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

from vademecum.errors import InvalidPath

from ...paths import segment_from
from ...values import Value
from .grammar import Language
from .words import bare_letters

__all__ = ["Filled", "fill", "rule_segment", "segment", "sloppiness"]


class Filled(NamedTuple):
    """*segment* takes the place of ``*`` in the form's path; *path*, where given, that of the whole path."""

    segment: str
    value: Value
    path: str | None = None


MAX_THING_WORDS = 4
MAX_RULE_WORDS = 30

_STRANGE = re.compile(r"[\x00\[\]{}<>=|\\_@#*~^/]|https?:|www\.")
_WORD = re.compile(r"[^\W\d_][\w'’.-]*\Z")
_SMALL = frozenset(
    word
    for words in (
        "am an der den im in bei",
        "de del la las el los le les du sur y",
        "of the upon on",
        "di do da dos e",
        "van",
    )
    for word in words.split()
)
"""Words that are written small inside a proper name."""
_OF_CITIES = frozenset(
    word
    for words in (
        "new san los las santa saint st tel cape hong buenos kuala el la le salt fort port north south east west",
        "abu addis mexico kansas oklahoma belo sao são rio frankfurt bad ho den palo baden",
    )
    for word in words.split()
)
"""First words of cities of two, for messages without capitals."""
_APOSTROPHES = re.compile(r"(?<=\w)'(?=\w)")
_LONG_QUOTE = re.compile(r'"[^"\s]+\s+[^"\s]+\s+[^"\s]+\s[^"]*"')
"""Four words or more in quotation marks: somebody else's, inside a rule."""
_COUNTED = re.compile(r"^[一二两兩三四五六七八九十\d]+[个個位只隻条條匹名人]の?")
_EDGES = " \"'`,:-–—()"


def fill(kind: str, words: str, language: Language, sloppy: int) -> list[Filled] | None:
    """What *words* give in a gap of this *kind*, or None where they do not belong there.

    sloppy: see `sloppiness`; where it is not 0, nothing follows from the lack of a capital.
    """
    if _LONG_QUOTE.search(words):
        return None
    words = words.strip(_EDGES)
    if not words or (_STRANGE.search(words) and kind.rstrip("0123456789") not in _EXACT):
        return None
    try:
        return _KINDS[kind.rstrip("0123456789")](words, language, sloppy)
    except InvalidPath:
        return None


def segment(words: str) -> str:
    """The path segment for *words*: small letters, hyphens for spaces. Raises `InvalidPath` if nothing can be kept."""
    small = unicodedata.normalize("NFC", _APOSTROPHES.sub("", words).casefold())
    return re.sub("-{2,}", "-", segment_from(small))


def rule_segment(words: str, language: Language) -> str:
    """The segment for a rule: its content words. *Always* and *never* are left out, so that opposite rules meet."""
    kept = language.regex["filler"].sub(" ", words)
    if not re.search(r"\w", kept):
        kept = words
    return segment(" ".join(kept.split()))


def sloppiness(text: str) -> int:
    """How little its writer cares for capitals: 0 where there are some, 1 where only *I* has one (a keyboard did it),
    2 where there are none.
    """
    if any(one.isupper() for one in re.sub(r"\bI\b", "", text)):
        return 0
    return 1 if "I" in text else 2


def _things(words: str, language: Language, sloppy: int) -> list[Filled] | None:
    found: list[Filled] = []
    parts = _parts(words, language)
    head = language.regex["heads"].search(parts[-1].strip()) if len(parts) > 1 else None
    for part in parts:
        if head and part is not parts[-1] and len(part.split()) == 1 and not part.strip().endswith("s"):
            part = f"{part.strip()} {head.group()}"
        one = _thing(part, language, sloppy)
        if one is None:
            return None
        found.extend(one)
    return found or None


def _parts(words: str, language: Language) -> list[str]:
    """*words* as the things of a list."""
    return [part for part in language.regex["joints"].split(words) if part and part.strip()]


def _thing(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
    bare = _bare(words, language)
    if not bare or not any(one.isalpha() for one in bare):
        return None
    if language.regex["things"].search(bare) and not _is_title(bare, language):
        return None
    if language.spaced:
        if len(bare.split()) > MAX_THING_WORDS or len(bare) > 48:
            return None
    elif len(bare) > 16:
        return None
    return [Filled(segment(bare), bare)]


def _is_title(words: str, language: Language) -> bool:
    """Whether *words* are the name of a work or a band, in which any small word may stand: *Lord of the Rings*."""
    parts = words.split()
    great = [one for one in parts if one[0].isupper()]
    small = all(one[0].isupper() or one in _SMALL for one in parts)
    return language.spaced and small and len(great) > 1 and len(parts[0]) > 2


def _bare(words: str, language: Language) -> str:
    bare = words.strip(_EDGES)
    for _ in range(2):
        bare = language.regex["articles"].sub("", bare, count=1).strip(_EDGES)
    return bare


def _name(words: str, language: Language, sloppy: int) -> list[Filled] | None:
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
        elif not all(one[0].isupper() or one in _SMALL for one in parts) or parts[0] in _SMALL:
            return None
    elif len(words) > 12:
        return None
    return [Filled(segment(words), words)]


def _place(words: str, language: Language, sloppy: int) -> list[Filled] | None:
    whole = [part.strip(_EDGES) for part in words.split(",")]
    if len(whole) > 2 or not all(whole):
        return None
    found: list[Filled] = []
    for place, part in enumerate(whole):
        country = language.meaning("country", _bare(part, language))
        if country:
            found.append(Filled(segment(country), country, "home.country"))
            continue
        if place and len(part) <= 3:
            continue  # a state behind a city: Austin, TX
        city = _proper(part, language, sloppy)
        if city is None or place:
            return None
        found.append(Filled(segment(city), city))
    return found


def _proper(words: str, language: Language, sloppy: int) -> str | None:
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
        or parts[0].casefold() in _SMALL - {"la", "le", "los", "las", "el", "den", "san"}
    ):
        return None
    if sloppy:
        if len(parts) > 2 or not all(_WORD.match(one) for one in parts):
            return None
        if len(parts) == 2 and parts[0] not in _OF_CITIES:
            return None
        return " ".join(one if one in _SMALL else one.capitalize() for one in parts)
    return words if all(one[0].isupper() or one[0].isdigit() or one in _SMALL for one in parts) else None


def _moved(words: str, language: Language, sloppy: int) -> list[Filled] | None:
    """A place behind *moved to*, where other things may stand (*the kitchen*, *main*): with its capital, unless the
    message has none.
    """
    return _place(words, language, sloppy if sloppy == 2 else 0)


def _tool(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
    name = _proper(words, language, 0)
    return [Filled(segment(name), name)] if name else None


def _org(words: str, language: Language, sloppy: int) -> list[Filled] | None:
    bare = _bare(words, language)
    if language.meaning("not-place", bare):
        return None
    if bare != words:  # "a hospital", "the BBC"
        one = _thing(words, language, sloppy)
        return one and [Filled(one[0].segment, words)]
    name = _proper(re.sub(r"^the ", "", words, flags=re.IGNORECASE), language, sloppy)
    return [Filled(segment(name), name)] if name else None


def _role(words: str, language: Language, sloppy: int) -> list[Filled] | None:
    return _thing(words, language, sloppy)


def _job(words: str, language: Language, sloppy: int) -> list[Filled] | None:
    one = _thing(words, language, sloppy)
    if one is None:
        return None
    last = str(one[0].value).split()[-1]
    known = language.meaning("job", last) or any(
        bare_letters(last).endswith(bare_letters(job)) for job in language.lexicon["job"] if language.joins_words
    )
    return one if known else None


def _called(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
    """A name in a form that people also use for other things (*call me later*): with capitals only."""
    return _name(words, language, 0)


def _former(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
    """An employer that was left. *I left Berlin* is not told from it, so whoever ends memories compares the value."""
    return _org(words, language, 0)


def _allergens(words: str, language: Language, sloppy: int) -> list[Filled] | None:
    found = _things(words, language, sloppy)
    idle = found and any(language.meaning("not-allergen", str(one.value)) for one in found)
    return found if found and not idle else None


def _doing(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
    """What somebody does, of up to six words."""
    if len(words.split()) > 6 or language.regex["things"].search(words):
        return None
    return [Filled(segment(words), words)]


def _gerund(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
    """What somebody likes to do, of up to seven words, none of which points at what is at hand or at the hearer."""
    if len(words.split()) > 7 or language.regex["pointing"].search(words):
        return None
    return [Filled(segment(words), words)]


def _aim(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
    """What somebody is after, of up to twelve words, none of which points at what is at hand."""
    if len(words.split()) > 12 or language.regex["momentary"].search(words):
        return None
    return [Filled(rule_segment(words, language), words)]


def _choice(words: str, language: Language, sloppy: int) -> list[Filled] | None:
    """What was chosen: *the vegan one* is *vegan*."""
    bare = language.regex["chosen"].sub("", words).strip(_EDGES)
    short = len(words.split()) <= 2 if language.spaced else False
    return _thing(bare, language, sloppy) if bare and (bare != words or short) else None


def _kin(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
    """Relatives, each with how many: *a sister and two brothers*."""
    found: list[Filled] = []
    for part in _parts(words, language):
        relation = _last_known(part, language, "kin")
        if relation is None:
            return None
        found.append(Filled(segment(relation), _bare(part, language)))
    return found or None


def _animal(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
    found: list[Filled] = []
    for part in _parts(words, language):
        species = _last_known(part, language, "animal")
        if species is None:
            return None
        found.append(Filled(segment(species), species))
    return found or None


def _last_known(words: str, language: Language, kind: str) -> str | None:
    """The meaning of the last of up to three words, if the lexicon knows it."""
    bare = _bare(words, language)
    if not language.spaced:
        bare = _COUNTED.sub("", bare)
    whole = language.meaning(kind, bare)
    parts = bare.split()
    if whole or not language.spaced or not 1 < len(parts) <= 3 or language.regex["things"].search(bare):
        return whole
    return language.meaning(kind, parts[-1])


def _exact(words: str, _language: Language, _sloppy: int) -> list[Filled] | None:
    return [Filled(segment(words), words)]


def _number(words: str, _language: Language, _sloppy: int) -> list[Filled] | None:
    if not words.isascii() or not words.isdigit() or not 1 <= int(words[:4]) <= 120 or len(words) > 3:
        return None
    return [Filled(words, int(words))]


def _date(words: str, _language: Language, _sloppy: int) -> list[Filled] | None:
    if len(words) > 40 or not re.search(r"\d", words) or len(words.split()) > 5:
        return None
    return [Filled(segment(words), words)]


def _words(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
    if len(words.split()) > MAX_RULE_WORDS or language.regex["momentary"].search(words):
        return None
    return [Filled(rule_segment(words, language), words)]


def _note(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
    """What was to be remembered: something in particular (*the gate code*, *Anna*, *at five*), no saying."""
    if len(words.split()) > MAX_RULE_WORDS or (language.spaced and len(words.split()) < 3):
        return None
    if not language.regex["particular"].search(words) and not re.search(r"\d|(?<=\s)[A-ZÀ-ÖØ-Þ]", words):
        return None
    return [Filled(rule_segment(words, language), words)]


def _known(kind: str) -> Callable[[str, Language, int], list[Filled] | None]:
    """A gap for words of the lexicon, one or several."""

    def check(words: str, language: Language, _sloppy: int) -> list[Filled] | None:
        whole = language.meaning(kind, words)
        if whole is not None:
            return [Filled(segment(whole), whole)]
        found: list[Filled] = []
        for part in _parts(words, language):
            meaning = language.meaning(kind, _bare(part, language))
            if meaning is None:
                return None
            found.append(Filled(segment(meaning), meaning))
        return found or None

    return check


_KINDS: dict[str, Callable[[str, Language, int], list[Filled] | None]] = {
    "things": _things,
    "thing": _thing,
    "name": _name,
    "place": _place,
    "org": _org,
    "role": _role,
    "job": _job,
    "number": _number,
    "date": _date,
    "words": _words,
    "note": _note,
    "called": _called,
    "former": _former,
    "moved": _moved,
    "tool": _tool,
    "allergens": _allergens,
    "doing": _doing,
    "choice": _choice,
    "aim": _aim,
    "gerund": _gerund,
    "kin": _kin,
    "animal": _animal,
    "pronouns": _exact,
    "address": _exact,
    "zone": _exact,
    **{kind: _known(kind) for kind in ("diet", "language", "country", "health", "belief", "nation", "manner")},
}  # fmt: skip

_EXACT = frozenset({"pronouns", "address", "zone"})
"""Gaps whose forms spell out what may stand in them."""
