"""Contracts of the client's sync machine, against the relay's own state machine and a real store."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.transport.family import AT, device, found
from tests.transport.memory_ledger import FIRST, SECOND, MemoryLedger, replicas
from tests.transport.wire import ORIGIN, Client, Switchboard, mangling, run
from vademecum.errors import MalformedBytes, PeerFault, RelayRefused
from vademecum.transport import frames
from vademecum.transport.commit import NO_PREVIOUS, commit_hash
from vademecum.transport.frames import Frame, decode, encode
from vademecum.transport.relay.lmdb_store import LmdbStore
from vademecum.transport.roster import add
from vademecum.transport.sync import State, Sync


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Switchboard]:
    store = LmdbStore.open(tmp_path / "relay", initial_map=1 << 20)
    yield Switchboard(store)
    store.close()


def meet(board: Switchboard, *clients: Client) -> None:
    for client in clients:
        if client.line is None:
            client.connect(board)
    run(board, clients)


def codes(client: Client) -> set[str]:
    return {problem.code for problem in client.sync.problems}


def test_what_one_device_wrote_offline_reaches_the_other(board: Switchboard) -> None:
    laptop, phone = map(Client, replicas(found(), 2))
    laptop.ledger.write(FIRST)
    laptop.ledger.write(SECOND)
    phone.ledger.write(FIRST)
    meet(board, laptop, phone)
    assert laptop.sync.state is phone.sync.state is State.SYNCED
    assert laptop.ledger.content() == phone.ledger.content()
    assert sum(len(chain) for chains in phone.ledger.content().values() for chain in chains.values()) == 3
    assert phone.ledger.recorded[-1] == ("synced", ())


def test_a_change_made_while_both_are_connected_reaches_the_other_at_once(board: Switchboard) -> None:
    laptop, phone = map(Client, replicas(found(), 2))
    meet(board, laptop, phone)
    laptop.ledger.write(FIRST)
    laptop.changed()
    assert laptop.sync.state is State.SYNCING
    run(board, [laptop, phone])
    assert phone.ledger.content() == laptop.ledger.content() != {}
    assert laptop.sync.state is phone.sync.state is State.SYNCED
    assert laptop.ledger.position(FIRST) == phone.ledger.position(FIRST) == (board.store.log_id, 1)


def test_an_acknowledgement_that_was_lost_is_noted_though_there_is_something_to_pull(board: Switchboard) -> None:
    """A process may die between its push and the answer; what it sent must not count as waiting for ever."""
    laptop, phone = map(Client, replicas(found(), 2))
    laptop.ledger.write(FIRST)
    meet(board, laptop)
    laptop.hang_up(board)
    laptop.ledger.forget_acknowledged()
    phone.ledger.write(FIRST)
    meet(board, phone)
    meet(board, laptop)
    assert laptop.sync.state is State.SYNCED
    assert laptop.ledger.acknowledged(FIRST) == {laptop.ledger.device: 1, phone.ledger.device: 1}


def test_what_a_device_writes_in_answer_to_what_it_took_in_is_sent_before_it_is_synced(board: Switchboard) -> None:
    laptop, phone = map(Client, replicas(found(), 2))
    phone.ledger.answers = True
    laptop.ledger.write()
    meet(board, laptop, phone)
    assert phone.ledger.seal_pending() == 0
    assert len(phone.ledger.own()) == 1
    assert laptop.ledger.content() == phone.ledger.content()
    assert laptop.sync.state is phone.sync.state is State.SYNCED


def test_a_device_in_step_asks_for_nothing_when_it_returns(board: Switchboard) -> None:
    laptop, phone = map(Client, replicas(found(), 2))
    laptop.ledger.write()
    meet(board, laptop, phone)
    phone.hang_up(board)
    phone.connect(board)
    sent = [decode(message) for message in _talk(board, phone)]
    assert [type(frame) for frame in sent] == [frames.Hello, frames.Prove]
    assert phone.sync.state is State.SYNCED


def _talk(board: Switchboard, client: Client) -> list[bytes]:
    sent: list[bytes] = []
    line = client.line
    assert line is not None
    while line.up or line.down:
        sent += line.up
        client.step(board)
    return list(dict.fromkeys(sent))


def test_a_relay_that_lost_commits_gets_them_again_and_the_person_is_told(board: Switchboard, tmp_path: Path) -> None:
    laptop, phone = map(Client, replicas(found(), 2))
    meet(board, laptop)
    backup = tmp_path / "backup"
    laptop.hang_up(board)
    board.store.close()
    shutil.copytree(tmp_path / "relay", backup)
    board.__init__(LmdbStore.open(tmp_path / "relay"))  # type: ignore[misc]  # the same relay, started again
    laptop.ledger.write()
    laptop.ledger.write()
    meet(board, laptop)
    laptop.hang_up(board)

    old = Switchboard(LmdbStore.open(backup))
    try:
        meet(old, laptop, phone)
        assert codes(laptop) == {"relay-rewound"}
        assert laptop.sync.state is phone.sync.state is State.SYNCED
        assert phone.ledger.content() == laptop.ledger.content() != {}
        laptop.hang_up(old)
        meet(old, laptop)
        assert codes(laptop) == set()
    finally:
        old.store.close()


def test_a_new_log_is_filled_from_the_devices(board: Switchboard, tmp_path: Path) -> None:
    laptop, phone = map(Client, replicas(found(), 2))
    for _ in range(5):
        laptop.ledger.write()
    meet(board, laptop, phone)
    laptop.hang_up(board)
    phone.hang_up(board)
    laptop.ledger.write()
    anew = Switchboard(LmdbStore.open(tmp_path / "new"))
    try:
        meet(anew, phone)
        meet(anew, laptop)
        run(anew, [laptop, phone])
        assert laptop.sync.state is phone.sync.state is State.SYNCED
        assert phone.ledger.content() == laptop.ledger.content()
        assert phone.ledger.position(FIRST) == (anew.store.log_id, 6)
    finally:
        anew.store.close()


def test_a_position_beyond_what_the_replica_holds_is_repaired_by_frontier(board: Switchboard) -> None:
    laptop, phone = map(Client, replicas(found(), 2))
    for _ in range(5):
        laptop.ledger.write()
    meet(board, laptop)
    phone.ledger.receive(FIRST, board.store.log_id, [], 3)  # a cursor that stands for rows which are not there
    meet(board, phone)
    assert phone.sync.state is State.SYNCED
    assert phone.ledger.content() == laptop.ledger.content()


def test_a_gap_in_live_frames_is_pulled_and_not_skipped(board: Switchboard) -> None:
    laptop, phone = map(Client, replicas(found(), 2))
    meet(board, laptop, phone)
    for _ in range(3):
        laptop.ledger.write()
        laptop.changed()
        run(board, [laptop])
    assert phone.line is not None
    del phone.line.down[0]
    run(board, [laptop, phone])
    assert phone.sync.state is State.SYNCED
    assert phone.ledger.content() == laptop.ledger.content()


def test_a_live_frame_lost_without_another_behind_it_is_found_by_check(board: Switchboard) -> None:
    laptop, phone = map(Client, replicas(found(), 2))
    meet(board, laptop, phone)
    laptop.ledger.write()
    laptop.changed()
    run(board, [laptop])
    assert phone.line is not None
    phone.line.down.clear()
    phone.line.up.extend(phone.sync.check())
    run(board, [laptop, phone])
    assert phone.ledger.content() == laptop.ledger.content() != {}


def test_two_copies_of_one_device_are_reported_as_a_fork_and_the_rest_goes_on(board: Switchboard) -> None:
    one, two = replicas(found(), 2)
    twin = MemoryLedger(two.keys, two.roster(), found().secrets)
    laptop, phone, copy = Client(one), Client(two), Client(twin)
    two.write(FIRST)
    twin.write(FIRST)
    twin.write(FIRST)
    twin.write(SECOND)
    meet(board, phone, laptop)
    meet(board, copy)
    assert copy.sync.state is State.BLOCKED
    assert codes(copy) >= {"fork-detected"}
    assert copy.ledger.recorded[-1][0] == "blocked"
    run(board, [laptop, phone, copy])
    assert SECOND in laptop.ledger.chains
    assert laptop.sync.state is State.SYNCED


def test_a_commit_that_a_replica_cannot_take_leaves_it_blocked_with_the_reason_and_not_in_a_loop(
    board: Switchboard,
) -> None:
    laptop, phone = replicas(found(), 2)
    laptop.write()
    laptop.seal_pending()
    phone.chains[FIRST] = {laptop.device: [laptop.sealed(FIRST, 1, NO_PREVIOUS, b"another first commit")]}
    one, two = Client(laptop), Client(phone)
    laptop.write()
    meet(board, one)
    meet(board, two)
    assert two.sync.state is State.BLOCKED
    assert codes(two)
    assert one.sync.state is State.SYNCED


def test_a_new_device_is_let_in_on_the_word_of_one_that_the_relay_knows(board: Switchboard) -> None:
    family = found()
    laptop = Client(replicas(family, 1)[0])
    laptop.ledger.write()
    meet(board, laptop)
    statement = add(family.keys, family.roster, device(5).public, "new", secrets=family.secrets, at_ms=AT + 5)
    new = Client(MemoryLedger(device(5), family.roster.merge([statement]), family.secrets))
    new.ledger.write(SECOND)
    meet(board, new)
    run(board, [laptop, new])
    assert device(5).device in laptop.ledger.roster().members
    assert laptop.ledger.content() == new.ledger.content()


def test_a_statement_made_while_connected_reaches_the_relay_and_the_others(board: Switchboard) -> None:
    family = found()
    laptop, phone = map(Client, replicas(family, 2))
    meet(board, laptop, phone)
    roster = laptop.ledger.roster()
    laptop.ledger.merge_roster(
        [add(family.keys, roster, device(5).public, "new", secrets=family.secrets, at_ms=AT + 9)]
    )
    laptop.changed()
    run(board, [laptop, phone])
    assert device(5).device in phone.ledger.roster().members
    known = board.rosters.get(family.roster.vault)
    assert known is not None and device(5).device in known.members


def test_a_stranger_is_refused_and_told_why(board: Switchboard) -> None:
    family = found()
    laptop = Client(replicas(family, 1)[0])
    meet(board, laptop)
    stranger = Client(MemoryLedger(device(7), family.roster, family.secrets))
    stranger.connect(board)
    run(board, [stranger])
    assert stranger.sync.state is State.REFUSED
    assert codes(stranger) == {"refused:not-a-member"}
    assert stranger.ledger.recorded[-1][0] == "blocked"


def test_a_login_made_for_another_relay_is_refused(board: Switchboard) -> None:
    laptop = Client(replicas(found(), 1)[0])
    laptop.sync = Sync(laptop.ledger, "evil.example:443")
    laptop.connect(board)
    run(board, [laptop])
    assert codes(laptop) == {"refused:bad-proof"}


ONLINE_ONLY: list[Frame] = [
    frames.Commits(FIRST, ()),
    frames.End(FIRST, bytes(16), 0, {}),
    frames.Accepted(()),
    frames.Live(FIRST, 1, 0, b""),
    frames.Heads(bytes(16), ()),
    frames.Statements(bytes(32), ()),
]


@pytest.mark.parametrize("frame", [*ONLINE_ONLY, frames.Welcome(bytes(16), (), (), {})], ids=lambda f: type(f).__name__)
def test_a_frame_out_of_place_names_itself_and_the_state_and_changes_nothing(frame: Frame) -> None:
    sync = Sync(replicas(found(), 1)[0], ORIGIN)
    sync.connected()
    with pytest.raises(PeerFault, match=rf"{type(frame).__name__}.*connecting"):
        sync.receive([encode(frame)])
    assert sync.state is State.CONNECTING


def test_answers_to_questions_never_asked_are_faults_of_the_peer(board: Switchboard) -> None:
    laptop = Client(replicas(found(), 1)[0])
    laptop.ledger.write()
    meet(board, laptop)
    log_id = board.store.log_id
    for frame in (
        frames.Commits(FIRST, ((9, 8, b"x"),)),
        frames.End(FIRST, log_id, 9, {}),
        frames.Accepted(((FIRST, laptop.ledger.device, 9, 9, 8),)),
        frames.Refused("gap", "no", None, ((FIRST, laptop.ledger.device, 9),)),
        frames.Challenge(1, bytes(32), 0, None),
        frames.Heads(bytes(16), ()),
    ):
        with pytest.raises(PeerFault):
            laptop.sync.receive([encode(frame)])
    with pytest.raises(MalformedBytes):
        laptop.sync.receive([b"\xc1"])
    with pytest.raises(MalformedBytes):
        laptop.sync.receive([encode(frames.Live(FIRST, 2, 1, b"not a commit"))])
    with pytest.raises(RelayRefused) as refused:
        laptop.sync.receive([encode(frames.Refused("storage", "The disk is full.", 5000))])
    assert refused.value.reason == "storage"


@pytest.mark.parametrize("seed", range(25))
def test_replicas_converge_over_a_line_that_drops_doubles_and_swaps_messages(board: Switchboard, seed: int) -> None:
    rng = random.Random(seed)
    clients = [Client(ledger) for ledger in replicas(found(), 3)]
    mangle, held = mangling(rng, 0.05, 0.05, 0.05)

    for _ in range(300):
        client = rng.choice(clients)
        what = rng.random()
        if client.line is None:
            held.clear()
            client.connect(board)
        elif what < 0.05:
            client.hang_up(board)
        elif what < 0.2:
            client.ledger.write(rng.choice([FIRST, SECOND]))
            client.changed()
        else:
            for _ in range(rng.randrange(8)):
                client.step(board, mangle)
        if client.sync.state is State.SYNCED:
            stored = {
                entry[2]
                for channel in (FIRST, SECOND)
                for entry in board.store.read_after(client.ledger.vault, channel, 0, {}, 1 << 30).entries
            }
            assert client.ledger.own() <= stored, "synced was shown while the relay lacked commits of this device"

    for client in clients:
        client.hang_up(board)
    meet(board, *clients)
    assert [client.sync.state for client in clients] == [State.SYNCED] * 3
    assert clients[0].ledger.content() == clients[1].ledger.content() == clients[2].ledger.content()
    for channel in (FIRST, SECOND):
        frontier = board.store.read_after(clients[0].ledger.vault, channel, 0, {}, 1 << 30).frontier
        assert frontier == clients[0].ledger.frontier(channel)


def test_commits_are_hashed_as_the_chain_names_them() -> None:
    ledger = replicas(found(), 1)[0]
    ledger.write()
    ledger.write()
    ledger.seal_pending()
    first, second = ledger.chains[FIRST][ledger.device]
    assert second[68:76] != first[68:76]
    assert commit_hash(first) in second


def test_a_refusal_of_what_was_given_up_since_is_no_fork(board: Switchboard) -> None:
    """Another copy has written; this replica has become another device before the relay's answer came."""

    class Renewing(MemoryLedger):
        released = 0

        def release(self, channel: bytes, device: bytes, seq: int) -> bool:
            self.released += 1
            return True

    family = found()
    ledger = Renewing(family.keys, family.roster, family.secrets)
    twin = MemoryLedger(family.keys, family.roster, family.secrets)
    client, other = Client(ledger), Client(twin)
    client.connect(board)
    run(board, [client])
    ledger.write()
    client.changed()  # on its way
    twin.write()
    other.connect(board)
    run(board, [other])
    assert client.line is not None and client.line.up
    ledger.chains[FIRST][ledger.device] = list(twin.chains[FIRST][twin.device])
    run(board, [client])
    assert ledger.released == 0
