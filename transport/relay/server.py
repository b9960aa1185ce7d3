"""The relay as a process: HTTP and WebSocket on aiohttp around ``Connection``, ``Hub`` and the store.

``/v1/sync`` is the protocol, ``/healthz`` says that the process and its store answer.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from aiohttp import WSMsgType, web

from vademecum.errors import StorageTrouble
from vademecum.transport.frames import MAX_FRAME
from vademecum.transport.relay.connection import LOGIN_SECONDS, Connection, Send, State, Submit
from vademecum.transport.relay.hub import Hub, size_of
from vademecum.transport.relay.lmdb_store import LmdbStore

if sys.platform != "win32":
    import resource

__all__ = ["SYNC_PATH", "Limits", "Relay", "running", "serve"]

SYNC_PATH = "/v1/sync"
GOING_AWAY = 1001
IN_FLIGHT_BYTES = 4 << 20
"""Pushed bytes of one connection that may wait for the writer before the relay stops reading from it."""

TIDY_SECONDS = 3600.0
"""How often a large file is rewritten without what was deleted, if anything was."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one relay process grants."""

    connections: int = 10_000
    per_address: int = 256
    login_seconds: float = LOGIN_SECONDS
    """From connecting to being logged in, or to having claimed a mailbox; also for the HTTP request itself."""
    queue_bytes: int = 512 << 10
    """What may wait to be sent to one client. A client that falls behind further is dropped, and resumes by pulling."""
    heartbeat: float = 30.0
    """Seconds between pings; a client that does not answer within half of that is gone."""


class _Peer:
    """One WebSocket: a queue with a limit, and the task that empties it."""

    def __init__(self, hub: Hub, limits: Limits, request: web.BaseRequest, connection: Connection) -> None:
        self.connection = connection
        self._hub, self._limits, self._request = hub, limits, request
        self._socket = web.WebSocketResponse(
            timeout=2.0, heartbeat=limits.heartbeat, max_msg_size=MAX_FRAME, compress=False, autoping=True
        )
        self._queue: deque[bytes] = deque()
        self._queued = 0
        self._wake = asyncio.Event()
        self._ending: tuple[int, str] | None = None
        self._in_flight = 0
        self._calm = asyncio.Event()

    def queue(self, data: bytes) -> None:
        if self._queue and self._queued + len(data) > self._limits.queue_bytes:
            self.drop()
            return
        self._queue.append(data)
        self._queued += len(data)
        self._wake.set()

    def disconnect(self, code: int, reason: str) -> None:
        self._ending = code, reason
        self._wake.set()

    def drop(self) -> None:
        """Cuts the line at once: a close frame would wait behind what the client does not read."""
        self._queue.clear()
        self._queued = 0
        self._hub.leave(self)
        if self._request.transport is not None:
            self._request.transport.abort()

    def settled(self, size: int) -> None:
        self._in_flight -= size
        self._calm.set()

    async def run(self) -> web.WebSocketResponse:
        await self._socket.prepare(self._request)
        sender = asyncio.create_task(self._send())
        try:
            await self._read()
            if self._ending is not None:
                await sender
        finally:
            self._hub.leave(self)
            sender.cancel()
            with suppress(asyncio.CancelledError, ConnectionError):
                await sender
        return self._socket

    async def _read(self) -> None:
        async for message in self._socket:
            data = message.data if message.type is WSMsgType.BINARY else b""
            effects = self.connection.receive(data, self._hub.clock())
            self._in_flight += sum(size_of(effect.request) for effect in effects if isinstance(effect, Submit))
            self._hub.apply(self, effects)
            self._wake.set()  # a pull has no effect of its own: its answer is made as the line takes it
            while self._in_flight > IN_FLIGHT_BYTES:
                self._calm.clear()
                await self._calm.wait()
            if self.connection.state is State.CLOSED:
                return

    async def _send(self) -> None:
        while True:
            if self._queue:
                data = self._queue.popleft()
                await self._socket.send_bytes(data)
                self._queued -= len(data)
            elif self._ending is not None:
                code, reason = self._ending
                await self._socket.close(code=code, message=reason.encode())
                return
            elif self.connection.has_more:
                for effect in self.connection.more():
                    if isinstance(effect, Send):  # made because the line is free: past the queue and its limit
                        await self._socket.send_bytes(effect.data)
                    else:
                        self._hub.apply(self, [effect])
            else:
                await self._sleep()

    async def _sleep(self) -> None:
        """Until there is something to send, or the connection's time is up."""
        self._wake.clear()
        deadline = self.connection.deadline
        try:
            async with asyncio.timeout(None if deadline is None else max(0.0, deadline - self._hub.clock())):
                await self._wake.wait()
        except TimeoutError:
            self._hub.apply(self, self.connection.tick(self._hub.clock()))


class _Server(web.Server):
    """aiohttp's server with a limit on connections and on the time a client takes for its request."""

    def __init__(self, relay: Relay) -> None:
        super().__init__(relay.handle, access_log=None, keepalive_timeout=0.0)
        self._relay = relay
        self._asked: set[object] = set()

    def connection_made(self, handler: web.RequestHandler, transport: asyncio.Transport) -> None:
        super().connection_made(handler, transport)
        if len(self.connections) > self._relay.limits.connections:
            transport.abort()
            return
        loop = asyncio.get_running_loop()
        loop.call_later(self._relay.limits.login_seconds, self._check, handler, transport)

    def connection_lost(self, handler: web.RequestHandler, exc: BaseException | None = None) -> None:
        super().connection_lost(handler, exc)
        self._asked.discard(handler)

    def asked(self, handler: object) -> None:
        """A whole request has come in."""
        self._asked.add(handler)

    def _check(self, handler: object, transport: asyncio.Transport) -> None:
        if handler not in self._asked and not transport.is_closing():
            transport.abort()


