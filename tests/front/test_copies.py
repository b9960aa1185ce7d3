"""A folder that was copied, restored or moved: nobody's writes are lost, and the person is told."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from tests.endtoend.device import found
from tests.transport.relay_process import RelayProcess
from vademecum import Vault
from vademecum.engine.slots import SlotMap
from vademecum.storage import installation


def copy(home: Path, to: Path) -> Path:
    shutil.copytree(home, to)
    return to


def copy_unseen(home: Path, to: Path) -> Path:
    """A copy that nothing in it shows, as of a whole virtual machine."""
    copy(home, to)
    installation.note_place(to)
    return to


def sync(*homes: Path) -> None:
    """Syncs one after another, twice, so that all have what all had."""
    for home in (*homes, *homes):
        with Vault.open(home) as vault:
            report = asyncio.run(vault.sync_once())
            assert report.state == "synced", (home, report.problems)


def tree(home: Path) -> dict[str, object]:
    with Vault.open(home) as vault:
        return {f"{leaf.scope} {leaf.path}": leaf.value for leaf in vault.user.leaves()}


def everything(home: Path) -> dict[str, object]:
    """All slots and the whole journal, as must be equal on all devices."""
    with Vault.open(home) as vault, vault.replica.read() as view:
        slots = {
            (scope, slot_map.name, name, slot.by_person, slot.device): slot.data
            for scope in view.scopes()
            for slot_map in SlotMap
            for name, row in view.rows(scope, slot_map)
            for slot in row.slots
        }
        from vademecum.engine import journal

        names = view.scope_names()
        log = {(names[one.scope], one.name, one.device, one.record.order) for one in journal.entries(view.reader)}
        return {"slots": slots, "journal": log}


def codes(home: Path) -> list[str]:
    with Vault.open(home) as vault:
        return [problem.code for problem in vault.status().problems]


def write(home: Path, **values: object) -> None:
    with Vault.open(home) as vault:
        for path, value in values.items():
            vault.user.set(path, value)


def device_of(home: Path) -> str:
    return str(json.loads((home / "vault.json").read_text())["device"])


def check_equal(*homes: Path, **values: object) -> None:
    first, *others = (everything(home) for home in homes)
    for other in others:
        assert other == first
    shown = tree(homes[0])
    for path, value in values.items():
        assert shown[f"user.public {path}"] == value


@pytest.fixture
def relay(tmp_path: Path):  # type: ignore[no-untyped-def]
    with RelayProcess(tmp_path / "relay") as process:
        yield process


def test_a_copied_folder_becomes_a_device_of_its_own_before_it_writes(
    tmp_path: Path, relay: RelayProcess, caplog: pytest.LogCaptureFixture
) -> None:
    home, other = found(tmp_path, relay.url, 2)
    write(home, shared="sent", both="sent")
    sync(home, other)
    write(home, waiting="in the outbox of both", both="changed before the copy")
    twin = copy(home, tmp_path / "twin")

    assert tree(twin) == tree(home)  # reading does nothing
    assert codes(twin) == ["copied"] and device_of(twin) == device_of(home)
    assert not caplog.records
    write(twin, mine="the copy's", both="the copy's")
    write(home, yours="the original's")
    assert device_of(twin) != device_of(home)
    assert codes(twin) == ["device-renewed"] and codes(home) == []
    (told,) = caplog.records
    assert "copy of the device 'first'" in told.getMessage() and "'first (2)'" in told.getMessage()

    sync(twin, home, other)
    check_equal(
        home, twin, other, shared="sent", waiting="in the outbox of both", mine="the copy's", yours="the original's"
    )
    with Vault.open(other) as vault:
        names = {device.name for device in vault.status().devices}
    assert {"first", "first (2)", "device-1"} <= names
    with Vault.open(twin) as vault:
        assert vault.device_name == "first (2)"
    write(twin, again=1)
    write(home, again_too=2)
    sync(home, twin, other)
    check_equal(home, twin, other, again=1, again_too=2)


def test_two_copies_that_nothing_shows_are_told_apart_when_both_have_written(
    tmp_path: Path, relay: RelayProcess
) -> None:
    home, other = found(tmp_path, relay.url, 2)
    write(home, a="sent", b="sent")
    sync(home, other)
    write(home, waiting="in both outboxes")
    twin = copy_unseen(home, tmp_path / "twin")
    for where, name in ((home, "original"), (twin, "copy")):
        write(where, a=f"of the {name}")
        for number in range(3):
            write(where, **{name: number})
        with Vault.open(where) as vault:
            vault.user.set("secret", name, private=True)
            vault.agent("prix/eats@1").remember("diet", name, because=f"said to the {name}")
            vault.agent("prix/eats@1").remember("own", name, because=f"said to the {name}", scope="agent")
    sync(home)
    with Vault.open(twin) as vault:
        vault.ledger().seal_pending()
    write(twin, late="and some in the outbox")
    assert codes(twin) == []
    sync(twin)
    assert codes(twin) == ["device-renewed"] and codes(home) == [] and device_of(twin) != device_of(home)
    sync(home, other, twin)
    check_equal(home, twin, other, original=2, copy=2, late="and some in the outbox", waiting="in both outboxes")
    assert tree(other)["user.public a"] == "of the copy" and tree(other)["user.private secret"] == "copy"
    with Vault.open(other) as vault:
        values = [change.value for change in vault.log(path="copy")]
        assert values == [2, 1, 0]
        values = [change.value for change in vault.log(path="a")]
        assert set(values) == {"of the copy", "of the original", "sent"}
