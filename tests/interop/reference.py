"""The formats of `docs/protocol.md` once more, written from that page alone.

Nothing here imports the project: where both agree on the vectors, the page says enough. Only the bare primitives are
shared (SHA-2, HMAC, AES-GCM, Ed25519).
"""

from __future__ import annotations

import hashlib
import hmac
import math
import struct
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

Json = dict[str, Any]


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def hkdf(key: bytes, info: bytes, salt: bytes = b"") -> bytes:
    """RFC 5869 with SHA-256, one block."""
    extracted = hmac.new(salt or bytes(32), key, hashlib.sha256).digest()
    return hmac.new(extracted, info + b"\x01", hashlib.sha256).digest()


def device_id(signing: bytes, receiving: bytes) -> bytes:
    return sha256(b"vademecum/device/v1", signing, receiving)[:16]


def key_file(signing_seed: bytes, receiving_seed: bytes) -> bytes:
    content = b"VK\x01" + signing_seed + receiving_seed
    return content + sha256(b"vademecum/device-keys-check/v1", content)[:16]


def vault_id(signing: bytes, salt: bytes) -> bytes:
    return sha256(b"vademecum/vault/v1", signing, salt)[:16]


def channel_id(naming_key: bytes, scope: str) -> bytes:
    return hmac.new(naming_key, b"vademecum/channel/v1" + scope.encode(), hashlib.sha256).digest()[:16]


def channel_key(epoch_key: bytes, epoch: int, channel: bytes) -> bytes:
    return hkdf(epoch_key, b"vademecum/channel-key/v1" + struct.pack(">I", epoch) + channel)


def fingerprint(vault: bytes, a: bytes, b: bytes) -> str:
    digits = str(int.from_bytes(sha256(b"vademecum/fingerprint/v1", vault, *sorted((a, b))), "big"))[-16:]
    return f"{digits[:4]} {digits[4:8]} {digits[8:12]} {digits[12:]}"


def vault_secrets(epoch: int, epoch_key: bytes, naming_key: bytes) -> bytes:
    content = b"VS\x01" + struct.pack(">I", epoch) + epoch_key + naming_key
    return content + sha256(b"vademecum/secrets-check/v1", content)[:16]


def epoch_check(vault: bytes, epoch: int, epoch_key: bytes, naming_key: bytes) -> bytes:
    message = b"vademecum/epoch-check/v1" + vault + struct.pack(">I", epoch) + naming_key
    return hmac.new(epoch_key, message, hashlib.sha256).digest()[:16]


def padded_length(length: int) -> int:
    needed = length + 1
    if needed <= 256:
        return math.ceil(needed / 64) * 64
    exponent = math.floor(math.log2(needed))
    significant = math.floor(math.log2(exponent)) + 1
    step = 1 << (exponent - significant)
    return math.ceil(needed / step) * step


def padded(plaintext: bytes) -> bytes:
    zeros = padded_length(len(plaintext)) - len(plaintext) - 1
    return plaintext + b"\x80" + b"\x00" * zeros


def varint(value: int) -> bytes:
    groups = [value >> shift & 0x7F for shift in range(0, max(value.bit_length(), 1), 7)]
    return bytes([group | 0x80 for group in groups[:-1]] + groups[-1:])


def stored_body(scope: str, changes: bytes, frontier: list[Any], head: list[Any] | None) -> bytes:
    name = scope.encode()
    entries = b"".join(bytes.fromhex(device) + bytes.fromhex(prefix) + varint(seq) for device, seq, prefix in frontier)
    relay = b"\x00" if head is None else b"\x01" + bytes.fromhex(head[0]) + varint(head[1])
    content = b"\x01" + varint(len(name)) + name + varint(len(frontier)) + entries + relay + changes
    return padded(b"\x00" + content)


