"""A summary that only quotes: whole sentences that were said, chosen by rule, each with who said it.

Sentences of the person count most, then those that hold what the conversation often speaks of. What tools gave back
is not quoted: it is long, it is stale, and it was said by nobody. Works in any language that ends its sentences.
"""

from __future__ import annotations

import json
import re
from collections import Counter as Tally
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .messages import PERSON, SessionMessage

__all__ = ["extract", "sentences_of"]

_SENTENCE = re.compile(r".+?(?:[.!?…]+[\"'”’»)\]]*(?=\s|$)|[。！？]+[”’」』）]*|$)")
_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}|[^\W\d_]{3,}")
_LONGEST = 320
"""Characters in a sentence that is quoted; a longer one is no sentence."""
_MOST = 4000
"""Sentences that are weighed, the newest: more would take long and say little."""


class _Sentence(NamedTuple):
    place: int
    role: str
    text: str
    words: tuple[str, ...]


def extract(messages: Sequence[SessionMessage], max_tokens: int, counter: Callable[[str], int]) -> str:
    """Lines ``- user: "…"`` in the order in which they were said, of at most *max_tokens*; "" if none fits. O(text)."""
    found: list[_Sentence] = []
    for message in messages:
        if message.role not in ("tool", "system"):
            speaker = " ".join(message.role.split())  # where it was imported, any text
            for text in sentences_of(message.text):
                found.append(_Sentence(len(found), speaker, text, tuple(_WORDS.findall(text.lower()))))
    found = found[-_MOST:]
    often = Tally(word for sentence in found for word in set(sentence.words))
    ranked = sorted(found, key=lambda one: (-_weight(one, often), one.place))
    chosen: list[_Sentence] = []
    seen: set[str] = set()
    left = max_tokens
    for one in ranked:
        cost = counter(_line(one) + "\n")
        if one.text in seen or cost > left:
            continue
        chosen.append(one)
        seen.add(one.text)
        left -= cost
    lines = [_line(one) for one in sorted(chosen)]
    while lines and counter("\n".join(lines)) > max_tokens:
        lines.pop(0)
    return "\n".join(lines)


def sentences_of(text: str) -> list[str]:
    """The sentences of *text*, each a part of it as it stands."""
    found = (piece.strip() for line in text.split("\n") for piece in _SENTENCE.findall(line))
    return [piece for piece in found if 2 <= len(piece) <= _LONGEST]


def _weight(sentence: _Sentence, often: Tally[str]) -> float:
    shared = sum(often[word] - 1 for word in set(sentence.words))
    spoken = (1 + shared / (4 + len(sentence.words))) * (2.0 if sentence.role == PERSON else 1.0)
    return spoken * min(1.0, len(sentence.words) / 3)


def _line(sentence: _Sentence) -> str:
    return f"- {sentence.role}: {json.dumps(sentence.text, ensure_ascii=False)}"
