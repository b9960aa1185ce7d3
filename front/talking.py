"""The part of `Vault` that concerns conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vademecum.engine.expiring import Expired
    from vademecum.engine.replica import Replica
    from vademecum.engine.session_handle import PersonsSession
    from vademecum.engine.sessions import SessionInfo

__all__ = ["Talking"]


class Talking:
    """Mixed into `Vault`."""

    _replica: Replica

    def sessions(self) -> list[SessionInfo]:
        """All conversations that are kept here, the newest first. O(messages)."""
        from vademecum.engine.sessions import listed

        with self._replica.read() as view:
            return listed(view, self._replica.device)

    def session(self, session: str) -> PersonsSession:
        """The conversation *session*, whosever it is, as the person sees it. Raises `NotFound`, `InvalidScope`."""
        from vademecum.engine.session_handle import persons_session

        return persons_session(self._replica, session)

    def expire_sessions(self) -> Expired:
        """Removes the messages of sessions whose time is over (see `AgentHandle.session`); sweeps do so by themselves.

        What was learned from them stays, with its receipts; so does what no curator has read yet, until one has.
        """
        from vademecum.engine.expiring import expire_due

        return expire_due(self._replica)
