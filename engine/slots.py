"""Slots: the keys under which devices keep their records, and the row that gathers all slots of one name.

In a scope's CRDT document each map holds ``name ␟ class ␟ device → record``. In the database each name has one row
with all its slots, the winner first, so that reading never needs the document.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

import msgpack

from vademecum.errors import MalformedBytes

from .law import Forgotten, Standing, is_deletion, nobody_forgotten, winner
from .records import Record, decode_record

__all__ = ["Row", "Slot", "SlotMap", "decode_row", "encode_row", "is_live", "parse_slot_key", "row_of", "slot_key"]

SEPARATOR = "\x1f"  # ␟, unit separator: no path, id or setting may hold it
PERSON = "u"
AGENT = "a"
_PERSON_BYTE = ord(PERSON)


class SlotMap(IntEnum):
    """The maps of a scope's document. The number stands in keys of the database, the name in the document."""

    LEAVES = 1
    RECEIPTS = 2
    MESSAGES = 3
    SETTINGS = 4
    GRANTS = 5
    LINKS = 6
    OBSERVATIONS = 7
    SUGGESTIONS = 8

    @property
    def root(self) -> str:
        return self.name.lower()


class Slot(NamedTuple):
    """One device's record for one name and class: as it stands in the document, and as the law sees it."""

    by_person: bool
    device: bytes
    data: bytes
    record: Record

    @property
    def standing(self) -> Standing:
        record = self.record
        return Standing(
            record.order, self.device, self.by_person, record.deleted, record.seen, record.heard, record.writer
        )

    @classmethod
    def of(cls, by_person: bool, device: bytes, data: bytes) -> Slot:
        """Raises `MalformedBytes`; also where a record says it is the person's in an agent's slot, or the reverse."""
        record = decode_record(data)
        if record.by_person is not by_person:
            raise MalformedBytes("A record stands in a slot of the other class.")
        return cls(by_person, device, data, record)


class Row(NamedTuple):
    """All slots of one name. ``live`` tells whether the first of them, the winner, is a value."""

    live: bool
    slots: tuple[Slot, ...]

    @property
    def winner(self) -> Record | None:
        """The winning value, or None where the name has none."""
        return self.slots[0].record if self.live else None

    def own(self, by_person: bool, device: bytes) -> Slot | None:
        return next((slot for slot in self.slots if slot.device == device and slot.by_person is by_person), None)

    @property
    def newest_by_person(self) -> int:
        """Order of the newest record of the person's, 0 if there is none: what a writer has *seen*."""
        return max((slot.record.order for slot in self.slots if slot.by_person), default=0)

    @property
    def newest(self) -> int:
        """Order of the newest record, 0 if there is none."""
        if len(self.slots) == 1:
            return self.slots[0].record.order
        return max((slot.record.order for slot in self.slots), default=0)


EMPTY_ROW = Row(False, ())


def row_of(slots: Sequence[Slot], forgotten: Forgotten = nobody_forgotten) -> Row:
    """The row of *slots*: the law's winner first, the others in a fixed order."""
    if len(slots) == 1:  # as it is for most names
        only = slots[0]
        return Row(not is_deletion(only.record, forgotten), (only,))
    verdict = winner([slot.standing for slot in slots], forgotten)
    if verdict is None:
        return EMPTY_ROW
    first = slots[verdict.place]
    rest = sorted((slot for slot in slots if slot is not first), key=lambda slot: (not slot.by_person, slot.device))
    return Row(not verdict.deleted, (first, *rest))


def slot_key(name: str, by_person: bool, device: bytes) -> str:
    """The key in the document."""
    return f"{name}{SEPARATOR}{PERSON if by_person else AGENT}{SEPARATOR}{device_tag(device)}"


def device_tag(device: bytes) -> str:
    """A device as it stands at the end of a slot's key."""
    return urlsafe_b64encode(device).rstrip(b"=").decode()


def parse_slot_key(key: str) -> tuple[str, bool, bytes]:
    """(name, by person, device). Raises `MalformedBytes`."""
    name, _, owner = key.partition(SEPARATOR)
    if not name:
        raise MalformedBytes("A key in a document is not the key of a slot.")
    return name, *_owner(owner)


@lru_cache(maxsize=1024)  # a document has few owners, each of them in thousands of keys
def _owner(text: str) -> tuple[bool, bytes]:
    """(by person, device) from what follows the name. Raises `MalformedBytes`."""
    owner, _, tag = text.partition(SEPARATOR)
    if owner not in (PERSON, AGENT) or len(tag) != 22:
        raise MalformedBytes("A key in a document is not the key of a slot.")
    try:
        device = urlsafe_b64decode(tag + "==")
    except ValueError as error:
        raise MalformedBytes("A key in a document names no device.") from error
    if device_tag(device) != tag:
        raise MalformedBytes("A key in a document names a device in another way than its own.")
    return owner == PERSON, device


# One packer for all: making one takes longer than using it. Safe among threads, for no Python code runs while it packs
# a list of bytes.
_pack: Callable[[object], bytes] = msgpack.Packer().pack


def encode_row(row: Row) -> bytes:
    """``[live, class ‖ device, record, class ‖ device, record, …]``"""
    fields: list[bool | bytes] = [row.live]
    for by_person, device, data, _ in row.slots:
        fields += (b"u" + device if by_person else b"a" + device, data)
    return _pack(fields)


def is_live(data: bytes) -> bool:
    """Whether the name of the row kept as *data* has a value; several times faster than to decode its records."""
    return msgpack.unpackb(data)[0] is True


def decode_row(data: bytes | None) -> Row:
    """The row kept as *data*; the empty one for None. Raises `MalformedBytes`."""
    if data is None:
        return EMPTY_ROW
    try:
        live, *rest = msgpack.unpackb(data)
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        raise MalformedBytes(f"A row does not decode ({type(error).__name__}).") from error
    if type(live) is not bool or len(rest) % 2:
        raise MalformedBytes("A row is not a verdict followed by slots.")
    slots = []
    for place in range(0, len(rest), 2):
        owner = rest[place]
        if type(owner) is not bytes or len(owner) != 17 or owner[0] not in b"ua":
            raise MalformedBytes("A slot in a row has no owner.")
        slots.append(Slot.of(owner[0] == _PERSON_BYTE, owner[1:], rest[place + 1]))
    if live and (not slots or slots[0].record.deleted):
        raise MalformedBytes("A row has a value without a winner.")
    return Row(live, tuple(slots))
