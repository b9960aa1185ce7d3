"""Vaults under one root for the tests of the sweep, and sweepers in processes of their own.

Run as a program it is such a sweeper: ``python -m tests.front.sweeping_world ROOT LEASE_MS LIMIT`` sweeps with the
small curator of `tests.engine.curating` until it is told to stop, and says each turn that it has taken.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgpack

from tests.engine.curating import LeafCurator, say
from vademecum import Vault
from vademecum.engine.formation.turns import LIMIT, Turned
from vademecum.engine.replica import Transaction
from vademecum.hint import find_vaults
from vademecum.storage.tables import Table
from vademecum.sweeping import Sweeper

__all__ = ["attempt_keys", "fill", "forgive_delays", "handled_more_than_once", "made", "shown", "sweeper"]


def made(root: Path, names: Iterable[str]) -> list[Path]:
    homes = []
    for name in names:
        Vault.create(root / name).close()
        homes.append(root / name)
    return homes


def fill(home: Path, count: int, *, sessions: int = 4) -> None:
    """The person says *count* things, each another, in *sessions* conversations."""
    with Vault.open(home) as vault:
        for number in range(sessions):
            texts = [f"{home.name} {n}" for n in range(number, count, sessions)]
            if texts:
                say(vault.replica, f"s{number}", *texts)


def sweeper(root: Path, **how: Any) -> Sweeper:
    """A sweeper with the small curator; *how* as `Sweeper` takes it."""
    how.setdefault("interval", 0.05)
    return Sweeper(lambda: find_vaults(root), Vault.open, lambda vault: LeafCurator(vault.replica), **how)


def shown(home: Path) -> list[Any]:
    """What the curator has written, in order."""
    with Vault.open(home) as vault:
        return sorted(leaf.value for leaf in vault.user.leaves())


def handled_more_than_once(home: Path) -> dict[str, int]:
    """Paths that were written more often than once."""
    with Vault.open(home) as vault:
        written = Counter(change.path for change in vault.log() if change.scope == "user.public")
    return {path: count for path, count in written.items() if count > 1}


def attempt_keys(vault: Vault) -> list[bytes]:
    with vault.replica.read() as view:
        return list(view.reader.keys(Table.META, b"curation/attempt/"))


def forgive_delays(vault: Vault) -> None:
    """As if an hour had gone by: the attempts stay, their times lie behind."""

    def work(transaction: Transaction) -> None:
        writer = transaction.writer
        for key in attempt_keys(vault):
            fields = msgpack.unpackb(writer.get(Table.META, key) or b"")
            writer.put(Table.META, key, msgpack.packb([*fields[:3], 0, *fields[4:]]))

    vault.replica.write(work)


def main(root: Path, lease_ms: int, limit: int = LIMIT) -> None:
    def told(home: Path, turned: Turned) -> None:
        line = {"home": home.name, "at": time.monotonic(), "busy": turned.busy, "signals": turned.report.signals}
        sys.stdout.write(json.dumps({**line, "waiting": turned.report.waiting}) + "\n")
        sys.stdout.flush()

    made = sweeper(root, lease_ms=lease_ms, limit=limit, told=told)
    stopping: Callable[..., None] = lambda *_: made.ask_to_stop()  # noqa: E731
    signal.signal(signal.SIGTERM, stopping)
    sys.stdout.write('{"ready": true}\n')
    sys.stdout.flush()
    made.run()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
