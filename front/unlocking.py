"""Getting at the data key of a sealed vault: from a passphrase, the OS keyring, or the recovery phrase.

A passphrase comes from the caller, from the environment variable ``VADEMECUM_PASSPHRASE``, or from the person in front
of a terminal; never from an argument of a program, which others on the machine can see.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from typing import Final

from vademecum.asking import PASSPHRASE_VARIABLE, asker
from vademecum.errors import InvalidArgument, VaultLocked, WrongKey
from vademecum.seal_header import (
    COST,
    SALT_SIZE,
    WRAP_ENTROPY,
    Header,
    InKeyring,
    ToPassphrase,
    wrap_to_keyring,
    wrap_to_passphrase,
)
from vademecum.storage.sealer import Sealer
from vademecum.transport.keys import KEY_SIZE

__all__ = ["Passphrase", "as_text", "drop_from_keyring", "keep", "open_with_phrase", "unlock"]

SERVICE: Final = "vademecum"
"""Under which the keyring lists the entries of all vaults."""

Passphrase = str | Callable[[], str]
"""A passphrase, or what asks the person for it; it is called only where a passphrase is needed."""


def unlock(header: Header, passphrase: Passphrase | None = None) -> Sealer:
    """The data key at work.

    Raises `VaultLocked` if there is neither a passphrase nor an entry in the keyring, `WrongKey` if it is another's.
    """
    if isinstance(header.way, InKeyring):
        return header.open_with_keyring(_from_keyring(header.way.entry))
    if passphrase is None:
        passphrase = os.environ.get(PASSPHRASE_VARIABLE) or asker.get()
    if passphrase is None:
        raise VaultLocked(
            f"This vault is sealed with a passphrase. Set {PASSPHRASE_VARIABLE}, or call the program in a terminal, "
            f"where it asks. If it is forgotten, `vademecum seal --rekey --recovery` takes the recovery phrase."
        )
    return header.open_with_passphrase(as_text(passphrase))


def open_with_phrase(header: Header, phrase: str) -> Sealer:
    """The data key at work, by the 24 words. Raises `InvalidArgument` if they are no phrase, `WrongKey`."""
    from vademecum.transport.recovery import recovery_keys

    keys = recovery_keys(phrase)
    if keys.device != header.member:
        raise WrongKey("These words are the recovery phrase of another vault. Nothing was read.")
    return header.open_with_recovery(keys)


def keep(data_key: bytes, vault: bytes, device: bytes, passphrase: str | None) -> ToPassphrase | InKeyring:
    """Keeps *data_key* under *passphrase*, or without one in the keyring.

    Raises `InvalidArgument` for a passphrase that is too short, `VaultLocked` if the system has no keyring.
    """
    nonce = os.urandom(WRAP_ENTROPY)
    if passphrase is not None:
        return wrap_to_passphrase(data_key, passphrase, salt=os.urandom(SALT_SIZE), nonce=nonce, cost=COST)
    # a name of its own for each keeping: what an old header names stays what it was
    entry = f"{vault.hex()}/{device.hex()}/{os.urandom(4).hex()}"
    key = os.urandom(KEY_SIZE)
    _to_keyring(entry, key)
    return wrap_to_keyring(data_key, entry, key, nonce=nonce)


def drop_from_keyring(header: Header) -> bool:
    """Removes the entry that *header* names, if it does; False if the keyring could not be asked or had none."""
    if not isinstance(header.way, InKeyring):
        return True
    import keyring
    from keyring.errors import KeyringError

    try:
        keyring.delete_password(SERVICE, header.way.entry)
    except KeyringError:
        return False
    return True


def _to_keyring(entry: str, key: bytes) -> None:
    import keyring
    from keyring.errors import KeyringError

    text = base64.b64encode(key).decode()
    try:
        keyring.set_password(SERVICE, entry, text)
        kept = keyring.get_password(SERVICE, entry) == text  # there are keyrings that take anything and keep nothing
    except KeyringError as error:
        raise VaultLocked(
            f"The system's keyring cannot keep the vault's key ({_reason(error)}). Unlock it, or seal with a "
            f"passphrase: `--passphrase`, or {PASSPHRASE_VARIABLE}."
        ) from error
    if not kept:
        raise VaultLocked(
            f"This system has no keyring that keeps keys. Seal with a passphrase: `--passphrase`, or "
            f"{PASSPHRASE_VARIABLE}."
        )


def _from_keyring(entry: str) -> bytes:
    import keyring
    from keyring.errors import KeyringError

    try:
        text = keyring.get_password(SERVICE, entry)
    except KeyringError as error:
        raise VaultLocked(
            f"This vault's key is in the system's keyring, which cannot be asked ({_reason(error)}). Unlock it and try "
            f"again; `vademecum seal --rekey --recovery` opens the vault with the recovery phrase."
        ) from error
    if text is None:
        raise VaultLocked(
            f"This vault's key is lost: the system's keyring has no entry {entry!r} of {SERVICE!r} (any more). "
            f"`vademecum seal --rekey --recovery` opens the vault with the recovery phrase."
        )
    try:
        return base64.b64decode(text, validate=True)
    except ValueError as error:
        raise WrongKey(f"What the keyring keeps under {entry!r} is no key of a vault.") from error


def _reason(error: Exception) -> str:
    said = " ".join(str(error).split()).rstrip(".")
    return said[:120] or type(error).__name__


def as_text(passphrase: Passphrase) -> str:
    """*passphrase*, asked for if need be. Raises `InvalidArgument` if it is no text."""
    text = passphrase() if callable(passphrase) else passphrase
    if not isinstance(text, str):
        raise InvalidArgument("A passphrase is text.")
    return text
