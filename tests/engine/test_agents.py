"""Agent ids and the patterns that name agents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.engine.agents import AgentId, AgentPattern
from vademecum.errors import InvalidAgent


@pytest.mark.parametrize(
    "text",
    [
        "prix/daily-eats@1.0.0",
        "a/b@1",
        "0/0@0",
        "a.b_c-d/e.f_g-h@1.0.0-rc.1+build_5",
        f"{'a' * 40}/{'b' * 40}@{'1' * 32}",
    ],
)
def test_an_agent_id_survives_the_round_trip(text: str) -> None:
    assert str(AgentId.parse(text)) == text


def test_the_parts_of_an_agent_id_have_names() -> None:
    agent = AgentId.parse("prix/daily-eats@1.0.0")
    assert (agent.developer, agent.slug, agent.version, agent.name) == (
        "prix",
        "daily-eats",
        "1.0.0",
        "prix/daily-eats",
    )


NO_IDS = [
    "",
    "user",
    "prix",
    "prix/daily-eats",
    "prix/daily-eats@",
    "/daily-eats@1",
    "prix/@1",
    "prix@1",
    "Prix/daily-eats@1",
    "prix/daily eats@1",
    "prix/daily-eats@1@2",
    "prix/daily/eats@1",
    "prix/daily-eats@1.0.0\n",
    " prix/daily-eats@1",
    "prix/daily-eats@ 1",
    "-prix/x@1",
    "../x@1",
    "prix/..@1",
    "prix/é@1",
    "prix/x@é",
    "prix/x@-1",
    "\N{FULLWIDTH LATIN SMALL LETTER P}rix/x@1",
    "prix/x@\N{ARABIC-INDIC DIGIT ONE}",
    f"{'a' * 41}/b@1",
    f"a/{'b' * 41}@1",
    f"a/b@{'1' * 33}",
    "a\x1f/b@1",
]


@pytest.mark.parametrize("text", NO_IDS)
def test_anything_else_is_refused_and_the_message_names_it_and_the_rule(text: str) -> None:
    with pytest.raises(InvalidAgent) as refusal:
        AgentId.parse(text)
    assert repr(text) in refusal.value.message
    assert "developer/slug@version" in refusal.value.message
    assert refusal.value.exit_code == 2


@pytest.mark.parametrize("other", [None, 1, b"prix/daily-eats@1.0.0", AgentId("a", "b", "1")])
def test_what_is_not_text_names_no_agent(other: object) -> None:
    for kind in (AgentId, AgentPattern):
        with pytest.raises(InvalidAgent):
            kind.parse(other)  # type: ignore[arg-type]  # the point of the test


@pytest.mark.parametrize("text", [text for text in NO_IDS if text != "prix/daily-eats"])
def test_a_pattern_is_an_agent_with_or_without_its_version_and_nothing_else(text: str) -> None:
    with pytest.raises(InvalidAgent) as refusal:
        AgentPattern.parse(text)
    assert repr(text) in refusal.value.message


@pytest.mark.parametrize("text", ["prix/daily-eats", "prix/daily-eats@1.0.0"])
def test_a_pattern_survives_the_round_trip(text: str) -> None:
    assert str(AgentPattern.parse(text)) == text


@pytest.mark.parametrize(
    ("pattern", "writer", "meant"),
    [
        ("prix/daily-eats", "prix/daily-eats@1.0.0", True),
        ("prix/daily-eats", "prix/daily-eats@2.0.0", True),
        ("prix/daily-eats", "prix/daily-eats-pro@1.0.0", False),
        ("prix/daily-eats", "prix/daily@1.0.0", False),
        ("prix/daily-eats", "user", False),
        ("prix/daily-eats@1.0.0", "prix/daily-eats@1.0.0", True),
        ("prix/daily-eats@1.0.0", "prix/daily-eats@1.0.01", False),
        ("prix/daily-eats@1.0.0", "prix/daily-eats@1.0", False),
        ("prix/daily-eats@1.0.0", "user", False),
    ],
)
def test_a_pattern_means_one_version_or_all(pattern: str, writer: str, meant: bool) -> None:
    assert AgentPattern.parse(pattern).matches(writer) is meant


@given(st.text(max_size=30))
def test_any_text_is_an_agent_id_or_is_refused_as_one(text: str) -> None:
    try:
        agent = AgentId.parse(text)
    except InvalidAgent:
        return
    assert str(agent) == text
    assert AgentPattern.parse(text).matches(text)
    assert AgentPattern.parse(agent.name).matches(text)
