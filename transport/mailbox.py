# ruff: noqa: A005  # nothing of this package is imported as the standard library's mailbox
"""Carries the messages of a pairing through a relay's mailbox.

The machines of ``pairing`` know nothing of a network; the relay knows nothing of a pairing. A connection that is lost
on the way is made again: the token shows that it is the same device, and letters have numbers.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Callable
from typing import TypeVar

from vademecum.errors import MalformedBytes, NotARelay, PairingFailed, RelayUnreachable, VademecumError
from vademecum.transport import frames
from vademecum.transport.backoff import delay
from vademecum.transport.client import ANSWER_SECONDS, in_thread
from vademecum.transport.frames import Claim, Claimed, Close, Fetch, Letter, Put, decode, encode
from vademecum.transport.line import Line, dial
from vademecum.transport.pairing import Inviter, Joiner

__all__ = ["PAIRING_SECONDS", "exchange"]

PAIRING_SECONDS = 300.0
"""How long a pairing may take from the code's making to its end; less than a relay keeps a mailbox."""

F = TypeVar("F")


async def exchange(
    url: str,
    machine: Inviter | Joiner,
    *,
    timeout: float = PAIRING_SECONDS,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Runs ``machine`` to its end through the relay at ``url``; it is ``done`` on return.

    ``ready`` is called once, when the relay has taken the mailbox: the time to show the code. The machine's steps run
    in a thread. Raises ``PairingFailed`` where the code was wrong, used, unknown to the relay or not used within
    ``timeout`` seconds; ``RelayUnreachable`` if there was no relay to begin with; ``NotARelay``; and whatever the
    inviter's ``grant`` raises.
    """
    courier = _Courier(machine, ready)
    attempt = 0
    try:
        async with asyncio.timeout(timeout):
            while True:
                try:
                    async with dial(url) as line:
                        return await courier.run(line)
                except MalformedBytes as error:
                    raise NotARelay(f"What answers at {url} is not a Vademecum relay.") from error
                except RelayUnreachable:
                    if not courier.begun:
                        raise
                await asyncio.sleep(delay(attempt, random.random()))
                attempt += 1
    except TimeoutError:
        machine.cancel()
        raise PairingFailed(
            f"The pairing was not completed within {timeout:.0f} seconds; the code is void. Make a new one."
        ) from None


class _Courier:
    """What has been said so far; outlives connections."""

    def __init__(self, machine: Inviter | Joiner, ready: Callable[[], None]) -> None:
        self._machine = machine
        self._side = 1 if isinstance(machine, Joiner) else 0
        self._token = os.urandom(16)
        self._ready = ready
        self._sent: list[bytes] = [machine.start()] if isinstance(machine, Joiner) else []
        self._received = 0
        self._error: VademecumError | None = None
        self.begun = False

    async def run(self, line: Line) -> None:
        """Until the pairing has ended and the relay has everything. Raises ``RelayUnreachable`` to be run again."""
        await line.send([encode(Claim(self._machine.mailbox, self._side, self._token))])
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                await _expect(line, Claimed)
        except TimeoutError:
            raise RelayUnreachable(f"The relay has not answered for {ANSWER_SECONDS:.0f} seconds.") from None
        if not self.begun:
            self.begun = True
            self._ready()
        await line.send([encode(Put(index, letter)) for index, letter in enumerate(self._sent)])
        while not self._over:
            await line.send([encode(Fetch(self._received))])
            letter = await _expect(line, Letter)
            self._received += 1
            reply = await self._answer(letter.letter)
            if reply is not None:
                self._sent.append(reply)
                await line.send([encode(Put(len(self._sent) - 1, reply))])
        await line.send([encode(Close())])
        await _closed(line)
        if self._error is not None:
            raise self._error

    @property
    def _over(self) -> bool:
        return self._machine.done or self._machine.failed

    async def _answer(self, letter: bytes) -> bytes | None:
        try:
            return await in_thread(self._machine.receive, letter)
        except VademecumError as error:
            if not self._machine.failed:
                raise
            self._error = error  # raised when the other side has been told
            return self._machine.refusal


async def _expect(line: Line, kind: type[F]) -> F:
    while True:
        await line.wait()
        for message in line.take():
            frame = decode(message)
            if isinstance(frame, kind):
                return frame
            if isinstance(frame, frames.Refused):
                raise PairingFailed(frame.message)
            if not isinstance(frame, frames.Unknown):
                raise MalformedBytes(f"The relay sent a {type(frame).__name__} frame where {kind.__name__} was due.")


async def _closed(line: Line) -> None:
    """Until the relay has closed the connection, as it does when it has carried out all that came before."""
    while True:
        await line.wait()
        try:
            line.take()
        except RelayUnreachable:
            if line.closed_normally:
                return
            raise
