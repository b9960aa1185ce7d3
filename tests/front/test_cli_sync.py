"""Two and three homes with a relay, all of them real processes."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.front.cli_runs import Call, Outcome, Relay, Running, in_process, program
from tests.front.test_cli_refusals import FOOD, REASON

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGTERM"), reason="needs signals")


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return in_process(capsys)


@pytest.fixture
def relay(tmp_path: Path) -> Iterator[Relay]:
    with Relay(tmp_path / "relay") as running:
        yield running


@pytest.fixture
def laptop(call: Call, tmp_path: Path, relay: Relay) -> Path:
    """A home that uses the relay and has synced."""
    home = tmp_path / "laptop"
    call("init", "--name", "laptop", "--home", home)
    call("set", "name", "Alice", "--home", home)
    call("relay", "use", relay.url, "--home", home)
    call("sync", "--once", "--no-index", "--home", home)
    return home


def _join(member: Path, home: Path, relay: Relay, name: str) -> tuple[Outcome, Outcome]:
    with Running("pair", "--home", member, "--json") as pairing:
        code = pairing.error_line().removeprefix("code: ")
        joined = program("join", code, "--relay", relay.url, "--name", name, "--home", home, "--json")
        return pairing.finish(), joined


def _until(look: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not look():
        assert time.monotonic() < deadline


def test_relay_serve_prints_its_url_and_stops_when_told(tmp_path: Path) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        with Running("relay", "serve", "--data", tmp_path / "r", "--port", "0") as serving:
            assert serving.line().startswith("http://127.0.0.1:")
            assert serving.finish(number) == Outcome(0, "", "")


def test_relay_serve_json_is_one_document(tmp_path: Path) -> None:
    with Running("relay", "serve", "--data", tmp_path / "r", "--port", "0", "--json") as serving:
        head = [serving.line() for _ in range(3)]
        ended = serving.finish(signal.SIGTERM)
    assert set(json.loads("\n".join(head) + ended.out)) == {"url"}


def test_pair_and_join_show_the_same_fingerprint_and_bring_the_memory(
    call: Call, laptop: Path, relay: Relay, tmp_path: Path
) -> None:
    call("set", "written.since", "the last sync", "--home", laptop)
    paired, joined = _join(laptop, tmp_path / "phone", relay, "phone")
    assert set(paired.json) == {"name", "fingerprint"}
    assert set(joined.json) == {"vault", "device", "name", "home", "fingerprint", "sync"}
    assert paired.json["name"] == joined.json["name"] == "phone"
    assert paired.json["fingerprint"] == joined.json["fingerprint"]
    assert joined.json["sync"]["state"] == "synced"
    trees = [call("tree", "--json", "--home", home).json for home in (laptop, tmp_path / "phone")]
    assert trees[0] == trees[1]
    assert trees[0]["public"]["written"]["since"]["_value"] == "the last sync"
    devices = call("status", "--json", "--home", laptop).json["devices"]
    assert {device["name"] for device in devices} >= {"laptop", "phone"}


def test_pair_and_join_for_people(laptop: Path, relay: Relay, tmp_path: Path) -> None:
    with Running("pair", "--home", laptop) as pairing:
        code = pairing.line().removeprefix("code: ")
        assert pairing.line().endswith(f"vademecum join {code} --relay {relay.url}")
        joined = program("join", code.lower(), "--relay", relay.url, "--name", "phone", "--home", tmp_path / "phone")
        paired = pairing.finish()
    assert (paired.code, paired.err, joined.code, joined.err) == (0, "", 0, "")
    fingerprint = next(line for line in paired.out.splitlines() if line.startswith("fingerprint: "))
    assert fingerprint in joined.out.splitlines()
    assert "phone has joined" in paired.out
    assert "synced: 1 leaf is here." in joined.out


def test_a_wrong_code_admits_nobody_and_a_code_works_once(
    call: Call, laptop: Path, relay: Relay, tmp_path: Path
) -> None:
    with Running("pair", "--home", laptop, "--json") as pairing:
        code = pairing.error_line().removeprefix("code: ")
        wrong = code[:-1] + ("A" if code[-1] != "A" else "B")
        refused = program("join", wrong, "--relay", relay.url, "--home", tmp_path / "thief")
        assert refused.code == 1
        assert refused.refusal
        assert not (tmp_path / "thief").exists()
        failed = pairing.finish()
    assert failed.code == 1
    assert failed.refusal
    again = program("join", code, "--relay", relay.url, "--home", tmp_path / "late")
    assert again.code == 1
    assert again.refusal
    assert not (tmp_path / "late").exists()
    assert len(call("status", "--json", "--home", laptop).json["devices"]) == 2  # laptop and the recovery phrase


def test_a_code_that_was_used_admits_no_second_device(laptop: Path, relay: Relay, tmp_path: Path) -> None:
    with Running("pair", "--home", laptop, "--json") as pairing:
        code = pairing.error_line().removeprefix("code: ")
        assert program("join", code, "--relay", relay.url, "--home", tmp_path / "first", "--no-index").code == 0
        assert pairing.finish().code == 0
    refused = program("join", code, "--relay", relay.url, "--home", tmp_path / "second")
    assert refused.code == 1
    assert refused.refusal
    assert not (tmp_path / "second").exists()


def test_sync_once_reports_what_came_and_went(call: Call, laptop: Path, relay: Relay, tmp_path: Path) -> None:
    phone = tmp_path / "phone"
    _join(laptop, phone, relay, "phone")
    call("remember", "diet", "vegan", "--agent", FOOD, *REASON, "--home", phone)
    pushed = call("sync", "--once", "--json", "--home", phone).json
    assert set(pushed) == {"state", "pulled", "pushed", "bytes_in", "bytes_out", "seconds", "problems"}
    assert (pushed["state"], pushed["pushed"], pushed["problems"]) == ("synced", 1, [])
    pulled = call("sync", "--once", "--home", laptop)
    assert pulled.out.startswith("synced: 1 commit came, 0 went; ")
    assert call("get", "diet", "--home", laptop).out == "vegan\n"
    found = call("status", "--json", "--home", laptop).json
    assert (found["state"], found["pending"], found["indexing"]) == ("synced", 0, 0)
    assert found["last_synced_at"].endswith("Z")
    assert "phone" in call("why", "diet", "--home", laptop).out


def test_no_index_leaves_the_vectors_for_later(call: Call, laptop: Path, relay: Relay, tmp_path: Path) -> None:
    phone = tmp_path / "phone"
    _join(laptop, phone, relay, "phone")
    call("set", "diet", "vegan", "--home", phone)
    call("sync", "--once", "--no-index", "--home", phone)
    assert call("status", "--json", "--home", phone).json["indexing"] > 0
    call("sync", "--once", "--home", phone)
    assert call("status", "--json", "--home", phone).json["indexing"] == 0


def test_sync_in_the_foreground_carries_writes_of_other_processes_until_told_to_stop(
    call: Call, laptop: Path, relay: Relay, tmp_path: Path
) -> None:
    phone = tmp_path / "phone"
    _join(laptop, phone, relay, "phone")
    with Running("sync", "--home", laptop) as here, Running("sync", "--home", phone, "--json") as there:
        call("set", "diet", "vegan", "--home", laptop)
        _until(lambda: call("get", "diet", "--home", phone).out == "vegan\n")
        _until(lambda: call("status", "--json", "--home", phone).json["state"] == "synced")
        _until(lambda: call("status", "--json", "--home", phone).json["indexing"] == 0)
        ended, told = there.finish(signal.SIGTERM), here.finish(signal.SIGINT)
    assert "pending" in ended.json
    assert (told.code, told.err) == (0, "")
    assert "synced" in told.out


def test_sync_in_the_foreground_waits_for_a_relay_that_is_down(call: Call, laptop: Path, relay: Relay) -> None:
    relay.finish(signal.SIGTERM)
    with Running("sync", "--home", laptop) as syncing:
        assert syncing.line() in ("offline", "connecting")
        told = syncing.finish(signal.SIGTERM)
    assert (told.code, told.err) == (0, "")


def test_waiting_for_a_device_can_be_interrupted(laptop: Path, relay: Relay) -> None:
    with Running("pair", "--home", laptop, "--json") as pairing:
        assert pairing.error_line().startswith("code: ")
        assert pairing.finish(signal.SIGINT) == Outcome(130, "", "")


def test_forget_agent_reaches_the_other_device_and_what_the_person_wrote_stays(
    call: Call, laptop: Path, relay: Relay, tmp_path: Path
) -> None:
    phone = tmp_path / "phone"
    _join(laptop, phone, relay, "phone")
    call("remember", "diet", "vegan", "--agent", FOOD, *REASON, "--home", phone)
    for home in (phone, laptop):
        call("sync", "--once", "--no-index", "--home", home)
    assert call("forget", "--agent", "prix/daily-eats", "--json", "--home", laptop).json == {"forgotten": 1}
    for home in (laptop, phone):
        call("sync", "--once", "--no-index", "--home", home)
    assert "'diet'" in call("get", "diet", "--home", phone).refusal
    assert call("get", "name", "--home", phone).out == "Alice\n"


def test_a_relay_reached_by_another_name_refuses_the_login(call: Call, tmp_path: Path) -> None:
    with Relay(tmp_path / "relay", "--origin", "relay.example:443") as relay:
        call("init", "--name", "laptop")
        call("relay", "use", relay.url)
        refused = call("sync", "--once")
        assert refused.code == 1
        assert refused.refusal
