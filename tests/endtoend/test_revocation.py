"""A device is revoked, with real processes and a real relay: on the command line, as the person does it."""

from __future__ import annotations

import asyncio
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.endtoend.device import join
from tests.front.cli_runs import Call, Outcome, Running, in_process, program
from tests.transport.relay_process import RelayProcess
from vademecum import Vault
from vademecum.transport.relay.lmdb_store import LmdbStore

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGTERM"), reason="needs signals")


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return in_process(capsys)


@pytest.fixture
def relay(tmp_path: Path) -> Iterator[RelayProcess]:
    with RelayProcess(tmp_path / "relay") as running:
        yield running


@pytest.fixture
def homes(tmp_path: Path, relay: RelayProcess) -> dict[str, Path]:
    """Three devices of one vault, all in step."""

    async def make() -> dict[str, Path]:
        made = {name: tmp_path / name for name in ("laptop", "phone", "tablet")}
        with Vault.create(made["laptop"], device_name="laptop") as laptop:
            laptop.user.set("name", "Alice")
            laptop.use_relay(relay.url)
            for name in ("phone", "tablet"):
                await join(laptop, made[name], relay.url)
                with Vault.open(made[name]) as joined:
                    await joined.sync_once()
        return made

    return asyncio.run(make())


def synced(call: Call, home: Path) -> Outcome:
    return call("sync", "--once", "--no-index", "--home", home)


def values(home: Path) -> dict[str, object]:
    with Vault.open(home) as vault:
        return {leaf.path: leaf.value for leaf in vault.user.leaves()}


def codes(call: Call, home: Path) -> tuple[str, set[str]]:
    status = call("status", "--json", "--home", home).json
    return status["state"], {problem["code"] for problem in status["problems"]}


def test_a_lost_phone_is_revoked(call: Call, homes: dict[str, Path], tmp_path: Path) -> None:
    """What it had sent stays, what it writes later does not come in and is carried over as text, and it is told."""
    laptop, phone, tablet = homes.values()
    call("set", "sent", "before", "--home", phone)
    assert synced(call, phone).code == 0
    call("set", "unsent", "on the phone alone", "--home", phone)

    gone = call("device", "revoke", "phone", "--home", laptop, "--json").json
    assert (gone["told"], gone["revoked"]["name"], gone["revoked"]["revoked"]["by"]) == (True, "phone", "laptop")

    refused = synced(call, phone)
    assert refused.code == 1
    assert "revoked by 'laptop'" in refused.refusal and "vademecum export" in refused.refusal
    assert codes(call, phone) == ("revoked", {"revoked"})
    assert values(phone) == {"name": "Alice", "sent": "before", "unsent": "on the phone alone"}

    call("set", "later", "sealed under a new key", "--home", laptop)
    assert synced(call, laptop).code == synced(call, tablet).code == 0
    assert values(tablet) == {"name": "Alice", "sent": "before", "later": "sealed under a new key"}
    assert codes(call, tablet) == ("synced", set())

    assert call("export", tmp_path / "phone.yaml", "--home", phone).code == 0
    assert call("import", tmp_path / "phone.yaml", "--no-index", "--home", laptop).code == 0
    assert values(laptop)["unsent"] == "on the phone alone"


def test_a_connected_device_is_shown_out_and_tries_no_more(
    call: Call, homes: dict[str, Path], relay: RelayProcess, tmp_path: Path
) -> None:
    laptop, phone, _ = homes.values()
    with Running("sync", "--no-index", "--home", phone) as connected:
        while connected.line() != "synced":
            pass
        assert call("device", "revoke", "phone", "--home", laptop).code == 0
        ended = connected.process.wait(timeout=20)
    assert ended == 1
    relay.kill()  # it does not even dial
    assert "revoked by 'laptop'" in synced(call, phone).refusal


def test_a_backup_of_a_device_that_was_revoked_since_is_told_so(
    call: Call, homes: dict[str, Path], tmp_path: Path
) -> None:
    laptop, phone, tablet = homes.values()
    shutil.copytree(phone, tmp_path / "backup")
    assert call("device", "revoke", "phone", "--home", laptop).code == 0
    shutil.rmtree(phone)
    shutil.copytree(tmp_path / "backup", phone)

    call("set", "restored", "and written since", "--home", phone)
    refused = synced(call, phone)
    assert refused.code == 1 and "revoked by 'laptop'" in refused.err and "vademecum export" in refused.err
    assert codes(call, phone) == ("revoked", {"revoked"})
    assert values(phone)["restored"] == "and written since"

    assert synced(call, laptop).code == synced(call, tablet).code == 0
    assert "restored" not in values(tablet)
    listed = call("device", "list", "--json", "--home", tablet).json
    assert [one["name"] for one in listed if one["revoked"]] == ["phone"]


