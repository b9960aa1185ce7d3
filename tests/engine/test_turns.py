"""One turn of one vault: each signal counts once, whatever fails; and what fails again and again stops no other."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.engine.box import Box
from tests.engine.curating import LeafCurator, say, waiting
from vademecum.engine.formation import attempts, claims, signals
from vademecum.engine.formation.attempts import FIRST_DELAY_MS, GROUP_SIZES, MAX_ATTEMPTS, MAX_DELAY_MS
from vademecum.engine.formation.signals import Signal
from vademecum.engine.formation.turns import BUSY, Turn, Turned, is_waiting
from vademecum.errors import StorageTrouble
from vademecum.storage.boot_time import Moment
from vademecum.storage.tables import Table

LEASE = 5_000


class Desk:
    """A vault, a clock that the test sets, and turns of as many curators as wanted."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self.now = Moment("a boot", 1_000_000)
        self.settled = 0
        self._tokens = itertools.count()

    def turn(self, version: str = "1", box: Box | None = None, lease: int = LEASE) -> Turn:
        def settled() -> None:
            self.settled += 1

        def token() -> bytes:
            return next(self._tokens).to_bytes(16, "big")

        return Turn((box or self.box).replica, lambda: self.now, token, version, settled, lease)

    def take(self, curator: LeafCurator, limit: int = 64, version: str = "1") -> Turned:
        return self.turn(version).take(curator, limit)

    def curator(self, before: Callable[[Sequence[Signal]], object] = lambda group: None) -> LeafCurator:
        return LeafCurator(self.box.replica, before)

    def sleep(self, ms: int) -> None:
        self.now = Moment(self.now.boot, self.now.ms + ms)

    def said(self) -> list[object]:
        return sorted(map(str, self.box.values().values()))

    def parked(self) -> list[attempts.Parked]:
        with self.box.replica.read() as view:
            return attempts.parked(view.reader)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    box = Box(tmp_path / "a", 1)
    yield Desk(box)
    box.close()


def failing(*bad: str) -> Callable[[Sequence[Signal]], None]:
    """Fails whenever one of *bad*, ids of messages, is among a group."""

    def before(group: Sequence[Signal]) -> None:
        if any(one.id in bad for one in group):
            raise ValueError("the words of the message")

    return before


def test_signals_are_handled_oldest_first_by_session_and_counted(desk: Desk) -> None:
    say(desk.box.replica, "a", "one")
    say(desk.box.replica, "b", "two")
    say(desk.box.replica, "a", "three")
    curator = desk.curator()
    turned = desk.take(curator)
    assert [[one.session for one in group] for group in curator.seen] == [["session/a"] * 2, ["session/b"]]
    assert (turned.report.signals, turned.report.waiting, len(turned.report.memories)) == (3, 0, 3)
    assert (turned.busy, turned.next_ms, waiting(desk.box.replica)) == (False, None, 0)
    assert desk.said() == ["one", "three", "two"]
    assert desk.settled == 1


def test_a_turn_is_bounded_and_says_that_more_waits(desk: Desk) -> None:
    say(desk.box.replica, "a", *(str(number) for number in range(100)))
    turned = desk.take(desk.curator(), limit=30)
    assert (turned.report.signals, turned.report.waiting, turned.next_ms) == (30, 70, 0)
    assert desk.settled == 0
    while turned.next_ms == 0:
        turned = desk.take(desk.curator(), limit=30)
    assert len(desk.said()) == 100


def test_while_one_curates_another_finds_the_vault_busy(desk: Desk) -> None:
    say(desk.box.replica, "a", "one")
    found: list[Turned] = []
    other = desk.curator()
    turned = desk.take(desk.curator(lambda group: found.append(desk.take(other))))
    assert turned.report.signals == 1
    (busy,) = found
    assert (busy.busy, busy.report.notes, busy.report.waiting) == (True, (BUSY,), 1)
    assert busy.next_ms == LEASE and other.seen == []


@pytest.mark.parametrize("years", [-40, 40])
def test_no_jump_of_the_wall_clock_frees_or_holds_a_claim(desk: Desk, years: int) -> None:
    bad, _ = say(desk.box.replica, "a", "one", "two")
    killed(desk, bad, sleep=0)
    desk.box.wall += years * 365 * 86_400_000
    assert desk.take(desk.curator()).busy
    desk.sleep(LEASE)
    assert desk.take(desk.curator()).report.signals == 2


