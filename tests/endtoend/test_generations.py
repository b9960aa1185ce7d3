"""Channels that are renewed by snapshots, with a relay in a process of its own that is killed, and whole vaults."""

from __future__ import annotations

import asyncio
import os
import random
from pathlib import Path
from typing import Any

from tests.endtoend.device import join, tree_of
from tests.transport.relay_process import RelayProcess
from vademecum import Vault
from vademecum.engine.forgetting import COMPACT
from vademecum.engine.generations import generation_of
from vademecum.engine.retention import Retention
from vademecum.engine.settings import keep_retention
from vademecum.errors import PeerFault, RelayUnreachable
from vademecum.storage.tables import Table

PUBLIC = "user.public"


def want_compaction(vault: Vault) -> None:
    """As after a forgetting in the person's public scope."""
    vault.write(lambda transaction: transaction.writer.put(Table.META, COMPACT + PUBLIC.encode(), b"1"))


def generation(vault: Vault) -> int:
    with vault.replica.read() as view:
        return generation_of(view, PUBLIC)


def history(vault: Vault, path: str) -> list[Any]:
    return [(change.value, change.at, change.agent) for change in vault.why(path).history]


async def in_step(*vaults: Vault) -> None:
    for vault in (*vaults, *vaults):
        report = await vault.sync_once()
        assert (report.state, report.problems) == ("synced", ())


async def test_one_that_joins_late_has_the_whole_history_and_one_that_was_away_loses_nothing(tmp_path: Path) -> None:
    with RelayProcess(tmp_path / "relay") as relay, Vault.create(tmp_path / "a", device_name="a") as a:
        a.use_relay(relay.url)
        await join(a, tmp_path / "b", relay.url)
        with Vault.open(tmp_path / "b") as b:
            for value in ("vegan", "vegetarian", "anything"):
                a.user.set("diet", value)
                await in_step(a, b)
            b.user.set("home", "Lyon")
            await in_step(b)
            b.user.set("home", "Paris")  # never sent before three generations have passed
            b.agent("x/y@1").remember("pet", "cat", because="I have a cat")
            for number in range(1, 4):
                a.user.set("turn", number)
                want_compaction(a)
                await in_step(a)
                assert generation(a) == number
            await join(a, tmp_path / "c", relay.url)
            with Vault.open(tmp_path / "c") as c:
                await in_step(c, b, a, c)
                assert tree_of(a) == tree_of(b) == tree_of(c)
                assert tree_of(c)[PUBLIC] == {"diet": "anything", "home": "Paris", "pet": "cat", "turn": 3}
                assert [value for value, _, _ in history(c, "diet")] == ["vegan", "vegetarian", "anything"]
                for path in ("diet", "home", "pet"):
                    assert history(a, path) == history(b, path) == history(c, path)
                assert c.why("pet").receipts[0].text == "I have a cat"
                assert generation(b) == generation(c) == 3


async def test_two_devices_compact_at_once_while_the_relay_is_killed_again_and_again(tmp_path: Path) -> None:
    rng = random.Random(3)
    with RelayProcess(tmp_path / "relay") as relay, Vault.create(tmp_path / "a") as a:
        a.use_relay(relay.url)
        await join(a, tmp_path / "b", relay.url)
        with Vault.open(tmp_path / "b") as b:
            for number in range(50):  # several parts
                a.user.set(f"large.n{number}", os.urandom(15_000).hex())
            await in_step(a, b)
            stop = asyncio.Event()
            staying = asyncio.gather(a.sync_forever(stop), b.sync_forever(stop))
            for turn in range(2):
                for vault in (a, b):
                    vault.user.set(f"turn{turn}", "a" if vault is a else "b")
                    want_compaction(vault)
                await asyncio.sleep(0.1 + rng.random() * 0.5)
                await asyncio.to_thread(relay.kill)
                await asyncio.to_thread(relay.start)
            stop.set()
            await staying
            for _ in range(20):
                try:
                    await in_step(a, b)
                    break
                except (RelayUnreachable, PeerFault):
                    continue
            assert tree_of(a) == tree_of(b)
            assert {f"turn{turn}" for turn in range(2)} < set(tree_of(a)[PUBLIC])
            assert generation(a) == generation(b) >= 1


async def test_a_relay_after_many_overwrites_is_hardly_larger_than_a_new_one(tmp_path: Path) -> None:
    leaves, turns = 100, 15
    rng = random.Random(1)
    with RelayProcess(tmp_path / "relay") as relay, Vault.create(tmp_path / "a") as a:
        a.use_relay(relay.url)
        for _ in range(turns):
            a.user.set("leaf", {f"n{number}": rng.randbytes(20).hex() for number in range(leaves)})
            await a.sync_once()
        relay_file = tmp_path / "relay" / "data.mdb"
        before = relay_file.stat().st_size
        with RelayProcess(tmp_path / "fresh") as fresh, Vault.create(tmp_path / "b") as b:
            b.use_relay(fresh.url)
            for path, value in tree_of(a)[PUBLIC].items():
                b.user.set(path, value)
            await in_step(b)
            want_compaction(b)
            await in_step(b)
        a.write(lambda transaction: keep_retention(transaction, Retention(bytes=0, newest=1)))
        want_compaction(a)
        await in_step(a)
        after, new = relay_file.stat().st_size, (tmp_path / "fresh" / "data.mdb").stat().st_size
        assert after < before
        assert after <= 1.5 * new, (before, after, new)
