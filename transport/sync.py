"""The client's side of the relay protocol, as a state machine without socket, clock or thread.

In go messages and events, out come messages. The replica is asked and told through ``Ledger``, synchronously, so one
call may take as long as the disk does.

===============  ==============================================  =====================================
state            input                                           becomes
===============  ==============================================  =====================================
``OFFLINE``      connected                                       ``CONNECTING``
``CONNECTING``   Challenge                                       ``PROVING``
``PROVING``      Welcome                                         online: one of the three below
``SYNCING``      Commits · End · Accepted · Refused · Live ·     ``SYNCED`` when the relay's frontier
``SYNCED``       Heads · Statements · local_changed · check      and the replica's agree on every
``BLOCKED``                                                      channel; ``SYNCING`` while there is
                                                                 something to wait for; else ``BLOCKED``
``CONNECTING``   Refused, for good: what the relay said must     ``REFUSED``; may be connected again
``PROVING``      be seen to by the person
any              disconnected                                    ``OFFLINE``; ``REFUSED`` stays
===============  ==============================================  =====================================

Anything else raises ``PeerFault`` that names the frame and the state, and changes nothing.

Another commit at the relay than the replica has, in one place of its own device's chain, shows that there are two
copies of this device. The ledger then makes this one another device, and the conversation goes on from there.

Three rules keep it right whatever was lost on the way. A position in the relay's log is a hint: the frontiers decide.
A gap is never skipped: it is pulled. What the relay lacks is pushed, even if it was acknowledged before.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar

from vademecum.errors import PeerFault, RelayRefused
from vademecum.transport import frames
from vademecum.transport.commit import commit_hash, parse_header
from vademecum.transport.contract import Ledger, Problem, Received
from vademecum.transport.frames import Frame, decode, encode, frontier_digest

__all__ = ["Ledger", "Problem", "Received", "State", "Sync"]

PUSH_BYTES = 512 << 10
"""Commits in one push, about."""
WINDOW_BYTES = 4 << 20
"""Commits pushed and not yet answered."""
MAX_PULLS = 32
"""Pulls that wait for their answer; below what a relay allows."""
MAX_ATTEMPTS = 3
"""Times that a channel is read from its log's beginning, or pushed again after a gap, within one connection."""
EVERYTHING = (1 << 64) - 1

Chain = tuple[int, bytes]


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


@dataclass(slots=True)
class _Channel:
    """What this connection knows of one channel."""

    ours: dict[bytes, Chain]
    position: int  # the log sequence up to which the replica lacks nothing
    relay: dict[bytes, Chain] = field(default_factory=dict)  # the relay's frontier, as last told
    told: bool = False  # whether the relay's frontier is known at all
    pulling: bool = False
    newest: int = 0  # the greatest log sequence seen in a live frame
    batch: list[tuple[int, bytes]] = field(default_factory=list)  # received, not yet given to the ledger
    flying: dict[tuple[bytes, int], tuple[int, bytes]] = field(default_factory=dict)  # pushed → size, hash
    stuck: set[bytes] = field(default_factory=set)  # devices whose chain the relay will not take from here
    attempts: int = 0

    @property
    def tail(self) -> int:
        return self.batch[-1][0] if self.batch else self.position

    @property
    def busy(self) -> bool:
        return self.pulling or bool(self.flying) or not self.told

    @property
    def lacks(self) -> bool:
        """Whether the relay holds commits that the replica does not."""
        return any(seq > self.ours.get(device, (0, b""))[0] for device, (seq, _) in self.relay.items())


