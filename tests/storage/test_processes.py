"""Several processes on one database, some of them killed."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import pytest

from tests.storage.processes import child, run
from vademecum.errors import StorageTrouble
from vademecum.storage.environment import Environment
from vademecum.storage.tables import Table

META = Table.META


def test_processes_that_increment_one_counter_lose_nothing(folder: Path) -> None:
    Environment.create(folder).close()
    code = """
environment = Environment.open(folder)
for _ in range(60):
    environment.write(lambda writer: writer.put(META, b"count", (number(writer, b"count") + 1).to_bytes(4, "big")))
environment.close()
"""
    with child(code, folder) as a, child(code, folder) as b, child(code, folder) as c, child(code, folder) as d:
        for process in (a, b, c, d):
            _, complaint = process.communicate(timeout=30)
            assert process.returncode == 0, complaint
    environment = Environment.open(folder)
    with environment.read() as reader:
        assert reader.get(META, b"count") == (240).to_bytes(4, "big")
    environment.close()


WRITER = """
environment = Environment.open(folder, initial_map=1 << 20)
with environment.read() as reader:
    next_one = reader.count(META)
filling = b"x" * int(sys.argv[2])

def work(writer):
    writer.put(META, next_one.to_bytes(4, "big"), next_one.to_bytes(4, "big") + filling)
    writer.put(Table.LEAVES, next_one.to_bytes(4, "big"), b"the other half")
    writer.put(Table.SCOPES, b"newest", next_one.to_bytes(4, "big"))

while True:
    environment.write(work)
    say(next_one)
    next_one += 1
"""


@pytest.mark.parametrize("filling", [10, 9000])
def test_whatever_was_acknowledged_before_kill_9_is_there_and_nothing_is_there_by_half(
    folder: Path, filling: int
) -> None:
    chance = random.Random(filling)
    Environment.create(folder, initial_map=1 << 20).close()
    acknowledged = -1
    for _ in range(12):
        with child(WRITER, folder, filling) as writer:
            assert writer.stdout is not None
            for _ in range(chance.randint(1, 60)):
                acknowledged = int(writer.stdout.readline())
            writer.kill()
            rest = writer.stdout.read()  # communicate would pass over what has been read ahead
        complete = [line for line in rest.splitlines(keepends=True) if line.endswith("\n")]
        acknowledged = int(complete[-1]) if complete else acknowledged
        environment = Environment.open(folder, initial_map=1 << 20)
        with environment.read() as reader:
            count = reader.count(META)
            assert count in (acknowledged + 1, acknowledged + 2)
            assert reader.count(Table.LEAVES) == count
            assert reader.get(Table.SCOPES, b"newest") == (count - 1).to_bytes(4, "big")
            for place, (key, value) in enumerate(reader.scan(META)):
                assert key == place.to_bytes(4, "big")
                assert value == key + b"x" * filling
        acknowledged = count - 1
        environment.close()


def test_a_process_killed_in_the_middle_of_a_transaction_leaves_nothing_of_it_and_no_lock(folder: Path) -> None:
    environment = Environment.create(folder)
    environment.write(lambda writer: writer.put(META, b"a", b"before"))
    code = """
environment = Environment.open(folder)

def work(writer):
    writer.put(META, b"a", b"after")
    say("in the middle")
    sys.stdin.read()

environment.write(work)
"""
    with child(code, folder) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "in the middle\n"
        writer.kill()
        writer.wait()
    with environment.read() as reader:
        assert reader.get(META, b"a") == b"before"
    environment.write(lambda writer: writer.put(META, b"a", b"next"))
    environment.close()


def test_a_reader_killed_in_the_middle_does_not_make_the_file_grow_for_ever(folder: Path) -> None:
    """Its slot would keep every page since then from being used again."""
    Environment.create(folder).close()
    code = """
environment = Environment.open(folder)
with environment.read() as reader:
    say("reading")
    sys.stdin.read()
