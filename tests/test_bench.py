"""The bench itself: its rows, its two forms of output, and what it counts on the wire."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace

import aiohttp
import pytest

from bench import formation_decisions
from bench.__main__ import main
from bench.formation_decisions import Case
from bench.measure import Row, at_least, at_most, side_by_side
from bench.tap import listening
from bench.workload import import_leaves, made_up, relay_process
from vademecum import Vault

KEYS = {"name", "value", "unit", "floor", "ratio", "target", "met"}


@pytest.mark.usefixtures("small")
def test_json_is_a_list_of_rows_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    main(["write", "--json"])
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == ["write/remember", "write/import"]
    for row in rows:
        assert row.keys() == KEYS
        assert row["value"] > 0 and row["floor"] > 0
        assert row["ratio"] == pytest.approx(row["value"] / row["floor"], rel=0.01)


@pytest.mark.usefixtures("small")
def test_without_json_the_rows_are_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    main(["write"])
    assert "write/remember" in capsys.readouterr().out


@pytest.mark.usefixtures("small")
def test_one_edit_fits_its_bytes_whoever_makes_it(capsys: pytest.CaptureFixture[str]) -> None:
    main(["wire", "--json"])
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["wire/edit/person"]["met"] and rows["wire/edit/agent"]["met"]
    assert rows["wire/week/agent/commits"]["value"] == 1


def test_an_unknown_group_or_a_group_without_its_data_is_misuse(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, complaint in ((["rite"], "'rite'"), (["recall-quality"], "--data")):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2
        assert complaint in capsys.readouterr().err


def test_a_target_has_the_unit_of_the_value_and_decides_what_is_met() -> None:
    assert at_most("a", 3.0, "s", floor=1.0, target=4.0)["met"] is True
    assert at_most("a", 5.0, "s", floor=1.0, target=4.0)["met"] is False
    assert at_least("a", 5.0, "1/s", target=4.0)["met"] is True
    assert at_least("a", 5.0, "1/s", target=None)["met"] is None


def test_two_things_are_timed_in_turn() -> None:
    order: list[str] = []
    side_by_side(2, lambda: order.append("a"), lambda: order.append("b"))
    assert order == ["a", "b", "a", "b"]


def test_made_up_leaves_are_the_same_each_time_and_an_import_writes_them_all(tmp_path: Path) -> None:
    leaves = made_up(1200)
    assert leaves == made_up(1200)
    with Vault.create(tmp_path / "vault") as vault:
        import_leaves(vault, leaves)
        assert {(leaf.path, leaf.value) for leaf in vault.user.leaves()} == set(leaves)


def test_the_tap_counts_messages_with_their_websocket_framing(tmp_path: Path) -> None:
    async def speak() -> list[tuple[bytes, int]]:
        with relay_process(tmp_path / "relay") as relay:
            async with listening(relay) as tap:
                async with aiohttp.ClientSession() as session, session.ws_connect(tap.url + "/v1/sync") as socket:
                    await socket.send_bytes(b"\x01" * 10)
                    await socket.receive()
                return list(tap.messages)

    # RFC 6455: two bytes of head and four of mask around a short message
    assert asyncio.run(speak()) == [(b"\x01" * 10, 16)]


def test_the_replica_group_measures_overwriting_opening_holding_and_writing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in (("LEAVES", 300), ("SMALL", 100), ("ROUNDS", 1), ("WRITES", 4)):
        monkeypatch.setattr(f"bench.replica.{name}", value)
    for name, value in (("LEAVES", 50), ("OVERWRITES", 400), ("BETWEEN_SYNCS", 200)):
        monkeypatch.setattr(f"bench.overwriting.{name}", value)
    monkeypatch.setattr("bench.replica._proofs", list)  # the proofs have tests of their own
    main(["replica", "--json"])
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"].removeprefix("replica/") for row in rows] == [
        "overwritten",
        "overwritten/relay",
        "overwritten/alone",
        "open/process",
        "open/here",
        "resident/idle",
        "resident/after-write",
        "first-write",
        "write",
    ]
    assert all(row["value"] > 0 and row["floor"] > 0 for row in rows)


def test_the_sealed_group_measures_a_sealed_vault_beside_a_plain_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in (("LEAVES", 200), ("ROUNDS", 2), ("FEW", 1)):
        monkeypatch.setattr(f"bench.sealed.{name}", value)
    main(["sealed", "--json"])
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"].removeprefix("sealed/") for row in rows] == [
        "remember",
        "import",
        "index-after-write",
        "get",
        "subtree",
        "seal",
    ]
    assert all(row["value"] > 0 for row in rows)


def test_the_formation_group_runs_each_of_its_parts_and_those_on_files_where_their_file_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def on_file(file: Path) -> list[Row]:
        return [at_most("formation/on-file", len(file.read_text()), "characters", target=None)]

    parts = [
        SimpleNamespace(rows=lambda: [at_most("formation/plain", 1, "s", target=None)]),
        SimpleNamespace(rows=on_file, DATA="words.json", __name__="bench.formation_words"),
    ]
    monkeypatch.setattr("bench.formation._parts", lambda only: parts)
    (tmp_path / "words.json").write_text("four")
    for data, names in (
        ([], ["plain"]),
        (["--data", str(tmp_path)], ["plain", "on-file"]),
        (["--data", str(tmp_path / "words.json")], ["plain", "on-file"]),
        (["--data", str(tmp_path / "others.json")], ["plain"]),
    ):
        main(["formation", "--json", *data])
        assert [row["name"].removeprefix("formation/") for row in json.loads(capsys.readouterr().out)] == names


def test_a_part_of_a_group_can_be_measured_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bench.formation_signals.ROUNDS", 5)
    main(["formation/signals", "--json"])
    names = [row["name"] for row in json.loads(capsys.readouterr().out)]
    assert names == ["formation/signal", "formation/signal/within", "formation/message"]
    with pytest.raises(SystemExit):
        main(["formation/nothing"])


def test_what_failed_is_named_where_asked(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    case = {"name": "wrong", "language": "en", "talk": [["user", "I am vegan."]], "holds": [{"under": "home"}]}
    monkeypatch.setattr("bench.formation_decisions.cases", lambda: [Case("made-up", "wrong", case)])
    monkeypatch.setattr("bench.formation._parts", lambda only: [formation_decisions])
    assert main(["formation", "--verbose", "--json"]) == 1
    told = capsys.readouterr()
    assert "made-up/wrong: there is no home" in told.err
    rows = {row["name"]: row["value"] for row in json.loads(told.out)}
    assert rows["formation/decisions/right"] == 0


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.write.ROUNDS", 6)
    monkeypatch.setattr("bench.wire.EDITS", 20)
    monkeypatch.setattr("bench.write.LEAVES", 1000)
