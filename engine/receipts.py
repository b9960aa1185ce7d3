"""Receipts: the exact words that justified a memory, kept in the scope of the memory itself.

A receipt's name is its id. Its record holds ``[words, speaker, session, message]``, and the time the words were said
is its ``created``. Written once; the same message cited twice is one receipt.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vademecum.errors import ReceiptRequired

from .records import Record
from .slots import SlotMap
from .times import from_ms, show_time, to_ms
from .values import check_value, is_blank
from .view import View
from .writing import ScopeWriter

__all__ = ["Receipt", "cite_message", "find_receipts", "note_reason", "note_suggester", "quote", "suggester"]

SPEAKER = "user"
"""Who is quoted by ``because``: agents are told their reasons by the person."""
_SUGGESTION = "suggestion:"
"""Begins the id of the receipt that says who suggested a leaf; no session's name has a colon."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The words, who said them and when; ``session`` and ``message`` name the recorded message, if there is one."""

    id: str
    text: str
    speaker: str
    at: datetime
    session: str | None = None
    message: str | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "text": self.text,
            "speaker": self.speaker,
            "at": show_time(to_ms(self.at)),
            "session": self.session,
            "message": self.message,
        }


def quote(scope: ScopeWriter, writer: str, words: str, at_ms: int | None = None) -> str:
    """Records *words* of the person, as *writer* gives them, said at *at_ms* (now by default).

    Returns the receipt's id.

    Raises `ReceiptRequired` for empty words, `InvalidValue` for words that are too long.
    """
    text = check_words(words)
    transaction = scope.transaction
    identity = _new_id(scope)
    said = transaction.wall_ms if at_ms is None else at_ms
    scope.put(SlotMap.RECEIPTS, identity, Record(0, writer=writer, value=[text], created=said))
    return identity


def _new_id(scope: ScopeWriter) -> str:
    transaction = scope.transaction
    order = transaction.clock.now(transaction.wall_ms)
    # order and device are unique together; three bytes of the device keep two devices' equal orders apart
    return urlsafe_b64encode(order.to_bytes(8, "big") + transaction.device[:4]).decode()


def cite_message(
    scope: ScopeWriter, writer: str, *, session: str, message: str, speaker: str, text: str, at_ms: int
) -> str:
    """Records a message of *session* as a receipt, once; returns its id."""
    identity = f"{session}/{message}"
    if not scope.row(SlotMap.RECEIPTS, identity).live:
        value = check_value([text, speaker, session, message], f"the message {identity}")
        scope.put(SlotMap.RECEIPTS, identity, Record(0, writer=writer, value=value, created=at_ms))
    return identity


def note_suggester(scope: ScopeWriter, suggestion: str, agent: str, words: str, at_ms: int) -> str:
    """Records as the person that *agent* suggested what they now write, and how it read; returns the receipt's id."""
    identity = _SUGGESTION + suggestion
    scope.put(SlotMap.RECEIPTS, identity, Record(0, value=[words, agent, None, None], created=at_ms))
    return identity


def note_reason(scope: ScopeWriter, agent: str, words: str) -> str:
    """Records what *agent* says about what it does, in its own name; returns the receipt's id."""
    transaction = scope.transaction
    identity = _new_id(scope)
    scope.put(
        SlotMap.RECEIPTS,
        identity,
        Record(0, writer=agent, value=[words, agent, None, None], created=transaction.wall_ms),
    )
    return identity


def suggester(receipts: Iterable[Receipt]) -> str | None:
    """The agent that suggested what *receipts* speak for, if one of them says so."""
    return next((receipt.speaker for receipt in receipts if receipt.id.startswith(_SUGGESTION)), None)


def check_words(words: object) -> str:
    """Raises `ReceiptRequired` if *words* are none."""
    if not isinstance(words, str) or is_blank(words):
        raise ReceiptRequired(
            "A memory needs its reason: give because=… with the person's own words that justify it. Nothing was kept."
        )
    checked = check_value(words.strip(), "because")
    assert isinstance(checked, str)
    return checked


def find_receipts(view: View, scope: str, ids: tuple[str, ...]) -> list[Receipt]:
    """The receipts of *ids* that are still there, in that order."""
    found = []
    for identity in ids:
        record = view.get(scope, SlotMap.RECEIPTS, identity)
        if record is None or not isinstance(record.value, list):
            continue
        text, speaker, session, message = [*record.value, None, None, None][:4]
        found.append(
            Receipt(
                identity,
                str(text),
                str(speaker) if speaker else SPEAKER,
                from_ms(record.created),
                None if session is None else str(session),
                None if message is None else str(message),
            )
        )
    return found
