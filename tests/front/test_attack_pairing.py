"""A pairing that cannot end well on the new device leaves no device behind in the vault."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from tests.front.test_pairing import begin
from vademecum import Vault
from vademecum.errors import StorageTrouble
from vademecum.transport.relay.server import running


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that nobody can write to")
@pytest.mark.parametrize(
    "home", ["/proc/vademecum", "/proc/self/a/b", "file", "file/deeper", "x" * 300, os.fsdecode(b"\xff")]
)
async def test_where_no_vault_can_be_made_the_code_is_not_used_up_and_nobody_is_admitted(
    tmp_path: Path, home: str
) -> None:
    (tmp_path / "file").write_text("kept")
    async with running(tmp_path / "relay") as relay:
        with Vault.create(tmp_path / "a", device_name="laptop") as a:
            a.use_relay(relay.url)
            code, pairing = await begin(a)
            with pytest.raises(StorageTrouble):
                await Vault.join(tmp_path / home, code, relay=relay.url, device_name="phantom")
            assert not pairing.done()
            assert [one.name for one in a.status().devices if one.role != "recovery"] == ["laptop"]
            b, _ = await Vault.join(tmp_path / "b", code, relay=relay.url, device_name="phone")
            b.close()
            await asyncio.wait_for(pairing, 10)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a", "b", "file", "relay"]


async def test_a_home_that_is_deep_and_not_there_yet_is_made_by_joining(tmp_path: Path) -> None:
    async with running(tmp_path / "relay") as relay:
        with Vault.create(tmp_path / "a") as a:
            a.use_relay(relay.url)
            code, pairing = await begin(a)
            b, _ = await Vault.join(tmp_path / "deep" / "down" / "b", code, relay=relay.url)
            b.close()
            await pairing
            assert sorted(one.name for one in b.home.iterdir()) == [
                "device.keys",
                "index",
                "instance",
                "store",
                "vault.json",
            ]