def test_whoever_lost_its_claim_writes_nothing_and_the_other_has_it_once(desk: Desk) -> None:
    say(desk.box.replica, "a", "one", "two")

    def overtaken(group: Sequence[Signal]) -> None:
        desk.sleep(LEASE)
        assert desk.take(desk.curator()).report.signals == 2
        say(desk.box.replica, "b", "three")  # which is given the number of one that is gone

    turned = desk.take(desk.curator(overtaken))
    assert turned.report.signals == 0 and "its claim had run out" in turned.report.notes[0]
    assert (turned.report.waiting, waiting(desk.box.replica)) == (1, 1)
    assert desk.take(desk.curator()).report.signals == 1
    changes = [change.value for change in desk_log(desk)]
    assert sorted(changes) == ["one", "three", "two"]


def desk_log(desk: Desk) -> list[object]:
    from vademecum.engine import audit
    from vademecum.engine.sight import Sight

    with desk.box.replica.read() as view:
        return [one for one in audit.log(Sight(view, None)) if one.scope == "user.public"]


def test_a_slow_group_keeps_its_claim(desk: Desk) -> None:
    """The lease is renewed while somebody thinks: real time here, for what renews it is a thread."""
    import time

    from vademecum.storage import boot_time

    say(desk.box.replica, "a", "one")
    token = itertools.count()

    def turn() -> Turn:
        return Turn(
            desk.box.replica, boot_time.now, lambda: next(token).to_bytes(16, "big"), "1", lambda: None, lease_ms=150
        )

    busy: list[bool] = []

    def slow(group: Sequence[Signal]) -> None:
        for _ in range(4):
            time.sleep(0.1)
            busy.append(turn().take(desk.curator()).busy)

    assert turn().take(desk.curator(slow)).report.signals == 1
    assert busy == [True] * 4


def test_a_message_that_fails_is_parked_in_the_end_and_stops_no_other(desk: Desk) -> None:
    ids = say(desk.box.replica, "a", *(str(number) for number in range(70)))
    curator = desk.curator(failing(ids[40]))
    turned = desk.take(curator, limit=200)
    assert turned.report.signals == 6 and "ValueError" in turned.report.notes[0]
    turned = desk.take(curator, limit=200)
    assert turned.report.signals == 56
    assert turned.next_ms == FIRST_DELAY_MS
    assert desk.take(curator).report.signals == 0
    waits = []
    while turned.next_ms is not None:
        desk.sleep(turned.next_ms)
        waits.append(turned.next_ms)
        turned = desk.take(curator)
        assert all(len(group) == 1 for group in curator.seen[-8:])
    assert waits == [min(FIRST_DELAY_MS << n, MAX_DELAY_MS) for n in range(MAX_ATTEMPTS - 2)]
    (parked,) = desk.parked()
    assert (parked.id, parked.attempts, parked.version, parked.reason) == (ids[40], MAX_ATTEMPTS, "1", "ValueError")
    assert len(desk.said()) == 69 and waiting(desk.box.replica) == 0
    assert not is_waiting(desk.box.replica, "1")


def parked_one(desk: Desk) -> str:
    (message,) = say(desk.box.replica, "a", "one")
    for _ in range(MAX_ATTEMPTS):
        desk.take(desk.curator(failing(message)))
        desk.sleep(MAX_DELAY_MS)
    assert [one.id for one in desk.parked()] == [message]
    return message


def test_what_is_parked_is_tried_again_by_another_version(desk: Desk) -> None:
    message = parked_one(desk)
    assert is_waiting(desk.box.replica, "2")
    turned = desk.take(desk.curator(), version="2")
    assert (turned.report.signals, desk.said(), desk.parked()) == (1, ["one"], [])
    assert message.startswith("session/a:")


def test_what_is_parked_is_tried_again_on_request(desk: Desk) -> None:
    message = parked_one(desk)
    assert desk.take(desk.curator()).report.signals == 0
    assert desk.box.replica.write(lambda transaction: attempts.unpark(transaction.writer, version=None)) == 1
    desk.take(desk.curator(failing(message)))
    assert desk.parked() == [], "it has as many attempts as a new one"
    assert desk.take(desk.curator()).report.signals == 1


def test_with_a_session_that_is_forgotten_go_its_signals_those_given_up_as_well(desk: Desk) -> None:
    parked_one(desk)
    (again,) = say(desk.box.replica, "a", "two")
    say(desk.box.replica, "b", "three")
    desk.take(desk.curator(failing(again)))
    desk.box.user.forget_session("a")
    assert desk.parked() == [] and waiting(desk.box.replica) == 0
    with desk.box.replica.read() as view:
        assert not view.reader.has(Table.META, b"curation/attempt/") and not view.reader.has(Table.META, b"curation/p")


