"""The sweep over many vaults: found by their hints, each in its turn, never two curators on one, whatever is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.engine.curating import LeafCurator, say
from tests.front.sweeping_world import attempt_keys, fill, forgive_delays, handled_more_than_once, made, shown, sweeper
from vademecum import Vault
from vademecum.engine.formation import signals
from vademecum.engine.formation.attempts import MAX_ATTEMPTS
from vademecum.engine.formation.signals import Signal
from vademecum.engine.formation.turns import BUSY, Turned
from vademecum.errors import InvalidArgument
from vademecum.hint import HINT, Hint, find_vaults
from vademecum.storage.tables import Table
from vademecum.sweeping import Sweeper
from vademecum.turning import sweep_vault, turn_of


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return made(tmp_path / "root", ["a"])[0]


# --- the hint ---


def test_the_hint_is_there_exactly_while_something_waits(home: Path) -> None:
    with Vault.open(home) as vault:
        vault.user.set("name", "Alice")
        assert not (home / HINT).exists()
        say(vault.replica, "s", "one")
        assert (home / HINT).read_bytes() == b""
        turned = turn_of(vault).take(LeafCurator(vault.replica))
        assert turned.next_ms is None and not (home / HINT).exists()


def test_a_hint_that_was_lost_comes_back_with_the_next_write(home: Path) -> None:
    with Vault.open(home) as vault:
        say(vault.replica, "s", "one")
        (home / HINT).unlink()
        vault.user.set("name", "Alice")
        assert (home / HINT).exists()


def test_a_hint_is_not_taken_from_a_signal_that_is_dropped_meanwhile(home: Path) -> None:
    """Whoever looks whether anything waits keeps the others from writing: no signal slips in behind."""
    with Vault.open(home) as vault:
        stop = threading.Event()

        def sweep() -> None:
            while not stop.is_set():
                turn_of(vault).take(LeafCurator(vault.replica))

        thread = threading.Thread(target=sweep)
        thread.start()
        for number in range(40):
            say(vault.replica, "s", str(number))
            with vault.replica.read() as view:  # what waits is seen first, then the hint that was there before it
                waits = signals.count(view.reader)
            if waits and not (home / HINT).exists():
                with vault.replica.read() as view:
                    assert signals.count(view.reader) == 0
        stop.set()
        thread.join()


# --- one vault ---


def test_two_threads_that_sweep_one_vault_have_each_signal_once(home: Path) -> None:
    with Vault.open(home) as vault:
        say(vault.replica, "s", *(str(number) for number in range(200)))
        threads = [
            threading.Thread(target=lambda: sweep_vault(vault, LeafCurator(vault.replica), 1000)) for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        sweep_vault(vault, LeafCurator(vault.replica), 1000)
    assert len(shown(home)) == 200 and handled_more_than_once(home) == {}


def test_what_waits_is_shown_with_its_age_and_who_is_at_it(home: Path) -> None:
    with Vault.open(home) as vault:
        assert vault.waiting().as_json() == {
            "signals": 0, "since": None, "running": None, "due_in_ms": None, "parked": [],
        }  # fmt: skip
        (message,) = say(vault.replica, "s", "one")
        waiting = vault.waiting()
        assert (waiting.signals, waiting.running, waiting.next_ms) == (1, None, 0)
        assert waiting.since_ms is not None and abs(waiting.since_ms - time.time() * 1000) < 60_000
        seen = []

        def fail(group: object) -> None:
            seen.append(vault.waiting())
            raise ValueError

        for _ in range(2):
            turn_of(vault).take(LeafCurator(vault.replica, fail))
        assert seen[0].running is not None and seen[0].running.signals == 1
        assert 0 < (vault.waiting().next_ms or 0) <= 60_000
        vault.replica.write(lambda t: [t.writer.delete(Table.META, key) for key in attempt_keys(vault)])
        for _ in range(MAX_ATTEMPTS):
            turn_of(vault).take(LeafCurator(vault.replica, fail))
            forgive_delays(vault)
        assert [one["message"] for one in vault.waiting().as_json()["parked"]] == [message]
        assert vault.retry_parked() == 1 and vault.waiting().signals == 1


def test_a_vault_is_swept_on_while_its_database_is_replaced(home: Path) -> None:
    with Vault.open(home) as vault:
        say(vault.replica, "s", *(str(number) for number in range(150)))

        def replaced(group: object) -> None:
            vault.replica.environment.replace()

        report = sweep_vault(vault, LeafCurator(vault.replica, replaced), 1000)
        assert (report.signals, report.waiting) == (150, 0)
    assert len(shown(home)) == 150 and handled_more_than_once(home) == {}


def test_a_sealed_vault_is_swept_by_whoever_has_its_key(tmp_path: Path) -> None:
    home = tmp_path / "root" / "sealed"
    with Vault.create(home, passphrase="open sesame") as vault:
        say(vault.replica, "s", "one")
        assert (home / HINT).exists()
    swept = sweeper(tmp_path / "root").sweep()
    assert list(swept.troubles.values()) == ["vault-locked"] and (home / HINT).exists()
    with Vault.open(home, passphrase="open sesame") as vault:
        assert sweep_vault(vault, LeafCurator(vault.replica), 10).signals == 1


def test_sealing_leaves_nothing_in_the_open_but_the_hint(home: Path) -> None:
    from vademecum.sealing import in_the_open

    with Vault.open(home) as vault:
        say(vault.replica, "s", "one")
        vault.seal("open sesame")
    assert in_the_open(home) == []


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no fork")
def test_a_child_of_a_fork_cannot_write_under_its_parents_claim(home: Path) -> None:
    code = """
