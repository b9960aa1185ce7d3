"""How text becomes words, and a question the words to look for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.embeddings.words import MAX_QUERY_WORDS, query_words, text_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("重跑gen-itgc后", "重跑 跑 gen itgc genitgc 后"),
        ("Müller", "muller"),
        ("Straße SØREN Łódź", "strasse soren lodz"),
        ("getUserName2", "getusername2 get user name 2"),
        ("snake_case wi-fi", "snake case snakecase wi fi wifi"),
        ("Caroline's dog doesn't bark", "caroline dog doesnt bark"),
        ("ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
        ("がぎ", "がぎ ぎ"),
        ("한국어", "한국 국어 어"),
        ("नमस्ते दुनिया", "नमस्ते दुनिया"),
        ("مُحَمَّد", "محمد"),
        ("play 🎸, drink ☕️", "play 🎸 drink ☕"),
        ("", ""),
        ("!?… \x00", ""),
    ],
)
def test_words_are_folded_and_split(text: str, words: str) -> None:
    assert text_words(text) == words


def test_a_question_loses_the_words_that_every_sentence_has() -> None:
    assert query_words("What is the name of my dog?") == [("name", False), ("dog", False)]


def test_a_question_of_nothing_else_keeps_them() -> None:
    assert query_words("Who am I?") == [("who", False), ("am", False), ("i", False)]


def test_a_question_of_one_character_is_a_prefix() -> None:
    assert query_words("猫") == [("猫", True)]


def test_a_long_question_is_cut() -> None:
    assert len(query_words(" ".join(f"w{n}" for n in range(1_000)))) == MAX_QUERY_WORDS


@given(st.text())
def test_words_hold_nothing_that_sqlite_could_take_for_syntax(text: str) -> None:
    for word in text_words(text).split(" "):
        assert not set(word) & set("\"'*^():+-{}\x00 ")
    text_words(text).encode("utf-8")


@given(st.text(alphabet="猫狗がア한ไ", min_size=1, max_size=6), st.integers(0, 5))
def test_every_character_of_an_unspaced_run_begins_a_word(run: str, at: int) -> None:
    character = text_words(run).split(" ")[-1]
    assert any(word.startswith(character) for word in text_words(run).split(" "))
    chosen = run[at % len(run)]
    if text_words(chosen) == chosen:
        assert any(word.startswith(chosen) for word in text_words(run).split(" "))
