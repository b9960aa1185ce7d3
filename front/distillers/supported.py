"""Whether quoted words name what a model reads out of them. Pure.

A model can quote a message letter by letter and claim what is not in it: *What's for lunch?*, so they are vegan. No
rule can tell whether a sentence means something, but it can see that neither the value nor the thing is mentioned at
all. Then what the model says is a sign, and no more: three of them in two conversations make a memory.

A word mentions another if their first four letters are the same, accents aside (*végétarienne*, ``vegetarian``), or all
letters of the shorter, if it has three. Of scripts without spaces two characters in a row count. Where quote and value
are in different scripts nothing can be seen, and the model is believed: 我吃素 is ``vegetarian``.
"""

from __future__ import annotations

import re
import unicodedata

from vademecum.engine.formation.attributes import attribute_of
from vademecum.engine.values import Value

__all__ = ["is_supported"]

_WORD = re.compile(r"\w+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
_STEM = 4
_SHORTEST = 3


def is_supported(path: str, value: Value, quote: str) -> bool:
    """Whether *quote* names *value*, or the thing at the end of *path*."""
    attribute = attribute_of(path)
    above = "" if attribute is None else attribute.path
    names = path[len(above) + 1 :].replace(".", " ").replace("-", " ")
    told = "" if value is None or isinstance(value, bool) or above == "preferences" else str(value)
    words = _words(quote)
    claimed = _words(f"{names} {told}")
    if not claimed:
        return False
    if not any(_UNSPACED.search(one) for one in claimed) and all(_UNSPACED.search(one) for one in words):
        return True
    return any(_mentions(one, other) for one in words for other in claimed)


def _words(text: str) -> list[str]:
    plain = "".join(one for one in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(one))
    plain = unicodedata.normalize("NFC", plain)
    found = []
    for word in _WORD.findall(plain):
        for run in _UNSPACED.findall(word):
            found += [run[place : place + 2] for place in range(max(1, len(run) - 1))]
        found += [part for part in _UNSPACED.split(word) if part]
    return found


def _mentions(one: str, other: str) -> bool:
    if one == other:
        return True
    shared = min(_STEM, len(one), len(other))
    return shared >= _SHORTEST and one[:shared] == other[:shared]
