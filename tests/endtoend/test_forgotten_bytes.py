"""What is forgotten is in no byte of any file: of no device that has synced, free pages included, nor of the relay."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.endtoend.device import join
from vademecum import Vault
from vademecum.engine.messages import log_message
from vademecum.engine.replica import Transaction
from vademecum.storage.tables import Table
from vademecum.transport.relay.server import running

FOOD = "prix/daily-eats@1.0.0"
VALUE, QUOTE, MESSAGE, PRIVATE, OLD, AGENTS = (
    f"{word} 7f3a91" for word in ("heliotrope", "terrapin", "quincunx", "marzipan", "zephyrine", "oxlip")
)
MARKERS = (VALUE, QUOTE, MESSAGE, PRIVATE, OLD, AGENTS)
KEPT = "samovar 7f3a91"


def fill(vault: Vault) -> None:
    food = vault.agent(FOOD)
    food.remember("plants.one", OLD, because=f"I used to say {OLD}")
    food.remember("plants.one", VALUE, because=f"I said {QUOTE}")
    vault.user.set("plants.two", PRIVATE, private=True)
    vault.user.set("kept", KEPT)
    vault.agent("lumen/notes@1").remember("work", AGENTS, because=f"I said {AGENTS}", scope="agent")

    def say(transaction: Transaction) -> None:
        log_message(transaction.scope("session/talk"), FOOD, "m1", speaker="Ann", text=MESSAGE, at_ms=1)

    vault.write(say)


def files(folder: Path) -> bytes:
    return b"\0".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def found(folder: Path) -> set[str]:
    data = files(folder)
    return {marker for marker in (*MARKERS, KEPT) if any(form in data for form in _forms(marker))}


def _forms(marker: str) -> tuple[bytes, ...]:
    return marker.encode(), marker.encode("utf-16-le"), marker.encode().hex().encode(), marker.split()[0].encode()


def sealed(vault: Vault) -> list[bytes]:
    """A piece of each sealed commit that is held."""
    with vault.replica.read() as view:
        return [data[-200:-100] for _, data in view.reader.scan(Table.COMMITS)]


async def test_what_is_forgotten_is_in_no_file_of_any_device_or_of_the_relay(tmp_path: Path) -> None:
    homes = {name: tmp_path / name for name in ("a", "b", "c")}
    kept_by_relay = tmp_path / "relay"
    async with running(kept_by_relay) as relay:
        with Vault.create(homes["a"], device_name="a") as a:
            a.use_relay(relay.url)
            fill(a)
            await a.sync_once()
            for name in ("b", "c"):
                await join(a, homes[name], relay.url)
        for name in ("b", "c", "a"):
            with Vault.open(homes[name]) as vault:
                await vault.sync_once()
                vault.index()
                assert vault.recall("plants")
        for home in homes.values():
            assert found(home) == {*MARKERS, KEPT}
        with Vault.open(homes["a"]) as a, Vault.open(homes["b"]) as b, Vault.open(homes["c"]) as c:
            commits = sealed(a)
            assert commits and all(piece in files(kept_by_relay) for piece in commits)
            await forget_everything(a, b, c)
            assert not any(piece in files(folder) for piece in commits for folder in tmp_path.iterdir())
            for vault in (a, b, c):
                assert vault.user.get("kept") == KEPT and vault.recall("kept")[0].path == "kept"
                assert vault.why("kept").history
        for home in homes.values():
            assert found(home) == {KEPT}
        assert found(kept_by_relay) == set()


async def forget_everything(a: Vault, b: Vault, c: Vault) -> None:
    """On one device; then the others sync one after the other, and what is said of them is true each time."""
    a.forget("plants")
    a.forget(agent="lumen/notes")
    a.forget(session="talk")
    assert found(a.home) == {KEPT}
    assert {one.scope for one in a.forgetting().outstanding} >= {"user.public", "user.private", "session/talk"}
    assert all(one.relay and set(one.devices) == {"b", "c"} for one in a.forgetting().outstanding)
    await a.sync_once()
    assert all(not one.here and not one.relay for one in a.forgetting().outstanding)
    assert all(set(one.devices) == {"b", "c"} for one in a.forgetting().outstanding)
    await b.sync_once()
    assert found(b.home) == {KEPT} and found(c.home) == {*MARKERS, KEPT}
    await a.sync_once()
    assert {one.devices for one in a.forgetting().outstanding} == {("c",)}
    await c.sync_once()
    for vault in (a, b):
        await vault.sync_once()
    for vault in (a, b, c):
        assert vault.forgetting().complete, vault.forgetting()


async def test_what_a_device_that_was_away_says_late_is_void_and_leaves_no_byte(tmp_path: Path) -> None:
    async with running(tmp_path / "relay") as relay:
        with Vault.create(tmp_path / "a", device_name="a") as a:
            a.use_relay(relay.url)
            fill(a)
            await a.sync_once()
            await join(a, tmp_path / "b", relay.url)
            with Vault.open(tmp_path / "b") as b:
                await b.sync_once()
                b.agent(FOOD).remember("late", VALUE, because=f"I said {QUOTE}")
                b.agent(FOOD).remember("plants.one", f"{VALUE} again", because=f"I said {QUOTE}")
                b.user.set("mine", KEPT)
                a.forget("plants")
                a.forget(agent="prix/daily-eats")
                for vault in (a, b, a, b, a):
                    await vault.sync_once()
                assert a.user.tree() == b.user.tree() and b.user.get("mine") == KEPT
                assert a.forgetting().complete and b.forgetting().complete
                for vault in (a, b):
                    assert found(vault.home) & {VALUE, QUOTE, PRIVATE, OLD} == set()


async def test_the_reasons_of_what_was_forgotten_elsewhere_meanwhile_leave_no_byte(tmp_path: Path) -> None:
    async with running(tmp_path / "relay") as relay:
        with Vault.create(tmp_path / "a", device_name="a") as a:
            a.use_relay(relay.url)
            fill(a)
            await a.sync_once()
            await join(a, tmp_path / "b", relay.url)
            with Vault.open(tmp_path / "b") as b:
                await b.sync_once()
                b.agent(FOOD).remember("plants.one", f"{VALUE} again", because=f"I said {QUOTE}, and again")
                b.agent(FOOD).suggest("plants.one", f"{VALUE} perhaps", because=f"I said {QUOTE} perhaps")
                b.user.set("mine", KEPT)
                a.forget("plants")
                for vault in (a, b, a, b, a):
                    await vault.sync_once()
                assert a.user.tree() == b.user.tree() and a.suggestions() == b.suggestions() == []
                assert a.forgetting().complete and b.forgetting().complete
                for home in (a.home, b.home, tmp_path / "relay"):
                    assert found(home) & {VALUE, QUOTE, OLD} == set()


async def test_devices_that_stay_in_step_confirm_by_themselves(tmp_path: Path) -> None:
    async with running(tmp_path / "relay") as relay:
        with Vault.create(tmp_path / "a", device_name="a") as a:
            a.use_relay(relay.url)
            fill(a)
            await a.sync_once()
            await join(a, tmp_path / "b", relay.url)
            with Vault.open(tmp_path / "b") as b:
                stop = asyncio.Event()
                staying = [asyncio.create_task(vault.sync_forever(stop)) for vault in (a, b)]
                async with asyncio.timeout(30):
                    while a.status().state != "synced" or b.user.tree() != a.user.tree():
                        await asyncio.sleep(0.1)
                    await asyncio.to_thread(a.forget, "plants")
                    while not a.forgetting().complete or not b.forgetting().complete:
                        await asyncio.sleep(0.1)
                stop.set()
                await asyncio.gather(*staying)
                for vault in (a, b):
                    assert found(vault.home) & {VALUE, QUOTE, PRIVATE, OLD} == set()
