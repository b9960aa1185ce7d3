"""Whom a question names, and what of it the sentence model is asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.engine.question import is_named, meaning_query, name_words


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("What did Caroline research?", "What did research?"),
        ("What is Caroline's dog called?", "What is dog called?"),
        ("Did Caroline and Melanie meet?", "Did and meet?"),
        ("What will Will do?", "What will do?"),
        ("Where is Carolines house?", "Where is Carolines house?"),
        ("Caroline?", "Caroline?"),
        ("", ""),
    ],
)
def test_known_names_are_taken_out_of_a_question(query: str, asked: str) -> None:
    assert meaning_query(query, {"Caroline", "melanie", "Will"}) == asked


@given(st.text(max_size=50))
def test_without_known_names_a_question_keeps_its_words(query: str) -> None:
    assert meaning_query(query, ()).split() == query.split()


def test_where_nothing_has_a_capital_a_name_needs_none() -> None:
    assert meaning_query("what did caroline research?", {"Caroline"}) == "what did research?"
    assert meaning_query("what will happen?", {"Will"}) == "what will happen?"


@pytest.mark.parametrize(
    ("name", "question", "named"),
    [
        ("Caroline", "What did Caroline say?", True),
        ("Caroline", "What is Caroline's dog called?", True),
        ("Caroline", "what did caroline say?", True),
        ("Will", "What will Ann do?", False),
        ("Maria Lopez", "Where does Maria live?", True),
        ("Jo", "What did Joanna say?", False),
        ("李雷", "李雷去了哪里？", True),
        ("李雷", "韩梅梅去了哪里？", False),
        ("", "Who?", False),
    ],
)
def test_a_person_is_named_by_any_word_of_their_name(name: str, question: str, named: bool) -> None:
    assert is_named(name, question, name_words(question)) is named
