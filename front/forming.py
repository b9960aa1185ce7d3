"""The part of `Vault` that concerns how memories form: what the curator thinks about, and what the person decides."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vademecum.errors import InvalidArgument

if TYPE_CHECKING:
    from vademecum.engine.formation.candidates import Distiller
    from vademecum.engine.formation.curator import Curator
    from vademecum.engine.formation.report import Report
    from vademecum.engine.formation.suggestions import Suggestion
    from vademecum.engine.leaf import Leaf
    from vademecum.engine.replica import Replica
    from vademecum.sweeping import Sweeper
    from vademecum.vault import Vault
    from vademecum.waiting import Waiting

__all__ = ["Forming"]

SWEEP_LIMIT = 1000
"""Signals that one call of `Forming.sweep_once` handles, unless another number is given."""


class Forming:
    """Mixed into `Vault`."""

    home: Path
    _replica: Replica
    _sweepers: list[Sweeper]

    def curator(self, distiller: Distiller | None = None) -> Curator:
        """What curates this vault. *distiller* proposes what the messages say: by default the rules, offline."""
        from vademecum.engine.formation.curator import Curator
        from vademecum.engine.formation.rules import RuleDistiller

        return Curator(self._replica, RuleDistiller() if distiller is None else distiller)

    def sweep_once(self, *, distiller: Distiller | None = None, limit: int = SWEEP_LIMIT) -> Report:
        """Has the curator think about the messages that wait, oldest first, up to *limit* of them; returns what came.

        Where another process curates this vault at this moment, it is left to that one, and the report's notes say so.
        What fails is tried again by later calls, and parked in the end: see `waiting`.
        Raises `InvalidArgument`, `StorageTrouble`; what was handled before stays.
        """
        from vademecum.engine.formation.candidates import begin_sweep
        from vademecum.sweeping import sweep_vault

        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
            raise InvalidArgument(f"The limit {limit!r} of a sweep is not a number of signals, at least 1.")
        begin_sweep(distiller)
        return sweep_vault(self._vault, self.curator(distiller), limit)

    def start_sweeping(self, *, distiller: Distiller | None = None, interval: float | None = None) -> Sweeper:
        """Sweeps this vault about once a minute, in a thread of this process, until the sweeper's `stop`, the end of
        its ``with`` block, or `close`. *interval* is in seconds. Raises `InvalidArgument`.
        """
        from vademecum.sweeping import INTERVAL

        sweeper = self.sweeper(distiller=distiller, interval=INTERVAL if interval is None else interval)
        self._sweepers.append(sweeper)
        sweeper.start()
        return sweeper

    def sweeper(self, *, distiller: Distiller | None = None, **how: Any) -> Sweeper:
        """A sweeper of this vault alone, to be started; *how* as `Sweeper` takes it."""
        from vademecum.engine.formation.candidates import begin_sweep
        from vademecum.sweeping import Sweeper

        @contextmanager
        def this(_: Path) -> Iterator[Vault]:
            yield self._vault  # which stays open

        how.setdefault("begun", lambda: begin_sweep(distiller))
        return Sweeper(lambda: [self.home], this, lambda vault: vault.curator(distiller), **how)

    def waiting(self) -> Waiting:
        """What waits for the curator and since when, who is at it, and what was given up: see `Waiting`."""
        from vademecum.waiting import read_waiting

        with self._replica.read() as view:
            return read_waiting(view)

    def retry_parked(self) -> int:
        """Queues again what was given up after it had failed too often; returns how many messages that were."""
        from vademecum.engine.formation import attempts

        return self._replica.write(lambda transaction: attempts.unpark(transaction.writer, version=None))

    def suggestions(self) -> list[Suggestion]:
        """What agents and the curator suggest, and nobody has decided about, oldest first."""
        from vademecum.engine.formation.suggestions import open_suggestions

        with self._replica.read() as view:
            return open_suggestions(view)

    def accept(self, suggestion: str, **edited: object) -> list[Leaf]:
        """Writes what the suggestion of that id says as the person, with its receipts; returns the leaves written.

        value: what to write in its place (``accept(id, value=…)``); the receipts and who suggested it are kept.
        Raises `NotFound` if no such suggestion waits, `InvalidValue`, `InvalidPath`; nothing has changed then.
        """
        from vademecum.engine.formation.suggestions import AS_SUGGESTED, accept

        if edited.keys() - {"value"}:
            raise TypeError(f"accept() takes a suggestion's id and value=…; not {', '.join(edited)}")
        value = edited.get("value", AS_SUGGESTED)
        return self._replica.write(lambda transaction: accept(transaction, suggestion, value))

    def reject(self, suggestion: str) -> None:
        """Takes the suggestion of that id away; the same is not suggested again. Raises `NotFound`."""
        from vademecum.engine.formation.suggestions import reject

        self._replica.write(lambda transaction: reject(transaction, suggestion))

    def _stop_sweeping(self) -> None:
        for sweeper in self._sweepers:
            sweeper.stop()
        self._sweepers.clear()

    @property
    def _vault(self) -> Vault:
        return self  # type: ignore[return-value]  # nothing else inherits it
