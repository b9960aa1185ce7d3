"""Sessions (Tier 3): an agent's conversations with the person, message by message.

A session is the scope ``session/<id>``. The first message makes it: its settings then say whose it is, how long it is
kept, and that it stays on this device (see `locality`) until it is handed over. What the person says drops a signal in
the transaction that records it; thinking about it is the curator's, later.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from vademecum.errors import Confined, InvalidArgument, InvalidValue, NotFound

from .agents import AgentId
from .formation import signals
from .locality import is_local, local_name
from .messages import (
    PERSON,
    ROLES,
    SessionMessage,
    log_message,
    logged_ms,
    message_id,
    message_of,
    new_name,
)
from .records import Record
from .replica import Transaction
from .scopes import session_scope
from .sight import OWNER, Sight, owner_name, owners
from .slots import SlotMap
from .times import from_ms, show_time, to_ms
from .values import MAX_TEXT, is_blank
from .view import View, is_name

__all__ = [
    "DEFAULT_LIFETIME",
    "LIFETIME",
    "MAX_TOOL_NAME",
    "SETTINGS_OF_MESSAGES",
    "SessionInfo",
    "begin",
    "check_lifetime",
    "check_owner",
    "check_there",
    "hand_over",
    "lifetime_of",
    "listed",
    "log",
    "messages",
    "pin",
    "pinned",
    "scope_of",
]

LIFETIME = "lifetime"
"""Setting of a session's scope: milliseconds that it is kept after its last message; null: for ever."""
DEFAULT_LIFETIME = timedelta(days=30)
_MILLISECOND = timedelta(milliseconds=1)
MAX_TOOL_NAME = 128
"""Bytes of UTF-8 in a tool's name."""
_PIN = "pin/"
SETTINGS_OF_MESSAGES = (_PIN,)
"""What settings begin with that are about one message, whose name follows."""


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """One session at a glance. ``agents`` are whose it is (nearly always one), ``local`` whether it stays on this
    device, ``lifetime`` how long it is kept after the last message (None: for ever); times are those of logging.
    """

    id: str
    agents: tuple[str, ...]
    messages: int
    first: datetime
    last: datetime
    local: bool
    lifetime: timedelta | None

    @property
    def expires(self) -> datetime | None:
        """When its messages go; None if they stay."""
        return None if self.lifetime is None else from_ms(to_ms(self.last) + self.lifetime // _MILLISECOND)

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "agents": list(self.agents),
            "messages": self.messages,
            "first": show_time(to_ms(self.first)),
            "last": show_time(to_ms(self.last)),
            "local": self.local,
            "expires": None if self.expires is None else show_time(to_ms(self.expires)),
        }


def listed(view: View, device: bytes) -> list[SessionInfo]:
    """All sessions in which something was said and not removed, the newest first; *device* is this one. O(messages)."""
    found = []
    for scope in view.scopes("session/"):
        logged = [logged_ms(row.winner) for _, row in view.rows(scope, SlotMap.MESSAGES) if row.winner is not None]
        if logged:
            kept = lifetime_of(view, scope)
            found.append(
                SessionInfo(
                    scope.partition("/")[2],
                    tuple(sorted(owners(view, scope))),
                    len(logged),
                    from_ms(min(logged)),
                    from_ms(max(logged)),
                    is_local(view, scope, device),
                    None if kept is None else _MILLISECOND * kept,
                )
            )
    return sorted(found, key=lambda one: one.last, reverse=True)


def log(
    transaction: Transaction,
    agent: AgentId,
    scope_name: str,
    role: str,
    text: str,
    *,
    at_ms: int | None = None,
    tool: str | None = None,
    lifetime: timedelta | None = None,
) -> str:
    """Records what *role* said in the session, at *at_ms* (now); returns the message's id.

    What the person says drops a signal. Raises `Confined`, `InvalidArgument`, `InvalidValue`. O(log n).
    """
    _check_message(role, text, tool)
    begin(transaction, agent, scope_name, lifetime)
    scope = transaction.scope(scope_name)
    name = new_name(transaction)
    said = transaction.wall_ms if at_ms is None else at_ms
    log_message(scope, str(agent), name, speaker=role, text=text, at_ms=said, tool=tool)
    if role == PERSON:
        signals.drop(transaction.writer, scope_name, name, transaction.wall_ms)
    return message_id(scope_name, name)


def begin(transaction: Transaction, agent: AgentId, scope_name: str, lifetime: timedelta | None = None) -> None:
    """Makes the session *agent*'s if there is none of that name; a *lifetime* that is given replaces the one it has.

    Raises `Confined` if it is another's.
    """
    check_owner(transaction, agent, scope_name)
    scope = transaction.scope(scope_name)
    new = agent.name not in owners(transaction, scope_name)
    if new:
        scope.put(SlotMap.SETTINGS, local_name(transaction.device), Record(0, value=True))
        scope.put(SlotMap.SETTINGS, OWNER, Record(0, value=agent.name))
        scope.put(SlotMap.SETTINGS, owner_name(agent.name), Record(0, value=True))
    kept = _milliseconds(DEFAULT_LIFETIME if lifetime is None else lifetime)
    if new or (lifetime is not None and kept != lifetime_of(transaction, scope_name)):
        scope.put(SlotMap.SETTINGS, LIFETIME, Record(0, value=kept))


