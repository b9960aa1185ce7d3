"""Makes ``vault-1.zip``, a vault of the first format: ``python -m tests.formats.make_vault tests/formats/vault-1.zip``.

A stored vault is never made again: it shows that what a released program wrote can be read. This script shows what is
in it. Beside the database lie the identity, keys and instance token of a device that is used nowhere else.
"""

from __future__ import annotations

import sys
import tempfile
import zipfile
from pathlib import Path

from vademecum import Vault

FOOD = "prix/daily-eats@1.0.0"
NOTES = "lumen/notes@0.3"

PUBLIC = {
    "name": "Alice",
    "home.city": "Lisbon",
    "home.floor": 3,
    "languages": ["pt", "en", "日本語"],
    "diet": ["vegetarian"],
    "größe": 1.72,
}
PRIVATE = {"health.allergies": ["peanuts"], "health.blood": None}
FOOD_SCOPE = {"tried.restaurants": ["Ox & Fig"]}
HISTORY = ["Berlin", "Paris", "Lisbon"]
"""What stood at ``home.city``, one after the other."""
WORDS = "I'm vegetarian, by the way"
LEFT_OUT = {"lock.mdb", "users.lock", "replacing.lock", "state"}
"""What says which processes use the vault; a copy has none."""


def fill(vault: Vault) -> None:
    """Writes the memory above, some of it sealed into commits, some waiting, some forgotten."""
    vault.user.set("name", "Alicia")
    vault.user.set("name", PUBLIC["name"])
    for city in HISTORY:
        vault.user.set("home.city", city)
        vault.ledger().seal_pending()
    for path in ("home.floor", "languages", "größe"):
        vault.user.set(path, PUBLIC[path])
    for path, value in PRIVATE.items():
        vault.user.set(path, value, private=True)
    food, notes = vault.agent(FOOD), vault.agent(NOTES)
    food.remember("diet", PUBLIC["diet"], because=WORDS, kind="preference")
    food.remember("tried.restaurants", FOOD_SCOPE["tried.restaurants"], because="We loved it", scope="agent")
    notes.remember("passing", "gone soon", because="so I said")
    vault.user.set("address", "the street")
    vault.forget("address")
    vault.forget(agent="lumen/notes")
    vault.ledger().seal_pending()
    vault.user.set("waiting", "not yet sent")


def main(target: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "vault"
        with Vault.create(home, device_name="laptop") as vault:
            fill(vault)
            vault.index()
            vault.compact()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for file in sorted(home.rglob("*")):
                relative = file.relative_to(home)
                if file.is_file() and file.name not in LEFT_OUT and relative.parts[0] != "index":
                    archive.write(file, relative)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
