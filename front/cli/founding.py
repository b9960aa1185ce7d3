"""``init``: makes the vault."""

from __future__ import annotations

from vademecum.asking import PASSPHRASE_VARIABLE
from vademecum.vault import Vault

from .naming import DeviceName, device_name
from .options import AsJson, Home, home_folder
from .output import print_json
from .sealing import Passphrase, Sealed, new_passphrase

__all__ = ["init"]


def init(
    name: DeviceName = None,
    sealed: Sealed = False,
    passphrase: Passphrase = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Make a vault with this device as its first; prints the recovery phrase, once.

    To join a vault that another device has already, use `join` instead.

    JSON: {"vault", "device", "name", "home", "recovery_phrase"}.

    \b
    Examples:
      vademecum init
      vademecum init --name laptop --home ~/memory
      vademecum init --sealed
      vademecum init --sealed --passphrase
    """
    sealed = sealed or passphrase
    secret = new_passphrase(passphrase, PASSPHRASE_VARIABLE) if sealed else None
    with Vault.create(home_folder(home), device_name=device_name(name), sealed=sealed, passphrase=secret) as vault:
        ledger = vault.ledger()
        made = {
            "vault": ledger.vault.hex(),
            "device": ledger.device.hex(),
            "name": vault.device_name,
            "home": str(vault.home),
            "recovery_phrase": vault.recovery_phrase,
        }
        phrase = vault.recovery_phrase or ""
    if as_json:
        print_json(made)
    else:
        from .tables import print_founding

        print_founding(made["name"] or "", made["home"] or "", phrase.split())
