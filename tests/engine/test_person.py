"""The person's own access: everything can be read, written and taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.box import NOW, PUBLIC, Box, boxes
from vademecum.engine.records import KINDS
from vademecum.engine.times import from_ms
from vademecum.errors import InvalidAgent, InvalidArgument, InvalidPath, NotFound

LONGEST = ".".join(["p" * 64] * 6 + ["p" * 10])
"""A path of 400 bytes."""


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    with boxes(tmp_path, 1) as (made,):
        yield made


def test_a_leaf_keeps_its_time_of_creation_when_it_is_changed(box: Box) -> None:
    box.user.set("a", 1)
    box.wall += 60_000
    (leaf,) = box.user.set("a", 2)
    assert (leaf.created, leaf.updated) == (from_ms(NOW), from_ms(NOW + 60_000))
    box.user.forget("a")
    box.wall += 60_000
    (leaf,) = box.user.set("a", 3)
    assert leaf.created == leaf.updated == from_ms(NOW + 120_000)


def test_the_person_takes_over_what_an_agent_wrote(box: Box) -> None:
    box.agent().remember("a", 1, because="said")
    (leaf,) = box.user.set("a", 2)
    assert leaf.agent == "user" and leaf.receipts == ()


def test_what_is_read_comes_from_the_public_scope_first(box: Box) -> None:
    box.agent().remember("a", "own", because="said", scope="agent")
    assert box.user.get("a") == "own"
    box.user.set("a", "private", private=True)
    assert box.user.get("a") == "private"
    box.user.set("a", "public")
    assert box.user.get("a") == "public"
    assert box.user.get("a", scope="agent/x/y") == "own" and box.user.get("a", scope="user.private") == "private"
    with pytest.raises(NotFound):
        box.user.get("a", scope="agent/x/z")


def test_leaves_are_listed_by_scope_and_path(box: Box) -> None:
    for path in ("b", "a.b", "a", "a-c"):
        box.user.set(path, 1)
    box.user.set("a", 1, private=True)
    assert [(leaf.scope, leaf.path) for leaf in box.user.leaves()] == [
        (PUBLIC, "a"),
        (PUBLIC, "a-c"),
        (PUBLIC, "a.b"),
        (PUBLIC, "b"),
        ("user.private", "a"),
    ]
    assert [leaf.path for leaf in box.user.leaves("a") if leaf.scope == PUBLIC] == ["a", "a.b"]


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_kept(box: Box, kind: str) -> None:
    (leaf,) = box.user.set("a", 1, kind=kind)
    assert leaf.kind == box.user.leaf("a").kind == kind


def test_setting_an_object_where_one_path_is_wrong_sets_nothing(box: Box) -> None:
    with pytest.raises(InvalidPath):
        box.user.set("a", {"fine": 1, "not fine": 2})
    assert box.user.leaves() == []


def test_the_longest_path_can_be_written_granted_recounted_and_forgotten(box: Box) -> None:
    assert len(LONGEST) == 400
    box.user.set(LONGEST, 1, private=True)
    box.user.grant(LONGEST, "developer/slug")
    assert box.agent("developer/slug@1").get(LONGEST) == 1
    box.user.revoke(LONGEST, "developer/slug")
    assert box.user.forget(LONGEST) == 1
    with pytest.raises(InvalidPath):
        box.user.set(LONGEST + "p", 1)


def test_a_grant_too_long_to_keep_is_refused_as_such(box: Box) -> None:
    with pytest.raises(InvalidArgument):
        box.user.grant(LONGEST, f"{'d' * 40}/{'s' * 40}")


def test_a_grant_may_be_given_before_there_is_a_leaf_and_twice(box: Box) -> None:
    box.user.grant("health", "x/y@2")  # means every version
    box.user.grant("health", "x/y")
    box.user.set("health.weight", 60, private=True)
    assert box.agent("x/y@1").get("health.weight") == 60
    box.user.revoke("health", "x/y")
    with pytest.raises(NotFound):
        box.agent("x/y@1").get("health.weight")
    with pytest.raises(NotFound):
        box.user.revoke("health", "x/y")


@pytest.mark.parametrize("agent", ["", "x", "x/", "user", "X/y"])
def test_nobody_gets_a_grant(box: Box, agent: str) -> None:
    with pytest.raises(InvalidAgent):
        box.user.grant("a", agent)
