"""``seal`` and ``unseal``: whether the vault's files can be read without a key. And how the person is asked for one."""

from __future__ import annotations

import getpass
import os
import sys
from typing import Annotated

import typer

from vademecum.asking import PASSPHRASE_VARIABLE
from vademecum.errors import InvalidArgument, VaultLocked
from vademecum.vault import Vault

from .options import AsJson, Home, home_folder
from .output import print_json, print_line, tell

__all__ = ["Passphrase", "Sealed", "ask_passphrase", "new_passphrase", "seal", "unseal"]

NEW_VARIABLE = "VADEMECUM_NEW_PASSPHRASE"

Passphrase = Annotated[
    bool,
    typer.Option(
        "--passphrase",
        help=f"Keep the key under a passphrase, which is asked for, or taken from ${PASSPHRASE_VARIABLE}; "
        "otherwise the system's keyring keeps it.",
    ),
]
Sealed = Annotated[
    bool, typer.Option("--sealed", help="Encrypt all files; see `seal`. The system's keyring keeps the key.")
]
Recovery = Annotated[
    bool, typer.Option("--recovery", help="Open the vault with the recovery phrase, which is asked for.")
]


def seal(
    passphrase: Passphrase = False,
    rekey: Annotated[
        bool,
        typer.Option(
            "--rekey",
            help="The vault is sealed already: keep its key in another way, or under another passphrase "
            f"(${NEW_VARIABLE}).",
        ),
    ] = False,
    recovery: Recovery = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Encrypt all files of this vault, so that nobody reads them without its key.

    The key is in the system's keyring, or under a passphrase; the recovery phrase opens the vault too. A passphrase is
    never an argument: other users of the machine can see those. Who has the vault open already must open it again.

    What else lies in the vault's folder, such as copies that were set aside, is named and left as it is.

    JSON: {"sealed": true, "key": "keyring" or "passphrase", "in_the_open": [file, …]}.

    \b
    Examples:
      vademecum seal
      vademecum seal --passphrase
      vademecum seal --rekey --recovery
    """
    from vademecum.sealing import in_the_open

    with Vault.open(home_folder(home), recovery_phrase=_ask_words() if recovery else None) as vault:
        if rekey:
            vault.rekey(new_passphrase(passphrase, NEW_VARIABLE))
        else:
            vault.seal(new_passphrase(passphrase, PASSPHRASE_VARIABLE))
        key = vault.sealed
        others = [str(one) for one in in_the_open(vault.home)]
    if others:
        tell(f"These are no part of the vault, and are as they were: {', '.join(others)}")
    if as_json:
        print_json({"sealed": True, "key": key, "in_the_open": others})
    else:
        where = "is in the system's keyring" if key == "keyring" else "is under your passphrase"
        print_line(f"The vault is sealed. Its key {where}; the recovery phrase opens it too.")


def unseal(recovery: Recovery = False, home: Home = None, as_json: AsJson = False) -> None:
    """Write all files of this vault in the open again.

    JSON: {"sealed": false}.

    \b
    Examples:
      vademecum unseal
      vademecum unseal --recovery
    """
    with Vault.open(home_folder(home), recovery_phrase=_ask_words() if recovery else None) as vault:
        vault.unseal()
    if as_json:
        print_json({"sealed": False})
    else:
        print_line("The vault is no longer sealed: whoever can read its folder can read it.")


def ask_passphrase() -> str:
    """Asks for the passphrase of a vault, on the terminal."""
    return getpass.getpass("Passphrase of the vault: ")


def new_passphrase(asked: bool, variable: str) -> str | None:
    """A passphrase for a vault: from the environment, or asked for twice; None if none is wanted.

    Raises `InvalidArgument` if the two differ, `VaultLocked` where there is no terminal.
    """
    given = os.environ.get(variable)
    if given or not asked:
        return given or None
    if not sys.stdin.isatty():
        raise VaultLocked(f"There is no terminal to ask for a passphrase; put it into ${variable}.")
    first = getpass.getpass("New passphrase of the vault: ")
    if getpass.getpass("The same again: ") != first:
        raise InvalidArgument("The two passphrases differ. Nothing was changed.")
    return first


def _ask_words() -> str:
    if sys.stdin.isatty():
        return getpass.getpass("Recovery phrase, 24 words: ")
    return sys.stdin.readline()
