"""A device in a process of its own: ``python -m tests.endtoend.device HOME [sync]``, and how tests drive it.

Commands and answers are lines of JSON. With ``sync`` the device keeps itself in step with its relay all the time.

==========================  =============================================================================
command                     answers
==========================  =============================================================================
``write`` seed, count       one ``ack`` for each write that is durable, in full, then ``done``
``fill`` name, count        one ``ack`` with the path of each leaf, then ``done``
``forget`` agent            ``done``: the number of leaves that are gone
``tree``                    ``done``: scope → path → value
``own``                     ``done``: everything this device has ever written, from its journal, as in an ``ack``
``state``                   ``done``: the status
==========================  =============================================================================
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.engine.model import Model, Written
from vademecum import Vault
from vademecum.engine import journal
from vademecum.engine.records import Record
from vademecum.engine.slots import SlotMap
from vademecum.errors import NotFound, Protected

AGENTS = ("prix/daily-eats@1.0.0", "prix/daily-eats@2.0.0", "lumen/notes@0.3")
NAMES = ("diet", "home", "work.team", "work.role", "tried.one", "tried.two", "größe", "music")
PATIENCE = 60.0
"""Seconds after which what should have happened has not."""

Answer = dict[str, Any]


class Device:
    """A device's process. Use it in a ``with`` block; ``kill`` is kill -9."""

    def __init__(self, home: Path, *, sync: bool = False) -> None:
        self.home = home
        self._arguments = ["sync"] if sync else []
        self._process: subprocess.Popen[str] | None = None
        self.acknowledged: list[Answer] = []
        """Every ``ack`` so far."""
        self._done: Any = None

    def start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.endtoend.device", str(self.home), *self._arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ,
        )

    def tell(self, command: str, **details: object) -> None:
        assert self._process is not None and self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": command, **details}) + "\n")
        self._process.stdin.flush()

    def acks(self) -> Iterator[Answer]:
        """Acknowledgements as they arrive, until the command is done or the process dead."""
        assert self._process is not None and self._process.stdout is not None
        for line in self._process.stdout:
            try:
                answer = json.loads(line)
            except ValueError:
                return  # killed in the middle of a line: not acknowledged
            if "ack" in answer:
                self.acknowledged.append(answer["ack"])
                yield answer["ack"]
            else:
                self._done = answer["done"]
                return

    def answer(self) -> Any:
        """The end of the command under way."""
        self._done = None
        for _ in self.acks():
            pass
        assert self._done is not None, f"the device in {self.home} died"
        return self._done

    def ask(self, command: str, **details: object) -> Any:
        self.tell(command, **details)
        return self.answer()

    def kill(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        for _ in self.acks():  # what it said before it died counts
            pass
        self._end()

    def stop(self) -> None:
        """Lets the process end by itself."""
        assert self._process is not None and self._process.stdin is not None
        self._process.stdin.close()
        assert self._process.wait(timeout=PATIENCE) == 0, f"the device in {self.home} failed"
        self._end()

    def __enter__(self) -> Device:
        self.start()
        return self

    def __exit__(self, failed: object, *_: object) -> None:
        if self._process is None:
            return
        if failed:
            self.kill()
        else:
            self.stop()

    def _end(self) -> None:
        assert self._process is not None and self._process.stdin is not None and self._process.stdout is not None
        self._process.wait(timeout=PATIENCE)
        self._process.stdin.close()
        self._process.stdout.close()
        self._process = None


def found(base: Path, relay: str, count: int) -> list[Path]:
    """Makes a vault and *count* - 1 more devices of it, which have synced; returns their homes."""

    async def make() -> list[Path]:
        homes = [base / f"device-{number}" for number in range(count)]
        with Vault.create(homes[0], device_name="first") as first:
            first.use_relay(relay)
            await first.sync_once()
            for home in homes[1:]:
                await join(first, home, relay)
        return homes

    return asyncio.run(make())


async def join(member: Vault, home: Path, relay: str) -> None:
    """Makes *home* a device of the member's vault."""
    shown: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    pairing = asyncio.create_task(member.pair(shown.set_result))
    vault, fingerprint = await Vault.join(home, await shown, relay=relay, device_name=home.name)
    joined = await pairing
    assert joined.fingerprint == fingerprint
    vault.close()


def until(what: str, holds: Callable[[], bool]) -> None:
    """Waits for *holds*."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"not within {PATIENCE:.0f} s: {what}"
        time.sleep(0.05)


def in_step(devices: Sequence[Device]) -> bool:
    """Whether all devices say that they are synced, and show the same."""
    states = [device.ask("state") for device in devices]
    if any(state["state"] != "synced" or state["pending"] for state in states):
        return False
    trees = [device.ask("tree") for device in devices]
    return all(tree == trees[0] for tree in trees)


def expected(acknowledged: Sequence[Answer]) -> dict[str, dict[str, Any]]:
    """What the independent model makes of everything that was written: scope → path → value."""
    models: dict[str, Model] = {}
    for ack in acknowledged:
        fields = dict(ack, device=bytes.fromhex(ack["device"]))
        models.setdefault(fields.pop("scope"), Model()).write(Written(**fields))
    trees = {scope: model.tree() for scope, model in models.items()}
    return {scope: tree for scope, tree in trees.items() if tree}


# --- the process ----------------------------------------------------------------------------------------------------


def say(**answer: object) -> None:
    print(json.dumps(answer), flush=True)


def write_at_random(vault: Vault, rng: random.Random) -> Answer | None:
    """One write as the person or an agent; what was written, or None where the rules said no."""
    name = rng.choice(NAMES)
    value = rng.choice([rng.randrange(1000), f"as of {rng.randrange(1000)}", [rng.random()], None])
    try:
        if rng.random() < 0.35:
            scope = rng.choice(["user.public", "user.private", "agent/lumen/notes"])
            by_person = True
            if rng.random() < 0.4:
                vault.user.forget(name, scope=scope)
            elif scope.startswith("user."):
                vault.user.set(name, value, private=scope == "user.private")
            else:
                return None
        else:
            agent = rng.choice(AGENTS)
            where = rng.choice(["user", "agent"])
            scope = "user.public" if where == "user" else "agent/" + agent.partition("@")[0]
            by_person = False
            if rng.random() < 0.25:
                vault.agent(agent).forget(name, scope=where)
            else:
                vault.agent(agent).remember(name, value, because=f"they said {value}", scope=where)
    except (NotFound, Protected):
        return None
    with vault.replica.read() as view:
        slot = view.row(scope, SlotMap.LEAVES, name).own(by_person, vault.replica.device)
    assert slot is not None
    return described(scope, name, slot.device, slot.record)


def own_writes(vault: Vault) -> list[Answer]:
    with vault.replica.read() as view:
        names = view.scope_names()
        return [
            described(names[entry.scope], entry.name, entry.device, entry.record)
            for entry in journal.entries(view.reader)
            if entry.map is SlotMap.LEAVES and entry.device == vault.replica.device
        ]


def described(scope: str, name: str, device: bytes, record: Record) -> Answer:
    return {
        "scope": scope,
        "path": name,
        "by_person": record.by_person,
        "device": device.hex(),
        "order": record.order,
        "value": record.value,
        "deleted": record.deleted,
        "seen": record.seen,
        "heard": record.heard,
        "writer": record.writer,
    }


def tree_of(vault: Vault) -> dict[str, dict[str, Any]]:
    tree: dict[str, dict[str, Any]] = {}
    for leaf in vault.user.leaves():
        tree.setdefault(leaf.scope, {})[leaf.path] = leaf.value
    return tree


def obey(vault: Vault, command: dict[str, Any]) -> object:
    match command.pop("do"):
        case "write":
            rng = random.Random(command["seed"])
            for _ in range(command["count"]):
                written = write_at_random(vault, rng)
                if written is not None:
                    say(ack=written)
            return True
        case "fill":
            for number in range(command["count"]):
                path = f"{command['name']}.n{number}"
                vault.user.set(path, number)
                say(ack={"path": path, "value": number})
            return True
        case "remember":
            vault.agent(command.pop("agent")).remember(**command)
            return True
        case "set":
            vault.user.set(**command)
            return True
        case "forget":
            return {"gone": vault.forget(agent=command["agent"])}
        case "tree":
            return tree_of(vault)
        case "own":
            return own_writes(vault)
        case "state":
            return vault.status().as_json()
        case other:
            raise ValueError(other)


def obey_all(vault: Vault) -> None:
    for line in sys.stdin:
        say(done=obey(vault, json.loads(line)))


async def run(vault: Vault) -> None:
    """Obeys and syncs, until the commands end or the sync fails."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def listen() -> None:
        try:
            obey_all(vault)
        finally:
            loop.call_soon_threadsafe(stop.set)

    listener = threading.Thread(target=listen)
    listener.start()
    await vault.sync_forever(stop)
    listener.join()


if __name__ == "__main__":
    with Vault.open(sys.argv[1]) as opened:
        if sys.argv[2:] == ["sync"]:
            asyncio.run(run(opened))
        else:
            obey_all(opened)