"""
    for _ in range(3):
        with child(code, folder) as reader:
            assert reader.stdout is not None
            assert reader.stdout.readline() == "reading\n"
            reader.kill()
            reader.wait()
    environment = Environment.open(folder)
    for _ in range(40):
        environment.write(lambda writer: writer.put(META, b"large", bytes(100_000)))
    assert environment.file.stat().st_size < 1_000_000
    environment.close()


def test_a_reader_killed_while_others_have_the_file_open_does_not_make_it_grow_for_ever(folder: Path) -> None:
    """A long-lived writer does not open the file again, so it must look for dead readers as it writes."""
    environment = Environment.create(folder)
    code = """
environment = Environment.open(folder)
with environment.read() as reader:
    say("reading")
    sys.stdin.read()
"""
    with child(code, folder) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "reading\n"
        reader.kill()
        reader.wait()
    for _ in range(300):
        environment.write(lambda writer: writer.put(META, b"large", bytes(100_000)))
    assert environment.file.stat().st_size < 10_000_000  # 30,000,000 were written
    environment.close()


def test_dead_readers_are_cleared_on_demand_and_living_ones_are_not(folder: Path) -> None:
    environment = Environment.create(folder)
    code = """
environment = Environment.open(folder)
with environment.read() as reader:
    say("reading")
    sys.stdin.read()
"""
    with child(code, folder) as one, child(code, folder) as two:
        assert one.stdout is not None and two.stdout is not None
        assert one.stdout.readline() == two.stdout.readline() == "reading\n"
        one.kill()
        one.wait()
        assert environment.clear_dead_readers() == 1
        assert environment.clear_dead_readers() == 0
    environment.close()


def test_more_processes_may_read_than_lmdb_allows_by_default(folder: Path) -> None:
    """126 by default: reads that overlap in one process take a slot each."""
    said = run(
        """
from contextlib import ExitStack
environment = Environment.create(folder)
with ExitStack() as stack:
    readers = [stack.enter_context(environment.read()) for _ in range(300)]
    say(sum(reader.count(META) for reader in readers))
environment.close()
""",
        folder,
    )
    assert said == ["0"]


# --- one process ----


def test_a_second_opening_in_one_process_shares_the_first(folder: Path, tmp_path: Path) -> None:
    first = Environment.create(folder)
    (tmp_path / "link").symlink_to(folder)
    for spelling in (folder, folder / "..", tmp_path / "link"):
        second = Environment.open(spelling if spelling.name != ".." else folder / ".." / folder.name)
        assert second is first
        second.close()
        first.write(lambda writer: writer.put(META, b"a", b"still open"))
    first.close()


def test_after_the_last_closing_the_environment_says_that_it_is_closed(folder: Path) -> None:
    environment = Environment.create(folder)
    environment.close()
    with pytest.raises(StorageTrouble), environment.read():
        pass
    with pytest.raises(StorageTrouble):
        environment.write(lambda writer: writer.put(META, b"a", b"1"))


def test_closing_once_more_than_opening_does_not_disturb_a_later_opening(folder: Path) -> None:
    stale = Environment.create(folder)
    stale.close()
    current = Environment.open(folder)
    stale.close()
    current.write(lambda writer: writer.put(META, b"a", b"1"))
    assert Environment.open(folder) is current
    current.close()
    current.close()


def test_threads_may_open_and_close_at_the_same_time(folder: Path) -> None:
    Environment.create(folder).close()
    failures: list[BaseException] = []

    def loop() -> None:
        try:
            for _ in range(40):
                environment = Environment.open(folder)
                with environment.read() as reader:
                    reader.count(META)
                environment.close()
        except BaseException as error:  # noqa: BLE001  # whatever it is, the main thread must hear of it
            failures.append(error)

    threads = [threading.Thread(target=loop) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_an_open_environment_closed_and_made_again_elsewhere_is_another_one(tmp_path: Path) -> None:
    one, two = Environment.create(tmp_path / "one"), Environment.create(tmp_path / "two")
    one.write(lambda writer: writer.put(META, b"a", b"1"))
    with two.read() as reader:
        assert reader.get(META, b"a") is None
    one.close()
    two.close()


# --- forks ----

FORK = """
def in_a_child(work):
    process = os.fork()
    if process == 0:
        try:
            work()
            os._exit(0)
        except BaseException as error:
            say("child:", type(error).__name__, error)
            os._exit(1)
    return process

