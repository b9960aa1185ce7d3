"""One connection of a relay, as a state machine without socket, clock or thread.

In go messages, the passing of time and the writer's outcomes; out come effects for the caller to carry out in order.
The store is read directly (reads are short); it is written only through ``Submit``.

=============  ========================================  ==================================
state          what it takes                             and becomes
=============  ========================================  ==================================
``NEW``        Hello                                     ``CHALLENGED``
``NEW``        Claim                                     ``MAILBOX``
``CHALLENGED`` Prove                                     ``JOINING``, or at once ``OPEN``
``JOINING``    the outcome of storing its statements     ``OPEN``
``OPEN``       Pull · Push · Offer · Enrol · Ask         ``OPEN``
``MAILBOX``    Put · Fetch · Close                       ``MAILBOX``
any            a later version's optional frame          the same
any            anything else; time-out                   ``CLOSED``
=============  ========================================  ==================================
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, TypeAlias

from vademecum.errors import BadSignature, InvalidRoster, MalformedBytes, StorageTrouble
from vademecum.transport import frames
from vademecum.transport.commit import MAX_COMMIT
from vademecum.transport.frames import Frame, Refused, decode, encode
from vademecum.transport.keys import DevicePublic
from vademecum.transport.login import CHALLENGE_SECONDS, check_login
from vademecum.transport.relay.admission import (
    DECLINED,
    Enrolled,
    Join,
    Offered,
    OfferRequest,
    PushRequest,
    Request,
    Result,
)
from vademecum.transport.relay.answers import Answer
from vademecum.transport.relay.mailboxes import Mailboxes, MailboxRefused
from vademecum.transport.relay.rosters import Rosters
from vademecum.transport.relay.store import Store
from vademecum.transport.roster import Roster, Statement

__all__ = [
    "Announce",
    "Attend",
    "Connection",
    "Disconnect",
    "Effect",
    "Open",
    "Review",
    "Ring",
    "Send",
    "State",
    "Submit",
]

LOGIN_SECONDS = 10.0
"""How long a connection may take to log in or to claim a mailbox."""
MAX_PULLS = 64
"""Pulls of one connection that wait for their answer."""
RETRY_MS = 5_000


POLICY_VIOLATION = 1008
INTERNAL_ERROR = 1011


class State(Enum):
    NEW = "new"
    CHALLENGED = "challenged"
    JOINING = "joining"
    OPEN = "open"
    MAILBOX = "in a mailbox"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Send:
    """Queue this message for the client."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Announce:
    """Queue this message for every other open connection of the vault."""

    vault: bytes
    data: bytes


@dataclass(frozen=True, slots=True)
class Submit:
    """Give the request to the writer, and its outcome (None if the store failed) to ``finished``. In order."""

    request: Request


@dataclass(frozen=True, slots=True)
class Open:
    """The client is logged in: from now on the vault's announcements are for this connection too."""

    vault: bytes


@dataclass(frozen=True, slots=True)
class Attend:
    """The client has a side of this mailbox: from now on its bell rings for this connection too."""

    mailbox: bytes


@dataclass(frozen=True, slots=True)
class Ring:
    """A letter was put: call ``rung`` on every connection that attends this mailbox."""

    mailbox: bytes


@dataclass(frozen=True, slots=True)
class Review:
    """Call ``reviewed`` on every open connection of the vault, this one included: its roster has grown."""

    vault: bytes


@dataclass(frozen=True, slots=True)
class Disconnect:
    """Send what is queued, then close with this WebSocket code."""

    code: int
    reason: str


Effect: TypeAlias = Send | Announce | Submit | Open | Attend | Ring | Review | Disconnect


