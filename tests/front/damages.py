"""The long version of the repair's test: ``python -m tests.front.damages --rounds 500``.

One device of two is damaged again and again, each time in a random way from a seed, and repaired by the program from
its relay. After each round its memory must be what it was, sound, and in step; in the end the other device agrees.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
from pathlib import Path

from tests.endtoend.device import join
from tests.front.cli_runs import program
from tests.front.test_doctor import damage_file, database, memory, write
from tests.transport.relay_process import RelayProcess
from vademecum import Vault

KINDS = ("zero", "wipe", "flip", "cut", "noise")


def make(folder: Path, relay: RelayProcess) -> tuple[Path, Path]:
    """The homes of two devices in step."""
    first, second = folder / "a", folder / "b"
    with Vault.create(first) as vault:
        vault.use_relay(relay.url)
        write(vault, 0)
        asyncio.run(vault.sync_once())
        asyncio.run(join(vault, second, relay.url))
    with Vault.open(second) as vault:
        asyncio.run(vault.sync_once())
        write(vault, 50)
        asyncio.run(vault.sync_once())
    return first, second


def damage_and_repair(home: Path, relay: RelayProcess, seed: int) -> str:
    """What went wrong in one round; nothing if all is well."""
    chance = random.Random(seed)
    with Vault.open(home) as vault:
        vault.user.set(f"rounds.r{seed}", seed)
        asyncio.run(vault.sync_once())
        if chance.random() < 0.25:
            vault.compact()
        expected = memory(vault)
    kind = chance.choice(KINDS)
    damage_file(database(home), kind, chance)
    done = program("doctor", "--repair", "--relay", relay.url, "--home", home)
    if done.code != 0:
        return f"{kind}: exit code {done.code}: {done.out} {done.err}"
    with Vault.open(home) as vault:
        if memory(vault) != expected:
            return f"{kind}: the memory is another one"
        if vault.check():
            return f"{kind}: {vault.check()}"
        if asyncio.run(vault.sync_once()).state != "synced" or memory(vault) != expected:
            return f"{kind}: not in step with the relay"
    return ""


def main(rounds: int, first_seed: int) -> int:
    with tempfile.TemporaryDirectory() as folder, RelayProcess(Path(folder) / "relay") as relay:
        home, other = make(Path(folder), relay)
        for seed in range(first_seed, first_seed + rounds):
            wrong = damage_and_repair(home, relay, seed)
            if wrong:
                print(f"seed {seed}: {wrong}")
                return 1
        with Vault.open(home) as one, Vault.open(other) as two:
            asyncio.run(two.sync_once())
            if memory(one) != memory(two) or two.check():
                print("the two devices do not agree")
                return 1
    print(f"{rounds} rounds of damage and repair, nothing lost")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    sys.exit(main(given.rounds, given.seed))
