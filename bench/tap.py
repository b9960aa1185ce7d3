"""A listener on the wire: a TCP proxy before a relay that knows where WebSocket messages begin and end.

It counts what really leaves a client, with the framing of WebSocket (RFC 6455, section 5.2).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

__all__ = ["Heard", "Tap", "listening"]

_HEAD_END = b"\r\n\r\n"


class Heard(NamedTuple):
    """One message of a client: its content, and how many bytes it took on the wire."""

    content: bytes
    size: int


class Tap:
    """What has gone through. ``url`` stands in for the relay's."""

    def __init__(self, url: str, relay: str) -> None:
        self.url = url
        self.messages: list[Heard] = []
        """What clients have sent, in order."""
        self._host, _, port = relay.rpartition("//")[2].rpartition(":")
        self._port = int(port)

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carries one connection until an end hangs up."""
        there_reader, there_writer = await asyncio.open_connection(self._host, self._port)
        back = asyncio.create_task(_copy(there_reader, writer))
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                there_writer.write(await reader.readuntil(_HEAD_END))
                while True:
                    await self._message(reader, there_writer)
        finally:
            there_writer.close()
            await back
            writer.close()

    async def _message(self, reader: asyncio.StreamReader, there: asyncio.StreamWriter) -> None:
        head = await reader.readexactly(2)
        length = head[1] & 0x7F
        if length >= 126:
            extended = await reader.readexactly(2 if length == 126 else 8)
            head += extended
            length = int.from_bytes(extended, "big")
        mask = await reader.readexactly(4)
        masked = await reader.readexactly(length)
        there.write(head + mask + masked)
        await there.drain()
        if head[0] & 0x0F == 2:
            pad = (mask * (length // 4 + 1))[:length]
            content = (int.from_bytes(masked, "big") ^ int.from_bytes(pad, "big")).to_bytes(length, "big")
            self.messages.append(Heard(content, len(head) + len(mask) + length))


@asynccontextmanager
async def listening(relay: str) -> AsyncIterator[Tap]:
    """A tap before the relay at *relay*, ``http://host:port``."""
    taps: list[Tap] = []
    tasks: set[asyncio.Task[None]] = set()

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await taps[0].carry(reader, writer)
        finally:
            tasks.discard(task)

    server = await asyncio.start_server(carry, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    taps.append(Tap(f"http://127.0.0.1:{port}", relay))
    async with server:
        yield taps[0]
        if tasks:
            await asyncio.wait(tasks, timeout=5.0)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
