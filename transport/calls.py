"""What others want of the process that holds the connection: that it looks for changes, or syncs and reports.

Belongs to one event loop. A call is never lost: a ring stays until it is taken, and whoever asks gets the report of a
sync that began after the question, or the error that prevented it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vademecum.errors import VademecumError
    from vademecum.transport.client import SyncReport

__all__ = ["Calls"]


class Calls:
    """Rings and questions that wait to be taken."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()
        self._asked = asyncio.Event()
        self._waiting: list[asyncio.Future[SyncReport]] = []
        self._taken: list[asyncio.Future[SyncReport]] = []

    def ring(self) -> None:
        """Something was written."""
        self._rung.set()

    def take_ring(self) -> bool:
        """Whether anybody rang since the last taking."""
        rung = self._rung.is_set()
        self._rung.clear()
        return rung

    async def sync(self) -> SyncReport:
        """Asks for a sync, and waits for its report. Raises what ends the attempt."""
        question: asyncio.Future[SyncReport] = asyncio.get_running_loop().create_future()
        self._waiting.append(question)
        self._asked.set()
        return await question

    def take_questions(self) -> bool:
        """Whether anybody asks; `answer` then answers all of them. One taking at a time."""
        if self._taken or not self._waiting:
            return False
        self._taken, self._waiting = self._waiting, []
        self._asked.clear()
        return True

    def answer(self, report: SyncReport) -> None:
        taken, self._taken = self._taken, []
        self._settle(taken, lambda one: one.set_result(report))

    def fail(self, error: VademecumError) -> None:
        """Tells everybody who asks, also those not taken yet, that it could not be done."""
        failed, self._taken, self._waiting = self._taken + self._waiting, [], []
        self._asked.clear()
        self._settle(failed, lambda one: one.set_exception(error))

    async def wait(self) -> None:
        """Until somebody rings, or asks while nobody waits for an answer."""
        events = [self._rung] if self._taken else [self._rung, self._asked]
        if any(event.is_set() for event in events):
            return
        waits = [asyncio.ensure_future(event.wait()) for event in events]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waits:
                one.cancel()

    async def wait_asked(self) -> None:
        """Until somebody asks."""
        await self._asked.wait()

    @staticmethod
    def _settle(
        questions: list[asyncio.Future[SyncReport]], work: Callable[[asyncio.Future[SyncReport]], None]
    ) -> None:
        for one in questions:
            if not one.done():  # who asked may have gone
                work(one)
