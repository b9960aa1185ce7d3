"""The CRDT document of a scope. The only module that knows pycrdt.

pycrdt gives integers back as floats and bytes as ``bytearray``, panics on integers above 2^63, and lets the *higher
client id* win where two devices write one key. Hence the rules kept here: only packed bytes go in, each device writes
only its own keys, observers are never removed, root maps are taken before any transaction, and a Rust panic (which is
no ``Exception``) becomes an error of ours.

A document has no rollback. After any error inside `edit` or `apply` it must be thrown away and loaded again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeAlias

import pycrdt

from vademecum.errors import MalformedBytes

from .slots import SlotMap

__all__ = ["Changed", "Document", "merge_updates", "update_origin"]


Changed: TypeAlias = "dict[SlotMap, dict[str, bytes | None]]"
"""Keys of each map that an update has changed, and what they hold now; None where the key is gone."""


class Document:
    """One scope's document, held in memory. Not thread-safe; lives under the writer's lock.

    *client* is this installation's client id in CRDT terms, below 2^53. Two documents that write under one client id
    while apart end with equal state vectors and different content: it must never be used by two installations.
    """

    def __init__(self, client: int) -> None:
        self.client = client
        self._doc: pycrdt.Doc[Any] = pycrdt.Doc(client_id=client)
        self._maps: dict[SlotMap, pycrdt.Map[Any]] = {
            slot_map: self._doc.get(slot_map.root, type=pycrdt.Map) for slot_map in SlotMap
        }
        self._changed: Changed | None = None
        self._updates: list[bytes] = []
        self._subscriptions: list[object] = []

    def load(self, update: bytes) -> None:
        """Takes in an update that was applied before, by this replica. Raises `MalformedBytes`."""
        with _translated():
            self._doc.apply_update(update)

    def apply(self, update: bytes) -> Changed:
        """Takes in another device's update; returns the keys that changed. Raises `MalformedBytes`."""
        self._watch()
        self._changed = {}
        try:
            with _translated():
                self._doc.apply_update(update)
            return self._changed
        finally:
            self._changed = None
            self._updates.clear()

    @contextmanager
    def edit(self) -> Iterator[list[bytes]]:
        """A local transaction. The list given holds, once it is over, the update that it made (or nothing)."""
        self._watch()
        made: list[bytes] = []
        self._updates.clear()
        with self._doc.transaction():
            yield made
        made.extend(self._updates)
        self._updates.clear()

    def put(self, slot_map: SlotMap, key: str, data: bytes) -> None:
        self._maps[slot_map][key] = data

    def remove(self, slot_map: SlotMap, key: str) -> None:
        """Removes *key*; nothing happens if it is not there."""
        self._maps[slot_map].pop(key, None)

    def get(self, slot_map: SlotMap, key: str) -> bytes | None:
        found = self._maps[slot_map].get(key)
        return None if found is None else bytes(found)

    def items(self, slot_map: SlotMap) -> dict[str, bytes]:
        """A copy of one map. O(n)."""
        return {key: bytes(value) for key, value in self._maps[slot_map].items()}

    def encode(self) -> bytes:
        """The whole state as one update; overwritten values are not in it."""
        return bytes(self._doc.get_update())

    def fold(self, updates: list[bytes]) -> bytes:
        """The whole state, made of *updates*, in place of them. Unlike in `encode`, deletions of what has not arrived
        yet are in it. Raises `MalformedBytes`.
        """
        with _translated():
            merged = pycrdt.merge_updates(*updates)
            deletions = pycrdt.get_update(merged, pycrdt.get_state(merged))
            return bytes(pycrdt.merge_updates(self.encode(), deletions))

    def own_clock(self) -> int:
        """How many operations this client has made in this document."""
        return self.clock(self.client)

    def clock(self, client: int) -> int:
        """How many operations of *client* are in this document."""
        return _decode_state(self._doc.get_state()).get(client, 0)

    def clients(self) -> set[int]:
        """Whose operations are in this document."""
        return set(_decode_state(self._doc.get_state()))

    def encode_own_since(self, clock: int) -> bytes:
        """What this client has made after its operation number *clock*, overwritten values left out.

        It carries the deletions of the whole document, which grow with its history: for a few edits of a large
        document the updates of the edits themselves, merged, are shorter.
        """
        state = _decode_state(self._doc.get_state())
        state[self.client] = clock
        return bytes(self._doc.get_update(_encode_state(state)))

    def _watch(self) -> None:
        if self._subscriptions:
            return
        for slot_map, shared in self._maps.items():
            # At the inner type: the outer one's observer looks through every value for shared types, which we have not.
            self._subscriptions.append(shared.integrated.observe(partial(self._note, slot_map)))
        self._subscriptions.append(self._doc.observe(lambda event: self._updates.append(bytes(event.update))))

    def _note(self, slot_map: SlotMap, event: Any) -> None:
        if self._changed is None:
            return
        held = self._changed.setdefault(slot_map, {})
        for key, change in event.keys.items():
            value = change.get("newValue")
            # whatever is not bytes was not written by this program; the slot's decoder will say so
            held[key] = None if value is None else bytes(value) if isinstance(value, bytes | bytearray) else b""


def merge_updates(updates: list[bytes]) -> bytes:
    """One update that does what all *updates* do. Raises `MalformedBytes`."""
    if len(updates) == 1:
        return updates[0]
    with _translated():
        return bytes(pycrdt.merge_updates(*updates))


def update_origin(update: bytes) -> tuple[int, int] | None:
    """The client whose operations *update* holds and the number of the first; None if it holds only deletions.

    Raises `MalformedBytes` if it holds operations of several clients: no device writes for another.
    """
    numbers = _numbers(update, 4)  # clients; structures of the first, its id, its clock
    if numbers[:1] == [0]:
        return None
    if len(numbers) < 4 or numbers[0] != 1:
        raise MalformedBytes("An update does not hold the operations of one client.")
    return numbers[2], numbers[3]


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise MalformedBytes("An update of a document does not decode.") from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":
            raise MalformedBytes("An update of a document cannot be applied.") from error
        raise


def _decode_state(data: bytes) -> dict[int, int]:
    """A Yjs state vector: number of clients, then (client, clock) pairs, all as variable-length integers."""
    numbers = _numbers(data)
    return dict(zip(numbers[1::2], numbers[2::2], strict=True))


def _numbers(data: bytes, limit: int = -1) -> list[int]:
    """The variable-length integers at the beginning of *data*, at most *limit*."""
    numbers: list[int] = []
    value = shift = 0
    for byte in data:
        if len(numbers) == limit:
            break
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            numbers.append(value)
            value = shift = 0
    return numbers


def _encode_state(state: dict[int, int]) -> bytes:
    out = bytearray()
    for number in (len(state), *(part for pair in sorted(state.items(), reverse=True) for part in pair)):
        rest = number
        while rest > 0x7F:
            out.append(rest & 0x7F | 0x80)
            rest >>= 7
        out.append(rest)
    return bytes(out)
