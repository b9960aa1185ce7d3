"""The verified rosters of the vaults that a relay has to do with, so that each is verified once and not per login."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from vademecum.transport.relay.store import Store
from vademecum.transport.roster import Roster

__all__ = ["Rosters"]

KEPT = 1024
"""Rosters in memory, a few KiB for each device in them; the one unused longest goes first."""


class Rosters:
    """Rosters by vault. For one thread."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: OrderedDict[bytes, Roster] = OrderedDict()

    def get(self, vault: bytes) -> Roster | None:
        """The roster whose statements are durable here, or None if the vault is unknown. Raises ``StorageTrouble``."""
        roster = self._kept.get(vault)
        if roster is None:
            statements = self._store.statements(vault)
            if not statements:
                return None
            roster = Roster.verify(vault, statements)
        self._keep(roster)
        return roster

    def add(self, vault: bytes, statements: Sequence[bytes]) -> Roster:
        """The roster with these statements, which were verified and are durable."""
        known = self.get(vault)
        roster = Roster.verify(vault, statements) if known is None else known.merge(statements)
        self._keep(roster)
        return roster

    def _keep(self, roster: Roster) -> None:
        self._kept[roster.vault] = roster
        self._kept.move_to_end(roster.vault)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