class Relay:
    """One relay process's state. Made by ``running``; ``url`` is where it answers."""

    def __init__(self, store: LmdbStore, limits: Limits, origins: Sequence[str]) -> None:
        self.limits = limits
        self.hub = Hub(store, time.monotonic)
        self.url = ""
        self.server = _Server(self)
        self._origins = tuple(origins)
        self._peers: set[_Peer] = set()
        self._addresses: Counter[str] = Counter()

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answers one HTTP request."""
        self.server.asked(request.protocol)
        if request.path == SYNC_PATH:
            response = await self._sync(request)
        elif request.path == "/healthz":
            response = self._health()
        else:
            response = web.json_response({"error": "there is nothing here; this is a Vademecum relay"}, status=404)
        if not isinstance(response, web.WebSocketResponse):
            response.force_close()
        return response

    async def _sync(self, request: web.BaseRequest) -> web.StreamResponse:
        address = request.remote or ""
        if self._addresses[address] >= self.limits.per_address:
            return web.json_response({"error": "too many connections from this address"}, status=429)
        connection = Connection(
            self.hub.store,
            self.hub.rosters,
            self.hub.mailboxes,
            address=address,
            origins=self._origins or _dialled(request.host),
            nonce=os.urandom(32),
            now=self.hub.clock(),
            wall_ms=time.time_ns() // 1_000_000,
            login_seconds=self.limits.login_seconds,
        )
        peer = _Peer(self.hub, self.limits, request, connection)
        self._peers.add(peer)
        self._addresses[address] += 1
        try:
            return await peer.run()
        finally:
            self._peers.discard(peer)
            self._addresses[address] -= 1
            if not self._addresses[address]:
                del self._addresses[address]

    def _health(self) -> web.Response:
        try:
            self.hub.store.statements(bytes(16))
        except StorageTrouble as error:
            return web.json_response({"ok": False, "error": error.message}, status=503)
        return web.json_response({"ok": True, "connections": len(self._peers)})

    def say_goodbye(self) -> None:
        """Asks every client to come back later."""
        for peer in self._peers:
            peer.disconnect(GOING_AWAY, "the relay is stopping")


@asynccontextmanager
async def running(
    data: Path,
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    limits: Limits | None = None,
    origins: Sequence[str] = (),
) -> AsyncIterator[Relay]:
    """A relay that answers at ``relay.url`` while the block runs. Port 0 takes a free one.

    ``origins`` are the names (``host:port``) under which devices reach it; a login made for another name is refused.
    Without any, the name in the request is believed, and another relay could pass a device's login on to this one.
    Raises ``StorageTrouble`` if the store or the port cannot be had.
    """
    store = await asyncio.to_thread(LmdbStore.open, data)
    try:
        relay = Relay(store, limits or Limits(), origins)
        writer = asyncio.create_task(relay.hub.run())
        tidying = asyncio.create_task(_tidying(relay.hub))
        runner = web.ServerRunner(relay.server, shutdown_timeout=1.0)
        try:
            await runner.setup()
            site = web.TCPSite(runner, host, port)
            try:
                await site.start()
            except OSError as error:
                raise StorageTrouble(f"The relay cannot listen on {host}, port {port}: {error.strerror}.") from error
            relay.url = _url(host, runner.addresses[0][1])
            yield relay
        finally:
            relay.say_goodbye()
            await runner.cleanup()
            for task in (tidying, writer):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            relay.hub.close()
    finally:
        await asyncio.to_thread(store.close)


async def _tidying(hub: Hub) -> None:
    while True:
        await asyncio.sleep(TIDY_SECONDS)
        await hub.tidy()


async def serve(data: Path, host: str, port: int, *, ready: Callable[[str], None], origins: Sequence[str] = ()) -> None:
    """Runs a relay until SIGINT or SIGTERM, or until cancelled. ``ready`` is told its address once it answers.

    Raises as ``running``.
    """
    _raise_descriptor_limit()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    handled = (signal.SIGINT, signal.SIGTERM) if sys.platform != "win32" else ()
    async with running(data, host, port, origins=origins) as relay:
        for number in handled:
            loop.add_signal_handler(number, stop.set)
        try:
            ready(relay.url)
            await stop.wait()
        finally:
            for number in handled:
                loop.remove_signal_handler(number)


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _dialled(host: str) -> tuple[str, ...]:
    """The names a client may have dialled, from the Host header: without a port, either scheme's own."""
    name = host.lower()
    if name.rpartition(":")[2].isdigit() and not name.endswith("]"):
        return (name,)
    return f"{name}:443", f"{name}:80"


def _raise_descriptor_limit() -> None:
    """Each connection takes a file descriptor; systems often grant 1,024 at first and many more on request."""
    if sys.platform != "win32":
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = 65_536 if hard == resource.RLIM_INFINITY else hard
        if soft != resource.RLIM_INFINITY and soft < wanted:
            with suppress(ValueError, OSError):  # some systems refuse what they report as allowed; the old limit holds
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
