"""A vault whose files cannot be read without a key: making one, opening one, and turning one into the other.

**The database decides.** It holds the header that says how its data key is kept, or none, and it is switched as a
whole; everything else in the folder (keys, index, `vault.json`, a copy of the header) follows it at the next opening
that has the key. A crash at any point therefore leaves a vault that opens.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from vademecum.errors import DamagedStore, Refused, StorageTrouble
from vademecum.founding import DEVICE_NAME, INDEX, KEYS_FILE, STORE, key_files, load_keys, write_keys
from vademecum.seal_header import Header, InKeyring
from vademecum.storage import installation
from vademecum.storage.files import write_atomically
from vademecum.storage.folders import Folders
from vademecum.storage.identity import IDENTITY_FILE
from vademecum.storage.sealer import DATA_KEY_SIZE, Sealer
from vademecum.storage.tables import Table
from vademecum.unlocking import Passphrase, as_text, drop_from_keyring, keep, open_with_phrase, unlock

if TYPE_CHECKING:
    from vademecum.storage.environment import Environment
    from vademecum.storage.identity import Identity
    from vademecum.transport.keys import DevicePublic
    from vademecum.transport.roster import Roster
    from vademecum.vault import Vault

__all__ = [
    "SEAL_FILE",
    "in_the_open",
    "make_sealed",
    "needs_passphrase",
    "new_seal",
    "open_sealed",
    "recovery_public",
    "rekey_vault",
    "seal_vault",
    "unseal_vault",
    "way_of",
]

T = TypeVar("T")

Seal = tuple[Sealer, bytes]
"""A data key at work, and the header that says how it is kept."""

SEAL_FILE: Final = "seal.json"
"""A copy of the header, for when the database is lost and the device's keys are not."""
_WORDLESS: Final = ("daemon.", "textfile.lock", "signals.waiting")
"""So begin the names of files that tell of states and counts only."""


def new_seal(vault: bytes, device: bytes, recovery: DevicePublic, passphrase: Passphrase | None) -> Seal:
    """A new data key at work, and its header: kept under *passphrase*, or without one in the keyring.

    *recovery* are the public keys of the vault's recovery member. Raises `InvalidArgument`, `VaultLocked`.
    """
    sealer = Sealer(os.urandom(DATA_KEY_SIZE))
    way = keep(sealer.data_key, vault, device, None if passphrase is None else as_text(passphrase))
    return sealer, Header.make(sealer.data_key, vault, recovery, way).to_bytes()


def make_sealed(make: Callable[..., None], home: Path, seal: Seal) -> None:
    """``make(seal=seal)``, which makes a vault in *home*; if it does not, the key leaves the keyring again."""
    with _beginning(seal, lambda: (home / IDENTITY_FILE).exists()):
        make(seal=seal)


@contextmanager
def _beginning(seal: Seal, is_made: Callable[[], bool]) -> Iterator[None]:
    """What is done inside begins to use *seal*. If it fails, the key is given up, unless it is in use all the same."""
    try:
        yield
    except BaseException:
        if not is_made():
            drop_from_keyring(Header.from_bytes(seal[1]))
        raise


def recovery_public(roster: Roster) -> DevicePublic:
    """The public keys of the vault's recovery member."""
    return next(member.public for member in roster.members.values() if member.role == "recovery")


def way_of(header: bytes) -> str:
    """``passphrase`` or ``keyring``."""
    return "keyring" if isinstance(Header.from_bytes(header).way, InKeyring) else "passphrase"


def needs_passphrase(home: Path) -> bool:
    """Whether the vault in *home* is sealed with a passphrase, as far as can be told without opening it."""
    header = _read(home / SEAL_FILE)
    return header is not None and way_of(header) == "passphrase"


def open_sealed(
    home: Path,
    identity: Identity,
    environment: Environment,
    passphrase: Passphrase | None,
    recovery_phrase: str | None = None,
) -> Identity:
    """Unlocks *environment* if it is sealed, and lets everything else in *home* follow it.

    Returns the identity with the device's name. Raises `VaultLocked`, `WrongKey`, `MalformedBytes`, `StorageTrouble`.
    """
    if environment.header is not None:
        header = Header.from_bytes(environment.header)
        environment.unlock(
            unlock(header, passphrase) if recovery_phrase is None else open_with_phrase(header, recovery_phrase)
        )
    with environment.read() as reader:
        name = reader.get(Table.META, DEVICE_NAME)
    identity = replace(identity, name=(name or b"").decode())
    if environment.header is not None:
        return _followed(home, lambda: _follow_sealed(home, identity, environment))
    return _followed(home, lambda: _follow_plain(home, identity, passphrase))


