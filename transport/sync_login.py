"""The sync machine's part that logs in, and keeps the rosters of both sides the same."""

from __future__ import annotations

from vademecum.errors import PeerFault, RelayRefused
from vademecum.transport import frames
from vademecum.transport.sync_session import Session

__all__ = ["REVOKED", "Login"]

REVOKED = "revoked"
"""The reason that a relay gives to a device that was revoked. It sends the statements that prove it before."""


class Login:
    """``origin`` is ``login.origin_of`` the address that was dialled."""

    def __init__(self, session: Session, origin: str) -> None:
        self._session = session
        self._ledger = session.ledger
        self._origin = origin
        self._relay_statements: set[bytes] = set()

    def greet(self) -> None:
        self._ledger.follow()
        self._session.send(frames.Hello((frames.VERSION,), self._ledger.vault, self._ledger.device))

    def prove(self, challenge: frames.Challenge) -> None:
        if challenge.version != frames.VERSION:
            raise PeerFault(f"The relay chose version {challenge.version} of the protocol, which was not offered.")
        signature = self._ledger.sign_login(self._origin, challenge.nonce, challenge.expiry)
        roster = self._ledger.roster()
        statements = tuple(one.raw for one in roster.statements)
        self._relay_statements = set(statements)
        self._session.send(frames.Prove(signature, statements if challenge.roster_head != roster.head else ()))

    def enrol(self) -> None:
        """Tells the relay of statements that it lacks."""
        lacking = tuple(one.raw for one in self._ledger.roster().statements if one.raw not in self._relay_statements)
        if lacking:
            self._relay_statements.update(lacking)
            self._session.send(frames.Enrol(lacking))

    def merge_roster(self, statements: tuple[bytes, ...]) -> bool:
        """Whether other commits can be taken in than before: there are new keys, or other devices that count.

        Raises ``RelayRefused`` if this device was revoked, whoever says so: then nothing is exchanged any more.
        """
        self._relay_statements.update(statements)
        before = self._ledger.roster()
        after = self._ledger.merge_roster(statements)
        if after.is_revoked(self._ledger.device):
            raise RelayRefused("This device was revoked.", reason=REVOKED)
        return (before.epochs.keys(), before.live, before.held, before.snapshots) != (
            after.epochs.keys(),
            after.live,
            after.held,
            after.snapshots,
        )
