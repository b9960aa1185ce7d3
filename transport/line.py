"""One WebSocket to a relay: messages in and out, and what can go wrong with it as two errors.

``RelayUnreachable`` means that nothing answers, or no longer; ``NotARelay`` that something else does.
"""

from __future__ import annotations

import asyncio
import errno
import os
import ssl
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

import aiohttp

from vademecum.errors import NotARelay, RelayUnreachable
from vademecum.transport.frames import MAX_FRAME
from vademecum.transport.login import origin_of

__all__ = ["CONNECT_SECONDS", "SYNC_PATH", "Line", "dial"]

SYNC_PATH = "/v1/sync"
CONNECT_SECONDS = 10.0
HEARTBEAT = 30.0
"""Seconds between pings; a relay that does not answer within half of that is gone."""
AHEAD_BYTES = 8 << 20
"""Messages received and not yet taken, beyond which the socket is not read."""
GOING_AWAY = 1001
NORMAL = 1000


class Line:
    """An open connection. Made by ``dial``."""

    def __init__(self, url: str, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._url = url
        self._socket = socket
        self._arrived: deque[bytes] = deque()
        self._waiting = 0
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._ended = False
        self.bytes_in = 0
        """Bytes of messages, without what WebSocket and TCP add."""
        self.bytes_out = 0

    async def send(self, messages: Sequence[bytes]) -> None:
        """Sends them in order. Raises ``RelayUnreachable``."""
        for message in messages:
            try:
                await self._socket.send_bytes(message)
            except (ConnectionError, aiohttp.ClientError) as error:
                raise self.lost() from error
            self.bytes_out += len(message)

    async def wait(self) -> None:
        """Until ``take`` has something to give, or to raise."""
        await self._news.wait()

    def take(self) -> list[bytes]:
        """Everything that has arrived, perhaps nothing. Raises ``RelayUnreachable`` once that was all there will be."""
        messages = list(self._arrived)
        self._arrived.clear()
        self._waiting = 0
        self._room.set()
        if self._ended and not messages:
            raise self.lost()
        if not self._ended:
            self._news.clear()
        return messages

    def lost(self) -> RelayUnreachable:
        """The error that says how the connection ended."""
        if self._socket.close_code == GOING_AWAY:
            return RelayUnreachable(f"The relay at {self._url} is stopping. What waits is sent when it answers again.")
        return RelayUnreachable(f"The connection to the relay at {self._url} was lost.")

    @property
    def closed_normally(self) -> bool:
        """Whether the relay has closed the connection because it was done."""
        return self._ended and self._socket.close_code == NORMAL

    async def read(self) -> None:
        """Reads the socket until it ends. ``dial`` runs this."""
        try:
            while True:
                message = await self._socket.receive()
                if message.type is aiohttp.WSMsgType.BINARY:
                    data: bytes = message.data
                elif message.type is aiohttp.WSMsgType.TEXT:
                    data = b""  # no frame: whoever decodes it will say so
                else:
                    return
                self._arrived.append(data)
                self._waiting += len(data)
                self.bytes_in += len(data)
                self._news.set()
                while self._waiting > AHEAD_BYTES:
                    self._room.clear()
                    await self._room.wait()
        finally:
            self._ended = True
            self._news.set()


@asynccontextmanager
async def dial(url: str) -> AsyncIterator[Line]:
    """A connection to the relay at ``url`` (http, https, ws or wss), closed at the end of the block.

    Raises ``InvalidArgument`` for something that is no such address, ``RelayUnreachable``, ``NotARelay``.
    """
    origin_of(url)
    timeout = aiohttp.ClientTimeout(total=None, connect=CONNECT_SECONDS, sock_connect=CONNECT_SECONDS)
    async with aiohttp.ClientSession(timeout=timeout) as session:
        socket = await _open(session, url)
        line = Line(url, socket)
        reader = asyncio.create_task(line.read())
        try:
            yield line
        finally:
            reader.cancel()
            with suppress(asyncio.CancelledError):
                await reader
            await socket.close()


async def _open(session: aiohttp.ClientSession, url: str) -> aiohttp.ClientWebSocketResponse:
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            return await session.ws_connect(
                url.rstrip("/") + SYNC_PATH,
                compress=0,
                max_msg_size=MAX_FRAME,
                heartbeat=HEARTBEAT,
                timeout=aiohttp.ClientWSTimeout(ws_close=2.0),
            )
    except aiohttp.WSServerHandshakeError as error:
        if error.status in (429, 502, 503, 504):
            raise RelayUnreachable(f"The relay at {url} is too busy to answer (HTTP {error.status}).") from error
        raise NotARelay(f"What answers at {url} is not a Vademecum relay (HTTP {error.status}).") from error
    except aiohttp.ClientSSLError as error:
        raise RelayUnreachable(f"No secure connection to {url}: {_why_insecure(error)}.") from error
    except aiohttp.ClientConnectorError as error:
        raise RelayUnreachable(f"Nothing answers at {url}: {_why_silent(error)}.") from error
    except TimeoutError as error:
        raise RelayUnreachable(f"Nothing answers at {url} within {CONNECT_SECONDS:.0f} seconds.") from error
    except (aiohttp.ClientResponseError, aiohttp.ServerDisconnectedError, aiohttp.ClientPayloadError) as error:
        raise NotARelay(f"What answers at {url} is not a Vademecum relay: it does not speak HTTP.") from error
    except (aiohttp.ClientError, OSError) as error:
        raise RelayUnreachable(f"No connection to {url}: {error}.") from error


def _why_insecure(error: aiohttp.ClientSSLError) -> str:
    cause = error.certificate_error if isinstance(error, aiohttp.ClientConnectorCertificateError) else error.os_error
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate is not to be trusted ({cause.verify_message})"
    return "what answers there does not speak TLS as this device does"


def _why_silent(error: aiohttp.ClientConnectorError) -> str:
    # asyncio says "Connect call failed" and the address; the number is what the system said
    number = error.os_error.errno
    if number is not None and number in errno.errorcode:
        return os.strerror(number).lower()
    return str(error.strerror or error)
