"""What a device has to say to the others since it last said something, and what it no longer has to."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.box import PUBLIC, Box, boxes
from vademecum.engine import audit
from vademecum.engine.changes import Changes, encode_changes
from vademecum.engine.gathering import gather
from vademecum.engine.records import Record
from vademecum.engine.replica import Transaction
from vademecum.engine.sight import Sight
from vademecum.engine.slots import SlotMap

SECRET = "a word that was never to be said"


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Box, Box]]:
    with boxes(tmp_path, 2) as (a, b):
        yield a, b


def said(changes: list[Changes]) -> bytes:
    return b"".join(encode_changes(one) for one in changes)


def history(box: Box, path: str) -> list[tuple[object, str]]:
    with box.replica.read() as view:
        return [(change.value, change.what) for change in audit.why(Sight(view, None), path).history]


def test_nothing_waits_where_nothing_was_written_or_all_was_gathered(pair: tuple[Box, Box]) -> None:
    a, _ = pair
    assert a.gather() == []
    a.user.set("a", 1)
    assert len(a.gather()) == 1 and a.gather() == []


def test_what_came_from_another_device_is_not_sent_on(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.user.set("a", SECRET)
    a.give(b)
    assert b.gather() == []
    b.user.set("b", 1)
    assert SECRET.encode() not in said(b.gather())


def test_many_edits_of_a_few_leaves_make_one_set_of_changes_and_reach_the_history_whole(pair: tuple[Box, Box]) -> None:
    a, b = pair
    rng = random.Random(1)
    for number in range(300):
        a.wall += rng.randrange(600_000)
        a.user.set(f"leaf{rng.randrange(10)}", f"value {number}")
    changes = a.gather()
    assert len(changes) == 1
    b.take(a.id, changes)
    assert a.values() == b.values()
    for number in range(10):
        assert history(a, f"leaf{number}") == history(b, f"leaf{number}")


def test_what_was_deleted_before_it_was_sent_is_not_sent(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.user.set("a", SECRET)
    a.agent().remember("b", 1, because=SECRET)
    a.user.set("c", {"x": SECRET, "y": "kept"})
    a.user.forget("a")
    a.user.forget("b")
    a.user.forget("c.x")
    changes = a.gather()
    assert SECRET.encode() not in said(changes) and b"kept" in said(changes)
    b.take(a.id, changes)
    assert a.values() == b.values() == {"c.y": "kept"}


def test_what_a_forgotten_agent_wrote_before_it_was_sent_is_not_sent(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.agent().remember("a", SECRET, because=SECRET)
    a.agent("other/one@1").remember("b", "kept", because="kept too")
    a.user.forget_agent("x/y")
    changes = a.gather()
    assert SECRET.encode() not in said(changes)
    b.take(a.id, changes)
    assert b.values() == {"b": "kept"}


def test_what_one_transaction_wrote_and_deleted_is_not_sent(pair: tuple[Box, Box]) -> None:
    a, _ = pair

    def work(transaction: Transaction) -> None:
        scope = transaction.scope(PUBLIC)
        scope.put(SlotMap.LEAVES, "a", Record(0, value=SECRET))
        scope.put(SlotMap.LEAVES, "a", Record(0, deleted=True))

    a.replica.write(work)
    assert SECRET.encode() not in said(a.gather())


def test_more_than_fits_is_split_in_order_and_adds_up_to_the_same(pair: tuple[Box, Box]) -> None:
    a, b = pair
    for number in range(60):
        a.user.set(f"n{number % 20}", f"{number} " + "x" * 900)
    changes = a.gather(limit=10_000)
    assert len(changes) > 3 and max(len(encode_changes(one)) for one in changes) <= 10_100
    for one in changes:
        b.take(a.id, [one])
    assert a.values() == b.values()
    for number in range(20):
        assert history(a, f"n{number}") == history(b, f"n{number}")


def test_what_was_deleted_before_it_was_sent_is_not_sent_when_all_must_be_split_either(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.user.set("a", SECRET)
    for number in range(60):
        a.user.set(f"n{number}", "x" * 900)
    a.agent().remember("b", 1, because=SECRET)
    a.user.forget("a")
    a.user.forget("b")
    changes = a.gather(limit=10_000)
    assert len(changes) > 3 and SECRET.encode() not in said(changes)
    for one in changes:
        b.take(a.id, [one])
    assert a.values() == b.values()


def test_a_single_transaction_larger_than_the_limit_is_split_too(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.user.set("a", {f"n{number}": "x" * 500 for number in range(60)})
    changes = a.gather(limit=10_000)
    assert len(changes) > 3 and max(len(encode_changes(one)) for one in changes) <= 10_100
    for one in changes:
        b.take(a.id, [one])
    assert a.values() == b.values()


def test_gathering_goes_on_where_another_process_left_it(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.user.set("a", 1)
    other = a.again()
    b.take(a.id, other.gather())
    a.user.set("b", 2)
    other.user.set("a", 3)
    b.take(a.id, a.gather())
    assert b.values() == {"a": 3, "b": 2}
    other.close()


def test_a_gathering_that_fails_takes_nothing_out(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.user.set("a", 1)

    def fail(transaction: Transaction) -> None:
        assert len(list(gather(transaction, PUBLIC, limit=10_000))) == 1
        raise LookupError

    with pytest.raises(LookupError):
        a.replica.write(fail)
    a.give(b)
    assert b.values() == {"a": 1}
