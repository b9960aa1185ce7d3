"""Commits that come in: applied, held, set aside; and that none of them stops, spoils or hides another."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.box import forged, forged_keys
from tests.transport.family import device
from tests.transport.member import LOG, PUBLIC, Member, channel, contents, members, sealed
from vademecum.engine.clock import from_wall
from vademecum.engine.document import merge_updates
from vademecum.engine.records import Record
from vademecum.engine.slots import SlotMap
from vademecum.engine.view import FORGOTTEN
from vademecum.storage.tables import Table
from vademecum.transport.commit import NO_PREVIOUS, commit_hash

LEAVES = SlotMap.LEAVES
LATE = from_wall(1_800_000_000_000)
MALLORY = 2


@pytest.fixture
def trio(tmp_path: Path) -> Iterator[list[Member]]:
    """The third never writes honestly."""
    with members(tmp_path, 3) as made:
        yield made


def leaf(name: str, value: object = "fine", *, owner: int = MALLORY, onto: bytes = b"") -> bytes:
    return forged((LEAVES, name, True, device(owner).device, Record(LATE, value=value)), onto=onto)  # type: ignore[arg-type]


# --- in whatever order -----------------------------------------------------------------------------------------------


def test_commits_in_any_order_and_twice_end_in_the_same(tmp_path: Path) -> None:
    rng = random.Random(3)
    with members(tmp_path / "author", 1) as (author,):
        for number in range(6):
            author.user.set("a", number)
            author.agent().remember(f"n{number}", number, because="said")
            author.ledger.seal_pending()
        commits = author.own()
        assert len(commits) == 6
        for turn in range(8):
            with members(tmp_path / f"reader{turn}", 2) as (_, reader):
                order = commits + rng.choices(commits, k=3)
                rng.shuffle(order)
                for part in (order[:4], order[4:5], order[5:]):
                    assert reader.take(part).quarantined == ()
                assert reader.values() == author.values()
                assert reader.commits() == commits
                with reader.replica.read() as view:
                    assert not view.reader.has(Table.HELD)


def test_a_commit_behind_a_gap_is_held_and_applied_with_what_was_missing(trio: list[Member]) -> None:
    a, b, _ = trio
    for number in range(4):
        a.user.set("a", number)
        a.ledger.seal_pending()
    first, second, third, fourth = a.own()
    received = b.take([first, third, fourth])
    assert (received.applied, received.held, received.duplicates) == (1, 2, 0)
    assert b.values() == {"a": 0} and b.ledger.frontier(channel())[a.id][0] == 1
    received = b.take([second])
    assert (received.applied, received.held) == (3, 0)
    assert b.values() == {"a": 3}


def test_what_came_by_hand_does_not_count_as_seen_at_the_relay(trio: list[Member]) -> None:
    a, b, _ = trio
    for number in range(3):
        a.user.set("a", number)
        a.ledger.seal_pending()
    first, second, third = a.own()
    assert b.ledger.receive_by_hand(channel(), [second]).held == 1
    assert b.ledger.receive(channel(), LOG, [(1, first)], 1).applied == 2
    assert b.ledger.receive_by_hand(channel(), [third, first]).applied == 1
    assert b.values() == {"a": 2}
    assert dict(b.ledger.acknowledged(channel())) == {a.id: 1}


def test_a_gap_in_one_devices_chain_holds_up_no_other_device(trio: list[Member]) -> None:
    a, b, c = trio
    a.user.set("a", 1)
    a.ledger.seal_pending()
    a.user.set("a", 2)
    missing, held = a.own()
    b.user.set("b", 1)
    received = c.take([held, *b.own()])
    assert (received.applied, received.held) == (1, 1) and c.values() == {"b": 1}
    c.take([missing])
    assert c.values() == {"a": 2, "b": 1}


def test_a_commit_that_is_here_already_changes_nothing(trio: list[Member]) -> None:
    a, b, _ = trio
    a.user.set("a", 1)
    commits = a.own()
    assert b.take(commits).applied == 1
    before = contents(b)
    received = b.take(commits * 3)
    assert (received.applied, received.duplicates, received.quarantined) == (0, 3, ())
    assert contents(b) == before


def test_two_commits_with_one_number_are_reported_as_a_fork_and_the_first_stays(trio: list[Member]) -> None:
    a, b, _ = trio
    one, other = sealed(MALLORY, leaf("a", "one")), sealed(MALLORY, leaf("a", "other"))
    for commits in ([one, other], [other]):
        received = b.take(commits)
        (problem,) = received.quarantined
        assert (problem.code, problem.device, problem.seq) == ("fork-detected", device(MALLORY).device, 1)
        assert b.values() == {"a": "one"}
    b.user.set("b", 1)
    a.take(b.commits())
    assert a.values() == {"a": "one", "b": 1}


def test_a_chain_that_goes_on_from_another_commit_is_set_aside(trio: list[Member]) -> None:
    _, b, _ = trio
    first = sealed(MALLORY, leaf("a"))
    b.take([first])
    stranger = sealed(MALLORY, leaf("b"), seq=2, previous=commit_hash(b"another"))
    (problem,) = b.take([stranger]).quarantined
    assert problem.code == "invalid-commit" and "two versions" in problem.message
    b.take([sealed(MALLORY, leaf("c", onto=leaf("a")), seq=2, previous=commit_hash(first))])
    assert b.values() == {"a": "fine", "c": "fine"}


# --- spoiled ones ----------------------------------------------------------------------------------------------------


def spoiled(a: Member, b: Member) -> dict[str, bytes]:
    """A commit for each way in which the third device may misbehave."""
    a_slot = (LEAVES, "a", True, a.id)
    good = sealed(MALLORY, leaf("x"))
    mallory = device(MALLORY).device
    return {
        "another's name": sealed(MALLORY, forged((*a_slot, Record(LATE, value="forged")))),
        "my name": sealed(MALLORY, forged((LEAVES, "a", True, b.id, Record(LATE, value="forged")))),
        "another's client": sealed(MALLORY, forged((LEAVES, "m", True, mallory, Record(LATE, value=1)), client=100)),
        "my client": sealed(MALLORY, forged((LEAVES, "m", True, mallory, Record(LATE, value=1)), client=101)),
        "a gap": sealed(MALLORY, forged((LEAVES, "m", True, mallory, Record(LATE, value=1)), onto=leaf("left out"))),
        "two clients": sealed(
            MALLORY, merge_updates([leaf("x"), forged((LEAVES, "y", True, mallory, Record(LATE, value=1)), client=5)])
        ),
        "no slot": sealed(MALLORY, forged_keys((LEAVES, "no slot at all", Record(LATE, value=1)))),
        "no path": sealed(MALLORY, leaf("a..b")),
        "long name": sealed(MALLORY, leaf("x" * 2000)),
        "no agent": sealed(
            MALLORY, forged((SlotMap.SETTINGS, FORGOTTEN + "?", True, device(MALLORY).device, Record(LATE, value=True)))
        ),
        "no record": sealed(MALLORY, forged((LEAVES, "a", True, device(MALLORY).device, b"\xc1"))),
        "no update": sealed(MALLORY, b"\x00\x01\x02"),
        "no changes": sealed(MALLORY, b"", changes=b"\x93\x01"),
        "other scope": sealed(MALLORY, leaf("x"), scope="user.private", into=channel()),
        "no scope": sealed(MALLORY, leaf("x"), scope="elsewhere", into=channel()),
        "other channel": sealed(MALLORY, leaf("x"), scope="user.private"),
        "other epoch": sealed(MALLORY, leaf("x"), epoch=2),
        "other vault": sealed(MALLORY, leaf("x"), vault=b"v" * 16),
        "stranger": sealed(50, leaf("x", owner=50)),
        "broken seal": good[:-1] + bytes([good[-1] ^ 1]),
        "broken body": good[:200] + bytes([good[200] ^ 1]) + good[201:],
        "cut": good[:150],
        "nothing": b"",
    }


KINDS = [
    "another's name",
    "my name",
    "another's client",
    "my client",
    "a gap",
    "two clients",
    "no slot",
    "no path",
    "long name",
    "no agent",
    "no record",
    "no update",
    "no changes",
    "other scope",
    "no scope",
    "other channel",
    "other epoch",
    "other vault",
    "stranger",
    "broken seal",
    "broken body",
    "cut",
    "nothing",
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_spoiled_commit_is_reported_changes_nothing_and_stops_no_other(trio: list[Member], kind: str) -> None:
    a, b, _ = trio
    a.user.set("a", 1)
    a.ledger.seal_pending()
    a.user.set("a", 2)
    first, second = a.own()
    bad = spoiled(a, b)[kind]
    received = b.take([first, bad, second, bad])
    assert received.applied == 2
    (problem, again) = received.quarantined
    assert problem == again and problem.channel == channel() and problem.message.endswith("."), problem
    assert b.values() == {"a": 2}
    before = contents(b)
    assert len(b.take([bad]).quarantined) == 1
    assert contents(b) == before
    b.user.set("b", 1)
    assert a.take(b.commits()).quarantined == ()
    assert a.values() == {"a": 2, "b": 1}


def test_every_kind_of_spoiled_commit_is_tried(trio: list[Member]) -> None:
    assert list(spoiled(trio[0], trio[1])) == KINDS


def test_after_a_spoiled_commit_its_author_may_go_on_with_a_good_one(trio: list[Member]) -> None:
    _, b, _ = trio
    bad = spoiled(trio[0], b)["another's name"]
    good = sealed(MALLORY, leaf("x"))
    assert b.take([bad]).quarantined
    assert b.take([good]).applied == 1 and b.values() == {"x": "fine"}


def test_a_held_commit_that_proves_spoiled_stops_no_other(trio: list[Member]) -> None:
    a, b, _ = trio
    first = sealed(MALLORY, leaf("x"))
    bad = sealed(
        MALLORY,
        forged((LEAVES, "a", True, a.id, Record(LATE, value="forged")), onto=leaf("x")),
        seq=2,
        previous=commit_hash(first),
    )
    a.user.set("a", 1)
    assert b.take([bad]).held == 1
    received = b.take([first, *a.own()])
    assert received.applied == 2 and len(received.quarantined) == 1
    assert b.values() == {"a": 1, "x": "fine"}


def test_many_spoiled_commits_at_once_are_all_reported(trio: list[Member]) -> None:
    a, b, _ = trio
    a.user.set("a", 1)
    bad = [commit for kind, commit in spoiled(a, b).items() if kind != "nothing"]
    received = b.take([*itertools.chain(*((one, *a.own()) for one in bad))])
    assert len(received.quarantined) == len(bad) and received.applied == 1
    assert b.values() == {"a": 1}


def test_operations_in_anothers_place_cannot_make_its_own_be_passed_over(trio: list[Member]) -> None:
    """A document passes over an operation whose number it has, whatever it says."""
    a, b, _ = trio
    a.user.set("a", 1)
    b.take(a.own())
    with b.replica.read() as view:
        ((_, state),) = view.reader.scan(Table.DOCUMENTS)
    stolen = forged(
        (LEAVES, "m", True, device(MALLORY).device, Record(LATE, value="in its place")), onto=state, client=100
    )
    assert len(b.take([sealed(MALLORY, stolen)]).quarantined) == 1
    a.user.set("b", 2)
    b.take(a.own())
    assert b.values() == {"a": 1, "b": 2}


def test_removing_a_record_that_may_still_win_is_set_aside(trio: list[Member]) -> None:
    a, b, _ = trio
    a.user.set("a", 1)
    commits = a.own()
    b.take(commits)
    number = b.replica
    with number.read() as view:
        ((_, state),) = view.reader.scan(Table.DOCUMENTS)
    removal = sealed(
        MALLORY,
        forged((LEAVES, "a", True, a.id, None), onto=state),
        frontier={a.id: (1, commit_hash(commits[0])[:8])},
    )
    (problem,) = b.take([removal]).quarantined
    assert "may still win" in problem.message and b.values() == {"a": 1}


def test_a_removal_that_was_right_for_its_author_is_taken_before_what_justified_it_is_here(trio: list[Member]) -> None:
    a, b, c = trio
    b.agent().remember("p", "earlier", because="said")
    a.take(b.commits())
    a.wall += 1000
    a.agent().remember("p", "later", because="said")
    received = c.take([*a.own(), *b.commits()])
    assert received.quarantined == () and c.values() == {"p": "later"}


def test_the_place_in_the_log_is_kept_with_the_rows_or_not_at_all(trio: list[Member]) -> None:
    a, b, _ = trio
    a.user.set("a", 1)
    commits = a.own()
    b.ledger.receive(channel(), LOG, [(7, commits[0])], 7)
    assert b.ledger.position(channel()) == (LOG, 7)
    b.ledger.receive(channel(), LOG, [], 9)
    assert b.ledger.position(channel()) == (LOG, 9)


def test_a_first_commit_names_no_previous(trio: list[Member]) -> None:
    trio[0].user.set("a", 1)
    (commit,) = trio[0].own()
    received = trio[1].take([commit])
    assert received.applied == 1 and NO_PREVIOUS in commit
    assert trio[1].values(PUBLIC) == {"a": 1}
