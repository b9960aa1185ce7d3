"""What a gap of a form gives, and the words of it that all kinds of gaps share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from ...paths import segment_from
from ...values import Value
from .grammar import Language

__all__ = [
    "EDGES",
    "SMALL",
    "Fill",
    "Filled",
    "bare_of",
    "parts_of",
    "rule_segment",
    "segment",
    "sloppiness",
]

EDGES = " \"'`,:-–—()"
"""What is taken off the ends of the words in a gap."""
SMALL = frozenset(
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
_APOSTROPHES = re.compile(r"(?<=\w)'(?=\w)")


class Filled(NamedTuple):
    """*segment* takes the place of ``*`` in the form's path; *path*, where given, that of the whole path. *words* are
    those of the gap that say this one of several.
    """

    segment: str
    value: Value
    path: str | None = None
    words: str | None = None


Fill: TypeAlias = Callable[[str, Language, int], list[Filled] | None]
"""From the words in a gap, the language and its sloppiness, to what they give; None where they do not belong there."""


def segment(words: str) -> str:
    """The path segment for *words*: small letters, hyphens for spaces. Raises `InvalidPath` if nothing can be kept."""
    words = words.replace("+", "-plus").replace("#", "-sharp")  # C, C++ and C# are three things
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


def parts_of(words: str, language: Language) -> list[str]:
    """*words* as the things of a list."""
    return [part for part in language.regex["joints"].split(words) if part and part.strip()]


def bare_of(words: str, language: Language) -> str:
    bare = words.strip(EDGES)
    for _ in range(2):
        bare = language.regex["articles"].sub("", bare, count=1).strip(EDGES)
    return bare
