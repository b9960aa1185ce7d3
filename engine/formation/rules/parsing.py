"""What one clause says: the first form that fits it whole, with its gaps filled."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from vademecum.errors import InvalidPath

from ...values import Value
from ..candidates import Action, Known
from .gaps import segment
from .grammar import Form, Language
from .leaning import place_of
from .reading import plain
from .slots import fill

__all__ = ["Found", "parse"]

_REPEATS = 6
"""How often openers, closers and frames are taken off one clause."""
_REMEMBERED = 0.98
"""The confidence of what the person asked to be remembered."""
_HELPERS = ("verb", "topic", "relation", "animal_", "attribute", "rest")
"""Groups of a form that are no gaps."""
_GAPS = re.compile(r"\(\?P<(\w+)>")


class Found(NamedTuple):
    """One thing that a clause says. Of a list of several, ``among`` is the list and ``item`` the words for this one."""

    path: str
    value: Value
    form: Form
    action: Action
    confidence: float
    among: str = ""
    item: str = ""

    def about(self, sentence: str) -> str:
        """*sentence* about this one alone: *I'm allergic to shellfish*, of peanuts and shellfish."""
        if not self.among or sentence.count(self.among) != 1:
            return sentence
        return sentence.replace(self.among, self.item)


class _Scene(NamedTuple):
    """What bears on reading a clause. ``words`` are its own, without what stands around them."""

    language: Language
    known: Sequence[Known]
    sloppy: int
    unreal: bool
    asking: bool
    last: str
    words: str
    action: Action | None = None


def parse(
    text: str,
    language: Language,
    known: Sequence[Known],
    sloppy: int,
    unreal: bool,
    last: str = "",
    asking: bool = False,
) -> list[Found]:
    """What the clause *text* says, by the first form that fits it whole; *last* is the path spoken of before.

    asking: the clause is a question, and only wishes count.
    """
    said = plain(text)
    scene = _Scene(language, known, sloppy, unreal, asking, last, _opened(_stripped(said, language)))
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


def _fitting(text: str, scene: _Scene, raw: bool = False) -> list[Found]:
    for form in scene.language.forms:
        if (
            form.raw is not raw
            or form.asking is not scene.asking
            or (scene.unreal and not (form.imperative or form.unsure))
        ):
            continue
        match = form.regex.fullmatch(text)
        if match is None:
            continue
        found = _exchanged(form, match, scene) if "new" in match.groupdict() else _filled(form, match, scene)
        if found:
            return found
    return []


def _filled(form: Form, match: re.Match[str], scene: _Scene) -> list[Found]:
    found: list[Found] = []
    gaps = [gap for gap in _GAPS.findall(form.text) if gap not in _HELPERS]
    paths = form.path.split()
    action = scene.action or form.action
    for place, gap in enumerate(gaps):
        words = match.group(gap)
        if words is None:
            continue
        if form.noted:
            words = _unbound(words)
            inner = parse(words, scene.language, scene.known, scene.sloppy, scene.unreal)
            if inner:
                return [one._replace(confidence=max(one.confidence, _REMEMBERED)) for one in inner]
        filled = fill(gap, words, scene.language, scene.sloppy)
        if not filled:
            return []
        for one in filled:
            path = one.path or _path(paths[min(place, len(paths) - 1)], match, scene.language, one.segment)
            value = one.value if one.path or form.value is None else _constant(form, match, scene)
            if path is None or (form.value is not None and value is None):
                return []
            some = len(filled) > 1 and one.words is not None
            among, item = (words, one.words or "") if some else ("", "")
            found.append(Found(path, value, form, action, form.confidence, among, item))
    if not gaps:
        path, value = form.path, _constant(form, match, scene)
        if path == "{same}":  # *I used to hate olives, but now I love them*
            path = scene.last
            if value is None or not path.startswith("preferences."):
                return []
        found.append(Found(path, value, form, action, form.confidence))
    return found


def _unbound(words: str) -> str:
    return re.sub(r"^(?:that|dass|daß|que|qu')\s*", "", words, flags=re.IGNORECASE)


def _path(path: str, match: re.Match[str], language: Language, segment_: str) -> str | None:
    """*path* with its gaps filled; None where the words of one are of no use in a path."""
    if "{" not in path:
        return path.replace("*", segment_)
    name = path[path.index("{") + 1 : path.index("}")]
    words = match.group(name)
    if name == "attribute":
        return language.meaning("attribute", words)
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
    return form.value.get(match.group("verb").lower())  # None for a letter that only looks like one of the form's


def _exchanged(form: Form, match: re.Match[str], scene: _Scene) -> list[Found]:
    """*I switched from X to Y*: X ends where it is known, and Y takes its place; a preference where it is not."""
    new = fill("thing", match.group("new"), scene.language, scene.sloppy)
    if not new:
        return []
    old = fill("thing", match.group("old"), scene.language, scene.sloppy) if match.group("old") else None
    if match.group("old") and not old:
        return []
    path = f"preferences.{new[0].segment}"
    value: Value = form.value if isinstance(form.value, str) else None
    found: list[Found] = []
    if old:
        places = place_of(old[0], scene.known)
        if len(places) == 1 and places[0].single:
            return [Found(places[0].path, new[0].value, form, Action.STATE, form.confidence)]
        ended = places[0].path if len(places) == 1 else f"preferences.{old[0].segment}"
        found.append(Found(ended, places[0].value if len(places) == 1 else None, form, Action.END, form.confidence))
        if len(places) == 1:
            above = ended.rpartition(".")[0]
            path = f"{above}.{new[0].segment}"
            value = new[0].value if str(places[0].value).casefold() == str(old[0].value).casefold() else places[0].value
    return [*found, Found(path, value, form, Action.STATE, form.confidence)]
