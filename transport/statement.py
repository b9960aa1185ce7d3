"""One statement of the roster, as bytes: form only, nothing is believed here.

    magic ``VR`` · version 1 · content (msgpack) · Ed25519 signature 64

    content = [kind, mandatory, vault, author, parents, at_ms, fields]

A kind that this program does not know is kept and passed on where the statement says that it may be ignored, and
refused by name where it is mandatory. The same goes for fields: one may be ignored where its name ends in ``?``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias, TypeVar

from vademecum.errors import InvalidRoster, MalformedBytes
from vademecum.transport import contexts
from vademecum.transport.keys import ID_SIZE, SIGNATURE_SIZE, DeviceKeys, DevicePublic
from vademecum.transport.strict import U64, as_array, as_bool, as_bytes, as_int, as_map, as_text, pack, unpack
from vademecum.transport.vault_secrets import CHECK_SIZE

__all__ = [
    "ADD",
    "GENESIS",
    "MAX_STATEMENT",
    "RENAME",
    "REVOKE",
    "ROLES",
    "SUCCEED",
    "WITNESS",
    "Entry",
    "Held",
    "Statement",
    "make_statement",
    "parse_statement",
]

GENESIS: Final = "genesis"
ADD: Final = "add"
SUCCEED: Final = "succeed"
REVOKE: Final = "revoke"
WITNESS: Final = "witness"
RENAME: Final = "rename"
ROLES: Final = ("administrator", "member", "recovery")

MAX_STATEMENT: Final = 128 << 10  # bytes; new keys for some eighty devices in one statement
MAX_PARENTS: Final = 64
MAX_TIME_MS: Final = (1 << 53) - 1  # what every language's numbers can hold

_T = TypeVar("_T")
_HASH: Final = 32
_PREFIX: Final = b"VR\x01"
_SIGNING_KEYS: Final = 32
_RECEIVING_KEYS: Final = 1216
_MAX_SEALED_NAME: Final = 256
_MAX_WRAP: Final = 4096
_MAX_REVOKED: Final = 64
_MAX_WRAPS: Final = 128
_MAX_EARLIER: Final = 1024
_MAX_EARLIER_KEYS: Final = 64 << 10
_MAX_HELD: Final = 2048


@dataclass(frozen=True)
class Entry:
    """A device as the statement that brings it in describes it; `wrap` is the epoch's secrets for it alone."""

    public: DevicePublic
    role: str
    sealed_name: bytes
    wrap: bytes


class Held(NamedTuple):
    """The end of the chain of `device` in `channel`, as a witness holds it."""

    device: bytes
    channel: bytes
    seq: int
    hash: bytes


@dataclass(frozen=True)
class Statement:
    """A parsed statement; `raw` is the truth, the rest is read from it.

    What follows `at_ms` is set for the kinds that have it: see the table in docs/protocol.md.
    """

    raw: bytes
    kind: str
    vault: bytes
    author: bytes
    parents: tuple[bytes, ...]
    at_ms: int
    epoch: int = 0
    members: tuple[Entry, ...] = ()
    salt: bytes = b""
    check: bytes = b""
    revoked: tuple[bytes, ...] = ()
    wraps: tuple[tuple[bytes, bytes], ...] = ()
    earlier: tuple[bytes, ...] = ()
    earlier_keys: bytes = b""
    held: tuple[Held, ...] = ()
    snapshots: tuple[bytes, ...] = ()
    device: bytes = b""
    sealed_name: bytes = b""

    @cached_property
    def hash(self) -> bytes:
        """SHA-256 of the whole statement, signature included."""
        return hashlib.sha256(self.raw).digest()

    def verify(self, public: DevicePublic) -> None:
        """Checks that `public` signed this. Raises BadSignature."""
        public.verify(contexts.ROSTER_SIGNATURE + self.raw[:-SIGNATURE_SIZE], self.raw[-SIGNATURE_SIZE:])


