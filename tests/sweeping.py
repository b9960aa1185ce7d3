"""Sweepers that are killed, over many vaults: ``python -m tests.sweeping --vaults 1000 --signals 100``.

Two sweepers serve one root. One of them is killed -9 again and again while it works, and begins anew. In the end:

- every signal was handled exactly once in effect: the counters of each vault, which are written in the same transaction
  as what comes of a signal, say as many as it had, and none waits;
- no vault waited for a turn longer than twice the fair share, which is that every vault has had one. Where another is
  done there are fewer to wait for, and where a curator is killed its vault waits for its lease.

Exit code 0 if that holds. It prints one JSON document.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.engine.curating import say
from vademecum import Vault
from vademecum.engine.formation import attempts, counters, signals
from vademecum.engine.formation.signals import Signal
from vademecum.engine.formation.turns import Considered
from vademecum.founding import make_folder
from vademecum.hint import Hint, find_vaults
from vademecum.sweeping import Sweeper
from vademecum.transport import recovery, roster
from vademecum.transport.keys import KEY_SIZE, DeviceKeys
from vademecum.transport.ledger import keep_statements
from vademecum.vault import wall_ms

__all__ = ["main", "run"]

SESSIONS = 4
LEASE_MS = 2_000
LIMIT = 20
"""Signals in a turn, so that each vault has many: the fair share is then worth measuring."""
MIN_LIFE, MAX_LIFE = 0.2, 2.0
"""Seconds until a sweeper that is to be killed is killed."""
FAIR = 2.0


def run(vaults: int, per_vault: int, seed: int = 1) -> dict[str, Any]:
    """Makes the vaults, lets them be swept, and says what was measured."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "people"
        _make(root, vaults, per_vault)
        started = time.monotonic()
        logs, kills = _swept(root, Path(folder), random.Random(seed))
        seconds = time.monotonic() - started
        wrong = [home.name for home in find_vaults(root) if not _is_right(home, per_vault)]
        longest, others = _longest_wait(logs, started)
    return {
        "vaults": vaults,
        "signals": vaults * per_vault,
        "kills": kills,
        "seconds": round(seconds, 2),
        "signals_per_second": round(vaults * per_vault / seconds),
        "wrong": wrong,
        "longest_wait_seconds": round(longest, 3),
        "longest_wait_turns": others,
        "holds": not wrong and others <= FAIR * vaults,
    }


def _make(root: Path, vaults: int, per_vault: int) -> None:
    """As many vaults as wanted. They are of one person, which takes no new keys each, and nobody here minds."""
    keys = DeviceKeys.generate()
    founding = roster.genesis(
        keys,
        recovery.recovery_keys(recovery.new_phrase(os.urandom(KEY_SIZE))).public,
        "this device",
        salt=os.urandom(16),
        epoch_key=os.urandom(KEY_SIZE),
        naming_key=os.urandom(KEY_SIZE),
        at_ms=wall_ms(),
    )
    first = roster.Roster.verify(None, [founding])
    root.mkdir()
    for number in range(vaults):
        home = root / f"v{number:05d}"
        make_folder(
            home,
            vault=first.vault,
            device=keys.device,
            name="this device",
            keys=keys.to_bytes(),
            fill=lambda transaction: keep_statements(transaction, first),
            wall=wall_ms,
        )
        with Vault.open(home) as vault:
            for session in range(SESSIONS):
                texts = [f"I bought {n} apples at the market today." for n in range(session, per_vault, SESSIONS)]
                say(vault.replica, f"s{session}", *texts)


def _swept(root: Path, logs: Path, rng: random.Random) -> tuple[list[Path], int]:
    """Lets one sweeper work in peace and kills others until nothing waits; returns the logs and the number of kills."""
    names = [logs / "steady.log"]
    steady = _start(root, names[0])
    kills = 0
    try:
        while any(Hint(home).since() is not None for home in find_vaults(root)):
            names.append(logs / f"doomed-{kills}.log")
            doomed = _start(root, names[-1])
            time.sleep(rng.uniform(MIN_LIFE, MAX_LIFE))
            os.kill(doomed.pid, signal.SIGKILL)
            doomed.wait()
            kills += 1
            if steady.poll() is not None:
                raise RuntimeError(f"the sweeper that nobody killed has ended with {steady.returncode}")
    finally:
        steady.terminate()
        steady.wait()
    return names, kills


def _start(root: Path, log: Path) -> subprocess.Popen[bytes]:
    """A sweeper in a process of its own, at work."""
    started = subprocess.Popen([sys.executable, "-m", "tests.sweeping", "--serve", str(root), "--log", str(log)])
    while not log.exists():
        if started.poll() is not None:
            raise RuntimeError(f"a sweeper has ended with {started.returncode} before it began")
        time.sleep(0.005)
    return started


class _Logged:
    """A curator that says what it is about to think about."""

    def __init__(self, vault: Vault, log: Path) -> None:
        self._curator = vault.curator()
        self._name = vault.home.name
        self._log = log

    def consider(self, waiting: Sequence[Signal]) -> Considered:
        if waiting:
            with self._log.open("a") as file:
                file.write(f"{self._name} {waiting[0].seq} {time.monotonic()}\n")
        return self._curator.consider(waiting)


def _serve(root: Path, log: Path) -> None:
    log.touch()
    sweeper = Sweeper(
        lambda: find_vaults(root),
        Vault.open,
        lambda vault: _Logged(vault, log),
        interval=0.1,
        limit=LIMIT,
        lease_ms=LEASE_MS,
    )
    sweeper.run()


def _is_right(home: Path, per_vault: int) -> bool:
    """Whether each signal was handled once, and none waits or was given up."""
    with Vault.open(home) as vault, vault.replica.read() as view:
        handled = counters.counters(view.reader)["signals"]
        return handled == per_vault and signals.count(view.reader) == 0 and not attempts.parked(view.reader)


def _longest_wait(logs: list[Path], started: float) -> tuple[float, int]:
    """The longest that a vault has waited for its first turn, or from one turn to the next: in seconds, and in turns
    that others had meanwhile, which does not depend on how fast the machine was just then.

    A turn is one that took effect: where the same signal came first again, its curator had been killed.
    """
    turns: dict[str, dict[int, float]] = defaultdict(dict)
    for log in logs:
        before = ""
        for line in log.read_text().splitlines():
            home, first, at = line.split()
            if home != before:  # else it is another conversation in the same turn
                turns[home][int(first)] = max(float(at), turns[home].get(int(first), 0.0))
            before = home
    every = sorted(at for its in turns.values() for at in its.values())
    seconds, others = 0.0, 0
    for its in turns.values():
        for earlier, later in pairwise([started, *sorted(its.values())]):
            seconds = max(seconds, later - earlier)
            others = max(others, bisect_left(every, later) - bisect_right(every, earlier))
    return seconds, others


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sweeping", description="Kills sweepers over many vaults.")
    parser.add_argument("--vaults", type=int, default=1000, help="how many vaults (default: 1000)")
    parser.add_argument("--signals", type=int, default=100, help="signals in each (default: 100)")
    parser.add_argument("--seed", type=int, default=1, help="when sweepers are killed (default: 1)")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--log", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve is not None:
        _serve(arguments.serve, arguments.log)
        return 0
    done = run(arguments.vaults, arguments.signals, arguments.seed)
    json.dump(done, sys.stdout, indent=1)
    sys.stdout.write("\n")
    return 0 if done["holds"] else 1


if __name__ == "__main__":
    sys.exit(main())
