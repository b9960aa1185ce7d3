"""A damaged file is named as one, by a process that lives to say so; a sound file is never called damaged."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.storage.processes import child, run
from vademecum.errors import DamagedStore
from vademecum.storage.damage import check_outline, check_pages
from vademecum.storage.environment import Environment
from vademecum.storage.tables import Table
from vademecum.storage.transaction import Writer

META = Table.META
PAGE = mmap.PAGESIZE
MARKER = b"here is the large value "

FILL = """
environment = Environment.create(folder)
environment.write(lambda writer: writer.put_many(META, [(b"%04d" % n, b"value %d " % n * 20) for n in range(400)]))
environment.write(lambda writer: writer.put(META, b"large", b"here is the large value " * 1000))
"""
READ_ALL = """
try:
    environment = Environment.open(folder)
    with environment.read() as reader:
        say("pairs", sum(1 for table in Table for _ in reader.scan(table)))
    environment.close()
except DamagedStore as error:
    say("damaged", error)
"""


def fill(folder: Path, *, clean: bool) -> Path:
    """Makes a database of 401 pairs, and leaves it closed, or as a killed process leaves it. Returns its file."""
    run(FILL + ("environment.close()" if clean else "os._exit(0)"), folder)
    return folder / "1" / "data.mdb"


def verdict(folder: Path) -> str:
    """What a process that opens and reads everything says: it must end by itself."""
    (said,) = run(READ_ALL, folder)
    return said


def cut(size: int) -> Callable[[Path], None]:
    return lambda file: os.truncate(file, size)


def overwrite(start: int, data: bytes) -> Callable[[Path], None]:
    def damage(file: Path) -> None:
        with file.open("r+b") as handle:
            handle.seek(start)
            handle.write(data)

    return damage


def zero_everything(file: Path) -> None:
    file.write_bytes(bytes(file.stat().st_size))


DAMAGES: dict[str, Callable[[Path], None]] = {
    "emptied": cut(0),
    "cut inside the first page": cut(100),
    "cut after the first page": cut(PAGE),
    "cut after the meta pages": cut(2 * PAGE),
    "cut in the middle of a page": cut(10 * PAGE + 17),
    "cut by its last page": lambda file: os.truncate(file, file.stat().st_size - PAGE),
    "zeroed": zero_everything,
    "meta pages zeroed": overwrite(0, bytes(2 * PAGE)),
    "all but the meta pages zeroed": lambda file: overwrite(2 * PAGE, bytes(file.stat().st_size - 2 * PAGE))(file),
    "overwritten by noise": lambda file: overwrite(0, bytes(range(7, 250)) * 400)(file),
    "overwritten by text": lambda file: file.write_text("this is not a database\n" * 5000) and None,
    "replaced by a short text": lambda file: file.write_text("gone") and None,
    "noise behind the meta pages": overwrite(2 * PAGE, bytes(range(7, 250)) * 100),
    "deleted": lambda file: file.unlink(),
}


@pytest.mark.parametrize("clean", [True, False], ids=["after a clean stop", "after a kill"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_reported_and_the_process_lives(folder: Path, damage: str, clean: bool) -> None:
    file = fill(folder, clean=clean)
    DAMAGES[damage](file)
    said = verdict(folder)
    assert said.startswith("damaged")
    assert str(folder) in said
    assert verdict(folder) == said, "being reported changes nothing"


@pytest.mark.parametrize("clean", [True, False], ids=["after a clean stop", "after a kill"])
def test_a_sound_file_is_opened(folder: Path, clean: bool) -> None:
    fill(folder, clean=clean)
    assert verdict(folder) == verdict(folder) == "pairs 401"


@pytest.mark.parametrize("content", [b"", b"\n", b"9\n", b"../1\n", b"one\n", b"\xff\xfe\x00", b"1\n2\n"])
def test_a_damaged_name_of_the_current_folder_is_reported(folder: Path, content: bytes) -> None:
    Environment.create(folder).close()
    (folder / "current").write_bytes(content)
    with pytest.raises(DamagedStore, match="current"):
        Environment.open(folder)


def test_a_bit_that_flips_inside_a_value_is_caught_when_it_is_read(folder: Path) -> None:
    """LMDB has no checksums: the file stays structurally sound."""
    file = fill(folder, clean=True)
    data = bytearray(file.read_bytes())
    at = data.rindex(MARKER) + 5
    data[at] ^= 1
    file.write_bytes(data)
    environment = Environment.open(folder)
    with environment.read() as reader, pytest.raises(DamagedStore, match="checksum"):
        reader.get(META, b"large")
    with environment.read() as reader, pytest.raises(DamagedStore, match="checksum"):
        list(reader.scan(META, b"l"))
    with environment.read() as reader:
        assert reader.get(META, b"0007") == b"value 7 " * 20, "the others are still read"
    environment.close()


def test_every_flipped_byte_of_a_value_and_of_its_checksum_is_caught(folder: Path) -> None:
    value = b"a value to be looked for"
    with_check = len(value) + 4
    for flipped in range(0, with_check, 3):
        place = folder / str(flipped)
        environment = Environment.create(place)
        environment.write(lambda writer: writer.put(META, b"k", value))
        environment.close()
        file = place / "1" / "data.mdb"
        data = bytearray(file.read_bytes())
        data[data.rindex(value) + flipped] ^= 0x10
        file.write_bytes(data)
        environment = Environment.open(place)
        with environment.read() as reader, pytest.raises(DamagedStore):
            reader.get(META, b"k")
        environment.close()


# --- when the pages are checked ----


def damage_only_the_page_check_sees(file: Path) -> None:
    """A page's own number is wrong: nothing that reads a value looks at it. Size and time of the file stay."""
    times = file.stat()
    page = file.read_bytes().index(MARKER) // PAGE
    overwrite(page * PAGE, b"\x77")(file)
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    with pytest.raises(DamagedStore):
        check_pages(file)


