"""What a relay lets in: commits by members, with their own signature, in their chain's order.

``perform`` is the relay's only writer. It checks what needs no store, stores the rest in one transaction, and says of
each request what became of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from vademecum.errors import BadSignature, MalformedBytes
from vademecum.transport.commit import commit_hash, parse_header, verify
from vademecum.transport.frames import Refused, Stored
from vademecum.transport.relay.store import Arrival, Enrolment, Store, Work
from vademecum.transport.roster import Roster, Statement

__all__ = ["Enrolled", "Join", "Outcome", "PushRequest", "Request", "admit", "perform"]

MESSAGES = {
    "malformed": "The relay was sent bytes that are not a commit.",
    "wrong-vault": "A commit belongs to another vault than the one that was logged in to.",
    "stranger": "A commit is by a device that is not in the vault's roster.",
    "bad-signature": "A commit's signature does not match.",
    "gap": "A commit does not follow the last one of its device that the relay holds.",
    "fork": "The relay holds another commit in that place: two copies of one device have written.",
    "channels": "The vault has as many channels as a relay keeps.",
}


@dataclass(frozen=True, slots=True)
class PushRequest:
    """Commits as they came in, and the roster to check them by."""

    vault: bytes
    roster: Roster
    commits: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Join:
    """Verified statements to add to the roster of a vault; the vault begins with its first ones."""

    vault: bytes
    statements: tuple[Statement, ...]


Request: TypeAlias = PushRequest | Join


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a push: everything that is durable now, the part that is new, and what was refused."""

    stored: tuple[Stored, ...]
    fresh: tuple[tuple[Stored, bytes], ...]
    refused: tuple[Refused, ...]


@dataclass(frozen=True, slots=True)
class Enrolled:
    """The statements are durable."""

    statements: tuple[Statement, ...]


def admit(vault: bytes, roster: Roster, commit: bytes) -> Arrival | tuple[str, tuple[bytes, bytes, int] | None]:
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
    return Arrival(vault, header.channel, header.device, header.seq, header.previous, commit_hash(commit), commit)


def perform(store: Store, requests: Sequence[Request]) -> list[Outcome | Enrolled]:
    """Carries out the requests in one durable transaction. Raises ``StorageTrouble``; then none was carried out."""
    work: list[Work] = []
    admitted: list[list[Arrival]] = []
    refusals: list[list[tuple[str, tuple[bytes, bytes, int] | None]]] = []
    for request in requests:
        arrivals: list[Arrival] = []
        refused: list[tuple[str, tuple[bytes, bytes, int] | None]] = []
        if isinstance(request, Join):
            work.append(Enrolment(request.vault, [(one.hash, one.raw) for one in request.statements]))
        else:
            for commit in request.commits:
                verdict = admit(request.vault, request.roster, commit)
                if isinstance(verdict, Arrival):
                    arrivals.append(verdict)
                else:
                    refused.append(verdict)
            work.extend(arrivals)
        admitted.append(arrivals)
        refusals.append(refused)
    places = iter(store.commit(work))
    outcomes: list[Outcome | Enrolled] = []
    for request, arrivals, refused in zip(requests, admitted, refusals, strict=True):
        if isinstance(request, Join):
            next(places)
            outcomes.append(Enrolled(request.statements))
            continue
        stored: list[Stored] = []
        fresh: list[tuple[Stored, bytes]] = []
        for arrival in arrivals:
            place = next(places)
            if place.reason:
                refused.append((place.reason, (arrival.channel, arrival.device, arrival.seq)))
                continue
            row = arrival.channel, arrival.device, arrival.seq, place.seq, place.previous
            stored.append(row)
            if place.fresh:
                fresh.append((row, arrival.commit))
        outcomes.append(Outcome(tuple(stored), tuple(fresh), tuple(_by_reason(refused))))
    return outcomes


def _by_reason(refused: Iterable[tuple[str, tuple[bytes, bytes, int] | None]]) -> Iterable[Refused]:
    grouped: dict[str, list[tuple[bytes, bytes, int]]] = {}
    for reason, which in refused:
        grouped.setdefault(reason, []).extend([] if which is None else [which])
    return (Refused(reason, MESSAGES[reason], None, tuple(which)) for reason, which in grouped.items())
