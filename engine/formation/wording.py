"""When two texts or values say the same, letter by letter: white space and composition of characters never matter.

Pure. What two texts *mean* is a matter of embeddings and of the judge; here only their letters and words are compared.
"""

from __future__ import annotations

import json
import unicodedata

from ..values import Value

__all__ = ["normal_value", "one_line", "same_value", "stands_in"]

_EDGES = " \t.,;:!?¡¿\"'“”‘’„«»()[]。，！？、；：「」『』…"


def one_line(text: str) -> str:
    """*text* in NFC, all white space as single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def stands_in(quote: str, text: str) -> bool:
    """Whether *quote* stands in *text* word for word. An empty quote stands nowhere."""
    wanted = one_line(quote)
    return bool(wanted) and wanted in one_line(text)


def normal_value(value: Value) -> str:
    """One text for all values that say the same: case, edges and white space do not count, nor does ``3.0`` for ``3``,
    nor the order of a list, nor a list around one thing.
    """
    if isinstance(value, str):
        return one_line(value).casefold().strip(_EDGES)
    if isinstance(value, list):
        parts = sorted({normal_value(item) for item in value})
        return parts[0] if len(parts) == 1 else json.dumps(parts, ensure_ascii=False)
    if isinstance(value, dict):
        return json.dumps({key: normal_value(item) for key, item in sorted(value.items())}, ensure_ascii=False)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value)


def same_value(one: Value, other: Value) -> bool:
    return normal_value(one) == normal_value(other)
