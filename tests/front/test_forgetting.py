"""Forgetting through the front door: by path, agent, session and time; and what is told of how far it has come."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import PIPE

import pytest

from tests.front.cli_runs import Call, in_process
from vademecum import Vault
from vademecum.errors import InvalidArgument, NotFound
from vademecum.textfile import bring_into_step

MARKER = "heliotrope"
FOOD = "prix/daily-eats@1.0.0"


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return in_process(capsys)


def held(home: Path) -> bytes:
    return b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file())


def test_no_file_of_the_device_holds_what_was_forgotten(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Vault.create(home) as vault:
        vault.user.set("plants.one", f"{MARKER} one", private=True)
        vault.agent(FOOD).remember("plants.two", f"{MARKER} two", because=f"I said {MARKER} three")
        vault.user.set("name", "Alice")
        vault.index()
        assert vault.recall(MARKER)
        assert MARKER.encode() in held(home)
        assert vault.forget("plants") == 2
        assert MARKER.encode() not in held(home)
        assert vault.recall("Alice")[0].path == "name"
        assert vault.forgetting().complete


def test_the_text_files_that_the_vault_has_written_are_brought_up_to_date(tmp_path: Path) -> None:
    file = tmp_path / "vault.yaml"
    with Vault.create(tmp_path / "home") as vault:
        vault.user.set("plants", MARKER)
        vault.user.set("name", "Alice")
        bring_into_step(vault, file)
        assert MARKER in file.read_text()
        vault.forget("plants")
        assert MARKER not in file.read_text() and "Alice" in file.read_text()
        assert vault.forgetting().complete
        vault.user.set("plants", MARKER)
        bring_into_step(vault, file)
        file.write_text(file.read_text().replace("name:", "name: ["))
        vault.forget("plants")
        assert file in vault.forgetting().files and not vault.forgetting().complete
        file.unlink()
        assert file not in vault.forgetting().files


def test_while_another_process_has_the_old_files_open_that_is_said(tmp_path: Path) -> None:
    home = tmp_path / "home"
    reading = (
        "import sys; from vademecum import Vault; v = Vault.open(sys.argv[1]); v.user.get('plants'); print(); input()"
    )
    with Vault.create(home) as vault:
        vault.user.set("plants", MARKER)
        with subprocess.Popen([sys.executable, "-c", reading, home], stdin=PIPE, stdout=PIPE) as other:
            assert other.stdout is not None and other.stdout.readline()
            assert vault.forget("plants") == 1
            (left,) = vault.forgetting().outstanding
            assert (left.scope, left.here, left.devices) == ("user.public", True, ())
            other.communicate(b"\n", timeout=30)
        assert vault.forgetting().complete
        assert MARKER.encode() not in held(home)


def test_exactly_one_thing_is_forgotten_at_a_time(tmp_path: Path) -> None:
    with Vault.create(tmp_path / "home") as vault:
        vault.user.set("a", 1)
        now = datetime.now(UTC)
        for wrong in ({}, {"path": "a", "agent": FOOD}, {"path": "a", "since": now}, {"session": "s", "before": now}):
            with pytest.raises(InvalidArgument):
                vault.forget(**wrong)  # type: ignore[arg-type]
        with pytest.raises(NotFound):
            vault.forget(session="s")
        assert vault.user.get("a") == 1


def test_what_agents_learned_in_a_span_is_forgotten(tmp_path: Path) -> None:
    with Vault.create(tmp_path / "home") as vault:
        vault.user.set("mine", 1)
        vault.agent(FOOD).remember("theirs", 2, because="said")
        now = datetime.now(UTC)
        assert vault.forget(before=now - timedelta(hours=1)) == 0
        assert vault.forget(since=now - timedelta(hours=1)) == 1
        assert [leaf.path for leaf in vault.user.leaves()] == ["mine"]


def test_the_command_forgets_in_each_way_and_says_how_far_it_has_come(call: Call) -> None:
    assert call("init").code == 0
    for path in ("a", "a.b", "c"):
        assert call("set", path, "1").code == 0
    assert call("forget", "a", "--only", "--json").json == {"forgotten": 1}
    assert call("remember", "d", "1", "--agent", FOOD, "--because", "said").code == 0
    assert call("forget", "--since", "2020-01-01T00:00:00Z").out == "1 leaf is forgotten.\n"
    assert call("forget", "--status", "--json").json == {
        "complete": True,
        "outstanding": [],
        "files": [],
        "revoked": [],
    }
    assert "gone from everywhere" in call("forget", "--status").out
    assert call("forget", "--session", "talk").code == 1
    for wrong in (("--status", "a"), ("--only",), ("--since", "yesterday"), ("c", "--agent", FOOD), ()):
        assert call("forget", *wrong).code == 2
    assert call("get", "c").out == "1\n"


def test_how_much_of_the_past_is_kept_is_shown_and_changed(call: Call) -> None:
    assert call("init").code == 0
    assert call("retention", "--json").json == {"days": 400, "bytes": 8 << 20, "newest": 8}
    assert call("retention", "--days", "90", "--newest", "3", "--json").json["days"] == 90
    assert call("retention").out == "90 days, 8,388,608 bytes in each scope, 3 changes of each leaf.\n"
    assert call("retention", "--newest", "0").code == 2
    assert call("retention", "--json").json["newest"] == 3
