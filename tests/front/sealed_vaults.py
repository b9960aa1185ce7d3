"""What the tests of sealed vaults share: a keyring, and what must not be found in any file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest

from tests.front.file_keyring import VARIABLE, FileKeyring
from vademecum import Vault
from vademecum.engine.messages import log_message

WORDS = "correct horse battery"
AGENT = "zanzibar/daily-eats@1.0.0"
MARKS = ("Kumquat", "quokka", "Bandicoot", "axolotl", "zanzibar", "the-red-laptop", "okapi")
"""In values, paths, reasons, messages, the name of an agent, of the device, and of a setting."""


@pytest.fixture
def keyring_file(tmp_path: Path) -> Iterator[Path]:
    """The system's keyring, in this process and in its children, is one in this file."""
    file = tmp_path / "keyring.json"
    before = keyring.get_keyring()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(file))
        patch.setenv("PYTHON_KEYRING_BACKEND", f"{FileKeyring.__module__}.{FileKeyring.__name__}")
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
        keyring.set_keyring(FileKeyring())
        yield file
    keyring.set_keyring(before)


def fill(vault: Vault) -> None:
    """Puts every mark into *vault*, and lets every index and queue take part."""
    vault.user.set("quokka.food", "Kumquat for Alice")
    vault.user.set("quokka.secret", ["Kumquat"], private=True)
    agent = vault.agent(AGENT)
    agent.remember("quokka.likes", "Kumquat jam", because="the Bandicoot likes Kumquat jam")
    agent.remember("quokka.okapi", "Kumquat", because="Bandicoot", scope="agent")
    said = "an axolotl ate the Kumquat"
    vault.write(
        lambda transaction: log_message(
            transaction.scope("session/axolotl-talk"), AGENT, "m1", speaker="user", text=said, at_ms=1
        )
    )
    vault.ledger().seal_pending()
    vault.user.set("quokka.food", "more Kumquat")
    assert "Kumquat" in repr(vault.recall("what about Kumquat jam?"))


def told(vault: Vault) -> str:
    """All that *vault* tells, in words."""
    paths = [leaf.path for leaf in vault.user.leaves()]
    return repr([vault.user.tree(), [repr(vault.why(path)) for path in paths], vault.log(), vault.status().devices])


def marks_in(home: Path) -> list[tuple[str, str]]:
    """(file, mark) for every mark that is in a file below *home*, or in its name."""
    found = []
    for file in home.rglob("*"):
        data = file.read_bytes().lower() if file.is_file() else b""
        for mark in MARKS:
            for spelled in (mark.lower().encode(), mark.lower().encode("utf-16-le")):
                if spelled in data or mark.lower() in file.name.lower():
                    found.append((str(file.relative_to(home)), mark))
    return found
