"""``vademecum doctor`` finds what is wrong, says it, repairs what can be, and calls nothing sound wrong."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.endtoend.device import join
from tests.front.cli_runs import Call, in_process, program
from tests.transport.relay_process import RelayProcess
from vademecum import Vault
from vademecum.doctor import Level, examine, is_sound
from vademecum.engine import journal
from vademecum.engine.replica import Transaction
from vademecum.engine.slots import SlotMap, decode_row, encode_row
from vademecum.engine.view import row_key
from vademecum.errors import DamagedStore, NoRelay
from vademecum.repair import repair
from vademecum.storage.tables import Table

FOOD = "prix/daily-eats@1.0.0"
Memory = dict[str, object]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return in_process(capsys)


@pytest.fixture(scope="module")
def relay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RelayProcess]:
    with RelayProcess(tmp_path_factory.mktemp("relay")) as running:
        yield running


def write(vault: Vault, start: int, count: int = 25) -> None:
    food = vault.agent(FOOD)
    for number in range(start, start + count):
        vault.user.set(f"person.p{number}", f"value {number} " * (number % 40), private=number % 3 == 0)
        food.remember(f"agent.a{number}", number, because=f"I said {number}", scope="agent" if number % 2 else "user")
        vault.user.set(f"person.p{start}", number)
    vault.user.forget(f"person.p{start + 1}")


def memory(vault: Vault) -> Memory:
    return {f"{leaf.scope} {leaf.path}": leaf.value for leaf in vault.user.leaves()}


def history(vault: Vault) -> set[tuple[object, ...]]:
    """Every change but those whose value was forgotten before it was ever sent."""
    return {(one.path, one.at, one.what, str(one.value)) for one in vault.log() if not one.forgotten}


def codes(home: Path) -> set[str]:
    return {one.code for one in examine(home) if one.level is not Level.NOTE}


def database(home: Path) -> Path:
    store = home / "store"
    return store / (store / "current").read_text().strip() / "data.mdb"


def mend(home: Path, relay: str | None = None) -> tuple[str, ...]:
    return asyncio.run(repair(home, examine(home), relay))


# --- what is sound is called sound ---


def test_a_vault_in_use_is_sound(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Vault.create(home) as vault:
        assert vault.check() == ()
        write(vault, 0)
        vault.forget(agent="prix/daily-eats")
        write(vault, 100)
        assert vault.check() == ()
        vault.recall("value")
        vault.index()
        vault.user.set("person.p3", "other")
        assert vault.check() == ()
        vault.compact()
        assert vault.check() == ()
    assert examine(home) == ()


def test_two_devices_that_synced_are_sound(tmp_path: Path, relay: RelayProcess) -> None:
    with Vault.create(tmp_path / "a") as a:
        a.use_relay(relay.url)
        write(a, 0)
        asyncio.run(a.sync_once())
        asyncio.run(join(a, tmp_path / "b", relay.url))
        with Vault.open(tmp_path / "b") as b:
            asyncio.run(b.sync_once())
            write(b, 10)
            write(a, 20)
            a.forget(agent=FOOD)
            for vault in (a, b, a, b):
                asyncio.run(vault.sync_once())
            assert memory(a) == memory(b)
            assert (a.check(), b.check()) == ((), ())


# --- what is derived ---


def spoil_rows(transaction: Transaction) -> None:
    for key, data in list(transaction.writer.scan(Table.LEAVES))[:4]:
        row = decode_row(data)
        transaction.writer.put(Table.LEAVES, key, encode_row(row._replace(live=False)))


def drop_rows(transaction: Transaction) -> None:
    for key in list(transaction.writer.keys(Table.LEAVES))[::3]:
        transaction.writer.delete(Table.LEAVES, key)


def drop_history(transaction: Transaction) -> None:
    transaction.writer.delete_prefix(Table.HISTORY, next(transaction.writer.keys(Table.HISTORY))[:8])


def invent_history(transaction: Transaction) -> None:
    transaction.writer.put(Table.HISTORY, next(transaction.writer.keys(Table.HISTORY)) + b"x", b"")


def drop_journal(transaction: Transaction) -> None:
    number = transaction.number("user.public")
    assert number is not None
    for name, row in list(transaction.rows("user.public", SlotMap.LEAVES))[:3]:
        slot = row.slots[0]
        key = journal.entry_key(number, row_key(SlotMap.LEAVES, name), slot.record.order, slot.device)
        assert transaction.writer.delete(Table.JOURNAL, key)


def spoil_vectors(transaction: Transaction) -> None:
    transaction.writer.delete(Table.VECTOR_LOG, next(transaction.writer.keys(Table.VECTOR_LOG)))


DERIVED: dict[str, tuple[Callable[[Transaction], None], set[str]]] = {
    "rows with another verdict than the law's": (spoil_rows, {"rows"}),
    "rows that are gone": (drop_rows, {"rows", "text-index"}),
    "a history that lacks entries": (drop_history, {"history"}),
    "a history of nothing": (invent_history, {"history"}),
    "a journal that lacks what stands in a slot": (drop_journal, {"journal-lacks", "history"}),
    "a vector without its place": (spoil_vectors, {"vectors"}),
}


@pytest.mark.parametrize("damage", DERIVED)
def test_what_is_derived_is_found_and_made_anew(tmp_path: Path, damage: str) -> None:
    spoil, expected = DERIVED[damage]
    home = tmp_path / "home"
    with Vault.create(home) as vault:
        write(vault, 0, 8)
        vault.index()
        before, log = memory(vault), len(vault.log())
        vault.write(spoil)
    assert "rows" in expected or codes(home) == expected
    assert expected & codes(home)
    said = mend(home)
    assert "Nothing was lost" in said[0]
    assert examine(home) == ()
    with Vault.open(home) as vault:
        assert memory(vault) == before
        assert len(vault.log()) == log
        assert vault.recall("value 5")[0].path == "person.p5"


@pytest.mark.parametrize("content", [None, b"", b"not a database" * 1000])
def test_a_text_index_that_is_gone_or_damaged_is_no_loss(tmp_path: Path, content: bytes | None) -> None:
    home = tmp_path / "home"
    with Vault.create(home) as vault:
        write(vault, 0, 8)
        vault.recall("value")
    for file in (home / "index").glob("text.sqlite*"):
        file.unlink()
    if content is not None:
        (home / "index" / "text.sqlite").write_bytes(content)
        mend(home)
    assert examine(home) == ()
    with Vault.open(home) as vault:
        assert vault.recall("value 5")[0].path == "person.p5"


# --- what is not ---


def test_a_chain_with_a_gap_an_altered_commit_and_a_wrong_frontier_are_found(tmp_path: Path) -> None:
    def gap(transaction: Transaction) -> None:
        transaction.writer.delete(Table.COMMITS, list(transaction.writer.keys(Table.COMMITS))[1])

    def alter(transaction: Transaction) -> None:
        key, data = list(transaction.writer.scan(Table.COMMITS))[1]
        transaction.writer.put(Table.COMMITS, key, data[:-70] + bytes([data[-70] ^ 1]) + data[-69:])

    def cut(transaction: Transaction) -> None:
        transaction.writer.delete(Table.COMMITS, list(transaction.writer.keys(Table.COMMITS))[-1])

    for number, (spoil, code) in enumerate(((gap, "chain"), (alter, "chain"), (cut, "frontier"))):
        home = tmp_path / str(number)
        with Vault.create(home) as vault:
            for value in range(4):
                vault.user.set("name", value)
                vault.ledger().seal_pending()
            assert vault.check() == ()
            vault.write(spoil)
        assert codes(home) == {code}


# --- damaged files ---


def damage_file(file: Path, kind: str, chance: random.Random) -> None:
    data = bytearray(file.read_bytes())
    for _ in range(20):
        at = chance.randrange(len(data))
        if kind == "flip":
            data[at] ^= 1 << chance.randrange(8)
        elif kind == "zero":
            data[at : at + 8192] = bytes(len(data[at : at + 8192]))
        elif kind == "noise":
            data[at : at + 300] = chance.randbytes(len(data[at : at + 300]))
    if kind == "cut":
        del data[chance.randrange(len(data) // 2) :]
    elif kind == "wipe":
        data = bytearray(len(data))
    file.write_bytes(data)


@pytest.fixture
def synced(tmp_path: Path, relay: RelayProcess) -> Path:
    """The home of a device whose every write the relay has, with another device's among them."""
    with Vault.create(tmp_path / "a") as a:
        a.use_relay(relay.url)
        write(a, 0)
        asyncio.run(a.sync_once())
        asyncio.run(join(a, tmp_path / "b", relay.url))
        with Vault.open(tmp_path / "b") as b:
            asyncio.run(b.sync_once())
            write(b, 50)
            asyncio.run(b.sync_once())
        write(a, 100, 5)
        asyncio.run(a.sync_once())
    return tmp_path / "a"


