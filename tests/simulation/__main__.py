"""``python -m tests.simulation``: many seeds, or one again. The suite runs a few hundred of them.

--seeds N    how many (20000 is the long run)
--from S     the first
--seed S     one seed; if it does not hold, the steps that are needed for it are printed
--faults F   only these, all of them in each world, separated by commas; ``all`` for every one there is
--jobs N     processes that share the work
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

from tests.simulation.runs import Failed, opened_pool, run_seed
from tests.simulation.world import KINDS

CHUNK = 100


@dataclass
class Report:
    """What a number of seeds came to."""

    seeds: int = 0
    steps: int = 0
    moved: int = 0
    crashes: int = 0
    struck: Counter[str] = field(default_factory=Counter)
    failed: dict[int, str] = field(default_factory=dict)

    def add(self, other: Report) -> None:
        self.seeds += other.seeds
        self.steps += other.steps
        self.moved += other.moved
        self.crashes += other.crashes
        self.struck += other.struck
        self.failed |= other.failed


def run_some(seeds: range, kinds: Sequence[str] | None) -> Report:
    report = Report()
    with opened_pool() as pool:
        for seed in seeds:
            report.seeds += 1
            try:
                tally = run_seed(seed, pool, kinds)
            except Failed as failed:
                report.failed[seed] = str(failed)
                continue
            report.steps += tally.steps
            report.moved += tally.moved
            report.crashes += tally.crashes
            report.struck += Counter(tally.struck)
    return report


def _reports(chunks: list[range], kinds: Sequence[str] | None, jobs: int) -> Iterator[Report]:
    if jobs == 1:
        yield from (run_some(chunk, kinds) for chunk in chunks)
        return
    with ProcessPoolExecutor(jobs) as executor:
        yield from executor.map(run_some, chunks, [kinds] * len(chunks))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description="Runs seeded fleets of devices.")
    parser.add_argument("--seeds", type=int, default=1000, help="how many seeds (default: 1000)")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first seed (default: 0)")
    parser.add_argument("--seed", type=int, help="only this one")
    parser.add_argument("--faults", help=f"of {', '.join(KINDS)}; or all")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    arguments = parser.parse_args()
    kinds = None if arguments.faults is None else KINDS if arguments.faults == "all" else arguments.faults.split(",")
    unknown = set(kinds or ()) - set(KINDS)
    if unknown:
        parser.error(f"there is no fault {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    first, last = arguments.first, arguments.first + arguments.seeds
    if arguments.seed is not None:
        first, last = arguments.seed, arguments.seed + 1
    chunks = [range(start, min(start + CHUNK, last)) for start in range(first, last, CHUNK)]
    whole = Report()
    started = time.monotonic()
    for part in _reports(chunks, kinds, max(1, arguments.jobs)):
        whole.add(part)
        for text in part.failed.values():
            print(text, flush=True)
        seconds = time.monotonic() - started
        print(
            f"{whole.seeds} of {last - first} seeds, {len(whole.failed)} failed, {whole.seeds / seconds:.0f} a second",
            file=sys.stderr,
            flush=True,
        )
    seconds = time.monotonic() - started
    struck = whole.struck.total() + whole.crashes
    print(
        f"{whole.seeds - len(whole.failed)} of {whole.seeds} seeds hold. In {seconds:.0f} s: "
        f"{whole.steps / seconds:,.0f} steps, {whole.moved / seconds:,.0f} messages and {struck / seconds:,.0f} faults "
        f"a second; {struck:,} faults in all, {whole.crashes:,} of them crashes at a commit."
    )
    print("faults: " + ", ".join(f"{name} {count:,}" for name, count in whole.struck.most_common()))
    if whole.failed:
        print(f"failed: {', '.join(map(str, sorted(whole.failed)))}")
    return 1 if whole.failed else 0


if __name__ == "__main__":
    sys.exit(main())
