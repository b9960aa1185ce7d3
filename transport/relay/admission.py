"""What a relay lets in: commits by members, with their own signature, in their chain's order; and their snapshots.

``perform`` is the relay's only writer. It checks what needs no store, stores the rest in one transaction, and says of
each request what became of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

from vademecum.errors import BadSignature, MalformedBytes
from vademecum.transport.commit import commit_hash, parse_header, verify
from vademecum.transport.frames import Base, Refused, Stored
from vademecum.transport.relay.store import Arrival, Enrolment, Place, SnapshotPart, Store, Work
from vademecum.transport.roster import Roster, Statement
from vademecum.transport.snapshot import Part, parse_part, snapshot_id, verify_part

__all__ = [
    "Enrolled",
    "Join",
    "OfferRequest",
    "Offered",
    "Outcome",
    "PushRequest",
    "Request",
    "Result",
    "admit",
    "perform",
]

MESSAGES = {
    "malformed": "The relay was sent bytes that are not a commit.",
    "wrong-vault": "A commit belongs to another vault than the one that was logged in to.",
    "stranger": "A commit is by a device that is not in the vault's roster.",
    "revoked": "A commit is by a device that was revoked, and no member has said that it held it by then.",
    "bad-signature": "A commit's signature does not match.",
    "gap": "A commit does not follow the last one of its device that the relay holds.",
    "fork": "The relay holds another commit in that place: two copies of one device have written.",
    "channels": "The vault has as many channels as a relay keeps.",
    "generation": "A commit belongs to another generation of its channel than the relay has.",
}
DECLINED = {
    "malformed": "The relay was sent bytes that are not a part of a snapshot.",
    "wrong-vault": "A snapshot belongs to another vault than the one that was logged in to.",
    "stranger": "A snapshot is by a device that is not in the vault's roster.",
    "revoked": "A snapshot is by a device that was revoked.",
    "bad-signature": "A snapshot's signature does not match.",
    "superseded": "The relay has a snapshot of that generation already, or of a later one.",
    "behind": "The relay holds commits that the snapshot does not contain.",
    "fork": "The relay holds another commit than the snapshot contains: two copies of one device have written.",
    "parts": "A part of a snapshot did not follow the one before.",
    "channels": MESSAGES["channels"],
}


@dataclass(frozen=True, slots=True)
class PushRequest:
    """Commits as they came in, and the roster to check them by."""

    vault: bytes
    roster: Roster
    commits: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class OfferRequest:
    """A part of a snapshot as it came in, and the roster to check it by."""

    vault: bytes
    roster: Roster
    part: bytes


@dataclass(frozen=True, slots=True)
class Join:
    """Verified statements to add to the roster of a vault; the vault begins with its first ones."""

    vault: bytes
    statements: tuple[Statement, ...]


Request: TypeAlias = PushRequest | OfferRequest | Join


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a push: everything that is durable now, the part that is new, and what was refused."""

    stored: tuple[Stored, ...]
    fresh: tuple[tuple[Stored, bytes], ...]
    refused: tuple[Refused, ...]


@dataclass(frozen=True, slots=True)
class Offered:
    """What became of a snapshot's part. ``part`` is None where the bytes were none.

    ``reason`` says why it was declined. ``accepted`` is what the channel builds on from log sequence ``seq`` on, if the
    part completed the snapshot.
    """

    part: Part | None
    reason: str = ""
    accepted: Base | None = None
    seq: int = 0


@dataclass(frozen=True, slots=True)
class Enrolled:
    """The statements are durable."""

    statements: tuple[Statement, ...]


Result: TypeAlias = Outcome | Offered | Enrolled
_Refusal: TypeAlias = tuple[str, tuple[bytes, bytes, int] | None]


