"""What an agent's handle reaches, and that nothing else can be seen, counted, ranked or named through it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.engine.box import PUBLIC, Box, boxes
from vademecum.engine.handle import AgentHandle
from vademecum.errors import (
    Confined,
    InvalidAgent,
    InvalidArgument,
    InvalidPath,
    InvalidTime,
    InvalidValue,
    NotFound,
    Protected,
    ReceiptRequired,
    VademecumError,
)
from vademecum.storage.tables import Table

X, X2, Y = "dev/x@1", "dev/x@2", "dev/y@1"


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    with boxes(tmp_path, 1) as (made,):
        yield made


def contents(box: Box) -> dict[Table, list[tuple[bytes, bytes]]]:
    with box.replica.read() as view:
        return {table: list(view.reader.scan(table)) for table in Table}


# --- what it sees ----------------------------------------------------------------------------------------------------


def test_an_agent_sees_the_public_scope_and_its_own_in_all_its_versions(box: Box) -> None:
    box.user.set("name", "Alice")
    box.agent(X).remember("tried", 1, because="said", scope="agent")
    for agent in (X, X2):
        assert box.agent(agent).get("name") == "Alice" and box.agent(agent).get("tried") == 1
        assert set(box.agent(agent).tree()) == {PUBLIC, "agent/dev/x"}
    assert set(box.agent(Y).tree()) == {PUBLIC}


def test_another_agents_scope_and_private_leaves_do_not_exist_for_an_agent(box: Box) -> None:
    box.agent(Y).remember("secret.own", "hidden", because="hidden words", scope="agent")
    box.user.set("secret.private", "hidden", private=True)
    x = box.agent(X)
    for path in ("secret.own", "secret.private", "secret"):
        for look in (x.get, x.leaf, x.why):
            with pytest.raises(NotFound) as refused:
                look(path)
            assert "hidden" not in str(refused.value)
    assert x.tree() == {} and x.tree("secret") == {} and x.log() == []


def test_a_private_leaf_is_seen_by_the_agent_it_was_granted_to_and_until_it_is_revoked(box: Box) -> None:
    box.user.set("health", {"allergies": "walnuts", "weight": 60}, private=True)
    box.user.set("healthy", "not granted", private=True)
    box.user.grant("health.allergies", "dev/x")
    x = box.agent(X2)
    assert x.get("health.allergies") == "walnuts"
    assert x.tree() == {"user.private": {"health": {"allergies": x.tree()["user.private"]["health"]["allergies"]}}}  # type: ignore[index]
    with pytest.raises(NotFound):
        x.get("health.weight")
    with pytest.raises(NotFound):
        box.agent(Y).get("health.allergies")
    box.user.grant("health", "dev/x")
    assert x.get("health.weight") == 60
    with pytest.raises(NotFound):
        x.get("healthy")
    box.user.revoke("health", "dev/x")
    box.user.revoke("health.allergies", "dev/x")
    for path in ("health.weight", "health.allergies"):
        with pytest.raises(NotFound):
            x.why(path)
    with pytest.raises(NotFound):
        box.user.revoke("health", "dev/x")


def test_a_grant_means_the_agent_named_and_none_whose_name_begins_like_it(box: Box) -> None:
    box.user.set("health", 1, private=True)
    box.user.grant("health", "dev/x")
    for other in ("dev/x-files@1", "dev/xy@1", "dev-x/x@1"):
        with pytest.raises(NotFound):
            box.agent(other).get("health")


def test_an_agents_log_holds_its_own_changes_and_nobody_elses(box: Box) -> None:
    box.user.set("name", "Alice")
    box.agent(Y).remember("p", 1, because="said")
    box.agent(X).remember("p", 2, because="said")
    box.agent(X2).remember("own", 3, because="said", scope="agent")
    assert [(change.agent, change.path) for change in box.agent(X).log()] == [(X2, "own"), (X, "p")]
    assert [change.path for change in box.agent(X).log(path="p")] == ["p"]
    assert [change.path for change in box.agent(X).log(limit=1)] == ["own"]
    with pytest.raises(InvalidPath):
        box.agent(X).log(path="not..one")


def test_why_tells_an_agent_who_wrote_a_public_leaf_and_the_words(box: Box) -> None:
    box.agent(Y).remember("p", 1, because="so they said")
    found = box.agent(X).why("p")
    assert found.receipts[0].text == "so they said" and found.history[0].agent == Y


def test_a_handle_holds_no_replica_and_no_person(box: Box) -> None:
    handle = box.agent(X)
    assert not hasattr(handle, "__dict__")
    public = {name for name in dir(AgentHandle) if not name.startswith("_")}
    assert public == {
        "agent", "budget", "consolidate", "forget", "get", "leaf", "log", "recall", "remember", "session", "suggest",
        "tree", "why",
    }  # fmt: skip


# --- what it writes --------------------------------------------------------------------------------------------------


def test_an_agent_writes_the_public_scope_and_its_own(box: Box) -> None:
    (leaf,) = box.agent(X).remember("p", 1, because="said")
    assert (leaf.scope, leaf.agent) == (PUBLIC, X)
    (own,) = box.agent(X).remember("p", 2, because="said", scope="agent")
    assert own.scope == "agent/dev/x" and own.receipts


def test_an_object_becomes_leaves_with_one_receipt(box: Box) -> None:
    leaves = box.agent(X).remember("team", {"lead": "Bo", "size": {"now": 3, "then": 5}}, because="said once")
    assert {leaf.path: leaf.value for leaf in leaves} == {"team.lead": "Bo", "team.size.now": 3, "team.size.then": 5}
    assert len({leaf.receipts for leaf in leaves}) == 1


@pytest.mark.parametrize("value", ["", 0, False, None, [], {}])
def test_what_the_person_wrote_is_protected_whatever_it_says(box: Box, value: Any) -> None:
    box.user.set("p", value)
    before = contents(box)
    with pytest.raises(Protected):
        box.agent(X).remember("p", "other", because="said")
    with pytest.raises(Protected):
        box.agent(X).forget("p")
    assert contents(box) == before


def test_one_protected_leaf_in_an_object_stops_the_whole_of_it(box: Box) -> None:
    box.user.set("team.lead", "Bo")
    before = contents(box)
    with pytest.raises(Protected):
        box.agent(X).remember("team", {"size": 3, "lead": "Cy"}, because="said")
    assert contents(box) == before


def test_an_agent_may_learn_anew_what_the_person_deleted(box: Box) -> None:
    box.user.set("p", 1)
    box.user.forget("p")
    box.agent(X).remember("p", 2, because="said anew")
    assert box.user.get("p") == 2


def test_an_agent_forgets_what_agents_wrote(box: Box) -> None:
    box.agent(Y).remember("p", 1, because="said")
    box.agent(X).forget("p")
    with pytest.raises(NotFound):
        box.user.get("p")
    with pytest.raises(NotFound):
        box.agent(X).forget("p")


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"because": ""}, ReceiptRequired),
        ({"because": " \n"}, ReceiptRequired),
        ({"because": None}, ReceiptRequired),
        ({"because": "x" * 100_000}, InvalidValue),
        ({"path": ""}, InvalidPath),
        ({"path": "a..b"}, InvalidPath),
        ({"path": "_a"}, InvalidPath),
        ({"value": float("nan")}, InvalidValue),
        ({"value": 2**63}, InvalidValue),
        ({"value": b"bytes"}, InvalidValue),
        ({"value": "x" * 40_000}, InvalidValue),
        ({"value": {"_x": 1}}, InvalidPath),
        ({"scope": "user.private"}, Confined),
        ({"scope": "user.public"}, Confined),
        ({"scope": "agent/dev/y"}, Confined),
        ({"scope": "session/1"}, Confined),
        ({"scope": "elsewhere"}, InvalidArgument),
        ({"kind": "gossip"}, InvalidArgument),
        ({"confidence": 0}, InvalidArgument),
        ({"confidence": 1.5}, InvalidArgument),
        ({"confidence": float("nan")}, InvalidArgument),
        ({"confidence": True}, InvalidArgument),
        ({"sentence": ""}, InvalidArgument),
        ({"sentence": "x" * 5000}, InvalidArgument),
        ({"at": datetime(2026, 1, 1)}, InvalidTime),  # naive on purpose
    ],
)
def test_what_breaks_a_rule_is_refused_and_changes_nothing(
    box: Box, change: dict[str, Any], error: type[VademecumError]
) -> None:
    box.agent(X).remember("before", 1, because="said")
    before = contents(box)
    arguments: dict[str, Any] = {"path": "p", "value": 1, "because": "said"} | change
    with pytest.raises(error) as refused:
        box.agent(X).remember(arguments.pop("path"), arguments.pop("value"), **arguments)
    assert contents(box) == before
    assert str(refused.value).endswith((".", "?"))


@pytest.mark.parametrize("agent", ["", "x", "dev/x", "dev/x@", "/x@1", "Dev/x@1", "dev/x@1 ", "dev/../x@1", "user"])
def test_what_is_no_agent_gets_no_handle(box: Box, agent: str) -> None:
    with pytest.raises(InvalidAgent):
        box.agent(agent)