def test_two_parked_signals_of_one_number_stand_side_by_side(desk: Desk) -> None:
    first, second = parked_one(desk), ""
    (second,) = say(desk.box.replica, "b", "two")
    for _ in range(MAX_ATTEMPTS):
        desk.take(desk.curator(failing(second)))
        desk.sleep(MAX_DELAY_MS)
    assert [one.id for one in desk.parked()] == [first, second]


def test_an_attempt_is_not_counted_against_another_message_of_its_number(desk: Desk) -> None:
    (message,) = say(desk.box.replica, "a", "one")
    for _ in range(2):
        desk.take(desk.curator(failing(message)))
    desk.box.replica.write(lambda t: signals.done(t.writer, signals.waiting(t.writer, 9)))  # forgotten meanwhile
    say(desk.box.replica, "a", "two")
    assert desk.take(desk.curator()).report.signals == 1


class Killed(BaseException):
    """What a kill looks like to the database: nothing more is written."""


def killed(desk: Desk, bad: str, *, sleep: int = LEASE) -> None:
    """A curator claims, and dies when it considers *bad*; its lease runs out."""

    def die(group: Sequence[Signal]) -> None:
        if any(one.id == bad for one in group):
            raise Killed

    with pytest.raises(Killed), pytest.MonkeyPatch.context() as patch:
        patch.setattr(Turn, "_release", lambda self, claim: None)
        desk.turn().take(desk.curator(die))
    desk.sleep(sleep)


def test_a_killed_curator_is_replaced_and_what_it_had_at_work_is_taken_up(desk: Desk) -> None:
    bad, _ = say(desk.box.replica, "a", "one", "two")
    killed(desk, bad, sleep=LEASE - 1)
    assert desk.take(desk.curator()).busy
    desk.sleep(1)
    assert desk.take(desk.curator()).report.signals == 2
    assert desk.said() == ["one", "two"]


def test_a_message_that_kills_its_curator_each_time_is_parked_and_stops_no_other(desk: Desk) -> None:
    (bad,) = say(desk.box.replica, "a", "one")
    say(desk.box.replica, "b", "two")
    for _ in range(MAX_ATTEMPTS):
        assert desk.parked() == []
        killed(desk, bad)
        desk.take(desk.curator(), limit=0)  # finds that the one before it fell silent
        assert desk.settled == 0
        desk.sleep(MAX_DELAY_MS)
    assert desk.take(desk.curator()).report.signals == 1
    assert desk.said() == ["two"] and waiting(desk.box.replica) == 0
    assert [(one.id, one.reason) for one in desk.parked()] == [(bad, attempts.KILLED)]


def test_what_cannot_be_read_this_time_waits_a_minute_and_never_fails(desk: Desk) -> None:
    say(desk.box.replica, "a", "one", "two", "three")
    away = [True]
    curator = LeafCurator(desk.box.replica, read=lambda signal: not away[0] or signal.seq == 1)
    for expected in (1, *[0] * (2 * MAX_ATTEMPTS)):
        turned = desk.take(curator)
        assert (turned.report.signals, turned.next_ms) == (expected, FIRST_DELAY_MS)
        desk.sleep(FIRST_DELAY_MS)
    away[0] = False
    assert desk.take(curator).report.signals == 2
    assert desk.parked() == []


def test_trouble_with_the_disk_is_no_fault_of_the_message(desk: Desk) -> None:
    say(desk.box.replica, "a", "one")

    def full(group: Sequence[Signal]) -> None:
        raise StorageTrouble("the disk is full")

    for _ in range(2 * MAX_ATTEMPTS):
        with pytest.raises(StorageTrouble):
            desk.take(desk.curator(full))
    assert desk.take(desk.curator()).report.signals == 1


def test_a_turn_that_is_stopped_ends_between_two_groups_and_gives_the_claim_back(desk: Desk) -> None:
    for session in "abc":
        say(desk.box.replica, session, "one")
    curator = desk.curator()
    turned = desk.turn().take(curator, stop=lambda: len(curator.seen) == 1)
    assert (turned.report.signals, turned.report.waiting) == (1, 2)
    assert desk.take(desk.curator()).report.signals == 2


def test_a_group_is_as_large_as_its_signals_have_earned(desk: Desk) -> None:
    say(desk.box.replica, "a", *(str(number) for number in range(2 * GROUP_SIZES[0] + 1)))
    curator = desk.curator()
    desk.take(curator, limit=1000)
    assert [len(group) for group in curator.seen] == [GROUP_SIZES[0], GROUP_SIZES[0], 1]


def test_the_queue_is_left_alone_by_those_who_only_look(desk: Desk) -> None:
    say(desk.box.replica, "a", "one")
    assert is_waiting(desk.box.replica, "1")
    with desk.box.replica.read() as view:
        assert claims.running(view.reader, desk.now) is None
    assert waiting(desk.box.replica) == 1
