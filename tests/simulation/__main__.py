"""``python -m tests.simulation --seeds N [--from S] [--steps N]``: more of what the suite runs a little of."""

from __future__ import annotations

import argparse
import sys
import tempfile
import traceback
from pathlib import Path

from tests.simulation.world import check_seed


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description="Runs seeded fleets of devices.")
    parser.add_argument("--seeds", type=int, default=100, help="how many seeds (default: 100)")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first seed (default: 0)")
    parser.add_argument("--steps", type=int, default=60, help="what happens in each (default: 60)")
    arguments = parser.parse_args()
    failed = []
    for seed in range(arguments.first, arguments.first + arguments.seeds):
        with tempfile.TemporaryDirectory() as folder:
            try:
                check_seed(seed, Path(folder), arguments.steps)
            except Exception:  # noqa: BLE001  # whatever it is, the seed is what is wanted
                traceback.print_exc()
                failed.append(seed)
                print(f"again: python -m tests.simulation --seeds 1 --from {seed} --steps {arguments.steps}")
    print(
        f"{arguments.seeds - len(failed)} of {arguments.seeds} seeds hold" + (f"; failed: {failed}" if failed else "")
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
