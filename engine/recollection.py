"""What recall answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from .leaf import memory_id
from .times import show_time, to_ms
from .values import Value

__all__ = ["Recollection", "Recollections"]


@dataclass(frozen=True, slots=True)
class Recollection:
    """One memory, or one message of a session, that answers a query.

    ``path`` is the leaf's path or the message's id; ``score`` lies in 0…1 and compares within one answer only;
    ``why`` holds its parts (see ``docs/recall.md``); ``contradicted_by`` is the id of a newer memory that
    says otherwise.
    """

    scope: str
    path: str
    value: Value
    text: str
    score: float
    agent: str
    created: datetime
    updated: datetime
    why: dict[str, float | bool | None] = field(default_factory=dict)
    contradicted_by: str | None = None

    @property
    def id(self) -> str:
        return memory_id(self.scope, self.path)

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "path": self.path,
            "scope": self.scope,
            "value": self.value,
            "text": self.text,
            "score": round(self.score, 4),
            "source": {
                "agent": self.agent,
                "created": show_time(to_ms(self.created)),
                "updated": show_time(to_ms(self.updated)),
            },
            "why": self.why,
            "contradicted_by": self.contradicted_by,
        }


class Recollections(list[Recollection]):
    """The answer, best first. ``method`` is ``hybrid``, or ``text`` where no model could be used; ``note`` says why."""

    def __init__(self, found: list[Recollection], *, method: str, note: str | None = None) -> None:
        super().__init__(found)
        self.method = method
        self.note = note

    def as_json(self) -> dict[str, Any]:
        return {"method": self.method, "note": self.note, "results": [one.as_json() for one in self]}