import os, sys
from pathlib import Path
from tests.engine.curating import LeafCurator, say
from vademecum import Vault
from vademecum.turning import turn_of

vault = Vault.open(sys.argv[1])
say(vault.replica, "s", "one", "two")
parent = os.getpid()
child = None

def fork(group):
    global child
    child = os.fork()

turned = turn_of(vault).take(LeafCurator(vault.replica, fork))
if os.getpid() == parent:
    _, status = os.waitpid(child, 0)
    print(turned.report.signals, os.waitstatus_to_exitcode(status))
    vault.close()
else:
    os._exit(100 + turned.report.signals + 10 * ("its claim had run out" in str(turned.report.notes)))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", code, str(home)],
        capture_output=True, text=True, cwd=Path(__file__).parents[2], timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout == "2 110\n"


# --- as callers use it ---


def test_what_the_person_says_is_remembered_by_the_next_sweep(home: Path) -> None:
    with Vault.open(home) as vault:
        talk = vault.agent("prix/daily-eats@1.0.0").session("lunch")
        message = talk.log("user", "I'm vegetarian.")
        talk.log("assistant", "I am a helpful assistant.")
        talk.log("user", "The weather is nice.")
        report = vault.sweep_once()
        assert (report.signals, report.waiting) == (2, 0)
        assert [(one.path, one.value, one.evidence) for one in report.memories] == [("diet", "vegetarian", (message,))]
        assert vault.user.get("diet") == "vegetarian"
        assert vault.sweep_once().signals == 0
        with pytest.raises(InvalidArgument):
            vault.sweep_once(limit=0)


def test_one_call_handles_no_more_than_its_limit(home: Path) -> None:
    with Vault.open(home) as vault:
        say(vault.replica, "s", *("The weather is nice." for _ in range(9)))
        report = vault.sweep_once(limit=5)
        assert (report.signals, report.waiting) == (5, 4)


def test_a_vault_sweeps_itself_in_the_background_until_it_is_closed(home: Path) -> None:
    with Vault.open(home) as vault:
        vault.start_sweeping(interval=0.02)
        vault.agent("prix/daily-eats@1.0.0").session("lunch").log("user", "My name is Alice.")
        until(lambda: vault.waiting().signals == 0)
        assert vault.user.get("name") == "Alice"
    assert "vademecum-sweep" not in {thread.name for thread in threading.enumerate()}


# --- the background runner ---


