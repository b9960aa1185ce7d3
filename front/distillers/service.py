"""Where a service is and with which key it is asked; and what its refusals mean, in plain words."""

from __future__ import annotations

import ipaddress
import os
import re
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from vademecum.errors import InvalidArgument, MalformedBytes, Unsupported

from .asking import NoAnswer, NoService
from .replies import decode_json

__all__ = ["Service", "decode_body", "missing_extra", "refusal", "service_at"]

MAX_BODY_TEXT = 2 * 1024 * 1024


# Two parsers read an address, this one and the client's; of what neither can take otherwise they think the same.
_PLAIN = re.compile(r"[!-\[\]-~]+")
_HOST = re.compile(r"[a-z0-9][a-z0-9._-]*|[0-9a-f:.]+")


class Service(NamedTuple):
    """``host`` is how people see it; ``local`` is whether it is on this machine."""

    url: str
    host: str
    local: bool
    key: str | None

    def __repr__(self) -> str:
        return f"Service({self.url!r})"  # never the key


def service_at(url: str, key: str | None, *, variable: str, allow_http: bool) -> Service:
    """The service at *url*, with *key* or the one in the environment's *variable*.

    Raises `InvalidArgument` for an address that is none, for one that is neither on this machine nor encrypted (unless
    *allow_http*), and where a service on another machine has no key.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:  # half an IPv6 address, a port that is no number
        host = None
    if not host or parts.scheme not in ("http", "https") or not _PLAIN.fullmatch(url) or not _HOST.fullmatch(host):
        raise InvalidArgument(f"{url!r} is not the address of a service; write it as https://host/v1.")
    if parts.username is not None or parts.password is not None:
        raise InvalidArgument(f"The address of the service at {host} holds a password; give the key apart from it.")
    local = _is_local(host)
    if parts.scheme == "http" and not local and not allow_http:
        raise InvalidArgument(
            f"The service at {host} is on another machine, and http:// would send what was said in the open. Use "
            f"https://, or allow it where the network between is yours (allow_http)."
        )
    given = key if key is not None else os.environ.get(variable) or None
    if given is not None and (not given.isascii() or not given.isprintable() or given != given.strip()):
        raise InvalidArgument(f"The key for {host} holds characters that no key has; check {variable}.")
    if given is None and parts.scheme == "https" and not local:
        raise InvalidArgument(f"The service at {host} needs a key: set {variable}, or give one.")
    return Service(url, f"{host}:{port}" if port else host, local, given)


def missing_extra(distiller: str, extra: str) -> Unsupported:
    return Unsupported(f"{distiller} needs the package {extra}. Install it with: pip install 'vademecum[{extra}]'")


def refusal(name: str, service: Service, status: int, model: str) -> NoAnswer:
    """What the HTTP *status* of an error means. The service's own words are left out: some repeat the key, or what
    they were sent.
    """
    where = f"{name} at {service.host}"
    if status in (401, 403):
        return NoService(f"{where} does not accept the key ({status}).")
    if status == 402:
        return NoService(f"{where} asks to be paid first ({status}).")
    if status == 404:
        return NoService(f"{where} does not know the model {model!r} or the address ({status}).")
    if status == 429:
        return NoService(f"{where} is busy, or what it may be used for is used up ({status}).")
    if status >= 500:
        return NoService(f"{where} has a fault or is overloaded ({status}).")
    if 300 <= status < 400:
        return NoService(f"{where} points to another address ({status}), which is not followed.")
    return NoAnswer(f"{where} did not take the request ({status}).")


def decode_body(name: str, body: bytes) -> dict[str, Any]:
    """The object that a service sent with success. Raises `NoAnswer`."""
    try:
        decoded = decode_json(body.decode(), MAX_BODY_TEXT)
    except (UnicodeDecodeError, MalformedBytes):
        decoded = None
    if not isinstance(decoded, dict):
        raise NoAnswer(f"{name} answered with something that is not JSON.")
    return decoded


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
