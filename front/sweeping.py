"""The sweep: it serves the vaults that have something waiting, and hands each to its one curator.

Rules for many vaults under one root:

- **Who has waited longest for a turn is served first**, so nobody twice before everybody else who waits has had one. A
  turn handles `LIMIT` signals at the most, so a vault with ten thousand takes its share and no more.
- **Finding them is cheap**: a look at each folder for its hint (see `hint`). Now and then, and when it begins, a
  sweep opens the vaults without a hint as well, and puts the hint where it was missing. Then each vault is also tended:
  hypotheses that have ripened, on whatever device, become memories, and those that nothing repeats are dropped.
- **What is in the way of one vault stops no other**: one that cannot be opened is tried again later and later; one that
  is busy, or whose signals are not due yet, is left until then.
- **Any number of sweeps** may serve one root, in one process or in many: the claim of each vault decides who has it.

It wakes about once a minute, never at the same moment as all others, and ends between two groups of messages.
"""

from __future__ import annotations

import atexit
import logging
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vademecum.engine.expiring import expire_due
from vademecum.engine.formation import claims
from vademecum.engine.formation.candidates import begin_sweep
from vademecum.engine.formation.turns import LIMIT, Curating, Turn, Turned, is_waiting
from vademecum.errors import InvalidArgument, VademecumError
from vademecum.hint import Hint, find_vaults
from vademecum.turning import turn_of

if TYPE_CHECKING:
    from vademecum.engine.formation.candidates import Distiller
    from vademecum.vault import Vault

__all__ = ["INTERVAL", "Sweeper", "Swept"]

INTERVAL = 60.0
"""Seconds between two sweeps, more or less."""
JITTER = 0.25
"""Part of the interval by which a sweep comes earlier or later."""
FULL_LOOK = 3600.0
"""Seconds after which a vault without a hint is opened all the same, more or less."""
LIST_SECONDS = 2.0
"""How long those who wait are served by one list of them: looking at ten thousand hints takes a tenth of a second."""
LOOK_SECONDS = 2.0
"""How long those without a hint are looked at in a row."""
FIRST_RETRY, LAST_RETRY = 60.0, 3600.0
"""Seconds until a vault that could not be opened is tried again: at first, and at the most."""
AGAIN = 1.0
"""Seconds until a vault in which nothing was left is served again, at the most."""

_log = logging.getLogger("vademecum.sweep")

Curators = Callable[["Vault"], Curating]


@dataclass
class Swept:
    """What one sweep over many vaults has done: ``turns`` in how many ``vaults``, ``signals`` handled, how often each
    outcome came, ``busy``: turns that found another curator at work; ``troubles``: vault → code of what kept it away.
    """

    turns: int = 0
    vaults: set[Path] = field(default_factory=set)
    signals: int = 0
    busy: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    troubles: dict[Path, str] = field(default_factory=dict)

    def add(self, home: Path, turned: Turned) -> None:
        if turned.busy:
            self.busy += 1
            return
        self.turns += 1
        self.vaults.add(home)
        self.signals += turned.report.signals
        self.outcomes.update(str(one.what) for one in turned.report.outcomes)

    def as_json(self) -> dict[str, Any]:
        return {
            "turns": self.turns,
            "vaults": len(self.vaults),
            "signals": self.signals,
            "busy": self.busy,
            "outcomes": dict(self.outcomes),
            "troubles": [{"vault": str(home), "code": code} for home, code in sorted(self.troubles.items())],
        }


