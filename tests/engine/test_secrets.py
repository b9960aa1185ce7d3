"""Which words of a text are secrets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.engine.formation.secrets import holds_secret, secret_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("My password is hunter2-Blue. What's for lunch?", {"hunter2-blue"}),
        ("My PIN is 4821, and I live in Oslo.", {"4821"}),
        ("Mein Passwort lautet „Sommer 2024“!", {"sommer", "2024"}),
        ("我的密码是tulip99。", {"tulip99"}),
        ("Use sk-proj-Abc123Def456Ghi789Jkl012 for now.", {"sk-proj-abc123def456ghi789jkl012"}),
        ("4111 1111 1111 1111 is my card", {"4111 1111 1111 1111", "4111", "1111"}),
        ("I use a password manager, and my phone number is +351 912 345 678.", set()),
        ("Remember that I'm vegan.", set()),
    ],
)
def test_the_words_that_are_secrets(text: str, words: set[str]) -> None:
    assert secret_words(text) == words
    assert holds_secret(text) == bool(words)


@given(st.text() | st.text("pasword is:PIN4 1.\n是密码", max_size=60))
def test_only_what_holds_a_secret_has_words_that_are_one(text: str) -> None:
    words = secret_words(text)
    assert holds_secret(text) or not words
    assert all(len(word) >= 4 for word in words)
