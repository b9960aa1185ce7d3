"""Writes the test vectors of `docs/sealed.md`: ``python -m tests.interop.make_sealed_vectors``.

Made by the program, and checked against a reading of the page. A header's wrap for the recovery phrase has randomness
inside, so headers differ each time they are made.
"""

from __future__ import annotations

import json
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import lmdb

from tests.interop.make_vectors import ENTROPY, VAULT, vector
from vademecum.seal_header import Cost, Header, InKeyring, ToPassphrase, wrap_to_keyring, wrap_to_passphrase
from vademecum.storage.environment import Environment
from vademecum.storage.sealer import Sealer
from vademecum.storage.tables import Table
from vademecum.transport.recovery import new_phrase, recovery_keys

FILE = Path(__file__).parent / "vectors" / "sealed.json"
DATA_KEY, NONCE = sha256(b"data key").digest(), sha256(b"nonce").digest()[:12]
SCOPE, STAMP = b"\0\0\0\1", bytes(range(24))
PHRASE = new_phrase(ENTROPY)
PAIRS = {
    "a leaf": (Table.LEAVES, SCOPE + b"\1" + "diet.größe".encode(), b"slots"),
    "a leaf of another scope": (Table.LEAVES, b"\0\0\0\2\1" + "diet.größe".encode(), b"slots"),
    "a vector of that leaf": (Table.VECTORS, SCOPE + b"\1" + "diet.größe".encode(), b"vector"),
    "a line of a name's history": (Table.HISTORY, SCOPE + b"\1diet\0" + STAMP, b""),
    "a change": (Table.JOURNAL, STAMP + b"sum4", b"record"),
    "a scope": (Table.SCOPES, b"user.public", SCOPE),
    "an update of a document": (Table.DOCUMENTS, SCOPE + bytes(8) + b"u", b"update"),
}


def stored_pair(table: Table, key: bytes, value: bytes) -> tuple[bytes, bytes]:
    """What a sealed database keeps for a pair."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "store"
        environment = Environment.create(place, seal=(Sealer(DATA_KEY, entropy=lambda size: NONCE[:size]), b"{}"))
        environment.write(lambda writer: writer.put(table, key, value))
        environment.close()
        with lmdb.open(str(place / "1"), max_dbs=64) as raw, raw.begin() as txn:
            ((stored, data),) = txn.cursor(db=raw.open_db(table.value, txn=txn, create=False))
            return bytes(stored), bytes(data)[:-4]  # behind it, as behind every value, its CRC-32


def header(way: ToPassphrase | InKeyring) -> str:
    return Header.make(DATA_KEY, VAULT, recovery_keys(PHRASE).public, way).to_bytes().decode()


def vectors() -> list[dict[str, Any]]:
    sealer = Sealer(DATA_KEY)
    made = [
        vector(name, "a pair as it is and as it is kept", data_key=DATA_KEY, nonce=NONCE, table=table.value.decode(),
               key=key, value=value, stored=stored_pair(table, key, value))
        for name, (table, key, value) in PAIRS.items()
    ]  # fmt: skip
    fixed = Sealer(DATA_KEY, entropy=lambda size: NONCE[:size])
    content = fixed.file("text.sealed").seal(b"content")
    made.append(
        vector("a file", "", data_key=DATA_KEY, nonce=NONCE, file="text.sealed", value=b"content", stored=content)
    )
    made.append(vector("the check value", "", data_key=DATA_KEY, check=sealer.check))
    words = "pão de açúcar"
    wrapped = wrap_to_passphrase(DATA_KEY, words, salt=bytes(range(16)), nonce=NONCE, cost=Cost(256, 2, 2))
    kept = wrap_to_keyring(DATA_KEY, "entry", sha256(b"entry").digest(), nonce=NONCE)
    for name, expect, fields in (
        ("a passphrase", "ok", {"passphrase": words}),
        ("a passphrase typed with combining marks", "ok", {"passphrase": "pa\u0303o de ac\u0327u\u0301car"}),
        ("a wrong passphrase", "wrong-key", {"passphrase": "pao de acucar"}),
    ):
        made.append(vector(name, "", expect, header=header(wrapped), data_key=DATA_KEY, **fields))
    for name, expect, key in (
        ("an entry of the keyring", "ok", sha256(b"entry").digest()),
        ("another entry", "wrong-key", sha256(b"another").digest()),
    ):
        made.append(vector(name, "", expect, header=header(kept), data_key=DATA_KEY, entry=key))
    return made


def main() -> None:
    def plain(value: Any) -> Any:
        if isinstance(value, bytes):
            return value.hex()
        return [plain(item) for item in value] if isinstance(value, tuple) else value

    text = json.dumps(
        [{name: plain(value) for name, value in one.items()} for one in vectors()], indent=1, ensure_ascii=False
    )
    FILE.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
