"""What a relay does with a device that was revoked: it needs the roster for it, and no name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.transport.family import AT, device, found
from tests.transport.memory_ledger import FIRST, MemoryLedger, replicas
from tests.transport.test_relay_connection import heard, logged_in, reason, say
from tests.transport.wire import ORIGIN, Line, Switchboard
from vademecum.transport import frames
from vademecum.transport.commit import NO_PREVIOUS, commit_hash
from vademecum.transport.frames import Frame, Refused, encode
from vademecum.transport.relay.admission import Join, Offered, OfferRequest, Outcome, PushRequest, admit_part, perform
from vademecum.transport.relay.connection import State
from vademecum.transport.relay.lmdb_store import LmdbStore
from vademecum.transport.roster import Roster, add, revoke, witness
from vademecum.transport.snapshot import seal_snapshot, snapshot_id
from vademecum.transport.statement import Held

FAMILY = found()


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Switchboard]:
    store = LmdbStore.open(tmp_path / "relay", initial_map=1 << 20)
    yield Switchboard(store)
    store.close()


def without_one(roster: Roster) -> Roster:
    """The roster after device 0 has revoked device 1."""
    said = revoke(FAMILY.keys, roster, [device(1).device], secrets=FAMILY.secrets, epoch_key=b"2" * 32, at_ms=AT)
    return roster.merge([said])


def raw(roster: Roster) -> tuple[bytes, ...]:
    return tuple(one.raw for one in roster.statements)


def login(board: Switchboard, ledger: MemoryLedger) -> tuple[Line, list[Frame]]:
    line = board.line()
    (challenge,) = say(board, line, frames.Hello((1,), ledger.vault, ledger.device))
    assert isinstance(challenge, frames.Challenge)
    signature = ledger.sign_login(ORIGIN, challenge.nonce, challenge.expiry)
    return line, say(board, line, frames.Prove(signature, raw(ledger.roster())))


def test_a_revoked_device_is_shown_the_proof_and_let_in_no_more(board: Switchboard) -> None:
    two = replicas(FAMILY, 2)
    logged_in(board, two[0])
    after = without_one(two[0].roster())
    board.rosters.add(after.vault, raw(after))
    line, answers = login(board, two[1])
    told, refused = answers
    assert isinstance(told, frames.Statements) and reason([refused]) == "revoked"
    assert two[1].roster().merge(told.statements).is_revoked(device(1).device)
    assert (line.cut, line.connection.state) == (True, State.CLOSED)


def test_nothing_that_a_revoked_device_brings_is_kept(board: Switchboard) -> None:
    """It may have let others in, or become another device itself, behind the backs of those who revoked it."""
    one, thief = replicas(FAMILY, 2)
    after = without_one(one.roster())
    line = logged_in(board, one)
    say(board, line, frames.Enrol(raw(after)))
    kept = list(board.store.statements(one.vault))
    said = add(thief.keys, thief.roster(), device(7).public, "mine", secrets=FAMILY.secrets, at_ms=AT)
    thief.merge_roster([said])
    assert reason(login(board, thief)[1]) == "revoked"
    friend = MemoryLedger(device(7), thief.roster(), FAMILY.secrets)
    assert reason(login(board, friend)[1]) == "revoked"
    assert list(board.store.statements(one.vault)) == kept


def test_a_stranger_learns_nothing_of_the_roster_by_naming_a_revoked_device(board: Switchboard) -> None:
    two = replicas(FAMILY, 2)
    say(board, logged_in(board, two[0]), frames.Enrol(raw(without_one(two[0].roster()))))
    line = board.line()
    say(board, line, frames.Hello((1,), two[1].vault, two[1].device))
    answers = say(board, line, frames.Prove(bytes(64), ()))
    assert reason(answers) == "bad-proof" and len(answers) == 1


def test_its_open_connections_end_as_soon_as_the_statement_is_durable(board: Switchboard) -> None:
    one, two, three = replicas(FAMILY, 3)
    lines = [logged_in(board, ledger) for ledger in (one, two, three)]
    for line in lines:
        heard(line)
    say(board, lines[0], frames.Enrol(raw(without_one(one.roster()))))
    answers = heard(lines[1])
    assert isinstance(answers[0], frames.Statements) and reason(answers) == "revoked"
    assert (lines[1].cut, lines[2].cut) == (True, False)
    board.take(lines[1], encode(frames.Ask()))
    assert heard(lines[1]) == []


def pushed(board: Switchboard, roster: Roster, *commits: bytes) -> Outcome:
    (outcome,) = perform(board.store, [PushRequest(roster.vault, roster, commits)])
    assert isinstance(outcome, Outcome)
    return outcome


def chain(ledger: MemoryLedger, length: int) -> list[bytes]:
    commits: list[bytes] = []
    previous = NO_PREVIOUS
    for seq in range(1, length + 1):
        commits.append(ledger.sealed(FIRST, seq, previous, b"%d" % seq))
        previous = commit_hash(commits[-1])
    return commits


def test_of_its_chain_what_a_witness_names_comes_in_by_others_and_nothing_behind_it(board: Switchboard) -> None:
    one, two = replicas(FAMILY, 2)
    commits = chain(two, 3)
    after = without_one(one.roster())
    assert pushed(board, after, commits[0]).refused[0].reason == "revoked"
    end = Held(two.device, FIRST, 2, commit_hash(commits[1]))
    after = after.merge(witness(one.keys, after, [end], [], at_ms=AT))
    outcome = pushed(board, after, *commits)
    assert [row[2] for row in outcome.stored] == [1, 2]
    assert [(refused.reason, refused.which[0][2]) for refused in outcome.refused] == [("revoked", 3)]


def test_another_commit_in_the_place_of_the_last_one_is_refused(board: Switchboard) -> None:
    one, two = replicas(FAMILY, 2)
    commits, others = chain(two, 1), chain(two, 1)
    assert commits != others
    after = without_one(one.roster())
    end = Held(two.device, FIRST, 1, commit_hash(commits[0]))
    after = after.merge(witness(one.keys, after, [end], [], at_ms=AT))
    assert pushed(board, after, *others).refused[0].reason == "revoked"
    assert len(pushed(board, after, *commits).stored) == 1


def test_commits_that_wait_behind_the_revocation_are_refused(board: Switchboard) -> None:
    """Both may be given to the writer at once, and the commits were checked by the roster of before."""
    one, two = replicas(FAMILY, 2)
    before = one.roster()
    after = without_one(before)
    fresh = tuple(one for one in after.statements if one not in before.statements)
    _, outcome = perform(
        board.store, [Join(after.vault, fresh), PushRequest(before.vault, before, tuple(chain(two, 1)))]
    )
    assert isinstance(outcome, Outcome)
    assert [refused.reason for refused in outcome.refused] == ["revoked"]


def snapshot(ledger: MemoryLedger, generation: int, frontier: dict[bytes, tuple[int, bytes]]) -> list[bytes]:
    return seal_snapshot(
        ledger.keys,
        ledger._key(FIRST),
        vault=ledger.vault,
        channel=FIRST,
        epoch=1,
        generation=generation,
        frontier=frontier,
        scope="user.public",
        content=b"content",
        entropy=lambda count: bytes(count),
    )


def offered(board: Switchboard, roster: Roster, parts: list[bytes]) -> Offered:
    (outcome,) = perform(board.store, [OfferRequest(roster.vault, roster, part) for part in parts])[-1:]
    assert isinstance(outcome, Offered)
    return outcome


def test_a_snapshot_need_not_contain_what_lies_behind_the_end_of_its_chain(board: Switchboard) -> None:
    one, two = replicas(FAMILY, 2)
    commits = chain(two, 2)
    pushed(board, one.roster(), *commits)
    less = {two.device: (1, commit_hash(commits[0]))}
    assert offered(board, one.roster(), snapshot(one, 1, less)).reason == "behind"
    after = without_one(one.roster())
    end = Held(two.device, FIRST, 1, commit_hash(commits[0]))
    after = after.merge(witness(one.keys, after, [end], [], at_ms=AT))
    assert offered(board, after, snapshot(one, 1, less)).accepted is not None
    page = board.store.read_after(one.vault, FIRST, 0, {}, 1 << 20)
    assert (page.entries, page.frontier) == ((), less)


def test_its_snapshot_gives_way_unless_a_member_builds_on_it(board: Switchboard) -> None:
    one, two = replicas(FAMILY, 2)
    theirs = snapshot(two, 1, {two.device: (9, b"9" * 32), one.device: (4, b"4" * 32)})
    assert offered(board, one.roster(), theirs).accepted is not None
    after = without_one(one.roster())
    assert offered(board, after, snapshot(two, 2, {one.device: (4, b"4" * 32)})).reason == "revoked"
    mine = snapshot(one, 2, {one.device: (3, b"3" * 32)})
    known = after.merge(witness(one.keys, after, [], [snapshot_id(theirs[-1])], at_ms=AT))
    assert offered(board, known, mine).reason == "behind"
    assert offered(board, after, mine).accepted is not None
    assert board.store.read_after(one.vault, FIRST, 0, {}, 1 << 20).frontier == {one.device: (3, b"3" * 32)}


def test_a_part_of_a_revoked_devices_snapshot_is_not_looked_at_further() -> None:
    one, two = replicas(FAMILY, 2)
    verdict = admit_part(one.vault, without_one(one.roster()), snapshot(two, 1, {one.device: (4, b"4" * 32)})[0])
    assert isinstance(verdict, Offered) and verdict.reason == "revoked"


def test_who_was_not_revoked_notices_nothing_but_the_statements(board: Switchboard) -> None:
    one, two, three = replicas(FAMILY, 3)
    line, other = logged_in(board, one), logged_in(board, three)
    heard(other)
    say(board, line, frames.Enrol(raw(without_one(one.roster()))))
    (told,) = heard(other)
    assert isinstance(told, frames.Statements)
    three.merge_roster(told.statements)
    answers = say(board, other, frames.Push((chain(three, 1)[0],)))
    assert not any(isinstance(answer, Refused) for answer in answers)
    assert two.roster().is_revoked(two.device) is False
