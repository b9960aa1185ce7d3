"""The bytes of a snapshot: one form of each, and anything else is refused."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgpack
import pytest

from tests.engine.box import Box, boxes
from vademecum.engine.snapshots import Snapshot, base_client, decode_snapshot, encode_snapshot
from vademecum.errors import MalformedBytes


@pytest.fixture
def snapshot(tmp_path: Path) -> Iterator[Snapshot]:
    with boxes(tmp_path, 2) as (a, b):
        yield _history(a, b)


def _history(a: Box, b: Box) -> Snapshot:
    a.user.set("a", {"x": 1, "größe": [None, "two"]})
    a.user.set("a.x", 2)
    a.give(b)
    b.agent().remember("b", 1, because="said")
    b.agent().remember("b", 2, because="said again")
    b.user.forget("b")
    return b.snapshot()


def test_a_snapshot_comes_back_as_it_was(snapshot: Snapshot) -> None:
    assert decode_snapshot(encode_snapshot(snapshot)) == snapshot
    assert snapshot.slots and snapshot.superseded and any(one.forgotten for one in snapshot.superseded)
    assert len(snapshot.clients) == 2
    assert decode_snapshot(encode_snapshot(Snapshot(1, ()))) == Snapshot(1, ())


def test_snapshots_that_differ_are_built_under_different_clients(snapshot: Snapshot) -> None:
    others = [snapshot, snapshot._replace(generation=2), snapshot._replace(slots=snapshot.slots[1:])]
    assert len({base_client(one) for one in others}) == 3
    assert all(0 < base_client(one) < 2**53 for one in others)


def test_slots_out_of_order_or_twice_are_refused(snapshot: Snapshot) -> None:
    first, second, *rest = snapshot.slots
    for slots in ((second, first, *rest), (first, first, second, *rest)):
        with pytest.raises(MalformedBytes, match="canonical order"):
            decode_snapshot(encode_snapshot(snapshot._replace(slots=tuple(slots))))
    retained = snapshot.superseded
    with pytest.raises(MalformedBytes, match="canonical order"):
        decode_snapshot(encode_snapshot(snapshot._replace(superseded=retained[::-1])))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (0, 2),
        (1, 0),
        (1, -1),
        (1, 2**32),
        (1, True),
        (2, -1),
        (2, 2**64 - 1 + 0.0),
        (3, [b"short"]),
        (3, None),
        (4, [[99, 1]]),
        (4, [[0, 2**53 + 1]]),
        (5, []),
        (5, [b"\x09", ["a"], [0], [b"\x92\0\1"]]),
        (5, ["a", ["a"], [0], [b"\x92\0\1"]]),
        (5, [b"\1", ["a"], [-2], [b"\x92\0\1"]]),
        (5, [b"\1", ["a"], [0], [b"\xff"]]),
        (5, [b"\1", [b"a"], [0], [b"\x92\0\1"]]),
        (5, [b"\1", ["a\x1fb"], [0], [b"\x92\0\1"]]),
        (5, [b"\1", ["a", "b"], [0], [b"\x92\0\1"]]),
        (6, [b"", [], [], [], b"\1"]),
        (6, [b"", [], []]),
    ],
)
def test_a_field_that_is_none_is_refused(snapshot: Snapshot, place: int, value: Any) -> None:
    fields = msgpack.unpackb(encode_snapshot(snapshot))
    fields[place] = value
    with pytest.raises(MalformedBytes):
        decode_snapshot(msgpack.packb(fields))


def test_any_bytes_decode_or_are_refused_as_malformed(snapshot: Snapshot) -> None:
    rng = random.Random(7)
    data = encode_snapshot(snapshot)
    for _ in range(3000):
        spoiled = bytearray(data)
        for _ in range(rng.choice([1, 1, 2, 5])):
            spoiled[rng.randrange(len(spoiled))] = rng.randrange(256)
        cut = bytes(spoiled[: rng.randrange(len(spoiled) + 1)] if rng.random() < 0.3 else spoiled)
        try:
            assert encode_snapshot(decode_snapshot(cut)) == cut
        except MalformedBytes:
            continue
