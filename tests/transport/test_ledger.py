"""The ledger of a real replica: what is sealed, how large it is, and what is kept in which transaction."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.transport.family import AT, device
from tests.transport.family import found as found_family
from tests.transport.member import LOG, PUBLIC, Member, channel, contents, members
from vademecum.engine.replica import Transaction
from vademecum.errors import BadSignature, InvalidRoster
from vademecum.storage.tables import Table
from vademecum.transport import chains
from vademecum.transport import roster as rosters
from vademecum.transport.body import decode_body
from vademecum.transport.commit import NO_PREVIOUS, commit_hash, open_body, parse_header, verify
from vademecum.transport.contract import Problem
from vademecum.transport.keys import channel_key
from vademecum.transport.ledger import ReplicaLedger, load_roster
from vademecum.transport.sync_state import read_state

PRIVATE = "user.private"


@pytest.fixture
def trio(tmp_path: Path) -> Iterator[list[Member]]:
    with members(tmp_path, 3) as made:
        yield made


def test_nothing_to_say_makes_no_commit(trio: list[Member]) -> None:
    a = trio[0]
    before = contents(a)
    assert a.ledger.seal_pending() == 0 and contents(a) == before and a.ledger.channels() == []


def test_each_scope_is_sealed_into_its_own_channel_and_chained(trio: list[Member]) -> None:
    a = trio[0]
    a.user.set("a", 1)
    a.user.set("a", 1, private=True)
    a.agent().remember("a", 1, because="said", scope="agent")
    assert a.ledger.seal_pending() == 3
    assert set(a.ledger.channels()) == {channel(scope) for scope in (PUBLIC, PRIVATE, "agent/x/y")}
    a.user.set("a", 2)
    assert a.ledger.seal_pending() == 1
    first, second = a.commits()
    headers = [verify(commit, a.keys.public) for commit in (first, second)]
    assert [header.seq for header in headers] == [1, 2]
    assert [header.previous for header in headers] == [NO_PREVIOUS, commit_hash(first)]
    assert a.ledger.frontier(channel()) == {a.id: (2, commit_hash(second))}
    assert len(a.commits(PRIVATE)) == 1


def test_the_name_of_a_scope_stands_only_inside_the_sealed_body(trio: list[Member]) -> None:
    a, b, _ = trio
    a.agent().remember("a", "a word", because="said", scope="agent")
    (commit,) = a.commits("agent/x/y")
    assert b"agent/x/y" not in commit and b"a word" not in commit
    b.take([commit], "agent/x/y")
    assert b.values("agent/x/y") == {"a": "a word"}
    with b.replica.read() as view:
        assert chains.scope_of(view.reader, channel("agent/x/y")) == "agent/x/y"


def test_a_commit_tells_what_its_author_has_learnt_since_the_last(trio: list[Member]) -> None:
    a, b, _ = trio
    a.user.set("a", 1)
    theirs = a.own()
    b.take(theirs)
    for number in range(2):
        b.user.set("b", number)
        b.ledger.seal_pending()
    key = channel_key(found_family().secrets.epoch_key, 1, channel())
    told = [decode_body(open_body(commit, key)).frontier for commit in b.own()]
    assert told == [{a.id: (1, commit_hash(theirs[0])[:8])}, {}]


# --- how large -------------------------------------------------------------------------------------------------------


def test_a_week_of_a_thousand_edits_of_fifty_leaves_is_one_commit_under_40_kilobytes(trio: list[Member]) -> None:
    a, b, _ = trio
    rng = random.Random(7)
    words = ["morning", "garden", "coffee", "tennis", "Lisbon", "novel", "bicycle", "winter", "piano", "market"]
    week = 7 * 86_400_000
    for number in range(1000):
        a.wall = AT + number * week // 1000
        name = f"topic{rng.randrange(10)}.leaf{rng.randrange(5)}"
        a.user.set(name, " ".join(rng.choices(words, k=rng.randrange(1, 6))))
    commits = a.commits()
    assert len(commits) == 1 and len(commits[0]) <= 40_000
    b.take(commits)
    assert b.values() == a.values()


def test_an_edit_of_one_leaf_is_at_most_600_bytes(trio: list[Member]) -> None:
    a, *_ = trio
    for number in range(50):
        a.user.set(f"topic.leaf{number}", "something of ordinary length")
    a.ledger.seal_pending()
    a.user.set("topic.leaf7", "something else of ordinary length")
    assert len(a.own()[-1]) <= 600


def test_more_than_one_commit_can_hold_is_sealed_in_several(trio: list[Member]) -> None:
    a, b, _ = trio
    rng = random.Random(1)
    for number in range(60):
        a.user.set(f"n{number}", {f"x{part}": rng.randbytes(3500).hex() for part in range(8)})
    commits = a.commits()
    assert len(commits) > 2
    received = b.take(commits)
    assert received.applied == len(commits) and b.values() == a.values()


# --- kept together ---------------------------------------------------------------------------------------------------


def test_sealing_that_fails_leaves_everything_to_be_sealed(trio: list[Member]) -> None:
    a, b, _ = trio
    a.user.set("a", 1)
    before = contents(a)

    def no_entropy(_size: int) -> bytes:
        raise OSError

    broken = ReplicaLedger(a.replica, a.ledger.vault, a.keys, entropy=no_entropy)
    with pytest.raises(OSError):  # any will do: it is the test's own
        broken.seal_pending()
    assert contents(a) == before
    b.take(a.commits())
    assert b.values() == {"a": 1}


def test_commits_for_a_peer_begin_behind_what_it_has_and_stop_before_a_limit(trio: list[Member]) -> None:
    a, b, _ = trio
    for number in range(5):
        a.user.set("a", number)
        a.ledger.seal_pending()
    mine = a.own()
    b.user.set("b", 1)
    a.take(b.own())
    lacking = a.ledger.commits_lacking
    assert list(lacking(channel(), {a.id: 3, b.id: 1}, 1 << 30)) == mine[3:]
    assert list(lacking(channel(), {a.id: 5, b.id: 1}, 1 << 30)) == []
    assert list(lacking(channel(), {b.id: 1}, len(mine[0]) + len(mine[1]))) == mine[:2]
    assert list(lacking(channel(), {b.id: 1}, 1)) == mine[:1]
    assert len(lacking(channel(), {}, 1 << 30)) == 6


def test_what_the_relay_acknowledged_only_grows_and_is_begun_anew_with_another_relay(trio: list[Member]) -> None:
    a, *_ = trio
    a.ledger.acknowledge(channel(), LOG, [(a.id, 3, 10)], 10)
    a.ledger.acknowledge(channel(), LOG, [(a.id, 2, 9)], 11)
    assert a.ledger.acknowledged(channel()) == {a.id: 3}
    assert a.ledger.position(channel()) == (LOG, 11)
    a.replica.write(lambda transaction: chains.forget_relay(transaction.writer))
    assert a.ledger.acknowledged(channel()) == {} and a.ledger.position(channel()) == (b"", 0)


def test_a_commit_that_arrived_counts_as_held_by_the_relay(trio: list[Member]) -> None:
    a, b, _ = trio
    a.user.set("a", 1)
    b.take(a.own())
    assert b.ledger.acknowledged(channel()) == {a.id: 1}


def test_the_state_and_its_problems_are_kept_for_other_processes(trio: list[Member]) -> None:
    a, *_ = trio
    problems = (Problem("refused:quota", "The relay is full.", channel(), a.id, 3),)
    a.wall = AT + 5
    a.ledger.record("blocked", problems)
    with a.replica.read() as view:
        state = read_state(view.reader)
    assert (state.state, state.problems, state.at_ms, state.synced_at_ms) == ("blocked", problems, AT + 5, None)
    a.ledger.record("synced", ())
    a.wall = AT + 9
    a.ledger.record("offline", ())
    with a.replica.read() as view:
        state = read_state(view.reader)
    assert (state.state, state.problems, state.synced_at_ms) == ("offline", (), AT + 5)


# --- the roster ------------------------------------------------------------------------------------------------------


def test_statements_are_kept_and_known_to_the_next_process(trio: list[Member]) -> None:
    a, *_ = trio
    family = found_family()
    statement = rosters.add(
        family.keys, a.ledger.roster(), device(9).public, "new", secrets=family.secrets, at_ms=AT + 99
    )
    assert device(9).device in a.ledger.merge_roster([statement]).members
    assert device(9).device in load_roster(a.replica, a.ledger.vault).members
    assert device(9).device in ReplicaLedger(a.replica, a.ledger.vault, a.keys).roster().members


def test_a_statement_that_does_not_verify_changes_nothing(trio: list[Member]) -> None:
    a, *_ = trio
    family = found_family()
    statement = rosters.add(
        family.keys, a.ledger.roster(), device(9).public, "new", secrets=family.secrets, at_ms=AT + 99
    )
    before = contents(a)
    with pytest.raises((InvalidRoster, BadSignature)):
        a.ledger.merge_roster([statement[:-1] + bytes([statement[-1] ^ 1])])
    assert contents(a) == before and device(9).device not in a.ledger.roster().members


def test_a_device_that_is_no_member_any_more_cannot_be_read_for_want_of_a_roster(trio: list[Member]) -> None:
    a, *_ = trio

    def lose(transaction: Transaction) -> None:
        transaction.writer.delete_prefix(Table.ROSTER, b"")

    a.replica.write(lose)
    with pytest.raises(InvalidRoster):
        ReplicaLedger(a.replica, a.ledger.vault, a.keys)


def test_the_headers_of_sealed_commits_name_vault_channel_and_device(trio: list[Member]) -> None:
    a, *_ = trio
    a.user.set("a", 1)
    (commit,) = a.own()
    header = parse_header(commit)
    assert (header.vault, header.channel, header.device) == (a.ledger.vault, channel(), a.id)
