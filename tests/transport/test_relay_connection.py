"""Contracts of one connection of a relay, without a socket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.transport.family import AT, Family, device, found
from tests.transport.memory_ledger import FIRST, MemoryLedger, replicas
from tests.transport.wire import ORIGIN, Line, Switchboard
from vademecum.transport import frames
from vademecum.transport.commit import NO_PREVIOUS, commit_hash
from vademecum.transport.frames import Frame, Refused, decode, encode
from vademecum.transport.login import sign_login
from vademecum.transport.relay.connection import LOGIN_SECONDS, State
from vademecum.transport.relay.lmdb_store import LmdbStore
from vademecum.transport.relay.mailboxes import LIFETIME, PER_ADDRESS
from vademecum.transport.roster import add

FAMILY = found()


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Switchboard]:
    store = LmdbStore.open(tmp_path / "relay", initial_map=1 << 20)
    yield Switchboard(store)
    store.close()


def say(board: Switchboard, line: Line, frame: Frame) -> list[Frame]:
    board.take(line, encode(frame))
    return heard(line)


def heard(line: Line) -> list[Frame]:
    answers = [decode(message) for message in line.down]
    line.down.clear()
    return answers


def logged_in(board: Switchboard, ledger: MemoryLedger) -> Line:
    line = board.line()
    (challenge,) = say(board, line, frames.Hello((1,), ledger.vault, ledger.device))
    assert isinstance(challenge, frames.Challenge)
    statements = tuple(one.raw for one in ledger.roster().statements)
    signature = ledger.sign_login(ORIGIN, challenge.nonce, challenge.expiry)
    (welcome,) = say(board, line, frames.Prove(signature, statements))
    assert isinstance(welcome, frames.Welcome)
    return line


def test_who_logs_in_while_another_is_admitted_is_told_of_it(board: Switchboard) -> None:
    ledger = MemoryLedger(FAMILY.keys, FAMILY.roster, FAMILY.secrets)
    logged_in(board, ledger)
    line = board.line()
    (challenge,) = say(board, line, frames.Hello((1,), ledger.vault, ledger.device))
    assert isinstance(challenge, frames.Challenge)
    grown = FAMILY.roster.merge(
        [add(FAMILY.keys, FAMILY.roster, device(1).public, "phone", secrets=FAMILY.secrets, at_ms=AT)]
    )
    logged_in(board, MemoryLedger(device(1), grown, FAMILY.secrets))
    signature = ledger.sign_login(ORIGIN, challenge.nonce, challenge.expiry)
    (welcome,) = say(board, line, frames.Prove(signature, ()))
    assert isinstance(welcome, frames.Welcome)
    assert set(welcome.statements) == {one.raw for one in grown.statements} - {FAMILY.genesis}


def test_what_follows_an_enrolment_is_judged_with_it(board: Switchboard) -> None:
    """Also while the writer has not stored the enrolment yet."""
    ledger = MemoryLedger(FAMILY.keys, FAMILY.roster, FAMILY.secrets)
    line = logged_in(board, ledger)
    grown = FAMILY.roster.merge(
        [add(FAMILY.keys, FAMILY.roster, device(1).public, "phone", secrets=FAMILY.secrets, at_ms=AT)]
    )
    commit = MemoryLedger(device(1), grown, FAMILY.secrets).sealed(FIRST, 1, NO_PREVIOUS, b"")
    enrol = frames.Enrol(tuple(one.raw for one in grown.statements))
    effects = [
        effect for frame in (enrol, frames.Push((commit,))) for effect in line.connection.receive(encode(frame), 0.0)
    ]
    board.apply(line, effects)
    statements, accepted = heard(line)
    assert isinstance(statements, frames.Statements) and isinstance(accepted, frames.Accepted)


def of_another_vault() -> MemoryLedger:
    family = found(founder=4)
    return MemoryLedger(family.keys, family.roster, family.secrets)


def reason(answers: list[Frame]) -> str:
    assert isinstance(answers[-1], Refused)
    return answers[-1].reason


def test_an_unknown_vault_is_begun_by_a_roster_that_certifies_it(board: Switchboard) -> None:
    ledger = replicas(FAMILY, 1)[0]
    assert logged_in(board, ledger).connection.state is State.OPEN
    assert [*board.store.statements(ledger.vault)] == [FAMILY.genesis]


def test_nobody_can_claim_anothers_vault_with_a_roster_of_their_own(board: Switchboard) -> None:
    thief = found(founder=3)
    line = board.line()
    (challenge,) = say(board, line, frames.Hello((1,), FAMILY.roster.vault, thief.keys.device))
    assert isinstance(challenge, frames.Challenge)
    signature = sign_login(
        thief.keys, origin=ORIGIN, vault=FAMILY.roster.vault, nonce=challenge.nonce, expiry_ms=challenge.expiry
    )
    assert reason(say(board, line, frames.Prove(signature, (thief.genesis,)))) == "roster"
    assert board.store.statements(FAMILY.roster.vault) == []


def attempt(board: Switchboard, family: Family, number: int, *, wait: float = 0.0, nonce: bytes = b"") -> list[Frame]:
    ledger = MemoryLedger(device(number), family.roster, family.secrets)
    line = board.line()
    (challenge,) = say(board, line, frames.Hello((1,), ledger.vault, ledger.device))
    assert isinstance(challenge, frames.Challenge)
    board.now += wait
    signature = ledger.sign_login(ORIGIN, nonce or challenge.nonce, challenge.expiry)
    return say(board, line, frames.Prove(signature, (family.genesis,)))


def test_a_login_by_a_stranger_late_or_for_another_challenge_is_refused(board: Switchboard) -> None:
    assert reason(attempt(board, FAMILY, 5)) == "not-a-member"
    assert reason(attempt(board, FAMILY, 0, wait=31)) == "bad-proof"
    assert reason(attempt(board, FAMILY, 0, nonce=bytes(32))) == "bad-proof"
    assert board.store.statements(FAMILY.roster.vault) == [], "a login that failed has left nothing"
    assert isinstance(attempt(board, FAMILY, 0)[0], frames.Welcome)


def test_versions_and_mandatory_features_that_are_unknown_are_refused_by_name(board: Switchboard) -> None:
    (refused,) = say(board, board.line(), frames.Hello((7, 8), bytes(16), bytes(16)))
    assert isinstance(refused, Refused) and refused.reason == "version" and "7, 8" in refused.message
    (refused,) = say(board, board.line(), frames.Hello((1, 2), bytes(16), bytes(16), ("telepathy",)))
    assert isinstance(refused, Refused) and "telepathy" in refused.message
    assert isinstance(say(board, board.line(), frames.Hello((1, 2), bytes(16), bytes(16)))[0], frames.Challenge)


@pytest.mark.parametrize("early", [frames.Push(()), frames.Ask(), frames.Enrol(()), frames.Pull(FIRST, b"", 0, {})])
def test_nothing_is_served_before_the_login(board: Switchboard, early: Frame) -> None:
    line = board.line()
    assert reason(say(board, line, early)) == "unexpected"
    assert line.cut and line.connection.state is State.CLOSED


def test_a_connection_that_does_not_log_in_is_closed_in_time(board: Switchboard) -> None:
    line = board.line()
    assert line.connection.tick(LOGIN_SECONDS - 0.1) == []
    board.apply(line, line.connection.tick(LOGIN_SECONDS))
    assert reason(heard(line)) == "timeout" and line.cut
    board.now = 100.0
    assert logged_in(board, replicas(FAMILY, 1)[0]).connection.deadline is None


def test_what_is_wrong_with_a_pushed_commit_is_said_and_the_good_ones_beside_it_are_kept(board: Switchboard) -> None:
    ledger, other = replicas(FAMILY, 2)
    line = logged_in(board, ledger)
    ledger.write()
    ledger.write()
    ledger.seal_pending()
    first, second = ledger.chains[FIRST][ledger.device]
    stranger = MemoryLedger(device(9), FAMILY.roster, FAMILY.secrets)
    foreign = MemoryLedger(ledger.keys, found(salt=b"s" * 16).roster, FAMILY.secrets)
    beyond = ledger.sealed(FIRST, 9, commit_hash(second), b"")
    forked = ledger.sealed(FIRST, 1, NO_PREVIOUS, b"another first")
    pushed = (
        first,
        second[:-1] + bytes([second[-1] ^ 1]),
        stranger.sealed(FIRST, 1, NO_PREVIOUS, b""),
        foreign.sealed(FIRST, 1, NO_PREVIOUS, b""),
        beyond,
        forked,
        b"not a commit",
        second,
        first,
    )
    answers = say(board, line, frames.Push(pushed))
    accepted = [row for one in answers if isinstance(one, frames.Accepted) for row in one.stored]
    who = ledger.device
    assert accepted == [(FIRST, who, 1, 1, 0), (FIRST, who, 2, 2, 1), (FIRST, who, 1, 1, 0)]
    refused = {one.reason: one.which for one in answers if isinstance(one, Refused)}
    assert refused == {
        "bad-signature": ((FIRST, who, 2),),
        "stranger": ((FIRST, stranger.device, 1),),
        "wrong-vault": ((FIRST, who, 1),),
        "gap": ((FIRST, who, 9),),
        "fork": ((FIRST, who, 1),),
        "malformed": (),
    }
    assert not line.cut, "the connection goes on"
    assert other.device in ledger.roster().members


def test_a_push_goes_live_to_the_vaults_other_connections_only_once_and_not_to_other_vaults(board: Switchboard) -> None:
    ledger, phone = replicas(FAMILY, 2)
    stranger = of_another_vault()
    pusher, other, elsewhere = (logged_in(board, one) for one in (ledger, phone, stranger))
    heard(pusher)
    ledger.write()
    ledger.seal_pending()
    (commit,) = ledger.chains[FIRST][ledger.device]
    for _ in range(2):
        assert [type(one) for one in say(board, pusher, frames.Push((commit,)))] == [frames.Accepted]
    assert heard(other) == [frames.Live(FIRST, 1, 0, commit)]
    assert heard(elsewhere) == []


def test_one_vaults_channels_are_not_anothers_to_read(board: Switchboard) -> None:
    ledger = replicas(FAMILY, 1)[0]
    line = logged_in(board, ledger)
    ledger.write()
    ledger.seal_pending()
    say(board, line, frames.Push(tuple(ledger.chains[FIRST][ledger.device])))
    spy = logged_in(board, of_another_vault())
    assert say(board, spy, frames.Pull(FIRST, b"", 0, {})) == [frames.End(FIRST, board.store.log_id, 0, {})]


@given(data=st.binary(max_size=200))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
def test_any_message_to_a_fresh_connection_at_worst_ends_it(board: Switchboard, data: bytes) -> None:
    line = board.line()
    board.take(line, data)
    assert line.cut or line.connection.state is not State.CLOSED
    board.lines.remove(line)


# --- mailboxes ------------------------------------------------------------------------------------------------------

BOX, TOKEN, TOKEN_2 = b"m" * 16, b"t" * 16, b"u" * 16


def test_letters_reach_the_other_side_whether_fetched_before_or_after_they_are_put(board: Switchboard) -> None:
    inviter, joiner = board.line(), board.line()
    assert say(board, inviter, frames.Claim(BOX, 0, TOKEN)) == [frames.Claimed(int(LIFETIME))]
    assert say(board, inviter, frames.Fetch(0)) == []
    say(board, joiner, frames.Claim(BOX, 1, TOKEN_2))
    say(board, joiner, frames.Put(0, b"hello"))
    assert heard(inviter) == [frames.Letter(0, b"hello")]
    say(board, inviter, frames.Put(0, b"welcome"))
    assert say(board, joiner, frames.Fetch(0)) == [frames.Letter(0, b"welcome")]


def test_a_mailbox_has_one_maker_and_one_joiner_and_a_second_is_told_that_the_code_was_used(board: Switchboard) -> None:
    assert reason(say(board, board.line(), frames.Claim(BOX, 1, TOKEN))) == "mailbox-missing"
    say(board, board.line(), frames.Claim(BOX, 0, TOKEN))
    assert reason(say(board, board.line(), frames.Claim(BOX, 0, TOKEN_2))) == "mailbox-used"
    joiner = board.line()
    say(board, joiner, frames.Claim(BOX, 1, TOKEN_2))
    assert reason(say(board, board.line(), frames.Claim(BOX, 1, b"x" * 16))) == "mailbox-used"
    back = board.line()
    assert isinstance(say(board, back, frames.Claim(BOX, 1, TOKEN_2))[0], frames.Claimed), "the token lets it return"
    say(board, joiner, frames.Put(0, b"one"))
    assert say(board, back, frames.Put(0, b"one")) == []
    assert reason(say(board, back, frames.Put(0, b"two"))) == "mailbox-used"


def test_a_closed_mailbox_admits_nobody_new_but_gives_out_what_was_left(board: Switchboard) -> None:
    inviter, joiner = board.line(), board.line()
    say(board, inviter, frames.Claim(BOX, 0, TOKEN))
    say(board, joiner, frames.Claim(BOX, 1, TOKEN_2))
    say(board, inviter, frames.Put(0, b"the grant"))
    say(board, inviter, frames.Close())
    assert inviter.cut
    again = board.line()
    say(board, again, frames.Claim(BOX, 1, TOKEN_2))
    assert say(board, again, frames.Fetch(0)) == [frames.Letter(0, b"the grant")]
    assert reason(say(board, board.line(), frames.Claim(BOX, 1, b"x" * 16))) == "mailbox-used"


def test_a_mailbox_ends_with_its_time(board: Switchboard) -> None:
    inviter = board.line()
    say(board, inviter, frames.Claim(BOX, 0, TOKEN))
    board.now = LIFETIME
    board.apply(inviter, inviter.connection.tick(board.now))
    assert reason(heard(inviter)) == "timeout"
    assert reason(say(board, board.line(), frames.Claim(BOX, 1, TOKEN_2))) == "mailbox-missing"


def test_one_address_gets_few_guesses_at_the_names_of_mailboxes(board: Switchboard) -> None:
    for guess in range(PER_ADDRESS):
        answers = say(board, board.line(), frames.Claim(guess.to_bytes(16, "big"), 1, TOKEN))
        assert reason(answers) == "mailbox-missing"
    assert reason(say(board, board.line(), frames.Claim(BOX, 0, TOKEN))) == "mailbox-limit"
    elsewhere = board.line("203.0.113.9")
    assert isinstance(say(board, elsewhere, frames.Claim(BOX, 0, TOKEN))[0], frames.Claimed)
