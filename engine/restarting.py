"""Beginning a document again that nobody else has seen, so that what was overwritten in it takes no room.

A document grows by each overwrite, for ever. A new generation ends that, but needs a relay to agree on it. Where
nothing of a scope has ever left this device and nothing has come in, there is nobody to agree with: the document may
begin again, under the same client id, from the slots that there are. Processes that hold the old one in memory must
not go on with it: so this happens only while the database is replaced as a whole, after which all load anew.
"""

from __future__ import annotations

from collections.abc import Iterator

from vademecum.storage.identity import OWNER, parse_owner
from vademecum.storage.tables import Table
from vademecum.storage.transaction import Reader, Writer

from . import outbox
from .document import Document
from .documents import FIRST, generation_at, last_seq, state_row
from .outbox import Pending
from .slots import Slot, SlotMap, decode_row, slot_key

__all__ = ["copy_restarted"]

_SCOPE = 4  # bytes of a scope#


def copy_restarted(old: Reader, new: Writer) -> None:
    """Copies all of a replica's database, and begins again the documents that may. O(size)."""
    _, device, client = parse_owner(old.get(Table.META, OWNER) or b"")
    begun = {
        number: made
        for _, number in old.scan(Table.SCOPES)
        if (made := _begun_again(old, number, device, client)) is not None
    }
    for table in Table:
        if table not in (Table.DOCUMENTS, Table.OUTBOX):
            new.take_over(old, table)
            continue
        for key, data in old.scan(table):
            if key[:_SCOPE] not in begun:
                new.put(table, key, data)
    for number, (state, pending) in begun.items():
        new.put(Table.DOCUMENTS, *state_row(number, last_seq(old, number) + 1, state))
        outbox.add(new, number, pending)


def _begun_again(old: Reader, number: bytes, device: bytes, client: int) -> tuple[bytes, Pending] | None:
    """The document of scope# *number* as it may begin again, and what of it waits to be sent; None if it must not."""
    if generation_at(old, number) != FIRST or outbox.gathered(old, number):
        return None
    slots = list(_slots(old, number))
    if any(slot.device != device for _, _, slot in slots) or not _is_alone(old, number, client):
        return None
    document = Document(client)
    with document.edit() as made:
        for slot_map, name, slot in slots:
            document.put(slot_map, slot_key(name, slot.by_person, slot.device), slot.data)
    pending = outbox.renewed(old, number, made[0]) if made else None
    return None if pending is None else (document.encode(), pending)


def _slots(old: Reader, number: bytes) -> Iterator[tuple[SlotMap, str, Slot]]:
    for full, data in old.scan(Table.LEAVES, number):
        for slot in decode_row(data).slots:
            yield SlotMap(full[_SCOPE]), full[_SCOPE + 1 :].decode(), slot


def _is_alone(old: Reader, number: bytes, client: int) -> bool:
    """Whether *client* alone has ever written into the document."""
    document = Document(client)
    for _, data in old.scan(Table.DOCUMENTS, number):
        document.load(data)
    return document.clients() == {client}
