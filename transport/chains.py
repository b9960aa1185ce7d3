"""Commits as a replica keeps them: each device's chain per channel, its frontier, and what a relay has of it.

A chain begins behind the snapshot that the channel builds on: the commits which that contains are not kept.

============  ===================================  ========================================================
table         key                                  value
============  ===================================  ========================================================
COMMITS       channel ‖ device ‖ seq               the sealed commit
FRONTIERS     channel ‖ device                     ``[seq, hash]`` of the last commit held without a gap
HELD          channel ‖ device ‖ seq               a commit that waits for the one before it
POSITIONS     channel                              ``[log id, seq]``: our place in the relay's log
POSITIONS     channel ‖ device                     greatest seq that the relay was seen to hold
META          ``channel/`` ‖ channel               name of the scope
META          ``told/`` ‖ channel                  frontier as our last commit stated it
META          ``claims/`` ‖ channel ‖ device       frontier that this author has stated so far
META          ``formerly``                         devices that this installation has been → CRDT client id
META          ``base/`` ‖ channel                  ``[generation, id]`` of that snapshot
META          ``base-by/`` ‖ channel               the device that sealed it
META          ``refused/`` ‖ channel ‖ device      greatest seq of a revoked device that was not taken in
META          ``weight/`` ‖ channel                ``[bytes of the commits kept, bytes not worth a look]``
META          ``carried/`` ‖ channel               devices of which rows are kept that the snapshot lacks
============  ===================================  ========================================================
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import msgpack

from vademecum.storage.tables import Table
from vademecum.storage.transaction import Reader, Writer
from vademecum.transport.commit import HASH_SIZE, parse_header
from vademecum.transport.frames import BEGINNING, Base
from vademecum.transport.keys import ID_SIZE

__all__ = [
    "acknowledged",
    "add_commit",
    "base",
    "base_author",
    "carried",
    "channels",
    "claimed",
    "claims",
    "commit_at",
    "commits_after",
    "commits_by_channel",
    "cut",
    "forget_relay",
    "forget_told",
    "former_clients",
    "frontier",
    "held",
    "hold",
    "note_refused",
    "position",
    "rebase",
    "refused",
    "scope_of",
    "set_acknowledged",
    "set_base",
    "set_base_author",
    "set_carried",
    "set_claims",
    "set_former_clients",
    "set_position",
    "set_scope",
    "set_told",
    "set_unworthy",
    "told",
    "weight",
]

NO_COMMIT = (0, bytes(HASH_SIZE))
"""The end of an empty chain."""

_CHANNEL = b"channel/"
_TOLD = b"told/"
_CLAIMS = b"claims/"
_FORMERLY = b"formerly"
_BASE = b"base/"
_BASE_BY = b"base-by/"
_REFUSED = b"refused/"
_WEIGHT = b"weight/"
_CARRIED = b"carried/"


def channels(reader: Reader) -> list[bytes]:
    """Every channel of which there is a commit or a snapshot here."""
    found: dict[bytes, None] = {}
    for key in reader.keys(Table.FRONTIERS):
        found[key[:ID_SIZE]] = None
    return list(found)


def frontier(reader: Reader, channel: bytes) -> dict[bytes, tuple[int, bytes]]:
    """device → (seq, hash)."""
    found = {}
    for key, value in reader.scan(Table.FRONTIERS, channel):
        seq, commit = msgpack.unpackb(value)
        found[key[ID_SIZE:]] = (seq, commit)
    return found


def add_commit(writer: Writer, channel: bytes, device: bytes, seq: int, commit_hash: bytes, data: bytes) -> None:
    """Keeps the next commit of a chain. The caller has checked that it is the next."""
    writer.put(Table.COMMITS, channel + device + seq.to_bytes(8, "big"), data)
    writer.put(Table.FRONTIERS, channel + device, msgpack.packb([seq, commit_hash]))
    kept, unworthy = weight(writer, channel)
    writer.put(Table.META, _WEIGHT + channel, msgpack.packb([kept + len(data), unworthy]))


def weight(reader: Reader, channel: bytes) -> tuple[int, int]:
    """Bytes of the commits kept, and up to which such number there is no need to look whether they are too many."""
    found = reader.get(Table.META, _WEIGHT + channel)
    if found is None:
        return 0, 0
    kept, unworthy = msgpack.unpackb(found)
    return kept, unworthy


def set_unworthy(writer: Writer, channel: bytes, size: int) -> None:
    writer.put(Table.META, _WEIGHT + channel, msgpack.packb([weight(writer, channel)[0], size]))


def base(reader: Reader, channel: bytes) -> Base:
    """(generation, id) of the snapshot that *channel* builds on."""
    found = reader.get(Table.META, _BASE + channel)
    if found is None:
        return BEGINNING
    generation, snapshot = msgpack.unpackb(found)
    return generation, snapshot


def set_base(writer: Writer, channel: bytes, base: Base) -> None:
    writer.put(Table.META, _BASE + channel, msgpack.packb(list(base)))


def base_author(reader: Reader, channel: bytes) -> bytes | None:
    """The device that sealed that snapshot, where it is known."""
    return reader.get(Table.META, _BASE_BY + channel)


def set_base_author(writer: Writer, channel: bytes, author: bytes) -> None:
    writer.put(Table.META, _BASE_BY + channel, author)


def rebase(writer: Writer, channel: bytes, base: Base, frontier: Mapping[bytes, tuple[int, bytes]]) -> None:
    """Begins all chains of *channel* behind the snapshot *base*, which stands for *frontier*. No commit is kept: those
    that it does not contain belong to a document that is no more.

    What the authors have stated begins anew too: everyone who builds on the snapshot holds what it contains.
    """
    set_base(writer, channel, base)
    for table in (Table.COMMITS, Table.HELD, Table.FRONTIERS):
        writer.delete_prefix(table, channel)
    for key in list(writer.keys(Table.POSITIONS, channel)):
        if key != channel:
            writer.delete(Table.POSITIONS, key)
    writer.delete_prefix(Table.META, _CLAIMS + channel)
    writer.delete(Table.META, _WEIGHT + channel)
    for device, (seq, commit) in frontier.items():
        writer.put(Table.FRONTIERS, channel + device, msgpack.packb([seq, commit]))
        set_acknowledged(writer, channel, device, seq)
    set_told(writer, channel, {device: seq for device, (seq, _) in frontier.items()})


def carried(reader: Reader, channel: bytes) -> set[bytes]:
    """Devices of which rows are kept here that the snapshot lacks."""
    return set(msgpack.unpackb(reader.get(Table.META, _CARRIED + channel) or b"\x90"))


def set_carried(writer: Writer, channel: bytes, devices: Collection[bytes]) -> None:
    if devices:
        writer.put(Table.META, _CARRIED + channel, msgpack.packb(sorted(devices)))
    else:
        writer.delete(Table.META, _CARRIED + channel)


def commits_after(reader: Reader, channel: bytes, device: bytes, seq: int) -> Iterator[bytes]:
    """The commits of a chain behind *seq*, in order."""
    prefix = channel + device
    for _, data in reader.scan(Table.COMMITS, prefix, after=prefix + seq.to_bytes(8, "big")):
        yield data


def cut(writer: Writer, channel: bytes, device: bytes, keep: int) -> list[bytes]:
    """Gives up all commits of a chain behind number *keep*, those that are held included; returns them, in order, but
    for the held ones.
    """
    given_up = list(commits_after(writer, channel, device, keep))
    chain = channel + device
    headers = [parse_header(data) for data in given_up]
    for header in headers:
        writer.delete(Table.COMMITS, chain + header.seq.to_bytes(8, "big"))
    writer.delete_prefix(Table.HELD, chain)
    if headers and headers[0].seq > 1:  # the first behind the snapshot, where *keep* lies before that
        writer.put(Table.FRONTIERS, chain, msgpack.packb([headers[0].seq - 1, headers[0].previous]))
    elif headers:
        writer.delete(Table.FRONTIERS, chain)
    if acknowledged(writer, channel).get(device, 0) > keep:
        writer.put(Table.POSITIONS, chain, keep.to_bytes(8, "big"))
    if given_up:  # what was read of the relay's log may build on the commits that come in their place
        writer.delete(Table.POSITIONS, channel)
    return given_up


def commit_at(reader: Reader, channel: bytes, device: bytes, seq: int) -> bytes | None:
    """The commit with that number, if it is kept."""
    return reader.get(Table.COMMITS, channel + device + seq.to_bytes(8, "big"))


def commits_by_channel(pairs: Mapping[bytes, bytes]) -> dict[bytes, list[bytes]]:
    """channel → its commits, by device and number, of *pairs* as the table has them."""
    found: dict[bytes, list[bytes]] = {}
    for key in sorted(pairs):
        found.setdefault(key[:ID_SIZE], []).append(pairs[key])
    return found


def hold(writer: Writer, channel: bytes, device: bytes, seq: int, data: bytes) -> None:
    writer.put(Table.HELD, channel + device + seq.to_bytes(8, "big"), data)


def held(writer: Writer, channel: bytes, device: bytes, seq: int) -> bytes | None:
    """Takes the held commit with that number, if there is one."""
    key = channel + device + seq.to_bytes(8, "big")
    data = writer.get(Table.HELD, key)
    if data is not None:
        writer.delete(Table.HELD, key)
    return data


def position(reader: Reader, channel: bytes) -> tuple[bytes, int]:
    """(log id, seq) in the relay's log; ``(b"", 0)`` when new."""
    found = reader.get(Table.POSITIONS, channel)
    if found is None:
        return b"", 0
    log_id, seq = msgpack.unpackb(found)
    return log_id, seq


