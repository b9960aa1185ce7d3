"""What was said last counts, also where devices have curated apart.

The merge law ranks by when a record was *written*. A device that was away may curate old words after another has
curated newer ones, and its record then wins when they meet. So whoever tends the vault looks at the memories of which
slots of several devices are left, which is where devices wrote without having seen each other, and lets the one stand
whose words were said last. All devices come to the same, since they look at the same slots and receipts.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..forgetting import is_void
from ..records import Record
from ..replica import Transaction
from ..scopes import PRIVATE, PUBLIC
from ..sentences import show_value
from ..slots import Row, Slot, SlotMap
from ..view import View
from .attributes import ATTRIBUTES
from .learning import CURATOR, said_last
from .report import Outcome, What
from .wording import same_value

__all__ = ["reconcile"]

_CURATOR = CURATOR.partition("@")[0]


def reconcile(transaction: Transaction) -> list[Outcome]:
    """Lets what was said last stand. O(leaves of known attributes). Writes nothing where that is so already."""
    outcomes = []
    for scope_name in (PUBLIC, PRIVATE):
        for path, row in list(_contested(transaction, scope_name)):
            last = _said_last(transaction, scope_name, row)
            if last is not None:
                outcomes.append(_restore(transaction, scope_name, path, last))
    return outcomes


def _contested(view: View, scope: str) -> Iterator[tuple[str, Row]]:
    for root in ATTRIBUTES:
        for path, row in view.rows(scope, SlotMap.LEAVES, root):
            if len(row.slots) > 1 and (path == root or path.startswith(root + ".")):
                yield path, row


def _said_last(transaction: Transaction, scope_name: str, row: Row) -> Record | None:
    """The record whose words were said last, where another of the curator's stands."""
    forgotten = transaction.scope(scope_name).forgotten()
    newest_by_person = row.newest_by_person

    def counts(slot: Slot) -> bool:
        record = slot.record
        return (
            record.writer.partition("@")[0] == _CURATOR
            and not record.swept
            and record.seen >= newest_by_person
            and not is_void(record, forgotten(record.writer))
        )

    first = row.slots[0]
    if not counts(first):
        return None
    said = {slot.device: said_last(transaction, scope_name, slot.record) for slot in row.slots if counts(slot)}
    last = max((slot for slot in row.slots if counts(slot)), key=lambda slot: (said[slot.device], slot is first))
    same = last.record.deleted is first.record.deleted and same_value(last.record.value, first.record.value)
    return None if same else last.record


def _restore(transaction: Transaction, scope_name: str, path: str, record: Record) -> Outcome:
    transaction.scope(scope_name).put(
        SlotMap.LEAVES, path, record._replace(order=0, seen=0, heard=0, updated=0, writer=CURATOR)
    )
    if record.deleted:
        return Outcome(What.ENDED, path, "The words that it is no longer so were said last.", scope=scope_name)
    why = f"{show_value(record.value)!r} was said last; what another device has learned since was said before."
    return Outcome(What.UPDATE, path, why, scope=scope_name, value=record.value)
