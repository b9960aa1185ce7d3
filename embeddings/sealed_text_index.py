"""The text index of a sealed vault: SQLite in memory, kept as one encrypted file.

Each process holds the index in memory. Who writes takes the lock beside the file, takes in what others have written
since, and replaces the file as a whole; who reads takes in a newer file first. A write therefore costs an encryption
and a writing of the whole index, some milliseconds for ten thousand entries [measured], and nothing of it ever lies in
the open, not even in SQLite's log or temporary files.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from vademecum.embeddings.conditions import IndexDamaged
from vademecum.embeddings.filelock import file_lock
from vademecum.embeddings.text_index import TextIndex
from vademecum.embeddings.text_tables import prepare_memory, transaction
from vademecum.errors import DamagedStore

__all__ = ["FileCipher", "SealedTextIndex"]


class FileCipher(Protocol):
    """Encrypts a file as a whole."""

    def seal(self, data: bytes) -> bytes:
        """*data* encrypted."""
        ...

    def open(self, data: bytes) -> bytes:
        """What `seal` was given. Raises `DamagedStore` for anything else."""
        ...


class SealedTextIndex(TextIndex):
    """A `TextIndex` whose ``file`` is encrypted by ``cipher``."""

    def __init__(self, file: Path, cipher: FileCipher) -> None:
        super().__init__(file)
        self._cipher = cipher

    def scrub(self) -> bool:
        """Leave no byte of deleted entries in the file; costs a rewrite of each scope's index."""
        with self._writing() as connection:
            for (number,) in connection.execute("SELECT number FROM scopes").fetchall():
                connection.execute(f"INSERT INTO words_{number}(words_{number}) VALUES ('optimize')")
        return True

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._using(), self._alone():
            connection = self._connected()  # what others have written before the lock was had
            with transaction(connection, "BEGIN IMMEDIATE"):
                yield connection
            try:
                self._save(connection)
            except BaseException:
                self._disconnect()  # the file has the old index, and the next one to use it here must too
                raise

    def _connected(self) -> sqlite3.Connection:
        identity = _identity(self._file)
        if self._connection is not None:
            if identity == self._identity:
                return self._connection
            self._disconnect()
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        try:
            if identity is not None:
                try:
                    connection.deserialize(self._cipher.open(self._file.read_bytes()))
                except DamagedStore as error:
                    raise IndexDamaged(f"The text index {self._file} is damaged. Fill it again.") from error
            prepare_memory(connection, self._file)
        except BaseException:
            connection.close()
            raise
        self._connection, self._identity = connection, identity
        return connection

    def _save(self, connection: sqlite3.Connection) -> None:
        temporary = self._file.with_name(self._file.name + ".new")  # its writer holds the lock
        with temporary.open("wb") as opened:
            opened.write(self._cipher.seal(connection.serialize()))
            opened.flush()
            os.fsync(opened.fileno())
        temporary.replace(self._file)
        self._identity = _identity(self._file)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with file_lock(self._file.with_name(self._file.name + ".lock")):
            yield


def _identity(file: Path) -> tuple[int, ...] | None:
    """Tells one writing of *file* from the next: an inode may be used again, hence the time."""
    try:
        status = file.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size
