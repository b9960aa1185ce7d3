"""What the judge says of two statements, layer by layer."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.engine.formation.contradictions import Layer, Relation, Statement, Verdict, judge, normalised
from vademecum.engine.formation.thresholds import CAUTIOUS, Thresholds, thresholds_for
from vademecum.engine.values import Value

NEAR = 0.75


def said(old: str, new: str, similarity: float | None = NEAR) -> Verdict:
    return judge(Statement(text=old), Statement(text=new), similarity)


def at(path: str, old: Value, new: Value) -> Verdict:
    return judge(Statement(path, old), Statement(path, new))


# --- layer 1: structure ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("home.city", "Berlin", "Porto"),
        ("preferences.cilantro", "likes", "hates"),
        ("choices.test-runner", "pytest", "unittest"),
        ("diet", ["vegan"], ["pescatarian"]),
        ("birthday", "1990-03-01", "2 March 1990"),
        ("work.hours", "40 hours", "30 hours"),
    ],
)
def test_another_value_at_one_path_contradicts_for_certain(path: str, old: Value, new: Value) -> None:
    verdict = at(path, old, new)
    assert verdict.relation is Relation.CONTRADICTS
    assert verdict.layer is Layer.STRUCTURE
    assert path in verdict.reasons[0]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Berlin", " berlin "),
        ("São Paulo", "sao paulo"),
        ("three", 3),
        ("twenty five", "25"),
        ("2026-03-01", "March 1st, 2026"),
        ("01.03.2026", "1. März 2026"),
        ("2026年3月1日", "2026-03-01"),
        ("5 km", "5000 m"),
        ("90 minutes", "1.5 hours"),
        ("6 pm", "18:00"),
        (["vegan", "no nuts"], ["no nuts", "Vegan"]),
        ("tea, coffee", ["coffee", "tea"]),
        (["vegan"], "vegan"),
        (True, "yes"),
        ("likes", "loves"),
        ("hates", "dislikes"),
    ],
)
def test_values_that_mean_the_same_are_duplicates(old: Value, new: Value) -> None:
    assert normalised(old) == normalised(new)
    assert at("home.city", old, new).relation is Relation.DUPLICATE


@given(st.recursive(st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=8), st.lists, max_leaves=6))
def test_a_value_never_contradicts_itself(value: Value) -> None:
    assert at("home.city", value, value).relation is Relation.DUPLICATE


def test_more_of_the_same_is_no_contradiction() -> None:
    assert at("diet", ["vegan"], ["vegan", "no nuts"]).relation is Relation.ENTAILS
    assert at("home.city", "Berlin", "Berlin Kreuzberg").relation is Relation.ENTAILS


def test_an_attribute_of_many_values_never_conflicts_by_value() -> None:
    assert at("languages", ["German"], ["French"]).relation is Relation.NEUTRAL
    one, other = Statement("allergies.peanuts", True, "I'm allergic to peanuts"), Statement("allergies.soy", True)
    assert not judge(one, other, NEAR).contradicts


def test_a_rule_and_its_opposite_at_one_path_contradict_whatever_their_words() -> None:
    old = Statement("rules.reply-in-german", "Always reply in German, please")
    new = Statement("rules.reply-in-german", "Never reply in German, please")
    assert judge(old, new, NEAR).contradicts


# --- layer 2: words --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("prefers pytest", "switched to unittest"),
        ("lives in Berlin", "moved to Porto"),
        ("I am vegan", "I eat steak now"),
        ("I love cilantro", "I hate cilantro"),
        ("Ich liebe Kaffee", "Ich hasse Kaffee"),
        ("我喜欢咖啡", "我讨厌咖啡"),
        ("uses vim", "switched from vim to emacs"),
        ("prefers tea over coffee", "prefers coffee over tea"),
        ("My company is based in Munich", "My company moved to Berlin"),
        ("My brother lives in Rome", "My brother Max moved to Oslo"),
        ("works as a nurse", "became a lawyer"),
        ("I'm single", "I got married last week"),
        ("my favourite colour is green", "my favourite colour is blue"),
        ("My manager is Priya", "My manager is Tomasz now"),
        ("lactose intolerant", "drinks a glass of milk every day"),
    ],
)
def test_claims_of_one_slot_contradict_without_any_model(old: str, new: str) -> None:
    verdict = said(old, new, None)
    assert verdict.contradicts
    assert verdict.layer is Layer.SIGNALS
    assert verdict.reasons


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The bakery around the corner opens at seven", "The bakery opens at eight around the corner"),
        ("The bakery opens early", "The bakery opens late"),
        ("Backups stay for 30 days", "Backups stay for 60 days"),
    ],
)
def test_opposites_and_numbers_speak_only_inside_the_band(old: str, new: str) -> None:
    assert said(old, new).contradicts
    assert not said(old, new, CAUTIOUS.band - 0.01).contradicts
    assert not said(old, new, None).contradicts


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The heating goes off at night", "The heating no longer goes off at night"),
        ("Guests sleep upstairs", "Guests never sleep upstairs"),
        ("No fumo", "Fumo un paquete al día"),
        ("肉を食べません", "肉を食べます"),
        ("Je fume", "J'ai arrêté de fumer"),
    ],
)
def test_what_is_denied_or_ended_word_by_word_needs_no_similarity(old: str, new: str) -> None:
    assert said(old, new, None).contradicts
    assert said(old, new, 0.0).contradicts


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("speaks German", "speaks French"),
        ("I love jazz", "I love techno"),
        ("I am vegan", "My sister eats steak"),
        ("I used to live in Oslo", "I live in Bergen"),
        ("I prefer tea in the morning", "I prefer coffee in the evening"),
        ("I don't like cilantro", "I hate cilantro"),
        ("I live in Berlin", "I live in a flat in Berlin"),
        ("A small dog runs across the lawn", "A big dog runs across the lawn"),
        ("I live in Berlin", "My company is based in Munich"),
        ("I'm 34 years old", "My house is 100 years old"),
        ("I live in Berlin", "I'd love to live in Porto"),
        ("I'm vegan", "Should I eat steak now?"),
        ("Ich wohne in Bonn", "Ich würde gern nach Köln ziehen"),
        ("I smoke", "I'm trying to quit smoking"),
        ("I'm vegan", "I ate steak once by mistake"),
        ("Never call me before 9", "Never call me after 22"),
        ("My brother Tom lives in Rome", "My brother Max lives in Oslo"),
        ("I like sushi", "I don't like sushi from that place"),
        ("I love running", "I hate running in the rain"),
    ],
)
def test_what_may_both_hold_is_no_contradiction(old: str, new: str) -> None:
    assert not said(old, new).contradicts


def test_a_hint_is_no_verdict() -> None:
    verdict = said("prefers Frobnicator", "switched to Quuxer")
    assert verdict.relation is Relation.UNSURE
    assert verdict.confidence <= 0.5


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_get_a_verdict_with_a_reason(old: str, new: str) -> None:
    verdict = said(old, new)
    assert 0 <= verdict.confidence <= 1
    assert verdict.reasons


@given(st.text(max_size=60))
def test_no_text_contradicts_itself(text: str) -> None:
    assert not said(text, text, 1.0).contradicts


def test_thresholds_go_by_model_and_are_cautious_where_none_are_known() -> None:
    known = thresholds_for("all-MiniLM-L6-v2-int8-23da93093f97")
    assert known is not CAUTIOUS
    assert thresholds_for("somebody-elses-model-0123456789ab") is CAUTIOUS
    for one in (known, CAUTIOUS):
        assert 1 >= one.duplicate >= one.related >= one.band


def test_where_the_model_does_not_know_the_letters_no_cosine_makes_a_duplicate() -> None:
    latin = Thresholds(0.9, 0.6, 0.5, latin_only=True)
    every = Thresholds(0.9, 0.6, 0.5)
    chinese = Statement(text="我喜欢打篮球"), Statement(text="我喜欢踢足球")
    assert judge(*chinese, 0.97, thresholds=latin).relation is Relation.NEUTRAL
    assert judge(*chinese, 0.97, thresholds=every).relation is Relation.DUPLICATE
    english = Statement(text="the gate squeaks a little"), Statement(text="the gate creaks somewhat")
    assert judge(*english, 0.97, thresholds=latin).relation is Relation.DUPLICATE


@pytest.mark.parametrize(
    "unit", ["a ", "my a is ", "prefer x over ", "switched from ", "は", "もう", "1 ", "not ", "\n"]
)
def test_a_text_of_any_length_and_shape_is_judged_in_bounded_time(unit: str) -> None:
    text = unit * (32_000 // len(unit))
    started = time.process_time()
    assert not said(text, text).contradicts
    assert said(f"I no longer eat {text}", f"{text} x").reasons
    assert time.process_time() - started < 2.0
