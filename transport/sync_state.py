"""What the last sync left behind, as ``status`` shows it: kept in the database, so that any process can say it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import msgpack

from vademecum.storage.tables import Table
from vademecum.storage.transaction import Reader, Writer
from vademecum.transport.contract import Problem

__all__ = ["SyncState", "note_state", "read_state"]

_STATE = b"sync/state"
_SYNCED = b"sync/synced-at"


@dataclass(frozen=True, slots=True)
class SyncState:
    """The state last recorded, by the process *pid*; times in milliseconds since 1970, None for never."""

    state: str
    problems: tuple[Problem, ...]
    pid: int
    at_ms: int | None
    synced_at_ms: int | None


def note_state(writer: Writer, state: str, problems: Sequence[Problem], at_ms: int) -> None:
    """Records *state*; ``synced`` also moves the time of the last complete sync."""
    rows = [[one.code, one.message, one.channel, one.device, one.seq] for one in problems]
    writer.put(Table.META, _STATE, msgpack.packb([state, rows, os.getpid(), at_ms]))
    if state == "synced":
        writer.put(Table.META, _SYNCED, at_ms.to_bytes(8, "big"))


def read_state(reader: Reader) -> SyncState:
    found = reader.get(Table.META, _STATE)
    synced = reader.get(Table.META, _SYNCED)
    synced_at = None if synced is None else int.from_bytes(synced, "big")
    if found is None:
        return SyncState("offline", (), 0, None, synced_at)
    state, rows, pid, at_ms = msgpack.unpackb(found)
    return SyncState(state, tuple(Problem(*row) for row in rows), pid, at_ms, synced_at)
