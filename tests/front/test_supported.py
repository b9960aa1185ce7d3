"""Whether a quote names what is read out of it."""

from __future__ import annotations

import pytest

from vademecum.distillers.supported import is_supported


@pytest.mark.parametrize(
    ("path", "value", "quote"),
    [
        ("diet", "vegan", "I'm vegan."),
        ("diet", "vegetarian", "Je suis végétarienne."),
        ("diet", "vegetarian", "Ich bin Vegetarier."),
        ("diet", "vegetarian", "我吃素。"),
        ("languages.german", "German", "私はドイツ語を話します。"),
        ("home.city", "München", "Ich bin nach MÜNCHEN gezogen."),
        ("home.city", "上海", "我住在上海。"),
        ("allergies.peanuts", "peanuts", "no peanut butter, I'm allergic"),
        ("preferences.cats", "loves", "I love my cat."),
        ("preferences.香菜", "hates", "我讨厌香菜。"),
        ("pets.rex", "dog", "That's Rex."),
        ("age", 34, "I'm 34."),
        ("rules.steakhouse", "Never book a steakhouse.", "Never book a steakhouse."),
        ("notes.smokes", True, "I smoke a pipe."),
    ],
)
def test_a_quote_that_names_the_value_or_the_thing(path: str, value: object, quote: str) -> None:
    assert is_supported(path, value, quote)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "value", "quote"),
    [
        ("diet", "vegan", "What's for lunch?"),
        ("diet", "vegan", "I'm a vegetarian."),
        ("home.city", "Munich", "I live in Berlin."),
        ("home.city", "北京", "我住在上海。"),
        ("preferences.gambling", "likes", "I like it."),
        ("age", 34, "I'm 43."),
        ("work.employer", None, "I quit."),
        ("notes.smokes", True, "It is true."),
        ("name", "Al", "All of it."),
    ],
)
def test_a_quote_that_names_neither(path: str, value: object, quote: str) -> None:
    assert not is_supported(path, value, quote)  # type: ignore[arg-type]
