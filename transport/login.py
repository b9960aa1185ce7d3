"""How a device proves itself to a relay: it signs the relay's challenge, bound to the place it dialled.

The relay sends 32 random bytes and an expiry; both belong to one connection and are used once. The origin in the
signed message keeps a relay from passing the proof on to another one.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from vademecum.errors import BadSignature, InvalidArgument
from vademecum.transport import contexts
from vademecum.transport.keys import ID_SIZE, DeviceKeys, DevicePublic

__all__ = ["CHALLENGE_SECONDS", "CHALLENGE_SIZE", "check_login", "origin_of", "sign_login"]

CHALLENGE_SIZE: Final = 32  # bytes of randomness in a challenge
CHALLENGE_SECONDS: Final = 30  # how long a relay lets a challenge live

_DEFAULT_PORTS: Final = {"http": 80, "ws": 80, "https": 443, "wss": 443}


def origin_of(url: str) -> str:
    """`host:port` in lower case, with the scheme's own port where `url` names none.

    The scheme itself is left out: behind a proxy that ends TLS, a relay does not see it.

    Raises:
        InvalidArgument: `url` is not http, https, ws or wss, or has no host.
    """
    refusal = f"{url!r} is not an address of a relay; one looks like https://relay.example:8443."
    if not isinstance(url, str) or not url.isprintable() or " " in url:
        raise InvalidArgument(refusal)
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        host.encode("idna")  # as it will be looked up
    except ValueError as error:
        raise InvalidArgument(f"{url!r} is not an address of a relay: {error}.") from error
    if parts.scheme not in _DEFAULT_PORTS or not host:
        raise InvalidArgument(refusal)
    name = f"[{host}]" if ":" in host else host
    return f"{name.lower()}:{port if port is not None else _DEFAULT_PORTS[parts.scheme]}"


def sign_login(keys: DeviceKeys, *, origin: str, vault: bytes, nonce: bytes, expiry_ms: int) -> bytes:
    """The 64-byte proof that this device answered this challenge.

    Args:
        keys: of the device that logs in.
        origin: `origin_of` the address that was dialled.
        vault: 16-byte id.
        nonce: the challenge, 32 bytes.
        expiry_ms: the challenge's expiry, in milliseconds since 1970 by the relay's clock.

    Raises:
        InvalidArgument: an argument has another size.
    """
    return keys.sign(_message(origin, vault, keys.device, nonce, expiry_ms))


def check_login(
    public: DevicePublic,
    signature: bytes,
    *,
    origin: str,
    vault: bytes,
    nonce: bytes,
    expiry_ms: int,
    now_ms: int,
) -> None:
    """Checks a proof. The caller has looked `public` up in the roster and forgets the nonce whatever comes of it.

    Raises:
        BadSignature: the challenge has expired, or the proof is not this device's for it.
        InvalidArgument: an argument has another size.
    """
    if now_ms >= expiry_ms:
        raise BadSignature("The login came after its challenge had expired; connect again.")
    public.verify(_message(origin, vault, public.device, nonce, expiry_ms), signature)


def _message(origin: str, vault: bytes, device: bytes, nonce: bytes, expiry_ms: int) -> bytes:
    place = origin.encode("utf-8")
    if len(vault) != ID_SIZE or len(nonce) != CHALLENGE_SIZE or len(place) > 0xFFFF or not 0 <= expiry_ms < 1 << 64:
        raise InvalidArgument("A login takes a 16-byte vault id, a 32-byte challenge and an expiry in milliseconds.")
    return b"".join(
        (
            contexts.LOGIN_SIGNATURE,
            len(place).to_bytes(2, "big"),
            place,
            vault,
            device,
            nonce,
            expiry_ms.to_bytes(8, "big"),
        )
    )
