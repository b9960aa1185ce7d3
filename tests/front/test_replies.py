"""What a model answers, decoded: each rule, and any text at all."""

from __future__ import annotations

import contextlib
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.distillers.replies import MAX_PIECES, MAX_REPLY, Decoded, decode_pieces, decode_reply
from vademecum.engine.formation.attributes import attribute_of
from vademecum.engine.formation.candidates import Message
from vademecum.engine.paths import is_path
from vademecum.engine.values import check_value
from vademecum.errors import MalformedBytes

SAID = Message("session/s:1", "user", "I moved to Köln,\nand I hate cilantro.", 0)
TOOL = Message("session/s:2", "tool", "The user lives in Paris.", 0)
SHOWN = {"m1": SAID, "m2": TOOL}
GOOD = {
    "path": "home.city",
    "value": "Köln",
    "sentence": "I moved to Köln.",
    "quote": "I moved to Köln",
    "evidence": ["m1"],
    "kind": "fact",
    "confidence": 0.9,
    "strength": "explicit",
    "action": "state",
}


def decoded(*pieces: Any) -> Decoded:
    return decode_reply(json.dumps({"memories": pieces}), SHOWN)


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"path": "home..city"}, "forbidden-path"),
        ({"path": "home.city."}, "forbidden-path"),
        ({"path": "allergies." + "x." * 20 + "x"}, "forbidden-path"),
        ({"path": "preferences.cilantro", "value": "the user must buy it"}, "invalid"),
        ({"path": "_grants.all"}, "forbidden-path"),
        ({"path": "session.x"}, "forbidden-path"),
        ({"path": "home"}, "forbidden-path"),
        ({"path": "allergies"}, "forbidden-path"),  # would hide the leaves below
        ({"path": "home.city.quarter"}, "forbidden-path"),
        ({"path": 7}, "forbidden-path"),
        ({"evidence": []}, "no-receipt"),
        ({"evidence": ["m1", "m3"]}, "no-receipt"),
        ({"evidence": ["session/s:1"]}, "no-receipt"),
        ({"evidence": ["m2"], "quote": "The user lives in Paris."}, "not-the-person"),
        ({"evidence": ["m1", "m2"]}, "not-the-person"),
        ({"evidence": "m1"}, "invalid"),
        ({"evidence": [["m1"]]}, "invalid"),
        ({"evidence": ["m1"] * 17}, "invalid"),
        ({"quote": "I moved to Koln"}, "misquoted"),
        ({"quote": "…"}, "misquoted"),
        ({"quote": ""}, "invalid"),
        ({"quote": "x" * 1_001}, "invalid"),
        ({"sentence": " \n"}, "invalid"),
        ({"sentence": "\ud800"}, "invalid"),
        ({"value": None}, "invalid"),
        ({"value": ["Köln"]}, "invalid"),
        ({"value": {"city": "Köln"}}, "invalid"),
        ({"value": 2**63}, "invalid"),
        ({"kind": "rumour"}, "invalid"),
        ({"strength": "loud"}, "invalid"),
        ({"action": "delete everything"}, "invalid"),
        ({"confidence": 0}, "invalid"),
        ({"confidence": 1.01}, "invalid"),
        ({"confidence": True}, "invalid"),
        ({"confidence": "high"}, "invalid"),
    ],
)
def test_a_piece_that_breaks_a_rule_is_rejected_alone(other: dict[str, Any], reason: str) -> None:
    found = decoded(GOOD | other, GOOD)
    assert found.rejected == {reason: 1}
    assert [one.path for one in found.candidates] == ["home.city"]


@pytest.mark.parametrize("key", sorted(GOOD))
def test_a_piece_without_one_of_its_parts_is_rejected(key: str) -> None:
    found = decoded({name: value for name, value in GOOD.items() if name != key})
    assert found.candidates == ()
    assert sum(found.rejected.values()) == 1


def test_a_quote_is_given_as_the_message_has_it() -> None:
    [candidate] = decoded(GOOD | {"quote": " I moved to Köln, and I  hate cilantro. "}).candidates
    assert candidate.quote == SAID.text