def make_statement(
    keys: DeviceKeys,
    kind: str,
    *,
    vault: bytes,
    parents: tuple[bytes, ...],
    at_ms: int,
    fields: Mapping[str, object],
    mandatory: bool = True,
) -> bytes:
    """A signed statement. The fields of the known kinds are those that `parse_statement` reads."""
    content = [kind, mandatory, vault, keys.device, sorted(parents), at_ms, dict(fields)]
    unsigned = _PREFIX + pack(content)
    return unsigned + keys.sign(contexts.ROSTER_SIGNATURE + unsigned)


def entry_fields(entry: Entry) -> list[object]:
    """`entry` as it stands in the field ``members``."""
    return [entry.public.signing, entry.public.receiving, entry.role, entry.sealed_name, entry.wrap]


def parse_statement(raw: bytes) -> Statement:
    """Reads a statement's form. Its signature and its place in a roster are not checked.

    Raises:
        MalformedBytes: the bytes are no statement.
        InvalidRoster: it is of a kind, or has a field or role, that this program does not know and may not ignore.
    """
    if not raw.startswith(_PREFIX[:2]):
        raise MalformedBytes("These bytes are not a statement of a roster.")
    if not raw.startswith(_PREFIX):
        raise MalformedBytes("A statement of the roster is of a version that this program does not know.")
    if len(raw) > MAX_STATEMENT:
        raise MalformedBytes(f"A statement of the roster has {len(raw)} bytes; at most {MAX_STATEMENT} are allowed.")
    value = unpack(raw[len(_PREFIX) : -SIGNATURE_SIZE], "A statement of the roster", at_most=MAX_STATEMENT)
    kind_value, mandatory_value, vault, author, parents_value, at_ms, fields_value = as_array(
        value, "A statement of the roster", exactly=7
    )
    kind = as_text(kind_value, "The kind of a statement", at_most=32)
    mandatory = as_bool(mandatory_value, "The mark of a mandatory statement")
    parents = tuple(
        as_bytes(parent, "A parent of a statement", exactly=32)
        for parent in as_array(parents_value, "The parents of a statement", at_most=MAX_PARENTS)
    )
    if any(a >= b for a, b in pairwise(parents)):
        raise MalformedBytes("The parents of a statement are not sorted, or one is there twice.")
    fields = as_map(fields_value, "The fields of a statement", at_most=64)
    head = (
        raw,
        kind,
        as_bytes(vault, "The vault of a statement", exactly=ID_SIZE),
        as_bytes(author, "The author of a statement", exactly=ID_SIZE),
        parents,
        as_int(at_ms, "The time of a statement", at_most=MAX_TIME_MS),
    )
    if kind == GENESIS:
        _know_only(fields, kind, ("epoch", "members", "salt", "check"))
        return Statement(
            *head,
            epoch=_epoch(fields),
            members=_members(fields),
            salt=as_bytes(fields.get("salt"), "The salt of a vault", exactly=ID_SIZE),
            check=as_bytes(fields.get("check"), "The check value of an epoch", exactly=CHECK_SIZE),
        )
    if kind in (ADD, SUCCEED):
        _know_only(fields, kind, ("epoch", "members"))
        return Statement(*head, epoch=_epoch(fields), members=_members(fields))
    if kind == REVOKE:
        return _revocation(head, fields)
    if kind == WITNESS:
        _know_only(fields, kind, ("held", "snapshots"))
        return Statement(
            *head,
            held=_sorted(fields, "held", "What a witness holds", _held, _MAX_HELD),
            snapshots=_sorted(fields, "snapshots", "A snapshot's id", _id, _MAX_HELD),
        )
    if kind == RENAME:
        _know_only(fields, kind, ("epoch", "device", "name"))
        return Statement(
            *head,
            epoch=_epoch(fields),
            device=_id(fields.get("device"), "A device in a statement"),
            sealed_name=as_bytes(fields.get("name"), "A sealed name", at_most=_MAX_SEALED_NAME),
        )
    if mandatory:
        raise InvalidRoster(
            f"The roster holds a statement of the kind {kind!r}, which this program does not know and may not ignore: "
            "update it."
        )
    return Statement(*head)


