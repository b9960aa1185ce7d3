"""A relay's store in a process that is killed: while it rewrites its file, at a named step, or at any moment.

``python -m tests.transport.relay_store_process FOLDER STEP`` says the last acknowledged number on each line of output.
Without a step it goes on writing, offering and tidying until it is killed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

STEPS = ("the copy is begun", "the copy is written", "the copy is in place", "the debt is noted")


def ended(folder: Path, step: str, after: float = 0.0) -> int:
    """Runs the process until it has killed itself at *step*, or *after* seconds from its first words; the last number
    that it acknowledged.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.transport.relay_store_process", str(folder), step],
        stdout=subprocess.PIPE,
        env=os.environ,
    )
    assert process.stdout is not None
    said = process.stdout.readline()
    if not step:
        time.sleep(after)
        process.kill()
    said += process.stdout.read()
    process.stdout.close()
    assert process.wait(timeout=30) == -signal.SIGKILL
    whole = said[: said.rfind(b"\n") + 1].split()
    return int(whole[-1])


def main(folder: Path, step: str) -> None:
    from tests.transport.test_relay_snapshots import ALICE, arrival, offer
    from vademecum.transport.relay import lmdb_store as module
    from vademecum.transport.relay.lmdb_store import LmdbStore

    store = LmdbStore.open(folder, initial_map=64 << 20)
    seq = 0
    generation = 0

    def write(count: int) -> None:
        nonlocal seq
        for _ in range(count):
            seq += 1
            store.commit([arrival(seq, generation=generation, data=b"forget me" + os.urandom(2000))])
            print(seq, flush=True)

    def kill(at: str) -> None:
        if at == step:
            os.kill(os.getpid(), signal.SIGKILL)

    write(20)
    if not step:
        while True:
            generation += 1
            store.commit(offer({ALICE: seq}, generation))
            store.tidy()
            write(3)
    store.commit(offer({ALICE: seq}, 1))
    copy, open_, env = module.copy_compact, module._open, store._env

    def copying(environment: object, tables: object, target: Path) -> None:
        target.write_bytes(b"half a copy")
        kill("the copy is begun")
        copy(environment, tables, target)  # type: ignore[arg-type]
        kill("the copy is written")

    def opening(where: Path, size: int) -> object:
        kill("the copy is in place")
        return open_(where, size)

    module.copy_compact, module._open = copying, opening  # type: ignore[assignment]
    store.tidy()
    assert store._env is not env
    kill("the debt is noted")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
