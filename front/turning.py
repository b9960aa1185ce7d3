"""Turns of one vault, as this program takes them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from vademecum.engine.formation import claims
from vademecum.engine.formation.report import Report
from vademecum.engine.formation.turns import LIMIT, Curating, Turn
from vademecum.hint import Hint
from vademecum.storage import boot_time

if TYPE_CHECKING:
    from vademecum.vault import Vault

__all__ = ["sweep_vault", "turn_of"]

TOKEN_SIZE = 16


def turn_of(vault: Vault, lease_ms: int = claims.LEASE_MS) -> Turn:
    """A turn of *vault*, as this program takes them."""
    from vademecum import __version__

    return Turn(
        vault.replica, boot_time.now, lambda: os.urandom(TOKEN_SIZE), __version__, Hint(vault.home).remove, lease_ms
    )


def sweep_vault(vault: Vault, curator: Curating, limit: int) -> Report:
    """Has up to *limit* signals of one vault handled, turn by turn, as far as they are due; and tends the vault."""
    report, left = turn_of(vault).tend(curator), limit
    while left > 0:
        turned = turn_of(vault).take(curator, min(LIMIT, left))
        report = report.joined(turned.report)
        left -= turned.report.signals
        if turned.busy or turned.next_ms != 0:
            break
    vault.expire_sessions()
    return report
