"""One process holds the connection for all of a device; the others wake it, and ask it."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.endtoend.device import Device, join
from tests.front.cli_runs import Call, Running, in_process, program
from tests.transport.relay_process import RelayProcess
from vademecum import Vault, bell, holding
from vademecum.asking import asker
from vademecum.bell import Bell, Note
from vademecum.cli import main
from vademecum.errors import AlreadySyncing, MalformedBytes, RelayUnreachable
from vademecum.storage.tables import Table

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs flock")
PATIENCE = 20.0


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return in_process(capsys)


@pytest.fixture(scope="module")
def relay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RelayProcess]:
    """One for all tests; whoever kills it starts it again."""
    with RelayProcess(tmp_path_factory.mktemp("relay")) as running:
        yield running


@pytest.fixture
def home(relay: RelayProcess, tmp_path: Path) -> Path:
    """A vault that is to use the relay and has never synced."""
    folder = tmp_path / "home"
    with Vault.create(folder, device_name="laptop") as vault:
        vault.use_relay(relay.url)
    return folder


@pytest.fixture
def daemon(home: Path) -> Iterator[Note]:
    """The daemon of *home*, started by the program; ends with the test, by SIGTERM if it must."""
    assert main(["daemon", "start", "--home", str(home)]) == 0
    note = holding.holder(home)
    assert note is not None
    yield note
    if holding.is_held(home):
        os.kill(note.pid, signal.SIGTERM)
        until(lambda: not holding.is_held(home))


def until(holds: object) -> None:
    assert callable(holds)
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_daemon_starts_once_says_so_and_stops(call: Call, home: Path) -> None:
    assert call("daemon", "status", "--json", "--home", home).json == {"running": False, "pid": None, "kind": None}
    started = call("daemon", "start", "--json", "--home", home).json
    assert (started["running"], started["started"], started["kind"]) == (True, True, "daemon")
    again = call("daemon", "start", "--json", "--home", home).json
    assert again == {**started, "started": False}
    assert str(started["pid"]) in call("daemon", "status", "--home", home).out
    assert call("status", "--json", "--home", home).json["daemon"] == {
        "running": True,
        "pid": started["pid"],
        "kind": "daemon",
    }
    assert call("daemon", "stop", "--json", "--home", home).json == {"stopped": True}
    assert not holding.is_held(home)
    assert call("daemon", "stop", "--json", "--home", home).json == {"stopped": False}
    assert call("status", "--json", "--home", home).json["daemon"]["running"] is False
    assert not (home / bell.NOTE).exists()


def test_sigterm_ends_it_cleanly(home: Path, daemon: Note) -> None:
    os.kill(daemon.pid, signal.SIGTERM)
    until(lambda: not holding.is_held(home))
    until(lambda: (home / "daemon.log").read_text().endswith("stopped\n"))
    with Vault.open(home) as vault:
        assert vault.status().holder is None


def test_the_note_of_a_killed_daemon_fools_nobody(call: Call, home: Path, daemon: Note) -> None:
    os.kill(daemon.pid, signal.SIGKILL)
    until(lambda: not holding.is_held(home))
    assert Note.read(home) == daemon  # it had no time to take it away
    assert call("daemon", "status", "--json", "--home", home).json["running"] is False
    assert call("set", "a", "1", "--home", home).code == 0
    assert call("sync", "--once", "--no-index", "--json", "--home", home).json["state"] == "synced"
    assert call("daemon", "start", "--json", "--home", home).json["started"] is True
    assert call("daemon", "stop", "--json", "--home", home).json["stopped"] is True


def test_where_a_daemon_runs_another_sync_says_who_holds_the_connection(home: Path, daemon: Note) -> None:
    refused = program("sync", "--home", home)
    assert refused.code == 1
    assert "the daemon" in refused.refusal and str(daemon.pid) in refused.refusal


def test_a_sync_in_the_foreground_holds_the_connection_as_well(call: Call, home: Path) -> None:
    with Running("sync", "--home", home) as syncing:
        until(lambda: holding.holder(home) is not None)
        found = call("daemon", "start", "--json", "--home", home).json
        assert (found["started"], found["kind"], found["pid"]) == (False, "sync", syncing.process.pid)
        assert str(syncing.process.pid) in call("daemon", "stop", "--home", home).refusal
        assert syncing.finish(signal.SIGTERM).code == 0


def test_a_daemon_that_cannot_start_says_why(call: Call, tmp_path: Path) -> None:
    call("init", "--home", tmp_path / "alone")
    assert "relay use" in call("daemon", "start", "--home", tmp_path / "alone").refusal
    for command in ("start", "stop", "status"):
        assert "no vault" in call("daemon", command, "--home", tmp_path / "nothing").refusal


def test_the_passphrase_of_a_sealed_vault_is_asked_for_when_its_daemon_starts(
    call: Call, relay: RelayProcess, tmp_path: Path
) -> None:
    home = tmp_path / "sealed"
    with Vault.create(home, passphrase="correct horse battery") as vault:
        vault.use_relay(relay.url)
    assert "passphrase" in call("daemon", "start", "--home", home).refusal  # nobody to ask
    for answer, exit_code in (("something else", 1), ("correct horse battery", 0)):
        token = asker.set(lambda answer=answer: answer)  # as a program in a terminal does
        assert call("daemon", "start", "--home", home).code == exit_code
        asker.reset(token)
    assert call("daemon", "stop", "--json", "--home", home).json == {"stopped": True}


def test_two_daemons_started_at_once_are_one(home: Path) -> None:
    command = [sys.executable, "-m", "vademecum.cli", "daemon", "start", "--json", "--home", str(home)]
    starting = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    told = [json.loads(process.communicate(timeout=PATIENCE)[0]) for process in starting]
    assert [process.returncode for process in starting] == [0, 0, 0]
    assert sum(one["started"] for one in told) == 1
    assert len({one["pid"] for one in told}) == 1
    os.kill(told[0]["pid"], signal.SIGTERM)
    until(lambda: not holding.is_held(home))


def test_a_write_of_another_process_wakes_the_daemon(home: Path, daemon: Note) -> None:
    """Far sooner than it would look by itself."""
    with Vault.open(home) as vault:
        until(lambda: vault.status().state == "synced")
        waited = []
        for number in range(4):
            time.sleep(0.35)  # after a pause a change goes out at once
            vault.user.set(f"n{number}", number)
            began = time.monotonic()
            until(lambda: vault.status().pending == 0)
            waited.append(time.monotonic() - began)
    assert sorted(waited)[1] < 1.0


def test_the_command_line_agents_and_the_daemon_share_one_vault(
    call: Call, home: Path, relay: RelayProcess, tmp_path: Path, daemon: Note
) -> None:
    """Three agent runtimes write at once, one is killed, the command line writes meanwhile; all of it is sent."""
    with Vault.open(home) as member:
        asyncio.run(join(member, tmp_path / "phone", relay.url))
    with Device(home) as one, Device(home) as two:
        doomed = Device(home)
        doomed.start()
        for number, device in enumerate((one, two, doomed)):
            device.tell("fill", name=f"runtime{number}", count=60)
        next(doomed.acks())
        doomed.kill()
        for number in range(5):
            assert call("set", f"line.n{number}", str(number), "--home", home).code == 0
        assert one.answer() and two.answer()
        acknowledged = {ack["path"]: ack["value"] for device in (one, two, doomed) for ack in device.acknowledged}
    with Vault.open(home) as vault:
        until(lambda: (vault.status().state, vault.status().pending) == ("synced", 0))
        assert vault.status().problems == ()
    with Vault.open(tmp_path / "phone") as phone:
        asyncio.run(phone.sync_once())
        there = {leaf.path: leaf.value for leaf in phone.user.leaves()}
    assert len(acknowledged) > 120
    for path, value in {**acknowledged, **{f"line.n{number}": number for number in range(5)}}.items():
        assert there[path] == value


def test_the_log_has_no_memory_text_in_it(home: Path, daemon: Note) -> None:
    with Vault.open(home) as vault:
        vault.user.set("marker.path", "marker value")
        until(lambda: vault.status().pending == 0)
    os.kill(daemon.pid, signal.SIGTERM)
    until(lambda: not holding.is_held(home))
    assert b"marker" not in (home / "daemon.log").read_bytes()


def test_sync_once_asks_the_daemon_and_waits_for_what_came(
    call: Call, home: Path, relay: RelayProcess, tmp_path: Path, daemon: Note
) -> None:
    async def other() -> None:
        with Vault.open(home) as member:
            await join(member, tmp_path / "phone", relay.url)
        with Vault.open(tmp_path / "phone") as phone:
            phone.user.set("from.phone", 1)
            await phone.sync_once()

    asyncio.run(other())
    call("set", "from.laptop", "2", "--home", home)
    told = call("sync", "--once", "--no-index", "--json", "--home", home).json
    assert (told["state"], told["problems"]) == ("synced", [])
    assert call("get", "from.phone", "--home", home).out == "1\n"
    found = call("status", "--json", "--home", home).json
    assert (found["state"], found["pending"], found["problems"]) == ("synced", 0, [])


def test_sync_once_through_a_daemon_that_cannot_reach_the_relay_says_so(
    call: Call, home: Path, relay: RelayProcess, daemon: Note
) -> None:
    with Vault.open(home) as vault:
        until(lambda: vault.status().state == "synced")
    relay.kill()
    try:
        assert "answer" in call("sync", "--once", "--home", home).refusal
    finally:
        relay.start()
    assert call("sync", "--once", "--no-index", "--json", "--home", home).json["state"] == "synced"


def test_the_daemon_follows_when_the_vault_is_to_use_another_relay(home: Path, daemon: Note, tmp_path: Path) -> None:
    with RelayProcess(tmp_path / "other") as other, Vault.open(home) as vault:
        until(lambda: vault.status().state == "synced")
        vault.use_relay(other.url)
        vault.user.set("a", 1)
        # synced with the other one: nothing of the first is counted any more
        until(lambda: vault.status().state == "synced" and vault.status().pending == 0)
        with vault.replica.read() as view:
            assert view.reader.count(Table.OUTBOX) == 0


async def test_two_programs_cannot_both_hold_the_connection_and_sync_once_works_meanwhile(
    home: Path, relay: RelayProcess
) -> None:
    stop = asyncio.Event()
    with Vault.open(home) as vault:
        vault.user.set("a", 1)
        first = asyncio.create_task(vault.sync_forever(stop))
        while not holding.is_held(home):
            await asyncio.sleep(0.01)
        with pytest.raises(AlreadySyncing, match="a program"):
            await vault.sync_forever(asyncio.Event())
        reports = await asyncio.gather(*(vault.sync_once() for _ in range(5)))
        assert {report.state for report in reports} == {"synced"}
        relay.kill()
        with pytest.raises(RelayUnreachable):
            await vault.sync_once()
        relay.start()
        stop.set()
        await first
    assert not holding.is_held(home)


def test_a_copied_folder_has_no_daemon_though_it_has_the_note(home: Path, daemon: Note, tmp_path: Path) -> None:
    shutil.copytree(home, tmp_path / "copy")
    assert (tmp_path / "copy" / bell.NOTE).exists()
    assert not holding.is_held(tmp_path / "copy")
    assert holding.holder(tmp_path / "copy") is None


def test_a_forked_child_does_not_go_on_holding_the_connection(home: Path) -> None:
    code = """
