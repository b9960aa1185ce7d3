"""The replica: what overwriting, opening, holding and writing cost, small vault beside large one; and the proofs' pace.

"Empty" and "small" are the floors: a vault with no leaf, or 1,000, of the same make and in the same run.
"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from vademecum import Vault

from .measure import Row, at_least, at_most, seconds, side_by_side
from .overwriting import overwriting
from .workload import AGENT, MANY, import_leaves, made_up

__all__ = ["rows"]

LEAVES = 100_000
SMALL = 1_000
ROUNDS = 7
WRITES = 150
MORE_MS = 100.0
MEGABYTES = 150.0
TIMES_SMALL = 1.5
SEEDS = 30
CRASH_ROUNDS = 12
ROOT = Path(__file__).parent.parent

_READ = """
import sys
from vademecum import Vault
vault = Vault.open(sys.argv[1])
if sys.argv[2]:
    assert vault.user.get(sys.argv[2]) is not None
"""
_OPEN_AND_CLOSE = _READ + "vault.close()\n"
_HOLD = (
    _READ
    + """
import json, time
agent = vault.agent("bench/hold@1.0.0")

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

idle = resident()
started = time.perf_counter()
agent.remember("notes.first", "a value of its own", because="they said so")
print(json.dumps({"idle": idle, "first": time.perf_counter() - started, "written": resident()}))
vault.close()
"""
)


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        leaves = made_up(LEAVES)
        for name, count in (("empty", 0), ("small", SMALL), ("large", LEAVES)):
            with Vault.create(base / name) as vault:
                vault.set_budget(MANY)
                import_leaves(vault, leaves[:count])
        some = leaves[LEAVES // 2][0]
        return [
            *overwriting(base),
            *_opening(base, some),
            *_holding(base, leaves[0][0], some),
            _writing(base),
            *_proofs(),
        ]


def _opening(base: Path, some: str) -> list[Row]:
    """A vault of 100,000 leaves opened and one read, beside opening an empty one."""

    def process(name: str, path: str) -> None:
        subprocess.run([sys.executable, "-c", _OPEN_AND_CLOSE, str(base / name), path], check=True)

    def here(name: str, path: str) -> None:
        with Vault.open(base / name) as vault:
            if path:
                vault.user.get(path)

    found = []
    for where, work in (("process", process), ("here", here)):
        work("large", some)
        value, floor = side_by_side(ROUNDS, partial(work, "large", some), partial(work, "empty", ""))
        target = 1e3 * floor + MORE_MS
        found.append(at_most(f"replica/open/{where}", 1e3 * value, "ms", floor=1e3 * floor, target=target))
    return found


def _holding(base: Path, first: str, some: str) -> list[Row]:
    """Fresh processes: what they hold while idle, and what the first write costs, which loads the document."""
    large, small = [], []
    for _ in range(ROUNDS):
        large.append(_held(base / "large", some))
        small.append(_held(base / "small", first))
    rows = []
    for name, key in (("idle", "idle"), ("after-write", "written")):
        value, floor = (median(one[key] for one in many) / 1e6 for many in (large, small))
        rows.append(at_most(f"replica/resident/{name}", value, "MB", floor=floor, target=MEGABYTES))
    value, floor = (1e3 * median(one["first"] for one in many) for many in (large, small))
    rows.append(at_most("replica/first-write", value, "ms", floor=floor, target=None))
    return rows


def _held(home: Path, path: str) -> dict[str, Any]:
    done = subprocess.run([sys.executable, "-c", _HOLD, str(home), path], check=True, capture_output=True, text=True)
    held: dict[str, Any] = json.loads(done.stdout)
    return held


def _writing(base: Path) -> Row:
    number = itertools.count()
    with Vault.open(base / "large") as large, Vault.open(base / "small") as small:

        def remember(vault: Vault) -> None:
            vault.agent(AGENT).remember(f"notes.{next(number):05d}", "a value of its own", because="they said so")

        remember(large)  # loads the document
        remember(small)
        value, floor = side_by_side(WRITES, lambda: remember(large), lambda: remember(small))
    return at_most("replica/write", 1e6 * value, "µs", floor=1e6 * floor, target=1e6 * TIMES_SMALL * floor)


def _proofs() -> list[Row]:
    """How fast the long versions of the tests go; short runs of both, which must hold."""
    simulation, took = _proof("tests.simulation", "--seeds", str(SEEDS))
    found = [at_least("replica/proofs/simulation", SEEDS / took, "seeds/s", target=None)]
    for what in ("steps", "faults"):
        told = re.search(rf"([\d,]+) {what}\b[^;]*a second", simulation)
        if told is not None:
            rate = float(told[1].replace(",", ""))
            found.append(at_least(f"replica/proofs/simulation/{what}", rate, f"{what}/s", target=None))
    crash, took = _proof("tests.crash", "--rounds", str(CRASH_ROUNDS))
    found.append(at_least("replica/proofs/crash", CRASH_ROUNDS / took, "rounds/s", target=None))
    told = re.search(r"(\d+) kills", crash)
    if told is not None:
        found.append(at_least("replica/proofs/crash/kills", int(told[1]) / took, "kills/s", target=None))
    return found


def _proof(*arguments: str) -> tuple[str, float]:
    """What the proof printed, and its seconds. Raises if it does not hold."""
    said: list[str] = []

    def run() -> None:
        done = subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
        said.append(done.stdout)

    took = seconds(run)
    return said[0], took