def test_a_file_damaged_again_and_again_is_reported_and_filled_again_from_the_relay(
    synced: Path, relay: RelayProcess
) -> None:
    chance = random.Random(5)
    repaired = 0
    for number, kind in enumerate(["zero", "wipe", "flip", "cut", "noise"]):
        with Vault.open(synced) as vault:
            vault.user.set(f"written.n{number}", number)
            assert asyncio.run(vault.sync_once()).state == "synced"
            expected, log = memory(vault), history(vault)
        damage_file(database(synced), kind, chance)
        done = program("doctor", "--repair", "--relay", relay.url, "--home", synced)
        assert done.code == 0, f"{kind}: {done.out} {done.err}"
        repaired += "broken:" in done.out
        with Vault.open(synced) as vault:
            assert memory(vault) == expected
            assert history(vault) == log
            assert vault.check() == ()
            assert asyncio.run(vault.sync_once()).state == "synced"
            assert vault.status().problems == ()
    assert repaired > 2, "some damage may have hit unused bytes"
    with Vault.open(synced.parent / "b") as other:
        assert asyncio.run(other.sync_once()).state == "synced"
        assert memory(other) == expected
        assert other.check() == ()


@pytest.mark.parametrize("kind", ["wipe", "zero", "cut"])
def test_a_damaged_sealed_file_is_filled_again_and_stays_sealed(
    synced: Path, relay: RelayProcess, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VADEMECUM_PASSPHRASE", "correct horse battery")
    with Vault.open(synced) as vault:
        vault.user.set("written.sealed", "an axolotl")
        vault.seal("correct horse battery")
    with Vault.open(synced) as vault:
        assert asyncio.run(vault.sync_once()).state == "synced"
        expected, log = memory(vault), history(vault)
    damage_file(database(synced), kind, random.Random(kind))
    done = program("doctor", "--repair", "--relay", relay.url, "--home", synced)
    assert done.code == 0, f"{done.out} {done.err}"
    with Vault.open(synced) as vault:
        assert vault.sealed == "passphrase"
        assert (memory(vault), history(vault)) == (expected, log)
        assert vault.check() == ()
        assert asyncio.run(vault.sync_once()).state == "synced"
    assert not [file for file in synced.rglob("*") if file.is_file() and b"axolotl" in file.read_bytes()]


def test_what_was_not_sent_is_read_from_the_damaged_file(synced: Path) -> None:
    with Vault.open(synced) as vault:
        vault.user.set("unsent.one", "kept")
        vault.agent(FOOD).remember("unsent.two", 2, because="I said two")
        vault.user.forget("person.p104")
        expected = memory(vault)
        vault.write(lambda transaction: transaction.writer.delete_prefix(Table.DOCUMENTS, b""))
    assert codes(synced) == {"document-lacks", "rows"}
    said = " ".join(mend(synced))
    assert "not yet sent were read and kept" in said
    assert is_sound(examine(synced))
    with Vault.open(synced) as vault:
        assert memory(vault) == expected
        assert asyncio.run(vault.sync_once()).state == "synced"
    with Vault.open(synced.parent / "b") as other:
        asyncio.run(other.sync_once())
        assert memory(other) == expected


def test_a_vault_without_a_relay_keeps_what_can_be_read_of_its_file(tmp_path: Path) -> None:
    """One value is damaged wherever it stands, in the document too, so that nothing written later can be read there."""
    home = tmp_path / "home"
    with Vault.create(home) as vault:
        write(vault, 0)
        vault.user.set("lost.value", "heliotrope")
        write(vault, 30, 5)
        expected = memory(vault)
    file = database(home)
    file.write_bytes(file.read_bytes().replace(b"heliotrope", b"heliatrope"))
    assert codes(home) == {"damaged"}
    said = " ".join(mend(home))
    assert "may be lost in part" in said
    assert is_sound(examine(home))
    with Vault.open(home) as vault:
        assert memory(vault) == {path: value for path, value in expected.items() if value != "heliotrope"}
        assert vault.why("person.p3").history


def test_without_the_list_of_devices_the_memory_can_be_used_and_the_relay_has_the_list(
    synced: Path, relay: RelayProcess
) -> None:
    with Vault.open(synced) as vault:
        vault.user.set("unsent", "kept")
        expected = memory(vault)
        vault.write(lambda transaction: transaction.writer.delete_prefix(Table.ROSTER, b""))
        vault.write(lambda transaction: transaction.writer.delete(Table.META, b"relay"))
        vault.replica.environment.replace()
    assert codes(synced) == {"roster"}
    assert "used here and not be synced" in mend(synced)[0]
    assert codes(synced) == {"roster"}
    with Vault.open(synced) as vault:
        assert memory(vault) == expected
    mend(synced, relay.url)
    assert is_sound(examine(synced))
    with Vault.open(synced) as vault:
        assert memory(vault) == expected
        assert asyncio.run(vault.sync_once()).state == "synced"


def test_without_a_relay_and_without_anything_to_read_it_says_so_and_changes_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Vault.create(home) as vault:
        write(vault, 0, 3)
    file = database(home)
    file.write_bytes(bytes(file.stat().st_size))
    with pytest.raises(NoRelay, match="--relay"):
        mend(home)
    with pytest.raises(DamagedStore):
        Vault.open(home)
    assert sorted(one.name for one in (home / "store").iterdir() if one.is_dir()) == ["1"]
    assert not list(home.glob(".repair-*"))


def test_the_command_tells_and_repairs(call: Call, tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert call("init", "--home", home).code == 0
    assert call("set", "name", "Alice", "--home", home).code == 0
    assert call("doctor", "--home", home, "--json").json == {"sound": True, "findings": [], "repaired": []}
    assert "sound" in call("doctor", "--home", home).out
    with Vault.open(home) as vault:
        vault.write(drop_rows)
    said = call("doctor", "--home", home)
    assert said.code == 1
    assert "derived:" in said.out
    assert call("doctor", "--repair", "--home", home, "--json").json["repaired"]
    assert call("get", "name", "--home", home).out == "Alice\n"
