"""How the devices of a fleet meet: hand to hand, or over a relay; and what must hold when they have."""

from __future__ import annotations

import random
from pathlib import Path

from tests.simulation.fleet import Fleet, Member
from tests.transport.wire import Client, Switchboard, run
from vademecum.transport.relay.store import LmdbStore
from vademecum.transport.sync import State

__all__ = ["check_seed"]

BATCH = 20_000
"""Bytes of commits handed over at a time."""


def check_seed(seed: int, folder: Path, steps: int = 60) -> None:
    """Lets a small world run, heals it, and compares every device with the model. Raises AssertionError."""
    rng = random.Random(seed)
    fleet = Fleet(folder, rng, size=rng.choice([2, 3, 3, 4]))
    try:
        if seed % 2:
            _by_hand(fleet, steps)
        else:
            _by_relay(fleet, steps, folder)
        _check(fleet)
        if seed % 2 == 0:
            # A relay passes a commit on after those that its author held. By hand a removal may come before what it
            # removes, which then enters no history.
            for member in fleet.members:
                member.check_journal()
    finally:
        fleet.close()


def _check(fleet: Fleet) -> None:
    expected = fleet.truth.tree()
    for member in fleet.members:
        assert member.tree() == expected
        member.check_documents()


# --- hand to hand: any commits, in any order, twice --------------------------------------------------------------


def _by_hand(fleet: Fleet, steps: int) -> None:
    rng = fleet.rng
    for _ in range(steps):
        fleet.act(rng.choice(fleet.members))
        if rng.random() < 0.3:
            giver, taker = rng.sample(fleet.members, 2)
            _hand_over(giver, taker, rng, whole=False)
    for _ in fleet.members:  # a sweep that answers a statement is passed on in the next round
        for giver in fleet.members:
            for taker in fleet.members:
                if giver is not taker:
                    _hand_over(giver, taker, rng, whole=True)


def _hand_over(giver: Member, taker: Member, rng: random.Random, *, whole: bool) -> None:
    giver.ledger.seal_pending()
    for channel in giver.ledger.channels():
        have = {} if rng.random() < 0.2 else {who: seq for who, (seq, _) in taker.ledger.frontier(channel).items()}
        commits = list(giver.ledger.commits_lacking(channel, have, 1 << 30 if whole else BATCH))
        if not whole:
            rng.shuffle(commits)
            commits = commits[: rng.randrange(len(commits) + 1)] + rng.choices(commits, k=1 if commits else 0)
        while commits:
            batch, commits = commits[:5], commits[5:]
            received = taker.ledger.receive(channel, bytes(16), [(0, one) for one in batch], 0)
            assert received.quarantined == (), received.quarantined


# --- over a relay: connections that end at any message, a relay that starts again --------------------------------


def _by_relay(fleet: Fleet, steps: int, folder: Path) -> None:
    rng = fleet.rng
    store = LmdbStore.open(folder / "relay")
    try:
        board = Switchboard(store)
        clients = {member: _client(member) for member in fleet.members}
        for _ in range(steps):
            member = rng.choice(fleet.members)
            fleet.act(member)
            if clients[member].ledger is not member.ledger:  # the process is another one now
                line = clients[member].line
                if line is not None:
                    board.hang_up(line)
                clients[member] = _client(member)
            client = clients[member]
            if client.line is None and rng.random() < 0.4:
                client.connect(board)
            elif rng.random() < 0.5:
                client.changed()
            for _ in range(rng.randrange(40)):
                rng.choice(list(clients.values())).step(board)
            if rng.random() < 0.1:
                client.hang_up(board)
            if rng.random() < 0.03:
                for each in clients.values():
                    each.hang_up(board)
                board = Switchboard(store)
        for _ in fleet.members:
            for each in clients.values():
                each.hang_up(board)
            for each in clients.values():
                each.connect(board)
            run(board, clients.values(), rng)
            for each in clients.values():
                each.changed()
            run(board, clients.values(), rng)
        for each in clients.values():
            assert each.sync.state is State.SYNCED and each.sync.problems == ()
            each.hang_up(board)
    finally:
        store.close()


def _client(member: Member) -> Client:
    return Client(member.ledger)  # type: ignore[arg-type]  # any ledger does
