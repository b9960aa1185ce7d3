"""The language modules are data; these tests read all of it, so that no slip waits for its sentence."""

from __future__ import annotations

import re

import pytest

from vademecum.engine.formation.attributes import attribute_of
from vademecum.engine.formation.rules.distiller import LANGUAGES
from vademecum.engine.formation.rules.grammar import Form, Language
from vademecum.engine.formation.rules.parsing import _GAPS, _HELPERS
from vademecum.engine.formation.rules.slots import _KINDS, _KNOWN
from vademecum.engine.paths import is_path

EVERY_FORM = [(language, form) for language in LANGUAGES for form in language.forms]
EVERY_FRAME = [frame for language in LANGUAGES for frame in language.frames]
SPECIAL = ("old", "new")


def gaps(form: Form) -> list[str]:
    return [gap.rstrip("0123456789") for gap in _GAPS.findall(form.text) if gap not in _HELPERS]


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_every_pattern_compiles(language: Language) -> None:
    assert all(isinstance(pattern, re.Pattern) for pattern in language.regex.values())
    assert all(form.regex for form in language.forms)
    assert all(frame.regex for frame in language.frames)
    assert language.found
    assert language.spelled("I'm") in ("I'm", "I am")


def test_every_gap_is_of_a_kind_that_is_known() -> None:
    for language, form in EVERY_FORM:
        for gap in gaps(form):
            assert gap in _KINDS or gap in SPECIAL, form.text
            if gap in _KNOWN or gap in ("kin", "animal", "job"):
                assert language.lexicon[gap], form.text


def test_every_path_belongs_to_an_attribute() -> None:
    for _, form in EVERY_FORM:
        for path in form.path.split():
            if path in ("{attribute}", "{same}"):
                continue
            plain = re.sub(r"\{\w+\}", "x", path.replace("*", "x"))
            assert is_path(plain), path
            attribute = attribute_of(plain)
            assert attribute is not None, path
            if "*" in path or "{" in path:
                assert attribute.many or attribute.path == "choices", path


def test_every_verb_of_a_form_has_its_value() -> None:
    for _, form in EVERY_FORM:
        alternatives = re.search(r"\(\?P<verb>([^()]*)\)", form.text)  # those with parts of their own are left out
        if isinstance(form.value, dict) and alternatives:
            for verb in alternatives[1].split("|"):
                assert verb.lower() in form.value, verb


def test_a_frame_uses_only_what_it_found() -> None:
    for frame in EVERY_FRAME:
        assert set(re.findall(r"\\g<(\w+)>", frame.plain)) <= set(frame.regex.groupindex), frame.text


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_attributes_of_the_lexicon_are_paths(language: Language) -> None:
    for path in language.lexicon["attribute"].values():
        assert is_path(path)
        assert attribute_of(path) is not None
