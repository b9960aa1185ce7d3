"""``compact``: keeping a vault's files in order."""

from __future__ import annotations

from vademecum.vault import Vault

from .options import AsJson, Home, home_folder
from .output import print_json, print_line

__all__ = ["compact"]


def compact(home: Home = None, as_json: AsJson = False) -> None:
    """Make the vault's files as small as they can be.

    What was deleted leaves bytes behind in them until then. Other programs may go on using the vault meanwhile; one
    that has it open keeps the old file until it uses the vault again.

    JSON: {"before": bytes, "after": bytes}.

    \b
    Example:
      vademecum compact
    """
    with Vault.open(home_folder(home)) as vault:
        before, after = vault.compact()
    if as_json:
        print_json({"before": before, "after": after})
    else:
        print_line(f"{before:,} bytes before, {after:,} bytes now.")
