"""English, German, Spanish, French, Chinese and Japanese: what the rule distiller takes, and where it is silent."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.engine.formation import chinese, english, french, german, japanese, spanish
from tests.engine.formation.said import short

LANGUAGES = [english, german, spanish, french, chinese, japanese]


def name(language: ModuleType) -> str:
    return language.__name__.rpartition(".")[2]


@pytest.mark.parametrize("language", LANGUAGES, ids=name)
def test_what_is_said_outright_gives_its_candidates(language: ModuleType) -> None:
    assert len(language.SAYS) >= 15
    assert {text: ", ".join(short(text)) for text, _ in language.SAYS} == dict(language.SAYS)


@pytest.mark.parametrize("language", LANGUAGES, ids=name)
def test_what_is_no_statement_about_the_person_gives_nothing(language: ModuleType) -> None:
    assert len(language.SILENT) >= 15
    assert {text: said for text in language.SILENT if (said := short(text))} == {}
