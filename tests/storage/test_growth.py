"""The map grows by itself, whoever else reads or has grown it. A test that fails here by hanging fails in time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.storage.processes import child, run
from vademecum.storage.environment import Environment
from vademecum.storage.tables import Table

META = Table.META
MIB = 1 << 20


@pytest.mark.parametrize("size", [64 * 1024, 100_000, MIB])
def test_a_tiny_map_grows_to_what_is_written(folder: Path, size: int) -> None:
    environment = Environment.create(folder, initial_map=size)
    environment.write(lambda writer: writer.put(META, b"large", bytes(5 * MIB)))
    for number in range(20):
        environment.write(lambda writer, number=number: writer.put(META, b"%d" % number, bytes(200_000)))
    with environment.read() as reader:
        assert reader.count(META) == 21
        assert reader.get(META, b"large") == bytes(5 * MIB)
    environment.close()
    again = Environment.open(folder, initial_map=size)  # smaller than the file by now
    again.write(lambda writer: writer.put(META, b"more", bytes(MIB)))
    again.close()


def test_work_that_runs_again_after_growth_has_run_once_for_the_database(folder: Path) -> None:
    environment = Environment.create(folder, initial_map=MIB)
    runs = []

    def work(writer: object) -> int:
        runs.append(1)
        environment_writer = writer
        count = int.from_bytes(environment_writer.get(META, b"count") or b"", "big")  # type: ignore[attr-defined]
        environment_writer.put(META, b"count", bytes([count + 1]))  # type: ignore[attr-defined]
        environment_writer.put(META, b"large", bytes(6 * MIB))  # type: ignore[attr-defined]
        return len(runs)

    assert environment.write(work) == len(runs) > 1
    with environment.read() as reader:
        assert reader.get(META, b"count") == b"\x01"
    environment.close()


def test_growth_by_another_process_is_followed_by_a_reader_and_by_a_writer(folder: Path) -> None:
    environment = Environment.create(folder, initial_map=MIB)
    grow = """
environment = Environment.open(folder, initial_map=1 << 20)
environment.write(lambda writer: writer.put(META, sys.argv[2].encode(), bytes(int(sys.argv[3]))))
environment.close()
"""
    run(grow, folder, "theirs", 5 * MIB)
    with environment.read() as reader:
        assert reader.get(META, b"theirs") == bytes(5 * MIB)
    run(grow, folder, "more", 30 * MIB)
    environment.write(lambda writer: writer.put(META, b"mine", b"1"))
    with environment.read() as reader:
        assert [key for key, _ in reader.scan(META)] == [b"mine", b"more", b"theirs"]
    environment.close()


def test_two_processes_grow_one_map_in_turns(folder: Path) -> None:
    Environment.create(folder, initial_map=MIB).close()
    code = """
environment = Environment.open(folder, initial_map=1 << 20)
for round in range(12):
    environment.write(lambda writer: writer.put(META, b"%s %d" % (sys.argv[2].encode(), round), bytes(300_000)))
environment.close()
say("done")
"""
    with child(code, folder, "one") as one, child(code, folder, "two") as two:
        assert one.communicate(timeout=30)[0] == two.communicate(timeout=30)[0] == "done\n"
    environment = Environment.open(folder)
    with environment.read() as reader:
        assert reader.count(META) == 24
        assert all(value == bytes(300_000) for _, value in reader.scan(META))
    environment.close()


def test_growth_waits_for_a_reader_and_neither_harms_the_other(folder: Path) -> None:
    said = run(
        """
environment = Environment.create(folder, initial_map=1 << 20)
environment.write(lambda writer: writer.put(META, b"a", b"old"))
reading, go_on = threading.Event(), threading.Event()

def read():
    with environment.read() as reader:
        reading.set()
        go_on.wait()
        say("reader", reader.get(META, b"a"))

thread = threading.Thread(target=read)
thread.start()
reading.wait()

def work(writer):
    writer.put(META, b"a", b"new")
    writer.put(META, b"large", bytes(3 << 20))

writer = threading.Thread(target=environment.write, args=(work,))
writer.start()
go_on.set()
thread.join()
writer.join()
with environment.read() as reader:
    say("after", reader.get(META, b"a"))
environment.close()
""",
        folder,
    )
    assert said == ["reader b'old'", "after b'new'"]


def test_growth_is_not_starved_by_readers_that_never_stop(folder: Path) -> None:
    """Four threads whose reads always overlap: there is never a moment without a reader, unless new ones wait."""
    said = run(
        """
