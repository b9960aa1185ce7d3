"""Two devices that curate the same vault while apart: each its own signals, and both end with the same memory."""

from __future__ import annotations

from pathlib import Path

from tests.endtoend.device import join
from vademecum import Vault
from vademecum.transport.relay.server import running

AGENT = "prix/daily-eats@1.0.0"


async def test_the_same_words_heard_on_both_devices_are_one_memory_with_two_receipts(tmp_path: Path) -> None:
    async with running(tmp_path / "relay") as relay:
        with Vault.create(tmp_path / "laptop", device_name="laptop") as laptop:
            laptop.use_relay(relay.url)
            await join(laptop, tmp_path / "phone", relay.url)
            with Vault.open(tmp_path / "phone") as phone:
                await phone.sync_once()
                said = {}
                for vault, session in ((laptop, "at-the-desk"), (phone, "on-the-train")):
                    said[session] = vault.agent(AGENT).session(session).log("user", "I'm vegetarian.")
                laptop.agent(AGENT).session("at-the-desk").log("user", "I'm allergic to peanuts.")
                phone.agent(AGENT).session("on-the-train").log("user", "My name is Alice.")

                assert (laptop.sweep_once().signals, phone.sweep_once().signals) == (2, 2)
                for vault in (laptop, phone, laptop):
                    await vault.sync_once()
                assert (laptop.waiting().signals, phone.waiting().signals) == (0, 0), "signals are not synced"

                assert laptop.user.tree()["public"] == phone.user.tree()["public"]
                for vault in (laptop, phone):
                    leaves = {leaf.path: leaf.value for leaf in vault.user.leaves() if leaf.scope == "user.public"}
                    assert leaves["diet"] == "vegetarian" and leaves["name"] == "Alice"
                    assert [path for path in leaves if path.startswith("allergies.")] == ["allergies.peanuts"]
                    receipts = vault.why("diet").receipts
                    assert {f"session/{one.session}:{one.message}" for one in receipts} == set(said.values())
                    assert {one.text for one in receipts} == {"I'm vegetarian"}
                assert (laptop.sweep_once().signals, phone.sweep_once().signals) == (0, 0)
