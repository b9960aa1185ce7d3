"""What another device may change here, and what its commits may not do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.box import PUBLIC, Box, boxes, forged, forged_keys
from vademecum.engine import audit
from vademecum.engine.changes import Changes, Superseded
from vademecum.engine.clock import from_wall
from vademecum.engine.document import Document, merge_updates
from vademecum.engine.documents import OpenDocument
from vademecum.engine.records import Record, encode_record
from vademecum.engine.replica import Transaction
from vademecum.engine.sight import Sight
from vademecum.engine.slots import SEPARATOR, SlotMap
from vademecum.engine.view import FORGOTTEN
from vademecum.errors import InvalidCommit, MalformedBytes, PeerFault, VademecumError
from vademecum.storage.tables import Table

LEAVES, SETTINGS, GRANTS = SlotMap.LEAVES, SlotMap.SETTINGS, SlotMap.GRANTS
LATE = from_wall(1_800_000_000_000)
MALLORY = b"\x66" * 16


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Box, Box]]:
    with boxes(tmp_path, 2) as (a, b):
        yield a, b


def contents(box: Box) -> dict[Table, list[tuple[bytes, bytes]]]:
    with box.replica.read() as view:
        return {table: list(view.reader.scan(table)) for table in Table}


def state(box: Box) -> bytes:
    def encode(transaction: Transaction) -> bytes:
        number = transaction.number(PUBLIC)
        assert number is not None
        document = Document(1)
        OpenDocument(number, document).catch_up(transaction.writer)
        return document.encode()

    return box.replica.write(encode)


def refused(box: Box, author: bytes, update: bytes, error: type[VademecumError] = InvalidCommit) -> None:
    """Merging *update* raises, nothing changes, and what comes after is as it would have been."""
    before = contents(box)
    with pytest.raises(error):
        box.take(author, [Changes(update)])
    assert contents(box) == before
    box.user.set("afterwards", 1)
    assert box.user.get("afterwards") == 1


def test_different_leaves_and_the_later_of_two_agents_are_there_on_both(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.agent().remember("one", 1, because="said")
    a.agent().remember("both", "earlier", because="said")
    b.wall += 1000
    b.agent().remember("two", 2, because="said")
    b.agent().remember("both", "later", because="said")
    a.give(b)
    b.give(a)
    assert a.values() == b.values() == {"one": 1, "two": 2, "both": "later"}


def test_the_same_changes_again_change_nothing(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.user.set("a", {"x": 1, "y": 2})
    changes = a.gather()
    b.take(a.id, changes)
    rows = contents(b)[Table.LEAVES]
    assert b.take(a.id, changes).changed == 0
    assert contents(b)[Table.LEAVES] == rows


def test_a_record_under_another_devices_name_is_refused(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.user.set("a", 1)
    a.give(b)
    refused(b, MALLORY, forged((LEAVES, "a", True, a.id, Record(LATE, value="forged"))))
    refused(b, MALLORY, forged((LEAVES, "a", True, b.id, Record(LATE, value="forged"))))
    assert b.user.get("a") == 1


def test_operations_of_another_client_or_ahead_of_its_own_are_refused(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.user.set("a", 1)
    a.give(b)
    mine = (LEAVES, "m", True, MALLORY, Record(LATE, value=1))
    refused(b, MALLORY, forged(mine, onto=state(b), client=101))  # a's client
    refused(b, MALLORY, forged(mine, client=102))  # b's own
    refused(b, MALLORY, forged(mine, onto=forged((LEAVES, "left-out", True, MALLORY, Record(LATE, value=1)))))
    refused(b, MALLORY, merge_updates([forged(mine), forged(mine, client=901)]), MalformedBytes)
    b.take(MALLORY, [Changes(forged(mine))])
    refused(b, MALLORY, forged((LEAVES, "n", True, MALLORY, Record(LATE, value=1)), client=901))
    a.user.set("b", 2)
    a.give(b)
    assert b.values() == {"a": 1, "afterwards": 1, "b": 2, "m": 1}


def test_one_foreign_record_spoils_all_that_comes_with_it(pair: tuple[Box, Box]) -> None:
    a, b = pair
    b.user.set("mine", 1)
    own = (LEAVES, "own", True, MALLORY, Record(LATE, value="fine"))
    refused(b, MALLORY, forged(own, (GRANTS, "x/y:a", True, a.id, Record(LATE, value=True))))
    assert b.values() == {"mine": 1, "afterwards": 1}


def test_removing_a_record_that_may_still_win_is_refused(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.user.set("a", 1)
    a.give(b)
    refused(b, MALLORY, forged((LEAVES, "a", True, a.id, None), onto=state(b)))
    assert b.user.get("a") == 1


def test_removing_a_record_beside_one_that_does_not_beat_it_is_refused(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.user.set("a", 1)
    a.give(b)
    earlier = Record(from_wall(1), value="earlier")
    by_agent = Record(LATE, writer="x/y@1", value="by an agent")
    for mine, by_person in ((earlier, True), (by_agent, False)):
        update = forged(
            (LEAVES, "a", by_person, MALLORY, mine), (LEAVES, "a", True, a.id, None), onto=state(b), client=8
        )
        refused(b, MALLORY, update)


def test_removing_a_record_that_is_hopeless_beside_a_newer_one_is_taken(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.user.set("a", 1)
    a.give(b)
    newer = Record(LATE, value="newer")
    b.take(
        MALLORY,
        [Changes(forged((LEAVES, "a", True, MALLORY, newer), (LEAVES, "a", True, a.id, None), onto=state(b)))],
    )
    assert b.user.get("a") == "newer" and [slot.device for slot in b.row("a").slots] == [MALLORY]


def test_a_removal_is_not_judged_while_something_is_missing_here(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.user.set("a", 1)
    a.give(b)
    b.take(MALLORY, [Changes(forged((LEAVES, "a", True, a.id, None), onto=state(b)))], complete=False)
    assert b.values() == {}


@pytest.mark.parametrize(
    "key",
    [
        "no slot",
        f"a{SEPARATOR}u",
        f"a{SEPARATOR}x{SEPARATOR}ZmZmZmZmZmZmZmZmZmZmZg",
        f"a{SEPARATOR}u{SEPARATOR}short",
        f"{SEPARATOR}u{SEPARATOR}ZmZmZmZmZmZmZmZmZmZmZg",
        f"a{SEPARATOR}u{SEPARATOR}ZmZmZmZmZmZmZmZmZmZmZh",
        f"a{SEPARATOR}b{SEPARATOR}u{SEPARATOR}ZmZmZmZmZmZmZmZmZmZmZg",
    ],
)
def test_a_key_that_is_no_slots_is_refused(pair: tuple[Box, Box], key: str) -> None:
    refused(pair[1], MALLORY, forged_keys((LEAVES, key, Record(LATE, value=1))))


@pytest.mark.parametrize(
    ("slot_map", "name"),
    [
        (LEAVES, "a..b"),
        (LEAVES, "_hidden"),
        (LEAVES, "a b"),
        (LEAVES, "e\u0301"),  # not in the canonical form
        (LEAVES, "a\0b"),
        (LEAVES, ".".join(["x" * 60] * 8)),
        (LEAVES, "x" * 3000),
        (SlotMap.RECEIPTS, "x" * 3000),
        (SlotMap.MESSAGES, "m\0essage"),
        (SETTINGS, "x" * 600),
        (SETTINGS, FORGOTTEN + "no agent at all"),
        (SETTINGS, FORGOTTEN),
        (GRANTS, "\0"),
    ],
)
def test_a_name_that_no_device_could_have_written_is_refused(
    pair: tuple[Box, Box], slot_map: SlotMap, name: str
) -> None:
    refused(pair[1], MALLORY, forged((slot_map, name, True, MALLORY, Record(LATE, value=True))))


@pytest.mark.parametrize("name", ["a..b", "x" * 3000])
def test_a_superseded_record_with_such_a_name_is_refused(pair: tuple[Box, Box], name: str) -> None:
    b = pair[1]
    b.user.set("a", 1)
    before = contents(b)
    superseded = Superseded(LEAVES, name, True, encode_record(Record(LATE, value=1)))
    with pytest.raises(PeerFault):
        b.take(MALLORY, [Changes(forged((LEAVES, "b", True, MALLORY, Record(LATE + 1, value=1))), (superseded,))])
    assert contents(b) == before


@pytest.mark.parametrize("data", [b"", b"\x90", b"\xff" * 20, encode_record(Record(LATE, writer="x/y@1", value=1))])
def test_what_is_no_record_of_its_slot_is_refused(pair: tuple[Box, Box], data: bytes) -> None:
    refused(pair[1], MALLORY, forged((LEAVES, "a", True, MALLORY, data)), MalformedBytes)


def test_bytes_that_are_no_update_are_refused(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.user.set("a", 1)
    a.give(b)
    refused(b, MALLORY, b"\x01\x05\xff\x00", MalformedBytes)


def test_a_refused_commit_leaves_nothing_in_the_document_for_a_later_one_to_bring_to_light(
    pair: tuple[Box, Box],
) -> None:
    a, b = pair
    good = forged((LEAVES, "a", True, MALLORY, Record(LATE, value="good")), client=8)
    with pytest.raises(InvalidCommit):
        b.take(MALLORY, [Changes(forged((LEAVES, "a", True, a.id, Record(LATE, value="forged")), client=9))])
    b.take(MALLORY, [Changes(good)])
    b.user.set("b", 1)
    assert b.values() == {"a": "good", "b": 1}
    assert b"forged" not in state(b)


def test_the_person_is_not_beaten_by_an_agent_with_any_clock(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.user.set("a", "mine")
    a.give(b)
    b.take(MALLORY, [Changes(forged((LEAVES, "a", False, MALLORY, Record(2**64 - 1, writer="x/y@1", value="not"))))])
    assert b.user.get("a") == "mine"
    b.user.set("a", "still mine")
    assert b.user.get("a") == "still mine"


def test_a_record_at_the_end_of_all_clocks_can_still_be_deleted_and_replaced(pair: tuple[Box, Box]) -> None:
    b = pair[1]
    b.take(MALLORY, [Changes(forged((LEAVES, "a", False, MALLORY, Record(LATE * 2, writer="x/y@1", value="far"))))])
    b.agent().remember("a", "near", because="said")
    assert b.user.get("a") == "near"
    b.user.forget("a")
    assert b.values() == {}


# --- what the person deleted stays deleted, in the history too -------------------------------------------------------


def history(box: Box, path: str) -> list[object]:
    with box.replica.read() as view:
        return [change.value for change in audit.why(Sight(view, None), path).history]


def test_a_value_that_arrives_after_the_person_deleted_it_is_in_no_history(pair: tuple[Box, Box]) -> None:
    a, b = pair
    b.wall += 1000
    b.user.set("p", "seen")
    a.user.set("p", "unseen by the one who deletes")
    b.user.forget("p")
    a.give(b)
    b.give(a)
    assert a.values() == b.values() == {}
    assert not any(history(a, "p")) and not any(history(b, "p"))


def test_a_value_deleted_and_learnt_anew_elsewhere_leaves_the_history_here(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.user.set("p", "old")
    a.give(b)
    b.user.forget("p")
    b.agent().remember("p", "new", because="said")
    b.give(a)
    assert a.values() == b.values() == {"p": "new"}
    assert [value for value in history(a, "p") if value] == [value for value in history(b, "p") if value] == ["new"]


def test_a_value_deleted_and_set_anew_in_one_commit_leaves_the_history_here(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.user.set("p", "old")
    a.give(b)
    b.user.forget("p")
    b.user.set("p", "new")
    b.give(a)
    assert [value for value in history(a, "p") if value] == [value for value in history(b, "p") if value] == ["new"]


def test_a_value_that_arrives_after_its_path_was_deleted_and_set_anew_is_in_no_history(pair: tuple[Box, Box]) -> None:
    a, b = pair
    a.user.set("p", "old")
    b.wall += 1000
    b.user.set("p", "seen")
    b.user.forget("p")
    b.user.set("p", "new")
    a.give(b)
    b.give(a)
    assert [value for value in history(a, "p") if value] == [value for value in history(b, "p") if value] == ["new"]
