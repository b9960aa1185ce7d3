"""Who this installation is: a small file beside the database, not inside it, so that a copied database shows.

``vault.json`` is plain JSON for the person to look at: format, vault id, device id, the CRDT client id, and the name
that the device was given; or, instead of the name, that the vault is sealed. It is written last when a vault is made: a
folder has a vault exactly when it is there. The database names its owner as well, so that one that belongs to another
identity shows; a copy that takes a new identity changes the database first, and this file after it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from vademecum.errors import DamagedStore, NewerFormat, StorageTrouble, VaultMissing

from .files import write_atomically

__all__ = ["FORMAT", "IDENTITY_FILE", "OWNER", "Identity", "owner_mark", "parse_owner"]

FORMAT = 1
"""Version of everything a vault's folder holds."""
IDENTITY_FILE = "vault.json"
OWNER = b"owner"
"""In the meta table: the identity that the database belongs to, vault ‖ device ‖ client id."""
ID_SIZE = 16
MAX_CLIENT = 1 << 53


@dataclass(frozen=True, slots=True)
class Identity:
    """*vault* and *device* are 16 bytes, *client* lies below 2^53.

    *sealed* is what the person reads of how the vault lies on the disk; the database itself decides. The file of a
    sealed vault does not hold the name.
    """

    vault: bytes
    device: bytes
    client: int
    name: str
    sealed: bool = False

    @property
    def owner(self) -> bytes:
        """As the database names its owner."""
        return self.vault + owner_mark(self.device, self.client)

    def write(self, folder: Path) -> None:
        """Writes the file into *folder*."""
        fields = {
            "format": FORMAT,
            "vault": self.vault.hex(),
            "device": self.device.hex(),
            "client": self.client,
            **({"sealed": True} if self.sealed else {"name": self.name}),
        }
        write_atomically(folder / IDENTITY_FILE, (json.dumps(fields, indent=2, ensure_ascii=False) + "\n").encode())

    @classmethod
    def read(cls, folder: Path) -> Identity:
        """Raises `VaultMissing`, `NewerFormat`, or `DamagedStore` if the file is not what was written."""
        file = folder / IDENTITY_FILE
        try:
            fields = json.loads(file.read_bytes())
            if fields["format"] > FORMAT:
                raise NewerFormat(
                    f"The vault in {folder} has format {fields['format']}; this program reads up to {FORMAT}. "
                    f"Install a newer vademecum."
                )
            vault, device = bytes.fromhex(fields["vault"]), bytes.fromhex(fields["device"])
            sealed = fields.get("sealed", False) is True
            client, name = fields["client"], "" if sealed else fields["name"]
            if not (len(vault) == len(device) == ID_SIZE and type(client) is int and 0 <= client < MAX_CLIENT):
                raise ValueError("an id or the client id is out of its range")
            if type(name) is not str:
                raise TypeError("the name is not text")
            return cls(vault, device, client, name, sealed)
        except (FileNotFoundError, NotADirectoryError):
            raise VaultMissing(
                f"There is no vault in {folder}. `vademecum init` makes one, `vademecum join` joins one."
            ) from None
        except OSError as error:
            raise StorageTrouble(f"The file {file} cannot be read: {error.strerror}.") from error
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise DamagedStore(f"The file {file} is damaged; restore it from a backup.") from error


def owner_mark(device: bytes, client: int) -> bytes:
    """The part of an owner that a process must know to write under the right name."""
    return device + client.to_bytes(8, "big")


def parse_owner(owner: bytes) -> tuple[bytes, bytes, int]:
    """(vault, device, client id) of an `OWNER`."""
    return owner[:ID_SIZE], owner[ID_SIZE : 2 * ID_SIZE], int.from_bytes(owner[2 * ID_SIZE :], "big")
