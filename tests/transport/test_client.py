"""Contracts of the client on real sockets: against a real relay, a killed one, and things that are none."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from aiohttp import web

from tests.transport.family import device, found
from tests.transport.memory_ledger import FIRST, SECOND, MemoryLedger, replicas
from tests.transport.relay_process import RelayProcess
from vademecum.errors import InvalidArgument, NotARelay, RelayRefused, RelayUnreachable
from vademecum.transport.client import SyncReport, sync_forever, sync_once
from vademecum.transport.relay.server import Relay, running


@pytest.fixture
async def relay(tmp_path: Path) -> AsyncIterator[Relay]:
    async with running(tmp_path / "relay") as one:
        yield one


async def until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    """Polls, with a deadline: what is waited for happens in other threads and processes."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


class Running:
    """A replica that stays connected; ``write`` is noticed at the next poll."""

    def __init__(self, ledger: MemoryLedger, url: str) -> None:
        self.ledger = ledger
        self.stop = asyncio.Event()
        self._changed = False
        self.task = asyncio.create_task(
            sync_forever(ledger, url, changed=self._take_changed, stop=self.stop, poll=0.02)
        )

    def write(self, channel: bytes = FIRST) -> None:
        self.ledger.write(channel)
        self._changed = True

    def _take_changed(self) -> bool:
        changed, self._changed = self._changed, False
        return changed

    @property
    def state(self) -> str:
        return self.ledger.recorded[-1][0] if self.ledger.recorded else ""


@asynccontextmanager
async def connected(url: str, *ledgers: MemoryLedger) -> AsyncIterator[list[Running]]:
    everyone = [Running(ledger, url) for ledger in ledgers]
    try:
        yield everyone
    finally:
        for one in everyone:
            one.stop.set()
        await asyncio.gather(*(one.task for one in everyone))


async def test_a_sync_reports_what_it_moved(relay: Relay) -> None:
    laptop, phone = replicas(found(), 2)
    for channel in (FIRST, FIRST, SECOND):
        laptop.write(channel)
    sent = await sync_once(laptop, relay.url)
    got = await sync_once(phone, relay.url)
    assert (sent.state, sent.pushed, sent.pulled, sent.problems) == ("synced", 3, 0, ())
    assert (got.state, got.pushed, got.pulled) == ("synced", 0, 3)
    assert got.bytes_in > sum(len(one) for chains in phone.content().values() for one in chains[laptop.device])
    assert 0 < got.bytes_out < got.bytes_in
    assert phone.content() == laptop.content()
    assert phone.recorded[-1] == ("synced", ())
    again = await sync_once(phone, relay.url)
    assert (again.pulled, again.pushed) == (0, 0)


async def test_a_push_reaches_the_other_device_while_both_are_connected(relay: Relay) -> None:
    laptop, phone = replicas(found(), 2)
    async with connected(relay.url, laptop, phone) as (one, two):
        await until(lambda: one.state == two.state == "synced")
        one.write()
        await until(lambda: phone.content() == laptop.content() != {})
        two.write(SECOND)
        await until(lambda: phone.content() == laptop.content() and len(laptop.content()) == 2)
    assert one.state == "offline"


async def test_nothing_acknowledged_is_lost_when_the_relay_is_killed_in_the_middle_of_pushes(tmp_path: Path) -> None:
    ledgers = replicas(found(), 3)
    with RelayProcess(tmp_path / "relay") as relay:
        async with connected(relay.url, *ledgers) as everyone:
            for _ in range(3):
                for one in everyone:
                    for _ in range(200):
                        one.write()
                before = [sum(one.ledger.acknowledged(FIRST).values()) for one in everyone]
                await until(
                    lambda before=before: any(  # type: ignore[misc]  # bound per round
                        sum(one.ledger.acknowledged(FIRST).values()) > was
                        for one, was in zip(everyone, before, strict=True)
                    )
                )
                await asyncio.to_thread(relay.kill)
                await until(lambda: all(one.state == "offline" for one in everyone))
                acknowledged = [dict(one.ledger.acknowledged(FIRST)) for one in everyone]
                await asyncio.to_thread(relay.start)
                await until(lambda: all(one.state == "synced" for one in everyone), 40)
                for one, seen in zip(everyone, acknowledged, strict=True):
                    held = one.ledger.frontier(FIRST)
                    assert all(held[who][0] >= seq for who, seq in seen.items())
            await until(lambda: all(one.ledger.content() == ledgers[0].content() for one in everyone), 40)
        codes = {problem.code for ledger in ledgers for _, problems in ledger.recorded for problem in problems}
        assert "relay-rewound" not in codes, "the relay had lost what it acknowledged"
        newcomer = MemoryLedger(ledgers[2].keys, ledgers[0].roster(), found().secrets)
        assert (await sync_once(newcomer, relay.url)).state == "synced"
        assert newcomer.content() == ledgers[0].content()
        assert sum(map(len, newcomer.content()[FIRST].values())) == 3 * 3 * 200