class Sweeper:
    """Sweeps over some vaults: `sweep` once, or again and again in a thread of its own, from `start` to `stop`.

    homes: the folders of the vaults, asked for at each sweep; see `find_vaults`.
    opened: gives the vault of a folder, for the time of a ``with`` block.
    curators: gives the curator of a vault.
    told: called with each vault's folder and turn. begun: called when a sweep begins.
    interval: seconds between two sweeps, more or less. limit: signals of one vault in one turn.
    """

    def __init__(
        self,
        homes: Callable[[], Iterable[Path]],
        opened: Callable[[Path], AbstractContextManager[Vault]],
        curators: Curators,
        *,
        told: Callable[[Path, Turned], object] = lambda home, turned: None,
        begun: Callable[[], object] = lambda: None,
        interval: float = INTERVAL,
        limit: int = LIMIT,
        lease_ms: int = claims.LEASE_MS,
        rng: random.Random | None = None,
    ) -> None:
        if not interval > 0 or limit < 1:
            raise InvalidArgument("A sweep's interval is above 0 seconds, and its limit at least 1 signal.")
        self._homes = homes
        self._opened = opened
        self._curators = curators
        self._told = told
        self._begun = begun
        self._interval = interval
        self._limit = limit
        self._lease_ms = lease_ms
        self._rng = rng or random.Random()
        self._later: dict[Path, float] = {}  # vault → when it is worth looking again, by the monotonic clock
        self._looks: dict[Path, float] = {}  # vault without a hint → when it is opened all the same
        self._retries: dict[Path, float] = {}  # vault → seconds it was left alone after the last failure
        self.total = Swept()
        """What all sweeps of `run` have done."""
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    @classmethod
    def over(cls, root: Path, *, distiller: Distiller | None = None, **how: Any) -> Sweeper:
        """One that sweeps over all vaults at and below *root*, opening and closing each; *how* as above."""
        from vademecum.vault import Vault

        how.setdefault("begun", lambda: begin_sweep(distiller))
        return cls(lambda: find_vaults(root), Vault.open, lambda vault: vault.curator(distiller), **how)

    def sweep(self, swept: Swept | None = None) -> Swept:
        """Serves whoever waits until nobody does who can be served now, or `stop` is called; returns what was done,
        added to *swept*.

        What one vault raises is told in the result and in the log, by its code, and keeps nobody else waiting.
        """
        swept = Swept() if swept is None else swept
        self._begun()
        while not self._stop.is_set():
            homes = list(self._homes())
            waiting = self._waiting(homes)
            if not waiting and self._look_fully(homes, swept):
                break
            self._serve_some(waiting, swept)
        return swept

    def start(self) -> None:
        """Begins to sweep in a thread of its own, which ends with the process, if not before."""
        if self._thread is not None and self._thread.is_alive():
            raise InvalidArgument("This sweeper sweeps already.")
        self._stop.clear()
        self._thread = threading.Thread(target=self.run, name="vademecum-sweep", daemon=True)
        self._thread.start()
        atexit.register(self.stop)  # a claim that is not given back keeps the vault waiting for its lease

    def wake(self) -> None:
        """Lets the next sweep begin now."""
        self._wake.set()

    def ask_to_stop(self) -> None:
        """Lets the sweep end as soon as the group of messages at work is done with; does not wait."""
        self._stop.set()
        self._wake.set()

    def stop(self) -> None:
        """As `ask_to_stop`, and waits for the end."""
        self.ask_to_stop()
        atexit.unregister(self.stop)
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def __enter__(self) -> Sweeper:
        if self._thread is None:
            self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def run(self) -> None:
        """Sweeps again and again until `stop` is called."""
        while not self._stop.is_set():
            try:
                self.sweep(self.total)
            except Exception as error:  # noqa: BLE001 - a root that is away for a moment must not end the sweeping
                _log.warning("a sweep ended early: %s", _code(error))
            self._wake.wait(self._interval * self._rng.uniform(1 - JITTER, 1 + JITTER))
            self._wake.clear()

    def _serve_some(self, waiting: list[tuple[float, Path]], swept: Swept) -> None:
        """Serves *waiting* in turn, for `LIST_SECONDS`: then others may have waited longer than these."""
        until = time.monotonic() + LIST_SECONDS
        for since, home in waiting:
            if self._stop.is_set() or time.monotonic() > until:
                return
            if Hint(home).since() == since:  # otherwise another sweep has begun its turn
                self._serve(home, swept)

    def _waiting(self, homes: list[Path]) -> list[tuple[float, Path]]:
        """Those that can have a turn now, and since when they have waited for it, longest first.

        That is a time of the wall clock. One that lies in the future is from before the clock was set back.
        """
        now, wall = time.monotonic(), time.time() + 1.0
        found = []
        for home in homes:
            if self._later.get(home, now) <= now:
                since = Hint(home).since()
                if since is not None:
                    found.append((since if since <= wall else 0.0, self._rng.random(), since, home))
        return [(since, home) for _, _, since, home in sorted(found)]

    def _serve(self, home: Path, swept: Swept) -> None:
        now = time.monotonic()
        Hint(home).mark()  # so that other sweeps, which have found it waiting as well, pass over it
        try:
            with self._opened(home) as vault:
                turn, curator = turn_of(vault, self._lease_ms), self._curators(vault)
                turned = turn.take(curator, self._limit, self._stop.is_set)
                if self._looks.get(home, 0.0) <= now and not turned.busy:
                    self._tend(home, turn, curator, swept)
        except Exception as error:  # noqa: BLE001 - whatever one vault has, the others go on
            self._trouble(home, error, swept)
            return
        self._retries.pop(home, None)
        swept.troubles.pop(home, None)
        if turned.next_ms is not None and not turned.busy:
            Hint(home).renew()
        # where nothing waits there is no hint; should there be one it is new, or cannot be removed
        again = min(AGAIN, self._interval / 2) if turned.next_ms is None else turned.next_ms / 1000
        self._later[home] = now + again
        swept.add(home, turned)
        self._told(home, turned)

    def _look_fully(self, homes: list[Path], swept: Swept) -> bool:
        """Opens the vaults without a hint that have not been opened for long; whether that is done, and none waits.

        After `LOOK_SECONDS` those that wait by now have their turn before the rest is looked at.
        """
        found = False
        known, until = set(homes), time.monotonic() + LOOK_SECONDS
        for kept in (self._later, self._looks, self._retries):
            for gone in [home for home in kept if home not in known]:
                del kept[gone]
        for home in homes:
            now = time.monotonic()
            if self._stop.is_set() or now > until:
                return False
            if self._looks.get(home, now) > now or self._later.get(home, now) > now or Hint(home).since() is not None:
                continue
            try:
                with self._opened(home) as vault:
                    self._tend(home, turn_of(vault, self._lease_ms), self._curators(vault), swept)
                    found = self._look(vault) or found
            except Exception as error:  # noqa: BLE001 - as in `_serve`
                self._trouble(home, error, swept)
            else:
                self._retries.pop(home, None)
        return not found

    def _tend(self, home: Path, turn: Turn, curator: Curating, swept: Swept) -> None:
        swept.outcomes.update(str(one.what) for one in turn.tend(curator).outcomes)
        expire_due(turn.replica)
        self._looks[home] = time.monotonic() + self._soon(FULL_LOOK)

    def _look(self, vault: Vault) -> bool:
        """Whether something waits in a vault without a hint, which it then has."""
        from vademecum import __version__

        if not is_waiting(vault.replica, __version__):
            return False
        vault.replica.write(lambda _: Hint(vault.home).put())
        return True

    def _trouble(self, home: Path, error: Exception, swept: Swept) -> None:
        code = _code(error)
        wait = self._retries[home] = min(2 * self._retries.get(home, FIRST_RETRY / 2), LAST_RETRY)
        self._later[home] = time.monotonic() + self._soon(wait)
        swept.troubles[home] = code
        _log.warning("the vault in %s was left out: %s", home, code)

    def _soon(self, seconds: float) -> float:
        return seconds * self._rng.uniform(1 - JITTER, 1 + JITTER)


def _code(error: Exception) -> str:
    return error.code if isinstance(error, VademecumError) else type(error).__name__
