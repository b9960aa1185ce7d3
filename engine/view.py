"""What can be read of a replica, within one transaction: scopes, and the rows of their maps."""

from __future__ import annotations

from collections.abc import Iterator

from vademecum.storage.tables import Table
from vademecum.storage.transaction import Reader

from .agents import AgentPattern
from .law import Forgotten
from .records import Record
from .slots import EMPTY_ROW, Row, SlotMap, decode_row

__all__ = ["FORGOTTEN", "MAX_NAME", "View", "is_name", "row_key"]

FORGOTTEN = "forgotten/"
"""Settings of a scope that begin so are the person's statements that forget an agent: the pattern follows."""


MAX_NAME = 481
"""Bytes of UTF-8 in a name: LMDB's keys end at 511, and the history's hold 30 bytes more than the name."""


def is_name(name: str) -> bool:
    """Whether rows can be kept under *name*."""
    try:
        return 0 < len(name.encode()) <= MAX_NAME and "\0" not in name
    except UnicodeEncodeError:  # half of a surrogate pair
        return False


def row_key(slot_map: SlotMap, name: str) -> bytes:
    """What follows the scope# in the key of a row."""
    return bytes([slot_map]) + name.encode()


class View:
    """A consistent view of all scopes. Scopes that do not exist here are empty."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def scopes(self, prefix: str = "") -> list[str]:
        """Names of the scopes that this replica holds, in order."""
        return [name.decode() for name in self.reader.keys(Table.SCOPES, prefix.encode())]

    def number(self, scope: str) -> bytes | None:
        """The scope# under which this database keeps *scope*."""
        return self.reader.get(Table.SCOPES, scope.encode())

    def scope_names(self) -> dict[bytes, str]:
        """scope# → name."""
        return {number: name.decode() for name, number in self.reader.scan(Table.SCOPES)}

    def row(self, scope: str, slot_map: SlotMap, name: str) -> Row:
        """All slots of one name."""
        number = self.number(scope)
        return EMPTY_ROW if number is None else self.row_at(number, row_key(slot_map, name))

    def row_at(self, number: bytes, key: bytes) -> Row:
        return decode_row(self.reader.get(Table.LEAVES, number + key))

    def get(self, scope: str, slot_map: SlotMap, name: str) -> Record | None:
        """The winning value of one name, or None. O(log n)."""
        return self.row(scope, slot_map, name).winner

    def rows(self, scope: str, slot_map: SlotMap, prefix: str = "") -> Iterator[tuple[str, Row]]:
        """The rows whose name begins with *prefix*, by name."""
        number = self.number(scope)
        if number is None:
            return
        base = number + bytes([slot_map])
        for key, data in self.reader.scan(Table.LEAVES, base + prefix.encode()):
            yield key[len(base) :].decode(), decode_row(data)

    def leaves(self, scope: str, path: str = "") -> Iterator[tuple[str, Record]]:
        """The living leaves of *scope* by path; with *path*, that leaf and all below it."""
        for name, row in self.rows(scope, SlotMap.LEAVES, path):
            if row.live and (not path or name == path or name.startswith(path + ".")):
                yield name, row.slots[0].record

    def statements(self, scope: str) -> dict[str, int]:
        """Agents that the person has forgotten in *scope*: pattern → order of the statement."""
        return {
            name[len(FORGOTTEN) :]: row.slots[0].record.order
            for name, row in self.rows(scope, SlotMap.SETTINGS, FORGOTTEN)
            if row.live
        }


def forgotten_by(statements: dict[str, int]) -> Forgotten:
    """The law's question, answered from *statements*: the newest that means a writer."""
    if not statements:
        return lambda _writer: 0
    patterns = [(AgentPattern.parse(pattern), order) for pattern, order in statements.items()]
    return lambda writer: max((order for pattern, order in patterns if pattern.matches(writer)), default=0)
