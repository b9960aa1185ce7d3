"""Several processes write to one vault at the same time, and some of them are killed."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from tests.endtoend.device import Device, tree_of
from vademecum import Vault

PROCESSES = 8
KILLED = 2
LEAVES = 500


def test_every_acknowledged_write_of_eight_processes_is_there_though_two_were_killed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    Vault.create(home).close()
    with ExitStack() as stack:
        processes = [stack.enter_context(Device(home)) for _ in range(PROCESSES)]
        for number, process in enumerate(processes):
            process.tell("fill", name=f"writer{number}", count=LEAVES)
        doomed, others = processes[:KILLED], processes[KILLED:]
        for process in doomed:
            half = process.acks()
            while len(process.acknowledged) < LEAVES // 2:
                next(half)
            process.kill()
        for process in others:
            process.answer()
        acknowledged = {ack["path"]: ack["value"] for process in processes for ack in process.acknowledged}
        assert all(LEAVES // 2 <= len(process.acknowledged) < LEAVES for process in doomed)
        assert all(len(process.acknowledged) == LEAVES for process in others)

    with Vault.open(home) as vault:
        found = tree_of(vault)["user.public"]
        assert {path: found.get(path) for path in acknowledged} == acknowledged
        # the killed may have got one more write done than they could say; nothing else is there
        assert len(found) <= len(acknowledged) + KILLED
        assert vault.status().indexing == len(found)  # each was queued for the indexes with its write
        assert {change.path for change in vault.log()} == set(found)