def wait(process):
    say("exit", os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))

environment = Environment.create(folder)
put = lambda key: environment.write(lambda writer: writer.put(META, key, b"1"))

def keys(of=None):
    with (of or environment).read() as reader:
        return b" ".join(reader.keys(META)).decode()
"""


def test_a_forked_child_and_its_parent_both_go_on(folder: Path) -> None:
    said = run(
        FORK
        + """
put(b"before")

def work():
    put(b"child")
    say("child", keys())
    environment.close()

wait(in_a_child(work))
put(b"parent")
say("parent", keys())
environment.close()
""",
        folder,
    )
    assert said == ["child before child", "exit 0", "parent before child parent"]


def test_a_child_forked_while_its_parent_reads_does_not_disturb_that_read(folder: Path) -> None:
    """It may be told that it cannot use the database; the parent's view of it holds."""
    said = run(
        FORK
        + """
put(b"a")

def work():
    try:
        for round in range(20):
            put(b"%d" % round)
    except StorageTrouble:
        pass

with environment.read() as reader:
    wait(in_a_child(work))
    for round in range(20):
        put(b"parent %d" % round)
    say(b" ".join(reader.keys(META)).decode())
say(keys().split().count("parent"))
environment.close()
""",
        folder,
    )
    assert said == ["exit 0", "a", "20"]


def test_a_forked_child_may_open_the_database_anew(folder: Path) -> None:
    said = run(
        FORK
        + """
put(b"a")

def work():
    mine = Environment.open(folder)
    mine.write(lambda writer: writer.put(META, b"child", b"1"))
    say(keys(mine))
    mine.close()

wait(in_a_child(work))
say(keys())
environment.close()
""",
        folder,
    )
    assert said == ["a child", "exit 0", "a child"]


def test_a_forked_child_that_does_not_use_the_database_keeps_nobody_out(folder: Path) -> None:
    """As a worker process that was forked before does. It shares the parent's lock until it ends."""
    said = run(
        FORK
        + """
put(b"a")
may_end, end = os.pipe()

def idle():
    os.close(end)
    os.read(may_end, 1)

process = in_a_child(idle)
environment.close()
opened = threading.Event()

def open_again():
    again = Environment.open(folder)
    say(keys(again))
    again.close()
    opened.set()

threading.Thread(target=open_again, daemon=True).start()
say("opened" if opened.wait(8) else "kept out")
os.close(end)
wait(process)
os._exit(0)
""",
        folder,
    )
    assert said == ["a", "opened", "exit 0"]


def test_a_forked_child_that_closes_leaves_the_parents_open(folder: Path) -> None:
    said = run(
        FORK
        + """
wait(in_a_child(environment.close))
put(b"a")
say(keys())
environment.close()
""",
        folder,
    )
    assert said == ["exit 0", "a"]


def test_a_child_that_outlives_its_parent_goes_on(folder: Path) -> None:
    run(
        FORK
        + """
done, finish = os.pipe()

def work():
    os.close(done)
    put(b"child")
    environment.close()
    os.write(finish, b"1")

in_a_child(lambda: wait(in_a_child(lambda: None)) or in_a_child(work))
os.close(finish)
environment.close()
assert os.read(done, 1) == b"1"
again = Environment.open(folder)
assert keys(again) == "child"
again.close()
""",
        folder,
    )


def test_a_child_forked_while_another_thread_opens_a_database_may_open_one(folder: Path) -> None:
    said = run(
        FORK
        + """
with Environment._shared_lock:  # as a thread holds it that opens a large file
    process = in_a_child(lambda: Environment.open(folder).close())
    for _ in range(400):
        if os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            break
        threading.Event().wait(0.02)
    else:
        os.kill(process, 9)
    wait(process)
environment.close()
""",
        folder,
    )
    assert said == ["exit 0"]