def commit(signing_seed: bytes, channel_key: bytes, fields: Json) -> bytes:
    derived = hmac.new(channel_key, b"vademecum/commit/v1" + fields["nonce"], hashlib.sha512).digest()
    header: bytes = b"VM\x01\x01" + fields["vault"] + fields["channel"] + fields["device"]
    header += struct.pack(">IIQ", fields["epoch"], fields["generation"], fields["seq"])
    header += fields["previous"] + fields["nonce"] + derived[32:]
    unsigned = header + AESGCM(derived[:32]).encrypt(bytes(12), fields["plaintext"], header)
    message = b"vademecum/commit-signature/v1" + hashlib.sha512(unsigned).digest()
    return unsigned + Ed25519PrivateKey.from_private_bytes(signing_seed).sign(message)


def snapshot_content(scope: str, content: bytes) -> bytes:
    name = scope.encode()
    return b"\x01" + bytes([len(name)]) + name + content


def snapshot_part(signing_seed: bytes, channel_key: bytes, fields: Json, piece: bytes) -> bytes:
    derived = hmac.new(channel_key, b"vademecum/snapshot/v1" + fields["nonce"], hashlib.sha512).digest()
    header: bytes = b"VM\x01\x02" + fields["vault"] + fields["channel"] + fields["device"]
    header += struct.pack(">IIII", fields["epoch"], fields["generation"], fields["index"], fields["count"])
    header += fields["previous"] + fields["nonce"] + derived[32:] + struct.pack(">H", len(fields["frontier"]))
    for device, seq, end in fields["frontier"]:
        header += bytes.fromhex(device) + struct.pack(">Q", seq) + bytes.fromhex(end)
    unsigned = header + AESGCM(derived[:32]).encrypt(bytes(12), padded(piece), header)
    message = b"vademecum/snapshot-signature/v1" + hashlib.sha512(unsigned).digest()
    return unsigned + Ed25519PrivateKey.from_private_bytes(signing_seed).sign(message)


def check_login(signing: bytes, fields: Json) -> None:
    place = fields["origin"].encode()
    message = b"vademecum/login/v1" + struct.pack(">H", len(place)) + place + fields["vault"] + fields["device"]
    message += fields["nonce"] + struct.pack(">Q", fields["expiry_ms"])
    Ed25519PublicKey.from_public_bytes(signing).verify(fields["signature"], message)


def check_statement(signing: bytes, raw: bytes) -> None:
    message = b"vademecum/roster-signature/v1" + raw[:-64]
    Ed25519PublicKey.from_public_bytes(signing).verify(raw[-64:], message)


def roster_head(vault: bytes, statements: list[bytes]) -> bytes:
    return sha256(b"vademecum/roster-head/v1", vault, *sorted({sha256(raw) for raw in statements}))


def recovery_seeds(entropy: bytes) -> tuple[bytes, bytes]:
    return hkdf(entropy, b"vademecum/recovery-signing/v1"), hkdf(entropy, b"vademecum/recovery-receiving/v1")


def phrase(entropy: bytes, words: list[str]) -> str:
    """BIP 39 for 256 bits."""
    bits = int.from_bytes(entropy + sha256(entropy)[:1], "big")
    return " ".join(words[bits >> 11 * place & 2047] for place in reversed(range(24)))


def mailbox(code: str) -> bytes:
    return sha256(b"vademecum/mailbox/v1", code[:4].encode())[:16]


def pairing_transcript(code: str, messages: list[bytes]) -> bytes:
    transcript = sha256(b"vademecum/pairing-transcript/v1", mailbox(code))
    for message in messages:
        transcript = sha256(b"vademecum/pairing-transcript/v1", transcript, message)
    return transcript


def pairing_open(key: bytes, side: str, transcript: bytes, message: bytes) -> bytes:
    """The padded plaintext of j2 (side ``joiner``) or i2 (side ``inviter``), its proof checked."""
    proof, sealed = message[2:34], message[34:]
    proof_key = hkdf(key, f"vademecum/pairing-{side}-proof/v1".encode(), transcript)
    assert proof == hmac.new(proof_key, sealed, hashlib.sha256).digest()
    seal_key = hkdf(key, f"vademecum/pairing-{side}-key/v1".encode(), transcript)
    return AESGCM(seal_key).decrypt(bytes(12), sealed, None)
