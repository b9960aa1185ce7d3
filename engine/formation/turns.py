"""One turn of one vault: claim it, take some signals, have them considered, write what came of it, give the claim back.

```
 transaction:  take the claim · blame what a killed holder had at work · choose signals, note them as at work
    │
    ▼  for each group of signals, all of one session:
 considered outside any transaction: reading, distilling, deciding; the lease is renewed meanwhile
    │
    ▼
 transaction:  check the claim · write what came of it · take the signals away        so each counts once, or not at all
    │
    ▼  with the last group, in the same transaction: release the claim
```

Who considers is handed in, see `Curating`. Its failures are counted against the messages and stop no others; failures
of the database are the caller's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from vademecum.errors import ClaimLost, StorageTrouble, VademecumError, VaultLocked
from vademecum.storage.boot_time import Moment

from ..replica import Replica, Transaction
from . import attempts, claims, signals
from .attempts import Due
from .claims import Claim
from .report import Report
from .signals import Signal

__all__ = ["BUSY", "LIMIT", "Considered", "Curating", "Turn", "Turned", "is_waiting"]

LIMIT = 64
"""Signals that a vault may have handled in one turn, before others have theirs."""
KEPT_MS = 600_000
"""How long a group may be considered before its claim is given up: ten minutes, then it is taken to hang."""
NOTHING = Report()
BUSY = "Another process curates this vault at this moment."


class Considered(Protocol):
    """What is to be written because of some signals."""

    def apply(self, transaction: Transaction) -> Report:
        """Writes it, and takes away the signals that are done with; those that are left wait for another turn. May run
        again from the start, on another transaction; decides by what it finds there.
        """


class Curating(Protocol):
    """Thinks about signals: the curator."""

    def consider(self, waiting: Sequence[Signal]) -> Considered:
        """Reads and decides, outside any write transaction; *waiting* are of one session, oldest first. Without any,
        nothing is read, and what is applied tends to what is there.
        """


@dataclass(frozen=True, slots=True)
class Turned:
    """``busy``: another curator has the vault. ``next_ms``: in how long it is worth coming again, at the latest: 0
    where more can be handled at once; None where nothing waits.
    """

    report: Report
    busy: bool = False
    next_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """What all turns of a process have in common.

    clock: `boot_time.now`. token: gives 16 random bytes. version: of the program, by which parked signals are known.
    settled: called inside a write transaction in which nothing waits.
    """

    replica: Replica
    clock: Callable[[], Moment]
    token: Callable[[], bytes]
    version: str
    settled: Callable[[], None] = lambda: None
    lease_ms: int = claims.LEASE_MS

    def take(self, curator: Curating, limit: int = LIMIT, stop: Callable[[], bool] = lambda: False) -> Turned:
        """Has up to *limit* signals handled; ends between two groups once *stop* says so.

        Raises `StorageTrouble`, `VaultLocked`: what was handled before is kept, the rest waits.
        """
        begun = self.replica.write(lambda transaction: self._begin(transaction, limit))
        claim = begun.claim
        if claim is None:
            return begun.turned
        report = Report()
        try:
            with self._keeping(claim) as keeper:
                for number, group in enumerate(begun.groups):
                    if stop():
                        self._release(claim)
                        break
                    keeper.progress()
                    rest = begun.groups[number + 1 : number + 2]
                    report = report.joined(self._handle(curator, claim, group, rest[0] if rest else None))
        except ClaimLost as lost:
            report = report.joined(Report(notes=(lost.message,)))
        except BaseException:
            with suppress(ClaimLost, StorageTrouble):
                self._release(claim)
            raise
        return self.replica.write(lambda transaction: self._end(transaction, report))

    def tend(self, curator: Curating) -> Report:
        """Lets the curator look after what needs no new signal, such as hypotheses that have ripened or faded: in one
        transaction, and not while another curator is at work. Writes nothing where there is nothing to do.
        """
        plan = curator.consider(())

        def work(transaction: Transaction) -> Report:
            busy = claims.running(transaction.writer, self.clock()) is not None
            return Report() if busy else plan.apply(transaction)

        return self.replica.write(work)

    def _begin(self, transaction: Transaction, limit: int) -> _Begun:
        writer, now = transaction.writer, self.clock()
        other = claims.running(writer, now)
        if other is not None:
            waits = Report(waiting=signals.count(writer), notes=(BUSY,))
            return _Begun(None, [], Turned(waits, busy=True, next_ms=other.ends_in_ms))
        attempts.unpark(writer, version=self.version)
        groups, _ = attempts.due(writer, now, limit)
        if not groups and not claims.left_behind(writer, now):
            return _Begun(None, [], self._end(transaction, NOTHING))
        claim = claims.take(writer, now, self.token(), wall_ms=transaction.wall_ms, lease_ms=self.lease_ms)
        assert claim is not None, "nobody else can have taken it in this transaction"
        if claim.abandoned:
            attempts.blame(writer, claim.abandoned, now, version=self.version)
            groups, _ = attempts.due(writer, now, limit)
        self._step(transaction, claim, groups[0] if groups else None)
        # nothing is settled in a transaction that parks signals: should it not be committed, they still wait
        return _Begun(claim, groups, Turned(Report())) if groups else _Begun(None, [], self._stand(transaction))

    def _end(self, transaction: Transaction, report: Report) -> Turned:
        """How the vault stands after the turn. Writes nothing, but must be in the queue of those who write: only so is
        what waits not missed by `settled`.
        """
        if not signals.count(transaction.writer):
            self.settled()
        return self._stand(transaction, report)

    def _stand(self, transaction: Transaction, report: Report = NOTHING) -> Turned:
        waits = signals.count(transaction.writer)
        more, next_ms = attempts.due(transaction.writer, self.clock(), 1)
        return Turned(report.joined(Report(waiting=waits)), next_ms=0 if more else next_ms)

    def _handle(self, curator: Curating, claim: Claim, group: Due, rest: Due | None) -> Report:
        """*rest* is the group that comes next."""
        try:
            plan = curator.consider(group.signals)
            return self.replica.write(lambda transaction: self._apply(transaction, claim, group, plan, rest))
        except (ClaimLost, StorageTrouble, VaultLocked):
            raise
        except Exception as error:  # noqa: BLE001 - whatever a message does to the curator, the others go on
            reason = str(getattr(error, "code", type(error).__name__))
            return self.replica.write(lambda transaction: self._failed(transaction, claim, group, reason, rest))

    def _apply(self, transaction: Transaction, claim: Claim, group: Due, plan: Considered, rest: Due | None) -> Report:
        writer = transaction.writer
        claims.check(writer, claim)
        report = plan.apply(transaction)
        left = {one for one in group.signals if signals.is_waiting(writer, one)}
        attempts.clear(writer, (one for one in group.signals if one not in left))
        attempts.postpone(writer, left, self.clock())
        self._step(transaction, claim, rest)
        return report

    def _failed(self, transaction: Transaction, claim: Claim, group: Due, reason: str, rest: Due | None) -> Report:
        writer = transaction.writer
        claims.check(writer, claim)
        parked = len(attempts.failed(writer, group.signals, self.clock(), reason=reason, version=self.version))
        self._step(transaction, claim, rest)
        later = len(group.signals) - parked
        notes = [f"{later:,} signals could not be curated ({reason}); they are tried again."] if later else []
        if parked:
            notes.append(f"{parked:,} signals failed {attempts.MAX_ATTEMPTS} times ({reason}) and are parked.")
        return Report(notes=tuple(notes))

    def _step(self, transaction: Transaction, claim: Claim, rest: Due | None) -> None:
        """What is at work next, or the end of the claim."""
        if rest is None:
            claims.release(transaction.writer, claim)
        else:
            claims.renew(transaction.writer, claim, self.clock(), [one.seq for one in rest.signals])

    def _release(self, claim: Claim) -> None:
        self.replica.write(lambda transaction: claims.release(transaction.writer, claim))

    @contextmanager
    def _keeping(self, claim: Claim) -> Iterator[_Keeper]:
        """Renews the lease while the block takes long."""
        keeper = _Keeper(self, claim)
        keeper.start()
        try:
            yield keeper
        finally:
            keeper.ended.set()
            keeper.join()


class _Begun(NamedTuple):
    """A turn at its beginning: under a claim, or over at once."""

    claim: Claim | None
    groups: list[Due]
    turned: Turned


class _Keeper(threading.Thread):
    def __init__(self, turn: Turn, claim: Claim) -> None:
        super().__init__(name="vademecum-claim", daemon=True)
        self.ended = threading.Event()
        self._turn = turn
        self._claim = claim
        self.progress()

    def progress(self) -> None:
        """To be called when another group begins."""
        self._until = self._turn.clock().ms + KEPT_MS

    def run(self) -> None:
        while not self.ended.wait(self._claim.lease_ms / 3000):
            if self._turn.clock().ms > self._until:
                return
            try:
                self._turn.replica.write(self._renew)
            except ClaimLost:
                return
            except VademecumError:  # a disk that is full for a moment: the lease goes on until its end
                continue

    def _renew(self, transaction: Transaction) -> None:
        claims.renew(transaction.writer, self._claim, self._turn.clock())


def is_waiting(replica: Replica, version: str) -> bool:
    """Whether a turn would find anything: signals, or parked ones of another version. Opens no write transaction."""
    with replica.read() as view:
        if signals.count(view.reader):
            return True
        return any(one.version != version for one in attempts.parked(view.reader))
