"""Who wrote this, when, and because of which words."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.engine.box import NOW, PUBLIC, Box, boxes
from vademecum.engine import audit
from vademecum.engine.agents import AgentId, AgentPattern
from vademecum.engine.audit import Change, Why
from vademecum.engine.sight import Sight
from vademecum.engine.times import from_ms
from vademecum.errors import NotFound

X, X2, Y = "dev/x@1", "dev/x@2", "dev/y@1"


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Box, Box]]:
    with boxes(tmp_path, 2) as (a, b):
        yield a, b


def why(box: Box, path: str, scope: str | None = None, agent: str | None = None) -> Why:
    with box.replica.read() as view:
        return audit.why(Sight(view, AgentId.parse(agent) if agent else None), path, scope)


def log(box: Box, **which: object) -> list[Change]:
    with box.replica.read() as view:
        return audit.log(Sight(view, None), **which)  # type: ignore[arg-type]


def test_why_names_writer_time_words_and_what_stood_there_before(pair: tuple[Box, Box]) -> None:
    a, _ = pair
    said = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
    a.agent(X).remember("diet", "vegetarian", because="I eat no meat", at=said)
    a.wall += 60_000
    a.agent(Y).remember("diet", "vegan", because="  no cheese either  ")
    found = why(a, "diet")
    assert found.scope == PUBLIC and found.current is not None
    assert (found.current.value, found.current.agent) == ("vegan", Y)
    assert (found.current.created, found.current.updated) == (from_ms(NOW), from_ms(NOW + 60_000))
    assert [(one.text, one.speaker, one.at) for one in found.receipts] == [
        ("no cheese either", "user", from_ms(NOW + 60_000))
    ]
    first, second = found.history
    assert (first.what, first.agent, first.old, first.value) == ("set", X, None, "vegetarian")
    assert [(one.text, one.at) for one in first.receipts] == [("I eat no meat", said)]
    assert (second.what, second.agent, second.old, second.value) == ("set", Y, "vegetarian", "vegan")
    assert (second.device, second.at) == (a.id, from_ms(NOW + 60_000))


def test_why_of_what_never_was_is_refused(pair: tuple[Box, Box]) -> None:
    with pytest.raises(NotFound):
        why(pair[0], "diet")


def test_why_of_what_was_deleted_tells_who_and_when_and_no_value(pair: tuple[Box, Box]) -> None:
    a, _ = pair
    a.agent(X).remember("diet", "vegetarian", because="said")
    a.user.forget("diet")
    found = why(a, "diet")
    assert found.current is None and found.receipts == ()
    assert [(one.what, one.agent, one.value, one.forgotten) for one in found.history] == [
        ("set", X, None, True),
        ("deleted", "user", None, False),
    ]


def test_why_of_what_an_agent_withdrew_still_tells_what_it_was(pair: tuple[Box, Box]) -> None:
    a, _ = pair
    a.agent(X).remember("diet", "vegetarian", because="said")
    a.agent(X).forget("diet")
    assert [(one.what, one.value, one.old) for one in why(a, "diet").history] == [
        ("set", "vegetarian", None),
        ("deleted", None, "vegetarian"),
    ]


def test_why_prefers_the_public_scope_and_takes_the_one_named(pair: tuple[Box, Box]) -> None:
    a, _ = pair
    a.user.set("p", "public")
    a.user.set("p", "private", private=True)
    a.agent(X).remember("p", "own", because="said", scope="agent")
    assert why(a, "p").scope == PUBLIC
    for scope, value in (("user.private", "private"), ("agent/dev/x", "own")):
        current = why(a, "p", scope).current
        assert current is not None and current.value == value
    with pytest.raises(NotFound):
        why(a, "p", "agent/dev/y")


def test_the_log_is_newest_first_and_the_same_on_every_device(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.user.set("p", 1)
    a.give(b)
    b.wall += 5
    b.agent(X).remember("q", 2, because="said")
    b.user.set("p", 3)
    b.give(a)
    assert [(one.path, one.value, one.old) for one in log(a)] == [("p", 3, 1), ("q", 2, None), ("p", 1, None)]
    assert [one.as_json() for one in log(a)] == [one.as_json() for one in log(b)]


def test_both_of_two_writes_made_apart_are_in_the_history_of_both_devices(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.agent(X).remember("p", "a", because="said on a")
    b.wall += 5
    b.agent(Y).remember("p", "b", because="said on b")
    a.give(b)
    b.give(a)
    for box in pair:
        assert [(one.value, one.receipts[0].text) for one in why(box, "p").history] == [
            ("a", "said on a"),
            ("b", "said on b"),
        ]


def test_the_log_can_be_narrowed_to_an_agent_a_path_and_a_number(pair: tuple[Box, Box]) -> None:
    a, _ = pair
    a.user.set("p.q", 1)
    a.user.set("pq", 1)
    a.agent(X).remember("p", 2, because="said")
    a.agent(X2).remember("r", 3, because="said")
    assert [one.path for one in log(a, agent=AgentPattern.parse("dev/x"))] == ["r", "p"]
    assert [one.path for one in log(a, agent=AgentPattern.parse(X2))] == ["r"]
    assert [one.path for one in log(a, path="p")] == ["p", "p.q"]
    assert [one.path for one in log(a, limit=2)] == ["r", "p"]
    assert [one.path for one in log(a, agent=AgentPattern.parse("dev/x"), limit=1)] == ["r"]


def test_the_log_tells_of_grants_and_what_was_forgotten(pair: tuple[Box, Box]) -> None:
    a, _ = pair
    a.user.set("health", 1, private=True)
    a.user.grant("health", "dev/x")
    a.user.revoke("health", "dev/x")
    a.user.forget_agent("dev/y@2")
    whats = [(one.what, one.path) for one in log(a)]
    assert whats.count(("forgot", "dev/y@2")) == 2  # in each scope that the agent could write
    assert [what for what, _ in whats][-3:] == ["revoked", "granted", "set"]


def test_a_change_as_json_says_what_the_object_says(pair: tuple[Box, Box]) -> None:
    a, _ = pair
    a.agent(X).remember("p", [1, None], because="said", at=datetime(2026, 1, 2, tzinfo=UTC) + timedelta(hours=1))
    (change,) = log(a)
    shown = change.as_json()
    assert shown["agent"] == X and shown["device"] == a.id.hex() and shown["value"] == [1, None]
    assert shown["receipts"][0]["at"] == "2026-01-02T01:00:00.000Z" and shown["at"].endswith("Z")
    assert why(a, "p").as_json()["history"] == [shown]
