"""Looking a vault over: every invariant that can be checked on one device, in words.

Nothing is changed here, and a file that may be damaged is read as plain bytes before anything maps it. What can be done
about what is found is `repair`'s part.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.embeddings.conditions import IndexDamaged
from vademecum.engine.checking import Finding, Level, check_replica, is_sound
from vademecum.engine.indexing import entry_id
from vademecum.engine.slots import decode_row
from vademecum.engine.writing import INDEXED
from vademecum.errors import DamagedStore, MalformedBytes, PeerFault, StorageTrouble
from vademecum.founding import STORE
from vademecum.storage.damage import check_outline, check_pages
from vademecum.storage.folders import Folders
from vademecum.storage.identity import Identity
from vademecum.storage.occupancy import Occupancy
from vademecum.storage.tables import Table
from vademecum.transport.inspecting import check_chains, check_roster

if TYPE_CHECKING:
    from vademecum.vault import Vault

__all__ = ["Finding", "Level", "check", "examine", "is_sound"]

_LARGE = 64 << 20
"""Bytes below which nobody minds unused room in a file."""


def examine(home: Path) -> tuple[Finding, ...]:
    """Everything that is wrong with, or worth knowing of, the vault in *home*.

    Raises `VaultMissing`, `NewerFormat`, `StorageTrouble` where the vault cannot be looked at.
    """
    from vademecum.vault import Vault

    Identity.read(home)
    findings = list(_check_leftovers(home))
    try:
        _check_closed_file(home / STORE)
        with Vault.open(home) as vault:
            findings += check(vault)
    except DamagedStore as error:
        findings.append(Finding(Level.BROKEN, "damaged", error.message))
    return tuple(findings)


def check(vault: Vault) -> tuple[Finding, ...]:
    """See `Vault.check`."""
    findings: list[Finding] = []
    try:
        vault.replica.environment.verify()
        with vault.replica.read() as view:
            findings += check_replica(view)
            roster, wrong = check_roster(view.reader, vault.installation.identity.vault)
            findings += wrong
            findings += check_chains(view.reader, vault.installation.identity.vault, roster)
        findings += _check_size(vault)
        findings += _check_text_index(vault)
    except DamagedStore as error:
        findings.append(Finding(Level.BROKEN, "damaged", error.message))
    except MalformedBytes as error:
        findings.append(Finding(Level.BROKEN, "malformed", error.message))
    try:
        vault.keys()
    except (PeerFault, StorageTrouble) as error:
        findings.append(Finding(Level.BROKEN, "keys", error.message))
    return tuple(findings)


def _check_closed_file(store: Path) -> None:
    """Reads the pages as bytes while nobody has the file open, also after a clean stop."""
    folders = Folders(store)
    file = store / folders.current() / "data.mdb"
    if Occupancy(file).is_free() and file.with_name("in-use").exists():
        check_outline(file)
        check_pages(file)


def _check_leftovers(home: Path) -> Iterator[Finding]:
    for one in sorted((home / STORE).glob("*.*")) if (home / STORE).is_dir() else ():
        if not one.is_dir():
            continue
        if ".damaged" in one.name:
            text = (
                f"A damaged database is kept in {one}. It may hold what was forgotten since; delete it when you need "
                "it no more."
            )
            yield Finding(Level.NOTE, "kept-damaged", text)
        elif ".format-" in one.name:
            text = f"The database of before its format was changed is kept in {one}. `vademecum compact` removes it."
            yield Finding(Level.NOTE, "kept-format", text)
    for one in sorted(home.glob(".new-*")) + sorted(home.glob(".repair-*")):
        yield Finding(
            Level.NOTE, "leftover", f"{one} was left behind by a program that was stopped; it may be deleted."
        )


def _check_size(vault: Vault) -> Iterator[Finding]:
    environment = vault.replica.environment
    size, used = environment.file.stat().st_size, environment.used_bytes()
    if size > max(_LARGE, 4 * used):
        yield Finding(
            Level.NOTE,
            "large",
            f"The database takes {size:,} bytes and uses {used:,}. `vademecum compact` makes it small.",
        )


def _check_text_index(vault: Vault) -> Iterator[Finding]:
    """The index must name what lives, but for what waits to be indexed."""
    text = vault.indexer().text
    try:
        if text.noted("filled") is None:
            return  # the next question fills it
        wrong = 0
        with vault.replica.read() as view:
            for number, scope in view.scope_names().items():
                kept = text.ids(scope)
                waiting = {entry_id(full[4:]) for full in view.reader.keys(Table.REINDEX, number)}
                living = {
                    entry_id(full[4:])
                    for slot_map in INDEXED
                    for full, data in view.reader.scan(Table.LEAVES, number + bytes([slot_map]))
                    if decode_row(data).live
                }
                wrong += len((kept ^ living) - waiting)
    except IndexDamaged as error:
        yield Finding(Level.DERIVED, "text-index", error.message)
        return
    if wrong:
        yield Finding(Level.DERIVED, "text-index", f"The text index has {wrong:,} entries too many or too few.")
