"""Whether the chains of commits that a replica keeps are whole. Needs no secret: hashes and signatures say it."""

from __future__ import annotations

from collections.abc import Iterator

from vademecum.engine.checking import Finding, Level
from vademecum.errors import PeerFault
from vademecum.storage.tables import Table
from vademecum.storage.transaction import Reader
from vademecum.transport import chains
from vademecum.transport.commit import commit_hash, parse_header, verify
from vademecum.transport.frames import BEGINNING
from vademecum.transport.keys import ID_SIZE
from vademecum.transport.roster import Roster

__all__ = ["check_chains", "check_roster", "readable_chain"]

_CHAIN = 2 * ID_SIZE


def check_roster(reader: Reader, vault: bytes) -> tuple[Roster | None, list[Finding]]:
    """The roster that is kept, if it can be used."""
    try:
        return Roster.verify(vault, [raw for _, raw in reader.scan(Table.ROSTER)]), []
    except PeerFault as error:
        return None, [Finding(Level.BROKEN, "roster", f"The list of the vault's devices is broken: {error.message}")]


def check_chains(reader: Reader, vault: bytes, roster: Roster | None) -> Iterator[Finding]:
    """Gaps, altered commits, and frontiers that are not the end of what is kept. O(commits), 0.1 ms each.

    A chain may begin behind its first commit, where a snapshot stands for what came before; what is there is unbroken.
    """
    ends = {(channel, device): end for channel in chains.channels(reader) for device, end in _frontier(reader, channel)}
    kept = set()
    for chain in _chains(reader):
        channel, device = chain[:ID_SIZE], chain[ID_SIZE:]
        kept.add((channel, device))
        whose = f"the device {device.hex()} in channel {channel.hex()}"
        seq, last, why = _walk(reader, chain, vault, roster)
        if why:
            yield Finding(Level.BROKEN, "chain", f"The commits of {whose} are broken behind number {seq}: {why}")
        elif ends.get((channel, device)) != (seq, last):
            yield Finding(Level.BROKEN, "frontier", f"The commits of {whose} do not end where the frontier says.")
    for channel, device in ends.keys() - kept:
        if not _begins_anew(reader, channel):
            yield Finding(
                Level.BROKEN, "chain", f"The commits of the device {device.hex()} in channel {channel.hex()} are gone."
            )


def readable_chain(commits: list[bytes], vault: bytes, roster: Roster) -> list[bytes]:
    """Those of *commits*, in the order of their numbers, that are what their authors signed."""
    good = []
    for data in commits:
        try:
            if verify(data, roster.member(parse_header(data).device).public).vault == vault:
                good.append(data)
        except PeerFault:
            continue
    return good


def _frontier(reader: Reader, channel: bytes) -> Iterator[tuple[bytes, tuple[int, bytes]]]:
    yield from chains.frontier(reader, channel).items()


def _chains(reader: Reader) -> list[bytes]:
    return list(dict.fromkeys(key[:_CHAIN] for key in reader.keys(Table.COMMITS)))


def _begins_anew(reader: Reader, channel: bytes) -> bool:
    """Whether *channel* builds on a snapshot, which stands for older commits."""
    return chains.base(reader, channel) != BEGINNING


def _walk(reader: Reader, chain: bytes, vault: bytes, roster: Roster | None) -> tuple[int, bytes, str]:
    """Number and hash of the last commit that follows the one before it; what is wrong with the next, or nothing."""
    seq, last = 0, chains.NO_COMMIT[1]
    for key, data in reader.scan(Table.COMMITS, chain):
        number = int.from_bytes(key[_CHAIN:], "big")
        try:
            header = parse_header(data)
            if roster is not None:
                verify(data, roster.member(header.device).public)
        except PeerFault as error:
            return seq, last, error.message
        if (header.vault, header.channel, header.device, header.seq) != (
            vault,
            chain[:ID_SIZE],
            chain[ID_SIZE:],
            number,
        ):
            return seq, last, "it stands in another's place."
        first = seq == 0
        if first and number > 1 and not _begins_anew(reader, chain[:ID_SIZE]):
            return seq, last, "it is gone."
        if not first and (number != seq + 1 or header.previous != last):
            return seq, last, "the next one does not follow it."
        seq, last = number, commit_hash(data)
    return seq, last, ""