def admit(vault: bytes, roster: Roster, commit: bytes) -> Arrival | _Refusal:
    """The commit ready for the store, or (reason, which). Looks at everything but its place in the chain."""
    try:
        header = parse_header(commit)
    except MalformedBytes:
        return "malformed", None
    which = header.channel, header.device, header.seq
    if header.vault != vault:
        return "wrong-vault", which
    member = roster.members.get(header.device)
    if member is None:
        return "stranger", which
    try:
        verify(commit, member.public)
    except BadSignature:
        return "bad-signature", which
    its_hash = commit_hash(commit)
    limit = roster.limit(header.device, header.channel)
    if limit is not None and header.seq >= limit[0] and (header.seq, its_hash) != limit:
        return "revoked", which
    return Arrival(
        vault,
        header.channel,
        header.device,
        header.seq,
        header.previous,
        its_hash,
        commit,
        header.generation,
    )


def admit_part(vault: bytes, roster: Roster, data: bytes) -> SnapshotPart | Offered:
    """The part ready for the store. Looks at everything but whether it fits what is there."""
    try:
        part = parse_part(data)
    except MalformedBytes:
        return Offered(None, "malformed")
    if part.vault != vault:
        return Offered(part, "wrong-vault")
    member = roster.members.get(part.device)
    if member is None:
        return Offered(part, "stranger")
    if member.revoked:
        return Offered(part, "revoked")
    try:
        return SnapshotPart(vault, verify_part(data, member.public), data, roster)
    except BadSignature:
        return Offered(part, "bad-signature")


def perform(store: Store, requests: Sequence[Request]) -> list[Result]:
    """Carries out the requests in one durable transaction. Raises ``StorageTrouble``; then none was carried out."""
    work: list[Work] = []
    waiting: list[Callable[[Iterator[Place]], Result]] = []
    joined: dict[bytes, list[bytes]] = {}  # what of the rosters becomes durable with this transaction
    for request in requests:
        if not isinstance(request, Join) and request.vault in joined:
            request = replace(request, roster=request.roster.merge(joined[request.vault]))
        if isinstance(request, Join):
            joined.setdefault(request.vault, []).extend(one.raw for one in request.statements)
            work.append(Enrolment(request.vault, [(one.hash, one.raw) for one in request.statements]))
            waiting.append(partial(_enrolled, request))
        elif isinstance(request, OfferRequest):
            verdict = admit_part(request.vault, request.roster, request.part)
            work += [verdict] if isinstance(verdict, SnapshotPart) else []
            waiting.append(partial(_offered, verdict))
        else:
            verdicts = [admit(request.vault, request.roster, commit) for commit in request.commits]
            work += [verdict for verdict in verdicts if isinstance(verdict, Arrival)]
            waiting.append(partial(_pushed, verdicts))
    places = iter(store.commit(work))
    return [finish(places) for finish in waiting]


def _enrolled(request: Join, places: Iterator[Place]) -> Enrolled:
    next(places)
    return Enrolled(request.statements)


def _offered(verdict: SnapshotPart | Offered, places: Iterator[Place]) -> Offered:
    if isinstance(verdict, Offered):
        return verdict
    place = next(places)
    base = (verdict.part.generation, snapshot_id(verdict.data)) if place.fresh else None
    return Offered(verdict.part, place.reason, base, place.seq)


def _pushed(verdicts: Sequence[Arrival | _Refusal], places: Iterator[Place]) -> Outcome:
    refused = [verdict for verdict in verdicts if not isinstance(verdict, Arrival)]
    stored: list[Stored] = []
    fresh: list[tuple[Stored, bytes]] = []
    for arrival in verdicts:
        if not isinstance(arrival, Arrival):
            continue
        place = next(places)
        if place.reason:
            refused.append((place.reason, (arrival.channel, arrival.device, arrival.seq)))
            continue
        row = arrival.channel, arrival.device, arrival.seq, place.seq, place.previous
        stored.append(row)
        if place.fresh:
            fresh.append((row, arrival.commit))
    return Outcome(tuple(stored), tuple(fresh), tuple(_by_reason(refused)))


def _by_reason(refused: Iterable[_Refusal]) -> Iterable[Refused]:
    grouped: dict[str, list[tuple[bytes, bytes, int]]] = {}
    for reason, which in refused:
        grouped.setdefault(reason, []).extend([] if which is None else [which])
    return (Refused(reason, MESSAGES[reason], None, tuple(which)) for reason, which in grouped.items())
