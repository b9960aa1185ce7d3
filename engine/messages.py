"""Messages of sessions: who said what, when. Written once, in the scope ``session/<id>``.

A message's name is its id within the session. Its record holds ``[speaker, words]``, or ``[speaker, words, tool]`` for
what a tool gave back; what follows is ignored. The time it was said is its ``created``. The speaker is one of `ROLES`
where an agent logged it (``user`` is the person), and anybody's name where it was imported.

Callers know a message as ``session/<id>:<name>``. Names that are made here begin with the reading at which the message
was logged, so that they sort in that order, and end with the device, so that no other device makes the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .clock import to_wall
from .records import Record
from .replica import Transaction
from .slots import SlotMap
from .times import from_ms, show_time, to_ms
from .values import Value, check_value
from .writing import ScopeWriter

__all__ = [
    "PERSON",
    "ROLES",
    "SessionMessage",
    "is_spoken",
    "log_message",
    "logged_ms",
    "message_id",
    "message_of",
    "message_parts",
    "message_text",
    "message_tool",
    "new_name",
]

PERSON = "user"
ROLES = (PERSON, "assistant", "tool", "system")
"""Who may speak in a session that an agent logs."""

_AT = 16  # hexadecimal digits of a reading
_DEVICE = 4  # bytes of a device that keep two devices' equal readings apart


@dataclass(frozen=True, slots=True)
class SessionMessage:
    """A recorded message. ``id`` is ``session/<id>:<name>``; ``tool`` names the tool of a message of role ``tool``."""

    id: str
    role: str
    text: str
    at: datetime
    tool: str | None = None
    pinned: bool = False

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "at": show_time(to_ms(self.at)),
            "role": self.role,
            "text": self.text,
            "tool": self.tool,
            "pinned": self.pinned,
        }


def log_message(
    scope: ScopeWriter, writer: str, message: str, *, speaker: str, text: str, at_ms: int, tool: str | None = None
) -> bool:
    """Keeps a message as *writer* reports it; False, and nothing written, if that id is there with the same words.

    Raises `InvalidValue` if the words are too long.
    """
    said: list[Value] = [speaker, text] if tool is None else [speaker, text, tool]
    value = check_value(said, f"the message {message}")
    current = scope.row(SlotMap.MESSAGES, message).winner
    if current is not None and current.value == value:
        return False
    scope.put(SlotMap.MESSAGES, message, Record(0, writer=writer, value=value, created=at_ms, updated=at_ms))
    return True


def new_name(transaction: Transaction) -> str:
    """The name of a message that is logged now: greater than that of every message this device has logged or seen."""
    reading = transaction.clock.now(transaction.wall_ms)
    return f"{reading:0{_AT}x}{transaction.device[:_DEVICE].hex()}"


def message_id(scope: str, name: str) -> str:
    """What callers know the message *name* of the session's *scope* by."""
    return f"{scope}:{name}"


def message_of(scope: str, name: str, record: Record, *, pinned: bool = False) -> SessionMessage:
    role, text = message_parts(record)
    return SessionMessage(message_id(scope, name), role, text, from_ms(record.created), message_tool(record), pinned)


def logged_ms(record: Record) -> int:
    """When the message was logged, in milliseconds since 1970; what it tells may have been said long before."""
    return to_wall(record.order)


def is_spoken(record: Record) -> bool:
    """Whether somebody said it: the person, an assistant, or whoever spoke in a conversation that was imported."""
    return message_parts(record)[0] not in ("tool", "system")


def message_parts(record: Record) -> tuple[str, str]:
    """(speaker, words)."""
    if isinstance(record.value, list) and len(record.value) >= 2:
        return str(record.value[0]), str(record.value[1])
    return "", str(record.value)


def message_tool(record: Record) -> str | None:
    """The tool that gave the message, if one did."""
    if isinstance(record.value, list) and len(record.value) >= 3 and isinstance(record.value[2], str):
        return record.value[2]
    return None


def message_text(record: Record) -> str:
    """A message on one line, as recall shows and indexes it: ``Speaker: words``."""
    speaker, words = message_parts(record)
    return f"{speaker}: {words}" if speaker else words
