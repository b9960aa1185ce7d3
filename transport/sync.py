"""The client's side of the relay protocol, as a state machine without socket, clock or thread.

In go messages and events, out come messages. The replica is asked and told through ``Ledger``, synchronously, so one
call may take as long as the disk does.

===============  ==============================================  =====================================
state            input                                           becomes
===============  ==============================================  =====================================
``OFFLINE``      connected                                       ``CONNECTING``
``CONNECTING``   Challenge                                       ``PROVING``
``PROVING``      Statements                                      the same
``PROVING``      Welcome                                         online: one of the three below
``SYNCING``      Part · Commits · End · Accepted · Refused ·     ``SYNCED`` when the relay's frontier
``SYNCED``       Live · Heads · Renewed · Staged · Declined ·    and the replica's agree on every
``BLOCKED``      Statements · local_changed · check              channel, on one snapshot; ``SYNCING``
                                                                 while there is something to wait for;
                                                                 else ``BLOCKED``
``CONNECTING``   Refused, for good: what the relay said must     ``REFUSED``; may be connected again
``PROVING``      be seen to by the person
any of these     Statements that revoke this device              ``REFUSED``
any              disconnected                                    ``OFFLINE``; ``REFUSED`` stays
===============  ==============================================  =====================================

Anything else raises ``PeerFault`` that names the frame and the state, and changes nothing.

Another commit at the relay than the replica has, in one place of its own device's chain, shows that there are two
copies of this device. The ledger then makes this one another device, and the conversation goes on from there.

What each input does stands in three modules: ``sync_login``, ``sync_channels`` and ``sync_snapshots``; what they
share during a connection, in ``sync_session``. The life of a channel in one connection:

=============  ===================================  ===============================================================
channel        when                                 then
=============  ===================================  ===============================================================
untold         the relay named it with a digest     pull
               that is not ours
pulling        Part …, the last one                 adopt the snapshot: our changes that it lacks wait again
               Commits …, End                       apply; compare frontier and base
apart, behind  End names a base not older than      pull again, at most three times; then a problem
               ours
apart, ahead   End names an older generation, or    offer a snapshot of the next generation
               the relay does not hold the channel
on one base    the relay lacks commits              push; refused for ``generation`` or ``gap``: pull
               Live                                 apply
               in step, and a snapshot is due       offer it; meanwhile nothing is pushed
offering       Staged                               send further parts
               Declined                             pull and offer again, at most three times; then a problem
               Renewed with our snapshot            adopt it
any            Renewed with another snapshot        pull
=============  ===================================  ===============================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, ClassVar

from vademecum.errors import AuthorRevoked, KeysMissing, OtherGeneration, PeerFault, RelayRefused
from vademecum.transport import frames
from vademecum.transport.contract import Ledger, Problem, Received
from vademecum.transport.frames import Frame, decode
from vademecum.transport.sync_channels import Channels
from vademecum.transport.sync_login import Login
from vademecum.transport.sync_session import Session
from vademecum.transport.sync_snapshots import Snapshots

__all__ = ["Ledger", "Problem", "Received", "State", "Sync"]


PASSING = (OtherGeneration.code, KeysMissing.code, "refused:behind", "refused:revoked", "cannot-catch-up")
"""Problems with a channel that are over as soon as the two sides agree on it."""


class State(Enum):
    """Where the machine is. ``status`` is the word shown to people."""

    OFFLINE = "offline"
    CONNECTING = "connecting"
    PROVING = "proving"
    SYNCING = "syncing"
    SYNCED = "synced"
    BLOCKED = "blocked"
    REFUSED = "refused"

    @property
    def status(self) -> str:
        return {"proving": "connecting", "refused": "blocked"}.get(self.value, self.value)


class Event(Enum):
    CONNECTED = "connected"
    DISCONNECTED = "disconnected"
    LOCAL_CHANGED = "local_changed"
    CHECK = "check"


class Sync:
    """One replica's conversation with one relay, over any number of connections, one at a time.

    ``origin`` is ``login.origin_of`` the address that was dialled.
    """

    def __init__(self, ledger: Ledger, origin: str) -> None:
        self._ledger = ledger
        self._me = ledger.device
        self._origin = origin
        self.state = State.OFFLINE
        self._recorded: tuple[str, tuple[Problem, ...]] | None = None
        self._pulled = self._pushed = 0  # in the connections before
        self._begin()

    def _begin(self) -> None:
        self._session = Session(self._ledger)
        self._login = Login(self._session, self._origin)
        self._channels = Channels(self._session)
        self._snapshots = Snapshots(self._session, self._channels)

    @property
    def pulled(self) -> int:
        """Commits applied here since this object was made."""
        return self._pulled + self._session.pulled

    @property
    def pushed(self) -> int:
        """Commits that the relay acknowledged since then."""
        return self._pushed + self._session.pushed

    # --- inputs -------------------------------------------------------------------------------------------------

    def connected(self) -> list[bytes]:
        """A connection is open. Returns messages to send, as all inputs do."""
        return self._take(Event.CONNECTED, None)

    def receive(self, messages: Sequence[bytes]) -> list[bytes]:
        """Takes messages in the order they came. Several at once are applied to the replica together.

        Raises ``PeerFault`` (``RelayRefused``, if the relay said no to the whole request) when the connection is of no
        more use: close it and call ``disconnected``. What was applied before stays.
        """
        for message in messages:
            frame = decode(message)
            if not isinstance(frame, frames.Unknown):
                self._dispatch(type(frame), frame)
        return self._settle()

    def local_changed(self) -> list[bytes]:
        """The replica may have new local changes, commits or statements."""
        return self._take(Event.LOCAL_CHANGED, None)

    def check(self) -> list[bytes]:
        """Asks the relay where its channels stand; for every minute or so, in case a live frame was lost."""
        return self._take(Event.CHECK, None)

    def disconnected(self, why: Problem | None = None) -> None:
        """The connection is gone, or was never had; ``why`` joins the problems."""
        if why is not None:
            self._session.report(why.code, why.message)
        self._take(Event.DISCONNECTED, None)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What went wrong on this connection, or the last one."""
        return tuple(self._session.problems.values())

    @property
    def online(self) -> bool:
        """Whether the relay has let this device in."""
        return self.state in _ONLINE

    @property
    def settled(self) -> bool:
        """Whether there is nothing to wait for: the state is ``SYNCED``, or ``BLOCKED``."""
        return self.state in (State.SYNCED, State.BLOCKED)

    @property
    def checking(self) -> bool:
        """Whether the relay owes an answer to `check`."""
        return self._session.checks > 0

    def _take(self, event: Event, argument: None) -> list[bytes]:
        self._dispatch(event, argument)
        return self._settle()

    def _dispatch(self, what: Event | type[Any], argument: Frame | None) -> None:
        handler = self._TABLE.get((self.state, what))
        if handler is None:
            name = what.value if isinstance(what, Event) else what.__name__
            raise PeerFault(f"The relay protocol has no place for {name!r} while {self.state.value}.")
        handler(self, argument)

    def _settle(self) -> list[bytes]:
        """Gives what was gathered to the ledger, sends what the relay lacks, and judges where that leaves things."""
        session = self._session
        if self.online:
            for name, channel in session.channels.items():
                self._channels.flush(name, channel)
            if session.took_in and not any(channel.pulling for channel in session.channels.values()):
                self._local_changed(None)
            if self._me != self._ledger.device:
                self._became_another()
            self._channels.push()
            self._snapshots.offer_where_due()
            self._channels.pull_next()
            self.state = self._judge()
        told = self.state.status, self.problems
        if told != self._recorded:
            self._recorded = told
            self._ledger.record(*told)
        out, session.out = session.out, []
        return out

    def _judge(self) -> State:
        channels = self._session.channels.values()
        if self._session.to_pull or any(channel.busy for channel in channels):
            return State.SYNCING
        for name, channel in self._session.channels.items():
            if channel.agreed:
                for code in PASSING:
                    self._session.withdraw(code, name)
        if all(channel.agreed for channel in channels):
            return State.SYNCED
        self._explain()
        return State.BLOCKED

    def _explain(self) -> None:
        """Sees to it that a channel on which the two sides cannot agree is named by some problem."""
        named = {problem.channel for problem in self.problems}
        for name, channel in self._session.channels.items():
            if not channel.agreed and name not in named:
                behind = channel.lacks or channel.base[0] < channel.relay_base[0]
                side = "This device" if behind else "The relay"
                self._session.report(
                    "cannot-catch-up", f"{side} does not get everything of channel {name.hex()}.", name
                )

    # --- what they do -------------------------------------------------------------------------------------------

    def _connected(self, _: None) -> None:
        self._start_anew()
        self.state = State.CONNECTING
        self._login.greet()

    def _challenged(self, challenge: frames.Challenge) -> None:
        self._login.prove(challenge)
        self.state = State.PROVING

    def _welcomed(self, welcome: frames.Welcome) -> None:
        session = self._session
        self._merge_roster(welcome.statements)
        self._ledger.tend()
        session.log_id = welcome.log_id
        self.state = State.SYNCING
        self._ledger.seal_pending()
        self._channels.compare(welcome.heads)
        for name in self._ledger.channels():
            if name not in session.channels:
                self._channels.absent(name, session.channel(name))
        self._login.enrol()

    def _refused_login(self, refused: frames.Refused) -> None:
        if refused.retry_after is None:
            self._session.report(f"refused:{refused.reason}", refused.message)
            self.state = State.REFUSED
        raise RelayRefused(refused.message, reason=refused.reason)

    def _local_changed(self, _: None) -> None:
        self._channels.look_again()
        self._login.enrol()

    def _statements(self, told: frames.Statements) -> None:
        if self._merge_roster(told.statements) and self.online:
            for code in (KeysMissing.code, AuthorRevoked.code):
                self._session.withdraw(code)
            self._channels.start_over()
            self._local_changed(None)

    def _merge_roster(self, statements: tuple[bytes, ...]) -> bool:
        try:
            return self._login.merge_roster(statements)
        except RelayRefused as refused:
            self._session.report(refused.reason, refused.message)
            self.state = State.REFUSED
            raise

    def _became_another(self) -> None:
        """This replica has become another device, and may have given up commits: it looks at everything again."""
        self._me = self._ledger.device
        self._channels.start_over()
        self._local_changed(None)

    def _check(self, _: None) -> None:
        self._session.checks += 1
        self._ledger.tend()
        self._login.enrol()
        self._session.send(frames.Ask())
        self._snapshots.try_again()

    def _disconnected(self, _: None) -> None:
        if self.state is not State.REFUSED:
            self.state = State.OFFLINE
        problems = self._session.problems
        self._start_anew()
        self._session.problems = problems

    def _start_anew(self) -> None:
        self._pulled, self._pushed = self.pulled, self.pushed
        self._begin()

    def _nothing(self, _: None) -> None:
        """Local changes are sealed when the login is done."""

    _TABLE: ClassVar[dict[tuple[State, Any], Callable[[Sync, Any], None]]] = {}


