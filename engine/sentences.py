"""How a leaf reads in words: for the person, for the indexes and for the model."""

from __future__ import annotations

import json
import re

from .values import Value

__all__ = ["path_words", "sentence", "show_value"]

_GLUE = re.compile(r"[._-]+")
_OWN_SENTENCE = 4
"""Words from which a text says by itself what it is about."""


def sentence(path: str, value: Value) -> str:
    """*value* in words: a text of several words stands for itself, anything else follows the words of its path.

    >>> sentence("dietary_preference", ["vegetarian"])
    'dietary preference: vegetarian'
    """
    shown = show_value(value)
    if isinstance(value, str) and len(value.split()) >= _OWN_SENTENCE:
        return shown
    return f"{path_words(path)}: {shown}"


def path_words(path: str) -> str:
    """The words of a path: ``tried.restaurants`` → ``tried restaurants``."""
    return _GLUE.sub(" ", path).strip()


def show_value(value: Value) -> str:
    """*value* on one line as a person would write it: lists with commas, no quotes around text."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, list):
        return ", ".join(show_value(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{key} {show_value(item)}" for key, item in value.items())
    return json.dumps(value)
