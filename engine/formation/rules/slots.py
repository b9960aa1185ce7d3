"""What may stand in the gaps of forms, by the names of the groups that mark them.

A gap is strict, because a form alone is not: *I love cilantro* is a preference, *I love how it shows the light* is
talk. What does not look like the kind of thing that belongs there makes the whole form void.
"""

from __future__ import annotations

import re

from vademecum.errors import InvalidPath

from . import names, things
from .gaps import EDGES, Fill, Filled, segment
from .grammar import Language

__all__ = ["fill", "segment"]

_STRANGE = re.compile(r"[\x00\[\]{}<>=|\\@*~^]|https?:|www\.")
_FREE_STRANGE = re.compile(r"[\x00\[\]{}<>]")
_LONG_QUOTE = re.compile(r'"[^"\s]+\s+[^"\s]+\s+[^"\s]+\s[^"]*"')
"""Four words or more in quotation marks: somebody else's, inside a rule."""


def fill(kind: str, words: str, language: Language, sloppy: int) -> list[Filled] | None:
    """What *words* give in a gap of this *kind* (a digit at its end does not count), or None where they do not belong
    there.

    sloppy: see `sloppiness`; where it is not 0, nothing follows from the lack of a capital.
    """
    if _LONG_QUOTE.search(words):
        return None
    kind = kind.rstrip("0123456789")
    words = words.strip(EDGES)
    strange = _FREE_STRANGE if kind in _FREE else _STRANGE
    if not words or strange.search(words):
        return None
    try:
        return _KINDS[kind](words, language, sloppy)
    except InvalidPath:
        return None


_KNOWN = ("diet", "language", "health", "belief", "nation", "manner", "habit", "status", "country")
"""Gaps for words that the lexicon knows."""
_KINDS: dict[str, Fill] = {
    "things": things.fill_things,
    "thing": things.fill_thing,
    "fact": things.fill_fact,
    "named": things.fill_named,
    "role": things.fill_thing,
    "allergens": things.fill_allergens,
    "doing": things.fill_doing,
    "gerund": things.fill_gerund,
    "aim": things.fill_aim,
    "choice": things.fill_choice,
    "kin": things.fill_kin,
    "animal": things.fill_animal,
    "words": things.fill_words,
    "note": things.fill_note,
    **{kind: things.fill_known(kind) for kind in _KNOWN},
    "name": names.fill_name,
    "called": names.fill_called,
    "place": names.fill_place,
    "moved": names.fill_moved,
    "org": names.fill_org,
    "former": names.fill_former,
    "tool": names.fill_tool,
    "job": names.fill_job,
    "number": names.fill_number,
    "date": names.fill_date,
    "pronouns": names.fill_exact,
    "address": names.fill_exact,
    "zone": names.fill_exact,
}
_FREE = frozenset({"pronouns", "address", "zone", "words", "note"})
"""Gaps whose forms spell out what may stand in them, or in which people write what they like."""
