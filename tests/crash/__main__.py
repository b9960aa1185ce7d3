"""``python -m tests.crash --rounds N [--seed S]``: kill -9 at chosen moments, and a look at what is left.

A failing world reprints itself as one command. The kernel decides when exactly a signal arrives, so a seed repeats the
choices, and not always the fault.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # what forks must have no threads

from tests.crash.world import World
from vademecum.engine import document  # noqa: F401  # imported before the fork, so that no child needs to

ROUNDS_PER_WORLD = 20


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description="Kills writers, clients and relays.")
    parser.add_argument("--rounds", type=int, default=100, help="how many rounds (default: 100)")
    parser.add_argument("--seed", type=int, default=0, help="the first world's seed (default: 0)")
    arguments = parser.parse_args()
    begun = time.monotonic()
    done = kills = writes = 0
    failed = []
    seed = arguments.seed
    while done < arguments.rounds:
        rounds = min(ROUNDS_PER_WORLD, arguments.rounds - done)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            try:
                with World(Path(folder), seed) as world:
                    for _ in range(rounds):
                        world.round()
            except Exception:  # noqa: BLE001  # whatever it is, the seed is what is wanted
                traceback.print_exc()
                failed.append(seed)
                print(f"again: python -m tests.crash --rounds {rounds} --seed {seed}", flush=True)
            kills += world.kills
            writes += len(world.acknowledged)
        done += rounds
        seed += 1
    seconds = time.monotonic() - begun
    print(
        f"{done} rounds, {kills} kills, {writes} acknowledged writes, {done / seconds:.2f} rounds/s"
        + (f"; failed worlds: {failed}" if failed else ": nothing lost, nothing damaged, all agree")
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
