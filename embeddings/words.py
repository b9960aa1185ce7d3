"""How text becomes the words of the text index, and a question the words to look for. No I/O.

SQLite's own tokenisers keep a run of Chinese as one word, so that nothing is found in it, lose an ASCII id glued to
one, and split Hindi at its vowel signs. So the words are made here and handed over separated by spaces:

- folded: NFKC, case, diacritics (``Müller`` and ``muller`` are one word; ``ß`` is ``ss``);
- scripts written without spaces, and Korean, as overlapping pairs of characters, with the last character of a run
  by itself, so that *every* character begins some word and a question of one character is a prefix;
- ids and compounds in their parts: ``gen-itgc`` is ``gen``, ``itgc`` and ``genitgc``; ``getUserName2`` is itself and
  ``get``, ``user``, ``name``, ``2``;
- each emoji and pictograph as a word.

English stemming is left to FTS5, which does it in C to what it is given.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from vademecum.embeddings.stopwords import STOP_WORDS

__all__ = ["MAX_CHARACTERS", "MAX_QUERY_WORDS", "Word", "query_words", "text_words"]

MAX_CHARACTERS = 262_144
"""A text is indexed up to here: four times the largest value that a leaf may hold."""
MAX_QUERY_WORDS = 48
"""A longer question is cut to its first so many distinct words; the cost of a search grows with them."""

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"  # Han and kana
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"  # Hangul syllables, more Han
)
MARKS = (  # combining signs, which Python's \w leaves out although words of these scripts are full of them
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u0711\u0730-\u074a\u0900-\u0963\u0966-\u0dff\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
)
FOLDED_MARKS = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]+")
"""Accents, Hebrew points and Arabic vowel signs: what people leave out when they type."""
UNDECOMPOSED = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe"}
)

LETTER = f"(?:[^\\W_{UNSPACED}]|[{MARKS}])"
RUN = re.compile(
    f"(?P<unspaced>[{UNSPACED}]+)"
    f"|(?P<compound>{LETTER}+(?:['’_-]{LETTER}+)*)"
    "|(?P<picture>[\u2190-\u21ff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001f3fa\U0001f400-\U0001faff])"
)
PARTS = re.compile(r"['’_-]")
HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
CONTRACTED = frozenset({"s", "t", "d", "m", "re", "ve", "ll"})
"""What follows an apostrophe in English and says nothing by itself."""

Word = tuple[str, bool]
"""A word to look for, and whether it is only the beginning of one."""


def text_words(text: str) -> str:
    """The words of ``text`` in order, separated by single spaces; letters, digits, marks and pictographs only."""
    return " ".join(word for word, _ in _words(text))


def query_words(text: str) -> list[Word]:
    """The distinct words of a question, at most `MAX_QUERY_WORDS`, without those that every English sentence has.

    A question of nothing else (``who am I``) keeps them. An empty list means that nothing can match.
    """
    words = list(dict.fromkeys(_words(text, asking=True)))
    telling = [word for word in words if word[0] not in STOP_WORDS]
    return (telling or words)[:MAX_QUERY_WORDS]


def _words(text: str, *, asking: bool = False) -> Iterator[Word]:
    for match in RUN.finditer(_unaccented(text[:MAX_CHARACTERS])):
        run = match.group()
        match match.lastgroup:
            case "unspaced":
                yield from ((run[at : at + 2], False) for at in range(len(run) - 1))
                if not asking or len(run) == 1:
                    yield run[-1], asking
            case "compound":
                yield from ((word, False) for word in _compound(run))
            case _:
                yield run, False


def _unaccented(text: str) -> str:
    if text.isascii():
        return text
    # NFKD takes the accents off their letters, and Hangul and kana apart; NFC puts together what was not removed.
    apart = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", FOLDED_MARKS.sub("", apart)).translate(UNDECOMPOSED)


def _compound(run: str) -> Iterator[str]:
    parts = [run] if run.isalnum() else PARTS.split(run)
    if len(parts) > 1:
        if len(parts) == 2 and parts[1].casefold() == "t":  # don't: one word, and no "don"
            yield "".join(parts).casefold()
            return
        parts = [parts[0], *(part for part in parts[1:] if part.casefold() not in CONTRACTED)]
    for part in parts:
        yield part.casefold()
        if part.isascii() and not (part.isalpha() and (part.islower() or part.isupper() or part.istitle())):
            humps = HUMPS.findall(part)
            if len(humps) > 1:
                yield from (hump.lower() for hump in humps if len(hump) > 1 or hump.isdigit())
    if 1 < len(parts) <= 3 and "'" not in run and "’" not in run:
        yield "".join(parts).casefold()
