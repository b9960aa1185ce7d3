"""The devices of a vault as the library shows them, and what is left to one that was revoked."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.endtoend.device import join
from vademecum import Vault
from vademecum.doctor import examine
from vademecum.engine.checking import Level
from vademecum.engine.replica import Transaction
from vademecum.errors import DeviceRevoked, InvalidArgument, NotFound, Refused
from vademecum.repair import repair
from vademecum.storage.tables import Table
from vademecum.transport.relay.server import running


async def revoked_phone(base: Path) -> tuple[Path, Path]:
    """A laptop that has revoked a phone, which has been told."""
    laptop, phone = base / "laptop", base / "phone"
    async with running(base / "relay") as relay:
        with Vault.create(laptop, device_name="laptop") as first:
            first.use_relay(relay.url)
            first.user.set("name", "Alice")
            await first.sync_once()
            await join(first, phone, relay.url)
            with Vault.open(phone) as second:
                await second.sync_once()
                second.user.set("own", "of the phone")
                first.revoke("phone")
                await first.sync_once()
                with pytest.raises(DeviceRevoked, match="revoked by 'laptop'"):
                    await second.sync_once()
    return laptop, phone


async def test_devices_are_told_with_those_that_were_revoked(tmp_path: Path) -> None:
    laptop, phone = await revoked_phone(tmp_path)
    with Vault.open(laptop) as vault:
        told = {one.name: one for one in vault.devices()}
        assert list(told) == ["laptop", "recovery phrase", "phone"]
        assert (told["laptop"].this, told["laptop"].revoked, told["phone"].revoked) == (True, False, True)
        assert told["phone"].revoked_by == "laptop" and (told["phone"].revoked_at or "").endswith("Z")
        assert [one.name for one in vault.status().devices] == ["laptop", "recovery phrase"]
        with pytest.raises(Refused, match="revoked already, since"):
            vault.revoke("phone")
        with pytest.raises(NotFound, match="there are 'laptop'"):
            vault.revoke("Phone")
        with pytest.raises(Refused, match="it is the only one"):
            vault.revoke("laptop")
        assert vault.rename_device("laptop", "desk").name == vault.device_name == "desk"
        with pytest.raises(InvalidArgument, match="1 to 127 bytes"):
            vault.rename_device("desk", " ")
    with Vault.open(phone) as vault, pytest.raises(DeviceRevoked):
        vault.revoke("laptop")


async def test_a_revoked_device_reads_writes_and_exports_and_dials_no_more(tmp_path: Path) -> None:
    _, phone = await revoked_phone(tmp_path)
    with Vault.open(phone) as vault:
        assert {leaf.path: leaf.value for leaf in vault.user.leaves()} == {"name": "Alice", "own": "of the phone"}
        vault.user.set("later", 1)
        status = vault.status()
        assert (status.state, status.pending) == ("revoked", 2)
        (problem,) = status.problems
        assert problem.code == "revoked" and "2 changes" in problem.message and "vademecum export" in problem.message
        for _ in range(2):  # the relay is gone, and it does not notice
            with pytest.raises(DeviceRevoked, match="no more"):
                await vault.sync_once()
        with pytest.raises(DeviceRevoked):
            await vault.sync_forever()


async def test_a_copy_of_a_device_that_was_revoked_stays_what_it_is(tmp_path: Path) -> None:
    """It is in nobody's way, and may not bring in a device of its own."""
    _, phone = await revoked_phone(tmp_path)
    shutil.copytree(phone, tmp_path / "copy")
    with Vault.open(tmp_path / "copy") as vault:
        vault.user.set("copied", 1)
        assert vault.device_name == "phone"
        assert [problem.code for problem in vault.status().problems] == ["revoked"]


async def test_a_revoked_device_is_repaired_from_what_it_has(tmp_path: Path) -> None:
    """The relay gives it nothing any more, and is not asked."""
    _, phone = await revoked_phone(tmp_path)

    def alter(transaction: Transaction) -> None:
        key, data = next(iter(transaction.writer.scan(Table.COMMITS)))
        transaction.writer.put(Table.COMMITS, key, data[:-70] + bytes([data[-70] ^ 1]) + data[-69:])

    with Vault.open(phone) as vault:
        vault.write(alter)
    assert {one.code for one in examine(phone)} >= {"chain"}
    await repair(phone, examine(phone))
    assert not {one.code for one in examine(phone) if one.level is Level.BROKEN}
    with Vault.open(phone) as vault:
        assert vault.user.get("own") == "of the phone"
        assert vault.status().state == "revoked"
