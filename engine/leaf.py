"""A leaf as callers see it: a value at a path, with who wrote it, when, and why."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vademecum.errors import InvalidArgument

from .records import Record
from .scopes import parse_scope
from .sentences import sentence
from .times import from_ms, show_time, to_ms
from .values import Value

__all__ = ["Leaf", "leaf_of", "memory_id", "parse_memory_id"]


@dataclass(frozen=True, slots=True)
class Leaf:
    """One living leaf. ``agent`` is its writer: ``user``, or ``developer/slug@version``; ``confidence`` lies in 0…1.
    ``contradicted_by`` is the id of a newer memory that says otherwise; it then counts for a tenth in recall.
    """

    scope: str
    path: str
    value: Value
    agent: str
    created: datetime
    updated: datetime
    kind: str
    confidence: float
    text: str
    receipts: tuple[str, ...]
    contradicted_by: str | None = None

    @property
    def id(self) -> str:
        return memory_id(self.scope, self.path)

    def source(self) -> dict[str, str]:
        """The provenance as JSON shows it."""
        return {
            "agent": self.agent,
            "created": show_time(to_ms(self.created)),
            "updated": show_time(to_ms(self.updated)),
        }

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "path": self.path,
            "scope": self.scope,
            "value": self.value,
            "text": self.text,
            "kind": self.kind,
            "confidence": self.confidence,
            "source": self.source(),
            "receipts": list(self.receipts),
            "contradicted_by": self.contradicted_by,
        }


def leaf_of(scope: str, path: str, record: Record, contradicted_by: str | None = None) -> Leaf:
    return Leaf(
        scope,
        path,
        record.value,
        record.writer,
        from_ms(record.created),
        from_ms(record.updated),
        record.kind,
        record.confidence,
        record.sentence or sentence(path, record.value),
        record.receipts,
        contradicted_by,
    )


def memory_id(scope: str, name: str) -> str:
    """The id of a memory or message: the same on every device, and readable."""
    return f"{scope}:{name}"


def parse_memory_id(text: str) -> tuple[str, str]:
    """(scope, name). Raises `InvalidArgument` or `InvalidScope`."""
    scope, colon, name = text.partition(":")
    if not colon or not name:
        raise InvalidArgument(f"{text!r} is no memory's id; an id is scope:path, such as user.public:diet.")
    return parse_scope(scope), name
