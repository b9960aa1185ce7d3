"""``sync`` in the foreground: connected until told to stop, saying what changes."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from vademecum.status import Status
from vademecum.transport.client import in_thread
from vademecum.vault import Vault

__all__ = ["stay", "stopping"]

LOOK_SECONDS = 0.5
"""How often the state is looked at to be told."""


class _Stopped(Exception):  # it stops the work, and is no error
    """The program ends while vectors are being computed; the rest waits."""


async def stay(vault: Vault, *, say: Callable[[Status], None] | None, index: bool, kind: str = "sync") -> None:
    """Syncs until SIGINT or SIGTERM. *say* is told each change of state; with *index*, what comes is made findable.

    *kind* is what other processes are told about this one. Raises `AlreadySyncing`, `NoRelay`, `InvalidArgument`,
    `StorageTrouble`.
    """
    stop = asyncio.Event()
    with stopping(stop):
        syncing = asyncio.create_task(vault.sync_forever(stop, kind=kind))
        watching = asyncio.create_task(_watch(vault, stop, say, index))
        try:
            await syncing
        finally:
            stop.set()
            await watching


async def _watch(vault: Vault, stop: asyncio.Event, say: Callable[[Status], None] | None, index: bool) -> None:
    told: tuple[object, ...] | None = None

    def unless_stopped(done: int, total: int) -> None:
        if stop.is_set():
            raise _Stopped

    while True:
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), LOOK_SECONDS)
        if stop.is_set():
            return
        status = await in_thread(vault.status)
        seen = status.state, status.pending, status.problems
        if say is not None and seen != told:
            say(status)
            told = seen
        if index and status.indexing and status.state == "synced":
            with suppress(_Stopped):
                await in_thread(vault.index, unless_stopped)


@contextmanager
def stopping(stop: asyncio.Event) -> Iterator[None]:
    """SIGINT and SIGTERM set *stop*. Where loops cannot do that (Windows), Ctrl-C interrupts as usual."""
    if sys.platform == "win32":
        yield
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
