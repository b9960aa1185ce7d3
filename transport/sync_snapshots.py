"""The sync machine's part that adopts the relay's snapshots, and offers its own.

A snapshot is offered in one of four cases: the replica says that one is due; the relay builds on an older generation
than the replica, because it has lost something; or the relay asks for one, because another device is in the second
case and lacks what is here; or the relay builds on one by a revoked device that nobody has taken in. In the first and
the third the two sides must be in step, so that the relay can accept it. It is adopted by the device that offered it as
by every other one.
"""

from __future__ import annotations

from collections.abc import Sequence

from vademecum.errors import AuthorRevoked, PeerFault
from vademecum.transport import frames
from vademecum.transport.frames import Base
from vademecum.transport.snapshot import parse_part, snapshot_id
from vademecum.transport.sync_channels import Channels
from vademecum.transport.sync_session import MAX_ATTEMPTS, Channel, Offer, Session

__all__ = ["Snapshots"]

PARTS_AHEAD = 4
"""Parts of an offer that are sent and not yet answered."""
GENERATIONS = 1 << 32
_AGAIN = ("superseded", "behind", "fork", "parts")
"""Reasons to decline that may not hold the next time."""


class Snapshots:
    """The snapshots of one connection."""

    def __init__(self, session: Session, channels: Channels) -> None:
        self._session = session
        self._ledger = session.ledger
        self._channels = channels

    # --- the relay's --------------------------------------------------------------------------------------------

    def part(self, part: frames.Part) -> None:
        channel = self._channels.pulled(part.channel)
        index = parse_part(part.part).index
        if index == 0:  # the answer begins, or begins anew
            channel.parts.clear()
            channel.batch.clear()
            channel.spoiled = channel.disowned = False
        elif index != len(channel.parts):
            raise PeerFault("The relay sent the parts of a snapshot out of their order.")
        channel.parts.append(part.part)
        if parse_part(part.part).complete:
            parts, channel.parts = channel.parts, []
            self._adopt(part.channel, channel, parts, 0)

    def renewed(self, renewed: frames.Renewed) -> None:
        name = renewed.channel
        channel = self._session.channel(name)
        offer, channel.offer = channel.offer, None
        if renewed.base == channel.offered:
            channel.unanswered = 0
        if offer is None or offer.base != renewed.base or channel.pulling:
            self._session.ask_for(name, channel)
            return
        channel.batch.clear()
        if self._adopt(name, channel, offer.parts, renewed.seq):
            channel.relay, channel.relay_base, channel.newest = dict(channel.ours), channel.base, renewed.seq

    def _adopt(self, name: bytes, channel: Channel, parts: Sequence[bytes], position: int) -> bool:
        session = self._session
        received = self._ledger.adopt(name, session.log_id, parts, position)
        for problem in received.quarantined:
            session.report(problem.code, problem.message, name, problem.device)
        if received.quarantined:
            channel.spoiled = True
            channel.disowned = any(problem.code == AuthorRevoked.code for problem in received.quarantined)
            return False
        if self._ledger.base(name)[0] > channel.base[0]:
            channel.attempts = 0  # that is progress, and cannot go on for ever
        channel.declined = 0
        channel.ours, channel.base = dict(self._ledger.frontier(name)), self._ledger.base(name)
        channel.position = position
        session.pulled += received.applied
        session.took_in = True
        session.to_consider.add(name)
        return True

    # --- our own ------------------------------------------------------------------------------------------------

    def offer_where_due(self) -> None:
        names, self._session.to_consider = self._session.to_consider, set()
        for name in names:
            channel = self._session.channel(name)
            if channel.busy or self._session.took_in:
                self._session.to_consider.add(name)
            elif channel.declined < MAX_ATTEMPTS and self._is_due(name, channel):
                self._offer(name, channel)

    def _is_due(self, name: bytes, channel: Channel) -> bool:
        if channel.base != channel.relay_base:
            return channel.base[0] > channel.relay_base[0] or (channel.disowned and bool(channel.ours))
        return channel.ours == channel.relay and (
            channel.base[0] < channel.wanted < GENERATIONS - 1 or self._ledger.snapshot_due(name)
        )

    def _offer(self, name: bytes, channel: Channel) -> None:
        outdone = channel.relay_base[0] if channel.disowned else channel.base[0]
        generation = max(channel.base[0], outdone, channel.wanted if channel.wanted < GENERATIONS - 1 else 0) + 1
        parts = self._ledger.make_snapshot(name, generation)
        channel.ours = dict(self._ledger.frontier(name))
        if not parts:
            channel.declined = MAX_ATTEMPTS
            what = f"Channel {name.hex()} is too large for a snapshot, so the relay keeps all its commits."
            self._session.report("snapshot-too-large", what, name)
        else:
            channel.offer = Offer(_base_of(parts), tuple(parts))
            channel.offered = channel.offer.base
            self._send_parts(channel, channel.offer)

    def _send_parts(self, channel: Channel, offer: Offer) -> None:
        while offer.sent < len(offer.parts) and channel.unanswered < PARTS_AHEAD:
            self._session.send(frames.Offer(offer.parts[offer.sent]))
            offer.sent += 1
            channel.unanswered += 1

    def staged(self, staged: frames.Staged) -> None:
        channel = self._answered(staged.channel)
        if channel.offer is not None:
            self._send_parts(channel, channel.offer)

    def declined(self, declined: frames.Declined) -> None:
        name, channel = declined.channel, self._answered(declined.channel)
        if channel.offer is None:
            return  # it has been given up already
        channel.offer = None
        channel.declined += 1
        if declined.reason in _AGAIN and channel.declined < MAX_ATTEMPTS:
            self._session.ask_for(name, channel)
        elif declined.reason not in _AGAIN or not channel.on_one_base:
            channel.declined = MAX_ATTEMPTS
            self._session.report(f"refused:{declined.reason}", declined.message, name)
        # else others are busy writing there; the next check is soon enough

    def _answered(self, name: bytes) -> Channel:
        channel = self._session.channels.get(name)
        if channel is None or channel.unanswered == 0:
            raise PeerFault("The relay answered an offer that was not made.")
        channel.unanswered -= 1
        self._session.to_consider.add(name)
        return channel

    def try_again(self) -> None:
        """Time has passed: what was declined may be offered again."""
        for name, channel in self._session.channels.items():
            if channel.declined:
                channel.declined = 0
                self._session.to_consider.add(name)


def _base_of(parts: Sequence[bytes]) -> Base:
    return parse_part(parts[-1]).generation, snapshot_id(parts[-1])
