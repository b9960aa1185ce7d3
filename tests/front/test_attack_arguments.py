"""Arguments that nobody should give: each is refused with a typed error or one sentence, and changes nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from tests.front.cli_runs import Call, in_process
from vademecum import Vault
from vademecum.errors import InvalidArgument, InvalidTime, Misuse, UnreadableFile
from vademecum.importers import import_file

FOOD = "prix/daily-eats@1.0.0"
NOT_UTF8 = os.fsdecode(b"a\xffb")  # as the command line hands on bytes that are no text
EDGES = ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return in_process(capsys)


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    with Vault.create(tmp_path / "v") as made:
        made.user.set("name", "Alice")
        yield made


def _unchanged(vault: Vault, work: Callable[[], object], error: type[Exception]) -> str:
    before = vault.user.tree(), len(vault.log()), vault.relay
    with pytest.raises(error) as refused:
        work()
    assert (vault.user.tree(), len(vault.log()), vault.relay) == before
    return str(refused.value)


@pytest.mark.parametrize("at", [datetime(2026, 1, 1), date(2026, 1, 1), "2026-01-01T00:00:00Z", 5, 0.5, b""])
def test_a_time_that_is_no_moment_is_refused(vault: Vault, at: Any) -> None:
    food = vault.agent(FOOD)
    _unchanged(vault, lambda: food.remember("a", 1, because="x", at=at), InvalidTime)


@pytest.mark.parametrize(
    "at",
    [
        datetime.min.replace(tzinfo=UTC),
        datetime.max.replace(tzinfo=UTC),
        datetime.min.replace(tzinfo=timezone(timedelta(hours=14))),
        datetime.max.replace(tzinfo=timezone(-timedelta(hours=14))),
    ],
)
def test_a_moment_at_the_end_of_time_can_be_kept_and_shown(vault: Vault, at: datetime) -> None:
    food = vault.agent(FOOD)
    food.remember("a", "walnuts", because="x", at=at)
    assert vault.why("a").as_json()["receipts"][0]["at"].endswith("Z")
    assert vault.recall("walnuts")[0].value == "walnuts"


@pytest.mark.parametrize("at", EDGES)
@pytest.mark.parametrize("form", ["yaml", "transcript"])
def test_a_file_with_a_time_before_or_after_all_time_imports_nothing(
    vault: Vault, tmp_path: Path, at: str, form: str
) -> None:
    turn = {"id": "1", "session": 1, "at": at, "speaker": "A", "text": "hi"}
    leaf = {"_value": 1, "_source": {"_agent": FOOD, "_created": at, "_updated": at}}
    content = {"public": {"a": leaf}} if form == "yaml" else [{"conversation": "c", "turns": [turn], "facts": []}]
    (tmp_path / "file").write_text(json.dumps(content))
    _unchanged(vault, lambda: import_file(vault, tmp_path / "file", format=form), UnreadableFile)


@pytest.mark.parametrize("scope", [None, 5, b"user", ["user"], "", "USER"])
def test_a_scope_that_is_none_is_refused(vault: Vault, scope: Any) -> None:
    food = vault.agent(FOOD)
    _unchanged(vault, lambda: food.remember("a", 1, because="x", scope=scope), InvalidArgument)
    _unchanged(vault, lambda: food.forget("a", scope=scope), InvalidArgument)


@pytest.mark.parametrize("limit", [0, -1, True, 1.5, "5"])
def test_a_limit_that_is_no_number_of_changes_is_refused(vault: Vault, limit: Any) -> None:
    _unchanged(vault, lambda: vault.log(limit=limit), InvalidArgument)
    _unchanged(vault, lambda: vault.agent(FOOD).log(limit=limit), InvalidArgument)


@pytest.mark.parametrize("name", [None, 5, b"x", "", "a\0b", NOT_UTF8, "a\u202eb", "\x1b[31m", "é" * 64])
def test_a_device_name_that_is_none_makes_no_vault(tmp_path: Path, name: Any) -> None:
    with pytest.raises(InvalidArgument):
        Vault.create(tmp_path / "v", device_name=name)
    assert not (tmp_path / "v").exists()


@pytest.mark.parametrize(
    "url", [None, 5, "", NOT_UTF8, f"http://{NOT_UTF8}", "http://a b", "http://h:99999", "http://[::"]
)
def test_an_address_that_is_none_is_not_kept(vault: Vault, url: Any) -> None:
    _unchanged(vault, lambda: vault.use_relay(url), Misuse)


@pytest.mark.parametrize(
    "arguments",
    [
        ("get", NOT_UTF8),
        ("set", "a", NOT_UTF8),
        ("set", NOT_UTF8, "1"),
        ("remember", "a", "1", "--agent", FOOD, "--because", NOT_UTF8),
        ("remember", "a", "1", "--agent", f"a/b@{NOT_UTF8}", "--because", "x"),
        ("log", "--agent", NOT_UTF8),
        ("import", NOT_UTF8),
        ("relay", "use", f"http://{NOT_UTF8}"),
        ("join", NOT_UTF8, "--relay", "http://127.0.0.1:1", "--home", "elsewhere"),
        ("join", "K7QM-3F9X-2P", "--relay", f"http://{NOT_UTF8}", "--home", "elsewhere"),
        ("init", "--name", NOT_UTF8, "--home", "elsewhere"),
    ],
    ids=lambda one: ascii(" ".join(one)),
)
def test_bytes_that_are_no_text_are_one_sentence(
    call: Call, arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    call("init")
    refused = call(*arguments)
    assert refused.code in (1, 2)
    assert refused.refusal
    assert not Path("elsewhere").exists()
