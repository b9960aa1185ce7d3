"""Bytes on the wire: what a client sends to push its edits, WebSocket framing included, read off the connection.

The floor is the least that says the same: path, value and words as UTF-8, and for the week the same compressed as one
zstd frame at the level of commits.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import zstandard

from vademecum import Vault
from vademecum.transport.commit import parse_header
from vademecum.transport.frames import Push, decode

from .measure import Row, at_most
from .tap import Tap, listening
from .workload import AGENT, MANY, import_leaves, made_up, open_at, relay_process, sentence

__all__ = ["rows"]

ONE_EDIT = 600.0
WEEK = 40_000.0
EDITS, LEAVES = 1000, 50
REASON = 40
"""Characters of a reason."""
_LEVEL = 3
_WEEK_MS = 7 * 24 * 3600 * 1000

Edit = Callable[[Vault, random.Random], str]
"""Makes one change and returns all that was said in it."""


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder, relay_process(Path(folder) / "relay") as relay:
        return asyncio.run(_rows(Path(folder), relay))


async def _rows(folder: Path, relay: str) -> list[Row]:
    measured: list[Row] = []
    async with listening(relay) as tap:
        for who, edit in (("person", _set), ("agent", _remember)):
            Vault.create(folder / who).close()
            clock = _Clock()
            with open_at(folder / who, clock) as vault:
                vault.use_relay(tap.url)
                vault.set_budget(MANY)
                import_leaves(vault, made_up(500))
                await vault.sync_once()
                clock.on_the_way = True
                said, size, _ = await _push(vault, tap, edit, 1)
                measured.append(at_most(f"wire/edit/{who}", size, "B", floor=len(said), target=ONE_EDIT))
                said, size, commits = await _push(vault, tap, edit, EDITS)
                floor = len(zstandard.ZstdCompressor(_LEVEL).compress(said))
                measured.append(at_most(f"wire/week/{who}", size, "B", floor=floor, target=WEEK))
                measured.append(at_most(f"wire/week/{who}/commits", commits, "commits", floor=1, target=1))
    return measured


class _Clock:
    """A wall clock that ends now; on the way, it has moved on at each look, as much as makes 1,000 edits a week."""

    def __init__(self) -> None:
        self._now = time.time_ns() // 1_000_000 - 2 * _WEEK_MS
        self._rng = random.Random(7)
        self.on_the_way = False

    def __call__(self) -> int:
        if self.on_the_way:
            self._now += self._rng.randrange(2 * _WEEK_MS // EDITS)
        return self._now


async def _push(vault: Vault, tap: Tap, edit: Edit, times: int) -> tuple[bytes, int, int]:
    """(what was said, bytes of all push frames, greatest number of commits for one scope)."""
    rng = random.Random(times)
    said = "\n".join([edit(vault, rng) for _ in range(times)]).encode()
    tap.messages.clear()
    await vault.sync_once()
    size = 0
    channels: list[bytes] = []
    for message in tap.messages:
        frame = decode(message.content)
        if isinstance(frame, Push):
            size += message.size
            channels += [parse_header(commit).channel for commit in frame.commits]
    return said, size, max(channels.count(channel) for channel in channels)


def _set(vault: Vault, rng: random.Random) -> str:
    path, value = _leaf(rng)
    vault.user.set(path, value)
    return f"{path} {value}"


def _remember(vault: Vault, rng: random.Random) -> str:
    path, value = _leaf(rng)
    reason = sentence(rng, REASON)
    vault.agent(AGENT).remember(path, value, because=reason)
    return f"{path} {value} {reason}"


def _leaf(rng: random.Random) -> tuple[str, str]:
    return f"week.habits.{rng.randrange(LEAVES):02d}", sentence(rng, 15)
