"""A replica: one device's copy of the vault, and the one path by which it changes.

A change happens inside one write transaction of the environment: catch up with what other processes of this device
have added to the document, change it, append the update, upsert the winners, write the journal, queue the index, and
commit. LMDB's writer lock serialises every process of the device, so one CRDT client id for each installation is
safe. A document cannot be rolled back: whenever a transaction does not commit, it is thrown away and loaded again.

The database says whose it is. An installation that finds itself to be a copy takes another identity (`Replica.renew`);
every other process of it notices at its next write, before anything is written under the old name.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TypeVar

from vademecum.storage.environment import Environment
from vademecum.storage.identity import OWNER, owner_mark, parse_owner
from vademecum.storage.tables import Table
from vademecum.storage.transaction import Writer

from . import learned
from .clock import Clock
from .documents import Documents
from .following import Followed
from .formation.shown import Shown
from .scopes import TIER_1
from .view import View
from .writing import ScopeWriter

__all__ = ["Replica", "Transaction"]

T = TypeVar("T")

_CLOCK = b"clock"


class Replica:
    """The copy of a vault that one device holds. Threads may use it at the same time.

    *device* signs slots, *client* is the installation's CRDT client id, *wall* gives milliseconds since 1970.
    """

    def __init__(self, environment: Environment, *, device: bytes, client: int, wall: Callable[[], int]) -> None:
        self.environment = environment
        self.device = device
        self.client = client
        self.wall = wall
        self.rings: Callable[[], None] | None = None
        """Called after each write that left something to send; must not raise, nor take long."""
        self.waits: Callable[[], None] | None = None
        """Called in each write transaction at whose end a signal waits for the curator; must not raise."""
        self.due: Callable[[], object] | None = None
        """What must be done before anything is written here; it is called once, and again if it raises."""
        self.shown = Shown()
        """What of the memory was handed to an agent; noted along with the next write."""
        self._documents = Documents(client)
        self._database = environment.number
        # The environment lets one writer in at a time, but what follows a commit or a failure belongs to the write too:
        # the next one must not find documents of which it is not yet said whether they are what the database holds.
        self._writing = threading.RLock()
        self._pid = os.getpid()

    @contextmanager
    def read(self) -> Iterator[View]:
        """A consistent view; keep it under a second."""
        with self.environment.read() as reader:
            yield View(reader)

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Runs *work* in one write transaction; durable when this returns, and nothing is there if it raises.

        *work* may run again from the start (see `Environment.write`).
        """

        self._follow_fork()
        with self._writing:
            due, self.due = self.due, None
            if due is not None:
                try:
                    due()
                except BaseException:
                    self.due = due
                    raise
            while True:
                try:
                    return self._run(work)
                except _Renewed as renewed:
                    self._become(renewed.device, renewed.client)

    def renew(self, device: bytes, client: int, work: Callable[[Transaction], None]) -> bool:
        """Becomes *device*, whose CRDT client id is *client*, in the transaction in which *work* makes everything fit.

        *work* must put the new `OWNER`, and begins with documents as they are in the database. False if another process
        has renewed the installation since this one looked: then *work* has not been done, and this replica is what the
        other made it. If *work* raises, nothing has changed.
        """
        with self._writing:
            before = self.device, self.client
            expected = owner_mark(*before)
            self._become(device, client)
            try:
                self._run(work, expected)
            except _Renewed as renewed:
                self._become(renewed.device, renewed.client)
                return False
            except BaseException:
                self._become(*before)
                raise
            return True

    def follow(self) -> bytes:
        """The device that this installation is now, whichever process has renewed it."""
        if self._owner_now() != (self.device, self.client):
            with self._writing:  # what was read before may have been the past: a thread may be renewing it right now
                owner = self._owner_now()
                if owner != (self.device, self.client):
                    self._become(*owner)
        return self.device

    def _owner_now(self) -> tuple[bytes, int]:
        with self.environment.read() as reader:
            owner = reader.get(Table.META, OWNER)
        return (self.device, self.client) if owner is None else parse_owner(owner)[1:]

    def _run(self, work: Callable[[Transaction], T], expected: bytes | None = None) -> T:
        mark = expected or owner_mark(self.device, self.client)
        to_send = False

        def run(writer: Writer) -> T:
            nonlocal to_send
            if self._database != self.environment.number:  # replaced: what was held in memory may not be in this one
                self._documents.discard()
                self._database = self.environment.number
            owner = writer.get(Table.META, OWNER)
            if owner is not None and not owner.endswith(mark):
                raise _Renewed(owner)
            with ExitStack() as edits:
                transaction = Transaction(writer, self, self._documents.begin(), edits)
                result = work(transaction)
                transaction.settle()
                self.shown.write(writer)
                edits.close()  # ends the edits of the documents, which yields their updates
                to_send = transaction.finish()
                if self.waits is not None and writer.count(Table.SIGNALS):
                    self.waits()
            return result

        try:
            result = self.environment.write(run)
        except BaseException:
            self._documents.discard()
            raise
        self._documents.committed()
        self.shown.written()
        if to_send and self.rings is not None:
            self.rings()
        return result

    def _become(self, device: bytes, client: int) -> None:
        """What the documents in memory hold may have been taken out of the database: they are loaded again."""
        self.device, self.client = device, client
        self._documents = Documents(client)

    def close(self) -> None:
        self._follow_fork()
        with self._writing:
            self._documents.discard()
        self.environment.close()

    def _follow_fork(self) -> None:
        """In a forked child the lock may be held by a thread that is not there."""
        if self._pid != os.getpid():
            self._pid = os.getpid()
            self._writing = threading.RLock()


