"""The database is replaced as a whole under processes that use it: no write is lost, and the old file goes."""

from __future__ import annotations

import os
import random
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.storage.processes import child, run
from vademecum.errors import DamagedStore, StorageTrouble
from vademecum.storage.damage import check_pages
from vademecum.storage.environment import Environment
from vademecum.storage.tables import Table
from vademecum.storage.transaction import Reader, Writer

META = Table.META
SECRET = b"what nobody may find any more"

needs_locks = pytest.mark.skipif(sys.platform == "win32", reason="without flock nobody knows who has a file open")


def numbered(folder: Path) -> list[str]:
    """The numbered folders, which should be one."""
    return sorted(one.name for one in folder.iterdir() if one.name.isdigit())


def bytes_of(folder: Path) -> bytes:
    """What all files in *folder* hold."""
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def pairs_of(environment: Environment) -> dict[tuple[Table, bytes], bytes]:
    with environment.read() as reader:
        return {(table, key): value for table in Table for key, value in reader.scan(table)}


def test_the_copy_holds_the_same_and_the_file_is_small(environment: Environment, folder: Path) -> None:
    for number in range(40):
        environment.write(lambda writer, number=number: writer.put(META, b"%d" % (number % 4), os.urandom(100_000)))
    environment.write(lambda writer: writer.put_many(Table.LEAVES, [(b"%d" % n, b"v" * (n % 3000)) for n in range(99)]))
    environment.write(lambda writer: [writer.delete(META, b"%d" % n) for n in range(3)])
    before = pairs_of(environment)
    old, new = environment.replace()
    assert pairs_of(environment) == before
    assert new == environment.file.stat().st_size < old / 2
    check_pages(environment.file)
    assert numbered(folder) == ["2"]
    environment.write(lambda writer: writer.put(META, b"more", b"1"))
    environment.close()
    again = Environment.open(folder)
    assert pairs_of(again) == before | {(META, b"more"): b"1"}
    again.close()


@pytest.mark.parametrize("size", [1, 50, 700])
def test_no_file_holds_a_deleted_value_afterwards(environment: Environment, folder: Path, size: int) -> None:
    """Values inside pages, in pages of their own, and overwritten ones: each leaves its bytes in the file first."""
    keys = [b"%05d" % number for number in range(600)]
    environment.write(lambda writer: writer.put_many(META, [(key, (SECRET + key) * size) for key in keys[:60]]))
    environment.write(lambda writer: writer.put_many(META, [(key, b"harmless " * size) for key in keys[60:]]))
    for key in keys[:60]:
        work = (
            (lambda writer, key=key: writer.delete(META, key))
            if int(key) % 2
            else (lambda writer, key=key: writer.put(META, key, b"harmless"))
        )
        environment.write(work)
    assert SECRET in bytes_of(folder)
    environment.replace()
    assert SECRET not in bytes_of(folder)
    with environment.read() as reader:
        assert reader.count(META) == 570


def test_a_database_made_otherwise_takes_its_place(environment: Environment) -> None:
    environment.write(lambda writer: writer.put(META, b"a", b"1"))

    def make(old: Reader, new: Writer) -> None:
        new.put(META, b"was", old.get(META, b"a") or b"")
        new.put(META, b"large", bytes(3_000_000))

    environment.replace(make)
    assert pairs_of(environment) == {(META, b"was"): b"1", (META, b"large"): bytes(3_000_000)}


def test_where_it_fails_the_old_database_stays_in_use(environment: Environment, folder: Path) -> None:
    environment.write(lambda writer: writer.put(META, b"a", b"1"))

    def make(old: Reader, new: Writer) -> None:
        raise KeyError("half way")

    with pytest.raises(KeyError):
        environment.replace(make)
    assert numbered(folder) == ["1"]
    environment.write(lambda writer: writer.put(META, b"b", b"2"))
    assert pairs_of(environment) == {(META, b"a"): b"1", (META, b"b"): b"2"}


def test_a_damaged_value_is_not_copied(folder: Path) -> None:
    environment = Environment.create(folder)
    environment.write(lambda writer: writer.put(META, b"a", SECRET))
    environment.close()
    data = bytearray(environment.file.read_bytes())
    data[data.rindex(SECRET)] ^= 4
    environment.file.write_bytes(data)
    environment = Environment.open(folder)
    with pytest.raises(DamagedStore):
        environment.replace()
    assert numbered(folder) == ["1"]
    environment.close()


def test_a_read_that_has_begun_ends_on_what_it_began_with(environment: Environment) -> None:
    environment.write(lambda writer: writer.put(META, b"a", b"1"))
    with environment.read() as reader:
        with pytest.raises(StorageTrouble, match="reading"):
            environment.replace()
        thread = threading.Thread(target=environment.replace)
        thread.start()
        time.sleep(0.05)
        assert reader.get(META, b"a") == b"1"
    thread.join()
    assert environment.number == "2"


@needs_locks
def test_others_notice_and_the_last_one_removes_the_old_folder(folder: Path) -> None:
    environment = Environment.create(folder)
    environment.write(lambda writer: writer.put(META, b"a", b"1"))
    work = """
environment = Environment.open(folder)
with environment.read() as reader:
    say("open")
    sys.stdin.readline()
    say(reader.get(META, b"a"))
sys.stdin.readline()
with environment.read() as reader:
    say(reader.get(META, b"a"))
sys.stdin.readline()
environment.write(lambda writer: writer.put(META, b"b", b"from outside"))
environment.close()
"""
    with child(work, folder) as other:
        assert other.stdin is not None
        assert other.stdout is not None

        def go_on() -> None:
            assert other.stdin is not None
            other.stdin.write("\n")
            other.stdin.flush()

        assert other.stdout.readline() == "open\n"
        environment.replace()
        environment.write(lambda writer: writer.put(META, b"a", b"2"))
        assert numbered(folder) == ["1", "2"], "the other one reads the old file"
        go_on()
        assert other.stdout.readline() == "b'1'\n"
        go_on()
        assert other.stdout.readline() == "b'2'\n"
        assert numbered(folder) == ["2"], "nobody has it open any more"
        environment.replace()
        go_on()
        other.communicate(timeout=30)
        assert other.returncode == 0
    assert pairs_of(environment) == {(META, b"a"): b"2", (META, b"b"): b"from outside"}
    assert numbered(folder) == ["3"]
    environment.close()


