"""``edit``, ``mirror`` and ``export``, with real editors and real processes."""

from __future__ import annotations

import json
import os
import pty
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.front.cli_runs import PROGRAM, Call, Running, in_process
from vademecum import Vault
from vademecum.errors import NotFound
from vademecum.importers import import_file
from vademecum.textfile import Mirror, bring_into_step, purge_exports

EATS = "prix/daily-eats@1.0.0"


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return in_process(capsys)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a vault with something in it."""
    folder = tmp_path / "home"
    with Vault.create(folder) as vault:
        vault.user.set("name", "Alice")
        vault.user.set("zoo", 1)
        eats = vault.agent(EATS)
        eats.remember("diet", ["vegetarian"], because="I eat no meat")
        eats.remember("tried", ["Ox & Fig"], because="we were there", scope="agent")
        talk = tmp_path / "talk.json"
        turn = {"id": "t1", "at": "2026-05-08T13:56:00Z", "speaker": "Ines", "text": "I get\nseasick."}
        talk.write_text(json.dumps([{"conversation": "trip", "turns": [turn]}]))
        import_file(vault, talk)
    monkeypatch.setenv("VADEMECUM_HOME", str(folder))
    return folder


@pytest.fixture
def vault(home: Path) -> Iterator[Vault]:
    with Vault.open(home) as opened:
        yield opened


def editor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, work: str) -> None:
    """$EDITOR becomes a program that does *work* with ``file``, a path, and ``text``, what it holds."""
    script = tmp_path / "my editor.py"
    script.write_text(f"import sys, pathlib\nfile = pathlib.Path(sys.argv[1])\ntext = file.read_text()\n{work}\n")
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"'{sys.executable}' '{script}'")


def test_edit_takes_over_what_was_changed_and_leaves_no_copy(
    call: Call, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(monkeypatch, tmp_path, "file.write_text(text.replace('Alice', 'Bob').replace('  zoo: 1\\n', ''))")
    outcome = call("edit")
    assert (outcome.code, outcome.out) == (0, "Written as yours: public.name\nDeleted: public.zoo\n")
    assert call("get", "name").out == "Bob\n"
    assert list(home.glob("edit-*")) == []


def test_edit_without_a_change_says_so(call: Call, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor(monkeypatch, tmp_path, "")
    assert call("edit").out == "Nothing was changed.\n"
    editor(monkeypatch, tmp_path, "file.unlink()")
    report = call("edit", "--json").json
    assert (report["written"], report["deleted"], report["kept"]) == ([], [], [])


def test_a_copy_that_does_not_parse_is_kept_and_edit_goes_on_with_it(
    call: Call, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(monkeypatch, tmp_path, "file.write_text(text.replace('name: Alice', 'name: [Bob'))")
    outcome = call("edit")
    assert outcome.code == 2
    (copy,) = home.glob("edit-*/vault.yaml")
    assert f"of '{copy}' cannot be taken over" in outcome.refusal
    assert f"`vademecum edit {copy}` goes on with it" in outcome.refusal
    assert call("get", "name").out == "Alice\n"
    editor(monkeypatch, tmp_path, "file.write_text(text.replace('[Bob', 'Bob'))")
    assert call("edit", copy).out == "Written as yours: public.name\n"
    assert list(home.glob("edit-*")) == []


def test_on_a_terminal_the_editor_opens_again(
    call: Call, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(monkeypatch, tmp_path, "file.write_text(text.replace('[Bob', 'Bob').replace('name: Alice', 'name: [Bob'))")
    leader, follower = pty.openpty()
    with subprocess.Popen([*PROGRAM, "edit"], stdin=follower, stdout=follower, stderr=follower) as process:
        os.close(follower)
        shown = b""
        while b"Open it again?" not in shown:
            shown += os.read(leader, 65536)
        os.write(leader, b"y\n")
        while b"Written as yours: public.name" not in shown:
            shown += os.read(leader, 65536)
        process.wait(timeout=20)
    os.close(leader)
    assert process.returncode == 0
    assert b"does not parse" in shown
    assert call("get", "name").out == "Bob\n"


def test_what_changed_in_the_vault_while_the_editor_was_open_is_merged(
    call: Call, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = "import subprocess, os, time\nrun = [sys.executable, '-m', 'vademecum.cli', 'set']\n"
    work = (
        elsewhere + "file.write_text(text.replace('Alice', 'typed').replace('  zoo: 1\\n', '  zoo: 2\\n'))\n"
        "os.utime(file, (time.time() - 60, time.time() - 60))\n"
        "subprocess.check_call([*run, 'name', 'from the phone'], stdout=sys.stderr)"
    )
    editor(monkeypatch, tmp_path, work)
    report = call("edit", "--json")
    document = json.loads(report.out)
    assert (document["written"], document["overruled"]) == (["public.zoo"], ["public.name"])
    assert call("get", "name").out == "from the phone\n"
    assert "name: typed" in Path(document["kept"][0]).read_text()


@pytest.mark.parametrize(("work", "words"), [("sys.exit(3)", "ended with 3"), (None, "cannot be started")])
def test_an_editor_that_fails_changes_nothing(
    call: Call, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: str | None, words: str
) -> None:
    editor(monkeypatch, tmp_path, work or "")
    if work is None:
        monkeypatch.setenv("VISUAL", "no-such-editor")
    outcome = call("edit")
    assert outcome.code == 1
    assert words in outcome.refusal
    assert list(home.glob("edit-*")) == []


def test_export_writes_a_file_once(call: Call, home: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.yaml"
    assert call("export", file, "--json").json == {"file": str(file)}
    assert "name: Alice\n" in file.read_text()
    assert "already" in call("export", file).refusal
    file.write_text(file.read_text().replace("Alice", "Bob"))
    assert call("mirror", file, "--once").out == "Written as yours: public.name\n"


def test_mirror_once_says_what_it_did(call: Call, home: Path) -> None:
    file = home / "vault.yaml"
    report = call("mirror", "--once", "--json").json
    assert (report["target"], report["file"]) == (str(file), "created")
    assert call("mirror", "--once").out == "Both were in step.\n"
    file.write_text(file.read_text() + "# a comment\n")
    assert call("mirror", "--once").out == "Both were in step.\n"
    file.write_text("public: [\n")
    outcome = call("mirror", "--once")
    assert (outcome.code, "Line 2" in outcome.refusal) == (2, True)


def test_a_folder_also_has_copies_of_what_agents_keep_and_of_sessions(
    call: Call, home: Path, vault: Vault, tmp_path: Path
) -> None:
    folder = tmp_path / "memory"
    report = call("mirror", folder, "--once", "--json").json
    assert report["copies"] == {"written": 2, "removed": 0, "kept": []}
    agent, messages = folder / "agents/prix/daily-eats.yaml", folder / "sessions/trip/messages.jsonl"
    assert sorted(one for one in folder.rglob("*") if one.is_file()) == [agent, messages, folder / "vault.yaml"]
    source = vault.user.leaf("tried").source()
    assert agent.read_text() == (
        "# What prix/daily-eats keeps for itself. A copy for reading: changes here are not taken over.\n\nagents:\n"
        '  "prix/daily-eats":\n    tried:\n      _value: [Ox & Fig]\n'
        f"      _source: {{_agent: {EATS}, _created: {source['created']}, _updated: {source['updated']}}}\n"
    )
    assert json.loads(messages.read_text()) == {
        "id": "t1", "at": "2026-05-08T13:56:00.000Z", "speaker": "Ines", "text": "I get\nseasick.",
    }  # fmt: skip
    for one in folder.rglob("*"):
        assert stat.S_IMODE(one.stat().st_mode) == (0o700 if one.is_dir() else 0o600)
    with Vault.create(tmp_path / "other") as other:
        assert import_file(other, agent).leaves == 1
    assert call("mirror", folder, "--once").out == "Both were in step.\n"


def test_what_is_forgotten_vanishes_from_every_file_that_the_vault_knows(vault: Vault, tmp_path: Path) -> None:
    folder, export = tmp_path / "memory", tmp_path / "export.yaml"
    Mirror(vault, folder).once()
    bring_into_step(vault, export)
    vault.user.set("secret", "marker-4711")
    vault.agent(EATS).remember("tried", ["marker-4711"], because="we were there too", scope="agent")
    Mirror(vault, folder).once()
    bring_into_step(vault, export)
    places = [one for top in (tmp_path / "memory", export) for one in (top, *top.rglob("*"))]
    assert sum(b"marker-4711" in one.read_bytes() for one in places if one.is_file()) == 3
    vault.forget("secret")
    vault.forget(agent="prix/daily-eats")
    assert not any(b"marker-4711" in one.read_bytes() for one in places if one.is_file())
    assert not (folder / "agents").exists()
    assert (folder / "sessions/trip/messages.jsonl").exists()


def test_a_file_in_which_what_was_forgotten_still_stands_is_named_until_it_does_not(
    call: Call, home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "vault.yaml"
    call("mirror", file, "--once")
    whole = file.read_text()
    file.write_text(f"{whole}]\n")
    assert "not gone from everywhere" in call("forget", "zoo").out
    status = call("forget", "--status", "--json").json
    assert (status["complete"], status["files"]) == (False, [str(file)])
    assert str(file) in call("forget", "--status").out
    file.write_text(whole)
    assert call("mirror", file, "--once").code == 0
    assert call("forget", "--status", "--json").json["files"] == []


def test_what_lies_beside_a_file_or_cannot_be_reached_is_named_after_forgetting(vault: Vault, tmp_path: Path) -> None:
    broken, gone, conflict = tmp_path / "broken.yaml", tmp_path / "gone.yaml", tmp_path / "broken.conflict-x.yaml"
    for file in (broken, gone):
        bring_into_step(vault, file)
    gone.unlink()
    broken.write_text("public: [\n")
    conflict.write_text("public: {}\n")
    assert set(purge_exports(vault)) == {broken, conflict}
    assert not gone.exists()


def test_a_sealed_vault_keeps_no_name_of_a_meeting_readable(
    call: Call, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("set", "rarely-seen-name", "marker-4711")
    call("mirror", tmp_path / "vault.yaml", "--once")
    monkeypatch.setenv("VADEMECUM_PASSPHRASE", "correct horse battery staple")
    assert call("seal", "--passphrase").code == 0
    assert call("mirror", tmp_path / "vault.yaml", "--once").out == "Both were in step.\n"
    files = [one for one in home.rglob("*") if one.is_file()]
    assert not any(word in one.read_bytes() for one in files for word in (b"rarely-seen-name", b"marker-4711"))


def test_a_copy_that_somebody_changed_is_moved_aside(vault: Vault, tmp_path: Path) -> None:
    mirrored = Mirror(vault, tmp_path / "memory")
    mirrored.once()
    copy = tmp_path / "memory/agents/prix/daily-eats.yaml"
    text = copy.read_text()
    copy.write_text("my own notes\n")
    (kept,) = mirrored.once().copies.kept
    assert (copy.read_text(), kept.read_text()) == (text, "my own notes\n")
    with pytest.raises(NotFound):
        vault.user.get("my")


def test_a_file_that_cannot_be_taken_over_is_told_once_until_it_changes(vault: Vault, tmp_path: Path) -> None:
    file = tmp_path / "vault.yaml"
    mirrored = Mirror(vault, file)
    mirrored.once()
    file.write_text("public: [\n")
    steps = [mirrored.step() for _ in range(4)]
    vault.user.set("later", 1)
    steps += [mirrored.step() for _ in range(4)]
    assert [step.trouble is not None for step in steps].count(True) == 1
    assert file.read_text() == "public: [\n"
    file.unlink()
    assert [mirrored.step().report.file for _ in range(3)].count("restored") == 1
    assert "later: 1\n" in file.read_text()


def test_mirror_stays_and_keeps_both_in_step_while_others_write(call: Call, home: Path, tmp_path: Path) -> None:
    file = tmp_path / "vault.yaml"

    def wait_for(text: str) -> None:
        deadline = time.monotonic() + 20
        while not file.exists() or text not in file.read_text():
            assert time.monotonic() < deadline, file.read_text()
            time.sleep(0.05)

    with Running("mirror", file) as running:
        assert "in step" in running.line()
        wait_for("name: Alice\n")
        assert running.line() == "The file is there."
        call("set", "zoo", "from the command line")
        wait_for("zoo: from the command line\n")
        assert running.line() == "The file was brought up to date."
        file.write_text(file.read_text().replace("Alice", "Bob"))
        assert running.line() == "Written as yours: public.name"
        assert call("get", "name").out == "Bob\n"
        outcome = running.finish(signal.SIGTERM)
    assert (outcome.code, outcome.err) == (0, "")
