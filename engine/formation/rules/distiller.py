"""The rule distiller: messages in, candidates out. No model, no clock, no state; the same words give the same
candidates on every device.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...paths import is_path
from ...records import KINDS
from ..attributes import attribute_of
from ..candidates import Action, Candidate, Distilled, Known, Message, Strength
from . import chinese, english, french, german, japanese, spanish
from .gaps import sloppiness
from .grammar import Form, Language
from .leaning import lean
from .parsing import Found, parse
from .reading import MAX_MESSAGE, Folded, Sentence, fold, plain, sentences
from .silence import is_secret, silent_from

__all__ = ["LANGUAGES", "RuleDistiller"]

LANGUAGES: tuple[Language, ...] = (
    *(english.LANGUAGE, german.LANGUAGE, spanish.LANGUAGE, french.LANGUAGE),
    *(chinese.LANGUAGE, japanese.LANGUAGE),
)
"""In the order in which they are tried; the first that understands a sentence has it."""

_COMMA = re.compile(r", |[，、]")
_COMMAS = (",", "，", "、")
_OTHERS = ("family.", "pets.")
"""Paths of what is not about the person alone."""


class _Clause(NamedTuple):
    start: int
    end: int


class RuleDistiller:
    """Implements `Distiller` by the forms of `LANGUAGES`. Time is linear in the text."""

    def __init__(self, languages: Sequence[Language] = LANGUAGES) -> None:
        self._languages = tuple(languages)

    @property
    def name(self) -> str:
        return "rules"

    def distil(self, messages: Sequence[Message], context: Sequence[Message], known: Sequence[Known]) -> Distilled:
        """Candidates from the person's own *messages*; *context* and *known* bear on corrections only."""
        around = sorted({one.id: one for one in (*context, *messages)}.values(), key=lambda one: (one.at_ms, one.id))
        found: list[Candidate] = []
        for message in messages:
            if message.by_person:
                found.extend(self._message(message, around, known))
        return Distilled(tuple(found))

    def _message(self, message: Message, around: Sequence[Message], known: Sequence[Known]) -> Iterator[Candidate]:
        if not message.text or len(message.text) > MAX_MESSAGE or _is_broken(message.text):
            return
        folded = fold(message.text)
        languages = [one for one in self._languages if one.found.search(folded.text)]
        if not languages:
            return
        sloppy = sloppiness(folded.text)
        silent: int | None = None
        said: set[tuple[str, str, Action]] = set()
        for sentence in sentences(folded):
            for language in languages:
                if not language.found.search(folded.text[sentence.start : sentence.end]):
                    continue
                candidates = list(_sentence(message, folded, sentence, language, known, sloppy))
                if not candidates:
                    candidates = list(_leaning(message, folded, sentence, language, around, known))
                if candidates and silent is None:
                    silent = silent_from(folded.text)  # asked last: it costs most, and most messages say nothing
                words = folded.text[sentence.start : sentence.end]
                for end, candidate in candidates:
                    if silent is not None and end > silent:
                        return
                    if is_secret(words, rule=candidate.path.startswith("rules.")):
                        break
                    key = (candidate.path, repr(candidate.value), candidate.action)
                    if key not in said:
                        said.add(key)
                        yield candidate
                if candidates:
                    break


def _is_broken(text: str) -> bool:
    """Whether *text* holds half of a surrogate pair, which no memory can."""
    return not text.isascii() and any("\ud800" <= one <= "\udfff" for one in text)