class _Renewed(Exception):
    """Ends a transaction that was begun under an identity that is no longer the database's."""

    def __init__(self, owner: bytes) -> None:
        _, self.device, self.client = parse_owner(owner)


class Transaction(View):
    """One write transaction: a view that can also change scopes."""

    def __init__(self, writer: Writer, replica: Replica, documents: Documents, edits: ExitStack) -> None:
        super().__init__(writer)
        self.writer = writer
        self.device = replica.device
        self.client = replica.client
        self.wall_ms = replica.wall()
        self.clock = Clock(int.from_bytes(writer.get(Table.META, _CLOCK) or b"", "big"))
        self._last = self.clock.last
        self._documents = documents
        self._edits = edits
        self._scopes: dict[str, ScopeWriter] = {}
        self.followed = Followed()
        """What has come in that may speak of sessions which stay on this device."""

    def scope(self, name: str) -> ScopeWriter:
        """The writer of *name*, a valid scope's name; the scope is made when it is not there."""
        found = self._scopes.get(name)
        if found is None:
            number = self.number(name)
            if number is None:
                if name in TIER_1 and all(self.number(one) is None for one in TIER_1):
                    learned.begin(self.writer)
                number = (self.writer.count(Table.SCOPES) + 1).to_bytes(4, "big")
                self.writer.put(Table.SCOPES, name.encode(), number)
            found = self._scopes[name] = ScopeWriter(self, name, number, self._documents, self._edits)
        return found

    def settle(self) -> None:
        """Carries out the forgetting that the work has brought in. Called once, by the replica."""
        for scope in list(self._scopes.values()):  # forgetting a message opens its session's scope
            scope.settle()
        if self.followed:
            self.followed.carry_out(self)

    def finish(self) -> bool:
        """Writes what the scopes have gathered and the clock; says whether anything waits to be sent now.

        Called once, by the replica.
        """
        to_send = [scope.finish() for scope in self._scopes.values()]
        if self.clock.last != self._last:
            self.writer.put(Table.META, _CLOCK, self.clock.last.to_bytes(8, "big"))
        return any(to_send)
