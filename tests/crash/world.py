"""A small world that is killed again and again: two devices, a relay, and what they acknowledged.

In each round writers, syncing clients, a compaction and the relay run as real processes on the real file system; some
of them get kill -9 at moments that the seed chooses (after so many acknowledgements, and so many microseconds). Then

* each vault opens, no page of it is damaged, its chains are whole, and each acknowledged write is in its journal;
* after a restart of the relay and a sync, nobody reports a problem (a relay that lost what it acknowledged would be
  one), both show the same, and that is what the independent model makes of all that was written.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.crash import roles
from tests.crash.children import Child, Say
from tests.endtoend.device import Answer, expected, found

__all__ = ["World"]

DEVICES = 2
Name = tuple[str, int, str, str]


class World:
    """Made for a seed. Use it in a ``with`` block: at its end nothing that it started is left."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.kills = 0
        self.acknowledged: dict[Name, Answer] = {}
        self._rng = random.Random(seed)
        self._folder = folder
        self._port = 0
        self._running: list[Child] = []
        self._relay = self._start_relay()
        self._homes: list[Path] = []

    def __enter__(self) -> World:
        try:
            url = self._relay.until("url")
            homes = self._do("founding", lambda: [str(home) for home in found(self._folder, url, DEVICES)])
        except BaseException:
            self.__exit__()
            raise
        self._homes = [Path(home) for home in homes]
        return self

    def __exit__(self, *_: object) -> None:
        for child in (*self._running, self._relay):
            if child.alive:
                child.kill()

    def round(self) -> None:
        """One round of crashes. Raises AssertionError when anything is not as promised."""
        rng = self._rng
        actors = self._running = self._actors()
        doomed = rng.sample(list(actors), k=min(len(actors), rng.choice([1, 1, 2, 3])))
        kill_relay = rng.random() < 0.4
        if rng.random() < 0.8:  # else they are killed as they open
            for child in actors:
                child.until("ready")
        victims = [*doomed, *([self._relay] if kill_relay else [])]
        rng.shuffle(victims)
        for victim in victims:
            self._wait(actors, rng.choice([0, 0, 3, 10, 30]), rng.random() * rng.choice([0.0005, 0.005, 0.05]))
            self.kills += victim.kill()
        for child in actors:
            if child.alive:
                child.end()
        for child in actors:
            for write in child.heard("ack"):
                self.acknowledged[_name(write)] = write
        self._judge(came_back=kill_relay)

    def _actors(self) -> list[Child]:
        """Who runs in this round."""
        rng = self._rng
        actors = []
        for home in self._homes:
            roles_here: list[Callable[[Say], object]] = []
            if rng.random() < 0.6:
                roles_here.append(partial(rng.choice([roles.sync, roles.sync_again]), home, rng.random()))
            if rng.random() < 0.5:
                roles_here.append(partial(roles.write, home, rng.random()))
            if rng.random() < 0.2:
                roles_here.append(partial(roles.sync_again, home, rng.random()))  # beside one that holds the connection
            if rng.random() < 0.15:
                roles_here.append(partial(roles.compact, home))
            for work in roles_here or [partial(roles.write, home, rng.random())]:
                actors.append(self._child(work))
        return actors

    def _wait(self, actors: list[Child], acknowledgements: int, seconds: float) -> None:
        """Until some writes more are acknowledged, by anybody; then *seconds*."""
        before = sum(len(child.said) for child in actors)
        patience = time.monotonic() + 0.5
        while sum(len(child.said) for child in actors) < before + acknowledgements and time.monotonic() < patience:
            for child in actors:
                if child.alive:
                    child.listen(0.001)
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:  # a sleep would be as coarse as the scheduler
            pass

    def _judge(self, *, came_back: bool) -> None:
        left = [self._do(f"judging {home.name}", partial(roles.judge, home)) for home in self._homes]
        written = {_name(write): write for one in left for write in one["written"]}
        here = {one["device"] for one in left}
        lost = [write for name, write in self.acknowledged.items() if name not in written]
        assert {write["device"] for write in self.acknowledged.values()} <= here
        assert not lost, f"acknowledged, and lost: {lost}"
        if came_back:
            self._relay = self._start_relay()
            self._relay.until("url")
        healed = self._do("healing", partial(roles.heal, self._homes))
        # what was durable, but not said before the end, counts like the rest
        everything = [
            *self.acknowledged.values(),
            *(one for name, one in written.items() if name not in self.acknowledged),
        ]
        assert healed["tree"] == expected(everything)

    def _start_relay(self) -> Child:
        child = Child("the relay", partial(roles.relay, self._folder / "relay", self._port))
        self._port = int(child.until("url").rpartition(":")[2])
        return child

    def _child(self, work: Callable[[Say], object]) -> Child:
        name = work.func.__name__ if isinstance(work, partial) else "a child"
        return Child(name, work)

    def _do(self, name: str, work: Callable[[], Any]) -> Any:
        return Child(name, lambda _: work()).finish()


def _name(write: Answer) -> Name:
    return write["device"], write["order"], write["scope"], write["path"]
