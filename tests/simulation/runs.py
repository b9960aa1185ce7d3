"""Running seeds: where their disks lie, how a failure is told so that it can be seen again."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.simulation.minimise import minimised
from tests.simulation.world import Plan, Pool, Tally, run_plan

__all__ = ["Failed", "opened_pool", "run_seed"]

MEMORY = Path("/dev/shm")


class Failed(AssertionError):
    """A seed does not hold. The text has the command that runs it again and the steps that are needed for it."""


@contextmanager
def opened_pool() -> Iterator[Pool]:
    """A pool of disks, in memory where the system has such a place."""
    folder = Path(tempfile.mkdtemp(prefix="vademecum-simulation-", dir=MEMORY if MEMORY.is_dir() else None))
    pool = Pool(folder)
    try:
        yield pool
    finally:
        pool.close()
        shutil.rmtree(folder)


def run_seed(seed: int, pool: Pool, kinds: Sequence[str] | None = None) -> Tally:
    """Runs one seed. Raises `Failed` with all that is needed to see it again."""
    plan = Plan.draw(seed, kinds)
    error = _fault(plan, pool)
    if not isinstance(error, BaseException):
        return error
    found: list[BaseException] = [error]

    def fails(smaller: Plan) -> bool:
        ending = _fault(smaller, pool)
        if not isinstance(ending, BaseException) or _kind(ending) != _kind(error):
            return False
        found[0] = ending
        return True

    small = minimised(plan, fails)
    lines = [f"  {step.kind:<14} device {step.device % plan.size}  dice {step.seed:#010x}" for step in small.steps]
    again = "" if kinds is None else f" --faults {','.join(kinds)}"
    raise Failed(
        f"seed {seed} does not hold: {type(error).__name__}: {str(error)[:2000]}\n"
        f"again: python -m tests.simulation --seed {seed}{again}\n"
        f"{plan.size} devices; of {len(plan.steps)} steps these are enough:\n" + "\n".join(lines)
    ) from found[0]


def _fault(plan: Plan, pool: Pool) -> BaseException | Tally:
    try:
        return run_plan(plan, pool)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # whatever it is, it is the finding
        return error


def _kind(error: BaseException) -> tuple[type[BaseException], int]:
    """What makes two endings the same: the exception, and the line that raised it."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return type(error), 0 if last is None else last.tb_lineno
