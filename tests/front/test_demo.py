"""The demo tells its story with real processes, counts what it promised, and leaves nothing behind."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from vademecum.demo import run
from vademecum.demo.processes import DeviceProcess, Failed
from vademecum.demo.search import MIN_BYTES, bytes_of, find_texts
from vademecum.demo.story import load_story
from vademecum.errors import UnreadableFile

STORY = "from vademecum.demo import run; raise SystemExit(run())"


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made during the test."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


def told(data: Path | None) -> tuple[int, str]:
    out = io.StringIO()
    code = run(data, console=Console(file=out, width=200))
    return code, out.getvalue()


def conversation(**fields: Any) -> dict[str, Any]:
    turns = [
        {"id": f"t{number}", "at": "2026-05-08T13:56:00Z", "speaker": "Ines", "text": f"This is sentence {number}."}
        for number in range(4)
    ]
    return {"conversation": "talk", "turns": turns, "facts": [], **fields}


def test_the_story_is_told_with_every_expectation_held_and_nothing_left_behind(scratch: Path) -> None:
    code, text = told(None)
    assert code == 0, text
    assert "✗" not in text
    for expected in (
        "every leaf is what the law says",
        "both devices hold the same",
        "found by meaning and by words together",
        "the phone quotes, word for word, what only the laptop was told",
        "the hypothesis graduates",
        "the old preference is flagged by the new one",
        "the budget is full",
        "it holds ciphertext only",
        "the tablet holds the same tree as the laptop",
        "fetch the whole vault",
    ):
        assert expected in text
    assert text.count("✓") == int(text.split("All ")[-1].split()[0])
    assert list(scratch.iterdir()) == []


def test_an_expectation_that_does_not_hold_is_shown_and_ends_with_one(scratch: Path, tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    questions = [{"question": "sentence 3", "evidence": ["t0"]}]
    turns = [{**turn, "id": f"t{place}"} for place, turn in enumerate(conversation()["turns"] * 20)]
    file.write_text(json.dumps([conversation(turns=turns, questions=questions)]))
    code, text = told(file)
    assert code == 1, text
    assert "✗ 0 of 1 questions" in text
    assert "1 of" in text.splitlines()[-1]
    assert list(scratch.iterdir()) == []


def test_a_file_that_is_no_transcript_is_refused_before_anything_starts(scratch: Path, tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    file.write_text(json.dumps([conversation(facts=[{"speaker": "Ines", "text": "x", "evidence": ["t9"]}])]))
    with pytest.raises(UnreadableFile, match="'t9'"):
        told(file)
    assert list(scratch.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="process groups and SIGINT are POSIX")
def test_an_interrupted_demo_leaves_no_process_and_no_folder(scratch: Path) -> None:
    demo = subprocess.Popen(
        [sys.executable, "-u", "-c", STORY],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert demo.stdout is not None
    with demo.stdout:
        assert any("reaches nobody" in line for line in demo.stdout)
        os.killpg(demo.pid, signal.SIGINT)
        demo.stdout.read()
    assert demo.wait(20) != 0
    end = time.monotonic() + 20
    while _group_lives(demo.pid):
        assert time.monotonic() < end, "a process of the demo is still there"
    assert list(scratch.iterdir()) == []


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_device_answers_a_refusal_with_its_code(tmp_path: Path) -> None:
    with DeviceProcess("laptop", tmp_path / "laptop") as device:
        device.ask("create", home=str(device.home), name="laptop")
        with pytest.raises(Failed) as caught:
            device.ask("sync")
        assert caught.value.code == "no-relay"
        assert device.ask("tree").value == {"public": {}, "private": {}, "agents": {}}


def test_a_device_whose_process_was_killed_is_said_to_have_ended(tmp_path: Path) -> None:
    with DeviceProcess("laptop", tmp_path / "laptop") as device:
        os.kill(device.pid, signal.SIGTERM)
        with pytest.raises(Failed) as caught:
            for _ in range(100):
                device.ask("create", home=str(device.home), name="laptop")
        assert caught.value.code == "ended"


def test_each_half_holds_the_turns_its_facts_rest_on(tmp_path: Path) -> None:
    facts = [
        {"speaker": "Ines", "text": "early", "evidence": ["t0", "t1"]},
        {"speaker": "Ines", "text": "late", "evidence": ["t0", "t3"]},
    ]
    file = tmp_path / "talk.json"
    file.write_text(json.dumps([conversation(facts=facts)]))
    (first,), (second,) = load_story(file).halves
    assert [turn["id"] for turn in first["turns"]] == ["t0", "t1"]
    assert [turn["id"] for turn in second["turns"]] == ["t0", "t2", "t3"]
    assert (first["facts"], second["facts"]) == (facts[:1], facts[1:])


def test_a_device_is_asked_only_what_it_has_never_seen(tmp_path: Path) -> None:
    questions = [
        {"question": "first half", "evidence": ["t0"]},
        {"question": "second half", "evidence": ["t2", "t3"]},
        {"question": "both", "evidence": ["t1", "t2"]},
        {"question": "nowhere", "evidence": ["t9"]},
        {"question": "has no answer", "evidence": ["t0"], "category": 5},
    ]
    file = tmp_path / "talk.json"
    file.write_text(json.dumps([conversation(questions=questions)]))
    laptop, phone = load_story(file).questions
    assert [one.text for one in laptop] == ["second half"]
    assert [(one.text, one.evidence) for one in phone] == [("first half", {("talk", "t0")})]


def test_without_questions_the_facts_are_to_be_found_by_what_they_say(tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    file.write_text(json.dumps([conversation(facts=[{"speaker": "Ines", "text": "a fact", "evidence": ["t0"]}])]))
    laptop, phone = load_story(file).questions
    assert ([one.text for one in laptop], [one.text for one in phone]) == ([], ["a fact"])


def test_a_search_of_files_finds_what_is_there_whole_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "file").write_bytes(b"\0\1grandmother's cheese\xff" + "Dona Aurélia".encode())
    texts = ["grandmother's cheese", "grandmother's letters", "Dona Aurélia", "cheese"]
    assert len("cheese") < MIN_BYTES
    contents = bytes_of(tmp_path)
    assert list(contents) == ["deep/file"]
    assert find_texts(contents.values(), texts) == {"grandmother's cheese", "Dona Aurélia"}
