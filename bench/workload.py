"""What is measured on: vaults in a temporary folder, made-up leaves, and a relay in a process of its own."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from vademecum import Vault
from vademecum.engine.remembering import import_leaf
from vademecum.engine.replica import Replica, Transaction
from vademecum.engine.scopes import PUBLIC
from vademecum.founding import STORE
from vademecum.renewal import Installation
from vademecum.storage.environment import Environment
from vademecum.storage.identity import Identity
from vademecum.transport.relay.server import serve

__all__ = ["AGENT", "MANY", "Leaf", "import_leaves", "joined", "made_up", "open_at", "relay_process", "sentence"]

AGENT = "bench/import@1.0.0"
MANY = 1_000_000
"""A limit of learned memories that no bench reaches."""
PER_TRANSACTION = 1000
"""Leaves an importer writes in one transaction."""

Leaf = tuple[str, str]
"""(path, value)."""

_VOCABULARY = (
    "about after again always answer apple autumn away bakery because before better bicycle book bread bring "
    "brother bus call camera carry cello change cheese chess children cinema city coffee concert cook cousin dance "
    "daughter dentist dinner doctor dog drink drive early evening family farm father favourite film finish fish "
    "flight flower football forest friend fruit garden give grandmother guitar happy harbour hiking holiday home "
    "hospital hotel house invite island job journey kitchen lake language later laugh learn leave letter library "
    "like listen little live look lunch market meet money month morning mother mountain move museum music near "
    "neighbour never novel office often old orchestra paint paper parents park party phone piano picture place plan "
    "plant play poem prefer quiet rain read remember restaurant river road room run sailing school sea season sell "
    "share shop sing sister sleep small snow son soup station stay story street study summer sunday swim talk tea "
    "teacher theatre think ticket today together tomorrow town train travel tree uncle understand usually "
    "vegetables village violin visit walk want water weather week weekend welcome window winter work write "
    "yesterday young"
)
_WORDS = _VOCABULARY.split()
_PEOPLE = ("alice", "bruno", "chiara", "daniel", "elena", "farid", "greta", "hiro", "ines", "jonas")
_TOPICS = ("family", "food", "health", "home", "music", "plans", "reading", "sports", "travel", "work")


def sentence(rng: random.Random, length: int) -> str:
    """Words at random and a number, *length* characters long or a word more.

    A thousand of them, of forty characters, compress as well as beginnings of turns of real conversations.
    """
    text = f"{rng.choice(_WORDS).capitalize()} {rng.randrange(10_000)}"
    while len(text) < length:
        text += f" {rng.choice(_WORDS)}"
    return text


def made_up(count: int, seed: int = 1) -> list[Leaf]:
    """*count* leaves about ten people, each a sentence of about fifty characters."""
    rng = random.Random(seed)
    return [
        (f"people.{rng.choice(_PEOPLE)}.{rng.choice(_TOPICS)}.{number:05d}", sentence(rng, 50))
        for number in range(count)
    ]


def import_leaves(vault: Vault, leaves: Sequence[Leaf]) -> None:
    """Writes *leaves* as an importer does: as an agent's, a thousand in a transaction."""
    for start in range(0, len(leaves), PER_TRANSACTION):
        batch = leaves[start : start + PER_TRANSACTION]

        def work(transaction: Transaction, batch: Sequence[Leaf] = batch) -> None:
            scope = transaction.scope(PUBLIC)
            for path, value in batch:
                import_leaf(scope, path, value, writer=AGENT)

        vault.write(work)


def open_at(home: Path, wall: Callable[[], int]) -> Vault:
    """The vault in *home* with the wall clock *wall*, milliseconds since 1970."""
    identity = Identity.read(home)
    environment = Environment.open(home / STORE)
    replica = Replica(environment, device=identity.device, client=identity.client, wall=wall)
    return Vault(home, identity, replica, Installation.open(home, replica, identity, wall))


async def joined(member: Vault, home: Path, name: str) -> Vault:
    """A new device of *member*'s vault, paired through its relay; it has not synced yet."""
    relay = member.relay
    assert relay is not None
    code: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    pairing = asyncio.create_task(member.pair(code.set_result))
    vault, _ = await Vault.join(home, await code, relay=relay, device_name=name)
    await pairing
    return vault


@contextmanager
def relay_process(folder: Path) -> Iterator[str]:
    """A relay in a process of its own, on loopback; gives its URL."""
    command = [sys.executable, "-m", "bench.workload", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            url = process.stdout.readline().strip()
            if not url:
                raise RuntimeError("the relay did not start")
            yield url
        finally:
            process.terminate()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), "127.0.0.1", 0, ready=lambda url: print(url, flush=True)))
