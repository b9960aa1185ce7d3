"""``vademecum sweep`` and what `status` says of what waits."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest

from tests.engine.curating import LeafCurator
from tests.front.cli_runs import Call, Running, in_process
from tests.front.sweeping_world import forgive_delays, made
from vademecum import Vault
from vademecum.engine.formation.attempts import MAX_ATTEMPTS
from vademecum.hint import HINT
from vademecum.turning import turn_of

TALK = "prix/daily-eats@1.0.0"


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return in_process(capsys)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made(tmp_path / "people", ["alice", "bob"])
    return tmp_path / "people"


def say(home: Path, *texts: str) -> None:
    with Vault.open(home) as vault:
        talk = vault.agent(TALK).session("lunch")
        for text in texts:
            talk.log("user", text)


def test_once_thinks_about_what_waits_and_says_what_came_of_it(call: Call, root: Path) -> None:
    home = root / "alice"
    say(home, "I'm vegetarian.", "The weather is nice.")
    shown = call("sweep", "--once", "--home", home)
    assert (shown.code, shown.err) == (0, "")
    *lines, last = shown.out.splitlines()
    assert [line.split("  (")[0] for line in lines] == ["memory  diet = vegetarian"]
    assert last == "2 messages: 1 memory, 1 nothing"
    assert call("get", "diet", "--home", home).out == "vegetarian\n"
    found = call("sweep", "--once", "--home", home, "--json").json
    assert (found["signals"], found["waiting"], found["outcomes"]) == (0, 0, [])


def test_a_root_is_swept_and_a_vault_that_cannot_be_opened_is_said(call: Call, root: Path) -> None:
    for name in ("alice", "bob"):
        say(root / name, f"My name is {name.capitalize()}.")
    found = call("sweep", "--once", "--root", root, "--json").json
    assert (found["vaults"], found["signals"], found["outcomes"]) == (2, 2, {"memory": 2})
    assert call("get", "name", "--home", root / "bob").out == "Bob\n"
    say(root / "alice", "I'm vegetarian.")
    (root / "bob" / "vault.json").write_text("nonsense")
    shown = call("sweep", "--once", "--root", root)
    assert shown.code == 1
    assert shown.out.splitlines() == ["alice: 1 message: 1 memory", "1 message in 1 vault: 1 memory"]
    assert shown.err == f"{root / 'bob'}: damaged-store\n"


def test_the_status_says_what_waits_and_since_when(call: Call, root: Path) -> None:
    home = root / "alice"
    assert call("sweep", "--status", "--home", home).out == "nothing\n"
    say(home, "I'm vegetarian.", "The weather is nice.")
    waiting = call("sweep", "--status", "--home", home, "--json").json
    assert (waiting["signals"], waiting["running"], waiting["parked"]) == (2, None, [])
    assert waiting["since"].endswith("Z")
    assert call("status", "--home", home, "--json").json["curation"] == waiting
    assert "waiting for the curator  2, since 20" in call("status", "--home", home).out
    of_all = call("sweep", "--status", "--root", root, "--json").json
    assert of_all == {"vaults": [{"vault": str(home), **waiting}]}
    shown = call("sweep", "--status", "--root", root).out.splitlines()
    assert shown[0].startswith("alice: 2, since 20") and shown[1] == "1 vault waits."


def test_what_was_given_up_is_shown_and_tried_again_on_request(call: Call, root: Path) -> None:
    home = root / "alice"
    say(home, "I'm vegetarian.")

    def fail(group: object) -> None:
        raise ValueError

    with Vault.open(home) as vault:
        for _ in range(MAX_ATTEMPTS):
            turn_of(vault).take(LeafCurator(vault.replica, fail))
            forgive_delays(vault)
    assert call("sweep", "--status", "--home", home).out == (
        "nothing; 1 given up (`vademecum sweep --retry` tries again)\n"
    )
    assert call("sweep", "--once", "--home", home).out == "0 messages: nothing came of them\n"
    assert call("sweep", "--once", "--retry", "--home", home, "--json").json["memory"] == 1


def test_it_stays_until_it_is_told_to_stop_and_then_gives_its_claim_back(root: Path) -> None:
    home = root / "alice"
    say(home, "I'm vegetarian.")
    with Running("sweep", "--root", root) as sweeping:
        assert sweeping.line() == "alice: 1 message: 1 memory"
        done = sweeping.finish(signal.SIGTERM)
        assert (done.code, done.out, done.err) == (0, "", "")
    say(home, "My name is Alice.")
    with Running("sweep", "--home", home, "--json") as sweeping:
        deadline = time.monotonic() + 20
        while (home / HINT).exists():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        found = json.loads(sweeping.finish(signal.SIGINT).out)
    assert (found["signals"], found["outcomes"], found["troubles"]) == (1, {"memory": 1}, [])


@pytest.mark.parametrize(
    "arguments", [("--status", "--once"), ("--status", "--retry"), ("--root", "/nowhere/at/all"), ("--root", ".")]
)
def test_contradicting_options_are_refused(call: Call, root: Path, arguments: tuple[str, ...]) -> None:
    refused = call("sweep", *arguments, "--home", root / "alice")
    assert refused.code == 2 and refused.refusal
