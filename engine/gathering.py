"""Collecting what this device changed in a scope, for a commit.

Two updates do the same: the updates of the single transactions, merged, which hold every record that was written; and
the difference between now and the last time, which holds only what is still there but carries the deletions of the
whole document. The shorter one is taken, unless something was deleted, or there is more than one commit can hold: then
the second, since what is forgotten before it was ever sent must not be sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from . import journal, outbox
from .changes import Changes, Superseded, encode_changes
from .journal import entry_at
from .outbox import Pending
from .records import encode_record
from .splitting import NO_UPDATE, split_update

if TYPE_CHECKING:
    from .replica import Transaction
    from .writing import ScopeWriter

__all__ = ["gather"]

_CHECK = 4  # bytes at the end of a journal key that tell names apart


def gather(transaction: Transaction, scope_name: str, *, limit: int) -> Iterator[Changes]:
    """Takes all that waits in *scope_name* out of the outbox: one `Changes`, or several in order where one would
    take more than *limit* bytes. Nothing if nothing waits.
    """
    scope = transaction.scope(scope_name)
    pending = list(outbox.waiting(transaction.writer, scope.number))
    if not pending:
        return
    since = outbox.gathered(transaction.writer, scope.number)
    outbox.clear(transaction.writer, scope.number)
    outbox.set_gathered(transaction.writer, scope.number, scope.document.own_clock())
    whole = _whole(scope, pending, since)
    if len(encode_changes(whole)) <= limit:
        yield whole
        return
    for part in split_update(scope.document.encode_own_since(since), limit):
        yield Changes(part)
    batch: list[Superseded] = []
    size = 0
    for one in whole.superseded:
        if batch and size + len(one.data) > limit // 2:
            yield Changes(NO_UPDATE, tuple(batch))
            batch, size = [], 0
        batch.append(one)
        size += len(one.data) + len(one.name)
    if batch:
        yield Changes(NO_UPDATE, tuple(batch))


def _whole(scope: ScopeWriter, pending: Sequence[Pending], since: int) -> Changes:
    if len(pending) == 1 and not pending[0].deletes:
        return Changes(pending[0].update, tuple(_superseded(scope, pending)))
    own = scope.document.encode_own_since(since)
    if not any(one.deletes for one in pending):
        from .document import merge_updates  # with it comes pycrdt, which a process that only reads never needs

        merged = merge_updates([one.update for one in pending])
        own = min(own, merged, key=len)
    return Changes(own, tuple(_superseded(scope, pending)))


def _superseded(scope: ScopeWriter, pending: Sequence[Pending]) -> Iterator[Superseded]:
    """Of each name and class all records but the last, which the update itself holds."""
    last: dict[bytes, bytes] = {}
    repeated = set()
    for one in pending:
        for key in one.written:
            before = last.get(key[-_CHECK:])
            if before is not None:
                repeated.add(before)
            last[key[-_CHECK:]] = key
    for key in sorted(repeated):
        entry = entry_at(scope.transaction.writer, key)
        if entry is not None and not entry.forgotten and entry.map in journal.JOURNALED:
            yield Superseded(entry.map, entry.name, entry.record.by_person, encode_record(entry.record))