def set_position(writer: Writer, channel: bytes, log_id: bytes, seq: int) -> None:
    writer.put(Table.POSITIONS, channel, msgpack.packb([log_id, seq]))


def acknowledged(reader: Reader, channel: bytes) -> dict[bytes, int]:
    """device → greatest seq that the relay was seen to hold."""
    return {
        key[ID_SIZE:]: int.from_bytes(value, "big")
        for key, value in reader.scan(Table.POSITIONS, channel)
        if len(key) == 2 * ID_SIZE
    }


def set_acknowledged(writer: Writer, channel: bytes, device: bytes, seq: int) -> None:
    key = channel + device
    before = writer.get(Table.POSITIONS, key)
    if before is None or int.from_bytes(before, "big") < seq:
        writer.put(Table.POSITIONS, key, seq.to_bytes(8, "big"))


def forget_relay(writer: Writer) -> None:
    """Begins anew with another relay: no position, nothing acknowledged."""
    writer.delete_prefix(Table.POSITIONS, b"")


def scope_of(reader: Reader, channel: bytes) -> str | None:
    """The scope that a channel carries, once known."""
    found = reader.get(Table.META, _CHANNEL + channel)
    return None if found is None else found.decode()


def set_scope(writer: Writer, channel: bytes, scope: str) -> None:
    if writer.get(Table.META, _CHANNEL + channel) is None:
        writer.put(Table.META, _CHANNEL + channel, scope.encode())


