"""Truthful forgetting on this device: leave nothing in its files, say so to the others, and say who has not yet.

What the person forgets is at once out of the memory, the journal and the queues. Bytes of it are left in unused parts
of this device's files, in sealed commits here and at the relay, and on the other devices. The files are written anew at
once; the commits go when the devices begin another generation of the scope, and each device that has done so and has
written *its* files anew says so with a setting of the scope, ``purged/`` ‖ device, whose value is the generation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgpack

from vademecum.devices import name_of
from vademecum.engine.forgetting import COMPACT, PURGE
from vademecum.engine.generations import generation_of
from vademecum.engine.records import Record
from vademecum.engine.slots import SlotMap
from vademecum.errors import InvalidArgument, StorageTrouble
from vademecum.maintenance import Compacted, compact
from vademecum.storage.tables import Table
from vademecum.transport import chains

if TYPE_CHECKING:
    from vademecum.engine.replica import Transaction
    from vademecum.engine.view import View
    from vademecum.vault import Vault

__all__ = ["Forgetting", "Outstanding", "compact_and_note", "forget", "purge", "read_forgetting", "try_purge"]

_PURGED = "purged/"
_FILES = b"purge-files"
"""In the meta table: files that may hold it still since the vault's were last written anew, and are the person's."""
_COPIED = b"purge-copied"
"""In the meta table: the value of `PURGE` for which the files have been written anew."""
_RECOVERY = "recovery"


@dataclass(frozen=True, slots=True)
class Outstanding:
    """Where what was forgotten in *scope* may still be found.

    ``here``: in this device's files. ``relay``: in what the relay keeps, or, before the first sync with one, in the
    commits that wait for it. ``devices`` are the names of the other devices that have not confirmed.
    """

    scope: str
    here: bool
    relay: bool
    devices: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        return {"scope": self.scope, "here": self.here, "relay": self.relay, "devices": list(self.devices)}


@dataclass(frozen=True, slots=True)
class Forgetting:
    """How far forgetting has come, as this device knows. ``complete``: nothing is left anywhere.

    ``files`` are text files here, exports or what was kept beside them, that could not be brought up to date, and old
    databases that were kept when something was repaired or migrated: they are the person's to look into and delete.
    """

    outstanding: tuple[Outstanding, ...]
    files: tuple[Path, ...] = ()
    revoked: tuple[str, ...] = ()
    """Names of revoked devices that had not confirmed: they may keep a copy, and nobody waits for them."""

    @property
    def complete(self) -> bool:
        return not self.outstanding and not self.files

    def as_json(self) -> dict[str, Any]:
        return {
            "complete": self.complete,
            "outstanding": [one.as_json() for one in self.outstanding],
            "files": [str(file) for file in self.files],
            "revoked": list(self.revoked),
        }


def forget(
    vault: Vault,
    path: str | None,
    *,
    agent: str | None,
    session: str | None,
    since: datetime | None,
    before: datetime | None,
    below: bool,
) -> int:
    """See `Vault.forget`."""
    in_time = since is not None or before is not None
    if sum((path is not None, agent is not None, session is not None, in_time)) != 1:
        raise InvalidArgument("Say either which path to forget, which agent, which session, or what span of time.")
    if path is not None:
        gone = vault.user.forget(path, below=below)
    elif agent is not None:
        gone = vault.user.forget_agent(agent)
    elif session is not None:
        gone = vault.user.forget_session(session)
    else:
        gone = vault.user.forget_span(since=since, before=before)
    try_purge(vault)
    return gone


def purge(vault: Vault) -> bool:
    """Writes this device's files anew if something in them was forgotten, and tells the others once no file holds it.

    False if nothing was forgotten, or while another process still has the old files open. O(size of the vault).
    Raises `StorageTrouble` if there is no room, or another process keeps a file busy.
    """
    with vault.replica.read() as view:
        due, copied = view.reader.get(Table.META, PURGE), view.reader.get(Table.META, _COPIED)
    if due is None:
        return False
    if copied == due:
        return _confirm(vault, due)
    compact_and_note(vault)
    with vault.replica.read() as view:
        return view.reader.get(Table.META, PURGE) is None


def try_purge(vault: Vault) -> bool:
    """`purge`; False also where it could not be done now. `Vault.forgetting` then goes on saying that it is due."""
    try:
        return purge(vault)
    except StorageTrouble:
        return False


def compact_and_note(vault: Vault) -> Compacted:
    """`compact`, after which this device's files hold nothing of what was forgotten before.

    The text files that the vault has written are brought up to date first.
    """
    exports = _purge_exports(vault)
    with vault.replica.read() as view:
        due = view.reader.get(Table.META, PURGE)
    done = compact(vault)
    if due is not None:
        left = [*exports, *vault.replica.environment.left_over()[1]]
        vault.replica.write(lambda transaction: _note_copied(transaction, due, left))
        _confirm(vault, due)
    return done


def _confirm(vault: Vault, due: bytes) -> bool:
    """Notes that the files written anew for *due* are the only ones; False while others are still open somewhere.

    Generations begun since have changed what is due.
    """
    if vault.replica.environment.left_over()[0]:
        return False
    return vault.replica.write(lambda transaction: _note_purged(transaction, due))


def _purge_exports(vault: Vault) -> list[Path]:
    """Text files in which what was forgotten may still stand."""
    with vault.replica.read() as view:
        if view.reader.get(Table.META, PURGE) is None:
            return []
    from vademecum.textfile import purge_exports  # with it comes a YAML parser, which few calls need

    return sorted(purge_exports(vault))


def _note_copied(transaction: Transaction, due: bytes, left: Sequence[Path]) -> None:
    transaction.writer.put(Table.META, _COPIED, due)
    transaction.writer.put(Table.META, _FILES, msgpack.packb([str(file) for file in left]))


def _note_purged(transaction: Transaction, due: bytes) -> bool:
    if transaction.writer.get(Table.META, PURGE) != due:  # something has been forgotten since
        return False
    transaction.writer.delete(Table.META, PURGE)
    transaction.writer.delete(Table.META, _COPIED)
    sealed = {chains.scope_of(transaction.writer, channel) for channel in chains.channels(transaction.writer)}
    for scope in transaction.scopes():
        if scope not in sealed:  # there is no commit that could hold it
            transaction.writer.delete(Table.META, COMPACT + scope.encode())
        generation = generation_of(transaction, scope)
        if generation > _purged(transaction, scope, transaction.device):
            name = _PURGED + transaction.device.hex()
            transaction.scope(scope).put(SlotMap.SETTINGS, name, Record(0, value=generation))
    return True


def read_forgetting(vault: Vault) -> Forgetting:
    """See `Vault.forgetting`."""
    with vault.replica.read() as view:
        due, copied = view.reader.get(Table.META, PURGE), view.reader.get(Table.META, _COPIED)
    if due is not None and due == copied:
        _confirm(vault, due)  # whoever had the old files open may have left
    ledger = vault.ledger()
    roster = ledger.roster()
    others = [device for device, member in roster.members.items() if member.role != _RECOVERY]
    name: Callable[[bytes], str] = lambda device: name_of(roster, device, ledger.secrets)  # noqa: E731
    found = []
    revoked: dict[bytes, None] = {}
    with vault.replica.read() as view:
        here = view.reader.get(Table.META, PURGE) is not None
        for scope in view.scopes():
            waits = view.reader.get(Table.META, COMPACT + scope.encode()) is not None
            generation = generation_of(view, scope)
            if not waits and not generation:
                continue
            missing = [
                device
                for device in others
                if device != ledger.device and (waits or _purged(view, scope, device) < generation)
            ]
            revoked |= dict.fromkeys(device for device in missing if roster.is_revoked(device))
            missing = [device for device in missing if device not in revoked]
            if waits or here or missing:
                found.append(Outstanding(scope, here, waits, tuple(name(device) for device in missing)))
        kept = view.reader.get(Table.META, _FILES)
        files = () if kept is None else _still_left(view, [Path(file) for file in msgpack.unpackb(kept)])
    return Forgetting(tuple(found), files, tuple(name(device) for device in revoked))


def _still_left(view: View, files: list[Path]) -> tuple[Path, ...]:
    """Those of *files* that are there, and were not brought up to date since."""
    if not files:
        return ()
    from vademecum.textfile import files_left, known_files

    done = set(known_files(view)).difference(files_left(view))
    return tuple(file for file in files if file.exists() and file not in done)


def _purged(view: View, scope: str, device: bytes) -> int:
    """The generation of *scope* at which *device* has written its files anew; 0 if it never has."""
    record = view.get(scope, SlotMap.SETTINGS, _PURGED + device.hex())
    return record.value if record is not None and type(record.value) is int else 0
