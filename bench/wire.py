"""Bytes on the wire: what a client sends to push its edits, WebSocket framing included, read off the connection.

The floor is the least that says the same: path, value and words as UTF-8, and for the week the same compressed as one
zstd frame at the level of commits.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

import zstandard

from vademecum import Vault
from vademecum.transport.commit import parse_header
from vademecum.transport.frames import Push, decode

from .measure import Row, at_most
from .tap import Tap, listening
from .workload import AGENT, import_leaves, made_up, relay_process, sentence

__all__ = ["rows"]

ONE_EDIT = 600.0
WEEK = 40.0 * 1024
EDITS, LEAVES = 1000, 50
REASON = 40
"""Characters of a reason."""
_LEVEL = 3

Edit = Callable[[Vault, random.Random], str]
"""Makes one change and returns all that was said in it."""


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder, relay_process(Path(folder) / "relay") as relay:
        return asyncio.run(_rows(Path(folder), relay))


async def _rows(folder: Path, relay: str) -> list[Row]:
    measured: list[Row] = []
    async with listening(relay) as tap:
        for who, edit in (("person", _set), ("agent", _remember)):
            with Vault.create(folder / who) as vault:
                vault.use_relay(tap.url)
                import_leaves(vault, made_up(500))
                await vault.sync_once()
                said, size, _ = await _push(vault, tap, edit, 1)
                measured.append(at_most(f"wire/edit/{who}", size, "B", floor=len(said), target=ONE_EDIT))
                said, size, commits = await _push(vault, tap, edit, EDITS)
                floor = len(zstandard.ZstdCompressor(_LEVEL).compress(said))
                measured.append(at_most(f"wire/week/{who}", size, "B", floor=floor, target=WEEK))
                measured.append(at_most(f"wire/week/{who}/commits", commits, "commits per scope", floor=1, target=1))
    return measured


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
