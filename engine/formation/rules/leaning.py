"""Corrections that name no attribute: *no, actually it's Berlin* says something only beside what is known.

It is taken only if exactly one known memory of one value fits: its value is of the same sort as the new one and is not
that already. Where several would fit, the message before it may decide, by holding the value of exactly one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ...values import Value
from ..attributes import attribute_of, is_single
from ..candidates import Known
from .gaps import Filled
from .grammar import Language
from .slots import fill

__all__ = ["Leaning", "Place", "lean", "place_of"]


class Leaning(NamedTuple):
    path: str
    value: Value


_LETTER = r"[^\W\u3040-\u9fff]"
"""A letter of a script that puts spaces between words."""
_IDLE = frozenset(
    [
        "thanks",
        "thank you",
        "please",
        "sure",
        "never",
        "later",
        "wait",
        "stop",
        "cancel",
        "danke",
        "bitte",
        "nein danke",
        "gracias",
        "por favor",
        "merci",
        "谢谢",
        "謝謝",
        "大丈夫",
        "結構",
        "ありがとう",
    ]
)
"""What people say behind *no* without correcting anything; *no* is a word of more than one language."""
_SORTS = {
    "name": "name",
    "nickname": "name",
    "age": "number",
    "birthday": "date",
    "nationality": "nation",
    "home.city": "place",
    "home.country": "country",
    "work.employer": "org",
    "work.role": "job",
    "diet": "diet",
}
"""What may replace the value of an attribute; of others, any thing."""


def lean(words: str, before: str, known: Sequence[Known], language: Language, sure: bool) -> Leaning | None:
    """The memory that *words* correct, and its new value; None unless exactly one fits.

    before: the text of the message before.
    sure: whether the words correct by themselves (*No, it's Berlin*). Where they do not (*It's Berlin*; *No, Berlin*),
        or where anything might be the new value, *before* has to hold the old one.
    """
    if words.strip(" .!").casefold() in _IDLE:
        return None
    fitting: dict[str, tuple[Leaning, Known]] = {}
    for one in known:
        found = _fits(words, one, language)
        if found is not None:
            fitting[one.path] = (found, one)
    if len(fitting) > 1 or not sure or any(path not in _SORTS for path in fitting):
        fitting = {path: pair for path, pair in fitting.items() if _mentions(before, pair[1].value)}
    if len(fitting) != 1:
        return None
    return next(iter(fitting.values()))[0]


class Place(NamedTuple):
    path: str
    value: Value
    single: bool


def place_of(thing: Filled, known: Sequence[Known]) -> list[Place]:
    """Where *thing* is known: as the value of an attribute of one value, or as a leaf of one of many."""
    found: dict[str, Place] = {}
    for one in known:
        attribute = attribute_of(one.path)
        if attribute is None:
            continue
        if not attribute.many and _same(one.value, thing.value):
            found[one.path] = Place(one.path, one.value, True)
        elif attribute.many and one.path.rpartition(".")[2] == thing.segment:
            found[one.path] = Place(one.path, one.value, False)
    return list(found.values())


def _fits(words: str, known: Known, language: Language) -> Leaning | None:
    attribute = attribute_of(known.path)
    if attribute is None or attribute.many or not is_single(known.path) or known.value is None:
        return None
    sort = _SORTS.get(known.path, "thing")
    if sort in ("nation", "country", "diet") and sort not in language.lexicon:
        return None
    filled = fill(sort, words, language, sloppy=0)
    if filled is None or len(filled) != 1:
        return None
    one: Filled = filled[0]
    path = one.path or known.path
    if path != known.path or _same(one.value, known.value):
        return None
    return Leaning(path, one.value)


def _same(one: Value, other: Value) -> bool:
    return str(one).casefold() == str(other).casefold()


def _mentions(text: str, value: Value) -> bool:
    return re.search(rf"(?<!{_LETTER}){re.escape(str(value))}(?!{_LETTER})", text, re.IGNORECASE) is not None
