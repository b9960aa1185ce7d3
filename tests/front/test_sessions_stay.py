"""A session stays on its device, whatever befalls the device, until it is handed over; then it is on all of them."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import msgpack
import pytest

from tests.endtoend.device import found
from tests.front.test_doctor import mend
from tests.transport.relay_process import RelayProcess
from vademecum import Vault
from vademecum.storage.tables import Table

FOOD = "prix/daily-eats@1.0.0"
WORDS = "My sister Quokka hates cilantro."
SCOPE = "session/lunch"


@pytest.fixture
def relay(tmp_path: Path) -> Iterator[RelayProcess]:
    with RelayProcess(tmp_path / "relay") as process:
        yield process


def sync(*homes: Path) -> None:
    for home in (*homes, *homes):
        with Vault.open(home) as vault:
            assert asyncio.run(vault.sync_once()).state == "synced"


def said(home: Path) -> list[str]:
    with Vault.open(home) as vault:
        return [one.text for one in vault.agent(FOOD).session("lunch").messages()]


def stays(home: Path) -> bool:
    """Whether the session is here, local, and nothing of it waits to be sent; and the database is sound."""
    with Vault.open(home) as vault:
        (talk,) = vault.sessions()
        with vault.replica.read() as view:
            number = view.number(SCOPE)
            assert number is not None
            waits = view.reader.has(Table.OUTBOX, number)
        assert vault.check() == ()
        return talk.local and not waits


def log(home: Path, text: str = WORDS) -> None:
    with Vault.open(home) as vault:
        vault.agent(FOOD).session("lunch").log("user", text)


def hand_over(home: Path) -> None:
    with Vault.open(home) as vault:
        assert vault.session("lunch").hand_over()


def test_it_stays_until_it_is_handed_over_and_then_goes_on_everywhere(tmp_path: Path, relay: RelayProcess) -> None:
    home, other = found(tmp_path, relay.url, 2)
    log(home)
    with Vault.open(home) as vault:
        vault.user.set("name", "Alice")
        channels = len(vault.ledger().channels())
    sync(home, other)
    with Vault.open(home) as vault:
        assert len(vault.ledger().channels()) <= channels + 1, "only that of the name"
        assert vault.status().pending == 0
    assert stays(home) and said(other) == []
    hand_over(home)
    sync(home, other)
    assert said(other) == said(home) == [WORDS]
    log(other, "And I am here now.")
    sync(other, home)
    assert said(home) == said(other) == [WORDS, "And I am here now."]
    with Vault.open(other) as vault:
        assert vault.forget(session="lunch") == 2
    sync(other, home)
    assert said(home) == said(other) == []


def test_it_stays_with_a_copy_of_the_folder_too(tmp_path: Path, relay: RelayProcess) -> None:
    home, other = found(tmp_path, relay.url, 2)
    log(home)
    sync(home, other)
    twin = tmp_path / "twin"
    shutil.copytree(home, twin)
    log(twin, "I am the copy.")  # it becomes a device of its own
    sync(twin, home, other)
    assert stays(twin) and stays(home) and said(other) == []
    hand_over(home)
    sync(home, twin, other)
    assert stays(twin) and said(other) == [WORDS]
    hand_over(twin)
    sync(twin, other, home)
    assert said(other) == said(home) == said(twin) == [WORDS, "I am the copy."]


def test_it_stays_when_a_damaged_database_is_filled_again(tmp_path: Path, relay: RelayProcess) -> None:
    home, other = found(tmp_path, relay.url, 2)
    log(home)
    log(home, "And parsley.")
    sync(home, other)
    with Vault.open(home) as vault:
        vault.write(lambda transaction: transaction.writer.delete_prefix(Table.DOCUMENTS, b""))
    assert "were read and kept" in " ".join(mend(home))
    assert stays(home) and said(home) == [WORDS, "And parsley."]
    sync(home, other)
    assert stays(home) and said(other) == []
    hand_over(home)
    sync(home, other)
    assert said(other) == [WORDS, "And parsley."]


def test_a_sealed_vault_keeps_expires_and_forgets_it_without_a_byte_in_the_open(tmp_path: Path) -> None:
    home = tmp_path / "v"
    with Vault.create(home, passphrase="correct horse battery") as vault:
        talk = vault.agent(FOOD).session("lunch", lifetime=timedelta(milliseconds=1))
        talk.pin(talk.log("assistant", WORDS))
        assert talk.context(100)[0]["content"] == WORDS
        assert [one.pinned for one in talk.messages()] == [True]
        kept = vault.agent(FOOD).session("trip")
        kept.log("user", WORDS)
        assert vault.expire_sessions() == (1, 1)
        assert [one.id for one in vault.sessions()] == ["trip"] and vault.check() == ()
        assert vault.forget(session="trip") == 1 and vault.sessions() == []
    for file in home.rglob("*"):
        assert not file.is_file() or b"Quokka" not in file.read_bytes()


def test_compacting_leaves_it_as_it_is(tmp_path: Path) -> None:
    home = tmp_path / "v"
    with Vault.create(home) as vault:
        talk = vault.agent(FOOD).session("lunch")
        identity = talk.log("user", WORDS)
        for _ in range(3):
            talk.pin(identity)
            talk.unpin(identity)
        vault.compact()
        assert [one.text for one in talk.messages()] == [WORDS]
    assert stays(home)


LOGGER = """
import sys
from vademecum import Vault
with Vault.open(sys.argv[1]) as vault:
    talk = vault.agent("prix/daily-eats@1.0.0").session("lunch")
    for number in range(40):
        talk.log("user", f"{sys.argv[2]} {number}")
"""


def test_several_processes_log_into_one_session_and_no_message_or_signal_is_lost(tmp_path: Path) -> None:
    home = tmp_path / "v"
    Vault.create(home).close()
    running = [subprocess.Popen([sys.executable, "-c", LOGGER, str(home), f"p{number}"]) for number in range(3)]
    assert [one.wait(60) for one in running] == [0, 0, 0]
    with Vault.open(home) as vault:
        messages = vault.session("lunch").messages()
        assert vault.waiting().signals == 120
        assert vault.check() == ()
    ids = [one.id for one in messages]
    assert ids == sorted(set(ids)) and len(ids) == 120
    for number in range(3):
        mine = [one.text for one in messages if one.text.startswith(f"p{number} ")]
        assert mine == [f"p{number} {at}" for at in range(40)]


def test_what_expired_is_in_no_index_once_it_has_caught_up(tmp_path: Path) -> None:
    with Vault.create(tmp_path / "v") as vault:
        talk = vault.agent(FOOD).session("lunch", lifetime=timedelta(milliseconds=1))
        talk.log("assistant", WORDS)
        vault.index()
        assert [one.text for one in vault.recall("cilantro")] == [f"assistant: {WORDS}"]
        assert vault.expire_sessions() == (1, 1)
        assert not vault.recall("cilantro")
        vault.index()
        assert vault.check() == ()
        with vault.replica.read() as view:
            assert not any(view.reader.count(table) for table in (Table.REINDEX, Table.EMBED))
            assert not any(msgpack.unpackb(data)[3] for _, data in view.reader.scan(Table.VECTORS))
