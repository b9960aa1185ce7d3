"""Corrections that lean on what is known, and what a candidate carries."""

from __future__ import annotations

import pytest

from tests.engine.formation.said import distilled, known, message, short
from vademecum.engine.formation.rules import RuleDistiller


def test_a_correction_that_leans_on_one_known_memory_replaces_it() -> None:
    assert short("No, actually it's Berlin.", known(home__city="Hamburg", diet="vegan")) == ["home.city=Berlin"]


def test_a_correction_that_could_mean_two_memories_says_nothing() -> None:
    assert short("No, it's Berlin.", known(home__city="Hamburg", work__employer="Siemens")) == []


def test_what_was_said_before_decides_which_memory_is_corrected() -> None:
    before = [message("You live in Hamburg, so I looked there.", "assistant", "1")]
    memories = known(home__city="Hamburg", work__employer="Siemens")
    assert short("No, it's Berlin.", memories, before) == ["home.city=Berlin"]


def test_a_correction_without_anything_known_says_nothing() -> None:
    assert short("No, actually it's Berlin.") == []


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("No, it's Berlin.", "Hamburg", "Berlin"),
        ("Sorry, I meant Berlin.", "Hamburg", "Berlin"),
        ("Nein, eigentlich ist es Berlin.", "Hamburg", "Berlin"),
        ("No, en realidad es Madrid.", "Lima", "Madrid"),
        ("Non, en fait c’est Lyon.", "Lille", "Lyon"),
        ("不，其实是柏林。", "汉堡", "柏林"),
        ("いいえ、大阪です。", "東京", "大阪"),
    ],
)
def test_corrections_lean_in_every_language(text: str, old: str, new: str) -> None:
    assert short(text, known(home__city=old)) == [f"home.city={new}"]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("No, Berlin.", "You live in Hamburg, right?"),
        ("It's Berlin.", "You live in Hamburg, right?"),
        ("Nein, Berlin.", "Du wohnst doch in Hamburg?"),
    ],
)
def test_a_value_alone_corrects_only_what_was_said_just_before(text: str, asked: str) -> None:
    memories = known(home__city="Hamburg")
    assert short(text, memories, [message(asked, "assistant", "1")]) == ["home.city=Berlin"]
    assert short(text, memories, [message("Shall I book?", "assistant", "1")]) == []


@pytest.mark.parametrize(
    "text",
    [
        "No, thanks.",
        "No, Thanks",
        "No, it's over.",
        "Actually, it's fine.",
        "いいえ、大丈夫です",
        "不，谢谢",
        "That's great",
        "No, it's raining.",
    ],
)
def test_what_only_sounds_like_a_correction_changes_nothing(text: str) -> None:
    memories = known(home__city="Hamburg", choices__color="blue")
    assert short(text, memories, [message("You live in Hamburg.", "assistant", "1")]) == []


def test_a_switch_replaces_the_choice_that_is_known() -> None:
    memories = known(choices__editor="vim")
    assert short("I switched from vim to emacs.", memories) == ["choices.editor=emacs"]


def test_a_switch_between_values_of_many_ends_one_and_states_the_other() -> None:
    memories = known(tools__pytest="pytest")
    assert short("I switched from pytest to unittest.", memories) == ["-tools.pytest=pytest", "tools.unittest=unittest"]


def test_a_candidate_carries_the_exact_words_and_the_message() -> None:
    (one,) = distilled("By the way, I’m allergic to peanuts. What is for lunch?")
    assert one.quote == "I’m allergic to peanuts"
    assert one.evidence == ("session/lunch:2",)
    assert one.kind == "identity"


def test_nobody_but_the_person_is_read() -> None:
    others = [message("I am vegan.", role, "2") for role in ("assistant", "tool", "system", "Bob")]
    assert RuleDistiller().distil(others, (), ()).candidates == ()