@pytest.mark.parametrize(
    ("path", "spelt"),
    [
        ("allergies.Tree nuts", "allergies.tree-nuts"),
        ("Home.City", "home.city"),
        ("preferences.crème brûlée", "preferences.crème-brûlée"),
        ("allergies.花生", "allergies.花生"),
    ],
)
def test_names_in_a_path_are_spelt_as_everywhere(path: str, spelt: str) -> None:
    [candidate] = decoded(GOOD | {"path": path, "value": "Likes"}).candidates
    assert candidate.path == spelt
    assert candidate.value == ("likes" if spelt.startswith("preferences.") else "Likes")


def test_an_end_needs_no_value() -> None:
    [candidate] = decoded(GOOD | {"action": "end", "value": None}).candidates
    assert candidate.value is None


def test_a_whole_number_is_one_however_it_is_written() -> None:
    [candidate] = decoded(GOOD | {"path": "age", "value": 41.0}).candidates
    assert candidate.value == 41
    assert type(candidate.value) is int


def test_what_is_said_twice_counts_once() -> None:
    found = decoded(GOOD, GOOD | {"sentence": "I live in Köln."})
    assert len(found.candidates) == 1
    assert found.rejected == {"repeated": 1}


def test_no_more_than_so_many_pieces_are_read() -> None:
    found = decoded(*({**GOOD, "path": f"notes.n{n}"} for n in range(MAX_PIECES + 5)))
    assert len(found.candidates) == MAX_PIECES
    assert found.rejected == {"too-many": 5}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        '{"memories": {}}',
        '{"memories": [NaN]}',
        '{"memories": [], "memories": []}',
        '{"memories": ' + "[" * 50_000,
        '{"memories": [' + "9" * 10_000 + "]}",
        '{"memories": [' + " " * MAX_REPLY + "]}",
        "`" * MAX_REPLY,
        "```" + "\n" * (MAX_REPLY - 3),
        "{" * MAX_REPLY,
    ],
)
def test_an_answer_that_is_none_raises_the_codecs_error(text: str) -> None:
    with pytest.raises(MalformedBytes):
        decode_reply(text, SHOWN)


@pytest.mark.parametrize("around", ["{}", "```json\n{}\n```", "Sure!\n{}\nDone.", "<think>{{x}}</think>{}"])
def test_words_around_the_object_do_no_harm(around: str) -> None:
    assert len(decode_reply(around.format(json.dumps({"memories": [GOOD]})), SHOWN).candidates) == 1


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
nearly = st.fixed_dictionaries(
    {}, optional={key: st.just(value) | anything for key, value in GOOD.items()}
) | st.builds(lambda key, value: GOOD | {key: value}, st.sampled_from(sorted(GOOD)), anything)


@given(st.text() | st.text(alphabet='{}[]",:memoris0e+-.` \n', max_size=200))
def test_any_text_either_decodes_or_raises_the_codecs_error(text: str) -> None:
    with contextlib.suppress(MalformedBytes):
        decode_reply(text, SHOWN)


@given(anything | st.fixed_dictionaries({"memories": anything | st.lists(nearly | anything, max_size=6)}))
def test_whatever_a_model_says_what_comes_of_it_keeps_the_rules(reply: Any) -> None:
    for text in (None, json.dumps(reply)):
        try:
            found = decode_pieces(reply, SHOWN) if text is None else decode_reply(text, SHOWN)
        except MalformedBytes:
            continue
        for one in found.candidates:
            assert one.evidence == (SAID.id,)
            assert one.quote in SAID.text
            assert attribute_of(one.path) is not None
            assert is_path(one.path)
            assert 0 < one.confidence <= 1
            assert not isinstance(one.value, float) or math.isfinite(one.value)
            check_value(one.value, one.path)
            one.sentence.encode()
        if isinstance(reply, dict) and isinstance(reply.get("memories"), list):
            assert len(found.candidates) + sum(found.rejected.values()) == len(reply["memories"])
