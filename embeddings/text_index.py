"""Finding entries by their words: SQLite's FTS5, ranked by BM25.

One file, with a pair of tables per scope. One file, because a vault has one writer of its indexes at a time and a
search over several scopes is then one connection and one consistent reading; a pair of tables per scope, because
BM25 weighs a word by how many entries have it, and a table shared among scopes would let an agent read off its
scores what scopes it may not see contain.

Several processes and threads may use one file. Everything in it is derived: it may be deleted at any time.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from vademecum.embeddings.conditions import IndexDamaged
from vademecum.embeddings.filelock import file_lock
from vademecum.embeddings.text_tables import (
    BUSY,
    count,
    create_scope,
    drop_scope,
    factors,
    open_database,
    put_entry,
    quoted,
    scope_number,
    search_scope,
    transaction,
)
from vademecum.embeddings.words import query_words, text_words
from vademecum.errors import InvalidArgument, StorageTrouble

__all__ = ["TextIndex"]

BATCH = 2_000
"""Entries per transaction of `TextIndex.put`, so that other writers get their turn."""
DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT})
SHORT_READ = 522  # SQLITE_IOERR_SHORT_READ: the file ends before it should

_left_behind: list[sqlite3.Connection] = []
"""Connections that a fork copied into this process. SQLite forbids using them, and closing them counts as use."""


class TextIndex:
    """The text index in ``file``. Safe to share among threads, and usable on both sides of a fork.

    Every method may raise `IndexDamaged` if the file is damaged, was written in another format, or has been deleted
    since it was opened (`clear` makes it usable again), and `StorageTrouble` if the disk fails or is full.
    """

    def __init__(self, file: Path) -> None:
        """Name the file. It is created, with its folder, when it is first used; nothing is opened before that."""
        self._file = file
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, ...] | None = None
        self._closed = False

    def put(self, scope: str, entries: Iterable[tuple[str, str]]) -> None:
        """Index each (entry id, text) in ``scope``, replacing what that id had. Any text will do, also an empty one.

        Durable when it returns. Repeating it changes nothing. Written in batches of `BATCH`: if it is interrupted,
        some entries are in and others are not, each whole.
        """
        remaining = ((entry, text_words(text)) for entry, text in entries)
        while batch := list(islice(remaining, BATCH)):
            with self._writing() as connection:
                number = scope_number(connection, scope) or create_scope(connection, scope)
                for entry, words in batch:
                    put_entry(connection, number, entry, words)

    def delete(self, scope: str, ids: Iterable[str]) -> None:
        """Take entries out; ids that are not there are passed over. See `scrub` for what is left in the file."""
        wanted = list(ids)
        with self._writing() as connection:
            number = scope_number(connection, scope)
            if number is None:
                return
            for entry in wanted:
                row = connection.execute(f"SELECT row FROM entries_{number} WHERE entry = ?", (entry,)).fetchone()
                if row is not None:
                    connection.execute(f"DELETE FROM words_{number} WHERE rowid = ?", row)
                    connection.execute(f"DELETE FROM entries_{number} WHERE row = ?", row)

    def search(self, scope: str, query: str, k: int) -> list[tuple[str, float]]:
        """The ``k`` entries of ``scope`` that best match ``query``, as (entry id, score), best first.

        ``query`` is plain language: no operators, nothing to escape. An entry matches if it has any of the words.
        Scores are above 0 and compare within one call only.
        """
        return [(entry, score) for _, entry, score in self.search_scopes([scope], query, k)]

    def search_scopes(self, scopes: Sequence[str], query: str, k: int) -> list[tuple[str, str, float]]:
        """As `search`, over several scopes: (scope, entry id, score), the best ``k`` of all.

        How rare a word is, is judged over the given scopes together, so that an entry in a scope of three and one in
        a scope of ten thousand are measured alike, and so that nothing outside them has any influence.
        """
        if k < 1:
            raise InvalidArgument(f"k is {k}; it must be 1 or more.")
        words = [quoted(word) for word in query_words(query)]
        if not words:
            return []
        with self._reading() as connection:
            numbers = {scope: scope_number(connection, scope) for scope in dict.fromkeys(scopes)}
            present = {scope: number for scope, number in numbers.items() if number is not None}
            scale = factors(connection, list(present.values()), words)
            found = [
                (scope, entry, score * scale[number])
                for scope, number in present.items()
                for entry, score in search_scope(connection, number, words, k)
            ]
        found.sort(key=lambda result: (-result[2], result[0], result[1]))
        return found[:k]

    def count(self, scope: str) -> int:
        """How many entries ``scope`` has."""
        with self._reading() as connection:
            number = scope_number(connection, scope)
            return 0 if number is None else count(connection, number)

    def ids(self, scope: str) -> set[str]:
        """The ids of all entries of ``scope``."""
        with self._reading() as connection:
            number = scope_number(connection, scope)
            if number is None:
                return set()
            return {entry for (entry,) in connection.execute(f"SELECT entry FROM entries_{number}")}

    def scopes(self) -> list[str]:
        """The names of the scopes that have been written to and not dropped, sorted."""
        with self._reading() as connection:
            return [name for (name,) in connection.execute("SELECT name FROM scopes ORDER BY name")]

    def drop(self, scope: str) -> None:
        """Remove a scope with all its entries; nothing happens if there is none."""
        with self._writing() as connection:
            number = scope_number(connection, scope)
            if number is not None:
                drop_scope(connection, number)

    def note(self, key: str, value: str) -> None:
        """Keep a word of the caller's own in the file, such as how far the index has been filled.

        It is lost exactly when the index is: `noted` gives ``None`` after the file was deleted or cleared.
        """
        with self._writing() as connection:
            connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (key, value))

    def noted(self, key: str) -> str | None:
        """What `note` last kept under ``key``."""
        with self._reading() as connection:
            row = connection.execute("SELECT value FROM notes WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def scrub(self) -> bool:
        """Leave no byte of deleted entries in the file or beside it; costs a rewrite of each scope's index.

        Pages that become free are always overwritten with zeros; what remains until this is called are words of
        deleted entries in index segments that were not merged yet (with SQLite before 3.42), and the write-ahead
        log. False if another process kept the log busy: call it again.
        """
        with self._writing() as connection:
            for (number,) in connection.execute("SELECT number FROM scopes").fetchall():
                connection.execute(f"INSERT INTO words_{number}(words_{number}) VALUES ('optimize')")
        with self._using() as connection:
            (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy

    def clear(self) -> None:
        """Remove everything, also from a damaged file, which is replaced by a new one."""
        try:
            with self._writing() as connection:
                for (number,) in connection.execute("SELECT number FROM scopes").fetchall():
                    drop_scope(connection, number)
                connection.execute("DELETE FROM notes")
        except IndexDamaged:
            with self._lock, file_lock(self._file.with_name(self._file.name + ".lock")):
                self._disconnect()
                # The log first: with the database gone and the log still there, a new database would read it.
                for suffix in ("-wal", "-shm", "-journal", ""):
                    self._file.with_name(self._file.name + suffix).unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file. Closing twice is allowed; any other use afterwards raises `InvalidArgument`."""
        with self._lock:
            self._closed = True
            if self._process == os.getpid():
                self._disconnect()

    # --- connections and transactions ---

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """One consistent reading, which no writer can hold up or disturb."""
        with self._using() as connection, transaction(connection, "BEGIN"):
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction that has the writer's lock from its beginning: taking it later could fail half way."""
        with self._using() as connection, transaction(connection, "BEGIN IMMEDIATE"):
            yield connection

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        if self._process != os.getpid():
            # This is the child of a fork: the lock may have been copied while held, by a thread that is not here.
            self._lock = threading.RLock()
            self._process = os.getpid()
            if self._connection is not None:
                _left_behind.append(self._connection)
                self._connection = None
        with self._lock:
            if self._closed:
                raise InvalidArgument(f"The text index {self._file} has been closed.")
            try:
                yield self._connected()
            except sqlite3.Error as error:
                raise self._translated(error) from error
            except OSError as error:
                raise StorageTrouble(f"The text index {self._file} cannot be used: {error.strerror}.") from error

    def _connected(self) -> sqlite3.Connection:
        if self._connection is not None:
            identity = _identity(self._file)
            if identity == self._identity:
                return self._connection
            self._disconnect()
            if identity is None:
                raise IndexDamaged(f"The text index {self._file} was deleted while it was open. Fill it again.")
        self._file.parent.mkdir(parents=True, exist_ok=True)
        # SQLite does not wait its turn while a file is being created, switched to a log, or recovered.
        with file_lock(self._file.with_name(self._file.name + ".lock")):
            self._connection = open_database(self._file)
            self._identity = _identity(self._file)
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            connection.close()

    def _translated(self, error: sqlite3.Error) -> IndexDamaged | StorageTrouble:
        """What a failure of SQLite means to the caller. The connection is dropped: a repaired file needs a new one."""
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        if code & 0xFF in DAMAGE or code == SHORT_READ or code & 0xFF == sqlite3.SQLITE_ERROR:
            # The statements here are fixed, so a plain "error" is a table that is not as it was made.
            self._disconnect()
            return IndexDamaged(f"The text index {self._file} is damaged ({error}). Fill it again.")
        if code & 0xFF in BUSY:
            return StorageTrouble(f"Another process kept the text index {self._file} for over a minute.")
        self._disconnect()
        return StorageTrouble(f"The text index {self._file} cannot be read or written: {error}.")


def _identity(file: Path) -> tuple[int, ...] | None:
    try:
        status = file.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino
