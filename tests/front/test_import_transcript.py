"""Transcripts: turns become searchable messages, facts become leaves that cite them, and a bad file changes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import vademecum
from vademecum import Vault
from vademecum.engine.times import to_ms
from vademecum.errors import InvalidArgument, InvalidTime, UnreadableFile
from vademecum.importers import import_file
from vademecum.importers.transcript import read_moment

TRIP: dict[str, Any] = {
    "conversation": "trip",
    "turns": [
        {
            "id": "t1",
            "session": 1,
            "at": "2026-05-08T13:56:00Z",
            "speaker": "Ines",
            "text": "I get seasick on ferries.",
        },
        {"id": "t2", "session": 1, "at": "1:57 pm on 8 May, 2026", "speaker": "Ada", "text": "Then the night train!"},
    ],
    "facts": [{"speaker": "Ines", "text": "Ines gets seasick.", "evidence": ["t1", "t2"]}],
}


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    with Vault.create(tmp_path / "vault") as made:
        yield made


def write(tmp_path: Path, *conversations: object) -> Path:
    file = tmp_path / "transcript.json"
    file.write_text(json.dumps(conversations))
    return file


def changed(**fields: Any) -> dict[str, Any]:
    return {**TRIP, **fields}


def with_turn(**fields: Any) -> dict[str, Any]:
    return changed(turns=[{**TRIP["turns"][0], **fields}], facts=[])


def with_fact(**fields: Any) -> dict[str, Any]:
    return changed(facts=[{**TRIP["facts"][0], **fields}])


def test_turns_become_messages_and_facts_become_leaves(vault: Vault, tmp_path: Path) -> None:
    report = import_file(vault, write(tmp_path, TRIP))
    assert (report.leaves, report.messages, report.unchanged) == (1, 2, 0)
    (leaf,) = vault.user.leaves()
    assert leaf.scope == "user.public"
    assert leaf.path.startswith("people.Ines.trip.")
    assert leaf.value == "Ines gets seasick."
    assert leaf.kind == "fact"
    assert leaf.agent == f"vademecum/import@{vademecum.__version__}"


def test_a_fact_is_as_old_as_the_newest_turn_it_rests_on(vault: Vault, tmp_path: Path) -> None:
    before = datetime.now(UTC)
    import_file(vault, write(tmp_path, TRIP))
    (leaf,) = vault.user.leaves()
    assert leaf.created == datetime(2026, 5, 8, 13, 57, tzinfo=UTC)
    assert (leaf.updated - before).total_seconds() > -1


def test_a_fact_quotes_the_turns_it_rests_on(vault: Vault, tmp_path: Path) -> None:
    import_file(vault, write(tmp_path, TRIP))
    (leaf,) = vault.user.leaves()
    receipts = vault.why(leaf.path).receipts
    assert [(one.speaker, one.text, one.session, one.message) for one in receipts] == [
        ("Ines", "I get seasick on ferries.", "trip", "t1"),
        ("Ada", "Then the night train!", "trip", "t2"),
    ]
    assert receipts[0].at == datetime(2026, 5, 8, 13, 56, tzinfo=UTC)


def test_turns_are_found_by_recall_in_their_session(vault: Vault, tmp_path: Path) -> None:
    import_file(vault, write(tmp_path, TRIP))
    found = vault.recall("night train", k=1)
    assert (found[0].scope, found[0].path, found[0].text) == ("session/trip", "t2", "Ada: Then the night train!")


def test_the_session_belongs_to_the_importer_and_other_agents_do_not_see_it(vault: Vault, tmp_path: Path) -> None:
    import_file(vault, write(tmp_path, TRIP))
    assert "session/trip" in {one.scope for one in vault.agent("vademecum/import@9").recall("night train")}
    assert "session/trip" not in {one.scope for one in vault.agent("prix/daily-eats@1").recall("night train")}


def test_the_same_file_twice_changes_nothing(vault: Vault, tmp_path: Path) -> None:
    file = write(tmp_path, TRIP)
    import_file(vault, file)
    tree, log = vault.user.tree(), vault.log()
    report = import_file(vault, file)
    assert (report.leaves, report.messages, report.unchanged) == (0, 0, 3)
    assert vault.user.tree() == tree
    assert vault.log() == log


def test_a_longer_file_adds_only_what_is_new(vault: Vault, tmp_path: Path) -> None:
    import_file(vault, write(tmp_path, TRIP))
    third = {"id": "t3", "session": 2, "at": "2026-05-09T08:00:00+02:00", "speaker": "Ines", "text": "Booked."}
    report = import_file(vault, write(tmp_path, changed(turns=[*TRIP["turns"], third])))
    assert (report.leaves, report.messages, report.unchanged) == (0, 1, 3)


def test_the_persons_word_is_not_undone_by_an_old_file(vault: Vault, tmp_path: Path) -> None:
    file = write(tmp_path, TRIP)
    import_file(vault, file)
    (leaf,) = vault.user.leaves()
    vault.user.set(leaf.path, "Only on small ferries.")
    assert import_file(vault, file).leaves == 0
    assert vault.user.get(leaf.path) == "Only on small ferries."


def test_one_fact_told_twice_is_one_leaf_with_both_receipts(vault: Vault, tmp_path: Path) -> None:
    fact = TRIP["facts"][0]
    file = write(tmp_path, changed(facts=[{**fact, "evidence": ["t2"]}, {**fact, "evidence": ["t1", "t2"]}]))
    assert import_file(vault, file).leaves == 1
    (leaf,) = vault.user.leaves()
    assert [one.message for one in vault.why(leaf.path).receipts] == ["t2", "t1"]


def test_names_that_are_no_segments_stay_apart(vault: Vault, tmp_path: Path) -> None:
    file = write(tmp_path, changed(conversation="my trip"), changed(conversation="my.trip"))
    assert import_file(vault, file).messages == 4
    assert len({leaf.path for leaf in vault.user.leaves()}) == 2


def test_a_file_of_several_thousand_entries_is_written_in_bounded_transactions(vault: Vault, tmp_path: Path) -> None:
    turns = [{**TRIP["turns"][0], "id": f"t{number}", "text": f"{number} " + "x" * 300} for number in range(2500)]
    steps: list[tuple[int, int]] = []
    file = write(tmp_path, changed(turns=turns, facts=[]))
    import_file(vault, file, progress=lambda done, total: steps.append((done, total)))
    assert steps[-1] == (2500, 2500)
    done = [0, *(step for step, _ in steps)]
    assert max(later - earlier for earlier, later in pairwise(done)) <= 256 * 1024 // 300


@pytest.mark.parametrize(
    ("conversation", "words"),
    [
        ("trip", ["Conversation 1", "not an object"]),
        ({"turns": []}, ["Conversation 1", "'conversation'"]),
        (changed(conversation=7), ["Conversation 1", "'conversation'"]),
        (changed(conversation="!?"), ["'!?'", "letter or digit"]),
        ({"conversation": "trip"}, ["'trip'", "'turns'"]),
        (changed(turns=["hello"]), ["Turn 1", "'trip'", "not an object"]),
        (changed(turns=[*TRIP["turns"], TRIP["turns"][0]]), ["'t1'", "another turn"]),
        (with_turn(id=""), ["Turn 1", "'id'"]),
        (with_turn(id="a\x1fb"), ["printable"]),
        (with_turn(id="x" * 129), ["128 bytes"]),
        (with_turn(text=None), ["'t1'", "'text'"]),
        (with_turn(text="x" * 40_000), ["'t1'", "40,000 bytes", "32,768"]),
        (with_turn(text="\ud800"), ["'t1'", "Unicode"]),
        (with_turn(speaker=[]), ["'t1'", "'speaker'"]),
        (with_turn(at="2026-05-08T13:56:00"), ["'t1'", "offset"]),
        (with_turn(at="13:56 pm on 8 May, 2026"), ["'t1'", "UTC"]),
        (with_turn(at="1:56 pm on 31 June, 2026"), ["'t1'", "UTC"]),
        (with_turn(at="yesterday"), ["'t1'", "'yesterday'"]),
        (with_fact(evidence=["t1", "t9"]), ["Fact 1", "'trip'", "'t9'"]),
        (with_fact(evidence=[]), ["Fact 1", "evidence"]),
        (with_fact(evidence="t1"), ["Fact 1", "'evidence'"]),
        (with_fact(evidence=[["t1"]]), ["Fact 1", "no such turn"]),
        (with_fact(text=" "), ["Fact 1", "'text'"]),
        (with_fact(speaker="…"), ["Fact 1", "letter or digit"]),
        (with_fact(speaker="𒀀" * 64) | {"conversation": "𒀀" * 64}, ["Fact 1", "too long"]),
    ],
)
def test_a_file_that_breaks_a_rule_is_refused_by_name_and_nothing_is_imported(
    vault: Vault, tmp_path: Path, conversation: object, words: list[str]
) -> None:
    good = changed(conversation="good")
    with pytest.raises(UnreadableFile) as caught:
        import_file(vault, write(tmp_path, *([] if "Conversation 1" in words else [good]), conversation))
    for word in words:
        assert word in caught.value.message
    assert vault.user.leaves() == []
    assert not list(vault.log())


def test_a_conversation_given_twice_is_refused(vault: Vault, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="'trip' is there twice"):
        import_file(vault, write(tmp_path, TRIP, TRIP))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[\n{"conversation": "a",\n oops}]', "Line 3"),
        ('[{"conversation": "a", "conversation": "b"}]', "twice"),
        ('[{"conversation": NaN}]', "finite"),
        ("[" * 100_000, "deep"),
        ('[{"conversation": ' + "9" * 5000 + "}]", "cannot be imported"),
    ],
)
def test_text_that_is_not_json_is_refused(vault: Vault, tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "broken.json"
    file.write_text(text)
    with pytest.raises(UnreadableFile, match=words):
        import_file(vault, file)


def test_an_object_is_no_transcript(vault: Vault, tmp_path: Path) -> None:
    file = tmp_path / "tree.json"
    file.write_text("{}")
    with pytest.raises(UnreadableFile, match="list of conversations"):
        import_file(vault, file, format="transcript")


def test_a_missing_file_a_folder_and_other_bytes_are_refused(vault: Vault, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="There is no file"):
        import_file(vault, tmp_path / "nowhere.json")
    with pytest.raises(UnreadableFile, match="cannot be read"):
        import_file(vault, tmp_path)
    (tmp_path / "bytes").write_bytes(b"name: Alice\nborn: \xff\xfe")
    with pytest.raises(UnreadableFile, match="Line 2"):
        import_file(vault, tmp_path / "bytes")


def test_a_format_that_is_none_is_misuse(vault: Vault, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="yaml, transcript"):
        import_file(vault, write(tmp_path, TRIP), format="csv")


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("12:00 am on 1 January, 2024", datetime(2024, 1, 1, tzinfo=UTC)),
        ("12:30 pm on 29 February, 2024", datetime(2024, 2, 29, 12, 30, tzinfo=UTC)),
        ("2026-05-08T13:56:00+02:00", datetime(2026, 5, 8, 11, 56, tzinfo=UTC)),
    ],
)
def test_times_are_read_in_both_forms(text: str, moment: datetime) -> None:
    assert read_moment(text) == to_ms(moment)


@pytest.mark.parametrize("text", ["0:10 am on 1 May, 2023", "1:60 pm on 1 May, 2023", "1:10 pm on 1 Mai, 2023", ""])
def test_other_times_are_refused(text: str) -> None:
    with pytest.raises(InvalidTime):
        read_moment(text)