def test_after_an_unclean_stop_the_pages_are_checked(folder: Path) -> None:
    damage_only_the_page_check_sees(fill(folder, clean=False))
    assert verdict(folder).startswith("damaged")


def test_after_a_clean_stop_the_pages_are_not_checked(folder: Path) -> None:
    damage_only_the_page_check_sees(fill(folder, clean=True))
    assert verdict(folder) == "pairs 401"


def test_a_file_that_is_not_the_one_that_was_closed_is_checked(folder: Path) -> None:
    file = fill(folder, clean=True)
    damage_only_the_page_check_sees(file)
    os.utime(file)
    assert verdict(folder).startswith("damaged")


def test_a_check_that_found_the_file_sound_leaves_a_clean_state(folder: Path) -> None:
    file = fill(folder, clean=False)
    assert verdict(folder) == "pairs 401"
    damage_only_the_page_check_sees(file)
    assert verdict(folder) == "pairs 401", "the process before this one stopped cleanly"


def test_a_clean_stop_is_that_of_the_last_process(folder: Path) -> None:
    """One is killed while another still works: what counts is how the last one stopped."""
    file = fill(folder, clean=True)
    work = "environment = Environment.open(folder)\nsay('open')\nsys.stdin.readline()\nenvironment.close()\n"
    with child(work, folder) as killed, child(work, folder) as last:
        for process in (killed, last):
            assert process.stdout is not None
            assert process.stdout.readline() == "open\n"
        killed.kill()
        killed.wait()
        last.communicate("\n", timeout=30)
    damage_only_the_page_check_sees(file)
    assert verdict(folder) == "pairs 401"


def test_a_process_that_opens_while_another_works_does_not_check_again(folder: Path) -> None:
    file = fill(folder, clean=True)
    environment = Environment.open(folder)
    damage_only_the_page_check_sees(file)
    assert verdict(folder) == "pairs 401"
    environment.close()


# --- sound files that look odd ----


def taken_back(writer: Writer) -> None:
    writer.put(META, b"large", os.urandom(200_000))
    writer.delete(META, b"large")


def rewritten(writer: Writer) -> None:
    for size in (300_000, 200_000, 10):
        writer.put(META, b"large", os.urandom(size))


@pytest.mark.parametrize("work", [taken_back, rewritten])
@pytest.mark.parametrize("clean", [True, False])
def test_a_file_whose_last_pages_were_given_back_before_they_were_written_is_sound(
    folder: Path, work: Callable[[Writer], None], clean: bool
) -> None:
    """LMDB then counts pages beyond the end of the file; they are free, and the file is whole."""
    environment = Environment.create(folder)
    environment.write(lambda writer: writer.put(META, b"a", b"1"))
    environment.write(work)
    check_outline(environment.file)
    environment.close()
    if not clean:
        (folder / "1" / "state").write_bytes(b"open")
    assert verdict(folder) in ("pairs 1", "pairs 2")


def test_a_file_that_another_process_is_enlarging_is_sound(folder: Path) -> None:
    environment = Environment.create(folder)
    grow = """
environment = Environment.open(folder)
say("open")
for round in range(600):
    environment.write(lambda writer: writer.put(META, b"%d" % round, bytes(30_000)))
environment.close()
"""
    with child(grow, folder) as process:
        assert process.stdout is not None
        process.stdout.readline()
        while process.poll() is None:
            check_outline(environment.file)
        assert process.returncode == 0
    environment.close()


def test_many_large_values_that_were_made_shorter_at_once_are_no_damage(folder: Path) -> None:
    def work(writer: Writer) -> None:
        for size in (9000, 5000, 10):
            for number in range(300):
                writer.put(META, b"%d" % number, bytes(size))
            writer.put_many(Table.LEAVES, [(b"%d" % number, bytes(size)) for number in range(300)])

    environment = Environment.create(folder)
    environment.write(work)
    environment.close()
    check_pages(environment.file)


# --- copies that lack a part ----


def test_a_copy_without_the_note_of_its_last_stop_is_checked(folder: Path) -> None:
    file = fill(folder, clean=True)
    file.with_name("state").unlink()
    cut(10 * PAGE)(file)
    assert verdict(folder).startswith("damaged")


def test_a_copy_without_its_marker_is_not_taken_for_one_that_was_never_made(folder: Path) -> None:
    file = fill(folder, clean=False)
    file.with_name("in-use").unlink()
    assert verdict(folder) == "pairs 401"
    assert verdict(folder) == "pairs 401"


def test_bytes_that_may_be_somebodys_are_set_aside_and_not_deleted(folder: Path) -> None:
    (folder / "1").mkdir(parents=True)
    (folder / "1" / "data.mdb").write_bytes(b"half of a first page")
    Environment.create(folder).close()
    assert (folder / "1" / "data.mdb.unfinished").read_bytes() == b"half of a first page"
    assert verdict(folder) == "pairs 0"
