"""``device``: the vault's devices, and having one revoked or renamed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from vademecum.devices import Device
from vademecum.errors import NoRelay, PeerFault, RelayUnreachable
from vademecum.vault import Vault

from .options import AsJson, Home, home_folder
from .output import print_json, print_line, printable, tell
from .progress import spinner

__all__ = ["list_all", "rename", "revoke"]

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="The device's name, or at least eight digits of its id's beginning.")
]


def list_all(home: Home = None, as_json: AsJson = False) -> None:
    """Show the devices of this vault, and those that were revoked.

    JSON: [{"id", "name", "role": administrator, member or recovery, "this", "revoked": null or {"at", "by"}}, …].

    \b
    Example:
      vademecum device list
    """
    with Vault.open(home_folder(home)) as vault:
        found = vault.devices()
    if as_json:
        print_json([_json(one) for one in found])
        return
    for one in found:
        print_line(printable(f"{one.id.hex()[:8]}  {one.name}  {_standing(one)}"))


def revoke(name: Name, home: Home = None, as_json: AsJson = False) -> None:
    """Take a device out of the vault, for good: one that was lost, sold, or is used by somebody else.

    From then on the relay and the other devices take nothing from it and give it nothing, and what is written is sealed
    under keys that it does not have. What it holds already it can still read: no one can take that back. What it had
    sent, or another device had of it, stays in the memory; what it writes later does not enter it.

    This device syncs before and after it, where its relay can be reached; otherwise the relay and the others learn of
    it with the next sync. A device cannot revoke itself, and none can be brought back: it may join anew.

    JSON: {"revoked": as in `device list`, "told": whether the relay knows of it}.

    \b
    Example:
      vademecum device revoke phone
    """
    with Vault.open(home_folder(home)) as vault:
        _sync(vault)
        gone = vault.revoke(name)
        told = _sync(vault)
    if as_json:
        print_json({"revoked": _json(gone), "told": told})
        return
    print_line(printable(f"{gone.name} is revoked: it takes no part in the vault any more."))
    if not told:
        print_line("The relay and the other devices learn of it when this device next syncs: `vademecum sync --once`.")
    print_line("What it holds already can still be read on it. If it was lost, change what matters elsewhere too.")


def rename(
    name: Name,
    new: Annotated[str, typer.Argument(metavar="NEW", help="What to call it from now on.")],
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Give a device another name, on all devices.

    JSON: as one of `device list`.

    \b
    Example:
      vademecum device rename laptop "old laptop"
    """
    with Vault.open(home_folder(home)) as vault:
        renamed = vault.rename_device(name, new)
        _sync(vault)
    if as_json:
        print_json(_json(renamed))
    else:
        print_line(printable(f"It is called {renamed.name} now."))


def _sync(vault: Vault) -> bool:
    """Whether this device and the relay are in step; says why not where there is a relay."""
    try:
        with spinner("Syncing"):
            report = asyncio.run(vault.sync_once())
    except NoRelay:
        return False
    except (PeerFault, RelayUnreachable) as error:
        tell(f"not synced: {error.message}")
        return False
    return report.state == "synced"


def _json(one: Device) -> dict[str, Any]:
    revoked = {"at": one.revoked_at, "by": one.revoked_by} if one.revoked else None
    return {**one.as_json(), "revoked": revoked}


def _standing(one: Device) -> str:
    parts: Sequence[str] = [one.role] + ["this device"] * one.this
    if one.revoked:
        parts = [*parts, f"revoked by {one.revoked_by} at {one.revoked_at}"]
    return ", ".join(parts)
