"""``import`` and ``demo`` as commands; what they do is tested with the importers and the demo."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.front.cli_runs import Call, in_process, program

TREE = """\
public:
  name: Alice
  diet:
    allergies: [peanuts]
private:
  address: Lisbon
"""

CONVERSATION = [
    {
        "conversation": "spring",
        "turns": [
            {
                "id": "t1",
                "session": "1",
                "at": "2026-04-01T10:00Z",
                "speaker": "Nia",
                "text": "I have a dog now, Bo.",
            },
            {"id": "t2", "session": "1", "at": "2026-04-01T10:01Z", "speaker": "Ed", "text": "How lovely!"},
        ],
        "facts": [{"speaker": "Nia", "text": "Nia adopted a dog named Bo", "evidence": ["t1"]}],
    }
]


@pytest.fixture
def vault(capsys: pytest.CaptureFixture[str]) -> Call:
    call = in_process(capsys)
    assert call("init", "--name", "laptop").code == 0
    return call


def test_import_of_a_tree_reports_what_is_new_and_the_same_file_twice_changes_nothing(
    vault: Call, tmp_path: Path
) -> None:
    file = tmp_path / "vault.yaml"
    file.write_text(TREE)
    report = vault("import", file, "--json").json
    assert report == {"leaves": 3, "messages": 0, "unchanged": 0, "indexed": 3}
    assert vault("get", "diet.allergies").out == '["peanuts"]\n'
    before = vault("log", "--json").json
    assert vault("import", file, "--format", "yaml", "--json").json == {
        "leaves": 0,
        "messages": 0,
        "unchanged": 3,
        "indexed": 0,
    }
    assert vault("log", "--json").json == before
    assert vault("import", file).out == "New: 0 leaves and 0 messages. Here already: 3.\n"


def test_import_of_conversations_makes_facts_with_receipts_and_messages_that_recall_finds(
    vault: Call, tmp_path: Path
) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(CONVERSATION))
    report = vault("import", file, "--format", "transcript", "--json").json
    assert (report["leaves"], report["messages"], report["unchanged"]) == (1, 2, 0)
    assert vault("status", "--json").json["indexing"] == 0
    found = vault("recall", "what is the dog called?", "--json").json["results"]
    assert any(one["scope"].startswith("session/") for one in found)
    leaf = next(one for one in found if one["path"].startswith("people.Nia"))
    assert leaf["source"]["agent"].startswith("vademecum/import@")
    why = vault("why", leaf["path"], "--json").json
    assert why["receipts"][0]["text"] == "I have a dog now, Bo."
    assert why["receipts"][0]["speaker"] == "Nia"
    assert "“I have a dog now, Bo.”  Nia, " in vault("why", leaf["path"]).out


def test_import_without_index_leaves_the_vectors_for_later(vault: Call, tmp_path: Path) -> None:
    file = tmp_path / "vault.yaml"
    file.write_text(TREE)
    assert vault("import", file, "--no-index", "--json").json["indexed"] == 0
    assert vault("status", "--json").json["indexing"] > 0


def test_import_shows_no_progress_where_nobody_looks(tmp_path: Path) -> None:
    file = tmp_path / "vault.yaml"
    file.write_text(TREE)
    assert program("init", "--json").code == 0
    done = program("import", file)
    assert (done.code, done.err) == (0, "")
    assert done.out == "New: 3 leaves and 0 messages. Here already: 0.\n"


def test_a_demo_of_what_is_no_transcript_is_refused(vault: Call, tmp_path: Path) -> None:
    file = tmp_path / "story.json"
    file.write_text("{")
    for arguments in ((), ("--json",)):
        refused = vault("demo", "--data", file, *arguments)
        assert refused.code == 2
        assert "story.json" in refused.refusal
    assert vault("demo", "--data", tmp_path / "none").code == 2
