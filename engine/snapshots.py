"""A snapshot: all that still counts in one scope, as slots and not as CRDT bytes, and its bytes. Pure.

The document of a generation is *built* from the snapshot by every device that adopts it, slot by slot in canonical
order, under a client id drawn from the snapshot's own hash. So the operations of the new document have the same ids
everywhere, and no device ever sends them; what devices write afterwards builds on them, under their own client ids,
whose clocks begin at 0.

Canonical order is by map, name, class, device. There is one byte form of each snapshot, and nothing else decodes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import msgpack

from vademecum.errors import MalformedBytes

from .slots import SEPARATOR, Slot, SlotMap
from .view import is_name

__all__ = ["Held", "Retained", "Snapshot", "base_client", "decode_snapshot", "encode_snapshot"]

_VERSION = 1
_ID = 16
_MAX_GENERATION = 2**32 - 1
_CLIENT_BITS = 53
_DOMAIN = b"vademecum generation 1\0"


class Held(NamedTuple):
    """A slot that still counts."""

    map: SlotMap
    name: str
    slot: Slot

    @property
    def key(self) -> tuple[int, bytes, bool, bytes]:
        """Its place in the canonical order."""
        return self.map, self.name.encode(), self.slot.by_person, self.slot.device


class Retained(NamedTuple):
    """A row of the journal that no slot holds. ``forgotten``: the person has had its value removed."""

    map: SlotMap
    name: str
    slot: Slot
    forgotten: bool

    @property
    def key(self) -> tuple[int, bytes, int, bytes, bool]:
        """Its place in the canonical order: by name, and there by order."""
        return self.map, self.name.encode(), self.slot.record.order, self.slot.device, self.slot.by_person


class Snapshot(NamedTuple):
    """The whole state of one scope.

    *generation* is that of the document built from it. *clients* are (device, CRDT client id) of all devices that
    have written, by device. Of the journal below the order *horizon* only what is needed is in it, on purpose.
    """

    generation: int
    slots: tuple[Held, ...]
    superseded: tuple[Retained, ...] = ()
    clients: tuple[tuple[bytes, int], ...] = ()
    horizon: int = 0

    def rows(self) -> list[Held | Retained]:
        """Everything that is told of a name."""
        return [*self.slots, *self.superseded]


def base_client(snapshot: Snapshot) -> int:
    """The client id under which the document of *snapshot* is built. O(bytes)."""
    digest = hashlib.sha256(_DOMAIN + encode_snapshot(snapshot)).digest()
    return int.from_bytes(digest[:8], "big") >> (64 - _CLIENT_BITS) or 1


def encode_snapshot(snapshot: Snapshot) -> bytes:
    """``[version, generation, horizon, devices, clients, slots, superseded]``.

    *devices* are all that are named, in order, and elsewhere their places stand. *clients* are ``[place, client]``.
    *slots* are the columns ``[maps, names, owners, records]``, *superseded* also has ``forgotten``; maps and forgotten
    are bytes, one for each row; an owner is twice the place of its device, plus 1 for the person's class.
    """
    devices = sorted({row.slot.device for row in snapshot.rows()} | {device for device, _ in snapshot.clients})
    place = {device: number for number, device in enumerate(devices)}
    fields = [
        _VERSION,
        snapshot.generation,
        snapshot.horizon,
        devices,
        [[place[device], client] for device, client in snapshot.clients],
        _columns(snapshot.slots, place),
        [*_columns(snapshot.superseded, place), bytes(row.forgotten for row in snapshot.superseded)],
    ]
    return bytes(msgpack.packb(fields))


def decode_snapshot(data: bytes) -> Snapshot:
    """Raises `MalformedBytes` for anything that `encode_snapshot` could not have made."""
    try:
        fields = msgpack.unpackb(data)
        if type(fields) is not list or len(fields) != 7 or fields[0] != _VERSION:
            raise MalformedBytes("A snapshot has a form that this program does not know.")
        _, generation, horizon, devices, clients, slots, superseded = fields
        _number(generation, 1, _MAX_GENERATION)
        _number(horizon, 0, 2**64 - 1)
        for device in devices:
            if type(device) is not bytes or len(device) != _ID:
                raise MalformedBytes("A snapshot names a device that is none.")
        *columns, forgotten = superseded
        if type(forgotten) is not bytes or len(forgotten) != len(columns[0]):
            raise MalformedBytes("The columns of a snapshot differ in length.")
        snapshot = Snapshot(
            generation,
            tuple(Held(*row) for row in _rows(slots, devices)),
            tuple(Retained(*row, flag == 1) for row, flag in zip(_rows(columns, devices), forgotten, strict=True)),
            tuple((devices[_number(at, 0, len(devices))], _number(one, 0, 2**_CLIENT_BITS)) for at, one in clients),
            horizon,
        )
    except (ValueError, TypeError, IndexError, KeyError, RecursionError, msgpack.UnpackException) as error:
        raise MalformedBytes(f"A snapshot does not decode ({type(error).__name__}).") from error
    _check_order([held.key for held in snapshot.slots])
    _check_order([retained.key for retained in snapshot.superseded])
    _check_order([device for device, _ in snapshot.clients])
    if encode_snapshot(snapshot) != data:
        raise MalformedBytes("A snapshot is written in another way than its own.")
    return snapshot


def _columns(rows: Sequence[Held | Retained], place: dict[bytes, int]) -> list[Any]:
    return [
        bytes(row.map for row in rows),
        [row.name for row in rows],
        [2 * place[row.slot.device] + row.slot.by_person for row in rows],
        [row.slot.data for row in rows],
    ]


def _rows(columns: Any, devices: Sequence[bytes]) -> list[tuple[SlotMap, str, Slot]]:
    maps, names, owners, records = columns
    if type(maps) is not bytes:
        raise MalformedBytes("The maps of a snapshot are not bytes.")
    rows = []
    for number, name, owner, data in zip(maps, names, owners, records, strict=True):
        if type(name) is not str or not is_name(name) or SEPARATOR in name:
            raise MalformedBytes("A snapshot holds a name that cannot be one.")
        if type(data) is not bytes:
            raise MalformedBytes("A snapshot holds a record that is not bytes.")
        device = devices[_number(owner, 0, 2 * len(devices)) // 2]
        rows.append((SlotMap(number), name, Slot.of(owner % 2 == 1, device, data)))
    return rows


def _number(value: object, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise MalformedBytes("A number in a snapshot is out of range.")
    return value


def _check_order(keys: Sequence[Any]) -> None:
    if any(before >= after for before, after in pairwise(keys)):
        raise MalformedBytes("A snapshot is not in its canonical order.")