def check_owner(view: View, agent: AgentId, scope_name: str) -> None:
    """Raises `Confined` if the session is not *agent*'s, and there is one."""
    known = owners(view, scope_name)
    if agent.name not in known and (known or next(messages(Sight(view, None), scope_name), None) is not None):
        raise Confined(
            f"The session {scope_name.partition('/')[2]!r} is not one of {agent}'s; give the new one another name."
        )


def check_there(sight: Sight, scope_name: str) -> None:
    """Raises `NotFound` if nothing was said in the session that this caller sees."""
    if next(messages(sight, scope_name), None) is None:
        raise NotFound(f"There is no session {scope_name.partition('/')[2]!r}.")


def messages(sight: Sight, scope_name: str) -> Iterator[SessionMessage]:
    """What was said in the session, as far as this caller sees it, in the order in which it was logged."""
    pins = pinned(sight.view, scope_name)
    for name, row in sight.view.rows(scope_name, SlotMap.MESSAGES):
        record = row.winner
        if record is not None and sight.may_see(scope_name, name):
            yield message_of(scope_name, name, record, pinned=name in pins)


def pin(transaction: Transaction, sight: Sight, scope_name: str, message: str, *, on: bool = True) -> None:
    """Sees to it that the message (its id, or its name in the session) is always sent along; without *on*, no more.

    Raises `NotFound` if this caller sees no such message.
    """
    name = message.removeprefix(f"{scope_name}:") if isinstance(message, str) else ""
    there = is_name(name) and transaction.get(scope_name, SlotMap.MESSAGES, name) is not None
    if not there or not sight.may_see(scope_name, name):
        raise NotFound(f"There is no message {message!r} in {scope_name}.")
    if (name in pinned(transaction, scope_name)) is not on:
        record = Record(0, value=True) if on else Record(0, deleted=True)
        transaction.scope(scope_name).put(SlotMap.SETTINGS, _PIN + name, record)


def pinned(view: View, scope_name: str) -> set[str]:
    """Names of the messages of the session that are pinned."""
    return {name[len(_PIN) :] for name, row in view.rows(scope_name, SlotMap.SETTINGS, _PIN) if row.live}


def hand_over(transaction: Transaction, scope_name: str) -> bool:
    """Lets the session go to the person's other devices with the next sync; False if it was on its way already.

    Raises `NotFound` if there is no such session.
    """
    check_there(Sight(transaction, None), scope_name)
    if not is_local(transaction, scope_name, transaction.device):
        return False
    scope = transaction.scope(scope_name)
    scope.put(SlotMap.SETTINGS, local_name(transaction.device), Record(0, deleted=True))
    scope.hand_over()
    return True


def lifetime_of(view: View, scope_name: str) -> int | None:
    """Milliseconds for which the session is kept after its last message; None: for ever."""
    record = view.get(scope_name, SlotMap.SETTINGS, LIFETIME)
    return record.value if record is not None and type(record.value) is int else None


def check_lifetime(lifetime: timedelta | None) -> timedelta | None:
    """Raises `InvalidArgument` for one that is not above nothing."""
    if lifetime is not None and (not isinstance(lifetime, timedelta) or lifetime < _MILLISECOND):
        raise InvalidArgument(f"The lifetime of a session is {lifetime!r}; it is a timedelta above nothing.")
    return lifetime


def scope_of(session: str) -> str:
    """The scope of the session *session*, which may be given as ``session/<id>``. Raises `InvalidScope`."""
    return session_scope(session.removeprefix("session/") if isinstance(session, str) else session)


def _milliseconds(lifetime: timedelta) -> int | None:
    return None if lifetime == timedelta.max else lifetime // _MILLISECOND


def _check_message(role: str, text: str, tool: str | None) -> None:
    if role not in ROLES:
        raise InvalidArgument(f"The role {role!r} is not one of {', '.join(ROLES)}.")
    if not isinstance(text, str):
        raise InvalidValue(f"The text of a message is a {type(text).__name__}; give it as text.")
    if is_blank(text):
        raise InvalidValue("The message has no words; there is nothing to record.")
    size = len(text.encode(errors="surrogatepass"))
    if size > MAX_TEXT:
        raise InvalidValue(
            f"The message takes {size:,} bytes; at most {MAX_TEXT:,} are kept. Log the part that matters, or several."
        )
    if (tool is not None) and role != "tool":
        raise InvalidArgument(f"A message of role {role!r} has no tool; only one of role 'tool' names one.")
    if tool is not None and (
        not isinstance(tool, str) or is_blank(tool) or len(tool.encode(errors="surrogatepass")) > MAX_TOOL_NAME
    ):
        raise InvalidArgument(f"A tool's name is text of 1 to {MAX_TOOL_NAME} bytes.")