def _know_only(fields: dict[object, object], kind: str, known: tuple[str, ...]) -> None:
    for name in fields:
        if not isinstance(name, str):
            raise MalformedBytes("The name of a statement's field is not text.")
        if name not in known and not name.endswith("?"):
            raise InvalidRoster(
                f"A statement of the kind {kind!r} has the field {name!r}, which this program does not know and may "
                "not ignore: update it."
            )


_Head: TypeAlias = tuple[bytes, str, bytes, bytes, tuple[bytes, ...], int]


def _revocation(head: _Head, fields: dict[object, object]) -> Statement:
    _know_only(fields, REVOKE, ("epoch", "revoked", "wraps", "check", "earlier", "keys"))
    wraps = _sorted(fields, "wraps", "A wrapped key for a device", _wrap, _MAX_WRAPS)
    if any(a == b for (a, _), (b, _) in pairwise(wraps)):
        raise MalformedBytes("A revocation wraps its keys twice for one device.")
    return Statement(
        *head,
        epoch=_epoch(fields),
        check=as_bytes(fields.get("check"), "The check value of an epoch", exactly=CHECK_SIZE),
        revoked=_sorted(fields, "revoked", "A revoked device", _id, _MAX_REVOKED),
        wraps=wraps,
        earlier=_sorted(fields, "earlier", "An earlier epoch", _hash, _MAX_EARLIER),
        earlier_keys=as_bytes(fields.get("keys"), "The keys of earlier epochs", at_most=_MAX_EARLIER_KEYS),
    )


def _sorted(
    fields: dict[object, object], name: str, what: str, read: Callable[[object, str], _T], at_most: int
) -> tuple[_T, ...]:
    """The field's items: each of them once, in the order of their values, so that equal sets have equal bytes."""
    items = tuple(read(item, what) for item in as_array(fields.get(name), f"The field {name!r}", at_most=at_most))
    if any(a >= b for a, b in pairwise(items)):  # type: ignore[operator]  # bytes, or tuples that begin with them
        raise MalformedBytes(f"The field {name!r} of a statement is not sorted, or has something twice.")
    return items


def _id(value: object, what: str) -> bytes:
    return as_bytes(value, what, exactly=ID_SIZE)


def _hash(value: object, what: str) -> bytes:
    return as_bytes(value, what, exactly=_HASH)


def _wrap(value: object, what: str) -> tuple[bytes, bytes]:
    device, wrap = as_array(value, what, exactly=2)
    return _id(device, what), as_bytes(wrap, what, at_most=_MAX_WRAP)


def _held(value: object, what: str) -> Held:
    device, channel, seq, its_hash = as_array(value, what, exactly=4)
    return Held(
        _id(device, what),
        _id(channel, what),
        as_int(seq, "The number of a commit", at_least=1, at_most=U64),
        _hash(its_hash, what),
    )


def _epoch(fields: dict[object, object]) -> int:
    return as_int(fields.get("epoch"), "The epoch of a statement", at_least=1, at_most=(1 << 32) - 1)


def _members(fields: dict[object, object]) -> tuple[Entry, ...]:
    return tuple(_entry(item) for item in as_array(fields.get("members"), "The members of a statement", at_most=64))


def _entry(value: object) -> Entry:
    signing, receiving, role_value, sealed_name, wrap = as_array(value, "A member in a statement", exactly=5)
    role = as_text(role_value, "The role of a member", at_most=32)
    if role not in ROLES:
        raise InvalidRoster(
            f"The roster gives a device the role {role!r}, which this program does not know: update it."
        )
    return Entry(
        DevicePublic(
            as_bytes(signing, "A signing key", exactly=_SIGNING_KEYS),
            as_bytes(receiving, "A receiving key", exactly=_RECEIVING_KEYS),
        ),
        role,
        as_bytes(sealed_name, "A sealed name", at_most=_MAX_SEALED_NAME),
        as_bytes(wrap, "A wrapped key", at_most=_MAX_WRAP),
    )
