"""Corrections that lean on what is known, and what a candidate carries."""

from __future__ import annotations

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