class Sync:
    """One replica's conversation with one relay, over any number of connections, one at a time.

    ``origin`` is ``login.origin_of`` the address that was dialled.
    """

    def __init__(self, ledger: Ledger, origin: str) -> None:
        self._ledger = ledger
        self._me = ledger.device
        self._origin = origin
        self.state = State.OFFLINE
        self.pulled = 0
        """Commits applied here since this object was made."""
        self.pushed = 0
        """Commits that the relay acknowledged since then."""
        self._recorded: tuple[str, tuple[Problem, ...]] | None = None
        self._begin()

    def _begin(self) -> None:
        self._log_id = b""
        self._channels: dict[bytes, _Channel] = {}
        self._to_pull: deque[bytes] = deque()
        self._pulls = 0
        self._window = 0
        self._relay_statements: set[bytes] = set()
        self._problems: dict[tuple[str, bytes, bytes, int], Problem] = {}
        self._out: list[bytes] = []
        self._checks = 0  # asked and not yet answered
        self._took_in = False  # commits since the last sealing; taking them in can make the replica write in answer

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
            self._report(why.code, why.message)
        self._take(Event.DISCONNECTED, None)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What went wrong on this connection, or the last one."""
        return tuple(self._problems.values())

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
        return self._checks > 0

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
        """Gives what was gathered to the ledger, pushes what the relay lacks, and judges where that leaves things."""
        if self.online:
            for name, channel in self._channels.items():
                self._flush(name, channel)
            if self._took_in and not any(channel.pulling for channel in self._channels.values()):
                self._local_changed(None)
            if self._me != self._ledger.device:
                self._renewed()
            self._push()
            self._pull_next()
            self.state = self._judge()
        told = self.state.status, self.problems
        if told != self._recorded:
            self._recorded = told
            self._ledger.record(*told)
        out, self._out = self._out, []
        return out

    def _judge(self) -> State:
        if self._to_pull or any(channel.busy for channel in self._channels.values()):
            return State.SYNCING
        agreed = all(channel.ours == channel.relay for channel in self._channels.values())
        if not agreed:
            self._explain()
        return State.SYNCED if agreed else State.BLOCKED

    def _explain(self) -> None:
        """Sees to it that a channel on which the two sides cannot agree is named by some problem."""
        named = {problem.channel for problem in self._problems.values()}
        for name, channel in self._channels.items():
            if channel.ours != channel.relay and name not in named:
                side = "This device" if channel.lacks else "The relay"
                self._report("cannot-catch-up", f"{side} does not get everything of channel {name.hex()}.", name)

    def _send(self, frame: Frame) -> None:
        self._out.append(encode(frame))

    def _report(self, code: str, message: str, channel: bytes = b"", device: bytes = b"", seq: int = 0) -> None:
        self._problems.setdefault((code, channel, device, seq), Problem(code, message, channel, device, seq))

    # --- login --------------------------------------------------------------------------------------------------

    def _connected(self, _: None) -> None:
        self._begin()
        self.state = State.CONNECTING
        self._send(frames.Hello((frames.VERSION,), self._ledger.vault, self._ledger.device))

    def _challenged(self, challenge: frames.Challenge) -> None:
        if challenge.version != frames.VERSION:
            raise PeerFault(f"The relay chose version {challenge.version} of the protocol, which was not offered.")
        signature = self._ledger.sign_login(self._origin, challenge.nonce, challenge.expiry)
        roster = self._ledger.roster()
        statements = tuple(one.raw for one in roster.statements)
        self._relay_statements = set(statements)
        self.state = State.PROVING
        self._send(frames.Prove(signature, statements if challenge.roster_head != roster.head else ()))

    def _welcomed(self, welcome: frames.Welcome) -> None:
        self._merge_roster(welcome.statements)
        self._log_id = welcome.log_id
        self.state = State.SYNCING
        self._ledger.seal_pending()
        self._compare(welcome.heads)
        for name in self._ledger.channels():
            if name not in self._channels:
                self._channel(name).told = True
                self._check_rewind(name, self._channels[name])

    def _refused_login(self, refused: frames.Refused) -> None:
        if refused.retry_after is None:
            self._report(f"refused:{refused.reason}", refused.message)
            self.state = State.REFUSED
        raise RelayRefused(refused.message, reason=refused.reason)

    # --- what the relay has -------------------------------------------------------------------------------------

    def _heads(self, heads: frames.Heads) -> None:
        if heads.log_id != self._log_id:
            raise PeerFault("The relay began another log during the connection.")
        self._checks -= 1
        self._compare(heads.heads)
        listed = {name for name, _, _ in heads.heads}
        for name, channel in self._channels.items():
            if name not in listed and channel.relay:
                self._ask_for(name, channel)

    def _compare(self, heads: Iterable[frames.Head]) -> None:
        for name, seq, digest in heads:
            channel = self._channel(name)
            if digest == frontier_digest(channel.relay if channel.told else channel.ours):
                if not channel.told:
                    channel.told, channel.relay = True, dict(channel.ours)
                    self._in_step(name, channel, seq)
            else:
                self._ask_for(name, channel)

    def _in_step(self, name: bytes, channel: _Channel, seq: int) -> None:
        """The relay holds what the replica holds: notes the position, and acknowledgements that were lost."""
        self._note_held(name, channel, seq)
        channel.position = seq

    def _note_held(self, name: bytes, channel: _Channel, position: int) -> None:
        """Notes what the relay is seen to hold: a process may have died between its push and the answer.

        That is where both chains end in the same commit. A number alone may be that of another, where two copies of a
        device have written.
        """
        seen = self._ledger.acknowledged(name)
        rows = [
            (who, end[0], 0)
            for who, end in channel.ours.items()
            if end == channel.relay.get(who) and end[0] > seen.get(who, 0)
        ]
        if rows or self._ledger.position(name) != (self._log_id, position):
            self._ledger.acknowledge(name, self._log_id, rows, position)

    def _ask_for(self, name: bytes, channel: _Channel) -> None:
        if not channel.pulling:
            channel.pulling = True
            self._to_pull.append(name)

    def _pull_next(self) -> None:
        while self._to_pull and self._pulls < MAX_PULLS:
            name = self._to_pull.popleft()
            channel = self._channels[name]
            after = channel.position if channel.attempts == 0 else 0
            have = {device: seq for device, (seq, _) in channel.ours.items()}
            self._pulls += 1
            self._send(frames.Pull(name, self._log_id, after, have))

    def _commits(self, part: frames.Commits) -> None:
        channel = self._pulled(part.channel)
        tail = channel.batch[-1][0] if channel.batch else 0
        for seq, _, commit in part.entries:
            if seq <= tail:
                raise PeerFault("The relay sent commits out of their log's order.")
            tail = seq
            channel.batch.append((seq, commit))

    def _end(self, end: frames.End) -> None:
        channel = self._pulled(end.channel)
        if end.log_id != self._log_id:
            raise PeerFault("The relay answered from another log than the one it named.")
        channel.pulling = False
        self._pulls -= 1
        self._flush(end.channel, channel, end.seq)
        channel.told, channel.relay = True, dict(end.frontier)
        self._check_forks(end.channel, channel)
        self._check_rewind(end.channel, channel)
        self._note_held(end.channel, channel, channel.position)
        missed, channel.newest = channel.newest > end.seq, end.seq
        if missed or (channel.lacks and channel.attempts < MAX_ATTEMPTS and not self._hopeless(end.channel, channel)):
            channel.attempts += not missed
            self._ask_for(end.channel, channel)

    def _pulled(self, name: bytes) -> _Channel:
        channel = self._channels.get(name)
        if channel is None or not channel.pulling:
            raise PeerFault("The relay answered a pull that was not made.")
        return channel

    def _hopeless(self, name: bytes, channel: _Channel) -> bool:
        """Whether every chain that the replica lacks something of has a problem already: another pull will not help."""
        named = {problem.device for problem in self._problems.values() if problem.channel == name}
        return all(
            device in named for device, (seq, _) in channel.relay.items() if seq > channel.ours.get(device, (0, b""))[0]
        )

    def _live(self, live: frames.Live) -> None:
        channel = self._channel(live.channel)
        channel.newest = max(channel.newest, live.seq)
        if channel.pulling or live.seq <= channel.tail:
            return
        if live.previous != channel.tail or not self._told(channel):
            self._ask_for(live.channel, channel)
            return
        header = parse_header(live.commit)
        channel.batch.append((live.seq, live.commit))
        channel.relay[header.device] = header.seq, commit_hash(live.commit)

    def _told(self, channel: _Channel) -> bool:
        """A channel that begins with this live frame has an empty frontier before it."""
        channel.told = channel.told or (channel.position == 0 and not channel.ours)
        return channel.told

    def _flush(self, name: bytes, channel: _Channel, position: int | None = None) -> None:
        """Gives the batch to the ledger. ``position``: where the log stands, if that is known to be reached."""
        if position is None:
            position = max(channel.position, channel.tail)
        if not channel.batch and position == channel.position:
            return
        items, channel.batch = channel.batch, []
        received = self._ledger.receive(name, self._log_id, items, position)
        channel.position = position
        self.pulled += received.applied
        self._took_in |= received.applied > 0
        for problem in received.quarantined:
            self._report(problem.code, problem.message, name, problem.device, problem.seq)
        channel.ours = dict(self._ledger.frontier(name))

    def _check_rewind(self, name: bytes, channel: _Channel) -> None:
        for device, seq in self._ledger.acknowledged(name).items():
            held = channel.relay.get(device, (0, b""))[0]
            if held < seq:
                self._report(
                    "relay-rewound",
                    f"The relay has lost commits it had: it holds {held} of device {device.hex()} in channel "
                    f"{name.hex()}, and held {seq} before. This device sends again what it has.",
                    name,
                    device,
                    seq,
                )

    def _check_forks(self, name: bytes, channel: _Channel) -> None:
        for device, (seq, digest) in channel.relay.items():
            ours = channel.ours.get(device)
            if ours is not None and ours[0] == seq and ours[1] != digest:
                self._fork(name, channel, device, seq)

    def _fork(self, name: bytes, channel: _Channel, device: bytes, seq: int) -> None:
        if self._ledger.release(name, device, seq):
            return
        channel.stuck.add(device)
        self._report(
            "fork-detected",
            f"There are two different commits {seq} of device {device.hex()} in channel {name.hex()}: two copies of "
            f"that device have written.",
            name,
            device,
            seq,
        )

    def _renewed(self) -> None:
        """This replica has become another device, and may have given up commits: it looks at everything again."""
        self._me = self._ledger.device
        for name, channel in self._channels.items():
            channel.stuck.clear()
            channel.attempts = max(channel.attempts, 1)
            self._ask_for(name, channel)
        self._local_changed(None)

    # --- what the relay lacks -----------------------------------------------------------------------------------

    def _local_changed(self, _: None) -> None:
        self._took_in = False
        self._ledger.seal_pending()
        for name in self._ledger.channels():
            channel = self._channel(name)
            channel.ours = dict(self._ledger.frontier(name))
            channel.told = channel.told or not channel.pulling  # the relay has not named it, so it holds none of it
        self._enrol()

    def _enrol(self) -> None:
        lacking = tuple(one.raw for one in self._ledger.roster().statements if one.raw not in self._relay_statements)
        if lacking:
            self._relay_statements.update(lacking)
            self._send(frames.Enrol(lacking))

    def _statements(self, told: frames.Statements) -> None:
        self._merge_roster(told.statements)

    def _merge_roster(self, statements: tuple[bytes, ...]) -> None:
        self._relay_statements.update(statements)
        if statements:
            self._ledger.merge_roster(statements)

    def _push(self) -> None:
        for name, channel in self._channels.items():
            while channel.told and not channel.pulling and self._window < WINDOW_BYTES:
                if not self._push_some(name, channel):
                    break

    def _push_some(self, name: bytes, channel: _Channel) -> bool:
        have = {device: seq for device, (seq, _) in channel.relay.items()}
        for device, seq in channel.flying:
            have[device] = max(have.get(device, 0), seq)
        have.update(dict.fromkeys(channel.stuck, EVERYTHING))
        if all(seq <= have.get(device, 0) for device, (seq, _) in channel.ours.items()):
            return False
        commits = tuple(self._ledger.commits_lacking(name, have, PUSH_BYTES))
        for commit in commits:
            header = parse_header(commit)
            channel.flying[header.device, header.seq] = len(commit), commit_hash(commit)
            self._window += len(commit)
        if commits:
            self._send(frames.Push(commits))
        return bool(commits)

    def _accepted(self, accepted: frames.Accepted) -> None:
        rows: dict[bytes, list[tuple[bytes, int, int]]] = {}
        for name, device, seq, at, previous in accepted.stored:
            channel = self._channels.get(name)
            if channel is None or (device, seq) not in channel.flying:
                raise PeerFault("The relay accepted a commit that was not pushed.")
            size, digest = channel.flying.pop((device, seq))
            self._window -= size
            if seq > channel.relay.get(device, (0, b""))[0]:
                channel.relay[device] = seq, digest
            if previous == channel.tail and not channel.pulling:
                self._flush(name, channel)
                channel.position = at
            rows.setdefault(name, []).append((device, seq, at))
        for name, stored in rows.items():
            self.pushed += len(stored)
            self._ledger.acknowledge(name, self._log_id, stored, self._channels[name].position)

    def _refused(self, refused: frames.Refused) -> None:
        if not refused.which:
            raise RelayRefused(refused.message, reason=refused.reason)
        for name, device, seq in refused.which:
            channel = self._channels.get(name)
            if channel is None or (device, seq) not in channel.flying:
                raise PeerFault("The relay refused a commit that was not pushed.")
            size, _ = channel.flying.pop((device, seq))
            self._window -= size
            if device in channel.stuck:
                continue  # the commits behind a refused one are refused for the gap
            if refused.reason == "gap" and channel.attempts < MAX_ATTEMPTS:
                if not channel.pulling:
                    channel.attempts += 1
                self._ask_for(name, channel)  # its frontier is not what we thought: ask, then push from there
            elif refused.reason == "fork":
                self._fork(name, channel, device, seq)
            else:
                channel.stuck.add(device)
                self._report(f"refused:{refused.reason}", refused.message, name, device, seq)

    # --- the rest -----------------------------------------------------------------------------------------------

    def _channel(self, name: bytes) -> _Channel:
        channel = self._channels.get(name)
        if channel is None:
            log_id, seq = self._ledger.position(name)
            position = seq if log_id == self._log_id else 0
            channel = self._channels[name] = _Channel(dict(self._ledger.frontier(name)), position)
        return channel

    def _check(self, _: None) -> None:
        self._checks += 1
        self._send(frames.Ask())

    def _disconnected(self, _: None) -> None:
        if self.state is not State.REFUSED:
            self.state = State.OFFLINE
        problems = self._problems
        self._begin()
        self._problems = problems

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
    }
)
for _state in State:
    Sync._TABLE[_state, Event.DISCONNECTED] = Sync._disconnected
    Sync._TABLE[_state, Event.LOCAL_CHANGED] = Sync._local_changed if _state in _ONLINE else Sync._nothing
    Sync._TABLE[_state, Event.CHECK] = Sync._check if _state in _ONLINE else Sync._nothing
for _state in _ONLINE:
    Sync._TABLE.update(
        {
            (_state, frames.Commits): Sync._commits,
            (_state, frames.End): Sync._end,
            (_state, frames.Accepted): Sync._accepted,
            (_state, frames.Refused): Sync._refused,
            (_state, frames.Live): Sync._live,
            (_state, frames.Heads): Sync._heads,
            (_state, frames.Statements): Sync._statements,
        }
    )
