"""The indexer: drains the queues written with the memories into the recall indexes, towards the current state.

Two queues, because words are indexed in microseconds and vectors in milliseconds. A ticket names a row and the order
of the change that asked for it. A row is indexed as it stands *now*; the ticket is taken away only if it is still the
same, so a change in between asks again. Doing it late, twice, or in two processes at once ends in the same indexes.

Both indexes are derived. A text index that was deleted or damaged is filled again from the rows; vectors live in the
database (keyed by the hash of their text and the model) and the index in memory is built from them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from vademecum.embeddings.conditions import IndexDamaged
from vademecum.embeddings.text_index import TextIndex
from vademecum.errors import StorageTrouble
from vademecum.storage.tables import Table

from . import vectors
from .messages import is_spoken, message_text
from .records import Record
from .replica import Replica, Transaction
from .sentences import path_words, sentence
from .slots import SlotMap
from .view import View
from .writing import INDEXED

if TYPE_CHECKING:
    from vademecum.embeddings.embedder import Embedder
    from vademecum.storage.sealer import Sealer

__all__ = ["Indexer", "Progress", "entry_id", "index_text", "parse_entry_id"]

Progress = Callable[[int, int], None]
"""Called with (done, in all)."""

TEXT_BATCH = 1000
EMBED_BATCH = 64
_FILLED = "filled"


class _Job(NamedTuple):
    """A queued row: where it stands, the ticket, and what it says now (None: nothing any more)."""

    scope: str
    number: bytes
    key: bytes
    ticket: bytes
    text: str | None

    @property
    def full(self) -> bytes:
        """The row among those of all scopes."""
        return self.number + self.key

    @property
    def entry(self) -> str:
        return entry_id(self.key)


def entry_id(key: bytes) -> str:
    """A row as the indexes name it: the map's number, then the name."""
    return f"{key[0]}:{key[1:].decode()}"


def parse_entry_id(entry: str) -> tuple[SlotMap, str]:
    number, _, name = entry.partition(":")
    return SlotMap(int(number)), name


def index_text(slot_map: SlotMap, name: str, record: Record) -> str | None:
    """What is indexed for a row: a message with its speaker; a leaf in words, with the words of its path.

    None for what a tool gave back and what a program told the model: nobody said it, so recall does not find it.
    """
    if slot_map is SlotMap.MESSAGES:
        return message_text(record) if is_spoken(record) else None
    said = record.sentence or sentence(name, record.value)
    words = path_words(name)
    return said if said.startswith(words) else f"{words}: {said}"


