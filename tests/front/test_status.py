"""The status says what is true at the moment it is read."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from tests.endtoend.device import join
from tests.transport.relay_process import RelayProcess
from vademecum import Vault
from vademecum.engine.replica import Transaction
from vademecum.errors import NotARelay, RelayUnreachable
from vademecum.storage.tables import Table
from vademecum.transport import sync_state
from vademecum.transport.relay.server import running


async def test_a_vault_without_a_relay_is_offline_and_counts_what_waits(tmp_path: Path) -> None:
    with Vault.create(tmp_path / "a", device_name="laptop") as a:
        status = a.status()
        assert (status.state, status.pending, status.last_synced_at, status.relay) == ("offline", 0, None, None)
        (device, *others) = status.devices
        assert (device.name, device.role, device.this) == ("laptop", "administrator", True)
        assert all(other.role == "recovery" for other in others)
        a.user.set("a", {"x": 1, "y": 2})
        a.agent("x/y@1").remember("b", 1, because="said", scope="agent")
        assert a.status().pending == 3 and a.status().indexing == 3
        a.recall("anything")
        assert a.status().indexing == 0


async def test_it_is_synced_until_something_is_written(tmp_path: Path) -> None:
    async with running(tmp_path / "relay") as relay:
        with Vault.create(tmp_path / "a") as a:
            a.user.set("a", 1)
            a.use_relay(relay.url)
            assert a.status().state == "offline" and a.status().relay == relay.url
            await a.sync_once()
            status = a.status()
            assert (status.state, status.pending, status.problems) == ("synced", 0, ())
            assert status.last_synced_at is not None and status.last_synced_at.endswith("Z")
            a.user.set("a", 2)
            assert (a.status().state, a.status().pending) == ("offline", 1)
            await a.sync_once()
            assert a.status().state == "synced"


async def test_what_is_sealed_and_not_acknowledged_is_pending(tmp_path: Path) -> None:
    with Vault.create(tmp_path / "a") as a:
        a.user.set("a", 1)
        a.user.set("b", 1, private=True)
        a.ledger().seal_pending()
        assert a.status().pending == 2


async def test_a_relay_that_does_not_answer_is_a_problem_and_the_last_sync_stays_known(tmp_path: Path) -> None:
    with Vault.create(tmp_path / "a") as a:
        async with running(tmp_path / "relay") as relay:
            a.use_relay(relay.url)
            await a.sync_once()
            before = a.status().last_synced_at
        with pytest.raises(RelayUnreachable):
            await a.sync_once()
        status = a.status()
        assert (status.state, status.last_synced_at) == ("offline", before)
        assert [problem.code for problem in status.problems] == ["relay-unreachable"]


async def test_what_is_no_relay_is_named_as_a_problem(tmp_path: Path) -> None:
    async def greet(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.example ESMTP\r\n")
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    async with server:
        with Vault.create(tmp_path / "a") as a:
            a.use_relay(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
            with pytest.raises((NotARelay, RelayUnreachable)):
                await a.sync_once()
            assert len(a.status().problems) == 1 and a.status().state in ("offline", "blocked")


async def test_a_process_that_died_while_it_synced_is_not_said_to_be_syncing(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    with Vault.create(tmp_path / "a") as a:
        for state in ("connecting", "syncing"):

            def note(transaction: Transaction, state: str = state) -> None:
                sync_state.note_state(transaction.writer, state, (), 1)

            a.replica.write(note)
            assert a.status().state == state  # this process lives

            def bury(transaction: Transaction) -> None:
                import msgpack

                fields = msgpack.unpackb(transaction.writer.get(Table.META, b"sync/state") or b"")
                fields[2] = dead.pid
                transaction.writer.put(Table.META, b"sync/state", msgpack.packb(fields))

            a.replica.write(bury)
            assert a.status().state == "offline"


async def test_devices_are_known_by_name_on_every_device(tmp_path: Path) -> None:
    async with running(tmp_path / "relay") as relay:
        with Vault.create(tmp_path / "a", device_name="laptop") as a:
            a.use_relay(relay.url)
            await join(a, tmp_path / "phone", relay.url)
            with Vault.open(tmp_path / "phone") as b:
                await b.sync_once()
                for vault, mine in ((a, "laptop"), (b, "phone")):
                    devices = vault.status().devices
                    assert {device.name for device in devices if device.role != "recovery"} == {"laptop", "phone"}
                    assert [device.name for device in devices if device.this] == [mine]


async def test_as_json_says_the_same(tmp_path: Path) -> None:
    with Vault.create(tmp_path / "a") as a:
        shown = a.status().as_json()
        assert set(shown) == {
            "state",
            "pending",
            "last_synced_at",
            "devices",
            "problems",
            "relay",
            "indexing",
            "memories",
            "curation",
            "formed",
            "daemon",
        }
        assert shown["devices"][0]["id"] == a.ledger().device.hex()


async def test_a_relay_killed_on_the_way_leaves_it_pending_and_it_goes_when_the_relay_returns(tmp_path: Path) -> None:
    with RelayProcess(tmp_path / "relay") as relay, Vault.create(tmp_path / "a") as a:
        a.use_relay(relay.url)
        await a.sync_once()
        relay.kill()
        a.user.set("a", 1)
        with pytest.raises(RelayUnreachable):
            await a.sync_once()
        assert (a.status().state, a.status().pending) == ("offline", 1)
        relay.start()
        await a.sync_once()
        assert (a.status().state, a.status().pending, a.status().problems) == ("synced", 0, ())
