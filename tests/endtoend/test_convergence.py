"""Three devices and a relay that comes, goes and is killed: in the end all agree, with each other and with the law."""

from __future__ import annotations

import os
import random
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from tests.endtoend.device import Answer, Device, expected, found, in_step, until
from tests.transport.relay_process import RelayProcess

ROUNDS = int(os.environ.get("VADEMECUM_TEST_ROUNDS", "1"))
"""Rounds of up, down and killed; each takes some seconds."""
WRITES = 25


def write_on_all(devices: Sequence[Device], rng: random.Random, relay: RelayProcess | None = None) -> None:
    """All devices write at once; *relay* is killed in the middle of it."""
    for device in devices:
        device.tell("write", seed=rng.random(), count=WRITES)
    if relay is not None:
        next(devices[0].acks(), None)
        relay.kill()
    for device in devices:
        device.answer()


def test_three_devices_agree_with_the_law_after_the_relay_was_up_down_and_killed(tmp_path: Path) -> None:
    check(tmp_path, ROUNDS, seed=2)


def check(base: Path, rounds: int, seed: int) -> None:
    rng = random.Random(seed)
    with RelayProcess(base / "relay") as relay, ExitStack() as stack:
        devices = [stack.enter_context(Device(home, sync=True)) for home in found(base, relay.url, 3)]
        for number in range(rounds):
            write_on_all(devices, rng)  # up
            write_on_all(devices, rng, relay)  # killed on the way
            write_on_all(devices, rng)  # down
            relay.start()
            write_on_all(devices, rng)  # they come back while they write
            until(f"the devices are in step after round {number}", lambda: in_step(devices))
            acknowledged = [ack for device in devices for ack in device.acknowledged]
            assert devices[0].ask("tree") == expected(acknowledged)
        assert all(device.ask("state")["problems"] == [] for device in devices)


def test_devices_killed_while_they_write_and_sync_lose_nothing_acknowledged(tmp_path: Path) -> None:
    check_killed(tmp_path, ROUNDS, seed=4)


def names(writes: Sequence[Answer]) -> set[tuple[str, int, str, str]]:
    return {(write["device"], write["order"], write["scope"], write["path"]) for write in writes}


def check_killed(base: Path, rounds: int, seed: int) -> None:
    rng = random.Random(seed)
    with RelayProcess(base / "relay") as relay, ExitStack() as stack:
        devices = [stack.enter_context(Device(home, sync=True)) for home in found(base, relay.url, 3)]
        for number in range(rounds):
            for doomed in devices:
                for device in devices:
                    device.tell("write", seed=rng.random(), count=WRITES)
                acks = doomed.acks()
                for _ in range(rng.randrange(1, WRITES // 2)):
                    next(acks, None)
                doomed.kill()
                doomed.start()
                for device in devices:
                    if device is not doomed:
                        device.answer()
            until(f"the devices are in step after round {number}", lambda: in_step(devices))
            written = [write for device in devices for write in device.ask("own")]
            acknowledged = [ack for device in devices for ack in device.acknowledged]
            assert names(acknowledged) <= names(written)
            # what was durable, but not said before the end, counts like the rest
            unsaid = [write for write in written if not names([write]) <= names(acknowledged)]
            assert devices[0].ask("tree") == expected([*acknowledged, *unsaid])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        check(Path(folder) / "relay killed", rounds=int(sys.argv[1]), seed=int(sys.argv[2]))
        check_killed(Path(folder) / "devices killed", rounds=int(sys.argv[1]), seed=int(sys.argv[2]))