class Indexer:
    """Keeps the recall indexes of one replica in step. Threads and processes may each have one at the same time.

    Where nothing can be written beside the database, the text index is made anew in a temporary folder.
    """

    def __init__(self, replica: Replica, folder: Path) -> None:
        self._replica = replica
        self._aside: TemporaryDirectory[str] | None = None
        if replica.environment.read_only:  # the indexes are made anew elsewhere, and the queues stay as they are
            self._aside = TemporaryDirectory(prefix="vademecum-")
            folder = Path(self._aside.name)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.folder = folder
        self.text = _text_index(folder, replica.environment.sealer)

    def close(self) -> None:
        self.text.close()
        if self._aside is not None:
            self._aside.cleanup()

    def waiting(self) -> tuple[int, int]:
        """Rows that wait for the text index, and rows that wait for a vector."""
        with self._replica.read() as view:
            return view.reader.count(Table.REINDEX), view.reader.count(Table.EMBED)

    def drain_text(self, progress: Progress | None = None) -> int:
        """Indexes the words of all rows that wait; returns how many. O(rows), about 20 µs each."""
        self._ensure_filled()
        if self._aside is not None:
            return 0
        total = self.waiting()[0]
        done = 0
        while jobs := self._jobs(Table.REINDEX, TEXT_BATCH):
            self._index_words(jobs)
            self._replica.write(partial(_hand_over, jobs=jobs))
            done += len(jobs)
            if progress is not None:
                progress(done, max(total, done))
        return done

    def drain_vectors(
        self, embedder: Embedder, *, seconds: float | None = None, progress: Progress | None = None
    ) -> int:
        """Computes the vectors of rows that wait, for at most about *seconds*; returns how many are done."""
        if self._aside is not None:
            return 0
        end = None if seconds is None else time.monotonic() + seconds
        total = self.waiting()[1]
        done = 0
        while jobs := self._jobs(Table.EMBED, EMBED_BATCH):
            self._embed(embedder, jobs)
            done += len(jobs)
            if progress is not None:
                progress(done, max(total, done))
            if end is not None and time.monotonic() >= end:
                break
        return done

    def rebuild(self) -> None:
        """Throws both indexes away and asks for everything anew; the next drains fill them."""
        self.text.clear()
        self._replica.write(_queue_everything)

    def shrink(self) -> None:
        """Leaves nothing in the files of the indexes but what is indexed: what was deleted is overwritten, and saved
        graphs are removed, which the next questions build again.
        """
        self.drain_text()
        if not self.text.scrub():
            raise StorageTrouble(f"Another process keeps the text index in {self.folder} busy; try again.")
        for saved in self.folder.glob("*.vectors"):
            saved.unlink(missing_ok=True)

    def change_model(self, embedder: Embedder) -> bool:
        """Asks for new vectors where those kept are another model's; True if there were any. O(scopes)."""
        tag = vectors.model_tag(embedder.model_id)
        with self._replica.read() as view:
            current = view.reader.get(Table.META, vectors.MODEL)
        if current == tag or self._aside is not None:
            return False
        self._replica.write(lambda transaction: _adopt_model(transaction, tag))
        return current is not None

    def _ensure_filled(self) -> None:
        try:
            if self.text.noted(_FILLED) is not None:
                return
        except IndexDamaged:
            self.text.clear()
        with self._replica.read() as view:
            for scope in view.scopes():
                for batch in _batches(_texts(view, scope), TEXT_BATCH):
                    self.text.put(scope, batch)
        self.text.note(_FILLED, "1")

    def _jobs(self, table: Table, limit: int) -> list[_Job]:
        jobs = []
        with self._replica.read() as view:
            names = view.scope_names()
            for full, ticket in view.reader.scan(table):
                number, key = full[:4], full[4:]
                record = view.row_at(number, key).winner
                slot_map, name = SlotMap(key[0]), key[1:].decode()
                text = None if record is None else index_text(slot_map, name, record)
                jobs.append(_Job(names[number], number, key, ticket, text))
                if len(jobs) == limit:
                    break
        return jobs

    def _index_words(self, jobs: Sequence[_Job]) -> None:
        by_scope: dict[str, list[_Job]] = {}
        for job in jobs:
            by_scope.setdefault(job.scope, []).append(job)
        for scope, mine in by_scope.items():
            gone = [job.entry for job in mine if job.text is None]
            if gone:
                self.text.delete(scope, gone)
            self.text.put(scope, [(job.entry, job.text) for job in mine if job.text is not None])

    def _embed(self, embedder: Embedder, jobs: Sequence[_Job]) -> None:
        tag = vectors.model_tag(embedder.model_id)
        hashes = {job.full: _hash(job.text) for job in jobs if job.text is not None}
        with self._replica.read() as view:
            fresh = [
                job
                for job in jobs
                if job.text is not None and not vectors.is_current(view, job.full, tag, hashes[job.full])
            ]
        made = list(embedder.embed([job.text or "" for job in fresh])) if fresh else []
        by_key = {job.full: vector for job, vector in zip(fresh, made, strict=True)}

        def keep(transaction: Transaction) -> None:
            for job in jobs:
                full = job.full
                if transaction.writer.get(Table.EMBED, full) != job.ticket:
                    continue
                transaction.writer.delete(Table.EMBED, full)
                if full in by_key:
                    vectors.keep(transaction, job.number, job.key, tag, hashes[full], by_key[full])
                elif job.text is None:
                    vectors.drop(transaction, job.number, job.key)

        self._replica.write(keep)


def _text_index(folder: Path, sealer: Sealer | None) -> TextIndex:
    if sealer is None:
        return TextIndex(folder / "text.sqlite")
    from vademecum.embeddings.sealed_text_index import SealedTextIndex

    return SealedTextIndex(folder / "text.sealed", sealer.file("text.sealed"))


def _hand_over(transaction: Transaction, jobs: Sequence[_Job]) -> None:
    """Moves tickets from the queue for words to the queue for vectors, where they are still the same."""
    for job in jobs:
        full = job.full
        if transaction.writer.get(Table.REINDEX, full) != job.ticket:
            continue
        transaction.writer.delete(Table.REINDEX, full)
        if job.text is None:
            transaction.writer.delete(Table.EMBED, full)
            vectors.drop(transaction, job.number, job.key)
        else:
            transaction.writer.put(Table.EMBED, full, job.ticket)


def _queue_everything(transaction: Transaction) -> None:
    for full, ticket in _all_rows(transaction):
        transaction.writer.put(Table.REINDEX, full, ticket)
    vectors.drop_all(transaction)


def _adopt_model(transaction: Transaction, tag: bytes) -> None:
    transaction.writer.put(Table.META, vectors.MODEL, tag)
    for full, ticket in _all_rows(transaction):
        transaction.writer.put(Table.EMBED, full, ticket)


def _all_rows(transaction: Transaction) -> list[tuple[bytes, bytes]]:
    rows = []
    for number, scope in transaction.scope_names().items():
        for slot_map in INDEXED:
            for name, row in transaction.rows(scope, slot_map):
                if row.live:
                    rows.append((number + bytes([slot_map]) + name.encode(), row.newest.to_bytes(8, "big")))
    return rows


def _texts(view: View, scope: str) -> Iterator[tuple[str, str]]:
    for slot_map in INDEXED:
        for name, row in view.rows(scope, slot_map):
            text = index_text(slot_map, name, row.slots[0].record) if row.live else None
            if text is not None:
                yield entry_id(bytes([slot_map]) + name.encode()), text


def _batches(items: Iterator[tuple[str, str]], size: int) -> Iterator[list[tuple[str, str]]]:
    batch: list[tuple[str, str]] = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def _hash(text: str) -> bytes:
    return sha256(text.encode()).digest()[:16]
