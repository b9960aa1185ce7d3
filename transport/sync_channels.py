"""The sync machine's part that pulls and pushes commits, channel by channel.

Three rules keep it right whatever was lost on the way. A position in the relay's log is a hint: the frontiers decide.
A gap is never skipped: it is pulled. What the relay lacks is pushed, even if it was acknowledged before. And one more
holds since there are snapshots: commits pass only while both sides build on the same one.
"""

from __future__ import annotations

from collections.abc import Iterable

from vademecum.errors import PeerFault, RelayRefused
from vademecum.transport import frames
from vademecum.transport.commit import commit_hash, parse_header
from vademecum.transport.frames import BEGINNING, Frontier, frontier_digest
from vademecum.transport.sync_session import MAX_ATTEMPTS, Channel, Session

__all__ = ["Channels"]

PUSH_BYTES = 512 << 10
"""Commits in one push, about."""
WINDOW_BYTES = 4 << 20
"""Commits pushed and not yet answered."""
MAX_PULLS = 32
"""Pulls that wait for their answer; below what a relay allows."""
EVERYTHING = (1 << 64) - 1


class Channels:
    """All channels of one connection."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._ledger = session.ledger
        self._pulls = 0
        self._window = 0

    # --- what the relay has -------------------------------------------------------------------------------------

    def compare(self, heads: Iterable[frames.Head]) -> None:
        """The relay has told where its channels stand: pulls those on which the two sides may differ."""
        for name, seq, digest in heads:
            channel = self._session.channel(name)
            base, held = (channel.relay_base, channel.relay) if channel.told else (channel.base, channel.ours)
            if digest == frontier_digest(held, base, channel.wanted):
                if not channel.told:
                    channel.told, channel.relay, channel.relay_base = True, dict(channel.ours), channel.base
                    self._in_step(name, channel, seq)
            else:
                self._session.ask_for(name, channel)

    def heads(self, heads: frames.Heads) -> None:
        if heads.log_id != self._session.log_id:
            raise PeerFault("The relay began another log during the connection.")
        self._session.checks -= 1
        self.compare(heads.heads)
        listed = {name for name, _, _ in heads.heads}
        for name, channel in self._session.channels.items():
            if name not in listed and channel.relay:
                self._session.ask_for(name, channel)

    def absent(self, name: bytes, channel: Channel) -> None:
        """The relay has not named the channel, so it holds none of it."""
        channel.told = True
        self._check_rewind(name, channel)
        self._session.to_consider.add(name)

    def _in_step(self, name: bytes, channel: Channel, seq: int) -> None:
        """The relay holds what the replica holds: notes the position, and acknowledgements that were lost."""
        self._note_held(name, channel, seq)
        channel.position = seq
        channel.asked = {device: end for device, (end, _) in channel.ours.items()}
        self._session.to_consider.add(name)

    def _note_held(self, name: bytes, channel: Channel, position: int) -> None:
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
        if rows or self._ledger.position(name) != (self._session.log_id, position):
            self._ledger.acknowledge(name, self._session.log_id, rows, position)

    def pull_next(self) -> None:
        session = self._session
        while session.to_pull and self._pulls < MAX_PULLS:
            name = session.to_pull.popleft()
            channel = session.channels[name]
            after = channel.position if channel.attempts == 0 else 0
            have = {device: seq for device, (seq, _) in channel.ours.items()}
            channel.asked = have
            self._pulls += 1
            session.send(frames.Pull(name, session.log_id, after, have, channel.base))

    def commits(self, part: frames.Commits) -> None:
        channel = self.pulled(part.channel)
        tail = channel.batch[-1][0] if channel.batch else 0
        for seq, _, commit in part.entries:
            if seq <= tail:
                raise PeerFault("The relay sent commits out of their log's order.")
            tail = seq
            if not channel.spoiled:  # else they build on what is not here
                channel.batch.append((seq, commit))

    def end(self, end: frames.End) -> None:
        session = self._session
        name, channel = end.channel, self.pulled(end.channel)
        if end.log_id != session.log_id:
            raise PeerFault("The relay answered from another log than the one it named.")
        channel.pulling = False
        self._pulls -= 1
        channel.relay_base, channel.wanted = end.base, end.wanted
        channel.told, channel.relay = True, self._that_counts(name, end.frontier)
        missed, channel.newest = channel.newest > end.seq, end.seq
        if channel.base != end.base:
            self._apart(name, channel)
            return
        if self._check_forks(name, channel):  # what was pulled builds on the other copy's commits: those come first
            channel.batch.clear()
            session.ask_for(name, channel)
            return
        self.flush(name, channel, end.seq)
        self._check_rewind(name, channel)
        self._note_held(name, channel, channel.position)
        session.to_consider.add(name)
        if missed or (channel.lacks and channel.attempts < MAX_ATTEMPTS and not self._hopeless(name, channel)):
            channel.attempts += not missed
            session.ask_for(name, channel)

    def _apart(self, name: bytes, channel: Channel) -> None:
        """The replica builds on another snapshot than the relay, although the pull is answered."""
        channel.batch.clear()
        if channel.relay_base[0] < channel.base[0]:
            self._check_rewind(name, channel)
            self._session.to_consider.add(name)  # the relay is to have a snapshot from here
        elif channel.disowned:
            self._session.to_consider.add(name)
        elif not channel.spoiled and channel.attempts < MAX_ATTEMPTS:
            channel.attempts += 1
            self._session.ask_for(name, channel)

    def pulled(self, name: bytes) -> Channel:
        """The channel, which must have been asked for."""
        channel = self._session.channels.get(name)
        if channel is None or not channel.pulling:
            raise PeerFault("The relay answered a pull that was not made.")
        return channel

    def _hopeless(self, name: bytes, channel: Channel) -> bool:
        """Whether every chain that the replica lacks something of has a problem already: another pull will not help."""
        named = {problem.device for problem in self._session.problems.values() if problem.channel == name}
        return all(
            device in named for device, (seq, _) in channel.relay.items() if seq > channel.ours.get(device, (0, b""))[0]
        )

    def live(self, live: frames.Live) -> None:
        channel = self._session.channel(live.channel)
        channel.newest = max(channel.newest, live.seq)
        if channel.pulling or channel.spoiled or live.seq <= channel.tail:
            return
        if live.previous != channel.tail or not self._told(channel) or not channel.on_one_base:
            self._session.ask_for(live.channel, channel)
            return
        header = parse_header(live.commit)
        channel.batch.append((live.seq, live.commit))
        news = self._that_counts(live.channel, {header.device: (header.seq, commit_hash(live.commit))})
        channel.relay.update(news)

    def _that_counts(self, name: bytes, frontier: Frontier) -> dict[bytes, tuple[int, bytes]]:
        """The relay's frontier without what lies behind the end of a revoked device's chain: nobody takes that in."""
        roster = self._ledger.roster()
        found: dict[bytes, tuple[int, bytes]] = {}
        for device, end in frontier.items():
            limit = roster.limit(device, name)
            cut = end if limit is None or end[0] <= limit[0] else limit
            if cut[0]:
                found[device] = cut
        return found

    def _told(self, channel: Channel) -> bool:
        """A channel that begins with this live frame has an empty frontier before it."""
        channel.told = channel.told or (channel.position == 0 and not channel.ours)
        return channel.told

    def flush(self, name: bytes, channel: Channel, position: int | None = None) -> None:
        """Gives the batch to the ledger. ``position``: where the log stands, if that is known to be reached."""
        if position is None:
            position = max(channel.position, channel.tail)
        if not channel.batch and position == channel.position:
            return
        if self._gave_up(name, channel):
            return
        items, channel.batch = channel.batch, []
        received = self._ledger.receive(name, self._session.log_id, items, position)
        if received.gave_up:
            self._ask_anew(name, channel)
            return
        channel.position = position
        self._session.pulled += received.applied
        self._session.took_in |= received.applied > 0
        for problem in received.quarantined:
            self._session.report(problem.code, problem.message, name, problem.device, problem.seq)
        channel.ours = dict(self._ledger.frontier(name))

    def _gave_up(self, name: bytes, channel: Channel) -> bool:
        """Whether commits were given up here since the channel was pulled, because another copy of this device has
        written others. What has come then builds on those, and would be taken in before them: it is asked for anew.
        """
        ours = self._ledger.frontier(name)
        if all(seq <= ours.get(device, (0, b""))[0] for device, seq in channel.asked.items()):
            return False
        self._ask_anew(name, channel)
        return True

    def _ask_anew(self, name: bytes, channel: Channel) -> None:
        channel.ours, channel.position = dict(self._ledger.frontier(name)), 0
        channel.batch.clear()
        self._session.ask_for(name, channel)

    def _check_rewind(self, name: bytes, channel: Channel) -> None:
        for device, seq in self._ledger.acknowledged(name).items():
            held = channel.relay.get(device, (0, b""))[0]
            if held < seq:
                self._session.report(
                    "relay-rewound",
                    f"The relay has lost commits it had: it holds {held} of device {device.hex()} in channel "
                    f"{name.hex()}, and held {seq} before. This device sends again what it has.",
                    name,
                    device,
                    seq,
                )

    def _check_forks(self, name: bytes, channel: Channel) -> bool:
        """Whether a chain was given up, because another copy of this device has written it."""
        released = False
        for device, (seq, digest) in channel.relay.items():
            ours = channel.ours.get(device)
            if ours is not None and ours[0] == seq and ours[1] != digest:
                released |= self._fork(name, channel, device, seq)
        return released

    def _fork(self, name: bytes, channel: Channel, device: bytes, seq: int) -> bool:
        """Reports that a chain is forked; or, if it is this device's own, gives it up and returns True."""
        if self._ledger.release(name, device, seq):
            channel.ours = dict(self._ledger.frontier(name))
            return True
        channel.stuck.add(device)
        self._session.report(
            "fork-detected",
            f"There are two different commits {seq} of device {device.hex()} in channel {name.hex()}: two copies of "
            f"that device have written.",
            name,
            device,
            seq,
        )
        return False

    # --- what the relay lacks -----------------------------------------------------------------------------------

    def look_again(self) -> None:
        """Seals what waits, and reads where the replica stands: this process or another one may have written."""
        session = self._session
        session.took_in = False
        self._ledger.seal_pending()
        for name in self._ledger.channels():
            channel = session.channel(name)
            base = self._ledger.base(name)
            if base != channel.base:  # another process has adopted a snapshot
                channel.base, channel.position = base, 0
                channel.batch.clear()
                session.ask_for(name, channel)
            channel.ours = dict(self._ledger.frontier(name))
            if not channel.told and not channel.pulling:
                if base == BEGINNING:
                    channel.told = True  # the relay has not named it, so it holds none of it
                else:
                    session.ask_for(name, channel)
            session.to_consider.add(name)

    def start_over(self) -> None:
        """Reads all channels from the beginning, and forgets what stopped them."""
        for name, channel in self._session.channels.items():
            channel.stuck.clear()
            channel.attempts = max(channel.attempts, 1)
            self._session.ask_for(name, channel)

    def push(self) -> None:
        for name, channel in self._session.channels.items():
            while channel.on_one_base and not channel.pulling and self._window < WINDOW_BYTES:
                if channel.offer is not None or not self._push_some(name, channel):
                    break

    def _push_some(self, name: bytes, channel: Channel) -> bool:
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
            self._session.send(frames.Push(commits))
        return bool(commits)

    def accepted(self, accepted: frames.Accepted) -> None:
        session = self._session
        rows: dict[bytes, list[tuple[bytes, int, int]]] = {}
        for name, device, seq, at, previous in accepted.stored:
            channel = session.channels.get(name)
            if channel is None or (device, seq) not in channel.flying:
                raise PeerFault("The relay accepted a commit that was not pushed.")
            size, digest = channel.flying.pop((device, seq))
            self._window -= size
            if seq > channel.relay.get(device, (0, b""))[0]:
                channel.relay[device] = seq, digest
            if previous == channel.tail and not channel.pulling:
                self.flush(name, channel)
                channel.position = at
            rows.setdefault(name, []).append((device, seq, at))
        for name, stored in rows.items():
            session.pushed += len(stored)
            session.to_consider.add(name)
            self._ledger.acknowledge(name, session.log_id, stored, session.channels[name].position)

    def refused(self, refused: frames.Refused) -> None:
        session = self._session
        if not refused.which:
            raise RelayRefused(refused.message, reason=refused.reason)
        for name, device, seq in refused.which:
            channel = session.channels.get(name)
            if channel is None or (device, seq) not in channel.flying:
                raise PeerFault("The relay refused a commit that was not pushed.")
            size, digest = channel.flying.pop((device, seq))
            self._window -= size
            if device in channel.stuck:
                continue  # the commits behind a refused one are refused for the gap
            # "revoked": what this device holds of a revoked one may have been on its way before the relay knew that
            if refused.reason in ("gap", "generation", "revoked") and channel.attempts < MAX_ATTEMPTS:
                if not channel.pulling:
                    channel.attempts += 1
                session.ask_for(name, channel)  # it stands elsewhere than we thought: ask, then push from there
            elif refused.reason == "fork":
                if self._holds(name, channel, device, seq, digest):
                    self._fork(name, channel, device, seq)
            else:
                channel.stuck.add(device)
                session.report(f"refused:{refused.reason}", refused.message, name, device, seq)

    def _holds(self, name: bytes, channel: Channel, device: bytes, seq: int, digest: bytes) -> bool:
        """Whether the replica still holds that commit, and has not given it up since it was pushed."""
        have = dict.fromkeys(channel.ours, EVERYTHING) | {device: seq - 1}
        held = self._ledger.commits_lacking(name, have, 1)
        return any(parse_header(commit).seq == seq and commit_hash(commit) == digest for commit in held)
