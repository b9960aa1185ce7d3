"""``suggest``, ``review``, ``consolidate``, ``budget``, and what ``remember`` says where there is no room."""

from __future__ import annotations

import json
import os
import pty
import subprocess

import pytest

from tests.front.cli_runs import PROGRAM, Call, in_process
from vademecum import Vault

FOOD = "prix/daily-eats@1.0.0"
ACTING = ("--agent", FOOD)


@pytest.fixture
def vault(capsys: pytest.CaptureFixture[str]) -> Call:
    """A call on a vault in which the person has a name."""
    call = in_process(capsys)
    assert call("init", "--name", "laptop").code == 0
    assert call("set", "name", "Alice").code == 0
    return call


def suggest(vault: Call, value: str = "Alicia") -> str:
    made = vault("suggest", "name", value, *ACTING, "--because", f"Call me {value}", "--json").json
    identity = made["suggestions"][0]["id"]
    assert isinstance(identity, str)
    return identity


def test_a_suggestion_is_listed_accepted_and_told_in_the_history(vault: Call) -> None:
    identity = suggest(vault)
    (one,) = vault("review", "--json").json["suggestions"]
    assert (one["id"], one["path"], one["value"], one["agent"]) == (identity, "name", "Alicia", FOOD)
    assert one["current"]["value"] == "Alice" and one["receipts"][0]["text"] == "Call me Alicia"
    listed = vault("review").out
    for words in ("1 of 1", "Alice", "Alicia", "“Call me Alicia”", identity, "1 suggestion waits"):
        assert words in listed
    (leaf,) = vault("review", "accept", identity, "--json").json["leaves"]
    assert (leaf["value"], leaf["source"]["agent"]) == ("Alicia", "user")
    why = vault("why", "name", "--json").json
    assert why["history"][-1]["suggested_by"] == FOOD and why["history"][0]["suggested_by"] is None
    assert f"Suggested name: Alicia”  {FOOD}" in vault("why", "name").out
    assert vault("review").out == "Nothing waits for your decision.\n"
    assert "waits for a decision" in vault("review", "accept", identity).refusal


def test_a_suggestion_may_be_edited_or_rejected(vault: Call) -> None:
    (leaf,) = vault("review", "accept", suggest(vault), "--value", "Alicia M.", "--json").json["leaves"]
    assert leaf["value"] == "Alicia M."
    identity = suggest(vault, "Ally")
    assert vault("review", "reject", identity, "--json").json == {"rejected": identity}
    refused = vault("suggest", "name", "Ally", *ACTING, "--because", "Call me Ally")
    assert refused.code == 1 and "rejected this" in refused.refusal
    assert vault("get", "name").out == "Alicia M.\n"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("review", "maybe"), "'maybe'"),
        (("review", "accept"), "which suggestion"),
        (("review", "--value", "x"), "--value"),
        (("review", "reject", "name:00000000", "--value", "x"), "--value"),
        (("suggest", "name", "Eve", *ACTING), "--because"),
        (("consolidate", "user.public:a", "--into", "b", "1", *ACTING), "--because"),
        (("consolidate", "a", "--into", "b", "1", *ACTING, "--because", "x"), "user.public:diet"),
        (("budget", "--limit", "-1"), "-1"),
    ],
)
def test_a_wrong_call_is_told_what_is_wrong_with_it(vault: Call, arguments: tuple[str, ...], named: str) -> None:
    refused = vault(*arguments)
    assert refused.code == 2 and named in refused.refusal


def test_where_there_is_no_room_the_error_document_carries_what_there_is(vault: Call) -> None:
    assert vault("budget", "--limit", "2", "--json").json["room"] == 2
    for path, value in (("diet", "eats no meat"), ("food.meat", "eats no meat, ever")):
        assert vault("remember", path, value, *ACTING, "--because", f"I said: {value}").code == 0
    new = ("remember", "pets", "a cat", *ACTING, "--because", "my cat")
    refused = vault(*new, "--json")
    error = json.loads(refused.out)["error"]
    assert refused.code == 1 and error["code"] == "budget-exceeded"
    assert (error["used"], error["limit"], error["creates"]) == (2, 2, 1)
    assert {entry["id"] for entry in error["entries"]} == {"user.public:diet", "user.public:food.meat"}
    assert set(error["closest"][0]["ids"]) == {"user.public:diet", "user.public:food.meat"}
    shown = vault(*new)
    assert shown.out == "" and "“eats no meat, ever” (today, 100% sure)" in shown.err
    assert shown.err.splitlines()[-1].startswith("error: Agents have added 2 of 2 memories")
    for document in (vault("budget", "--json").json, error):
        assert len(document["entries"]) == 2
    assert "2 of 2" in vault("budget").out and "alike" in vault("budget").out
    assert vault("status", "--json").json["memories"] == {"learned": 2, "limit": 2} and "2 of 2" in vault("status").out

    merged = vault(
        "consolidate", "user.public:diet", "user.public:food.meat", "--into", "diet", '["vegetarian"]',
        *ACTING, "--because", "Both say that no meat is eaten", "--json",
    ).json  # fmt: skip
    assert merged["leaves"][0]["value"] == ["vegetarian"]
    said = [receipt["text"] for receipt in vault("why", "diet", "--json").json["receipts"]]
    assert said == ["I said: eats no meat", "I said: eats no meat, ever", "Both say that no meat is eaten"]
    assert vault(*new).code == 0


def test_a_message_is_evidence_on_the_command_line_too(vault: Call) -> None:
    with Vault.open(os.environ["VADEMECUM_HOME"]) as opened:
        message = opened.agent(FOOD).session("lunch").log("user", "Never book me a steakhouse again.")
    given = (*ACTING, "--evidence", message)
    assert vault("remember", "rules.steakhouse", "never", *given, "--json").json["leaves"][0]["receipts"]
    why = vault("why", "rules.steakhouse", "--json").json
    assert why["receipts"][0]["text"] == "Never book me a steakhouse again."
    assert "do not stand in" in vault("remember", "rules.x", "always", *given, "--because", "Always book one").refusal


def test_on_a_terminal_each_suggestion_is_put_before_the_person(vault: Call) -> None:
    for value in ("Ally", "Alicia", "Al"):
        suggest(vault, value)
    leader, follower = pty.openpty()
    try:
        with subprocess.Popen(
            [*PROGRAM, "review"], stdin=follower, stdout=follower, stderr=follower, env=os.environ | {"TERM": "dumb"}
        ) as process:
            for answer in (b"r\n", b"e\n", b"Alicia M.\n", b"q\n"):
                os.write(leader, answer)
            assert process.wait(30) == 0
        shown = os.read(leader, 65536).decode()
    finally:
        os.close(leader)
        os.close(follower)
    assert "1 of 3" in shown and "Accept, edit, reject, skip or quit?" in shown and "rejected name:" in shown
    assert vault("get", "name").out == "Alicia M.\n"
    assert [one["value"] for one in vault("review", "--json").json["suggestions"]] == ["Al"]
