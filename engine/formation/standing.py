"""What stands at the path of an assertion: the person's own, what they or their words have ended, what ends now."""

from __future__ import annotations

from ..records import Record
from ..replica import Transaction
from ..scopes import PRIVATE, PUBLIC
from ..slots import Row, SlotMap
from ..values import Value
from ..view import View
from .assertions import Assertion
from .attributes import ATTRIBUTES, attribute_of
from .learning import said_since
from .likeness import same_words
from .report import Outcome, What
from .wording import normal_value, same_value

__all__ = ["ended", "gone_since", "persons", "repeats", "says"]


def persons(view: View, said: Assertion) -> tuple[str, Record] | None:
    """What the person wrote at the path, in either scope, or as a list of the attribute that names the value."""
    for scope in (PUBLIC, PRIVATE):
        record = view.get(scope, SlotMap.LEAVES, said.path)
        if record is not None and record.by_person:
            return scope, record
    attribute = attribute_of(said.path)
    if attribute is not None and attribute.many and attribute.path != said.path:
        for scope in (PUBLIC, PRIVATE):
            record = view.get(scope, SlotMap.LEAVES, attribute.path)
            if record is not None and record.by_person and _lists(record.value, said.value):
                return scope, record
    return None


def says(record: Record, value: Value) -> bool:
    """Whether *record* says *value*, by itself or as one of a list."""
    return repeats(record, value) or _lists(record.value, value)


def repeats(record: Record, value: Value) -> bool:
    """Whether *value* is that of *record*, or the same sentence but for a filler."""
    if same_value(record.value, value):
        return True
    return isinstance(value, str) and isinstance(record.value, str) and same_words(record.value, value)


def gone_since(transaction: Transaction, said: Assertion, row: Row) -> Outcome | None:
    """The refusal, where what stood at the path was deleted after the words were said."""
    deleted = max((slot.record.updated for slot in row.slots if slot.by_person and slot.record.deleted), default=None)
    if deleted is not None and said.said_ms <= deleted:
        return said.outcome(What.REFUSED, "The person deleted this after the words were said.", reason="protected")
    over = [slot.record for slot in row.slots if slot.record.deleted and not slot.by_person and not slot.record.swept]
    if any(said_since(transaction, said.scope, record, said.said_ms, transaction.wall_ms) for record in over):
        return said.outcome(What.REFUSED, "It was said since that it is no longer so.", reason="outdated")
    return None


def ended(view: View, said: Assertion) -> tuple[str, Record] | None:
    """The learned memory that has ended: the one at the path if it has the value, else the one below it that has."""
    record = view.get(said.scope, SlotMap.LEAVES, said.path)
    if record is not None:
        return (said.path, record) if said.value is None or same_value(record.value, said.value) else None
    attribute = ATTRIBUTES.get(said.path)
    if said.value is None or attribute is None or not attribute.many:
        return None
    for path, below in view.leaves(said.scope, said.path):
        named = path.rpartition(".")[2].replace("-", " ")
        if not below.by_person and (same_value(below.value, said.value) or same_value(named, said.value)):
            return path, below
    return None


def _lists(held: Value, value: Value) -> bool:
    return isinstance(held, list) and normal_value(value) in {normal_value(item) for item in held}
