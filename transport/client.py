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

from vademecum.errors import DeviceRevoked, NotARelay, PeerFault, RelayRefused, RelayUnreachable, VademecumError
from vademecum.transport.backoff import delay
from vademecum.transport.calls import Calls
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
"""How often local changes are looked for where nobody rings; and the least time between two commits of edits."""
GATHER_SECONDS = 0.02
"""How long edits are gathered after a ring that follows a pause."""

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

    def joined(self, later: SyncReport) -> SyncReport:
        """This sync and a *later* one, told as one."""
        return SyncReport(
            later.state,
            self.pulled + later.pulled,
            self.pushed + later.pushed,
            self.bytes_in + later.bytes_in,
            self.bytes_out + later.bytes_out,
            self.seconds + later.seconds,
            later.problems,
        )


async def sync_once(ledger: Ledger, url: str, *, timeout: float = ANSWER_SECONDS) -> SyncReport:
    """Brings the replica and the relay into step, then hangs up.

    ``timeout``: seconds that the relay may be silent. Raises ``InvalidArgument`` for a URL that is none,
    ``RelayUnreachable``, ``NotARelay``, ``RelayRefused`` and other ``PeerFault``, ``StorageTrouble``, and
    ``DeviceRevoked`` once the roster says that this device is no member any more; what was applied
    and acknowledged before stays. The ledger's recorded state is afterwards that of the report, or ``offline`` or
    ``blocked`` with the error among the problems.
    """
    started = time.monotonic()
    machine = Sync(ledger, origin_of(url))
    async with _unless_revoked(ledger), _connected(machine, url, stay_recorded=True) as session:
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
    calls: Calls | None = None,
    poll: float = POLL_SECONDS,
    timeout: float = ANSWER_SECONDS,
) -> None:
    """Keeps the replica and the relay in step until ``stop`` is set; loses the connection and returns.

    ``changed`` is called in a thread every ``poll`` seconds, and soon after somebody rings at ``calls``; it says
    whether the replica may have something new since it was last called, by this process or another. Whoever asks at
    ``calls`` for a sync gets one, and a connection that is waited for is then tried at once. Raises
    ``InvalidArgument`` for a URL that is none, ``StorageTrouble``, and ``DeviceRevoked`` as soon as the roster says so;
    whatever else is wrong with the relay or the network is recorded in the ledger and tried again.
    """
    calls = calls if calls is not None else Calls()
    machine = Sync(ledger, origin_of(url))
    attempt = 0
    while not stop.is_set():
        try:
            async with _unless_revoked(ledger), _connected(machine, url) as session:
                await session.until_settled(timeout, stop)
                attempt = 0
                await session.stay(changed, stop, calls, poll, timeout)
        except DeviceRevoked as error:
            calls.fail(error)
            raise
        except (PeerFault, RelayUnreachable) as error:
            calls.fail(error)
            await _first(stop.wait(), calls.wait_asked(), asyncio.sleep(delay(attempt, random.random())))
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


@asynccontextmanager
async def _unless_revoked(ledger: Ledger) -> AsyncIterator[None]:
    """Raises `DeviceRevoked` instead of dialling, or of what has gone wrong meanwhile, once the roster says so."""

    def check() -> None:
        if ledger.roster().is_revoked(ledger.device):
            raise DeviceRevoked("This device was revoked: it exchanges nothing with the others any more.")

    await in_thread(check)
    try:
        yield
    except (PeerFault, RelayUnreachable):
        await in_thread(check)
        raise


class _Question:
    """A sync that was asked for on a connection that is open: from now until the relay has said where it stands."""

    def __init__(self, session: _Session) -> None:
        self._line, self._machine = session.line, session.machine
        self._started = time.monotonic()
        self._before = self._counts()

    def report(self) -> SyncReport:
        pulled, pushed, bytes_in, bytes_out = (
            now - before for now, before in zip(self._counts(), self._before, strict=True)
        )
        return SyncReport(
            self._machine.state.status,
            pulled,
            pushed,
            bytes_in,
            bytes_out,
            time.monotonic() - self._started,
            self._machine.problems,
        )

    def _counts(self) -> tuple[int, int, int, int]:
        return self._machine.pulled, self._machine.pushed, self._line.bytes_in, self._line.bytes_out


class _Session:
    """A machine on a line."""

    def __init__(self, machine: Sync, line: Line, url: str) -> None:
        self.line = line
        self.machine = machine
        self._url = url

    async def begin(self) -> None:
        await self._tell(self.machine.connected)

    async def until_settled(self, timeout: float, stop: asyncio.Event | None = None) -> None:
        """Until the two sides are in step, or cannot be, or ``stop``; at most ``timeout`` seconds between messages."""
        while not self.machine.settled and not (stop is not None and stop.is_set()):
            waits = [self.line.wait()] if stop is None else [self.line.wait(), stop.wait()]
            try:
                async with asyncio.timeout(timeout):
                    await _first(*waits)
            except TimeoutError:
                raise RelayUnreachable(f"The relay at {self._url} has not answered for {timeout:.0f} s.") from None
            await self._take()

    async def stay(
        self, changed: Callable[[], bool], stop: asyncio.Event, calls: Calls, poll: float, timeout: float
    ) -> None:
        """Live, until ``stop``."""
        loop = asyncio.get_running_loop()
        silent_since = look_at = loop.time()
        check_at = look_at + CHECK_SECONDS
        found_at = -POLL_SECONDS
        question: _Question | None = None
        while not stop.is_set():
            await _first(self.line.wait(), stop.wait(), calls.wait(), asyncio.sleep(max(0.0, look_at - loop.time())))
            if await self._take() or self.machine.settled:
                silent_since = loop.time()
            elif loop.time() - silent_since > timeout:
                raise RelayUnreachable(f"The relay at {self._url} has not answered for {timeout:.0f} s.")
            if calls.take_ring():
                look_at = min(look_at, max(loop.time() + GATHER_SECONDS, found_at + POLL_SECONDS))
            if loop.time() >= look_at:
                look_at = loop.time() + poll
                if await in_thread(changed):
                    found_at = loop.time()
                    await self._tell(self.machine.local_changed)
            if calls.take_questions():
                question = _Question(self)
                check_at = loop.time()
            if loop.time() >= check_at:
                check_at = loop.time() + CHECK_SECONDS
                # another process may have sealed what it then did not live to send
                await self._tell(self.machine.local_changed)
                await self._tell(self.machine.check)
            if question is not None and self.machine.settled and not self.machine.checking:
                calls.answer(question.report())
                question = None

    async def _take(self) -> bool:
        messages = self.line.take()
        if messages:
            await self._tell(self.machine.receive, messages)
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
