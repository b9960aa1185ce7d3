"""Whom a question names, and what of it the sentence model is asked. Pure: text in, text out."""

from __future__ import annotations

import re
from collections.abc import Collection

from vademecum.embeddings.stopwords import STOP_WORDS

__all__ = ["is_named", "meaning_query", "name_words"]

_WORD = re.compile(r"(?P<word>\w+)(?P<possessive>['’]s\b)?")


def name_words(query: str) -> set[str]:
    """Words of *query* that may be somebody's name: those that begin with a capital.

    In a question without any capital, all but words that every English sentence has: people type in a hurry.
    """
    words = {match["word"] for match in _WORD.finditer(query)}
    capital = {word for word in words if word[0].isupper()}
    if capital:
        return capital
    return {word for word in words if not word.isdigit() and word.casefold() not in STOP_WORDS}


def is_named(name: str, query: str, words: Collection[str]) -> bool:
    """Whether *query*, whose possible names are *words*, names the person called *name*, by any word of the name.

    A name in a script without capitals, which may be one without spaces, too, is looked for as it stands.
    """
    parts = _WORD.findall(name)
    if not parts:
        return False
    if name.casefold() == name.upper():
        return name in query
    folded = {word.casefold() for word in words}
    return any(part.casefold() in folded for part, _ in parts if len(part) > 1)


def meaning_query(query: str, known_names: Collection[str]) -> str:
    """``query`` without the names of people that the vault knows, for the sentence model only.

    In a question such as *What did Caroline research?* the name outweighs all else: the nearest vectors are whatever
    else Caroline said. The text index, which weighs a word by its rarity, keeps the name. Only words that may be names
    (`name_words`) are taken out, so that *mark* and *will* stay; a question of nothing but names is given back as it
    is. ``known_names`` are single words, in any case.
    """
    names = {name.casefold() for name in known_names}
    possible = name_words(query)

    def unless_name(match: re.Match[str]) -> str:
        word = match["word"]
        return "" if word in possible and word.casefold() in names else match.group()

    remaining = " ".join(_WORD.sub(unless_name, query).split())
    return remaining if re.search(r"\w", remaining) else query
