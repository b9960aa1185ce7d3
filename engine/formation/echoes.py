"""What the memory itself put into a transcript is not learned from it.

Whoever hands memory to an agent notes the lines (`shown.Shown.note`), and a line of a message that repeats one of them
word for word counts as not said. Blocks of memory stand between `FRAME_BEGIN` and `FRAME_END`, and go as a whole; so do
code fences and lines quoted with ``>``, which are somebody else's words more often than not. What is left are the
person's *own words*.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .shown import Span, line_hashes

__all__ = ["FRAME_BEGIN", "FRAME_END", "framed", "own_words"]

FRAME_BEGIN = "<vademecum-memory>"
FRAME_END = "</vademecum-memory>"

_FRAMES = re.compile(f"{re.escape(FRAME_BEGIN)}.*?(?:{re.escape(FRAME_END)}|\\Z)", re.DOTALL | re.IGNORECASE)
_MARKS = re.compile(f"{re.escape(FRAME_BEGIN)}|{re.escape(FRAME_END)}", re.IGNORECASE)
_FENCES = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_QUOTED = re.compile(r"^[ \t]*>")


def framed(text: str) -> str:
    """*text* as a block of memory that is handed to an agent. Marks inside of it are taken out."""
    inner = _MARKS.sub(" ", text)  # a space, lest what stood around one make another
    return f"{FRAME_BEGIN}\n{inner}\n{FRAME_END}"


def own_words(text: str, shown: Mapping[bytes, Span], logged_ms: int) -> str:
    """*text*, logged at *logged_ms*, without blocks of memory, fences, quoted lines, and lines that were *shown* not
    long before (see `shown.shown_lines`).
    """

    def is_echo(line: str) -> bool:
        return any(hashed in shown and shown[hashed].covers(logged_ms) for hashed in line_hashes(line))

    left = _FENCES.sub("\n", _FRAMES.sub("\n", text))
    return "\n".join(line for line in left.splitlines() if not _QUOTED.match(line) and not is_echo(line)).strip()