_ONLINE = (State.SYNCING, State.SYNCED, State.BLOCKED)
Sync._TABLE.update(
    {
        (State.OFFLINE, Event.CONNECTED): Sync._connected,
        (State.REFUSED, Event.CONNECTED): Sync._connected,
        (State.CONNECTING, frames.Challenge): Sync._challenged,
        (State.CONNECTING, frames.Refused): Sync._refused_login,
        (State.PROVING, frames.Welcome): Sync._welcomed,
        (State.PROVING, frames.Refused): Sync._refused_login,
        (State.PROVING, frames.Statements): Sync._statements,
    }
)
for _state in State:
    Sync._TABLE[_state, Event.DISCONNECTED] = Sync._disconnected
    Sync._TABLE[_state, Event.LOCAL_CHANGED] = Sync._local_changed if _state in _ONLINE else Sync._nothing
    Sync._TABLE[_state, Event.CHECK] = Sync._check if _state in _ONLINE else Sync._nothing
for _state in _ONLINE:
    Sync._TABLE.update(
        {
            (_state, frames.Part): lambda sync, frame: sync._snapshots.part(frame),
            (_state, frames.Commits): lambda sync, frame: sync._channels.commits(frame),
            (_state, frames.End): lambda sync, frame: sync._channels.end(frame),
            (_state, frames.Accepted): lambda sync, frame: sync._channels.accepted(frame),
            (_state, frames.Refused): lambda sync, frame: sync._channels.refused(frame),
            (_state, frames.Live): lambda sync, frame: sync._channels.live(frame),
            (_state, frames.Heads): lambda sync, frame: sync._channels.heads(frame),
            (_state, frames.Renewed): lambda sync, frame: sync._snapshots.renewed(frame),
            (_state, frames.Staged): lambda sync, frame: sync._snapshots.staged(frame),
            (_state, frames.Declined): lambda sync, frame: sync._snapshots.declined(frame),
            (_state, frames.Statements): Sync._statements,
        }
    )
