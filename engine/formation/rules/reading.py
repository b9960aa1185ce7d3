"""A message as sentences: where each begins and ends in the recorded text, with what is not the person's own hidden.

Nothing here knows a language. Two texts of equal length stand beside each other: ``text``, the message with typographic
variants made plain, and ``shape``, the same with everything quoted or in code blanked out, in which sentences are
looked for. Places in them are translated back, so that what is quoted as a receipt is the recorded text, byte for byte.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["MAX_MESSAGE", "MAX_SENTENCE", "Folded", "Sentence", "fold", "sentences"]

MAX_MESSAGE = 4_000
"""Characters. A longer message is pasted text far more often than something said."""
MAX_SENTENCE = 400
"""Characters. Nobody says what they are in a longer sentence; it also bounds the work of every pattern."""

_PLAIN = {ord(one): "'" for one in "’‘‛ʼ´＇"}
_PLAIN |= {ord(one): '"' for one in "“”„‟«»「」『』〝〞＂❝❞"}
_PLAIN |= {ord(one): " " for one in "\t\u00a0\u2002\u2003\u2009\u202f\u3000"}
_PLAIN |= {
    code: chr(code - 0xFEE0) for code in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))
}
_PLAIN |= {
    0xFF01: "!",
    0xFF1F: "?",
    0xFF1A: ":",
    0xFF1B: ";",
    0xFF08: "(",
    0xFF09: ")",
    0xFF61: "。",
    0x2028: "\n",
    13: "\n",
}

_FENCE = re.compile(r"^ *(?:```|~~~)")
_MAIL = re.compile(
    r"^ *(?:-{2,} ?(?:original|forwarded|urspr|weiterg|mensaje|message)|(?:from|sent|subject|von|gesendet|betreff|de|"
    r"enviado|asunto|objet|envoy[ée]|发件人|寄件者|差出人|件名|主题|主旨) ?:|"
    r"on .{4,80} wrote:$|am .{4,80} schrieb|el .{4,80} escribió:$|"
    r"le .{4,80} a écrit)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"^ *(?:>|\|)")
_ITEM = re.compile(r"^ *(?:[-*•·▪–]|\(?\d{1,2}[.)]|[a-z]\)) +|^ *#{1,6} ")
_SPEAKER = re.compile(r"^ *[\[(]?[^\W\d_][\w .-]{0,24}[\])]? ?(?:\([^)]{0,20}\))? ?: ")
_END = re.compile(r"[.!?…]+[\"')\]]*(?=\s|$|[^\x00-\u02ff])|[。]+|[!?]+|\n+|;")
_ABBREVIATED = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|st|prof|vs|etc|bzw|usw|ca|nr|sr|sra|mme|jr|approx|inkl|ggf|tel)|\b[^\W\d_])\Z", re.I
)
_MONTH = re.compile(r" (?:jan|feb|mär|mrz|apr|mai|jun|jul|aug|sep|okt|nov|dez|\d{1,2}\.)", re.IGNORECASE)
_SPACES = re.compile(r"\s+")


class Folded(NamedTuple):
    """``places[i]`` is where character *i* of ``text`` stands in the recorded text; None where they are equal."""

    source: str
    text: str
    shape: str
    places: tuple[int, ...] | None

    def quote(self, start: int, end: int) -> str:
        """The recorded words between two places of ``text``."""
        if self.places is None:
            return self.source[start:end]
        return self.source[self.places[start] : self.places[end]]


class Sentence(NamedTuple):
    """``end`` is where its words end, ``mark`` what stands behind them (``?``, ``.``, …, or nothing)."""

    start: int
    end: int
    mark: str


def fold(source: str) -> Folded:
    """*source* in NFC, with typographic variants of quotation marks, spaces and letters made plain. O(n)."""
    text, places = _composed(source)
    text = text.translate(_PLAIN)
    return Folded(source, text, _hidden(text), places)


def sentences(folded: Folded) -> Iterator[Sentence]:
    """The sentences of *folded*, in order; those that are hidden, or longer than `MAX_SENTENCE`, are left out."""
    start = 0
    shape = folded.shape
    for found in _END.finditer(shape):
        mark = found.group()
        if mark == "." and _goes_on(shape, start, found):
            continue
        yield from _sentence(shape, start, found.start(), mark)
        start = found.end()
    yield from _sentence(shape, start, len(shape), "")


def _goes_on(shape: str, start: int, stop: re.Match[str]) -> bool:
    """Whether the full stop belongs to an abbreviation or to a day of a month (*5. Mai*)."""
    if _ABBREVIATED.search(shape, max(start, stop.start() - 8), stop.start()):
        return True
    return shape[stop.start() - 1 : stop.start()].isdigit() and _MONTH.match(shape, stop.end()) is not None


def _sentence(shape: str, start: int, end: int, mark: str) -> Iterator[Sentence]:
    while start < end and shape[start].isspace():
        start += 1
    while start < end and shape[end - 1].isspace():
        end -= 1
    if 1 < end - start <= MAX_SENTENCE:
        yield Sentence(start, end, mark.strip())


def _composed(source: str) -> tuple[str, tuple[int, ...] | None]:
    if unicodedata.is_normalized("NFC", source):
        return source, None
    parts: list[str] = []
    places: list[int] = []
    start = 0
    for end in range(1, len(source) + 1):
        if end < len(source) and unicodedata.combining(source[end]):
            continue
        cluster = unicodedata.normalize("NFC", source[start:end])
        parts.append(cluster)
        places.extend([start] * len(cluster))
        start = end
    return "".join(parts), (*places, len(source))


def _hidden(text: str) -> str:
    """*text* with what is quoted, pasted or code replaced by ``\\x00``, places kept."""
    lines = text.split("\n")
    fenced = pasted = False
    speakers = sum(1 for line in lines if _SPEAKER.match(line)) if len(lines) > 1 else 0
    shown: list[str] = []
    for line in lines:
        fence = bool(_FENCE.match(line))
        pasted = pasted or bool(_MAIL.match(line))
        if fence:
            fenced = not fenced
        talk = speakers > 1 and _SPEAKER.match(line)
        if fence or fenced or pasted or talk or _QUOTED.match(line) or _ITEM.match(line) or line.startswith("    "):
            shown.append("\x00" * len(line))
        else:
            shown.append(_without_quotes(line))
    return "\n".join(shown)


def _without_quotes(line: str) -> str:
    if '"' not in line and "`" not in line:
        return line
    inside = ""
    out: list[str] = []
    for one in line:
        if inside:
            out.append("\x00")
            if one == inside:
                inside = ""
        elif one in '"`':
            inside = one
            out.append("\x00")
        else:
            out.append(one)
    return "".join(out)


def plain(words: str) -> str:
    """*words* on one line, with single spaces."""
    return _SPACES.sub(" ", words).strip()
