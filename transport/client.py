"""The sync machine on a real connection: once, or for as long as the program runs.

The replica's work is done in a thread, one call at a time, while the next messages are already being read.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from vademecum.errors import NotARelay, PeerFault, RelayRefused, RelayUnreachable, VademecumError
from vademecum.transport.backoff import delay
from vademecum.transport.contract import Ledger, Problem
from vademecum.transport.line import Line, dial
from vademecum.transport.login import origin_of
from vademecum.transport.sync import State, Sync

__all__ = ["ANSWER_SECONDS", "SyncReport", "in_thread", "sync_forever", "sync_once"]

ANSWER_SECONDS = 30.0
"""How long a relay may say nothing while it owes an answer."""
CHECK_SECONDS = 45.0
"""How often a connected replica compares itself with the relay, in case a live frame or another process was lost."""
POLL_SECONDS = 0.3
"""How often local changes are looked for; also how long edits are gathered into one commit."""

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What one sync did.

    ``pulled`` commits were new here, ``pushed`` new to the relay; bytes are those of the messages, seconds from
    dialling to being settled. ``state`` is ``synced``, or ``blocked`` with the reasons in ``problems``.
    """

    state: str
    pulled: int
    pushed: int
    bytes_in: int
    bytes_out: int
    seconds: float
    problems: tuple[Problem, ...]


async def sync_once(ledger: Ledger, url: str, *, timeout: float = ANSWER_SECONDS) -> SyncReport:
    """Brings the replica and the relay into step, then hangs up.

    ``timeout``: seconds that the relay may be silent. Raises ``InvalidArgument`` for a URL that is none,
    ``RelayUnreachable``, ``NotARelay``, ``RelayRefused`` and other ``PeerFault``, ``StorageTrouble``; what was applied
    and acknowledged before stays. The ledger's recorded state is afterwards that of the report, or ``offline`` or
    ``blocked`` with the error among the problems.
    """
    started = time.monotonic()
    machine = Sync(ledger, origin_of(url))
    async with _connected(machine, url, stay_recorded=True) as session:
        await session.until_settled(timeout)
        return SyncReport(
            machine.state.status,
            machine.pulled,
            machine.pushed,
            session.line.bytes_in,
            session.line.bytes_out,
            time.monotonic() - started,
            machine.problems,
        )


async def sync_forever(
    ledger: Ledger,
    url: str,
    *,
    changed: Callable[[], bool],
    stop: asyncio.Event,
    poll: float = POLL_SECONDS,
    timeout: float = ANSWER_SECONDS,
) -> None:
    """Keeps the replica and the relay in step until ``stop`` is set; loses the connection and returns.

    ``changed`` is called in a thread every ``poll`` seconds and says whether the replica may have something new since
    it was last called, by this process or another. Raises ``InvalidArgument`` for a URL that is none, and
    ``StorageTrouble``; whatever is wrong with the relay or the network is recorded in the ledger and tried again.
    """
    machine = Sync(ledger, origin_of(url))
    attempt = 0
    while not stop.is_set():
        try:
            async with _connected(machine, url) as session:
                await session.until_settled(timeout, stop)
                attempt = 0
                await session.stay(changed, stop, poll, timeout)
        except (PeerFault, RelayUnreachable):
            await _first(stop.wait(), asyncio.sleep(delay(attempt, random.random())))
            attempt += 1


@asynccontextmanager
async def _connected(machine: Sync, url: str, *, stay_recorded: bool = False) -> AsyncIterator[_Session]:
    """A connection; at the end of the block the machine knows that it is over, and why.

    With ``stay_recorded``, the state reached stays the recorded one if the block ends well.
    """
    why: Problem | None = None
    well = False
    try:
        async with dial(url) as line:
            session = _Session(machine, line, url)
            try:
                await session.begin()
                yield session
            except PeerFault as error:
                if machine.state is not State.CONNECTING or isinstance(error, RelayRefused):
                    raise
                raise NotARelay(f"What answers at {url} is not a Vademecum relay.") from error
        well = True
    except VademecumError as error:
        if machine.state is not State.REFUSED:  # then the machine has said so itself
            why = Problem(error.code, error.message)
        raise
    finally:
        if not (well and stay_recorded):
            await in_thread(machine.disconnected, why)


class _Session:
    """A machine on a line."""

    def __init__(self, machine: Sync, line: Line, url: str) -> None:
        self.line = line
        self._machine = machine
        self._url = url

    async def begin(self) -> None:
        await self._tell(self._machine.connected)

    async def until_settled(self, timeout: float, stop: asyncio.Event | None = None) -> None:
        """Until the two sides are in step, or cannot be, or ``stop``; at most ``timeout`` seconds between messages."""
        while not self._machine.settled and not (stop is not None and stop.is_set()):
            waits = [self.line.wait()] if stop is None else [self.line.wait(), stop.wait()]
            try:
                async with asyncio.timeout(timeout):
                    await _first(*waits)
            except TimeoutError:
                raise RelayUnreachable(f"The relay at {self._url} has not answered for {timeout:.0f} s.") from None
            await self._take()

    async def stay(self, changed: Callable[[], bool], stop: asyncio.Event, poll: float, timeout: float) -> None:
        """Live, until ``stop``."""
        loop = asyncio.get_running_loop()
        check_at = loop.time() + CHECK_SECONDS
        silent_since = loop.time()
        poll_at = loop.time()
        while not stop.is_set():
            await _first(self.line.wait(), stop.wait(), asyncio.sleep(max(0.0, poll_at - loop.time())))
            if await self._take() or self._machine.settled:
                silent_since = loop.time()
            elif loop.time() - silent_since > timeout:
                raise RelayUnreachable(f"The relay at {self._url} has not answered for {timeout:.0f} s.")
            if loop.time() >= poll_at:
                poll_at = loop.time() + poll
                if await in_thread(changed):
                    await self._tell(self._machine.local_changed)
            if loop.time() >= check_at:
                check_at = loop.time() + CHECK_SECONDS
                # another process may have sealed what it then did not live to send
                await self._tell(self._machine.local_changed)
                await self._tell(self._machine.check)

    async def _take(self) -> bool:
        messages = self.line.take()
        if messages:
            await self._tell(self._machine.receive, messages)
        return bool(messages)

    async def _tell(self, step: Callable[P, Sequence[bytes]], *args: P.args, **kwargs: P.kwargs) -> None:
        await self.line.send(await in_thread(step, *args, **kwargs))


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs ``work`` in a thread, and waits for its end even when cancelled: nothing else may run meanwhile."""
    running = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        if not running.cancelled():
            running.exception()
        raise


async def _first(*waits: Awaitable[object]) -> None:
    """Until one of them is done; the others are cancelled."""
    tasks = [asyncio.ensure_future(one) for one in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