def until(condition: object, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def test_the_background_runner_handles_what_comes_and_stops(home: Path) -> None:
    with Vault.open(home) as vault:
        running = Sweeper(lambda: [home], Vault.open, lambda found: LeafCurator(found.replica), interval=0.02)
        with running:
            for number in range(5):
                say(vault.replica, "s", str(number))
                until(lambda: vault.waiting().signals == 0)
        say(vault.replica, "s", "after the end")
        time.sleep(0.1)
        assert vault.waiting().signals == 1
        with running:
            until(lambda: vault.waiting().signals == 0)
    assert len(shown(home)) == 6


def test_wake_lets_a_sweep_begin_at_once(home: Path) -> None:
    with Vault.open(home) as vault:
        running = Sweeper(lambda: [home], Vault.open, lambda found: LeafCurator(found.replica), interval=3600)
        with running:
            say(vault.replica, "s", "one")
            until(lambda: running.wake() or vault.waiting().signals == 0)


def test_a_sweep_that_is_stopped_ends_between_two_groups(home: Path) -> None:
    with Vault.open(home) as vault:
        for number in range(20):
            say(vault.replica, f"s{number}", "one")
        running: list[Sweeper] = []
        curator = LeafCurator(vault.replica, lambda group: running[0].ask_to_stop())
        running.append(Sweeper(lambda: [home], Vault.open, lambda _: curator))
        swept = running[0].sweep()
        assert (swept.signals, vault.waiting().signals, vault.waiting().running) == (1, 19, None)


def test_nonsense_is_refused(home: Path) -> None:
    with pytest.raises(InvalidArgument):
        sweeper(home, interval=0)
    with pytest.raises(InvalidArgument):
        sweeper(home, limit=0)


def test_a_program_that_ends_without_a_word_gives_its_claim_back(home: Path) -> None:
    code = """
import sys, threading
from pathlib import Path
from tests.engine.curating import LeafCurator, say
from vademecum import Vault
from vademecum.sweeping import Sweeper

home = Path(sys.argv[1])
vault = Vault.open(home)
say(vault.replica, "s", "one")
thinking = threading.Event()

def think(group):
    thinking.set()
    threading.Event().wait(0.3)

Sweeper(lambda: [home], Vault.open, lambda found: LeafCurator(found.replica, think)).start()
assert thinking.wait(20)
"""
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", code, str(home)], cwd=root, timeout=60, check=True)
    assert shown(home) == ["one"]
    with Vault.open(home) as vault:
        assert vault.waiting().running is None


# --- many vaults ---


def test_vaults_are_found_at_any_depth_but_not_inside_another(tmp_path: Path) -> None:
    for name in ("a", "b/c", "b/d/e", ".hidden", "a/inner"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("a", "b/c", "b/d/e", ".hidden", "a/inner"):
        (tmp_path / name / "vault.json").write_text("{}")
    found = [str(one.relative_to(tmp_path)) for one in find_vaults(tmp_path)]
    assert sorted(found) == [str(Path(one)) for one in ("a", "b/c", "b/d/e")]
    assert list(find_vaults(tmp_path / "a")) == [tmp_path / "a"]
    assert list(find_vaults(tmp_path / "nowhere")) == []


def test_who_has_waited_longest_is_first_and_a_vault_with_much_starves_nobody(tmp_path: Path) -> None:
    greedy, *others = made(tmp_path, ["greedy", "b", "c", "d"])
    fill(greedy, 300)
    for number, home in enumerate([greedy, *others]):
        if home != greedy:
            fill(home, 30)
        os.utime(home / HINT, (1_000_000 + number, 1_000_000 + number))
    order: list[tuple[str, int]] = []

    def told(home: Path, turned: Turned) -> None:
        order.append((home.name, turned.report.signals))

    sweeper(tmp_path, limit=20, told=told).sweep()
    assert order[:4] == [("greedy", 20), ("b", 20), ("c", 20), ("d", 20)]
    assert sorted(order[4:8]) == [("b", 10), ("c", 10), ("d", 10), ("greedy", 20)]
    assert order[8:] == [("greedy", 20)] * 13
    assert [len(shown(home)) for home in (greedy, *others)] == [300, 30, 30, 30]


def test_a_wall_clock_that_was_set_back_or_is_ahead_starves_nobody(tmp_path: Path) -> None:
    homes = made(tmp_path, ["a", "b", "c"])
    order: list[str] = []
    for home, ahead in zip(homes, (0, 86_400, -86_400), strict=True):
        fill(home, 60, sessions=1)
        os.utime(home / HINT, (time.time() + ahead, time.time() + ahead))
    sweeper(tmp_path, limit=20, told=lambda home, turned: order.append(home.name)).sweep()
    assert order[:3] == ["b", "c", "a"]
    assert sorted(order[3:6]) == sorted(order[6:9]) == ["a", "b", "c"]


def test_a_vault_that_cannot_be_opened_stops_no_other(tmp_path: Path) -> None:
    good, bad = made(tmp_path, ["good", "bad"])
    for home in (good, bad):
        fill(home, 3)
    (bad / "vault.json").write_text("nonsense")
    swept = sweeper(tmp_path).sweep()
    assert swept.troubles == {bad: "damaged-store"}
    assert len(shown(good)) == 3
    assert swept.as_json()["signals"] == 3


def test_a_full_look_finds_what_has_lost_its_hint(tmp_path: Path) -> None:
    one, two = made(tmp_path, ["one", "two"])
    fill(one, 3)
    fill(two, 3)
    (two / HINT).unlink()
    swept = sweeper(tmp_path).sweep()
    assert (swept.signals, len(swept.vaults)) == (6, 2)
    assert len(shown(two)) == 3


def test_a_vault_is_tended_when_it_is_looked_at_and_not_at_each_turn(tmp_path: Path) -> None:
    made(tmp_path, ["a", "b"])
    fill(tmp_path / "a", 3, sessions=1)
    groups: list[tuple[str, int]] = []

    def curator(vault: Vault) -> LeafCurator:
        return LeafCurator(vault.replica, lambda group: groups.append((vault.home.name, len(group))))

    sweeping = Sweeper(lambda: find_vaults(tmp_path), Vault.open, curator, limit=1)
    sweeping.sweep()
    assert groups == [("a", 1), ("a", 0), ("a", 1), ("a", 1), ("b", 0)]
    sweeping.sweep()
    assert len(groups) == 5


def test_looking_for_work_opens_no_vault_without_a_hint(tmp_path: Path) -> None:
    made(tmp_path, ["a", "b"])
    opened: list[Path] = []

    def opening(home: Path) -> Vault:
        opened.append(home)
        return Vault.open(home)

    made_here = Sweeper(lambda: find_vaults(tmp_path), opening, lambda vault: LeafCurator(vault.replica))
    made_here.sweep()
    assert sorted(one.name for one in opened) == ["a", "b"], "the first sweep looks at all of them"
    fill(tmp_path / "a", 1)
    made_here.sweep()
    assert [one.name for one in opened[2:]] == ["a"]


# --- processes ---


@contextmanager
def process(root: Path, lease_ms: int = 400, limit: int = 7) -> Iterator[subprocess.Popen[str]]:
    """A sweeper in a process of its own, at work."""
    words = [sys.executable, "-m", "tests.front.sweeping_world", str(root), str(lease_ms), str(limit)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as started:
        try:
            assert started.stdout is not None and "ready" in started.stdout.readline()
            yield started
        finally:
            started.kill()


def has_waiting(root: Path) -> bool:
    return any(Hint(home).since() is not None for home in find_vaults(root))


def test_two_sweepers_one_killed_again_and_again_handle_every_signal_once(tmp_path: Path) -> None:
    homes = made(tmp_path, [f"v{number}" for number in range(6)])
    for home in homes:
        fill(home, 60)
    with process(tmp_path) as steady:
        kills = 0
        while has_waiting(tmp_path) or kills < 3:
            with process(tmp_path) as doomed:
                time.sleep(0.05 + 0.05 * (kills % 4) + 0.01 * kills)  # longer and longer, for a slow machine
                os.kill(doomed.pid, signal.SIGKILL)
                kills += 1
            assert kills < 200, "it does not come to an end"
        assert steady.poll() is None
        steady.send_signal(signal.SIGTERM)
        assert steady.wait(20) == 0
    for home in homes:
        assert len(shown(home)) == 60
        assert handled_more_than_once(home) == {}
        assert not (home / HINT).exists()


def test_two_sweepers_never_have_one_vault_at_once(tmp_path: Path) -> None:
    """Each curator holds a lock of its vault while it thinks and writes; nobody ever finds it taken."""
    homes = made(tmp_path, ["a", "b"])
    for home in homes:
        fill(home, 80)
    held: dict[Path, threading.Lock] = {home: threading.Lock() for home in homes}
    clashes: list[Path] = []

    def curator(vault: Vault) -> LeafCurator:
        def alone(group: list[Signal]) -> None:
            if not group:
                return  # tending is one transaction, and none while another curator is at work
            if not held[vault.home].acquire(blocking=False):
                clashes.append(vault.home)
                return
            time.sleep(0.005)
            held[vault.home].release()

        return LeafCurator(vault.replica, alone)  # type: ignore[arg-type]

    sweepers = [Sweeper(lambda: find_vaults(tmp_path), Vault.open, curator, interval=0.01, limit=5) for _ in range(3)]
    for one in sweepers:
        one.start()
    until(lambda: not has_waiting(tmp_path))
    for one in sweepers:
        one.stop()
    assert clashes == []
    assert [len(shown(home)) for home in homes] == [80, 80]


def test_a_busy_vault_is_left_to_its_curator(home: Path) -> None:
    with Vault.open(home) as vault:
        say(vault.replica, "s", "one")
        told: list[Turned] = []

        def others(group: object) -> None:
            told.append(turn_of(vault).take(LeafCurator(vault.replica)))
            assert Sweeper(lambda: [home], Vault.open, lambda v: LeafCurator(v.replica)).sweep().busy == 1

        turn_of(vault).take(LeafCurator(vault.replica, others))
        assert [one.report.notes for one in told] == [(BUSY,)]
        assert vault.waiting().signals == 0
