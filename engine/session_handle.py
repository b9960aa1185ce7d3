"""What an agent gets for one conversation: `AgentHandle.session`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from . import sessions
from .agents import AgentId
from .messages import SessionMessage
from .replica import Replica, Transaction
from .sight import Sight
from .times import to_ms

__all__ = ["SessionHandle", "session_handle"]


class SessionHandle:
    """One session of one agent. Made by ``agent.session(id)``; the session itself is made by its first message.

    Every write is durable when its method returns. A session stays on this device until `hand_over`.
    """

    __slots__ = ("_lifetime", "_look", "_write", "agent", "scope")

    def __init__(
        self,
        agent: AgentId,
        scope: str,
        look: Callable[[Callable[[Sight], Any]], Any],
        write: Callable[[Callable[[Transaction], Any]], Any],
        lifetime: timedelta | None,
    ) -> None:
        self.agent = agent
        self.scope = scope
        self._look = look
        self._write = write
        self._lifetime = lifetime

    @property
    def id(self) -> str:
        return self.scope.partition("/")[2]

    def log(self, role: str, text: str, *, at: datetime | None = None, tool: str | None = None) -> str:
        """Records one message and returns its id, ``session/<id>:<name>``; ids sort in the order of logging.

        role: ``user`` for the person, whose words drop a signal for the curator; ``assistant``, ``tool``, ``system``.
        text: up to 32 KiB of UTF-8.
        at: when it was said, an aware datetime; now by default.
        tool: for the role ``tool``, the name of the tool whose output it is.

        Raises `InvalidArgument`, `InvalidValue`, `InvalidTime`, `Confined`; nothing has changed then.
        """
        at_ms = None if at is None else to_ms(at)
        return self._write(  # type: ignore[no-any-return]  # a write returns what it is given to do
            lambda transaction: sessions.log(
                transaction, self.agent, self.scope, role, text, at_ms=at_ms, tool=tool, lifetime=self._lifetime
            )
        )

    def messages(self) -> list[SessionMessage]:
        """What was said, in the order in which it was logged. O(messages)."""
        return self._look(lambda sight: list(sessions.messages(sight, self.scope)))  # type: ignore[no-any-return]

    def pin(self, message: str) -> None:
        """Has the message (by its id) sent along by every `context`. Raises `NotFound`."""
        self._pin(message, on=True)

    def unpin(self, message: str) -> None:
        """Takes `pin` back. Raises `NotFound` if there is no such message."""
        self._pin(message, on=False)

    def hand_over(self) -> bool:
        """Lets the session go to the person's other devices with the next sync; False if it did already.

        Raises `NotFound` before the first message.
        """
        return self._write(lambda transaction: sessions.hand_over(transaction, self.scope))  # type: ignore[no-any-return]

    def _pin(self, message: str, *, on: bool) -> None:
        self._write(
            lambda transaction: sessions.pin(transaction, Sight(transaction, self.agent), self.scope, message, on=on)
        )

    def __repr__(self) -> str:
        return f"SessionHandle({self.id!r}, {str(self.agent)!r})"


def session_handle(replica: Replica, agent: AgentId, session: str, lifetime: timedelta | None) -> SessionHandle:
    """Raises `InvalidScope`, `InvalidArgument`, and `Confined` if the session is another agent's."""
    scope = sessions.scope_of(session)
    sessions.check_lifetime(lifetime)

    def look(question: Callable[[Sight], Any]) -> Any:
        with replica.read() as view:
            return question(Sight(view, agent))

    def write(work: Callable[[Transaction], Any]) -> Any:
        def confined(transaction: Transaction) -> Any:
            sessions.check_owner(transaction, agent, scope)
            return work(transaction)

        return replica.write(confined)

    look(lambda sight: sessions.check_owner(sight.view, agent, scope))
    return SessionHandle(agent, scope, look, write, lifetime)