import asyncio, os, sys
from pathlib import Path
from vademecum import holding

async def run():
    stop = asyncio.Event()
    async with holding.hold(Path(sys.argv[1]), "program", stop):
        if os.fork() == 0:
            sys.stdin.read()
            os._exit(0)
    print("over", holding.is_held(Path(sys.argv[1])), flush=True)

asyncio.run(run())
"""
    words = [sys.executable, "-c", code, str(home)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "over False\n"
        assert process.wait(PATIENCE) == 0
        assert not holding.is_held(home)


def test_nothing_but_calls_with_the_token_is_heard() -> None:
    token, question = bytes(range(16)), b"question"
    assert bell.read_call(token, bell.call(token, bell.SYNC, question)) == (bell.SYNC, question)
    sound = bell.call(token, bell.RING)
    for data in (b"", sound[:-1], sound + b"x", bytes(16) + sound[16:], token + b"z" + bytes(8)):
        with pytest.raises(MalformedBytes):
            bell.read_call(token, data)
    for data in (b"", b"a" + question, b"a" + question + b"[1]", b"a" + bytes(8) + b"{}", b"z" + question + b"{}"):
        with pytest.raises(MalformedBytes):
            bell.read_answer(question, data)


def test_a_note_that_is_none_is_like_no_note(tmp_path: Path) -> None:
    ring = Bell(tmp_path)
    for data in (b"", b"{}", b"[]", b'{"pid": 1, "kind": "x", "port": 70000, "token": "00"}', b"\xff" * 9000):
        (tmp_path / bell.NOTE).write_bytes(data)
        assert Note.read(tmp_path) is None
        ring.ring()
    ring.close()