def test_a_device_revoked_where_no_relay_can_be_reached_is_so_with_the_next_sync(
    call: Call, homes: dict[str, Path], relay: RelayProcess
) -> None:
    laptop, phone, tablet = homes.values()
    relay.kill()
    gone = call("device", "revoke", "phone", "--home", laptop)
    assert gone.code == 0 and "learn of it when this device next syncs" in gone.out
    relay.start()
    call("set", "in between", "v", "--home", phone)
    call("set", "between", "the phone had not been told", "--home", phone)
    assert synced(call, phone).code == 0
    assert synced(call, laptop).code == 0
    assert "revoked by 'laptop'" in synced(call, phone).refusal
    assert codes(call, laptop) == ("synced", {"author-revoked"})  # nobody held it when it was revoked: it is shown
    assert "between" not in values(laptop)
    assert synced(call, tablet).code == 0
    assert values(tablet) == values(laptop)


def test_two_who_revoke_each_other_are_both_out_and_a_third_goes_on(
    call: Call, homes: dict[str, Path], relay: RelayProcess
) -> None:
    """Through one relay the first statement wins: it lets the other device in no more."""
    laptop, phone, tablet = homes.values()
    relay.kill()
    assert call("device", "revoke", "phone", "--home", laptop).code == 0
    assert call("device", "revoke", "laptop", "--home", phone).code == 0
    relay.start()
    assert synced(call, laptop).code == 0
    assert "revoked by 'laptop'" in synced(call, phone).refusal
    assert synced(call, tablet).code == 0
    listed = call("device", "list", "--json", "--home", tablet).json
    assert [one["name"] for one in listed if one["revoked"]] == ["phone"]


def test_forgetting_waits_for_no_revoked_device_and_says_that_it_may_keep_a_copy(
    call: Call, homes: dict[str, Path]
) -> None:
    laptop, _, tablet = homes.values()
    call("forget", "name", "--home", laptop)
    for home in (laptop, tablet, laptop):
        assert synced(call, home).code == 0
    waiting = call("forget", "--status", "--json", "--home", laptop).json
    assert [one["devices"] for one in waiting["outstanding"]] == [["phone"]]
    assert call("device", "revoke", "phone", "--home", laptop).code == 0
    done = call("forget", "--status", "--json", "--home", laptop).json
    assert (done["complete"], done["outstanding"], done["revoked"]) == (True, [], ["phone"])
    assert call("forget", "--status", "--home", laptop).out.count("phone") == 1


def test_the_relay_learns_of_no_name(call: Call, homes: dict[str, Path], relay: RelayProcess, tmp_path: Path) -> None:
    laptop, _, tablet = homes.values()
    call("device", "rename", "tablet", "a name to be found", "--home", laptop)
    call("device", "revoke", "phone", "--home", laptop)
    assert synced(call, tablet).code == 0
    assert "a name to be found" in call("device", "list", "--home", tablet).out
    relay.kill()
    store = LmdbStore.open(tmp_path / "relay")
    store.close()
    held = b"".join(file.read_bytes() for file in (tmp_path / "relay").rglob("*") if file.is_file())
    assert b"a name to be found" not in held and b"phone" not in held


def test_a_device_is_meant_by_name_or_by_its_id_and_never_by_guess(call: Call, homes: dict[str, Path]) -> None:
    laptop, _, _ = homes.values()
    assert "a device cannot revoke itself" in call("device", "revoke", "laptop", "--home", laptop).refusal
    assert "no device" in call("device", "revoke", "recovery phrase", "--home", laptop).refusal
    assert "there are 'laptop', 'phone', 'tablet'" in call("device", "revoke", "phones", "--home", laptop).refusal
    assert "already" in call("device", "rename", "phone", "tablet", "--home", laptop).refusal
    listed = {one["name"]: one["id"] for one in call("device", "list", "--json", "--home", laptop).json}
    gone = call("device", "revoke", listed["phone"][:8], "--home", laptop, "--json").json
    assert gone["revoked"]["name"] == "phone"
    assert "already" in call("device", "revoke", "phone", "--home", laptop).refusal
    assert program("device", "revoke", "phone", "--home", laptop).code == 1
