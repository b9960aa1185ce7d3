"""What can still be read of a damaged file is read, what is broken is passed over, and nothing wrong is given."""

from __future__ import annotations

import mmap
import random
from pathlib import Path

import pytest

from tests.storage.processes import run
from vademecum.storage.environment import Environment
from vademecum.storage.salvage import salvage, scan_loose
from vademecum.storage.tables import Table

PAGE = mmap.PAGESIZE
META = Table.META


def fill(folder: Path) -> tuple[Path, dict[Table, dict[bytes, bytes]]]:
    """A database with small and large values in several tables, some replaced and deleted since."""
    chance = random.Random(1)
    held: dict[Table, dict[bytes, bytes]] = {table: {} for table in Table}
    batch: list[tuple[Table, bytes, bytes]] = []
    environment = Environment.create(folder)
    for number in range(900):
        table = list(Table)[number % 3]
        key, value = b"%d" % (number % 700), chance.randbytes(chance.choice([0, 5, 60, 900, 3000, 20_000]) // 2)
        held[table][key] = value
        batch.append((table, key, value))
        if len(batch) == 9:
            environment.write(lambda writer: [writer.put(*row) for row in batch])
            batch.clear()
    for number in range(0, 200, 7):
        table = list(Table)[number % 3]
        key = b"%d" % number
        held[table].pop(key, None)
        environment.write(lambda writer, row=(table, key): writer.delete(*row))
    environment.close()
    return folder / "1" / "data.mdb", held


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, dict[Table, dict[bytes, bytes]]]:
    file, held = fill(tmp_path_factory.mktemp("filled") / "database")
    return file.read_bytes(), held


def test_a_sound_file_is_read_whole(filled: tuple[bytes, dict[Table, dict[bytes, bytes]]], tmp_path: Path) -> None:
    data, held = filled
    file = tmp_path / "data.mdb"
    file.write_bytes(data)
    found = salvage(file)
    assert found.pairs == held
    assert found.whole == set(Table)
    loose = scan_loose(file, set(Table))
    for table in Table:
        assert loose[table].keys() >= held[table].keys()


@pytest.mark.parametrize("seed", range(12))
def test_of_a_damaged_file_nothing_wrong_is_read(
    filled: tuple[bytes, dict[Table, dict[bytes, bytes]]], tmp_path: Path, seed: int
) -> None:
    data, held = filled
    chance = random.Random(seed)
    damaged = bytearray(data)
    for _ in range(chance.randint(1, 30)):
        at = chance.randrange(2 * PAGE, len(damaged))
        kind = chance.randrange(3)
        if kind == 0:
            damaged[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            damaged[at : at + 4000] = bytes(len(damaged[at : at + 4000]))
        else:
            damaged[at : at + 200] = chance.randbytes(len(damaged[at : at + 200]))
    if seed % 3 == 0:
        del damaged[chance.randrange(len(damaged) // 2, len(damaged)) :]
    file = tmp_path / "data.mdb"
    file.write_bytes(damaged)
    found = salvage(file)
    for table in Table:
        assert found.pairs[table].items() <= held[table].items()
        if table in found.whole:
            assert found.pairs[table] == held[table]


@pytest.mark.parametrize("data", [b"", b"x", bytes(100), bytes(10 * PAGE), b"\xff" * 5 * PAGE])
def test_of_a_file_that_is_none_nothing_is_read(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "data.mdb"
    file.write_bytes(data)
    found = salvage(file)
    assert not any(found.pairs.values())
    assert not found.whole
    assert not any(scan_loose(file, set(Table)).values())


def test_without_its_first_pages_the_others_are_still_found(
    filled: tuple[bytes, dict[Table, dict[bytes, bytes]]], tmp_path: Path
) -> None:
    data, held = filled
    file = tmp_path / "data.mdb"
    file.write_bytes(bytes(2 * PAGE) + data[2 * PAGE :])
    assert not salvage(file).whole
    loose = scan_loose(file, {META})
    assert loose[META].keys() >= held[META].keys()


def test_random_bytes_in_every_place_kill_no_process_that_opens_the_file(folder: Path, tmp_path: Path) -> None:
    """Each damage in one process after the other: it must say what is wrong, or give what was written."""
    fill(folder)
    said = run(
        """
import random, shutil
file = folder / "1" / "data.mdb"
sound = file.read_bytes()

def pairs():
    environment = Environment.open(folder)
    try:
        with environment.read() as reader:
            return {(table, key): value for table in Table for key, value in reader.scan(table)}
    finally:
        environment.close()

held = pairs()
chance = random.Random(7)
told = wrong = 0
for _ in range(25):
    damaged = bytearray(sound)
    at = chance.randrange(len(sound))
    kind = chance.randrange(4)
    if kind == 0:
        damaged[at] ^= 1 << chance.randrange(8)
    elif kind == 1:
        damaged[at : at + 5000] = bytes(len(damaged[at : at + 5000]))
    elif kind == 2:
        del damaged[at:]
    else:
        damaged[at : at + 64] = chance.randbytes(len(damaged[at : at + 64]))
    file.write_bytes(damaged)
    try:
        wrong += not (pairs().items() <= held.items())
    except DamagedStore:
        told += 1
say(told > 4, wrong)
""",
        folder,
    )
    assert said == ["True 0"]
