"""How lexicons are written down: short tables of words and what they mean."""

from __future__ import annotations

import unicodedata

__all__ = ["bare_letters", "meanings", "same"]


def same(words: str) -> dict[str, str]:
    """Each of *words* (separated by ``|``) as its own meaning."""
    return {word.casefold(): word for word in words.split("|")}


def meanings(table: str) -> dict[str, str]:
    """*table* is ``word|word=meaning; word=meaning``, over any number of lines."""
    found: dict[str, str] = {}
    for entry in table.replace("\n", " ").split(";"):
        words, _, meaning = entry.strip().partition("=")
        for word in words.split("|"):
            if word.strip():
                found[word.strip().casefold()] = meaning.strip()
    return found


def bare_letters(word: str) -> str:
    """*word* in small letters without accents, as people type it who have no key for them."""
    folded = word.casefold()
    if folded.isascii():
        return folded
    return "".join(one for one in unicodedata.normalize("NFD", folded) if not unicodedata.combining(one))