def told(reader: Reader, channel: bytes) -> dict[bytes, int]:
    """device → seq as our last commit in *channel* has stated it."""
    return _seqs(reader.get(Table.META, _TOLD + channel))


def set_told(writer: Writer, channel: bytes, seqs: Mapping[bytes, int]) -> None:
    writer.put(Table.META, _TOLD + channel, msgpack.packb(dict(seqs)))


def forget_told(writer: Writer) -> None:
    """To be called when this device takes another name: as that one it has stated nothing yet."""
    writer.delete_prefix(Table.META, _TOLD)


def former_clients(reader: Reader) -> dict[bytes, int]:
    """Devices that this installation has been → the CRDT client id that it had as each."""
    found = reader.get(Table.META, _FORMERLY)
    return {} if found is None else dict(msgpack.unpackb(found))


def set_former_clients(writer: Writer, clients: Mapping[bytes, int]) -> None:
    writer.put(Table.META, _FORMERLY, msgpack.packb(dict(clients)))


def claims(reader: Reader, channel: bytes, author: bytes) -> dict[bytes, int]:
    """device → seq that *author* has stated to hold, in all its commits so far."""
    return _seqs(reader.get(Table.META, _CLAIMS + channel + author))


def claimed(reader: Reader, channel: bytes) -> dict[bytes, int]:
    """device → greatest seq that any author has stated to hold."""
    found: dict[bytes, int] = {}
    for _, data in reader.scan(Table.META, _CLAIMS + channel):
        for device, seq in _seqs(data).items():
            found[device] = max(seq, found.get(device, 0))
    return found


def set_claims(writer: Writer, channel: bytes, author: bytes, seqs: Mapping[bytes, int]) -> None:
    writer.put(Table.META, _CLAIMS + channel + author, msgpack.packb(dict(seqs)))


def refused(reader: Reader) -> dict[tuple[bytes, bytes], int]:
    """(channel, device) → greatest seq of a revoked device's that was not taken in."""
    return {
        (key[len(_REFUSED) : -ID_SIZE], key[-ID_SIZE:]): int.from_bytes(value, "big")
        for key, value in reader.scan(Table.META, _REFUSED)
    }


def note_refused(writer: Writer, channel: bytes, device: bytes, seq: int) -> None:
    key = _REFUSED + channel + device
    if int.from_bytes(writer.get(Table.META, key) or b"", "big") < seq:
        writer.put(Table.META, key, seq.to_bytes(8, "big"))


def _seqs(data: bytes | None) -> dict[bytes, int]:
    return {} if data is None else dict(msgpack.unpackb(data))
