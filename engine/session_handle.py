"""What an agent gets for one conversation (`AgentHandle.session`), and the person for any (`Vault.session`)."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from . import sessions
from .agents import AgentId
from .messages import SessionMessage
from .replica import Replica, Transaction
from .sight import Sight
from .times import to_ms

if TYPE_CHECKING:
    from .window import Counter, Summariser, Window

__all__ = ["PersonsSession", "SessionHandle", "persons_session", "session_handle"]

_Look = Callable[[Callable[[Sight], Any]], Any]
_Write = Callable[[Callable[[Transaction, Sight], Any]], Any]
"""A look or a write returns what it is given to do, for a caller who sees what the `Sight` says."""


class PersonsSession:
    """One session, as the person sees it: whole, whosever it is. Made by ``vault.session(id)``.

    Every write is durable when its method returns. A session that an agent began here stays on this device until
    `hand_over`.
    """

    __slots__ = ("_look", "_write", "scope")

    def __init__(self, scope: str, look: _Look, write: _Write) -> None:
        self.scope = scope
        self._look = look
        self._write = write

    @property
    def id(self) -> str:
        return self.scope.partition("/")[2]

    def messages(self) -> list[SessionMessage]:
        """What was said, in the order in which it was logged. O(messages)."""
        return self._look(lambda sight: list(sessions.messages(sight, self.scope)))  # type: ignore[no-any-return]

    def context(
        self, max_tokens: int, *, counter: Counter | None = None, summariser: Summariser | None = None
    ) -> Window:
        """The messages to send to a model, oldest first: ``[{"role": …, "content": …}, …]``, and ``name`` for the tool
        of one of role ``tool``. Never more than *max_tokens*, the same for the same messages, with no model.

        Stale tool output is left out, long messages are shortened, the oldest part becomes a summary that quotes, pins
        and the newest turns stay. `Window` says what was done, and what had no room.

        max_tokens: at least 1; each message counts 4 beside its text.
        counter: tokens of a text; by default an estimate that does not count too few (`tokens.estimate_tokens`).
        summariser: of the oldest part, where a model should write it; see `window.Summariser`.

        Raises `InvalidArgument`, and what *counter* and *summariser* raise. O(text).
        """
        from .tokens import estimate_tokens
        from .window import fit

        return fit(self.messages(), max_tokens, counter or estimate_tokens, summariser)

    def export(self) -> str:
        """All messages as JSON lines: ``id``, ``at``, ``role``, ``text``, ``tool``, ``pinned``; "" if none."""
        return "".join(f"{json.dumps(one.as_json(), ensure_ascii=False)}\n" for one in self.messages())

    def pin(self, message: str) -> None:
        """Has the message (by its id) sent along whole by every `context`. Raises `NotFound`."""
        self._pin(message, on=True)

    def unpin(self, message: str) -> None:
        """Takes `pin` back. Raises `NotFound` if there is no such message."""
        self._pin(message, on=False)

    def hand_over(self) -> bool:
        """Lets the session go to the person's other devices with the next sync, and whatever is logged in it from now
        on; False if it did already. There is no way back but to forget it.

        Raises `NotFound` before the first message.
        """
        return self._write(lambda transaction, _: sessions.hand_over(transaction, self.scope))  # type: ignore[no-any-return]

    def _pin(self, message: str, *, on: bool) -> None:
        self._write(lambda transaction, sight: sessions.pin(transaction, sight, self.scope, message, on=on))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r})"


class SessionHandle(PersonsSession):
    """One session of one agent. Made by ``agent.session(id)``; the session itself is made by its first message.

    It sees what the agent itself logged, in any of its versions.
    """

    __slots__ = ("_lifetime", "agent")

    def __init__(self, agent: AgentId, scope: str, look: _Look, write: _Write, lifetime: timedelta | None) -> None:
        super().__init__(scope, look, write)
        self.agent = agent
        self._lifetime = lifetime

    def log(self, role: str, text: str, *, at: datetime | None = None, tool: str | None = None) -> str:
        """Records one message and returns its id, ``session/<id>:<name>``; ids sort in the order of logging.

        role: ``user`` for the person, whose words drop a signal for the curator; ``assistant``, ``tool``, ``system``.
        text: up to 32 KiB of UTF-8.
        at: when it was said, an aware datetime; now by default.
        tool: for the role ``tool``, the name of the tool whose output it is.

        Raises `InvalidArgument`, `InvalidValue`, `InvalidTime`, `Confined`; nothing has changed then.
        """
        at_ms = None if at is None else to_ms(at)
        return self._write(  # type: ignore[no-any-return]
            lambda transaction, _: sessions.log(
                transaction, self.agent, self.scope, role, text, at_ms=at_ms, tool=tool, lifetime=self._lifetime
            )
        )


def session_handle(replica: Replica, agent: AgentId, session: str, lifetime: timedelta | None) -> SessionHandle:
    """Raises `InvalidScope`, `InvalidArgument`, and `Confined` if the session is another agent's."""
    scope = sessions.scope_of(session)
    sessions.check_lifetime(lifetime)

    def look(question: Callable[[Sight], Any]) -> Any:
        with replica.read() as view:
            return question(Sight(view, agent))

    def write(work: Callable[[Transaction, Sight], Any]) -> Any:
        def confined(transaction: Transaction) -> Any:
            sessions.check_owner(transaction, agent, scope)
            return work(transaction, Sight(transaction, agent))

        return replica.write(confined)

    look(lambda sight: sessions.check_owner(sight.view, agent, scope))
    return SessionHandle(agent, scope, look, write, lifetime)


def persons_session(replica: Replica, session: str) -> PersonsSession:
    """Raises `InvalidScope`, and `NotFound` if nothing was said in it."""
    scope = sessions.scope_of(session)

    def look(question: Callable[[Sight], Any]) -> Any:
        with replica.read() as view:
            return question(Sight(view, None))

    look(lambda sight: sessions.check_there(sight, scope))
    return PersonsSession(
        scope, look, lambda work: replica.write(lambda transaction: work(transaction, Sight(transaction, None)))
    )