def _sentence(
    message: Message, folded: Folded, sentence: Sentence, language: Language, known: Sequence[Known], sloppy: int
) -> Iterator[tuple[int, Candidate]]:
    """What *sentence* says, each with where its words end."""
    clauses = _clauses(folded, sentence, language)
    asked = "?" in sentence.mark
    if asked:
        text = _text(folded, clauses[-1])
        wishes = parse(text, language, known, sloppy, unreal=True, asking=True)
        for found in wishes:
            candidate = _candidate(message, folded, clauses[-1], found)
            if candidate is not None:
                yield clauses[-1].end, candidate
        if not wishes and not language.regex["asks"].match(text):
            return
    spoke = of_person = False
    last = ""
    for clause in clauses[:-1] if asked else clauses:
        text = _text(folded, clause)
        before = folded.text[sentence.start : clause.start]
        if language.regex["reported"].search(before) or (":" in before and not spoke):
            return  # what stands behind *he said*, or behind the colon of *Analyse this:*, is somebody else's
        if language.regex["elliptic"].match(text) and not of_person:
            continue
        of_person = False
        unreal = bool(language.regex["unreal"].search(text))
        said = parse(text, language, known, sloppy, unreal, last)
        if not said and not unreal:
            clause, said = _head(clause, folded, language, known, sloppy, last)
        for found in said:
            candidate = _candidate(message, folded, clause, found)
            if candidate is not None:
                spoke = True
                last = candidate.path
                of_person = not candidate.path.startswith(_OTHERS)
                yield clause.end, candidate


def _head(
    clause: _Clause, folded: Folded, language: Language, known: Sequence[Known], sloppy: int, last: str
) -> tuple[_Clause, list[Found]]:
    """What the words before the first comma say, where the whole *clause* says nothing: *I'm vegan, nothing with meat*.
    Not where the rest takes it back.
    """
    comma = _COMMA.search(folded.shape, clause.start, clause.end)
    if comma is None:
        return clause, []
    rest = folded.text[comma.end() : clause.end]
    if language.regex["takes_back"].search(rest):
        return clause, []
    head = _Clause(clause.start, comma.start())
    found = parse(_text(folded, head), language, known, sloppy, unreal=False, last=last)
    return head, [one for one in found if not one.form.imperative and one.form.strength is Strength.EXPLICIT]


def _clauses(folded: Folded, sentence: Sentence, language: Language) -> list[_Clause]:
    cut = [_Clause(sentence.start, sentence.end)]
    for found in language.regex["cuts"].finditer(folded.shape, sentence.start, sentence.end):
        last = cut[-1]
        if found.start() > last.start:
            condition = language.regex["conditions"].match(folded.text, last.start, found.start())
            if condition and found.group().strip() in _COMMAS:
                continue
            cut[-1:] = [_Clause(last.start, found.start()), _Clause(found.end(), sentence.end)]
    return [one for one in cut if one.start < one.end] or [_Clause(sentence.start, sentence.end)]


def _text(folded: Folded, clause: _Clause) -> str:
    if folded.shape[clause.start : clause.start + 1] == "\x00":
        return ""  # somebody's words in quotation marks, pasted or code
    return folded.text[clause.start : clause.end]


def _candidate(message: Message, folded: Folded, clause: _Clause, found: Found) -> Candidate | None:
    quote = folded.quote(clause.start, clause.end).strip()
    if not quote or not is_path(found.path):
        return None
    attribute = attribute_of(found.path)
    return Candidate(
        path=found.path,
        value=found.value,
        sentence=found.about(plain(folded.text[clause.start : clause.end])),
        quote=quote,
        evidence=(message.id,),
        kind=attribute.kind if attribute else KINDS[0],
        confidence=found.confidence,
        strength=found.form.strength,
        action=found.action,
    )


def _leaning(
    message: Message,
    folded: Folded,
    sentence: Sentence,
    language: Language,
    around: Iterable[Message],
    known: Sequence[Known],
) -> Iterator[tuple[int, Candidate]]:
    """What a correction without an attribute says, if exactly one known memory fits it."""
    if "?" in sentence.mark or not known:
        return
    text = plain(_text(folded, _Clause(sentence.start, sentence.end)))
    match = language.regex["leaning"].fullmatch(text) or language.regex["bare"].fullmatch(text)
    if match is None or language.regex["unreal"].search(text):
        return
    before = next((one for one in reversed(list(around)) if (one.at_ms, one.id) < (message.at_ms, message.id)), None)
    sure = match.re is language.regex["leaning"] and language.regex["corrects"].match(text) is not None
    found = lean(match.group("new"), before.text if before else "", known, language, sure)
    if found is not None:
        form = Form(r"(?!)", found.path, confidence=0.85)
        spot = Found(found.path, found.value, form, Action.STATE, form.confidence)
        candidate = _candidate(message, folded, _Clause(sentence.start, sentence.end), spot)
        if candidate is not None:
            yield sentence.end, candidate
