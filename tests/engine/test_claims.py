"""One curator at a time: who has the claim, for how long, and what whoever has lost it can still write."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vademecum.engine.formation import claims
from vademecum.engine.formation.claims import LEASE_MS, MAX_LEASE_MS, Claim, Running
from vademecum.errors import ClaimLost
from vademecum.storage import boot_time
from vademecum.storage.boot_time import Moment
from vademecum.storage.environment import Environment
from vademecum.storage.transaction import Writer

START = Moment("a boot", 1_000_000)
WALL = 1_790_000_000_000


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[Environment]:
    made = Environment.create(tmp_path / "database")
    yield made
    made.close()


def later(ms: int, boot: str = START.boot) -> Moment:
    return Moment(boot, START.ms + ms)


def take(environment: Environment, now: Moment, token: bytes = b"a") -> Claim | None:
    return environment.write(lambda writer: claims.take(writer, now, token, wall_ms=WALL))


def taken(environment: Environment, now: Moment = START, token: bytes = b"a") -> Claim:
    claim = take(environment, now, token)
    assert claim is not None
    return claim


def lost(environment: Environment, work: Callable[[Writer], object]) -> bool:
    try:
        environment.write(work)
    except ClaimLost:
        return True
    return False


def running(environment: Environment, now: Moment) -> Running | None:
    with environment.read() as reader:
        return claims.running(reader, now)


def test_one_has_it_until_it_is_released(environment: Environment) -> None:
    claim = taken(environment)
    assert take(environment, later(1), b"b") is None
    assert running(environment, later(1)) == Running(1, 0, WALL, LEASE_MS - 1)
    environment.write(lambda writer: claims.release(writer, claim))
    assert running(environment, later(2)) is None
    assert lost(environment, lambda writer: claims.check(writer, claim))
    assert taken(environment, later(2), b"b").fence == 2


def test_a_silent_holder_is_replaced_after_the_lease_and_writes_nothing_more(environment: Environment) -> None:
    first = taken(environment)
    environment.write(lambda writer: claims.renew(writer, first, START, [7, 8]))
    assert take(environment, later(LEASE_MS - 1), b"b") is None
    environment.write(lambda writer: claims.check(writer, first))
    second = taken(environment, later(LEASE_MS), b"b")
    assert (second.fence, second.abandoned) == (2, (7, 8))
    for step in (claims.check, claims.release):
        assert lost(environment, lambda writer, step=step: step(writer, first))
    assert lost(environment, lambda writer: claims.renew(writer, first, later(LEASE_MS)))
    environment.write(lambda writer: claims.check(writer, second))


def test_a_lease_that_is_over_and_that_nobody_took_goes_on(environment: Environment) -> None:
    claim = taken(environment)
    environment.write(lambda writer: claims.renew(writer, claim, later(10 * LEASE_MS)))
    assert take(environment, later(11 * LEASE_MS - 1), b"b") is None


def test_what_ran_out_by_itself_is_told_from_what_was_released(environment: Environment) -> None:
    claim = taken(environment)

    def left(now: Moment) -> bool:
        with environment.read() as reader:
            return claims.left_behind(reader, now)

    assert not left(later(1)) and left(later(LEASE_MS))
    environment.write(lambda writer: claims.release(writer, claim))
    assert not left(later(LEASE_MS))


def test_a_claim_of_before_a_restart_is_void_at_once(environment: Environment) -> None:
    taken(environment)
    assert taken(environment, Moment("another boot", 5), b"b").fence == 2


def test_where_no_start_of_the_machine_is_known_a_claim_of_the_future_is_one_of_before(
    environment: Environment,
) -> None:
    taken(environment, Moment("", 1_000_000))
    assert take(environment, Moment("", 1_000_001), b"b") is None
    assert taken(environment, Moment("", 5), b"b").fence == 2, "the machine has started anew"
    assert taken(environment, Moment("", 5 + LEASE_MS), b"c").fence == 3


def test_a_claim_that_would_last_too_long_was_written_under_another_clock(environment: Environment) -> None:
    taken(environment, later(2 * MAX_LEASE_MS))
    assert taken(environment, START, b"b").fence == 2


def test_a_claim_belongs_to_no_fork(environment: Environment) -> None:
    claim = taken(environment)
    child = Claim(claim.fence, claim.token, claim.lease_ms, process=os.getpid() + 1)
    assert lost(environment, lambda writer: claims.check(writer, child))
    environment.write(lambda writer: claims.check(writer, claim))


def test_a_claim_outlives_the_replacing_of_the_database(environment: Environment) -> None:
    claim = taken(environment)
    environment.replace()
    assert take(environment, later(1), b"b") is None
    environment.write(lambda writer: claims.release(writer, claim))


Steps = list[tuple[str, int, int]]


@given(st.lists(st.tuples(st.sampled_from("tcr"), st.integers(0, 2), st.integers(0, LEASE_MS)), max_size=30))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_never_two_at_once_and_the_fence_only_grows(environment: Environment, steps: Steps) -> None:
    """Three would-be curators, in any order, with any pauses: of all claims given out, at most the last one is good."""

    def refused(work: Callable[[], object]) -> bool:
        try:
            work()
        except ClaimLost:
            return True
        return False

    def run(writer: Writer) -> None:
        given_out: list[Claim] = []
        at = 0
        for what, who, pause in steps:
            at += pause
            if what == "t":
                claim = claims.take(writer, later(at), bytes([who]), wall_ms=WALL)
                if claim is not None:
                    assert not given_out or claim.fence > given_out[-1].fence
                    given_out.append(claim)
            elif given_out and what == "c":
                refused(lambda at=at: claims.renew(writer, given_out[-1], later(at)))
            elif given_out:
                refused(lambda who=who: claims.release(writer, given_out[who % len(given_out)]))
            assert all(refused(lambda one=one: claims.check(writer, one)) for one in given_out[:-1])
        if given_out and not refused(lambda: claims.check(writer, given_out[-1])):
            claims.release(writer, given_out[-1])

    environment.write(run)


def test_the_clock_goes_on_and_is_the_same_for_every_process() -> None:
    import subprocess
    import sys

    code = "from vademecum.storage.boot_time import now; print(*now())"
    before = boot_time.now()
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    *boot, ms = said.rstrip("\n").split(" ")
    after = boot_time.now()
    assert " ".join(boot) == before.boot == after.boot
    assert before.ms <= int(ms) <= after.ms
    assert (before.boot != "") or sys.platform not in ("linux", "darwin")
