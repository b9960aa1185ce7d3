"""`init --sealed`, `seal` and `unseal` on the command line, and how it comes by passphrases and words."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.front.cli_runs import PROGRAM, Call, in_process, program
from tests.front.sealed_vaults import WORDS, keyring_file, marks_in

__all__ = ["keyring_file"]

QUESTION = "Passphrase of the vault: "


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return in_process(capsys)


@pytest.fixture
def home() -> Path:
    return Path(os.environ["VADEMECUM_HOME"])


def with_input(text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROGRAM, *arguments], input=text, capture_output=True, text=True, timeout=30, check=False)


def test_a_vault_with_a_passphrase_from_the_environment(
    call: Call, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VADEMECUM_PASSPHRASE", WORDS)
    made = call("init", "--sealed", "--name", "okapi", "--json").json
    assert made["name"] == "okapi" and len(made["recovery_phrase"].split()) == 24
    call("set", "quokka", "Kumquat")
    assert call("get", "quokka").out == "Kumquat\n"
    assert marks_in(home) == []
    monkeypatch.setenv("VADEMECUM_PASSPHRASE", "something else")
    refused = call("get", "quokka")
    assert (refused.code, refused.refusal) == (1, "That is not the passphrase of this vault. Nothing was read.")
    monkeypatch.delenv("VADEMECUM_PASSPHRASE")
    assert "VADEMECUM_PASSPHRASE" in call("get", "quokka").refusal
    assert "no terminal" in call("init", "--passphrase", "--home", home.parent / "other").refusal
    assert not (home.parent / "other").exists()


def test_the_keyring_opens_without_a_question_and_the_words_where_its_entry_is_lost(
    call: Call, home: Path, keyring_file: Path
) -> None:
    words = call("init", "--sealed", "--json").json["recovery_phrase"]
    call("set", "quokka", "Kumquat")
    assert program("get", "quokka").out == "Kumquat\n"
    keyring_file.unlink()
    assert "--recovery" in call("get", "quokka").refusal
    wrong = with_input("abandon " * 23 + "art\n", "seal", "--rekey", "--recovery")
    assert (wrong.returncode, wrong.stdout) == (1, "") and "another vault" in wrong.stderr
    rekeyed = with_input(f"{words}\n", "seal", "--rekey", "--recovery", "--json")
    assert json.loads(rekeyed.stdout) == {"sealed": True, "key": "keyring", "in_the_open": []}
    assert call("get", "quokka").out == "Kumquat\n"
    keyring_file.unlink()
    assert with_input(f"{words}\n", "unseal", "--recovery").returncode == 0
    assert call("get", "quokka").out == "Kumquat\n"


def test_seal_tells_where_the_key_is_and_what_else_lies_there(
    call: Call, home: Path, keyring_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("init")
    call("set", "quokka", "Kumquat")
    (home / "notes.txt").write_text("mine")
    sealed = call("seal")
    assert (sealed.code, sealed.err.count("notes.txt")) == (0, 1)
    assert sealed.out == "The vault is sealed. Its key is in the system's keyring; the recovery phrase opens it too.\n"
    assert "sealed already" in call("seal").refusal
    monkeypatch.setenv("VADEMECUM_NEW_PASSPHRASE", WORDS)
    assert json.loads(call("seal", "--rekey", "--json").out)["key"] == "passphrase"
    assert json.loads(keyring_file.read_text()) == {}
    monkeypatch.setenv("VADEMECUM_PASSPHRASE", WORDS)
    assert call("unseal", "--json").json == {"sealed": False}
    assert "not sealed" in call("unseal").refusal
    assert "not sealed" in call("seal", "--rekey").refusal
    assert call("get", "quokka").out == "Kumquat\n"


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal of its own")
def test_on_a_terminal_the_passphrase_is_asked_for(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VADEMECUM_PASSPHRASE", WORDS)
    call("init", "--sealed")
    call("set", "quokka", "Kumquat")
    monkeypatch.delenv("VADEMECUM_PASSPHRASE")
    ours, theirs = os.openpty()
    with subprocess.Popen(
        [*PROGRAM, "get", "quokka"],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        asked = process.stderr.read(len(QUESTION))  # what is typed before the question is thrown away
        os.write(ours, f"{WORDS}\n".encode())
        out, rest = process.stdout.read(), process.stderr.read()
    os.close(ours)
    os.close(theirs)
    assert (process.returncode, asked, rest, out) == (0, QUESTION, "\n", "Kumquat\n")
