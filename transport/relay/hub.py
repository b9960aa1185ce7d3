"""Where the connections of one relay process meet: the writer's queue, and who hears of what.

One thread writes. Whatever waits when it is free goes into one transaction; when that is durable, and not before,
the pushers are answered and the other devices told, in log order.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Protocol

from vademecum.errors import StorageTrouble
from vademecum.transport.relay.admission import Join, OfferRequest, PushRequest, Request, Result, perform
from vademecum.transport.relay.connection import (
    Announce,
    Attend,
    Connection,
    Disconnect,
    Effect,
    Open,
    Review,
    Ring,
    Send,
    Submit,
)
from vademecum.transport.relay.mailboxes import Mailboxes
from vademecum.transport.relay.rosters import Rosters
from vademecum.transport.relay.store import Store

__all__ = ["Hub", "Peer"]

BATCH_BYTES = 8 << 20
"""Bytes of commits that one transaction takes at most, when more are waiting."""

log = logging.getLogger(__name__)


class Peer(Protocol):
    """The hub's view of a socket. No method blocks."""

    @property
    def connection(self) -> Connection: ...

    def queue(self, data: bytes) -> None:
        """Sends the message after those before it, or drops the client if too much is waiting already."""
        ...

    def disconnect(self, code: int, reason: str) -> None:
        """Closes after what is queued."""
        ...

    def settled(self, size: int) -> None:
        """The writer is done with a request of ``size`` bytes."""
        ...


class Hub:
    """All connections of one relay. For one event loop; ``run`` must be running in it."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self.store = store
        self.rosters = Rosters(store)
        self.mailboxes = Mailboxes()
        self.clock = clock
        self._open: dict[bytes, set[Peer]] = {}
        self._attending: dict[bytes, set[Peer]] = {}
        self._waiting: deque[tuple[Peer, Request]] = deque()
        self._work = asyncio.Event()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="relay-writer")

    def apply(self, peer: Peer, effects: Iterable[Effect]) -> None:
        """Carries out what a connection asked for."""
        for effect in effects:
            match effect:
                case Send(data):
                    peer.queue(data)
                case Announce(vault, data):
                    for other in list(self._open.get(vault, ())):
                        if other is not peer:
                            other.queue(data)
                case Submit(request):
                    self._waiting.append((peer, request))
                    self._work.set()
                case Open(vault):
                    self._open.setdefault(vault, set()).add(peer)
                case Attend(mailbox):
                    self._attending.setdefault(mailbox, set()).add(peer)
                case Ring(mailbox):
                    for other in list(self._attending.get(mailbox, ())):
                        self.apply(other, other.connection.rung(self.clock()))
                case Review(vault):
                    for other in list(self._open.get(vault, ())):
                        self.apply(other, other.connection.reviewed())
                case Disconnect(code, reason):
                    peer.disconnect(code, reason)

    def leave(self, peer: Peer) -> None:
        """The peer's socket is gone. What it has pushed is still stored."""
        peer.connection.closed()
        for room, name in ((self._open, peer.connection.vault), (self._attending, peer.connection.mailbox)):
            members = room.get(name, set())
            members.discard(peer)
            if not members:
                room.pop(name, None)

    async def run(self) -> None:
        """Writes what is submitted, until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            await self._work.wait()
            batch = self._next_batch()
            requests = [self._up_to_date(request) for _, request in batch]
            outcomes = await asyncio.shield(loop.run_in_executor(self._writer, self._perform, requests))
            for (peer, request), outcome in zip(batch, outcomes, strict=True):
                self.apply(peer, peer.connection.finished(request, outcome))
                peer.settled(size_of(request))

    def close(self) -> None:
        """Waits for the transaction that is being written. Call when ``run`` has ended."""
        self._writer.shutdown()

    def _next_batch(self) -> list[tuple[Peer, Request]]:
        batch: list[tuple[Peer, Request]] = []
        size = 0
        while self._waiting and size < BATCH_BYTES:
            batch.append(self._waiting.popleft())
            size += size_of(batch[-1][1])
        if not self._waiting:
            self._work.clear()
        return batch

    def _up_to_date(self, request: Request) -> Request:
        """With the roster as it is now: a device may have been revoked while its commits were waiting."""
        if isinstance(request, Join):
            return request
        try:
            known = self.rosters.get(request.vault)
        except StorageTrouble:
            return request  # the writer will notice
        if known is None or known.head == request.roster.head:
            return request
        return replace(request, roster=request.roster.merge(one.raw for one in known.statements))

    def _perform(self, requests: Sequence[Request]) -> Sequence[Result | None]:
        try:
            results = perform(self.store, requests)
        except StorageTrouble as error:
            log.error("nothing can be stored: %s", error.message)
            return [None] * len(requests)
        self._tidy(fully=False)  # before anyone is told: what a snapshot has replaced is then gone from the file too
        return results

    async def tidy(self) -> None:
        """Gives up the bytes of all that was deleted."""
        await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._writer, partial(self._tidy, fully=True)))

    def _tidy(self, *, fully: bool) -> None:
        try:
            self.store.tidy(fully=fully)
        except StorageTrouble as error:
            log.error("the file keeps what was deleted: %s", error.message)


def size_of(request: Request) -> int:
    """Bytes that a waiting request holds in memory."""
    if isinstance(request, PushRequest):
        return sum(map(len, request.commits))
    if isinstance(request, OfferRequest):
        return len(request.part)
    return sum(len(one.raw) for one in request.statements)
