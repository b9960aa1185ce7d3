"""A TCP proxy between devices and their relay that keeps all it passes on, and can cut a connection anywhere."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

__all__ = ["Proxy", "proxied"]

_CHUNK = 1 << 16


class Proxy:
    """Made by `proxied`. ``traffic`` is everything that has passed, in both directions.

    While ``cuts`` is set, each connection is cut after a number of bytes that it draws, below ``cut_below``; what was
    drawn passes, so that a cut falls anywhere in a message.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self.url = ""
        self.traffic = bytearray()
        self.cuts: random.Random | None = None
        self.cut_below = 4096
        self.cut_count = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._port)
        except ConnectionError:
            writer.close()
            return
        budget = [self.cuts.randrange(self.cut_below) if self.cuts is not None else None]
        ways = [
            asyncio.create_task(self._pass(reader, up_writer, budget)),
            asyncio.create_task(self._pass(up_reader, writer, budget)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            for end in (writer, up_writer):
                end.close()
                with suppress(ConnectionError):
                    await end.wait_closed()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, budget: list[int | None]) -> None:
        while data := await reader.read(_CHUNK):
            left = budget[0]
            if left is not None:
                data = data[:left]
                budget[0] = left - len(data)
            self.traffic += data
            writer.write(data)
            await writer.drain()
            if budget[0] == 0:
                self.cut_count += 1
                return


@asynccontextmanager
async def proxied(relay: str) -> AsyncIterator[Proxy]:
    """A proxy before the relay at *relay*, answering at its ``url`` while the block runs."""
    proxy = Proxy(int(relay.rpartition(":")[2]))
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    try:
        proxy.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield proxy
    finally:
        server.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(5):
                await server.wait_closed()
