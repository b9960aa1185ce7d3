"""The names of the parts of a vault."""

from __future__ import annotations

import unicodedata
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.engine.agents import AgentId
from vademecum.engine.scopes import PRIVATE, PUBLIC, agent_scope, parse_scope, session_scope, tier
from vademecum.errors import InvalidScope


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ("user.public", 1),
        ("user.private", 1),
        ("agent/prix/daily-eats", 2),
        ("agent/a.b_c/0", 2),
        ("session/2026-01-01", 3),
        ("session/a", 3),
        ("session/" + "a" * 64, 3),
    ],
)
def test_a_scope_is_itself_and_has_a_tier(scope: str, expected: int) -> None:
    assert parse_scope(scope) == scope
    assert tier(scope) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "user",
        "user.",
        "user.secret",
        "user.public\n",
        "User.public",
        "agent",
        "agent/",
        "agent/prix",
        "agent/prix/",
        "agent/prix/daily-eats@1.0.0",
        "agent/prix/daily/eats",
        "agent/Prix/x",
        "agent/../x",
        "agent/prix/x\n",
        "session/",
        "session",
        "session/..",
        "session/.hidden",
        "session/a/b",
        "session/a b",
        "session/a\x1fb",
        "session/" + "a" * 65,
        "session/a\n",
    ],
)
def test_anything_else_is_refused_and_the_message_names_it_and_the_rule(text: str) -> None:
    with pytest.raises(InvalidScope) as refusal:
        parse_scope(text)
    assert repr(text) in refusal.value.message
    assert "user.public" in refusal.value.message
    assert refusal.value.exit_code == 2


@pytest.mark.parametrize("other", [None, 1, b"user.public", ["user.public"]])
def test_what_is_not_text_names_no_scope(other: object) -> None:
    with pytest.raises(InvalidScope):
        parse_scope(other)  # type: ignore[arg-type]  # the point of the test


def test_an_agents_scope_is_that_of_all_its_versions_and_of_no_other_agent() -> None:
    one, two = (agent_scope(AgentId.parse(f"prix/daily-eats@{version}")) for version in ("1.0.0", "2.0.0"))
    assert one == two == parse_scope("agent/prix/daily-eats")
    assert agent_scope(AgentId.parse("prix/daily@1")) != one


def test_a_session_has_a_scope_of_its_name() -> None:
    assert session_scope("2026-01-01.a_b") == "session/2026-01-01.a_b"


@pytest.mark.parametrize("session", ["", ".", "..", "a/b", "../user.private", "a b", "x" * 65])
def test_a_session_cannot_name_its_way_out_of_its_tier(session: str) -> None:
    with pytest.raises(InvalidScope):
        session_scope(session)


def test_two_spellings_of_one_session_are_not_two_scopes() -> None:
    angstrom, letter = "\N{ANGSTROM SIGN}", "\N{LATIN CAPITAL LETTER A WITH RING ABOVE}"
    assert unicodedata.normalize("NFC", angstrom) == letter
    with suppress(InvalidScope):  # refusing one of them is as good
        assert session_scope(angstrom) == session_scope(letter)


@given(st.text(max_size=30), st.sampled_from(["", "agent/", "session/", "user."]))
def test_any_text_is_a_scope_of_its_own_prefix_or_is_refused(text: str, prefix: str) -> None:
    try:
        scope = parse_scope(prefix + text)
    except InvalidScope:
        return
    assert scope in (PUBLIC, PRIVATE) or scope.startswith(("agent/", "session/"))
    assert "\x1f" not in scope
    assert "\0" not in scope
    assert len(scope.encode()) < 400