WRITER = """
environment = Environment.open(folder)
name = sys.argv[2].encode()
count = 0
while not (folder / "stop").exists():
    count += 1
    environment.write(lambda writer: (
        writer.put(META, name, count.to_bytes(8, "big")),
        writer.put(Table.LEAVES, name + count.to_bytes(8, "big"), b"x" * (count % 5000)),
        writer.put(META, b"all", (number(writer, b"all") + 1).to_bytes(8, "big")),
    ))
    say(count)
    with environment.read() as reader:
        assert number(reader, name) == count
environment.close()
"""
REPLACER = """
environment = Environment.open(folder)
say("open")
for _ in range(int(sys.argv[2])):
    environment.replace()
    say(environment.number)
environment.close()
"""


@needs_locks
def test_processes_write_and_read_while_the_database_is_replaced_again_and_again(folder: Path) -> None:
    Environment.create(folder).close()
    chance = random.Random(3)
    names = ["one", "two", "three"]
    with ExitStack() as stack:
        writers = [stack.enter_context(child(WRITER, folder, name)) for name in names]
        for writer in writers:
            assert writer.stdout is not None
            writer.stdout.readline()
        for _ in range(5):  # some of those who replace it are killed at it
            with child(REPLACER, folder, 1000) as replacer:
                assert replacer.stdout is not None
                for _ in range(2):
                    replacer.stdout.readline()
                time.sleep(chance.random() / 20)
                replacer.kill()
                replacer.wait()
        run(REPLACER, folder, 3)
        (folder / "stop").touch()
        counts = {}
        for name, writer in zip(names, writers, strict=True):
            assert writer.stdout is not None
            said = writer.stdout.read().split()
            assert writer.wait() == 0, writer.stderr and writer.stderr.read()
            counts[name] = int(said[-1])
    environment = Environment.open(folder)
    with environment.read() as reader:
        assert int.from_bytes(reader.get(META, b"all") or b"", "big") == sum(counts.values())
        for name, count in counts.items():
            assert reader.get(META, name.encode()) == count.to_bytes(8, "big")
        assert reader.count(Table.LEAVES) == sum(counts.values())
    assert int(environment.number) >= 9
    assert numbered(folder) == [environment.number]
    check_pages(environment.file)
    environment.close()


@needs_locks
@pytest.mark.parametrize("moment", ["while it is filled", "before it is named", "after it is named"])
def test_killed_at_any_step_leaves_one_database_in_use(folder: Path, moment: str) -> None:
    said = run(
        """
from vademecum.storage.folders import Folders
environment = Environment.create(folder)
environment.write(lambda writer: writer.put(META, b"a", b"1"))
moment = sys.argv[2]
name = Folders.switch

def die(*arguments):
    if moment == "after it is named":
        name(*arguments)
    say(*sorted(path.name for path in folder.iterdir() if path.name.isdigit()))
    os._exit(0)

if moment == "while it is filled":
    environment.replace(die)
Folders.switch = die
environment.replace()
""",
        folder,
        moment,
    )
    assert said == ["1 2"]
    environment = Environment.open(folder)
    assert pairs_of(environment) == {(META, b"a"): b"1"}
    assert environment.number == ("2" if moment == "after it is named" else "1")
    assert numbered(folder) == [environment.number]
    environment.write(lambda writer: writer.put(META, b"b", b"2"))
    environment.replace()
    assert len(pairs_of(environment)) == 2
    environment.close()


@needs_locks
def test_a_child_of_a_fork_follows_too(folder: Path) -> None:
    said = run(
        """
environment = Environment.create(folder)
environment.write(lambda writer: writer.put(META, b"a", b"1"))
child = os.fork()
if child == 0:
    environment.replace()
    environment.write(lambda writer: writer.put(META, b"a", b"2"))
    environment.close()
    os._exit(0)
os.waitpid(child, 0)
with environment.read() as reader:
    say(reader.get(META, b"a"), environment.number)
environment.close()
say(*sorted(path.name for path in folder.iterdir() if path.name.isdigit()))
""",
        folder,
    )
    assert said == ["b'2' 2", "2"]


@needs_locks
def test_without_room_for_the_copy_the_old_one_stays(folder: Path) -> None:
    said = run(
        """
import resource
environment = Environment.create(folder)
environment.write(lambda writer: writer.put(META, b"a", bytes(500_000)))
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
try:
    environment.replace()
except StorageTrouble:
    say("trouble")
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
say(*sorted(path.name for path in folder.iterdir() if path.name.isdigit()))
environment.replace()
with environment.read() as reader:
    say(len(reader.get(META, b"a")), environment.number)
environment.close()
""",
        folder,
    )
    assert said == ["trouble", "1", "500000 2"]


def test_what_has_another_name_stays(folder: Path) -> None:
    Environment.create(folder).close()
    (folder / "1.damaged").mkdir()
    (folder / "7").mkdir()
    environment = Environment.open(folder)
    environment.replace()
    environment.close()
    assert (folder / "1.damaged").is_dir()
    assert numbered(folder) == [environment.number]