def _follow_sealed(home: Path, identity: Identity, environment: Environment) -> Identity:
    sealer, header = environment.sealer, environment.header
    assert sealer is not None and header is not None  # it has just been unlocked
    for name in key_files(home, sealed=False):
        write_keys(home, (home / name).read_bytes(), sealer, name)
    if environment.header is None:  # somebody has unsealed it meanwhile, and need not have seen what we wrote
        _unseal_keys(home, sealer)
        return identity
    _empty_index(home, sealed=False)
    for name in (IDENTITY_FILE, KEYS_FILE):  # what a process that was killed had begun to write
        for file in home.glob(f".{name}.*"):
            file.unlink(missing_ok=True)
    if _read(home / SEAL_FILE) != header:
        write_atomically(home / SEAL_FILE, header)
    if not identity.sealed:
        identity = replace(identity, sealed=True)
        identity.write(home)
    return identity


def _follow_plain(home: Path, identity: Identity, passphrase: Passphrase | None) -> Identity:
    if key_files(home, sealed=True):
        header = _read(home / SEAL_FILE)
        if header is None:
            raise DamagedStore(
                f"The keys in {home / KEYS_FILE} are sealed, and {home / SEAL_FILE}, which says how, is lost. "
                f"Restore it from a backup."
            )
        _unseal_keys(home, unlock(Header.from_bytes(header), passphrase))
    _empty_index(home, sealed=True)
    if identity.sealed:
        identity = replace(identity, sealed=False)
        identity.write(home)
    (home / SEAL_FILE).unlink(missing_ok=True)
    return identity


def _unseal_keys(home: Path, sealer: Sealer) -> None:
    for name in key_files(home, sealed=True):
        write_keys(home, load_keys(home, sealer, name).to_bytes(), None, name)


def _empty_index(home: Path, *, sealed: bool) -> None:
    """Removes the indexes that are, or are not, *sealed*: they are derived, and made anew."""
    with suppress(FileNotFoundError):
        for file in (home / INDEX).iterdir():
            if (".sealed" in file.name) is sealed:
                file.unlink(missing_ok=True)


def _read(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None


def in_the_open(home: Path) -> list[Path]:
    """What lies in the folder of a sealed vault and is no part of it, such as copies that somebody has set aside: it is
    as it was.
    """
    ours = {IDENTITY_FILE, KEYS_FILE, SEAL_FILE, STORE, INDEX, installation.FOLDER}
    store = home / STORE
    parts = {"current", "replacing.lock", (store / "current").read_text().strip()}
    found = [one for one in home.iterdir() if one.name not in ours and not one.name.startswith(_WORDLESS)]
    return sorted(found + [one for one in store.iterdir() if one.name not in parts])


def seal_vault(vault: Vault, identity: Identity, passphrase: Passphrase | None) -> Identity:
    """See `Vault.seal`."""
    environment = vault.replica.environment
    if environment.header is not None:
        raise Refused("This vault is sealed already. `vademecum seal --rekey` changes how its key is kept.")
    recovery = recovery_public(vault.ledger().roster())
    seal = new_seal(identity.vault, identity.device, recovery, passphrase)
    with _beginning(seal, lambda: environment.header == seal[1]):
        environment.reseal(seal, lambda writer: writer.put(Table.META, DEVICE_NAME, identity.name.encode()))
    Folders(environment.folder).remove_kept("format-")  # a copy of before a change of format, in plain
    vault.leave_indexes()
    return _followed(vault.home, lambda: _follow_sealed(vault.home, identity, environment))


def unseal_vault(vault: Vault, identity: Identity) -> Identity:
    """See `Vault.unseal`."""
    environment = vault.replica.environment
    sealer = environment.sealer
    if sealer is None or environment.header is None:
        raise Refused("This vault is not sealed.")
    header = Header.from_bytes(environment.header)
    # before the switch, after which nobody may have the key any more; and after it, should a process that opened the
    # vault in between have sealed them again
    _followed(vault.home, lambda: _unseal_keys(vault.home, sealer))
    environment.reseal(None, lambda writer: writer.put(Table.META, DEVICE_NAME, identity.name.encode()))
    _followed(vault.home, lambda: _unseal_keys(vault.home, sealer))
    vault.leave_indexes()
    identity = _followed(vault.home, lambda: _follow_plain(vault.home, identity, None))
    drop_from_keyring(header)
    return identity


def rekey_vault(vault: Vault, identity: Identity, passphrase: Passphrase | None) -> None:
    """See `Vault.rekey`."""
    environment = vault.replica.environment
    sealer = environment.sealer
    if sealer is None or environment.header is None:
        raise Refused("This vault is not sealed. `vademecum seal` seals it.")
    before = Header.from_bytes(environment.header)
    way = keep(sealer.data_key, identity.vault, identity.device, None if passphrase is None else as_text(passphrase))
    environment.set_header(before.rekeyed(way).to_bytes())
    _followed(vault.home, lambda: _follow_sealed(vault.home, identity, environment))
    drop_from_keyring(before)


def _followed(home: Path, work: Callable[[], T]) -> T:
    try:
        return work()
    except OSError as error:
        raise StorageTrouble(
            f"The files in {home} cannot be written: {error.strerror}. Opening the vault again tidies up."
        ) from error
