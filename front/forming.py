"""The part of `Vault` that concerns how memories form: what the curator thinks about, and what the person decides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vademecum.errors import InvalidArgument

if TYPE_CHECKING:
    from vademecum.engine.formation.budget import Budget
    from vademecum.engine.formation.candidates import Distiller
    from vademecum.engine.formation.comparing import Judging
    from vademecum.engine.formation.curator import Curator
    from vademecum.engine.formation.hypotheses import GraduationRule, Hypothesis
    from vademecum.engine.formation.links import Link
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

    def curator(self, distiller: Distiller | None = None, *, judge: Judging | None = None) -> Curator:
        """What curates this vault in one run.

        distiller: proposes what the messages say; by default the rules, offline.
        judge: says whether one memory contradicts another; by default the rules of `contradictions`, then the inference
            model that ``$VADEMECUM_NLI`` names, then the language model of the *distiller*, where it has one.
        """
        from vademecum.embeddings.entailment import supplied
        from vademecum.engine.formation.curator import Curator

        meaning = _Meaning(self._vault)
        if distiller is None:
            from vademecum.engine.formation.rules import RuleDistiller

            return Curator(self._replica, RuleDistiller(), judge=judge, meaning=meaning, entailment=supplied())
        from vademecum.distillers.asking import AskingDistiller
        from vademecum.distillers.judging import LanguageModelJudge

        asked = LanguageModelJudge(distiller) if isinstance(distiller, AskingDistiller) else None
        entailment = supplied()
        return Curator(self._replica, distiller, judge=judge, meaning=meaning, entailment=entailment, asked=asked)

    def sweep_once(self, *, distiller: Distiller | None = None, limit: int = SWEEP_LIMIT) -> Report:
        """Has the curator think about the messages that wait, oldest first, up to *limit* of them; returns what came.

        Where another process curates this vault at this moment, it is left to that one, and the report's notes say so.
        What fails is tried again by later calls, and parked in the end: see `waiting`.
        Raises `InvalidArgument`, `StorageTrouble`; what was handled before stays.
        """
        from vademecum.engine.formation.candidates import begin_sweep
        from vademecum.turning import sweep_vault

        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
            raise InvalidArgument(f"The limit {limit!r} of a sweep is not a number of signals, at least 1.")
        begin_sweep(distiller)
        return sweep_vault(self._vault, self.curator(distiller), limit)

    def curate(self, *, dry_run: bool = False, distiller: Distiller | None = None, limit: int = SWEEP_LIMIT) -> Report:
        """`sweep_once`; or with *dry_run*, what it would do and why, and nothing is changed. Raises as it does."""
        if not dry_run:
            return self.sweep_once(distiller=distiller, limit=limit)
        from vademecum.curating import dry_run as try_out
        from vademecum.engine.formation.candidates import begin_sweep

        begin_sweep(distiller)
        return try_out(self._replica, self.curator(distiller), limit)

    def hypotheses(self) -> list[Hypothesis]:
        """What was seen and has not earned a memory yet, the most often seen first. O(sightings)."""
        from vademecum.engine.formation.hypotheses import hypotheses

        with self._replica.read() as view:
            return hypotheses(view)

    @property
    def graduation(self) -> GraduationRule:
        """How many sightings in how many conversations make a memory, and after how many days without one a hypothesis
        is dropped.
        """
        from vademecum.engine.formation.hypotheses import read_rule

        with self._replica.read() as view:
            return read_rule(view)

    def set_graduation(
        self, *, sightings: int | None = None, conversations: int | None = None, fade_days: int | None = None
    ) -> GraduationRule:
        """Changes what is said and leaves the rest, for all devices. Raises `InvalidArgument` for less than 1."""
        from vademecum.engine.formation.hypotheses import keep_rule

        given = {"sightings": sightings, "conversations": conversations, "fade_days": fade_days}
        rule = self.graduation._replace(**{name: value for name, value in given.items() if value is not None})
        self._replica.write(lambda transaction: keep_rule(transaction, rule))
        return rule

    def links(self, path: str, *, scope: str | None = None) -> list[Link]:
        """The links from and to the memories at *path*, in *scope* or anywhere, oldest first. Raises `InvalidPath`."""
        from vademecum.engine.formation.links import links_of
        from vademecum.engine.paths import parse_path
        from vademecum.engine.scopes import parse_scope

        with self._replica.read() as view:
            return links_of(view, parse_path(path), parse_scope(scope) if scope else None)

    def counters(self) -> dict[str, int | dict[str, int]]:
        """How often what has come of curating on this device: see `vademecum curate --counters`."""
        from vademecum.engine.formation.counters import counters

        with self._replica.read() as view:
            return counters(view.reader)

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

    @property
    def budget(self) -> Budget:
        """How many memories agents have added about the person and may, and which: see `Budget`. O(leaves)."""
        from vademecum.engine.formation.budget import look
        from vademecum.engine.sight import Sight

        with self._replica.read() as view:
            return look(Sight(view, None), self._replica.wall())

    def set_budget(self, limit: int) -> Budget:
        """Sets how many memories agents may add, for all devices; 48 unless it was set. What there is stays.

        Raises `InvalidArgument` for no whole number from 0.
        """
        from vademecum.engine.formation.budget import set_limit

        self._replica.write(lambda transaction: set_limit(transaction, limit))
        return self.budget

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


class _Meaning:
    """The vault's recall as the curator asks it: nothing is loaded before the first question."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    @property
    def model_id(self) -> str | None:
        return self._vault.recalling().model_id

    def nearest(self, scope: str, text: str, k: int) -> Sequence[str] | None:
        return self._vault.recalling().nearest(scope, text, k)

    def similarities(self, text: str, others: Sequence[str]) -> Sequence[float] | None:
        return self._vault.recalling().similarities(text, others)
