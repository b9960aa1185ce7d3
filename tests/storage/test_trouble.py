"""A full disk and places where no database can be: said as such, with what was there before still there.

A limit on the size of files stands in for a full disk: the kernel refuses the same writes, and root is not exempt.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.storage.processes import child, run
from vademecum.errors import StorageTrouble, VademecumError
from vademecum.storage.environment import Environment
from vademecum.storage.files import write_atomically
from vademecum.storage.tables import Table

META = Table.META

needs_limits = pytest.mark.skipif(sys.platform == "win32", reason="the system has no limit on the size of files")

LIMIT = """
import resource

def allow(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

def attempt(what, work):
    try:
        work()
        say(what, "done")
    except StorageTrouble as error:
        say(what, "trouble")
    except BaseException as error:
        say(what, type(error).__name__, error)
"""


@needs_limits
def test_on_a_full_disk_a_write_fails_what_was_there_is_read_and_later_writes_work(folder: Path) -> None:
    said = run(
        LIMIT
        + """
environment = Environment.create(folder)
environment.write(lambda writer: writer.put(META, b"a", b"before"))
allow(environment.file.stat().st_size)
for _ in range(3):
    attempt("write", lambda: environment.write(lambda writer: writer.put(META, b"b", bytes(300_000))))
with environment.read() as reader:
    say([key for key, _ in reader.scan(META)], reader.get(META, b"a"))
allow(resource.RLIM_INFINITY)
attempt("write", lambda: environment.write(lambda writer: writer.put(META, b"c", bytes(300_000))))
with environment.read() as reader:
    say([key for key, _ in reader.scan(META)])
environment.close()
""",
        folder,
    )
    assert said == [*["write trouble"] * 3, "[b'a'] b'before'", "write done", "[b'a', b'c']"]


@needs_limits
@pytest.mark.parametrize("size", [0, 1, 4096, 3 * 4096])
def test_where_not_even_one_page_can_be_written_the_vault_stays_readable(folder: Path, size: int) -> None:
    said = run(
        LIMIT
        + """
environment = Environment.create(folder)
environment.write(lambda writer: writer.put(META, b"a", b"before"))
allow(int(sys.argv[2]))
attempt("write", lambda: environment.write(lambda writer: writer.put(META, b"b", bytes(100_000))))
with environment.read() as reader:
    say(reader.get(META, b"a"))
allow(resource.RLIM_INFINITY)
attempt("write", lambda: environment.write(lambda writer: writer.put(META, b"b", b"1")))
environment.close()
environment = Environment.open(folder)
with environment.read() as reader:
    say([key for key, _ in reader.scan(META)])
environment.close()
""",
        folder,
        size,
    )
    assert said == ["write trouble", "b'before'", "write done", "[b'a', b'b']"]


@needs_limits
def test_closing_on_a_full_disk_raises_nothing_but_trouble_and_loses_nothing(folder: Path) -> None:
    said = run(
        LIMIT
        + """
environment = Environment.create(folder)
environment.write(lambda writer: writer.put(META, b"a", b"1"))
allow(0)
try:
    environment.close()
except StorageTrouble:
    pass
allow(resource.RLIM_INFINITY)
environment = Environment.open(folder)
with environment.read() as reader:
    say(reader.get(META, b"a"))
environment.close()
""",
        folder,
    )
    assert said == ["b'1'"]


@needs_limits
@pytest.mark.parametrize("size", [0, 1000, 3 * 4096, 5 * 4096, 40_000])
def test_making_a_database_on_a_full_disk_fails_as_trouble_and_works_once_there_is_room(
    folder: Path, size: int
) -> None:
    said = run(
        LIMIT
        + """
allow(int(sys.argv[2]))
made = []
attempt("make", lambda: made.append(Environment.create(folder)))
allow(resource.RLIM_INFINITY)
for environment in made:
    environment.close()
if not made:
    attempt("again", lambda: Environment.create(folder).close())
environment = Environment.open(folder)
environment.write(lambda writer: writer.put(META, b"a", b"1"))
environment.close()
say("works")
""",
        folder,
        size,
    )
    assert said in (["make trouble", "again done", "works"], ["make done", "works"])


@needs_limits
def test_opening_on_a_full_disk_fails_as_trouble_and_works_in_the_same_process_once_there_is_room(
    folder: Path,
) -> None:
    said = run(
        LIMIT
        + """
Environment.create(folder).close()
allow(0)
opened = []
attempt("open", lambda: opened.append(Environment.open(folder)))
allow(resource.RLIM_INFINITY)
for environment in opened:
    environment.close()
environment = Environment.open(folder)
environment.write(lambda writer: writer.put(META, b"a", b"1"))
environment.close()
say("works")
""",
        folder,
    )
    assert said[0] in ("open trouble", "open done")
    assert said[1:] == ["works"]


def test_making_a_database_where_there_is_one_is_refused_and_leaves_that_one_alone(folder: Path) -> None:
    environment = Environment.create(folder)
    environment.write(lambda writer: writer.put(META, b"a", b"1"))
    with pytest.raises(VademecumError):
        Environment.create(folder)
    environment.close()
    with pytest.raises(VademecumError):
        Environment.create(folder)
    environment = Environment.open(folder)
    with environment.read() as reader:
        assert reader.get(META, b"a") == b"1"
    environment.close()


def test_making_a_database_again_after_a_kill_in_the_middle_of_making_it(folder: Path) -> None:
    """Killed between its folder and the file that names it: there is no database yet, so one may be made."""
    (folder / "1").mkdir(parents=True)
    environment = Environment.create(folder)
    environment.write(lambda writer: writer.put(META, b"a", b"1"))
    environment.close()


@pytest.mark.parametrize("make", [True, False], ids=["create", "open"])
def test_a_place_inside_a_file_is_trouble(tmp_path: Path, make: bool) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageTrouble):
        (Environment.create if make else Environment.open)(tmp_path / "file" / "database")


def test_opening_where_nothing_is_is_trouble_and_makes_nothing(folder: Path) -> None:
    with pytest.raises(StorageTrouble, match="database"):
        Environment.open(folder)
    assert not folder.exists()


def test_closing_after_the_file_was_deleted_raises_nothing_but_trouble(folder: Path) -> None:
    said = run(
        """
environment = Environment.create(folder)
environment.file.unlink()
try:
    environment.close()
except StorageTrouble:
    pass
say("alive")
""",
        folder,
    )
    assert said == ["alive"]


# --- small files ----


def test_a_small_file_is_replaced_whole_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    file = tmp_path / "note"
    for data in (b"first", b"", b"\x00" * 100_000):
        write_atomically(file, data)
        assert file.read_bytes() == data
        assert file.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [file], "no temporary file is left"


@needs_limits
def test_a_small_file_that_cannot_be_written_is_as_it_was(folder: Path) -> None:
    said = run(
        LIMIT
        + """
from vademecum.storage.files import write_atomically
folder.mkdir()
write_atomically(folder / "note", b"before")
allow(10)
try:
    write_atomically(folder / "note", bytes(100))
except OSError:
    say((folder / "note").read_bytes(), [path.name for path in folder.iterdir()])
""",
        folder,
    )
    assert said == ["b'before' ['note']"]


def test_readers_of_a_small_file_never_see_a_part_of_it(tmp_path: Path) -> None:
    file = tmp_path / "note"
    write_atomically(file, b"0" * 5000)
    said = """
from vademecum.storage.files import write_atomically
for round in range(150):
    write_atomically(folder, b"%d" % (round % 10) * 5000)
"""
    with child(said, file) as writer:
        while writer.poll() is None:
            assert len(set(file.read_bytes())) == 1
            assert file.stat().st_size == 5000
        assert writer.returncode == 0
