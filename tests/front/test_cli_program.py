"""The program as a program: its help, its options, its streams, how it ends and how fast it starts."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.front.cli_runs import PROGRAM, Call, in_process, program
from vademecum import Vault, __version__
from vademecum.cli.program import COMMANDS, GROUPS
from vademecum.cli.reference import reference

ROOT = Path(__file__).parents[2]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return in_process(capsys)


def test_both_names_are_the_same_program() -> None:
    scripts = {script.name: script.value for script in entry_points(group="console_scripts")}
    assert scripts["vademecum"] == scripts["vade"] == "vademecum.cli:main"


def test_the_reference_is_what_the_commands_say() -> None:
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == reference(), (
        "python -m vademecum.cli.reference docs/cli.md"
    )


def test_help_and_version_go_to_stdout(call: Call) -> None:
    shown = call("--help")
    assert (shown.code, shown.err) == (0, "")
    assert all(f"  {name} " in shown.out for name in COMMANDS)
    assert call().out == shown.out
    assert call("--version").out == f"vademecum {__version__}\n"
    for group, commands in GROUPS.items():
        assert all(f"  {name} " in call(group).out for name in commands)


@pytest.mark.parametrize("name", [*COMMANDS, *(f"{group} {inner}" for group in GROUPS for inner in GROUPS[group])])
def test_every_command_has_help_with_its_home_json_and_examples(call: Call, name: str) -> None:
    shown = call(*name.split(), "--help")
    assert (shown.code, shown.err) == (0, "")
    if name not in GROUPS:
        assert "--home" in shown.out
        assert "--json" in shown.out
        assert f"    vademecum {name}" in shown.out


def test_home_and_json_are_taken_before_and_behind_the_command(call: Call, tmp_path: Path) -> None:
    home = tmp_path / "v"
    assert call("--home", home, "--json", "init", "--name", "laptop").json["home"] == str(home)
    assert call("set", "name", "Alice", "--home", home).code == 0
    assert call("--home", home, "--json", "get", "name").json == call("get", "name", "--home", home, "--json").json
    assert call("--home", tmp_path / "other", "get", "name", "--home", home).out == "Alice\n"
    assert call("--home", home, "relay", "use", "http://127.0.0.1:9").code == 0


def test_without_home_the_environment_decides_and_then_the_platform(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VADEMECUM_HOME", str(tmp_path / "named"))
    assert call("init", "--json").json["home"] == str(tmp_path / "named")
    for unset in (lambda: monkeypatch.setenv("VADEMECUM_HOME", ""), lambda: monkeypatch.delenv("VADEMECUM_HOME")):
        unset()
        refused = call("get", "name").refusal
        assert "vademecum" in refused
        assert str(tmp_path / "named") not in refused


def test_a_home_is_taken_as_the_shell_would(call: Call) -> None:
    made = call("init", "--home", "~/memory", "--json").json["home"]
    assert made == str(Path.home() / "memory")


def test_json_is_utf8_or_ascii_as_stdout_can_take() -> None:
    assert program("init").code == 0
    assert program("set", "name", "Zoë").code == 0
    for encoding, expected in (("utf-8", '"Zoë"'), ("ascii", '"Zo\\u00eb"'), ("latin-1", '"Zo\\u00eb"')):
        done = subprocess.run(
            [*PROGRAM, "get", "name", "--json"],
            capture_output=True,
            env={**os.environ, "PYTHONIOENCODING": encoding},
            check=True,
        )
        assert expected in done.stdout.decode()
        assert json.loads(done.stdout)["value"] == "Zoë"
    plain = subprocess.run(
        [*PROGRAM, "get", "name"], capture_output=True, env={**os.environ, "PYTHONIOENCODING": "ascii"}, check=True
    )
    assert plain.stdout == b"Zo\\xeb\n"


def test_bytes_that_are_no_text_are_refused_in_one_sentence() -> None:
    assert program("init").code == 0
    done = subprocess.run([*map(os.fsencode, PROGRAM), b"set", b"name", b"\xff\xfe"], capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.startswith(b"error: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("command", [("tree",), ("tree", "--json"), ("--help",), ("log",)])
def test_a_reader_that_has_gone_ends_the_program_quietly(command: tuple[str, ...]) -> None:
    with Vault.create(os.environ["VADEMECUM_HOME"]) as vault:
        vault.user.set("much", {f"leaf{number}": "x" * 1000 for number in range(50)})
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run([*PROGRAM, *command], stdout=writing, stderr=subprocess.PIPE, check=False, timeout=30)
    finally:
        os.close(writing)
    assert done.stderr == b""
    assert done.returncode == 1


def test_on_a_terminal_there_is_colour_unless_no_color_is_set() -> None:
    with Vault.create(os.environ["VADEMECUM_HOME"]) as vault:
        vault.user.set("name", "Alice")
    plain = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    shown = _on_a_terminal(["tree"], {**plain, "TERM": "xterm-256color"})
    assert b"\x1b[" in shown
    assert b"Alice" in shown
    shown = _on_a_terminal(["tree"], {**plain, "TERM": "xterm-256color", "NO_COLOR": "1"})
    assert b"\x1b[3" not in shown
    assert b"Alice" in shown


def test_progress_is_shown_on_a_terminal_and_stdout_stays_clean(tmp_path: Path) -> None:
    Vault.create(os.environ["VADEMECUM_HOME"]).close()
    file = tmp_path / "vault.yaml"
    file.write_text("public:\n" + "".join(f"  leaf{number}: {number}\n" for number in range(20)))
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [*PROGRAM, "import", str(file), "--json"],
        stdout=subprocess.PIPE,
        stderr=follower,
        env={**os.environ, "TERM": "xterm-256color"},
    ) as process:
        os.close(follower)
        progress = _drain(leader)
        assert process.stdout is not None
        out = process.stdout.read()
    assert process.returncode == 0
    assert json.loads(out)["leaves"] == 20
    assert b"Importing" in progress
    assert b"20/20" in progress


def test_get_loads_nothing_that_it_does_not_need() -> None:
    with Vault.create(os.environ["VADEMECUM_HOME"]) as vault:
        vault.user.set("name", "Alice")
    heavy = "numpy pycrdt rich aiohttp asyncio cryptography onnxruntime hnswlib sqlite3 ruamel zstandard"
    code = (
        "import sys; from vademecum.cli import main; code = main(['get', 'name']); "
        f"print([name for name in {heavy.split()} if name in sys.modules]); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "Alice\n[]\n"


def _on_a_terminal(arguments: list[str], environment: dict[str, str]) -> bytes:
    leader, follower = pty.openpty()
    with subprocess.Popen([*PROGRAM, *arguments], stdout=follower, stderr=follower, env=environment) as process:
        os.close(follower)
        shown = _drain(leader)
    assert process.returncode == 0
    return shown


def _drain(leader: int) -> bytes:
    """All that is written to a terminal until its last writer has closed it."""
    shown = b""
    try:
        while chunk := os.read(leader, 65536):
            shown += chunk
    except OSError:  # how Linux says that the other end is closed
        pass
    finally:
        os.close(leader)
    return shown
