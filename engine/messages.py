"""Messages of sessions: who said what, when. Written once, in the scope ``session/<id>``.

A message's name is its id within the session. Its record holds ``[speaker, words]``, and the time it was said is its
``created``.
"""

from __future__ import annotations

from .records import Record
from .slots import SlotMap
from .values import check_value
from .writing import ScopeWriter

__all__ = ["log_message", "message_parts", "message_text"]


def log_message(scope: ScopeWriter, writer: str, message: str, *, speaker: str, text: str, at_ms: int) -> bool:
    """Keeps a message as *writer* reports it; False, and nothing written, if that id is there with the same words.

    Raises `InvalidValue` if the words are too long.
    """
    value = check_value([speaker, text], f"the message {message}")
    current = scope.row(SlotMap.MESSAGES, message).winner
    if current is not None and current.value == value:
        return False
    scope.put(SlotMap.MESSAGES, message, Record(0, writer=writer, value=value, created=at_ms, updated=at_ms))
    return True


def message_parts(record: Record) -> tuple[str, str]:
    """(speaker, words)."""
    if isinstance(record.value, list) and len(record.value) == 2:
        return str(record.value[0]), str(record.value[1])
    return "", str(record.value)


def message_text(record: Record) -> str:
    """A message on one line, as recall shows and indexes it: ``Speaker: words``."""
    speaker, words = message_parts(record)
    return f"{speaker}: {words}" if speaker else words
