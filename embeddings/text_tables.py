"""The tables and statements of the text index. Each function runs inside the caller's transaction.

Per scope, ``entries_N`` maps an entry's id to a row, and the FTS5 table ``words_N`` holds the words of that row.
"""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from vademecum.embeddings.conditions import IndexDamaged
from vademecum.embeddings.words import Word

__all__ = [
    "BUSY",
    "count",
    "create_scope",
    "drop_scope",
    "factors",
    "open_database",
    "prepare_memory",
    "put_entry",
    "quoted",
    "scope_number",
    "search_scope",
    "transaction",
]

FORMAT = 1
"""``user_version`` of the file. Another one is treated as damage: the index is filled anew."""
BUSY_SECONDS = 60.0
"""How long a writer waits for another before it gives up. A transaction of `BATCH` entries takes well under one."""
BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
SECURE_DELETE_VERSION = (3, 42, 0)
"""Since then FTS5 can take the words of a deleted entry out of its index at once."""
TOKENIZER = "porter ascii"
"""`ascii` splits at the spaces that `text_words` put and leaves all else alone; `porter` stems English."""


def open_database(file: Path) -> sqlite3.Connection:
    """A connection set up for the index, with its first tables. Raises `IndexDamaged` for a file of another format."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        connection = sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            _prepare(connection, file)
        except sqlite3.OperationalError as error:
            connection.close()
            # Whoever closes the file last, or recovers it, holds it for a moment, and SQLite does not wait for that.
            if error.sqlite_errorcode & 0xFF not in BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        except BaseException:
            connection.close()
            raise
        else:
            return connection


def _prepare(connection: sqlite3.Connection, file: Path) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    # FULL: `put` promises to be durable, and the caller forgets what it has put.
    connection.execute("PRAGMA synchronous = FULL")
    prepare_memory(connection, file)


def prepare_memory(connection: sqlite3.Connection, file: Path) -> None:
    """Sets up a connection whose database may lie in memory; *file* is what it is called in an error."""
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
    if _version(connection) == 0:
        with transaction(connection, "BEGIN IMMEDIATE"):
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if _version(connection) == 0 and tables == 0:
                connection.execute("CREATE TABLE scopes (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)")
                connection.execute("CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID")
                connection.execute(f"PRAGMA user_version = {FORMAT}")
    if (version := _version(connection)) != FORMAT:
        raise IndexDamaged(f"The text index {file} is in format {version}, and not {FORMAT}. Fill it again.")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


@contextmanager
def transaction(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    """Commit at the end, roll back on any exception. ``begin`` is the statement that starts it."""
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def scope_number(connection: sqlite3.Connection, scope: str) -> int | None:
    """The number in the names of the tables of ``scope``."""
    row = connection.execute("SELECT number FROM scopes WHERE name = ?", (scope,)).fetchone()
    return None if row is None else int(row[0])


def create_scope(connection: sqlite3.Connection, scope: str) -> int:
    """Make the tables of a scope that has none."""
    number = connection.execute("INSERT INTO scopes (name) VALUES (?)", (scope,)).lastrowid
    assert number is not None  # an INSERT into a table with row ids has one
    connection.execute(f"CREATE TABLE entries_{number} (row INTEGER PRIMARY KEY, entry TEXT NOT NULL UNIQUE)")
    connection.execute(f"CREATE VIRTUAL TABLE words_{number} USING fts5(words, tokenize = '{TOKENIZER}')")
    if sqlite3.sqlite_version_info >= SECURE_DELETE_VERSION:
        connection.execute(f"INSERT INTO words_{number}(words_{number}, rank) VALUES ('secure-delete', 1)")
    return number


def drop_scope(connection: sqlite3.Connection, number: int) -> None:
    """Remove the tables of a scope."""
    connection.execute(f"DROP TABLE words_{number}")
    connection.execute(f"DROP TABLE entries_{number}")
    connection.execute("DELETE FROM scopes WHERE number = ?", (number,))


def put_entry(connection: sqlite3.Connection, number: int, entry: str, words: str) -> None:
    """Write one entry; nothing is written if it has these words already."""
    row = connection.execute(f"SELECT row FROM entries_{number} WHERE entry = ?", (entry,)).fetchone()
    if row is None:
        made = connection.execute(f"INSERT INTO entries_{number} (entry) VALUES (?)", (entry,)).lastrowid
        connection.execute(f"INSERT INTO words_{number} (rowid, words) VALUES (?, ?)", (made, words))
        return
    held = connection.execute(f"SELECT words FROM words_{number} WHERE rowid = ?", row).fetchone()
    if held != (words,):
        connection.execute(f"UPDATE words_{number} SET words = ? WHERE rowid = ?", (words, row[0]))


def quoted(word: Word) -> str:
    """A word in FTS5's syntax. Words hold no quotation mark, so nothing can end the string early."""
    text, is_prefix = word
    return f'"{text}" *' if is_prefix else f'"{text}"'


def search_scope(
    connection: sqlite3.Connection, number: int, words: Sequence[str], k: int
) -> Iterable[tuple[str, float]]:
    """The best ``k`` entries having any of the quoted words, with FTS5's BM25 turned so that more is better."""
    # FTS5's own `ORDER BY rank` runs a second statement inside the first and takes half as long again [measured].
    return connection.execute(
        f"SELECT entry, -best.score FROM"
        f" (SELECT rowid, bm25(words_{number}) AS score FROM words_{number} WHERE words_{number} MATCH ?"
        f" ORDER BY score LIMIT ?) AS best"
        f" JOIN entries_{number} ON entries_{number}.row = best.rowid",
        (" OR ".join(words), k),
    )


def count(connection: sqlite3.Connection, number: int) -> int:
    """How many entries a scope has."""
    (count,) = connection.execute(f"SELECT count(*) FROM entries_{number}").fetchone()
    return int(count)


def factors(connection: sqlite3.Connection, numbers: Sequence[int], words: Sequence[str]) -> dict[int, float]:
    """By what the scores of each scope are multiplied to be comparable.

    FTS5's weight of a word, ``log((N - n + 0.5) / (n + 0.5))`` and at least 1e-6, is next to nothing for any word in
    a scope of a few entries. The factor replaces the sum of these weights, over the words that the scope has, by the
    sum of ``log(1 + (N - n + 0.5) / (n + 0.5))`` with N and n counted over all the scopes. It changes no order within
    a scope.
    """
    totals = {number: count(connection, number) for number in numbers}
    having = {
        number: [
            connection.execute(f"SELECT count(*) FROM words_{number} WHERE words_{number} MATCH ?", (word,)).fetchone()[
                0
            ]
            for word in words
        ]
        for number in numbers
    }
    total = sum(totals.values())
    pooled = [_rarity(total, sum(column)) for column in zip(*having.values(), strict=True)]
    factors = {}
    for number in numbers:
        present = [(n, pooled[at]) for at, n in enumerate(having[number]) if n]
        own = sum(max(math.log((totals[number] - n + 0.5) / (n + 0.5)), 1e-6) for n, _ in present)
        factors[number] = sum(weight for _, weight in present) / own if own else 1.0
    return factors


def _rarity(total: int, having: int) -> float:
    return math.log(1 + (total - having + 0.5) / (having + 0.5))
