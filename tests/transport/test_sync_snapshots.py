"""Contracts of the sync machine where channels are renewed by snapshots, against the relay's own machine and store."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.transport.family import found
from tests.transport.memory_ledger import FIRST, SECOND, MemoryLedger, replicas
from tests.transport.wire import Client, Switchboard, mangling, run
from vademecum.errors import PeerFault
from vademecum.transport import frames
from vademecum.transport.frames import BEGINNING, Frame, decode, encode
from vademecum.transport.relay.lmdb_store import LmdbStore
from vademecum.transport.sync import State


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Switchboard]:
    one = Switchboard(LmdbStore.open(tmp_path / "relay", initial_map=4 << 20))
    yield one
    one.store.close()


def clients(count: int) -> list[Client]:
    return [Client(ledger) for ledger in replicas(found(), count)]


def meet(board: Switchboard, *some: Client) -> None:
    for client in some:
        if client.line is None:
            client.connect(board)
    run(board, some)


def part(board: Switchboard, *some: Client) -> None:
    for client in some:
        client.hang_up(board)


def tell(board: Switchboard, *some: Client) -> None:
    for client in some:
        client.changed()
    run(board, some)


def compact(board: Switchboard, client: Client, channel: bytes = FIRST) -> None:
    """What a device does that has forgotten something there."""
    client.ledger.due.add(channel)
    tell(board, client)


def codes(client: Client) -> set[str]:
    return {problem.code for problem in client.sync.problems}


def in_step(board: Switchboard, *some: Client) -> None:
    """All devices are synced without a problem left, hold the same facts, and build on what the relay builds on."""
    for client in some:
        assert client.sync.state is State.SYNCED
        for channel in client.ledger.channels():
            assert client.ledger.facts[channel] == some[0].ledger.facts[channel]
            assert client.ledger.base(channel) == board.store.base(client.ledger.vault, channel)
            held = board.store.read_after(client.ledger.vault, channel, 0, {}, 1 << 30)
            assert held.frontier == client.ledger.frontier(channel)


def log(board: Switchboard, client: Client, channel: bytes = FIRST) -> int:
    return len(board.store.read_after(client.ledger.vault, channel, 0, {}, 1 << 30).entries)


def test_a_snapshot_that_is_due_takes_the_place_of_the_log_and_is_adopted_by_all(board: Switchboard) -> None:
    laptop, phone = clients(2)
    for _ in range(5):
        laptop.ledger.write()
    phone.ledger.write()
    meet(board, laptop, phone)
    compact(board, laptop)
    run(board, [laptop, phone])
    in_step(board, laptop, phone)
    assert log(board, laptop) == 0
    assert laptop.ledger.base(FIRST)[0] == 1
    assert laptop.ledger.adopted == phone.ledger.adopted == 1
    for client in (laptop, phone):
        client.ledger.write()
        tell(board, client)
        run(board, [laptop, phone])
    in_step(board, laptop, phone)
    assert log(board, laptop) == 2


def test_one_that_joins_gets_the_snapshot_and_what_came_after_it(board: Switchboard) -> None:
    laptop, phone, tablet = clients(3)
    laptop.ledger.write()
    phone.ledger.write()
    meet(board, laptop, phone)
    compact(board, laptop)
    phone.ledger.write()
    phone.ledger.write(SECOND)
    tell(board, phone)
    meet(board, tablet)
    run(board, [laptop, phone, tablet])
    in_step(board, laptop, phone, tablet)
    assert len(tablet.ledger.facts[FIRST]) == 3
    assert len(tablet.ledger.chains[FIRST][phone.ledger.device]) == 1


def test_a_large_snapshot_travels_in_parts_of_which_few_are_on_their_way_at_a_time(board: Switchboard) -> None:
    laptop, phone = clients(2)
    for _ in range(6):
        laptop.ledger.write(FIRST, os.urandom(600_000))
    meet(board, laptop)
    laptop.ledger.due.add(FIRST)
    laptop.changed()
    most = 0
    while laptop.step(board):
        assert laptop.line is not None
        waiting = sum(isinstance(decode(message), frames.Offer) for message in laptop.line.up)
        most = max(most, waiting)
    assert most == 4
    meet(board, phone)
    in_step(board, laptop, phone)


@pytest.mark.parametrize("generations", [1, 3])
def test_a_device_that_was_away_with_sealed_and_unsealed_changes_says_them_anew(
    board: Switchboard, generations: int
) -> None:
    laptop, phone = clients(2)
    laptop.ledger.write()
    phone.ledger.write()
    meet(board, laptop, phone)
    part(board, phone)
    phone.ledger.write()
    phone.ledger.seal_pending()
    phone.ledger.write()
    mine = {fact for fact in phone.ledger.facts[FIRST] if fact[0] == phone.ledger.device}
    for _ in range(generations):
        laptop.ledger.write()
        compact(board, laptop)
    assert laptop.ledger.base(FIRST)[0] == generations
    meet(board, phone)
    run(board, [laptop, phone])
    in_step(board, laptop, phone)
    assert mine < laptop.ledger.facts[FIRST]
    assert len(laptop.ledger.facts[FIRST]) == 4 + generations
    assert codes(phone) == set()


def test_of_two_devices_that_offer_at_once_one_wins_and_the_other_adopts(board: Switchboard) -> None:
    laptop, phone = clients(2)
    laptop.ledger.write(FIRST, os.urandom(900_000))
    phone.ledger.write()
    meet(board, laptop, phone)
    for client in (laptop, phone):
        client.ledger.due.add(FIRST)
        client.changed()
    run(board, [laptop, phone], random.Random(4))
    in_step(board, laptop, phone)
    assert laptop.ledger.base(FIRST)[0] == 1
    assert codes(laptop) == codes(phone) == set()


def test_a_commit_that_meets_another_generation_at_the_relay_is_said_anew(board: Switchboard) -> None:
    laptop, phone = clients(2)
    laptop.ledger.write()
    meet(board, laptop, phone)
    compact(board, laptop)
    phone.ledger.write()
    phone.changed()  # sent before the phone has heard of the snapshot
    run(board, [laptop, phone])
    in_step(board, laptop, phone)
    assert len(laptop.ledger.facts[FIRST]) == 2
    assert codes(phone) == set()


def test_an_offer_behind_what_another_device_has_pushed_meanwhile_is_made_again(board: Switchboard) -> None:
    laptop, phone = clients(2)
    laptop.ledger.write(FIRST, os.urandom(900_000))
    meet(board, laptop, phone)
    laptop.ledger.due.add(FIRST)
    laptop.changed()
    laptop.step(board)  # the first part has arrived
    phone.ledger.write()
    tell(board, phone)
    run(board, [laptop, phone])
    in_step(board, laptop, phone)
    assert laptop.ledger.base(FIRST)[0] == 1


def test_a_device_that_dies_between_being_accepted_and_adopting_adopts_when_it_returns(board: Switchboard) -> None:
    laptop, phone = clients(2)
    laptop.ledger.write()
    phone.ledger.write()
    meet(board, laptop, phone)
    laptop.ledger.due.add(FIRST)
    laptop.changed()
    assert laptop.line is not None
    while laptop.line.up:
        board.take(laptop.line, laptop.line.up.popleft())
    assert board.store.base(laptop.ledger.vault, FIRST)[0] == 1
    part(board, laptop)
    assert laptop.ledger.base(FIRST) == BEGINNING
    laptop.ledger.write()
    meet(board, laptop)
    run(board, [laptop, phone])
    in_step(board, laptop, phone)
    assert len(phone.ledger.facts[FIRST]) == 3


def test_an_empty_relay_gets_a_snapshot_from_the_first_device_that_comes(board: Switchboard, tmp_path: Path) -> None:
    laptop, phone = clients(2)
    laptop.ledger.write()
    phone.ledger.write()
    meet(board, laptop, phone)
    compact(board, laptop)
    run(board, [laptop, phone])
    part(board, laptop, phone)
    phone.ledger.write()
    anew = Switchboard(LmdbStore.open(tmp_path / "new"))
    try:
        meet(anew, laptop)
        in_step(anew, laptop)
        assert laptop.ledger.base(FIRST)[0] == 2
        meet(anew, phone)
        run(anew, [laptop, phone])
        in_step(anew, laptop, phone)
        assert len(laptop.ledger.facts[FIRST]) == 3
    finally:
        anew.store.close()


def set_back(board: Switchboard, backup: Path, folder: Path) -> Switchboard:
    """The relay as it was when *backup* was made."""
    board.store.close()
    shutil.copytree(backup, folder)
    board.__init__(LmdbStore.open(folder))  # type: ignore[misc]  # the fixture closes this one
    return board


def backed_up(board: Switchboard, tmp_path: Path) -> Path:
    store = board.store
    folder = tmp_path / "relay"
    store.close()
    shutil.copytree(folder, tmp_path / "backup")
    board.__init__(LmdbStore.open(folder))  # type: ignore[misc]
    return tmp_path / "backup"


def test_a_relay_set_back_before_a_snapshot_gets_a_later_one(board: Switchboard, tmp_path: Path) -> None:
    laptop, phone = clients(2)
    laptop.ledger.write()
    phone.ledger.write()
    meet(board, laptop, phone)
    part(board, laptop, phone)
    backup = backed_up(board, tmp_path)
    meet(board, laptop, phone)
    laptop.ledger.write()
    compact(board, laptop)
    run(board, [laptop, phone])
    part(board, laptop, phone)
    set_back(board, backup, tmp_path / "old")
    phone.ledger.write()
    meet(board, phone)
    assert codes(phone) == {"relay-rewound"}
    meet(board, laptop)
    run(board, [laptop, phone])
    in_step(board, laptop, phone)
    assert laptop.ledger.base(FIRST)[0] == 2
    assert len(laptop.ledger.facts[FIRST]) == 4


@pytest.mark.parametrize("connected", [True, False])
def test_devices_on_both_sides_of_a_relay_that_was_set_back_are_brought_together(
    board: Switchboard, tmp_path: Path, connected: bool
) -> None:
    """One builds on a snapshot that is lost; another one has written at the relay since, without having seen it."""
    laptop, phone, tablet = clients(3)
    for client in (laptop, phone, tablet):
        client.ledger.write()
    meet(board, laptop, phone, tablet)
    part(board, laptop, phone, tablet)
    backup = backed_up(board, tmp_path)
    phone.ledger.write()
    meet(board, laptop, phone)
    compact(board, laptop)
    run(board, [laptop, phone])
    part(board, laptop, phone)
    set_back(board, backup, tmp_path / "old")
    tablet.ledger.write()
    meet(board, tablet)
    in_step(board, tablet)
    if not connected:
        part(board, tablet)
    meet(board, laptop)
    assert codes(laptop) >= {"relay-rewound"}
    if not connected:
        part(board, laptop)
        meet(board, tablet)
        meet(board, laptop)
    run(board, [laptop, tablet])
    meet(board, phone)
    run(board, [laptop, tablet, phone])
    in_step(board, laptop, tablet, phone)
    assert len(laptop.ledger.facts[FIRST]) == 5


def test_what_only_a_third_device_still_holds_of_another_survives_a_relay_that_was_set_back(
    board: Switchboard, tmp_path: Path
) -> None:
    """The phone's last commit reached the laptop; the relay forgot it, renewed the channel without it; the phone is
    gone for good.
    """
    laptop, phone, tablet = clients(3)
    phone.ledger.write()
    meet(board, laptop, phone, tablet)
    part(board, laptop, phone, tablet)
    backup = backed_up(board, tmp_path)
    phone.ledger.write()
    meet(board, laptop, phone)
    part(board, laptop, phone)
    set_back(board, backup, tmp_path / "old")
    meet(board, tablet)
    compact(board, tablet)
    assert len(tablet.ledger.facts[FIRST]) == 1
    meet(board, laptop)
    run(board, [laptop, tablet])
    in_step(board, laptop, tablet)
    assert len(tablet.ledger.facts[FIRST]) == 2
    assert tablet.ledger.base(FIRST)[0] == 2


def test_two_snapshots_of_one_generation_from_two_relays_are_merged(board: Switchboard, tmp_path: Path) -> None:
    laptop, phone = clients(2)
    laptop.ledger.write()
    phone.ledger.write()
    meet(board, laptop, phone)
    part(board, laptop, phone)
    other = Switchboard(LmdbStore.open(tmp_path / "other"))
    try:
        meet(other, phone)
        phone.ledger.write()
        compact(other, phone)
        part(other, phone)
        meet(board, laptop)
        laptop.ledger.write()
        compact(board, laptop)
        assert phone.ledger.base(FIRST)[0] == laptop.ledger.base(FIRST)[0] == 1
        assert phone.ledger.base(FIRST) != laptop.ledger.base(FIRST)
        meet(board, phone)
        run(board, [laptop, phone])
        in_step(board, laptop, phone)
        assert len(phone.ledger.facts[FIRST]) == 4
    finally:
        other.store.close()


def test_a_snapshot_that_does_not_verify_changes_nothing_and_is_not_fetched_in_a_loop(board: Switchboard) -> None:
    laptop, phone = clients(2)
    laptop.ledger.write()
    phone.ledger.write()
    meet(board, laptop, phone)
    compact(board, laptop)
    before = phone.ledger.content(), set(phone.ledger.facts[FIRST])
    seen: list[int] = []

    def forge(message: bytes) -> Iterable[bytes]:
        frame = decode(message)
        if isinstance(frame, frames.Part):
            seen.append(1)
            return [encode(frames.Part(frame.channel, frame.part[:-1] + bytes([frame.part[-1] ^ 1])))]
        return [message]

    while phone.step(board, forge):
        pass
    assert phone.sync.state is State.BLOCKED
    assert codes(phone) == {"bad-signature"}
    assert (phone.ledger.content(), phone.ledger.facts[FIRST]) == before
    assert len(seen) == 1
    part(board, phone)
    meet(board, phone)
    in_step(board, laptop, phone)


def test_a_snapshot_is_refused_by_the_relay_for_a_stranger_another_vault_and_altered_bytes(board: Switchboard) -> None:
    laptop, phone = clients(2)
    laptop.ledger.write()
    meet(board, laptop, phone)
    others = found(salt=b"s" * 16)
    elsewhere = MemoryLedger(laptop.ledger.keys, others.roster, others.secrets)
    elsewhere.facts, elsewhere.chains = laptop.ledger.facts, laptop.ledger.chains
    (good,), (foreign,) = (one.make_snapshot(FIRST, 1) for one in (laptop.ledger, elsewhere))
    line = laptop.line
    assert line is not None
    for bad, reason in (
        (foreign, "wrong-vault"),
        (good[:-1] + bytes([good[-1] ^ 1]), "bad-signature"),
        (good[:36] + bytes(16) + good[52:], "stranger"),
        (b"no part", "malformed"),
    ):
        board.take(line, encode(frames.Offer(bad)))
        answer = decode(line.down.pop())
        assert isinstance(answer, frames.Declined | frames.Refused)
        assert answer.reason == reason
    assert board.store.base(laptop.ledger.vault, FIRST) == BEGINNING
    assert log(board, laptop) == 1


def test_offers_that_are_declined_again_and_again_rest_until_the_next_check(board: Switchboard) -> None:
    laptop, phone = clients(2)
    laptop.ledger.write()
    meet(board, laptop, phone)
    offers: list[int] = []

    def decline(message: bytes) -> Iterable[bytes]:
        frame = decode(message)
        if isinstance(frame, frames.Offer):
            offers.append(1)
            assert laptop.line is not None
            laptop.line.down.append(encode(frames.Declined(FIRST, 1, "behind", "The relay holds more.")))
            return []
        return [message]

    laptop.ledger.due.add(FIRST)
    laptop.changed()
    while laptop.step(board, decline):
        pass
    assert len(offers) == 3
    assert codes(laptop) == set()
    assert laptop.sync.state is State.SYNCED, "the two sides hold the same all the same"
    assert laptop.line is not None
    laptop.line.up.extend(laptop.sync.check())
    run(board, [laptop])
    assert laptop.ledger.base(FIRST)[0] == 1


def test_a_device_ahead_of_a_relay_that_goes_on_declining_says_so_in_words(board: Switchboard, tmp_path: Path) -> None:
    (laptop,) = clients(1)
    laptop.ledger.write()
    meet(board, laptop)
    compact(board, laptop)
    part(board, laptop)
    anew = Switchboard(LmdbStore.open(tmp_path / "new"))
    try:
        laptop.connect(anew)

        def decline(message: bytes) -> Iterable[bytes]:
            if isinstance(decode(message), frames.Offer):
                assert laptop.line is not None
                laptop.line.down.append(encode(frames.Declined(FIRST, 2, "behind", "The relay holds more.")))
                return []
            return [message]

        while laptop.step(anew, decline):
            pass
        assert laptop.sync.state is State.BLOCKED
        assert [problem.message for problem in laptop.sync.problems if problem.code == "refused:behind"] == [
            "The relay holds more."
        ]
    finally:
        anew.store.close()


def test_answers_about_snapshots_that_nobody_asked_for_are_faults_of_the_peer(board: Switchboard) -> None:
    (laptop,) = clients(1)
    laptop.ledger.write()
    meet(board, laptop)
    (whole,) = laptop.ledger.make_snapshot(FIRST, 1)
    wrong: list[Frame] = [
        frames.Staged(FIRST, 0),
        frames.Declined(FIRST, 1, "behind", "no"),
        frames.Part(FIRST, whole),
        frames.Part(SECOND, whole),
    ]
    for frame in wrong:
        with pytest.raises(PeerFault):
            laptop.sync.receive([encode(frame)])
    assert laptop.ledger.adopted == 0


@pytest.mark.parametrize("seed", range(8))
def test_replicas_converge_over_bad_lines_while_channels_are_renewed(
    board: Switchboard, tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    some = clients(3)
    mangle, held = mangling(rng, 0.04, 0.03, 0.03)
    said: dict[bytes, set[tuple[bytes, bytes]]] = {FIRST: set(), SECOND: set()}

    for _ in range(300):
        client = rng.choice(some)
        what = rng.random()
        if client.line is None:
            held.clear()
            client.connect(board)
        elif what < 0.05:
            client.hang_up(board)
        elif what < 0.2:
            channel, content = rng.choice([FIRST, SECOND]), os.urandom(40)
            said[channel].add((client.ledger.device, content.ljust(64, b"\0")))
            client.ledger.write(channel, content)
            client.changed()
        elif what < 0.25:
            client.ledger.due.add(rng.choice([FIRST, SECOND]))
            client.changed()
        elif what < 0.26:
            for each in some:
                each.hang_up(board)
            board.store.close()
            board.__init__(LmdbStore.open(tmp_path / "relay"))  # type: ignore[misc]
        else:
            for _ in range(rng.randrange(8)):
                client.step(board, mangle)
    for _ in range(2):
        part(board, *some)
        meet(board, *some)
        run(board, some)
    in_step(board, *some)
    for channel, facts in said.items():
        assert some[0].ledger.facts.get(channel, set()) == facts
    assert any(client.ledger.adopted for client in some)
