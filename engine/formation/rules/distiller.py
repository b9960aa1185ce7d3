"""The rule distiller: messages in, candidates out. No model, no clock, no state; the same words give the same
candidates on every device.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from vademecum.errors import InvalidPath

from ...paths import is_path
from ...records import KINDS
from ...values import Value
from ..attributes import attribute_of
from ..candidates import Action, Candidate, Distilled, Known, Message
from . import chinese, english, french, german, japanese, spanish
from .grammar import Form, Language
from .leaning import lean, place_of
from .reading import MAX_MESSAGE, Folded, Sentence, fold, plain, sentences
from .silence import is_secret, is_silent
from .slots import fill, segment, sloppiness

__all__ = ["LANGUAGES", "RuleDistiller"]

LANGUAGES: tuple[Language, ...] = (
    *(english.LANGUAGE, german.LANGUAGE, spanish.LANGUAGE, french.LANGUAGE),
    *(chinese.LANGUAGE, japanese.LANGUAGE),
)
"""In the order in which they are tried; the first that understands a sentence has it."""

_REPEATS = 6
"""How often openers, closers and frames are taken off one clause."""
_REMEMBERED = 0.98
"""The confidence of what the person asked to be remembered."""
_HELPERS = ("verb", "topic", "relation", "animal_", "rest")
"""Groups of a form that are no gaps."""
_OTHERS = ("family.", "pets.")
"""Paths of what is not about the person alone."""
_GAPS = re.compile(r"\(\?P<(\w+)>")


class _Clause(NamedTuple):
    start: int
    end: int


class _Found(NamedTuple):
    path: str
    value: Value
    form: Form
    action: Action
    confidence: float


class _Scene(NamedTuple):
    """What bears on reading a clause. ``words`` are its own, without what stands around them."""

    language: Language
    known: Sequence[Known]
    sloppy: int
    unreal: bool
    words: str
    action: Action | None = None


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
        if not message.text or len(message.text) > MAX_MESSAGE:
            return
        folded = fold(message.text)
        languages = [one for one in self._languages if one.regex["hint"].search(folded.text)]
        if not languages:
            return
        sloppy = sloppiness(folded.text)
        said: set[tuple[str, str, Action]] = set()
        for sentence in sentences(folded):
            for language in languages:
                if not language.regex["hint"].search(folded.text, sentence.start, sentence.end):
                    continue
                candidates = list(_sentence(message, folded, sentence, language, known, sloppy))
                if not candidates:
                    candidates = list(_leaning(message, folded, sentence, language, around, known))
                if candidates and not said and is_silent(folded.text):
                    return  # asked last, because it costs most and most messages say nothing anyway
                if candidates and is_secret(folded.text[sentence.start : sentence.end]):
                    break
                for candidate in candidates:
                    key = (candidate.path, repr(candidate.value), candidate.action)
                    if key not in said:
                        said.add(key)
                        yield candidate
                if candidates:
                    break


def _sentence(
    message: Message, folded: Folded, sentence: Sentence, language: Language, known: Sequence[Known], sloppy: int
) -> Iterator[Candidate]:
    clauses = _clauses(folded, sentence, language)
    asked = "?" in sentence.mark
    if asked and not language.regex["asks"].match(_text(folded, clauses[-1])):
        return
    spoke = of_person = False
    for clause in clauses[:-1] if asked else clauses:
        text = _text(folded, clause)
        before = folded.text[sentence.start : clause.start]
        if language.regex["reported"].search(before) or (":" in before and not spoke):
            return  # what stands behind *he said*, or behind the colon of *Analyse this:*, is somebody else's
        if language.regex["elliptic"].match(text) and not of_person:
            continue
        of_person = False
        unreal = bool(language.regex["unreal"].search(text))
        for found in _parsed(text, language, known, sloppy, unreal):
            candidate = _candidate(message, folded, clause, found)
            if candidate is not None:
                spoke = True
                of_person = not candidate.path.startswith(_OTHERS)
                yield candidate


def _clauses(folded: Folded, sentence: Sentence, language: Language) -> list[_Clause]:
    cut = [_Clause(sentence.start, sentence.end)]
    for found in language.regex["cuts"].finditer(folded.shape, sentence.start, sentence.end):
        last = cut[-1]
        if found.start() > last.start:
            condition = language.regex["conditions"].match(folded.text, last.start, found.start())
            if condition and found.group().strip() == ",":
                continue
            cut[-1:] = [_Clause(last.start, found.start()), _Clause(found.end(), sentence.end)]
    return [one for one in cut if one.start < one.end] or [_Clause(sentence.start, sentence.end)]


def _text(folded: Folded, clause: _Clause) -> str:
    if folded.shape[clause.start : clause.start + 1] == "\x00":
        return ""  # somebody's words in quotation marks, pasted or code
    return folded.text[clause.start : clause.end]


def _parsed(text: str, language: Language, known: Sequence[Known], sloppy: int, unreal: bool) -> list[_Found]:
    """What the clause *text* says, by the first form that fits it whole."""
    said = plain(text)
    scene = _Scene(language, known, sloppy, unreal, _opened(_stripped(said, language)))
    found = _fitting(language.spelled(said), scene, raw=True)
    bare = language.spelled(_stripped(said, language))
    for _ in range(_REPEATS):
        if found:
            return found
        found = _fitting(bare, scene)
        if found:
            return found
        for frame in language.frames:
            match = frame.regex.match(bare)
            if match:
                bare = _stripped(match.expand(frame.plain) + bare[match.end() :], language)
                scene = scene._replace(action=frame.action or scene.action)
                break
        else:
            return []
    return []


def _opened(text: str) -> str:
    """*text* beginning with a capital: how a rule is written, wherever in a sentence it stood."""
    return text[:1].upper() + text[1:]


def _stripped(text: str, language: Language) -> str:
    for _ in range(_REPEATS):
        shorter = language.regex["closers"].sub("", language.regex["openers"].sub("", text, count=1), count=1).strip()
        if shorter == text or not shorter:
            break
        text = shorter
    return text


def _fitting(text: str, scene: _Scene, raw: bool = False) -> list[_Found]:
    for form in scene.language.forms:
        if form.raw is not raw or (scene.unreal and not (form.imperative or form.unsure)):
            continue
        match = form.regex.fullmatch(text)
        if match is None:
            continue
        found = _exchanged(form, match, scene) if "new" in match.groupdict() else _filled(form, match, scene)
        if found:
            return found
    return []


def _filled(form: Form, match: re.Match[str], scene: _Scene) -> list[_Found]:
    found: list[_Found] = []
    gaps = [gap for gap in _GAPS.findall(form.text) if gap not in _HELPERS]
    paths = form.path.split()
    action = scene.action or form.action
    for place, gap in enumerate(gaps):
        words = match.group(gap)
        if words is None:
            continue
        if form.noted:
            words = _unbound(words)
            inner = _parsed(words, scene.language, scene.known, scene.sloppy, scene.unreal)
            if inner:
                return [one._replace(confidence=max(one.confidence, _REMEMBERED)) for one in inner]
        filled = fill(gap, words, scene.language, scene.sloppy)
        if not filled:
            return []
        for one in filled:
            path = one.path or _path(paths[min(place, len(paths) - 1)], match, scene.language, one.segment)
            value = one.value if one.path or form.value is None else _constant(form, match, scene)
            if path is None:
                return []
            found.append(_Found(path, value, form, action, form.confidence))
    if not gaps:
        found.append(_Found(form.path, _constant(form, match, scene), form, action, form.confidence))
    return found


def _unbound(words: str) -> str:
    return re.sub(r"^(?:that|dass|daß|que|qu')\s*", "", words, flags=re.IGNORECASE)


def _path(path: str, match: re.Match[str], language: Language, segment_: str) -> str | None:
    """*path* with its gaps filled; None where the words of one are of no use in a path."""
    if "{" not in path:
        return path.replace("*", segment_)
    name = path[path.index("{") + 1 : path.index("}")]
    words = match.group(name)
    known = language.meaning("kin", words) if name == "relation" else words
    if known is None or language.regex["things"].search(known):
        return None
    try:
        return path.replace("{" + name + "}", segment(known)).replace("*", segment_)
    except InvalidPath:
        return None


def _constant(form: Form, match: re.Match[str], scene: _Scene) -> Value:
    if form.value == "=":
        return scene.words
    if form.value == "{animal_}":
        return scene.language.meaning("animal", match.group("animal_"))
    if form.value is None or isinstance(form.value, str):
        return form.value
    return form.value[match.group("verb").casefold()]


def _exchanged(form: Form, match: re.Match[str], scene: _Scene) -> list[_Found]:
    """*I switched from X to Y*: X ends where it is known, and Y takes its place; a preference where it is not."""
    new = fill("thing", match.group("new"), scene.language, scene.sloppy)
    if not new:
        return []
    old = fill("thing", match.group("old"), scene.language, scene.sloppy) if match.group("old") else None
    if match.group("old") and not old:
        return []
    path = f"preferences.{new[0].segment}"
    value: Value = form.value if isinstance(form.value, str) else None
    found: list[_Found] = []
    if old:
        places = place_of(old[0], scene.known)
        if len(places) == 1 and places[0].single:
            return [_Found(places[0].path, new[0].value, form, Action.STATE, form.confidence)]
        ended = places[0].path if len(places) == 1 else f"preferences.{old[0].segment}"
        found.append(_Found(ended, places[0].value if len(places) == 1 else None, form, Action.END, form.confidence))
        if len(places) == 1:
            above = ended.rpartition(".")[0]
            path = f"{above}.{new[0].segment}"
            value = new[0].value if str(places[0].value).casefold() == str(old[0].value).casefold() else places[0].value
    return [*found, _Found(path, value, form, Action.STATE, form.confidence)]


def _candidate(message: Message, folded: Folded, clause: _Clause, found: _Found) -> Candidate | None:
    quote = folded.quote(clause.start, clause.end).strip()
    if not quote or not is_path(found.path):
        return None
    attribute = attribute_of(found.path)
    return Candidate(
        path=found.path,
        value=found.value,
        sentence=plain(folded.text[clause.start : clause.end]),
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
) -> Iterator[Candidate]:
    """What a correction without an attribute says, if exactly one known memory fits it."""
    if "?" in sentence.mark or not known:
        return
    text = plain(_text(folded, _Clause(sentence.start, sentence.end)))
    match = language.regex["leaning"].fullmatch(text)
    if match is None or language.regex["unreal"].search(text):
        return
    before = next((one for one in reversed(list(around)) if (one.at_ms, one.id) < (message.at_ms, message.id)), None)
    found = lean(match.group("new"), before.text if before else "", known, language)
    if found is not None:
        form = Form(r"(?!)", found.path, confidence=0.85)
        spot = _Found(found.path, found.value, form, Action.STATE, form.confidence)
        candidate = _candidate(message, folded, _Clause(sentence.start, sentence.end), spot)
        if candidate is not None:
            yield candidate
