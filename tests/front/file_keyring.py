"""A keyring in a file, for machines whose system has none: keyring's own interface, over JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked, PasswordDeleteError

VARIABLE = "TEST_KEYRING_FILE"


class FileKeyring(KeyringBackend):
    """Locked while a file of its name with ``.locked`` behind it is there."""

    priority = 1  # type: ignore[assignment]  # keyring declares a property of the class

    def get_password(self, service: str, username: str) -> str | None:
        return self._entries().get(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._write(self._entries() | {f"{service} {username}": password})

    def delete_password(self, service: str, username: str) -> None:
        entries = self._entries()
        if entries.pop(f"{service} {username}", None) is None:
            raise PasswordDeleteError("no such entry")
        self._write(entries)

    def _entries(self) -> dict[str, str]:
        if Path(os.environ[VARIABLE] + ".locked").exists():
            raise KeyringLocked("the collection is locked")
        file = Path(os.environ[VARIABLE])
        return dict(json.loads(file.read_text())) if file.exists() else {}

    def _write(self, entries: dict[str, str]) -> None:
        Path(os.environ[VARIABLE]).write_text(json.dumps(entries))
