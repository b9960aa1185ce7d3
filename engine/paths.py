"""Dotted paths: where a leaf lives in the tree of its scope."""

from __future__ import annotations

import re
import unicodedata

from vademecum.errors import InvalidPath

__all__ = ["MAX_BYTES", "MAX_SEGMENT", "MAX_SEGMENTS", "is_path", "parse_path", "segment_from"]

MAX_SEGMENTS = 16
MAX_SEGMENT = 64
"""Characters in one segment."""
MAX_BYTES = 400
"""Bytes of UTF-8 in a whole path; LMDB's keys end at 511 and hold more than the path."""

# \w is Unicode letters, digits and the underscore; a segment may not begin with the latter.
_SEGMENT = re.compile(r"(?!_)[\w-]{1,64}\Z")
_PLAIN = re.compile(r"[A-Za-z0-9-][\w-]{0,63}(?:\.[A-Za-z0-9-][\w-]{0,63}){0,15}\Z", re.ASCII)
_UNFIT = re.compile(r"[^\w-]+")


def parse_path(path: str) -> str:
    """*path* in its one canonical form (NFC). Raises `InvalidPath`, naming the segment and the rule.

    1–16 segments joined by ``.``, each 1–64 Unicode letters, digits, ``_`` or ``-`` and not beginning with ``_``; at
    most 400 bytes of UTF-8.
    """
    if not isinstance(path, str):
        raise InvalidPath(f"A path is text, such as 'diet.allergies'; this is {type(path).__name__}.")
    canonical = unicodedata.normalize("NFC", path)
    segments = canonical.split(".")
    if len(segments) > MAX_SEGMENTS:
        raise InvalidPath(f"The path {_shown(path)} has {len(segments)} segments; at most {MAX_SEGMENTS} are allowed.")
    for segment in segments:
        if not _SEGMENT.match(segment):
            raise InvalidPath(f"The path {_shown(path)} is not valid: {_reason(segment)}")
    try:
        size = len(canonical.encode())
    except UnicodeEncodeError:
        raise InvalidPath(f"The path {_shown(path)} is not valid Unicode text.") from None
    if size > MAX_BYTES:
        raise InvalidPath(f"The path {_shown(path)} takes {size} bytes; at most {MAX_BYTES} are allowed.")
    return canonical


def is_path(text: str) -> bool:
    """Whether *text* is a path in its canonical form. Under a microsecond for most."""
    if _PLAIN.match(text):
        return len(text) <= MAX_BYTES
    try:
        return parse_path(text) == text
    except InvalidPath:
        return False


def segment_from(text: str) -> str:
    """A valid segment that resembles *text*: for importers, whose names come from elsewhere.

    Raises `InvalidPath` if nothing of *text* can be kept.
    """
    kept = _UNFIT.sub("-", unicodedata.normalize("NFC", text)).strip("-_")[:MAX_SEGMENT].rstrip("-")
    if not kept:
        raise InvalidPath(f"No path segment can be made of {_shown(text)}: it has no letter or digit.")
    return kept


def _reason(segment: str) -> str:
    if not segment:
        return "a segment between dots is empty."
    if segment.startswith("_"):
        return f"the segment {_shown(segment)} begins with '_'."
    if len(segment) > MAX_SEGMENT:
        return f"the segment {_shown(segment)} has {len(segment)} characters; at most {MAX_SEGMENT} are allowed."
    return f"the segment {_shown(segment)} may hold only letters, digits, '_' and '-'."


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "…")
