"""How a device stands towards the others, in words and numbers that are true at the moment they are read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from vademecum.bell import Note
from vademecum.devices import Device, farewell, list_devices, name_of, refused_changes, unsent
from vademecum.engine.formation import budget
from vademecum.engine.times import show_time
from vademecum.holding import holder
from vademecum.transport import chains
from vademecum.transport.contract import Problem
from vademecum.transport.sync_state import SyncState, read_state

if TYPE_CHECKING:
    from vademecum.vault import Vault
    from vademecum.waiting import Waiting

__all__ = ["Device", "Status", "in_names", "read_status"]

_LIVE = ("connecting", "syncing")


@dataclass(frozen=True, slots=True)
class Status:
    """``state`` is ``offline``, ``connecting``, ``syncing``, ``synced``, ``blocked``, or ``revoked`` for good.

    ``synced`` is said only when the relay's frontier and this replica's agreed at the last contact and nothing has
    been written here since. ``pending`` counts changes that no relay has acknowledged. ``indexing`` counts leaves
    that recall finds by words only, so far. ``learned`` counts the memories that agents added about the person, of
    which there may be ``learned_limit``; devices that were apart may hold more together.
    """

    state: str
    pending: int
    last_synced_at: str | None
    devices: tuple[Device, ...]
    problems: tuple[Problem, ...]
    relay: str | None
    indexing: int
    learned: int
    learned_limit: int
    waiting: Waiting | None = None
    """What waits for the curator."""
    holder: Note | None = None
    """The process that holds the connection for all of this device, if any does."""
    formed: Mapping[str, int | dict[str, int]] = field(default_factory=dict)
    """How often what has come of curating on this device."""

    def as_json(self) -> dict[str, Any]:
        return {
            "state": self.state,
            "pending": self.pending,
            "last_synced_at": self.last_synced_at,
            "devices": [one.as_json() for one in self.devices],
            "problems": [{"code": one.code, "text": one.message} for one in self.problems],
            "relay": self.relay,
            "indexing": self.indexing,
            "curation": None if self.waiting is None else self.waiting.as_json(),
            "formed": dict(self.formed),
            "memories": {"learned": self.learned, "limit": self.learned_limit},
            "daemon": {
                "running": self.holder is not None,
                "pid": self.holder.pid if self.holder else None,
                "kind": self.holder.kind if self.holder else None,
            },
        }


def read_status(vault: Vault) -> Status:
    """See `Vault.status`."""
    ledger = vault.ledger()
    known = ledger.roster()
    with vault.replica.read() as view:
        recorded = read_state(view.reader)
        from vademecum.storage.tables import Table

        learned, limit = budget.used(view), budget.limit_of(view)
        indexing = view.reader.count(Table.REINDEX) + view.reader.count(Table.EMBED)
    pending = unsent(vault)
    held_by = holder(vault.home, patience=0.0)
    problems = [one for one in recorded.problems if one.code not in ("revoked", "author-revoked")]
    told = [Problem("revoked", farewell(vault))] if ledger.revoked else []
    return Status(
        "revoked" if ledger.revoked else _state(recorded, pending, held_by),
        pending,
        None if recorded.synced_at_ms is None else show_time(recorded.synced_at_ms),
        tuple(one for one in list_devices(ledger) if not one.revoked),
        (
            *(told or vault.installation.problems(lambda device: name_of(known, device, ledger.secrets))),
            *in_names(vault, problems),
            *refused_changes(vault, ledger),
        ),
        vault.relay,
        indexing,
        learned,
        limit,
        vault.waiting(),
        held_by,
        vault.counters(),
    )


def in_names(vault: Vault, problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """*problems* with the names of devices and scopes where they say ids: the sync machine knows no names."""
    if not problems:
        return ()
    ledger = vault.ledger()
    known = ledger.roster()
    said = {device.hex(): repr(name_of(known, device, ledger.secrets)) for device in known.members}
    with vault.replica.read() as view:
        for channel in chains.channels(view.reader):
            said[f"channel {channel.hex()}"] = chains.scope_of(view.reader, channel) or "a scope"
    return tuple(replace(one, message=_replaced(one.message, said)) for one in problems)


def _replaced(text: str, names: Mapping[str, str]) -> str:
    for identity, name in names.items():
        text = text.replace(identity, name)
    return text


def _state(recorded: SyncState, pending: int, held_by: Note | None) -> str:
    """What is recorded, corrected by what has happened since: a process that died, a change that waits."""
    if held_by is not None and recorded.state == "synced" and pending:
        return "syncing"
    if recorded.state in _LIVE and not _is_running(recorded.pid):
        return "offline"
    if recorded.state == "synced" and pending:
        return "syncing" if recorded.pid != os.getpid() and _is_running(recorded.pid) else "offline"
    return recorded.state


def _is_running(pid: int) -> bool:
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