environment = Environment.create(folder, initial_map=1 << 20)
environment.write(lambda writer: writer.put_many(META, [(b"%05d" % number, b"x" * 10) for number in range(3000)]))
done = threading.Event()

def read():
    while not done.is_set():
        with environment.read() as reader:
            sum(1 for _ in reader.scan(META))

threads = [threading.Thread(target=read, daemon=True) for _ in range(4)]
for thread in threads:
    thread.start()

def write():
    environment.write(lambda writer: writer.put(META, b"large", bytes(3 << 20)))
    done.set()

threading.Thread(target=write, daemon=True).start()
say("grown" if done.wait(8) else "starved")
os._exit(0)
""",
        folder,
    )
    assert said == ["grown"]


def test_two_readers_that_both_meet_a_map_grown_by_others_do_not_wait_for_each_other(folder: Path) -> None:
    said = run(
        """
import subprocess, time
environment = Environment.create(folder, initial_map=1 << 20)
reading, go_on = threading.Event(), threading.Event()

def hold():
    with environment.read():
        reading.set()
        go_on.wait()

threading.Thread(target=hold, daemon=True).start()
reading.wait()
subprocess.run([sys.executable, "-c", '''
import sys
from pathlib import Path
from vademecum.storage.environment import Environment
from vademecum.storage.tables import Table
environment = Environment.open(Path(sys.argv[1]), initial_map=1 << 20)
environment.write(lambda writer: writer.put(Table.META, b"large", bytes(5 << 20)))
environment.close()
''', str(folder)], check=True)
finished = [threading.Event(), threading.Event()]

def read(event):
    with environment.read() as reader:
        assert reader.count(META) == 1
    event.set()

for event in finished:
    threading.Thread(target=read, args=(event,), daemon=True).start()
while not all(event.is_set() for event in finished) and not go_on.wait(0.2):
    go_on.set()  # both have met the new size by now
say(*(event.wait(8) for event in finished))
os._exit(0)
""",
        folder,
    )
    assert said == ["True True"]


def test_a_thread_that_reads_while_its_own_write_must_grow_the_map_does_not_wait_for_itself(folder: Path) -> None:
    """It cannot succeed; then it must be told so. And a read that ends first is no obstacle."""
    said = run(
        """
environment = Environment.create(folder, initial_map=1 << 20)
over = threading.Event()

def attempt():
    try:
        with environment.read():
            environment.write(lambda writer: writer.put(META, b"large", bytes(3 << 20)))
        say("grown")
    except (RuntimeError, StorageTrouble):
        say("told")
    over.set()

threading.Thread(target=attempt, daemon=True).start()
if not over.wait(8):
    say("waits for itself")
else:
    environment.write(lambda writer: writer.put(META, b"large", bytes(3 << 20)))
os._exit(0)
""",
        folder,
    )
    assert said in (["told"], ["grown"])


def test_a_read_inside_a_read_that_meets_a_grown_map_does_not_wait_for_a_writer_that_waits_for_it(folder: Path) -> None:
    said = run(
        """
import subprocess
environment = Environment.create(folder, initial_map=1 << 20)
inner, over = threading.Event(), threading.Event()

def nest():
    with environment.read():
        inner.set()
        writing.wait()
        try:
            with environment.read() as reader:
                say("read", reader.count(META))
        except StorageTrouble:
            say("told")
    over.set()

writing = threading.Event()
threading.Thread(target=nest, daemon=True).start()
inner.wait()
subprocess.run([sys.executable, "-c", '''
import sys
from pathlib import Path
from vademecum.storage.environment import Environment
from vademecum.storage.tables import Table
environment = Environment.open(Path(sys.argv[1]), initial_map=1 << 20)
environment.write(lambda writer: writer.put(Table.META, b"large", bytes(5 << 20)))
environment.close()
''', str(folder)], check=True)
threading.Thread(target=lambda: environment.write(lambda writer: writer.put(META, b"a", b"1")), daemon=True).start()
while not environment._gate.is_closed:  # the writer has met the new size and waits for the reader
    pass
writing.set()
say("over" if over.wait(8) else "waits for ever")
environment.write(lambda writer: writer.put(META, b"b", b"1"))
os._exit(0)
""",
        folder,
    )
    assert said in (["told", "over"], ["read 1", "over"])
