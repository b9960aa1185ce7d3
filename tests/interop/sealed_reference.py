"""The formats of `docs/sealed.md` once more, written from that page alone; only bare primitives are shared."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from typing import Any

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

# table → (bytes before the name in its keys, bytes behind it)
NAMED = {
    "scopes": (0, 0),
    "leaves": (5, 0),
    "journal": (24, 0),
    "history": (5, 25),
    "reindex": (5, 0),
    "embed": (5, 0),
    "vectors": (5, 0),
}


def subkey(data_key: bytes, purpose: str, of: str) -> bytes:
    message = b"vademecum/sealed/" + purpose.encode() + b"\0" + of.encode()
    return hashlib.blake2b(message, key=data_key, digest_size=32).digest()


def check(data_key: bytes) -> bytes:
    return subkey(data_key, "check", "")[:16]


def stored(data_key: bytes, table: str, key: bytes, value: bytes, nonce: bytes) -> tuple[bytes, bytes]:
    """The pair that is kept for *key* and *value*."""
    plain = value
    if table in NAMED:
        before, behind = NAMED[table]
        end = len(key) - behind
        head, name, tail = key[:before], key[before:end], key[end:]
        hashed = hashlib.blake2b(head + name, key=subkey(data_key, "name", table), digest_size=16).digest()
        key, plain = head + hashed + tail, len(name).to_bytes(2, "big") + name + value
    return key, nonce + AESGCM(subkey(data_key, "value", table)).encrypt(nonce, plain, key)


def file(data_key: bytes, name: str, content: bytes, nonce: bytes) -> bytes:
    return nonce + AESGCM(subkey(data_key, "file", name)).encrypt(nonce, content, None)


def data_key_of(header: bytes, *, passphrase: str = "", entry: bytes = b"") -> bytes:
    """The data key that *header* keeps."""
    fields: dict[str, Any] = json.loads(header)
    way = fields.get("passphrase") or fields["keyring"]
    context = b"vademecum/sealed-keyring/v1"
    if "passphrase" in fields:
        context = b"vademecum/sealed-passphrase/v1"
        kdf = Argon2id(
            salt=bytes.fromhex(way["salt"]),
            length=32,
            iterations=way["iterations"],
            lanes=way["lanes"],
            memory_cost=way["memory_kib"],
        )
        entry = kdf.derive(unicodedata.normalize("NFC", passphrase).encode())
    wrapped = bytes.fromhex(way["wrapped"])
    return AESGCM(entry).decrypt(wrapped[:12], wrapped[12:], context + bytes.fromhex(fields["check"]))
