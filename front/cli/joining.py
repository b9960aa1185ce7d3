"""``pair`` on a member, ``join`` on the new device."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from vademecum.asking import PASSPHRASE_VARIABLE
from vademecum.errors import VademecumError
from vademecum.vault import Joined, Vault

from .naming import DeviceName, device_name
from .options import AsJson, Home, Index, home_folder
from .output import counted, print_json, print_line, printable, tell
from .progress import spinner
from .sealing import Passphrase, Sealed, new_passphrase
from .syncing import fetch, report_json

__all__ = ["join", "pair"]


def pair(home: Home = None, as_json: AsJson = False) -> None:
    """Admit a new device: shows a code that works once, for some minutes, and waits for it.

    Both screens then show the same fingerprint. If they differ, somebody stands between the devices.

    JSON: {"name", "fingerprint"}, printed when the device has come; the code is on stderr, as "code: CODE".

    \b
    Example:
      vademecum pair
    """
    with Vault.open(home_folder(home)) as vault:
        joined = asyncio.run(_admit(vault, as_json))
    if as_json:
        print_json({"name": joined.name, "fingerprint": joined.fingerprint})
    else:
        print_line(printable(f"{joined.name} has joined. Its screen must show this fingerprint too:"))
        print_line(f"fingerprint: {joined.fingerprint}")


def join(
    code: Annotated[str, typer.Argument(metavar="CODE", help="What `vademecum pair` shows on the other device.")],
    relay: Annotated[str, typer.Option("--relay", metavar="URL", help="The relay that the other device uses.")],
    name: DeviceName = None,
    sealed: Sealed = False,
    passphrase: Passphrase = False,
    index: Index = True,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Make this a device of a vault that another device has, and fetch the memory.

    JSON: {"vault", "device", "name", "home", "fingerprint", "sync": as in `sync --once`}.

    \b
    Example:
      vademecum join K7QM-3F9X-2P --relay http://192.168.1.20:8787 --name phone
    """
    secret = new_passphrase(passphrase, PASSPHRASE_VARIABLE) if sealed or passphrase else None
    with spinner("Asking the other device"):
        vault, fingerprint = asyncio.run(
            Vault.join(
                home_folder(home),
                code,
                relay=relay,
                device_name=device_name(name),
                sealed=sealed,
                passphrase=secret,
            )
        )
    with vault:
        if not as_json:
            print_line("This device has joined. The other screen must show this fingerprint too:")
            print_line(f"fingerprint: {fingerprint}")
        try:
            report = fetch(vault, index=index)
        except VademecumError:
            tell("This device has joined, but the memory has not come yet; `vademecum sync --once` fetches it.")
            raise
        if as_json:
            ledger = vault.ledger()
            print_json(
                {
                    "vault": ledger.vault.hex(),
                    "device": ledger.device.hex(),
                    "name": vault.device_name,
                    "home": str(vault.home),
                    "fingerprint": fingerprint,
                    "sync": report_json(report),
                }
            )
        else:
            print_line(f"{report.state}: {counted(len(vault.user.leaves()), 'leaf is', 'leaves are')} here.")
    if report.state != "synced":
        raise typer.Exit(1)


async def _admit(vault: Vault, as_json: bool) -> Joined:
    await vault.sync_once()  # so that the relay can give the new device all that is here

    def show(code: str) -> None:
        if as_json:
            tell(f"code: {code}")
        else:
            print_line(f"code: {code}")
            print_line(f"On the new device:  vademecum join {code} --relay {vault.relay}")

    return await vault.pair(show)
