"""English, German, Spanish, French, Chinese and Japanese: what the rule distiller takes, and where it is silent."""

from __future__ import annotations

import pytest

from tests.engine.formation import chinese, english, french, german, japanese, spanish
from tests.engine.formation.said import short

LANGUAGES = (english, german, spanish, french, chinese, japanese)


@pytest.mark.parametrize(("text", "said"), [pair for language in LANGUAGES for pair in language.SAYS])
def test_what_is_said_outright_gives_its_candidates(text: str, said: str) -> None:
    assert ", ".join(short(text)) == said


@pytest.mark.parametrize("text", [text for language in LANGUAGES for text in language.SILENT])
def test_what_is_no_statement_about_the_person_gives_nothing(text: str) -> None:
    assert short(text) == []
