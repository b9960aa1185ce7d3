"""One curator at a time for a vault: a claim is a lease with an end, and a number that grows with each claim.

Rules:

- Claiming, and noting which signals are at work, is one write transaction. So of two that come at once one has it, and
  there is no moment in which a vault is neither waiting nor busy.
- A claim ends when it is released, or when its lease is over and somebody else takes it: a killed holder is replaced.
- Whoever takes a claim gets the next *fence*. A holder writes only inside a transaction that `check` has let pass, so
  one that was thought dead and wakes up writes nothing. What is over but taken by nobody is still its holder's.
- Leases run by `boot_time`, never by a wall clock, and a claim names a random token, never a host or process: so no
  jump of the clock holds a claim for ever, and nothing that is named alike is mistaken for its holder.
- A claim from another start of the machine, or one whose lease runs longer than any may, was written under another
  clock (a restart, a copied folder, another time namespace), and is void. Being wrong about that costs nothing but
  double work: the fence decides.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import msgpack

from vademecum.errors import ClaimLost
from vademecum.storage.boot_time import Moment
from vademecum.storage.tables import Table
from vademecum.storage.transaction import Reader, Writer

__all__ = [
    "LEASE_MS",
    "MAX_LEASE_MS",
    "Claim",
    "Running",
    "check",
    "left_behind",
    "release",
    "renew",
    "running",
    "take",
]

LEASE_MS = 120_000
"""How long a holder may be silent: longer than one group of messages takes, short enough to be waited for."""
MAX_LEASE_MS = 3_600_000
"""No lease is longer: an hour."""
TOKEN_SIZE = 16

_KEY = b"curation"
"""In the meta table: the last claim, also once it is released, for its fence."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to write what comes of a vault's signals. It belongs to the process that took it, not to its forks."""

    fence: int
    token: bytes
    lease_ms: int
    abandoned: tuple[int, ...] = ()
    """Signals that the holder before had at work when it fell silent."""
    process: int = field(default_factory=os.getpid)


class Running(NamedTuple):
    """A claim as others see it: ``signals`` is how many are at work, ``since_ms`` the wall clock when it was taken,
    ``ends_in_ms`` what is left of its lease.
    """

    fence: int
    signals: int
    since_ms: int
    ends_in_ms: int


class _Kept(NamedTuple):
    fence: int = 0
    token: bytes = b""  # empty: released
    boot: str = ""
    renewed_ms: int = 0
    ends_ms: int = 0
    since_wall_ms: int = 0
    signals: tuple[int, ...] = ()

    def is_live(self, now: Moment) -> bool:
        left = now.until(Moment(self.boot, self.ends_ms))
        return bool(self.token) and left is not None and 0 < left <= MAX_LEASE_MS and self.renewed_ms <= now.ms


def left_behind(reader: Reader, now: Moment) -> bool:
    """Whether a holder fell silent, and nobody has taken its claim since."""
    kept = _read(reader)
    return bool(kept.token) and not kept.is_live(now)


def take(writer: Writer, now: Moment, token: bytes, *, wall_ms: int, lease_ms: int = LEASE_MS) -> Claim | None:
    """Claims the vault; None if somebody else has it. *token* is random. Say with `renew` which signals are at work.

    wall_ms: when it is, for people to read.
    """
    kept = _read(writer)
    if kept.is_live(now):
        return None
    claim = Claim(kept.fence + 1, token, min(lease_ms, MAX_LEASE_MS), kept.signals if kept.token else ())
    _put(writer, _Kept(claim.fence, token, now.boot, now.ms, now.ms + claim.lease_ms, wall_ms))
    return claim


def renew(writer: Writer, claim: Claim, now: Moment, signals: Iterable[int] | None = None) -> None:
    """Lets the lease begin anew; with *signals*, says which are at work from now on. Raises `ClaimLost`."""
    kept = _checked(writer, claim)
    at_work = kept.signals if signals is None else tuple(signals)
    _put(
        writer,
        kept._replace(boot=now.boot, renewed_ms=now.ms, ends_ms=now.ms + claim.lease_ms, signals=at_work),
    )


def check(writer: Writer, claim: Claim) -> None:
    """Raises `ClaimLost` unless *claim* is still the vault's. Call it in every transaction that relies on the claim."""
    _checked(writer, claim)


def release(writer: Writer, claim: Claim) -> None:
    """Gives *claim* back, for the next to take at once. Raises `ClaimLost`."""
    _put(writer, _Kept(_checked(writer, claim).fence))


def running(reader: Reader, now: Moment) -> Running | None:
    """Who curates at this moment; None for nobody."""
    kept = _read(reader)
    if not kept.is_live(now):
        return None
    return Running(kept.fence, len(kept.signals), kept.since_wall_ms, kept.ends_ms - now.ms)


def _checked(writer: Writer, claim: Claim) -> _Kept:
    kept = _read(writer)
    if (kept.fence, kept.token, os.getpid()) != (claim.fence, claim.token, claim.process):
        raise ClaimLost(
            "This process does not curate the vault any more: its claim had run out, and another has taken it. Nothing "
            "of this step was written; whatever waits is handled there, or by the next sweep."
        )
    return kept


def _read(reader: Reader) -> _Kept:
    found = reader.get(Table.META, _KEY)
    return _Kept() if found is None else _Kept(*msgpack.unpackb(found, use_list=False))


def _put(writer: Writer, kept: _Kept) -> None:
    writer.put(Table.META, _KEY, msgpack.packb(kept))
