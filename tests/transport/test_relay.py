"""Contracts of the relay as a server: what a hostile, slow or silent peer can and cannot do to it."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from tests.transport.family import found
from tests.transport.memory_ledger import FIRST, MemoryLedger, replicas
from vademecum.errors import RelayRefused, StorageTrouble
from vademecum.transport.client import sync_once
from vademecum.transport.frames import (
    MAX_FRAME,
    Ask,
    Challenge,
    Heads,
    Hello,
    Prove,
    Pull,
    Push,
    Welcome,
    decode,
    encode,
)
from vademecum.transport.line import Line, dial
from vademecum.transport.login import origin_of
from vademecum.transport.relay.server import Limits, Relay, running

FAMILY = found()


@pytest.fixture
async def relay(tmp_path: Path) -> AsyncIterator[Relay]:
    async with running(tmp_path / "relay", limits=Limits(login_seconds=0.3)) as one:
        yield one


async def still_serves(relay: Relay) -> None:
    laptop = replicas(FAMILY, 1)[0]
    assert (await sync_once(laptop, relay.url)).state == "synced"


@asynccontextmanager
async def logged_in(relay: Relay, ledger: MemoryLedger) -> AsyncIterator[Line]:
    async with dial(relay.url) as line:
        await line.send([encode(Hello((1,), ledger.vault, ledger.device))])
        challenge = await hear(line)
        assert isinstance(challenge, Challenge)
        signature = ledger.sign_login(origin_of(relay.url), challenge.nonce, challenge.expiry)
        await line.send([encode(Prove(signature, tuple(one.raw for one in ledger.roster().statements)))])
        assert isinstance(await hear(line), Welcome)
        yield line


async def hear(line: Line) -> object:
    """The next frame; these conversations have one on its way at a time."""
    async with asyncio.timeout(10):
        await line.wait()
    (message,) = line.take()
    return decode(message)


@asynccontextmanager
async def raw(relay: Relay) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    host, port = relay.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        yield reader, writer
    finally:
        writer.close()


async def ended(reader: asyncio.StreamReader) -> bool:
    """Whether the other side closes the connection in time."""
    async with asyncio.timeout(5):
        try:
            while await reader.read(1 << 16):
                pass
        except ConnectionError:
            pass
    return True


async def test_health_is_told_and_any_other_page_is_not_there(relay: Relay) -> None:
    async with aiohttp.ClientSession() as session:
        async with session.get(f"{relay.url}/healthz") as answer:
            assert answer.status == 200 and (await answer.json())["ok"] is True
        async with session.get(f"{relay.url}/etc/passwd") as answer:
            assert answer.status == 404
        async with session.get(f"{relay.url}/v1/sync") as answer:
            assert answer.status == 400


async def test_random_bytes_on_the_port_end_that_connection_and_no_other(relay: Relay) -> None:
    rng = random.Random(1)
    ledger = replicas(FAMILY, 1)[0]
    async with logged_in(relay, ledger) as bystander:
        for size in [1, 10, 100, 1000, 100_000] * 4:
            async with raw(relay) as (reader, writer):
                writer.write(rng.randbytes(size))
                assert await ended(reader)
        await bystander.send([encode(Ask())])
        assert isinstance(await hear(bystander), Heads)
    await still_serves(relay)


async def test_random_websocket_messages_end_that_connection_and_no_other(relay: Relay) -> None:
    rng = random.Random(2)
    ledger = replicas(FAMILY, 1)[0]
    async with logged_in(relay, ledger) as bystander, aiohttp.ClientSession() as session:
        for round_ in range(40):
            async with session.ws_connect(f"{relay.url}/v1/sync") as socket:
                if round_ % 4 == 0:
                    await socket.send_str("hello")
                else:
                    await socket.send_bytes(rng.randbytes(rng.randrange(2000)))
                async with asyncio.timeout(5):
                    while (await socket.receive()).type is aiohttp.WSMsgType.BINARY:
                        pass
                assert socket.closed
        await bystander.send([encode(Ask())])
        assert isinstance(await hear(bystander), Heads)
    await still_serves(relay)


async def test_a_member_that_sends_rubbish_loses_its_connection_only(relay: Relay) -> None:
    ledger = replicas(FAMILY, 1)[0]
    async with logged_in(relay, ledger) as bystander:
        async with logged_in(relay, ledger) as line:
            await line.send([os.urandom(100)])
            await line.wait()
        await bystander.send([encode(Ask())])
        assert isinstance(await hear(bystander), Heads)


async def test_an_oversized_frame_ends_the_connection_with_the_code_for_it(relay: Relay) -> None:
    async with aiohttp.ClientSession() as session, session.ws_connect(f"{relay.url}/v1/sync") as socket:
        await socket.send_bytes(bytes(MAX_FRAME + 1))
        async with asyncio.timeout(5):
            while (await socket.receive()).type not in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED):
                pass
        assert socket.close_code == aiohttp.WSCloseCode.MESSAGE_TOO_BIG
    await still_serves(relay)


async def test_a_socket_that_says_nothing_is_closed_in_time(relay: Relay) -> None:
    async with aiohttp.ClientSession() as session, session.ws_connect(f"{relay.url}/v1/sync") as socket:
        async with asyncio.timeout(5):
            while not socket.closed:
                await socket.receive()
        assert socket.close_code == aiohttp.WSCloseCode.POLICY_VIOLATION
    async with raw(relay) as (reader, _):
        assert await ended(reader)
    async with raw(relay) as (reader, writer):
        writer.write(b"GET /v1/sync HTTP/1.1\r\nHost: relay\r\nUpgrade:")
        assert await ended(reader)


async def test_a_connected_member_may_be_silent(relay: Relay) -> None:
    ledger = replicas(FAMILY, 1)[0]
    async with logged_in(relay, ledger) as line, aiohttp.ClientSession() as session:
        async with session.ws_connect(f"{relay.url}/v1/sync") as silent, asyncio.timeout(5):
            while not silent.closed:  # another one's time runs out
                await silent.receive()
        await line.send([encode(Ask())])
        assert isinstance(await hear(line), Heads)


async def test_a_slow_reader_is_dropped_without_holding_up_the_others_and_resumes(tmp_path: Path) -> None:
    laptop, phone, slow = replicas(FAMILY, 3)
    async with running(tmp_path / "relay", limits=Limits(queue_bytes=64 << 10)) as relay:
        host, port = relay.url.removeprefix("http://").split(":")
        async with aiohttp.ClientSession() as session:
            socket = await session.ws_connect(f"{relay.url}/v1/sync", max_msg_size=MAX_FRAME)
            await socket.send_bytes(encode(Hello((1,), slow.vault, slow.device)))
            challenge = decode(await socket.receive_bytes())
            assert isinstance(challenge, Challenge)
            signature = slow.sign_login(f"{host}:{port}", challenge.nonce, challenge.expiry)
            await socket.send_bytes(encode(Prove(signature, tuple(one.raw for one in slow.roster().statements))))
            assert isinstance(decode(await socket.receive_bytes()), Welcome)
            for _ in range(60):
                laptop.write(FIRST, bytes(400_000))
            assert (await sync_once(laptop, relay.url)).pushed == 60
            assert (await sync_once(phone, relay.url)).pulled == 60
            seen = 0
            async with asyncio.timeout(10):
                while (message := await socket.receive()).type is aiohttp.WSMsgType.BINARY:
                    seen += 1
            assert message.type in (aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.ERROR, aiohttp.WSMsgType.CLOSE)
            assert seen < 60
            await socket.close()
        assert (await sync_once(slow, relay.url)).state == "synced"
        assert slow.content() == laptop.content()


async def test_pages_for_one_client_that_does_not_read_do_not_pile_up(tmp_path: Path) -> None:
    laptop, slow = replicas(FAMILY, 2)
    async with running(tmp_path / "relay") as relay:
        for _ in range(40):
            laptop.write(FIRST, bytes(400_000))
        await sync_once(laptop, relay.url)
        async with logged_in(relay, slow) as line:
            await line.send([encode(Pull(FIRST, b"", 0, {}))] * 20)
            (peer,) = relay._peers
            await line.wait()
            assert peer._queued < 2 << 20
            assert (await sync_once(laptop, relay.url)).state == "synced"


async def test_connections_of_one_address_are_limited(tmp_path: Path) -> None:
    async with (
        running(tmp_path / "relay", limits=Limits(per_address=2)) as relay,
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{relay.url}/v1/sync"),
    ):
        async with session.ws_connect(f"{relay.url}/v1/sync"):
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await session.ws_connect(f"{relay.url}/v1/sync")
            assert refused.value.status == 429
        await still_serves(relay)


async def test_a_relay_given_its_names_refuses_logins_made_for_another(tmp_path: Path) -> None:
    laptop = replicas(FAMILY, 1)[0]
    async with running(tmp_path / "relay", origins=["relay.example:443"]) as relay:
        with pytest.raises(RelayRefused):
            await sync_once(laptop, relay.url)


async def test_a_port_that_is_taken_is_said_plainly(tmp_path: Path) -> None:
    async with running(tmp_path / "one") as relay:
        port = int(relay.url.rpartition(":")[2])
        with pytest.raises(StorageTrouble, match=rf"port {port}"):
            async with running(tmp_path / "two", port=port):
                pass


async def test_pushed_commits_are_stored_though_the_pusher_has_gone(tmp_path: Path) -> None:
    laptop = replicas(FAMILY, 1)[0]
    laptop.write()
    laptop.seal_pending()
    async with running(tmp_path / "relay") as relay:
        async with logged_in(relay, laptop) as line:
            await line.send([encode(Push(tuple(laptop.chains[FIRST][laptop.device])))])
        async with asyncio.timeout(5):
            while not relay.hub.store.heads(laptop.vault):
                await asyncio.sleep(0.005)


async def test_the_relays_files_hold_no_plain_text(tmp_path: Path) -> None:
    laptop = replicas(FAMILY, 1)[0]
    async with running(tmp_path / "relay") as relay:
        for _ in range(20):
            laptop.write(FIRST, b"I am vegetarian, by the way. " * 3)
        await sync_once(laptop, relay.url)
    for file in (tmp_path / "relay").iterdir():
        assert b"vegetarian" not in file.read_bytes()
