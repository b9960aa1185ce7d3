"""Every format that was ever written is opened, read and written to; a newer one is refused by name; and a migration
that fails has changed nothing.
"""

from __future__ import annotations

import mmap
import sys
import zipfile
from pathlib import Path

import pytest

from tests.formats import make_vault
from tests.storage.processes import run
from vademecum import Vault
from vademecum.doctor import examine, is_sound
from vademecum.errors import DamagedStore, NewerFormat, NotFound
from vademecum.storage import formats
from vademecum.storage.environment import Environment
from vademecum.storage.migrations import MIGRATIONS, Migration, bring_up
from vademecum.storage.tables import Table
from vademecum.storage.transaction import Writer

STORED = sorted(Path(__file__).parent.glob("vault-*.zip"))
META = Table.META

here = pytest.mark.skipif(
    sys.byteorder != "little" or sys.maxsize < 2**32 or mmap.PAGESIZE != 4096,
    reason="the stored vaults come from a machine with another page size or byte order",
)


def test_every_format_has_a_stored_vault_and_a_way_to_the_newest() -> None:
    assert [file.stem for file in STORED] == [f"vault-{number}" for number in sorted(formats.FORMATS)]
    assert [one.to for one in MIGRATIONS] == list(range(2, formats.newest() + 1))


@pytest.fixture(params=STORED, ids=lambda file: file.stem)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    with zipfile.ZipFile(request.param) as archive:
        archive.extractall(tmp_path / "home")
    return tmp_path / "home"


@here
def test_a_stored_vault_is_read(home: Path) -> None:
    with Vault.open(home) as vault:
        for path, value in make_vault.PUBLIC.items():
            assert vault.user.get(path) == value
        for path, value in make_vault.PRIVATE.items():
            assert vault.user.leaf(path, scope="user.private").value == value
        for path, value in make_vault.FOOD_SCOPE.items():
            assert vault.user.leaf(path, scope="agent/prix/daily-eats").value == value
        for gone in ("address", "passing"):
            with pytest.raises(NotFound):
                vault.user.get(gone)
        why = vault.why("diet")
        assert make_vault.WORDS in str(why)
        assert [str(one.value) for one in vault.log(path="home.city")] == make_vault.HISTORY[::-1]
        assert vault.recall("what does she eat")[0].path == "diet"
        assert [device.name for device in vault.status().devices if device.this] == ["laptop"]


@here
def test_a_stored_vault_is_sound_and_can_be_written_to(home: Path) -> None:
    assert is_sound(examine(home))
    with Vault.open(home) as vault:
        vault.user.set("name", "Bob")
        vault.agent(make_vault.FOOD).remember("new", 1, because="just now")
        vault.compact()
    with Vault.open(home) as vault:
        assert (vault.user.get("name"), vault.user.get("new")) == ("Bob", 1)
        assert vault.user.get("waiting") == "not yet sent"
    assert is_sound(examine(home))


# --- a format to come ---


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch) -> None:
    """This program is a later one, with a second and a third format."""
    monkeypatch.setattr(formats, "FORMATS", {1: "0.1.0", 2: "0.4.0", 3: "7.0.0"})


def to_second(writer: Writer) -> None:
    writer.put(META, b"second", writer.get(META, b"a") or b"")


def to_third(writer: Writer) -> None:
    writer.put(META, b"third", writer.get(META, b"second") or b"")


STEPS = (Migration(2, to_second), Migration(3, to_third))


@pytest.fixture
def first(tmp_path: Path) -> Path:
    folder = tmp_path / "database"
    environment = Environment.create(folder)
    environment.write(lambda writer: writer.put(META, b"a", b"1"))
    environment.close()
    return folder


def test_an_older_database_is_brought_up_in_one_go_and_a_copy_is_kept(
    first: Path, newer: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (first / "1" / "data.mdb").read_bytes()
    environment = Environment.open(first)
    assert bring_up(environment, STEPS)
    assert not bring_up(environment, STEPS)
    with environment.read() as reader:
        assert dict(reader.scan(META)) == {b"a": b"1", b"second": b"1", b"third": b"1"}
    environment.replace()
    assert environment.format == 3
    environment.close()
    assert (first / "1.format-1" / "data.mdb").read_bytes() == before
    assert (first / environment.number / "format").read_text() == "3 7.0.0\n"
    monkeypatch.undo()
    with pytest.raises(NewerFormat, match=r"format 3, which takes vademecum 7\.0\.0 or newer.*up to 1"):
        Environment.open(first)


def test_what_was_kept_is_opened_again_by_the_older_program(
    first: Path, newer: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = Environment.open(first)
    bring_up(environment, STEPS)
    environment.close()
    monkeypatch.undo()
    (first / "1.format-1").rename(first / "1")
    (first / "current").write_text("1\n")
    environment = Environment.open(first)
    assert environment.format == 1
    with environment.read() as reader:
        assert reader.get(META, b"a") == b"1"
    environment.close()


def test_a_migration_that_fails_half_way_has_changed_nothing(first: Path, newer: None) -> None:
    def fail(writer: Writer) -> None:
        to_third(writer)
        raise ValueError("half way")

    environment = Environment.open(first)
    with pytest.raises(ValueError, match="half way"):
        bring_up(environment, (STEPS[0], Migration(3, fail)))
    assert environment.format == 1
    with environment.read() as reader:
        assert dict(reader.scan(META)) == {b"a": b"1"}
    assert sorted(one.name for one in first.iterdir() if one.is_dir()) == ["1"]
    assert bring_up(environment, STEPS)
    environment.close()


def test_a_migration_that_is_killed_half_way_has_changed_nothing(first: Path) -> None:
    said = run(
        """
from vademecum.storage import formats
from vademecum.storage.migrations import Migration, bring_up
formats.FORMATS = {1: "0.1.0", 2: "0.4.0"}

def die(writer):
    writer.put(META, b"second", b"")
    say("half way")
    os._exit(0)

bring_up(Environment.open(folder), (Migration(2, die),))
""",
        first,
    )
    assert said == ["half way"]
    environment = Environment.open(first)
    assert (environment.format, environment.number) == (1, "1")
    with environment.read() as reader:
        assert dict(reader.scan(META)) == {b"a": b"1"}
    environment.close()


def test_a_process_that_has_it_open_notices_that_it_became_newer(
    first: Path, newer: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is an older program: it must neither read nor write what it does not understand."""
    environment = Environment.open(first)
    monkeypatch.undo()
    run(
        """
from vademecum.storage import formats
from vademecum.storage.migrations import Migration, bring_up
formats.FORMATS = {1: "0.1.0", 2: "0.4.0"}
environment = Environment.open(folder)
bring_up(environment, (Migration(2, lambda writer: writer.put(META, b"second", b"")),))
environment.close()
""",
        first,
    )
    with pytest.raises(NewerFormat, match=r"0\.4\.0"):
        environment.write(lambda writer: writer.put(META, b"a", b"2"))
    with pytest.raises(NewerFormat), environment.read():
        pass
    environment.close()


@pytest.mark.parametrize("content", [b"", b"x", b"\xff", b"0 0.0.1\n", b"-1\n"])
def test_a_damaged_format_file_is_reported(first: Path, content: bytes) -> None:
    (first / "1" / "format").write_bytes(content)
    with pytest.raises(DamagedStore, match="format"):
        Environment.open(first)
