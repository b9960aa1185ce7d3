"""A network that breaks anywhere, a device that comes late: both end with everything."""

from __future__ import annotations

import asyncio
import os
import random
from pathlib import Path

from tests.endtoend.device import join
from tests.endtoend.proxy import proxied
from vademecum import Vault
from vademecum.errors import NotARelay, RelayUnreachable
from vademecum.transport.relay.server import running


async def synced(vault: Vault, attempts: int = 400) -> int:
    """Syncs until it works; returns how often it did not."""
    for attempt in range(attempts):
        try:
            report = await vault.sync_once()
        except (RelayUnreachable, NotARelay):
            continue
        assert report.state == "synced", report
        return attempt
    raise AssertionError(f"not synced after {attempts} attempts")


async def test_devices_behind_a_line_cut_at_any_byte_end_in_step(tmp_path: Path) -> None:
    rng = random.Random(5)
    async with running(tmp_path / "relay") as relay, proxied(relay.url) as proxy:
        with Vault.create(tmp_path / "a") as a:
            a.use_relay(proxy.url)
            await join(a, tmp_path / "b", proxy.url)
            with Vault.open(tmp_path / "b") as b:
                failures = 0
                for turn in range(16):
                    for vault in (a, b):
                        vault.user.set(
                            f"turn{turn}", {f"n{number}": rng.randbytes(20).hex() for number in range(turn * 8 + 1)}
                        )
                        vault.agent("x/y@1").remember(f"agent{turn}", rng.random(), because="because", scope="agent")
                    proxy.cuts, proxy.cut_below = rng, 6000 + 1200 * turn
                    for vault in (a, b, a):
                        failures += await synced(vault)
                    assert a.user.tree() == b.user.tree()
                assert proxy.cut_count > 15 and failures > 10


async def test_a_client_that_is_cut_off_again_and_again_returns_by_itself(tmp_path: Path) -> None:
    async with running(tmp_path / "relay") as relay, proxied(relay.url) as proxy:
        with Vault.create(tmp_path / "a") as a:
            a.use_relay(proxy.url)
            await join(a, tmp_path / "b", proxy.url)
            with Vault.open(tmp_path / "b") as b:
                proxy.cuts, proxy.cut_below = random.Random(9), 8_000
                stop = asyncio.Event()
                running_both = asyncio.gather(a.sync_forever(stop), b.sync_forever(stop))
                for number in range(8):
                    (a, b)[number % 2].user.set(f"n{number}", os.urandom(1500).hex())
                    await asyncio.sleep(0.15)
                proxy.cuts = None
                async with asyncio.timeout(60):
                    while not (a.user.tree() == b.user.tree() and len(b.user.leaves()) == 8):
                        await asyncio.sleep(0.05)
                    while not a.status().state == b.status().state == "synced":
                        await asyncio.sleep(0.05)
                stop.set()
                await running_both
                assert proxy.cut_count > 0
                assert a.status().problems == b.status().problems == ()


async def test_a_device_that_joins_late_gets_everything(tmp_path: Path) -> None:
    async with running(tmp_path / "relay") as relay:
        with Vault.create(tmp_path / "a") as a:
            a.use_relay(relay.url)
            await join(a, tmp_path / "b", relay.url)
            with Vault.open(tmp_path / "b") as b:
                b.user.set("allergies", ["walnuts"], private=True)
                b.agent("prix/daily-eats@1.0.0").remember("diet", "vegetarian", because="I eat no meat")
                b.agent("prix/daily-eats@1.0.0").remember("tried", "Ox & Fig", because="we loved it", scope="agent")
                b.user.set("gone", "soon")
                await b.sync_once()
                await a.sync_once()
                a.user.set("home", "Lisbon")
                a.forget("gone")
                a.user.grant("allergies", "prix/daily-eats")
                await a.sync_once()
                await b.sync_once()
            await join(a, tmp_path / "late", relay.url)
            with Vault.open(tmp_path / "late") as late:
                assert late.user.leaves() == []
                await late.sync_once()
                assert late.user.tree() == a.user.tree()
                assert late.log() == a.log()
                for path in ("allergies", "diet", "tried", "gone", "home"):
                    assert late.why(path) == a.why(path)
                assert late.agent("prix/daily-eats@1.0.0").get("allergies") == ["walnuts"]
                assert late.recall("what may she not eat?")[0].path in ("allergies", "diet")
                assert {device.name for device in late.status().devices} == {
                    device.name for device in a.status().devices
                }
                assert late.status().state == "synced"
