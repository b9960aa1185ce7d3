"""Syncing as one process for all of a device: hold the connection, follow the settings, keep the database in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from vademecum import bell, holding
from vademecum.devices import farewell
from vademecum.errors import DeviceRevoked, NotARelay, PeerFault, RelayRefused, RelayUnreachable, VademecumError
from vademecum.forgetting import try_purge
from vademecum.status import in_names
from vademecum.storage.tables import Table
from vademecum.transport import client
from vademecum.transport.client import POLL_SECONDS, SyncReport, in_thread

if TYPE_CHECKING:
    from vademecum.vault import Vault

__all__ = ["stay_in_step", "sync_now", "sync_through_holder"]

RUNG_POLL_SECONDS = 2.0
"""How often changes are looked for where writers ring: a datagram may be lost."""
LOOK_SECONDS = 1.0
"""How often it is looked whether the vault is to use another relay."""
PURGE_PAUSE = 10
"""Times as long as writing the vault's files anew took, it is waited until that may happen again."""
TIDY_SECONDS = 30.0
"""How often the reader slots of killed processes are cleared."""


async def stay_in_step(vault: Vault, stop: asyncio.Event, kind: str) -> None:
    """See `Vault.sync_forever`. *kind* is what others are told about this process, see `bell.Note`."""
    vault.relay_or_refuse()
    await asyncio.to_thread(vault.settle)
    ledger = await asyncio.to_thread(vault.ledger)
    if await asyncio.to_thread(lambda: ledger.revoked):
        raise DeviceRevoked(await asyncio.to_thread(farewell, vault))
    statements = 0

    def changed() -> bool:
        nonlocal statements
        with vault.replica.read() as view:
            before, statements = statements, view.reader.count(Table.ROSTER)
            return view.reader.has(Table.OUTBOX) or before != statements

    async with holding.hold(vault.home, kind, stop) as held:
        while not stop.is_set():
            url = vault.relay_or_refuse()
            async with _over(vault, url, stop) as over:
                try:
                    await client.sync_forever(
                        ledger,
                        url,
                        changed=changed,
                        stop=over,
                        calls=held.calls,
                        poll=RUNG_POLL_SECONDS if held.rings else POLL_SECONDS,
                    )
                except DeviceRevoked:
                    raise DeviceRevoked(await asyncio.to_thread(farewell, vault)) from None


async def sync_now(vault: Vault) -> SyncReport:
    """See `Vault.sync_once`."""
    url = vault.relay_or_refuse()
    await asyncio.to_thread(vault.settle)
    ledger = await asyncio.to_thread(vault.ledger)
    try:
        done = await sync_through_holder(vault)
        if done is not None:
            return done
        report = await client.sync_once(ledger, url)
        if await asyncio.to_thread(try_purge, vault):
            report = report.joined(await client.sync_once(ledger, url))  # to tell the others
    except DeviceRevoked:
        raise DeviceRevoked(await asyncio.to_thread(farewell, vault)) from None
    return replace(report, problems=in_names(vault, report.problems))


async def sync_through_holder(vault: Vault) -> SyncReport | None:
    """Lets the process that holds the connection sync now; None where there is none that answers.

    Raises as that process's attempt did.
    """
    if not holding.is_held(vault.home):
        return None
    told = await holding.ask(vault.home, bell.SYNC)
    if told is None:
        return None
    if "error" in told:
        raise _error(told)
    problems = (await asyncio.to_thread(vault.status)).problems
    try:
        return replace(SyncReport(**told, problems=problems), seconds=float(told["seconds"]))
    except (TypeError, ValueError, KeyError):  # a holder of another version: what it did is done, only its words differ
        return None


@asynccontextmanager
async def _over(vault: Vault, url: str, stop: asyncio.Event) -> AsyncIterator[asyncio.Event]:
    """An event that is set with *stop*, or when the vault is set to use another relay than *url*."""
    over = asyncio.Event()

    async def watch() -> None:
        loop = asyncio.get_running_loop()
        tidy_at = loop.time() + TIDY_SECONDS
        purge_at = loop.time()
        try:
            while not stop.is_set() and await in_thread(lambda: vault.relay) == url:
                if loop.time() >= tidy_at:
                    tidy_at = loop.time() + TIDY_SECONDS
                    await in_thread(vault.replica.environment.clear_dead_readers)
                if loop.time() >= purge_at:
                    begun = loop.time()
                    await in_thread(lambda: try_purge(vault))
                    purge_at = begun + max(LOOK_SECONDS, PURGE_PAUSE * (loop.time() - begun))
                with suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), LOOK_SECONDS)
        finally:
            over.set()

    watching = asyncio.create_task(watch())
    try:
        yield over
    finally:
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching


def _error(told: dict[str, Any]) -> VademecumError:
    code, message = str(told["error"]), str(told.get("message", ""))
    if code == RelayRefused.code:
        return RelayRefused(message, reason=str(told.get("reason", "")))
    kinds: dict[str, type[VademecumError]] = {
        DeviceRevoked.code: DeviceRevoked,
        RelayUnreachable.code: RelayUnreachable,
        NotARelay.code: NotARelay,
    }
    return kinds.get(code, PeerFault)(message)
