"""The installation in a vault's folder: whose it is, whether it is a copy, and how a copy becomes a device of its own.

What must change together lies in a database and in four files, so there is an order to it: the new keys and the new
token are written beside the old ones, the database is changed in one transaction, and then the files follow. Whoever
opens a folder where that was cut short after the transaction finishes it; before it, nothing has happened.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.errors import DamagedStore, MalformedBytes, StorageTrouble
from vademecum.storage import installation
from vademecum.storage.identity import OWNER, Identity, parse_owner
from vademecum.storage.tables import Table

from .founding import DEVICE_NAME, KEYS_FILE, STORE, load_keys, new_client, new_token, read_keys, write_keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from vademecum.engine.replica import Replica
    from vademecum.storage.transaction import Reader, Writer
    from vademecum.transport.contract import Problem
    from vademecum.transport.keys import DeviceKeys
    from vademecum.transport.succession import Copies, Fork, Renewal

__all__ = ["Installation"]

NEXT_KEYS = f"{KEYS_FILE}.next"
TWIN = "twin"
TOLD_FOR_MS = 30 * 24 * 60 * 60 * 1000
"""How long the status tells of it: a month."""

_FOUND = {
    installation.COPIED: (
        "This folder is a copy of the device {former!r}, or was moved here from another disk or computer.",
        "was not sent before the copy was made",
    ),
    installation.RESTORED: (
        "The database in this folder is older than what the device {former!r} has sent since: it comes from a backup.",
        "was not sent when the backup was made",
    ),
    TWIN: (
        "Another copy of the device {former!r} has written under its name.",
        "only this copy held",
    ),
}


class Installation:
    """The installation in the folder *home*, as *replica* has it open."""

    def __init__(self, home: Path, replica: Replica, wall: Callable[[], int], identity: Identity) -> None:
        self._home = home
        self._replica = replica
        self._wall = wall
        self._identity = identity
        self.trouble: str | None = None
        """Why this installation has to become another device before it writes."""

    @classmethod
    def open(cls, home: Path, replica: Replica, identity: Identity, wall: Callable[[], int]) -> Installation:
        """Looks whether all is as it was left, and sees to it that a copy becomes another device before it writes.

        Raises `DamagedStore` where the database is another identity's, `StorageTrouble`.
        """
        with replica.read() as view:
            owner = view.reader.get(Table.META, OWNER)
            instance = view.reader.get(Table.META, installation.INSTANCE)
            sealed = int.from_bytes(view.reader.get(Table.META, installation.SEALED) or b"", "big")
        self = cls(home, replica, wall, identity)
        if owner is not None and self._next_device() == parse_owner(owner)[1]:
            self._finish()
            identity = self.identity
        if owner is not None and owner != identity.owner:
            # Anything written then would be under another device's name, in which nobody could read it any more.
            raise DamagedStore(
                f"The database in {home / STORE} belongs to another device or vault than {home / 'vault.json'} says. "
                f"Put back the one that was replaced."
            )
        self.trouble = installation.judge(home, instance, sealed)
        if self.trouble is not None:
            replica.due = self._renew_what_was_found
        return self

    @property
    def identity(self) -> Identity:
        """Whose this installation is now, whichever process has renewed it."""
        with self._replica.read() as view:
            owner = view.reader.get(Table.META, OWNER)
            renewal = _renewal(view.reader)
        if owner is not None and renewal is not None:
            _, device, client = parse_owner(owner)
            self._identity = replace(self._identity, device=device, client=client, name=renewal.name)
        return self._identity

    @identity.setter
    def identity(self, identity: Identity) -> None:
        self._identity = identity

    def keys(self, device: bytes) -> DeviceKeys:
        """The secret keys of *device*, which this installation is. Raises `MalformedBytes`, `StorageTrouble`."""
        sealer = self._replica.environment.sealer
        return read_keys(self._home, device, sealer, NEXT_KEYS if self._next_device() == device else KEYS_FILE)

    def copies(self) -> Copies:
        """For the ledger."""
        from vademecum.transport.succession import Copies

        return Copies(
            self.keys, lambda fork: self._renew(TWIN, fork), lambda count: installation.note_sealed(self._home, count)
        )

    def renewal(self) -> Renewal | None:
        """The last time that this installation became another device."""
        with self._replica.read() as view:
            return _renewal(view.reader)

    def problems(self, names: Callable[[bytes], str]) -> list[Problem]:
        """What of all this the person should know now; *names* gives the names of devices."""
        from vademecum.transport.contract import Problem

        if self.trouble is not None and self._replica.due is not None and not self._revoked():
            found, _ = _FOUND[self.trouble]
            text = (
                f"{found.format(former=names(self._replica.device))} Reading works. Before it writes anything it "
                f"becomes a device of its own, so that neither of the two is in the other's way."
            )
            return [Problem("copied", text)]
        renewal = self.renewal()
        if renewal is None or self._wall() - renewal.at_ms > TOLD_FOR_MS:
            return []
        return [Problem("device-renewed", _told(renewal, names(renewal.former)))]

    def _revoked(self) -> bool:
        """A copy of a device that was revoked is in nobody's way, and stays what it is."""
        from vademecum.transport.ledger import load_roster

        return load_roster(self._replica, self._identity.vault).is_revoked(self._replica.device)

    def _renew_what_was_found(self) -> None:
        before = self._replica.device
        if self.trouble is not None and self._replica.follow() == before:  # no other process has done it
            self._renew(self.trouble, None)
        self.trouble = None

    def _renew(self, why: str, fork: Fork | None) -> None:
        from vademecum.devices import name_of
        from vademecum.transport import succession
        from vademecum.transport.keys import DeviceKeys
        from vademecum.transport.ledger import load_roster
        from vademecum.transport.roster import open_secrets

        vault = self._identity.vault
        former = self.keys(self._replica.device)
        successor = succession.Successor(DeviceKeys.generate(), new_client(), new_token())

        def keep(writer: Writer, name: str) -> None:
            # a database that came from a backup has forgotten some of what it sealed: from here on it counts again
            count = int.from_bytes(writer.get(Table.META, installation.SEALED) or b"", "big")
            count = max(count, installation.noted_sealed(self._home))
            writer.put(Table.META, installation.SEALED, count.to_bytes(8, "big"))
            if writer.get(Table.META, DEVICE_NAME) is not None:
                writer.put(Table.META, DEVICE_NAME, name.encode())
            write_keys(self._home, successor.keys.to_bytes(), self._replica.environment.sealer, NEXT_KEYS)
            installation.keep_next_token(self._home, successor.token)

        try:
            if not succession.renew(
                self._replica, vault, former, successor, why=why, fork=fork, at_ms=self._wall(), keep=keep
            ):
                return
            self._finish()
        except OSError as error:
            raise StorageTrouble(f"The folder {self._home} cannot be written: {error.strerror}.") from error
        renewal = self.renewal()
        assert renewal is not None  # the transaction that has just ended wrote it
        roster = load_roster(self._replica, vault)
        name = name_of(roster, renewal.former, open_secrets(roster, successor.keys))
        logging.getLogger("vademecum").warning("%s", _told(renewal, name))

    def _finish(self) -> None:
        """What follows the transaction. Does no harm where another process does it too."""
        self._replica.follow()
        installation.adopt_token(self._home)
        self.identity.write(self._home)
        with suppress(FileNotFoundError):  # another process was faster
            (self._home / NEXT_KEYS).replace(self._home / KEYS_FILE)

    def _next_device(self) -> bytes | None:
        """The device whose keys wait to be put into place, if there is one."""
        if not (self._home / NEXT_KEYS).exists():
            return None
        try:
            return load_keys(self._home, self._replica.environment.sealer, NEXT_KEYS).device
        except (StorageTrouble, MalformedBytes):  # put into place meanwhile; or of a renewal that never was
            return None


def _renewal(reader: Reader) -> Renewal | None:
    if reader.get(Table.META, b"renewed") is None:
        return None
    from vademecum.transport.succession import last_renewal  # what only reads needs none of this otherwise

    return last_renewal(reader)


def _told(renewal: Renewal, former: str) -> str:
    found, what = _FOUND[renewal.why]
    return (
        f"{found.format(former=former)} To keep the two apart this one has become a device of its own, "
        f"{renewal.name!r}. Nothing is lost: what {what} is sent under the new name."
    )