class Connection:
    """See the module. One per socket.

    ``origins`` are the names under which the client may have dialled this relay (``host:port``); ``nonce`` is 32 random
    bytes; ``now`` is seconds from any fixed start, ``wall_ms`` milliseconds since 1970 at that moment.
    """

    def __init__(
        self,
        store: Store,
        rosters: Rosters,
        mailboxes: Mailboxes,
        *,
        address: str,
        origins: tuple[str, ...],
        nonce: bytes,
        now: float,
        wall_ms: int,
        login_seconds: float = LOGIN_SECONDS,
    ) -> None:
        self._store, self._rosters, self._mailboxes = store, rosters, mailboxes
        self._address, self._origins, self._nonce = address, origins, nonce
        self._wall_ms_at_0 = wall_ms - now * 1000
        self._now = now
        self._expiry = 0
        self._challenged_with: Roster | None = None
        self._enrolling: tuple[bytes, ...] = ()  # statements that the writer was given, and may not have stored yet
        self._pulls: deque[Answer] = deque()
        self._side = 0
        self._fetching: int | None = None
        self._client_statements: frozenset[bytes] = frozenset()  # those that the client is known to hold
        self.state = State.NEW
        self.deadline: float | None = now + login_seconds
        self.vault = b""
        self.device = b""
        self.mailbox = b""

    # --- what happens to it -------------------------------------------------------------------------------------

    def receive(self, data: bytes, now: float) -> list[Effect]:
        """Takes one message. Whatever the bytes, at worst this connection ends."""
        self._now = now
        if self.state is State.CLOSED:
            return []
        try:
            frame = decode(data)
        except MalformedBytes as error:
            return self._end("malformed", error.message)
        if isinstance(frame, frames.Unknown):
            return []
        handler = self._TABLE.get((self.state, type(frame)))
        if handler is None:
            return self._end(
                "unexpected", f"A {type(frame).__name__} frame is not for a {self.state.value} connection."
            )
        try:
            return list(handler(self, frame))
        except MailboxRefused as error:
            return self._end(error.reason, error.message)
        except StorageTrouble:
            return self._end("storage", "The relay cannot read its store.", RETRY_MS, INTERNAL_ERROR)

    def tick(self, now: float) -> list[Effect]:
        """Time has passed; to be called at ``deadline`` at the latest."""
        self._now = now
        if self.state is State.CLOSED or self.deadline is None or now < self.deadline:
            return []
        return self._end("timeout", "The connection did not log in in time, or its pairing code has expired.")

    def finished(self, request: Request, outcome: Result | None) -> list[Effect]:
        """The writer is done with a submitted request; ``None``: the store failed and nothing of it was kept."""
        if outcome is None:
            refused = Refused("storage", "The relay cannot write to its store.", RETRY_MS)
            return [Send(encode(refused))] if self.state is not State.JOINING else self._end(*_parts(refused))
        if isinstance(outcome, Enrolled):
            try:
                return list(self._enrolled(outcome.statements))
            except StorageTrouble:
                return self._end("storage", "The relay cannot read its store.", RETRY_MS, INTERNAL_ERROR)
        if isinstance(outcome, Offered):
            try:
                return list(self._offered(outcome))
            except StorageTrouble:
                return self._end("storage", "The relay cannot read its store.", RETRY_MS, INTERNAL_ERROR)
        effects: list[Effect] = [
            Announce(self.vault, encode(frames.Live(row[0], row[3], row[4], commit))) for row, commit in outcome.fresh
        ]
        if self.state is not State.CLOSED:
            effects += [Send(encode(frames.Accepted(outcome.stored)))] if outcome.stored else []
            effects += [Send(encode(refused)) for refused in outcome.refused]
        return effects

    def rung(self, now: float) -> list[Effect]:
        """Someone put a letter into this connection's mailbox."""
        self._now = now
        return list(self._deliver()) if self.state is State.MAILBOX else []

    def closed(self) -> None:
        """The socket is gone."""
        self.state = State.CLOSED
        self._pulls.clear()

    @property
    def has_more(self) -> bool:
        """Whether ``more`` has something to give: part of an answer that waits for the line to be free."""
        return bool(self._pulls)

    def more(self) -> list[Effect]:
        """The next part of the answers to pulls. Call when the client has taken what was queued."""
        answer = self._pulls[0]
        try:
            effects: list[Effect] = [Send(encode(frame)) for frame in answer.next()]
        except StorageTrouble:
            return self._end("storage", "The relay cannot read its store.", RETRY_MS, INTERNAL_ERROR)
        if answer.complete:
            self._pulls.popleft()
        return effects

    # --- login --------------------------------------------------------------------------------------------------

    def _hello(self, hello: frames.Hello) -> Iterable[Effect]:
        if frames.VERSION not in hello.versions:
            spoken = ", ".join(map(str, hello.versions)) or "none"
            return self._end("version", f"This relay speaks version {frames.VERSION}; the device speaks {spoken}.")
        if hello.mandatory:
            return self._end("version", f"This relay does not know {', '.join(hello.mandatory)}; it must be updated.")
        self.vault, self.device = hello.vault, hello.device
        self._expiry = int(self._wall_ms_at_0 + (self._now + CHALLENGE_SECONDS) * 1000)
        roster = self._rosters.get(hello.vault)
        self._challenged_with = roster
        self.state = State.CHALLENGED
        head = None if roster is None else roster.head
        return [Send(encode(frames.Challenge(frames.VERSION, self._nonce, self._expiry, head)))]

    def _prove(self, prove: frames.Prove) -> Iterable[Effect]:
        known = self._rosters.get(self.vault)
        try:
            roster = _merged(self.vault, known, prove.statements)
        except (InvalidRoster, MalformedBytes) as error:
            return self._end("roster", error.message)
        member = roster.members.get(self.device)
        if member is None:
            return self._end(
                "not-a-member",
                "The relay does not find this device in the vault's roster. It is no longer a member, or the device "
                "that admitted it has not been in step with the relay since.",
            )
        try:
            self._check_signature(member.public, prove.signature)
        except BadSignature as error:
            return self._end("bad-proof", error.message)
        # A client that sends none holds those of the challenge; there may be more by now.
        shown = self._challenged_with
        held = prove.statements or (() if shown is None else tuple(one.raw for one in shown.statements))
        self._client_statements = frozenset(held)
        if member.revoked:  # what it says behind the back of those who revoked it is not kept
            return self._expel(roster)
        fresh = _new_statements(known, roster)
        if not fresh:
            return self._welcome(roster)
        self.state = State.JOINING
        return [Submit(Join(self.vault, fresh))]

    def _check_signature(self, public: DevicePublic, signature: bytes) -> None:
        now_ms = int(self._wall_ms_at_0 + self._now * 1000)
        failure = BadSignature("The relay does not know by which name it was dialled.")
        for origin in self._origins:
            try:
                return check_login(
                    public,
                    signature,
                    origin=origin,
                    vault=self.vault,
                    nonce=self._nonce,
                    expiry_ms=self._expiry,
                    now_ms=now_ms,
                )
            except BadSignature as error:
                failure = error
        raise failure

    def reviewed(self) -> list[Effect]:
        """The vault's roster has grown: whoever was revoked is shown out."""
        if self.state is not State.OPEN:
            return []
        try:
            roster = self._rosters.get(self.vault)
        except StorageTrouble:
            return self._end("storage", "The relay cannot read its store.", RETRY_MS, INTERNAL_ERROR)
        return self._expel(roster) if roster is not None and roster.is_revoked(self.device) else []

    def _expel(self, roster: Roster) -> list[Effect]:
        """Sends the statements that prove it to the device that they revoke, and ends."""
        told = frames.Statements(roster.head, self._lacking(roster))
        return [Send(encode(told)), *self._end("revoked", "This device was revoked: it is in the vault no more.")]

    def _lacking(self, roster: Roster) -> tuple[bytes, ...]:
        return tuple(one.raw for one in roster.statements if one.raw not in self._client_statements)

    def _welcome(self, roster: Roster) -> Iterable[Effect]:
        if roster.is_revoked(self.device):
            return self._expel(roster)
        self.state = State.OPEN
        self.deadline = None
        lacking = self._lacking(roster)
        limits = {"commit": MAX_COMMIT, "frame": frames.MAX_FRAME}
        welcome = frames.Welcome(self._store.log_id, self._store.heads(self.vault), lacking, limits)
        return [Open(self.vault), Send(encode(welcome))]

    # --- a vault's member ---------------------------------------------------------------------------------------

    def _pull(self, pull: frames.Pull) -> Iterable[Effect]:
        if len(self._pulls) >= MAX_PULLS:
            return self._end("too-many", f"More than {MAX_PULLS} pulls wait for their answer.")
        self._pulls.append(Answer(self._store, self.vault, pull))
        return []

    def _push(self, push: frames.Push) -> Iterable[Effect]:
        roster = self._rosters.get(self.vault)
        if roster is None:
            return self._end("roster", "The vault's roster is gone from the relay.")
        # The writer stores in order: what was enrolled before is there when these commits are.
        return [Submit(PushRequest(self.vault, roster.merge(self._enrolling), push.commits))]

    def _offer(self, offer: frames.Offer) -> Iterable[Effect]:
        roster = self._rosters.get(self.vault)
        if roster is None:
            return self._end("roster", "The vault's roster is gone from the relay.")
        return [Submit(OfferRequest(self.vault, roster, offer.part))]

    def _offered(self, offered: Offered) -> Iterable[Effect]:
        part = offered.part
        if part is not None and offered.accepted is not None:
            renewed = encode(frames.Renewed(part.channel, offered.accepted, offered.seq))
            yield Announce(self.vault, renewed)
            answer: Frame = frames.Renewed(part.channel, offered.accepted, offered.seq)
        elif part is None:
            answer = Refused(offered.reason, DECLINED[offered.reason])
        elif offered.reason:
            base = self._store.base(self.vault, part.channel)
            if offered.reason in ("behind", "fork") and part.generation > base[0] + 1:
                yield Announce(self.vault, encode(frames.Renewed(part.channel, base, 0)))  # a later one is wanted
            answer = frames.Declined(part.channel, part.generation, offered.reason, DECLINED[offered.reason])
        else:
            answer = frames.Staged(part.channel, part.index)
        if self.state is not State.CLOSED:
            yield Send(encode(answer))

    def _enrol(self, enrol: frames.Enrol) -> Iterable[Effect]:
        known = self._rosters.get(self.vault)
        try:
            roster = _merged(self.vault, known, enrol.statements)
        except (InvalidRoster, MalformedBytes) as error:
            return [Send(encode(Refused("roster", error.message[:1000])))]
        self._enrolling += enrol.statements
        return [Submit(Join(self.vault, _new_statements(known, roster)))]

    def _ask(self, _: frames.Ask) -> Iterable[Effect]:
        return [Send(encode(frames.Heads(self._store.log_id, self._store.heads(self.vault))))]

    def _ask_roster(self, _: frames.AskRoster) -> Iterable[Effect]:
        roster = self._rosters.get(self.vault)
        assert roster is not None  # a member of it has logged in
        return [Send(encode(frames.Statements(roster.head, tuple(one.raw for one in roster.statements))))]

    def _enrolled(self, statements: tuple[Statement, ...]) -> Iterable[Effect]:
        raw = tuple(one.raw for one in statements)
        roster = self._rosters.add(self.vault, raw)
        told = encode(frames.Statements(roster.head, raw))
        if raw:
            yield Announce(self.vault, told)
        if self.state is State.JOINING:
            yield from self._welcome(roster)
        elif self.state is State.OPEN:
            self._enrolling = tuple(one for one in self._enrolling if one not in raw)
            yield Send(told)
        yield Review(self.vault)

    # --- a mailbox ----------------------------------------------------------------------------------------------

    def _claim(self, claim: frames.Claim) -> Iterable[Effect]:
        ends = self._mailboxes.claim(claim.mailbox, claim.side, claim.token, self._address, self._now)
        self.mailbox, self._side = claim.mailbox, claim.side
        self.state = State.MAILBOX
        self.deadline = ends
        return [Attend(self.mailbox), Send(encode(frames.Claimed(max(0, int(ends - self._now)))))]

    def _put(self, put: frames.Put) -> Iterable[Effect]:
        self._mailboxes.put(self.mailbox, self._side, put.index, put.letter, self._now)
        return [Ring(self.mailbox)]

    def _fetch(self, fetch: frames.Fetch) -> Iterable[Effect]:
        self._fetching = fetch.index
        return self._deliver()

    def _deliver(self) -> Iterable[Effect]:
        if self._fetching is None:
            return []
        letter = self._mailboxes.letter(self.mailbox, 1 - self._side, self._fetching, self._now)
        if letter is None:
            return []
        index, self._fetching = self._fetching, None
        return [Send(encode(frames.Letter(index, letter)))]

    def _close(self, _: frames.Close) -> Iterable[Effect]:
        self._mailboxes.close(self.mailbox, self._now)
        self.closed()
        return [Disconnect(1000, "the mailbox is closed")]

    # --- the end ------------------------------------------------------------------------------------------------

    def _end(
        self, reason: str, message: str, retry_after: int | None = None, code: int = POLICY_VIOLATION
    ) -> list[Effect]:
        self.closed()
        return [Send(encode(Refused(reason, message[:1000], retry_after))), Disconnect(code, reason)]

    _TABLE: ClassVar[dict[tuple[State, type[Frame]], Callable[[Connection, Any], Iterable[Effect]]]] = {
        (State.NEW, frames.Hello): _hello,
        (State.NEW, frames.Claim): _claim,
        (State.CHALLENGED, frames.Prove): _prove,
        (State.OPEN, frames.Pull): _pull,
        (State.OPEN, frames.Push): _push,
        (State.OPEN, frames.Offer): _offer,
        (State.OPEN, frames.Enrol): _enrol,
        (State.OPEN, frames.Ask): _ask,
        (State.OPEN, frames.AskRoster): _ask_roster,
        (State.MAILBOX, frames.Put): _put,
        (State.MAILBOX, frames.Fetch): _fetch,
        (State.MAILBOX, frames.Close): _close,
    }


def _merged(vault: bytes, known: Roster | None, statements: tuple[bytes, ...]) -> Roster:
    return Roster.verify(vault, statements) if known is None else known.merge(statements)


def _new_statements(known: Roster | None, merged: Roster) -> tuple[Statement, ...]:
    old = set() if known is None else {one.hash for one in known.statements}
    return tuple(one for one in merged.statements if one.hash not in old)


def _parts(refused: Refused) -> tuple[str, str, int | None, int]:
    return refused.reason, refused.message, refused.retry_after, INTERNAL_ERROR
