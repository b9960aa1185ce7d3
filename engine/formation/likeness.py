"""How alike two texts are by their words, where no model can say it. Pure."""

from __future__ import annotations

from vademecum.embeddings.stopwords import STOP_WORDS
from vademecum.embeddings.words import text_words

from .wording import one_line

_FILLERS = frozenset({"a", "again", "also", "an", "ever", "just", "please", "really", "so", "the", "too", "well"})

__all__ = ["content_words", "same_words"]


def content_words(text: str) -> frozenset[str]:
    """The words of *text* that say something, folded as the text index folds them; all of them where none does."""
    words = text_words(one_line(text)).split()
    return frozenset(word for word in words if word not in STOP_WORDS) or frozenset(words)


def same_words(one: str, other: str) -> bool:
    """Whether both have the same words in the same order, *not* and *never* included, fillers such as *please* left
    out.
    """
    return _telling(one) == _telling(other)


def _telling(text: str) -> list[str]:
    words = text_words(one_line(text)).split()
    return [word for word in words if word not in _FILLERS] or words
