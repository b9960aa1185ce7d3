"""The public API as a whole: what its methods promise beyond what the layers below them do."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import vademecum
from tests.endtoend.device import join
from vademecum import Vault
from vademecum.errors import (
    DamagedStore,
    InvalidAgent,
    InvalidArgument,
    InvalidPath,
    InvalidScope,
    InvalidValue,
    MalformedBytes,
    NoRelay,
    NotFound,
    VademecumError,
)
from vademecum.transport import client
from vademecum.transport.relay.server import running


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    with Vault.create(tmp_path / "v") as made:
        yield made


def test_the_example_on_the_package_does_what_it_says(vault: Vault) -> None:
    vault.user.set("name", "Alice")
    food = vault.agent("prix/daily-eats@1.0.0")
    food.remember("dietary_preference", ["vegetarian"], because="I'm vegetarian, by the way")
    food.remember("tried.restaurants", ["Ox & Fig"], because="we loved Ox & Fig", scope="agent")
    found = food.recall("where could we eat tonight?", k=5)
    assert {one.path for one in found} >= {"dietary_preference", "tried.restaurants"}
    assert vault.why("dietary_preference").receipts[0].text == "I'm vegetarian, by the way"
    assert [change.path for change in vault.log(agent="prix/daily-eats")] == ["tried.restaurants", "dietary_preference"]
    assert vault.forget(agent="prix/daily-eats") == 2
    assert [leaf.path for leaf in vault.user.leaves()] == ["name"]


@pytest.mark.parametrize(
    "value",
    [None, True, 0, -(2**63), 2**63 - 1, 1.5, "", "größe 猫 👩‍👩‍👧", [], {}, [1, [None, {"a": "b"}]], "x" * 32_768],
)
def test_a_value_comes_back_as_what_it_was(vault: Vault, value: Any) -> None:
    vault.user.set("p", value)
    assert vault.user.get("p") == value and type(vault.user.get("p")) is type(value)


def test_an_object_becomes_a_subtree_and_a_node_may_have_a_value_and_children(vault: Vault) -> None:
    vault.user.set("work", {"team": {"lead": "Bo", "size": 3}, "since": 2020})
    vault.user.set("work.team", "platform")
    tree = vault.user.tree()["public"]["work"]  # type: ignore[index]
    assert tree["team"]["_value"] == "platform" and tree["team"]["lead"]["_value"] == "Bo"
    assert tree["since"]["_source"]["_agent"] == "user"
    assert [leaf.path for leaf in vault.user.leaves("work.team")] == ["work.team", "work.team.lead", "work.team.size"]


def test_a_tree_shows_public_private_and_each_agents_part(vault: Vault) -> None:
    vault.user.set("a", 1)
    vault.user.set("b", 2, private=True)
    vault.agent("x/y@1").remember("c", 3, because="said", scope="agent")
    tree: Any = vault.user.tree()
    assert tree["public"]["a"]["_value"] == 1 and tree["private"]["b"]["_value"] == 2
    assert tree["agents"]["x/y"]["c"]["_value"] == 3
    assert vault.user.tree("nothing") == {"public": {}, "private": {}, "agents": {}}


def test_the_same_path_is_one_leaf_however_its_letters_are_composed(vault: Vault) -> None:
    vault.user.set("cafe\u0301", 1)
    assert vault.user.get("caf\u00e9") == 1 and len(vault.user.leaves()) == 1


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda vault: vault.user.get("absent"), NotFound),
        (lambda vault: vault.user.get("a..b"), InvalidPath),
        (lambda vault: vault.user.get("a", scope="elsewhere"), InvalidScope),
        (lambda vault: vault.user.set("a", float("inf")), InvalidValue),
        (lambda vault: vault.user.set("a", {1: 2}), InvalidValue),
        (lambda vault: vault.user.set("a", "\ud800"), InvalidValue),
        (lambda vault: vault.user.set("a", 1, kind="gossip"), InvalidArgument),
        (lambda vault: vault.user.set("a", ["x" * 30_000] * 3), InvalidValue),
        (lambda vault: vault.user.forget("absent"), NotFound),
        (lambda vault: vault.user.revoke("a", "x/y"), NotFound),
        (lambda vault: vault.user.grant("a", "nobody"), InvalidAgent),
        (lambda vault: vault.why("absent"), NotFound),
        (lambda vault: vault.why("a", scope="agent/x"), InvalidScope),
        (lambda vault: vault.log(agent="nobody"), InvalidAgent),
        (lambda vault: vault.log(path="a..b"), InvalidPath),
        (lambda vault: vault.forget(), InvalidArgument),
        (lambda vault: vault.forget("a", agent="x/y"), InvalidArgument),
        (lambda vault: vault.forget(agent=""), InvalidAgent),
        (lambda vault: vault.recall(""), InvalidArgument),
        (lambda vault: vault.use_relay("ftp://relay"), InvalidArgument),
        (lambda vault: vault.use_relay("nonsense"), InvalidArgument),
        (lambda vault: asyncio.run(vault.sync_once()), NoRelay),
        (lambda vault: asyncio.run(vault.sync_forever()), NoRelay),
    ],
)
def test_each_refusal_is_typed_says_one_sentence_and_changes_nothing(
    vault: Vault, call: Any, error: type[VademecumError]
) -> None:
    vault.user.set("kept", 1)
    before = vault.user.tree(), vault.log()
    with pytest.raises(error) as refused:
        call(vault)
    assert refused.value.message.endswith((".", "?")) and refused.value.exit_code in (1, 2)
    assert (vault.user.tree(), vault.log()) == before


def test_threads_share_a_vault(vault: Vault) -> None:
    failures: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for number in range(15):
                vault.user.set(f"{name}.n{number}", number)
                vault.agent("x/y@1").remember(f"{name}.said", number, because="said", scope="agent")
                assert vault.recall(name, 3)
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=work, args=(f"thread{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == [] and len(vault.user.leaves()) == 64


def test_a_vault_opened_twice_in_one_process_is_one_vault(vault: Vault) -> None:
    with Vault.open(vault.home) as other:
        vault.user.set("a", 1)
        other.user.set("b", 2)
        assert vault.user.get("b") == 2 and other.user.get("a") == 1
    vault.user.set("c", 3)
    assert vault.user.get("c") == 3


def test_another_relay_begins_with_nothing_acknowledged_and_the_same_one_with_all(vault: Vault) -> None:
    async def check(base: Path) -> None:
        async with running(base / "one") as one, running(base / "two") as two:
            vault.user.set("a", 1)
            vault.use_relay(one.url)
            assert (await vault.sync_once()).pushed == 1
            vault.use_relay(one.url)
            assert vault.status().pending == 0 and (await vault.sync_once()).pushed == 0
            vault.use_relay(two.url)
            assert vault.status().pending == 1 and (await vault.sync_once()).pushed == 1

    asyncio.run(check(vault.home.parent))


async def test_a_commit_that_another_process_sealed_and_did_not_send_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "CHECK_SECONDS", 0.2)
    async with running(tmp_path / "relay") as relay:
        with Vault.create(tmp_path / "a") as a:
            a.use_relay(relay.url)
            await join(a, tmp_path / "b", relay.url)
            with Vault.open(a.home) as other, Vault.open(tmp_path / "b") as b:

                async def arrived(path: str) -> None:
                    async with asyncio.timeout(20):
                        while path not in [leaf.path for leaf in b.user.leaves()]:
                            await b.sync_once()
                            await asyncio.sleep(0.05)

                stop = asyncio.Event()
                syncing = asyncio.create_task(a.sync_forever(stop))
                a.user.set("connected", 1)
                await arrived("connected")

                other.user.set("sealed", 1)
                other.ledger().seal_pending()
                await arrived("sealed")
                stop.set()
                await syncing
            assert a.status().pending == 0


def test_importing_the_package_loads_no_heavy_library() -> None:
    heavy = "numpy", "pycrdt", "aiohttp", "onnxruntime", "cryptography", "hnswlib", "lmdb"
    program = f"import sys, vademecum; print([name for name in {heavy!r} if name in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert shown.stdout.strip() == "[]"


def test_every_public_name_is_there() -> None:
    for name in vademecum.__all__:
        assert getattr(vademecum, name) is not None and name in dir(vademecum)
    with pytest.raises(AttributeError):
        vademecum.nonsense  # noqa: B018  # reading it is what is tested


def test_a_damaged_database_is_reported_and_not_written_to(tmp_path: Path) -> None:
    with Vault.create(tmp_path) as vault:
        for number in range(200):
            vault.user.set(f"n{number}", "x" * 200)
    (file,) = tmp_path.glob("store/*/data.mdb")
    damaged = file.read_bytes()[: file.stat().st_size // 2]
    file.write_bytes(damaged)
    with pytest.raises(DamagedStore):
        Vault.open(tmp_path)
    assert file.read_bytes() == damaged


def test_damaged_keys_are_reported_when_they_are_needed_and_memory_works_on(tmp_path: Path) -> None:
    with Vault.create(tmp_path) as vault:
        vault.user.set("a", 1)
    (tmp_path / "device.keys").write_bytes(b"no keys")
    with Vault.open(tmp_path) as vault:
        assert vault.user.get("a") == 1
        with pytest.raises(MalformedBytes):
            vault.ledger()
