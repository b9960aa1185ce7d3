"""What the killed do: write, stay in sync, carry out a compaction, be a relay. And how what they left is judged."""

from __future__ import annotations

import asyncio
import random
import signal
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Any

from tests.crash.children import Say
from tests.endtoend.device import own_writes, tree_of, write_at_random
from vademecum import Vault
from vademecum.storage.damage import check_pages
from vademecum.storage.tables import Table
from vademecum.transport import chains
from vademecum.transport.client import SyncReport
from vademecum.transport.commit import commit_hash, parse_header
from vademecum.transport.relay.server import serve

__all__ = ["compact", "heal", "judge", "relay", "sync", "sync_again", "write"]


def write(home: Path, seed: float, say: Say) -> None:
    """Writes until told to end; says each write that is durable."""
    told: list[int] = []

    def end(number: int, _: FrameType | None) -> None:
        told.append(number)

    signal.signal(signal.SIGTERM, end)
    rng = random.Random(seed)
    with Vault.open(home) as vault:
        say(ready=True)
        while not told:
            _write_one(vault, rng, say)


def sync(home: Path, seed: float, say: Say) -> None:
    """Stays in sync until told to end, and writes meanwhile, as an agent runtime does in one process."""
    rng = random.Random(seed)

    async def run(vault: Vault) -> None:
        stop = asyncio.Event()
        ended = threading.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, lambda: (stop.set(), ended.set()))
        say(ready=True)

        def write_now_and_then() -> None:
            while not ended.is_set():
                _write_one(vault, rng, say)
                time.sleep(rng.random() * 0.01)

        writing = asyncio.create_task(asyncio.to_thread(write_now_and_then))
        try:
            await vault.sync_forever(stop)
        finally:
            ended.set()
            await writing

    with Vault.open(home) as vault:
        asyncio.run(run(vault))


def sync_again(home: Path, seed: float, say: Say) -> None:
    """Syncs once after every few writes; a relay that is away is nothing to it."""
    from vademecum.errors import PeerFault, RelayUnreachable

    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
    rng = random.Random(seed)
    with Vault.open(home) as vault:
        say(ready=True)
        while not told:
            for _ in range(rng.randrange(4)):
                _write_one(vault, rng, say)
            try:
                asyncio.run(vault.sync_once())
            except (PeerFault, RelayUnreachable):
                time.sleep(0.01)


def compact(home: Path, say: Say) -> None:
    """Makes the files small, which replaces the database as a whole, again and again."""
    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
    with Vault.open(home) as vault:
        say(ready=True)
        while not told:
            vault.compact()
            time.sleep(0.01)


def relay(folder: Path, port: int, say: Say) -> None:
    asyncio.run(serve(folder, "127.0.0.1", port, ready=lambda url: say(url=url)))


def judge(home: Path) -> dict[str, Any]:
    """Opens what a crash left and looks at all of it. Raises AssertionError, or what the vault raises."""
    with Vault.open(home) as vault:
        written = own_writes(vault)
        device = vault.replica.device.hex()
        _check_chains(vault)
        names = [repr(vault.user.get(leaf.path)) for leaf in vault.user.leaves() if leaf.scope == "user.public"]
        assert all(names)
        file = vault.replica.environment.file
    check_pages(file)
    return {"written": written, "device": device}


def heal(homes: list[Path], rounds: int = 3) -> dict[str, Any]:
    """Syncs all in turn; returns the one tree they then show. Raises AssertionError where they do not agree."""

    async def sync_all(vaults: list[Vault]) -> list[SyncReport]:
        return [await vault.sync_once() for _ in range(rounds) for vault in vaults]

    vaults = [Vault.open(home) for home in homes]
    try:
        reports = asyncio.run(sync_all(vaults))
        for report in reports[-len(homes) :]:
            assert report.state == "synced", report
            assert report.problems == (), report.problems
        for vault in vaults:
            status = vault.status()
            assert (status.state, status.pending, status.problems) == ("synced", 0, ()), status
            assert len(status.devices) == len(homes) + 1, "a device that was killed has become another one"
            _check_chains(vault)
        trees = [tree_of(vault) for vault in vaults]
        assert all(tree == trees[0] for tree in trees), trees
        return {"tree": trees[0]}
    finally:
        for vault in vaults:
            vault.close()


def _check_chains(vault: Vault) -> None:
    """Each chain goes from commit to commit up to the frontier, and nothing of it waits as if it were broken."""
    with vault.replica.read() as view:
        for channel in chains.channels(view.reader):
            for device, (seq, digest) in chains.frontier(view.reader, channel).items():
                kept = list(chains.commits_after(view.reader, channel, device, 0))
                headers = [parse_header(data) for data in kept]
                for header, data, behind in zip(headers, kept, headers[1:], strict=False):
                    assert behind.seq == header.seq + 1 and behind.previous == commit_hash(data)
                if kept:
                    assert (headers[-1].seq, commit_hash(kept[-1])) == (seq, digest)
        assert view.reader.count(Table.HELD) == 0


def _write_one(vault: Vault, rng: random.Random, say: Say) -> None:
    written = write_at_random(vault, rng)
    if written is not None:
        say(ack=written)