async def test_a_relay_that_stops_says_goodbye_and_is_found_again(tmp_path: Path) -> None:
    laptop = replicas(found(), 1)[0]
    with RelayProcess(tmp_path / "relay") as relay:
        async with connected(relay.url, laptop) as (one,):
            await until(lambda: one.state == "synced")
            assert await asyncio.to_thread(relay.kill, signal.SIGTERM) == 0
            await until(lambda: one.state == "offline")
            assert "stopping" in laptop.recorded[-1][1][0].message
            one.write()
            await asyncio.to_thread(relay.start)
            await until(lambda: one.state == "synced" and laptop.acknowledged(FIRST) == {laptop.device: 1})


async def test_nobody_at_the_address_is_an_unreachable_relay() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        unused_tcp_port = taken.getsockname()[1]
    laptop = replicas(found(), 1)[0]
    with pytest.raises(RelayUnreachable, match="Nothing answers at http"):
        await sync_once(laptop, f"http://127.0.0.1:{unused_tcp_port}")
    state, problems = laptop.recorded[-1]
    assert state == "offline"
    assert [problem.code for problem in problems] == ["relay-unreachable"]


async def test_a_relay_that_falls_silent_is_unreachable_after_the_timeout() -> None:
    async def swallow(request: web.BaseRequest) -> web.StreamResponse:
        response = web.WebSocketResponse()
        await response.prepare(request)
        async for _ in response:
            pass
        return response

    async with _website(swallow) as url:
        with pytest.raises(RelayUnreachable, match="has not answered"):
            await sync_once(replicas(found(), 1)[0], url, timeout=0.2)


@asynccontextmanager
async def _website(handler: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]) -> AsyncIterator[str]:
    runner = web.ServerRunner(web.Server(handler))
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def _page(_: web.BaseRequest) -> web.StreamResponse:
    return web.Response(text="<h1>It works!</h1>", content_type="text/html")


async def _nothing(_: web.BaseRequest) -> web.StreamResponse:
    return web.Response(status=404)


async def _chat(request: web.BaseRequest) -> web.StreamResponse:
    response = web.WebSocketResponse()
    await response.prepare(request)
    await response.send_str("welcome to the chat")
    async for _ in response:
        pass
    return response


@pytest.mark.parametrize("handler", [_page, _nothing, _chat])
async def test_another_service_at_the_address_is_not_a_relay(
    handler: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]],
) -> None:
    laptop = replicas(found(), 1)[0]
    async with _website(handler) as url:
        with pytest.raises(NotARelay, match="not a Vademecum relay"):
            await sync_once(laptop, url)
    assert [problem.code for problem in laptop.recorded[-1][1]] == ["not-a-relay"]


async def test_a_port_that_does_not_speak_http_is_not_a_relay() -> None:
    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.example ESMTP\r\n")
        with suppress(ConnectionError):
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    async with server:
        with pytest.raises(NotARelay):
            await sync_once(replicas(found(), 1)[0], f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")


@pytest.mark.parametrize("url", ["relay.example", "ftp://relay.example", "http://", ""])
async def test_an_address_that_is_none_is_refused_before_anything_is_dialled(url: str) -> None:
    with pytest.raises(InvalidArgument):
        await sync_once(replicas(found(), 1)[0], url)


async def test_a_device_that_is_no_member_is_refused_with_a_reason(relay: Relay) -> None:
    family = found()
    await sync_once(replicas(family, 1)[0], relay.url)
    stranger = MemoryLedger(device(7), family.roster, family.secrets)
    with pytest.raises(RelayRefused) as refused:
        await sync_once(stranger, relay.url)
    assert refused.value.reason == "not-a-member"
    assert stranger.recorded[-1][0] == "blocked"


async def test_many_channels_are_more_than_the_pulls_that_may_wait(relay: Relay) -> None:
    laptop, phone = replicas(found(), 2)
    for number in range(200):
        laptop.write(number.to_bytes(16, "big"))
    assert (await sync_once(laptop, relay.url)).pushed == 200
    report: SyncReport = await sync_once(phone, relay.url)
    assert report.pulled == 200
    assert phone.content() == laptop.content()


async def test_megabytes_arrive_in_few_batches(relay: Relay) -> None:
    laptop, phone = replicas(found(), 2)
    for _ in range(24):
        laptop.write(FIRST, bytes(250_000))
    assert (await sync_once(laptop, relay.url)).pushed == 24
    assert (await sync_once(phone, relay.url)).state == "synced"
    assert phone.content() == laptop.content()
    assert len(phone.batches) < 24
