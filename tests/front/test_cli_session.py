"""``vademecum session``: what it prints for a person, its JSON documents, and its refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.front.cli_runs import Call, in_process, program
from vademecum import Vault

FOOD = "prix/daily-eats@1.0.0"
WORDS = "Never book me a steakhouse again."


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    made = in_process(capsys)
    assert made("init", "--name", "laptop").code == 0
    return made


def logged(call: Call, text: str = WORDS, *how: str, session: str = "lunch") -> str:
    done = call("session", "log", session, text, "--agent", FOOD, *how)
    assert (done.code, done.err) == (0, "")
    return done.out.strip()


def test_log_prints_the_id_and_show_the_conversation(call: Call) -> None:
    first = logged(call, WORDS, "--at", "2026-11-29T08:30:00+01:00")
    second = logged(call, "3 tables", "--role", "tool", "--tool", "search")
    assert first.startswith("session/lunch:")
    shown = call("session", "show", "lunch")
    assert shown.out == (
        f"{first}  2026-11-29T07:30:00.000Z\n  user: {WORDS}\n"
        f"{second}  {shown.out.split(second)[1].split()[0]}\n  tool search: 3 tables\n"
    )
    told = call("session", "show", "lunch", "--json").json
    assert told["id"] == "lunch"
    assert told["messages"][0] == {
        "id": first, "at": "2026-11-29T07:30:00.000Z", "role": "user", "text": WORDS, "tool": None, "pinned": False
    }  # fmt: skip
    assert [one["tool"] for one in told["messages"]] == [None, "search"]


def test_log_answers_in_json_and_reads_stdin(call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "said").write_text("from a file\n")
    with (tmp_path / "said").open() as said:
        monkeypatch.setattr("sys.stdin", said)
        identity = call("session", "log", "lunch", "-", "--agent", FOOD, "--json").json["id"]
        assert call("session", "show", "lunch", "--json").json["messages"][0]["text"] == "from a file"
    (tmp_path / "said").write_bytes(b"\xff\xfe")
    with (tmp_path / "said").open(encoding="utf-8") as said:
        monkeypatch.setattr("sys.stdin", said)
        assert "not text in UTF-8" in call("session", "log", "lunch", "-", "--agent", FOOD).refusal
    assert identity.startswith("session/lunch:")


def test_list_tells_whose_a_session_is_and_whether_it_stays(call: Call) -> None:
    assert call("session", "list").out == ""
    logged(call)
    logged(call, "Hello", session="trip")
    assert call("session", "hand-over", "trip").out == "It goes to your other devices with the next sync.\n"
    assert call("session", "hand-over", "trip").out == "It goes to your other devices already.\n"
    assert call("session", "hand-over", "trip", "--json").json == {"handed_over": False}
    trip, lunch = call("session", "list", "--json").json["sessions"]
    assert (trip["id"], trip["local"], lunch["id"], lunch["local"]) == ("trip", False, "lunch", True)
    assert (lunch["agents"], lunch["messages"]) == (["prix/daily-eats"], 1)
    assert lunch["expires"] > lunch["last"] == lunch["first"]
    lines = call("session", "list").out.splitlines()
    assert "on all devices" in lines[0] and "1 message, last" in lines[1] and "stays here" in lines[1]


def test_export_prints_json_lines(call: Call) -> None:
    identity = logged(call, "first\u2028line\nsecond")
    for way in ((), ("--json",)):
        (line,) = [*call("session", "export", "lunch", *way).out.rstrip("\n").split("\n")]
        assert json.loads(line)["id"] == identity and json.loads(line)["text"] == "first\u2028line\nsecond"


def test_no_message_has_power_over_a_terminal(call: Call) -> None:
    logged(call, "a\x1b[2J\x9b31m\u202eb")
    for way in (("show",), ("export",), ("show", "--json")):
        out = call("session", way[0], "lunch", *way[1:]).out
        assert not any(mark in out for mark in "\x1b\x9b\u202e"), way
    assert json.loads(call("session", "export", "lunch").out)["text"] == "a\x1b[2J\x9b31m\u202eb"


def test_a_pin_is_set_shown_and_taken_back(call: Call) -> None:
    identity = logged(call)
    assert call("session", "pin", identity).out == "Pinned.\n"
    assert "[pinned]" in call("session", "show", "lunch").out
    assert call("session", "pin", identity, "--undo", "--json").json == {"id": identity, "pinned": False}
    assert "[pinned]" not in call("session", "show", "lunch").out


def test_show_within_a_budget(call: Call) -> None:
    for number in range(20):
        logged(call, f"Question {number} about the weather in Lisbon. " * 4)
    told = call("session", "show", "lunch", "--max-tokens", "200", "--json").json
    assert told["tokens"] <= 200 and told["summarised"] and told["messages"][-1]["content"].startswith("Question 19")
    assert "user: Question 19" in call("session", "show", "lunch", "--max-tokens", "200").out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("show", "dinner"), 1, "There is no session 'dinner'"),
        (("export", "dinner"), 1, "There is no session 'dinner'"),
        (("hand-over", "a/b"), 2, "names no scope"),
        (("pin", "session/lunch:nothing"), 1, "There is no message 'session/lunch:nothing'"),
        (("log", "lunch", "x", "--agent", "acme/trips@1"), 1, "'lunch' is not one of acme/trips@1's"),
        (("log", "lunch", "x", "--agent", FOOD, "--role", "human"), 2, "'human' is not one of user, assistant"),
        (("log", "lunch", "x", "--agent", FOOD, "--at", "2026-11-29T08:30:00"), 2, "no time zone"),
        (("log", "lunch", "x", "--agent", "nobody"), 2, "not an agent id"),
        (("log", "lunch", "x" * 40_000, "--agent", FOOD), 2, "at most 32,768"),
        (("show", "lunch", "--max-tokens", "0"), 2, "whole number from 1"),
    ],
)
def test_refusals_are_one_sentence(call: Call, arguments: tuple[str, ...], code: int, said: str) -> None:
    logged(call)
    refused = call("session", *arguments)
    assert refused.code == code and said in refused.refusal


def test_the_program_logs_and_forgets_and_leaves_no_byte(tmp_path: Path) -> None:
    home = tmp_path / "v"
    assert program("--home", home, "init", "--name", "laptop").code == 0
    secret = "zanzibar-marker"
    assert program("--home", home, "session", "log", "lunch", f"My {secret}", "--agent", FOOD).code == 0
    assert any(secret.encode() in file.read_bytes() for file in home.rglob("*") if file.is_file())
    with Vault.open(home) as vault:
        vault.recall("marker")  # it is in the text index now
        assert vault.ledger().seal_pending() == 0, "nothing of it waits to be sent"
    assert program("--home", home, "forget", "--session", "lunch").code == 0
    for file in home.rglob("*"):
        assert not file.is_file() or secret.encode() not in file.read_bytes(), file


def test_a_mirror_holds_a_copy_of_a_session_that_stays_here(call: Call, tmp_path: Path) -> None:
    first = logged(call)
    logged(call, "3 tables", "--role", "tool", "--tool", "search")
    folder = tmp_path / "mirror"
    assert call("mirror", folder, "--once").code == 0
    copy = folder / "sessions" / "lunch" / "messages.jsonl"
    one, two = [json.loads(line) for line in copy.read_text().splitlines()]
    assert (one["id"], one["speaker"], one["text"]) == (first.partition(":")[2], "user", WORDS) and "tool" not in one
    assert (two["speaker"], two["tool"]) == ("tool", "search")
    assert call("forget", "--session", "lunch").code == 0
    assert not copy.exists()
