"""A folder that was copied, restored or moved: nobody's writes are lost, and the person is told."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.endtoend.device import Device, expected, found, in_step, until
from tests.transport.relay_process import RelayProcess
from vademecum import Vault
from vademecum.engine import journal
from vademecum.engine.slots import SlotMap
from vademecum.errors import DamagedStore, RelayRefused, StorageTrouble
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
            if not name.startswith("purged/")  # what a device confirms when it has synced reaches the others later
            for slot in row.slots
        }
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
def relay(tmp_path: Path) -> Iterator[RelayProcess]:
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


@pytest.mark.parametrize("sealed", [True, False], ids=["in a commit", "in the outbox"])
@pytest.mark.parametrize("writes", [6, 0], ids=["before", "afterwards"])
def test_a_removal_of_what_the_copy_wrote_takes_nothing_away_from_the_original(
    tmp_path: Path, relay: RelayProcess, sealed: bool, writes: int
) -> None:
    """Operations are removed by number, and both copies have used the same ones. Here the removal comes before what it
    removes, as it can over the LAN.
    """
    home, other = found(tmp_path, relay.url, 2)
    write(home, shared="sent")
    sync(home, other)
    twin = copy_unseen(home, tmp_path / "twin")
    with Vault.open(twin) as vault:
        vault.agent("prix/eats@1").remember("diet", "vegan", because="said to the copy")
    sync(twin, other)
    with Vault.open(other) as vault:
        vault.user.forget("diet")
        vault.ledger().seal_pending()
        author = vault.ledger().device
        said = {
            channel: vault.ledger().commits_lacking(channel, dict.fromkeys(ends, 1 << 60) | {author: 0}, 1 << 20)
            for channel in vault.ledger().channels()
            if (ends := vault.ledger().frontier(channel))
        }
    values = {f"kept{number}": number for number in range(6)}
    write(home, **dict(list(values.items())[:writes]))
    with Vault.open(home) as vault:
        if sealed:
            vault.ledger().seal_pending()
        for channel, commits in said.items():
            assert vault.ledger().receive_by_hand(channel, commits).quarantined == ()
    assert codes(home) == ["device-renewed"]
    write(home, **values)
    assert {path: value for path, value in tree(home).items() if "kept" in path} == {
        f"user.public {path}": value for path, value in values.items()
    }
    sync(home, twin, other)
    first, *others = (everything(one)["slots"] for one in (home, twin, other))
    assert all(one == first for one in others)
    shown = tree(twin)
    assert {path: shown[f"user.public {path}"] for path in values} == values and "user.public diet" not in shown


def test_whichever_of_the_two_syncs_later_gives_way_even_with_nothing_to_send(
    tmp_path: Path, relay: RelayProcess
) -> None:
    home, other = found(tmp_path, relay.url, 2)
    write(home, a="sent")
    sync(home, other)
    twin = copy_unseen(home, tmp_path / "twin")
    write(twin, a="of the copy")
    sync(twin)
    assert codes(twin) == []
    sync(home)
    assert codes(home) == ["device-renewed"]
    write(home, b="after")
    sync(home, twin, other)
    check_equal(home, twin, other, a="of the copy", b="after")
    assert codes(twin) == []


def test_what_was_sealed_and_not_yet_sent_is_sent_by_either_and_once(tmp_path: Path, relay: RelayProcess) -> None:
    home, other = found(tmp_path, relay.url, 2)
    sync(home, other)
    write(home, a="sealed")
    with Vault.open(home) as vault:
        vault.ledger().seal_pending()
        sealed_by = vault.ledger().device
    twin = copy(home, tmp_path / "twin")
    write(twin, b="the copy's")
    with Vault.open(twin) as vault:
        assert vault.status().pending == 2  # the commit that is kept, and its own
    sync(twin)
    with Vault.open(twin) as vault:
        assert vault.status().pending == 0
    write(home, c="the original's")
    sync(home, other, twin)
    check_equal(home, twin, other, a="sealed", b="the copy's", c="the original's")
    with Vault.open(other) as vault:
        assert [change.device for change in vault.log(path="a")] == [sealed_by]


def test_the_original_may_be_gone(tmp_path: Path, relay: RelayProcess) -> None:
    home, other = found(tmp_path, relay.url, 2)
    write(home, a="sent")
    sync(home, other)
    write(home, a="waiting", b="waiting")
    with Vault.open(home) as vault:
        vault.ledger().seal_pending()
    write(home, a="waiting longer", c="waiting longer")
    twin = copy(home, tmp_path / "twin")
    shutil.rmtree(home)
    sync(twin, other)
    check_equal(twin, other, a="waiting longer", b="waiting", c="waiting longer")
    with Vault.open(other) as vault:
        assert [change.value for change in vault.log(path="a")] == ["waiting longer", "waiting", "sent"]


def test_a_backup_restored_after_further_syncs_takes_up_what_was_done_since(
    tmp_path: Path, relay: RelayProcess
) -> None:
    home, other = found(tmp_path, relay.url, 2)
    write(home, a="before", gone="before", agent_s="before")
    sync(home, other)
    write(home, waiting="before")
    backup = copy(home, tmp_path / "backup")
    write(home, a="after", waiting="after")
    with Vault.open(home) as vault:
        vault.user.forget("gone")
    sync(home, other)
    write(home, lost="never sent, and not in the backup")
    shutil.rmtree(home)
    copy(backup, home)
    assert codes(home) == ["copied"]
    write(home, b="since the restore")
    sync(home, other)
    check_equal(home, other, a="after", waiting="after", b="since the restore")
    assert "user.public gone" not in tree(other) and "user.public lost" not in tree(home)


def test_an_old_database_put_back_into_its_folder_is_recognised(
    tmp_path: Path, relay: RelayProcess, caplog: pytest.LogCaptureFixture
) -> None:
    home, other = found(tmp_path, relay.url, 2)
    write(home, a="before")
    sync(home, other)
    store = home / "store" / (home / "store" / "current").read_text().strip() / "data.mdb"
    old = store.read_bytes()
    write(home, a="after", b="after")
    sync(home, other)
    with store.open("r+b") as file:  # the same file still
        file.truncate()
        file.write(old)
    assert codes(home) == ["copied"]
    with Vault.open(home) as vault:
        assert "backup" in vault.status().problems[0].message
    write(home, c="since")
    assert codes(home) == ["device-renewed"]
    assert "backup" in caplog.records[-1].getMessage()
    sync(home, other)
    check_equal(home, other, a="after", b="after", c="since")


def test_a_folder_that_was_renamed_or_moved_is_the_same(tmp_path: Path, relay: RelayProcess) -> None:
    (home,) = found(tmp_path, relay.url, 1)
    write(home, a=1)
    sync(home)
    device = device_of(home)
    (tmp_path / "deep").mkdir()
    moved = home.rename(tmp_path / "deep" / "renamed")
    write(moved, b=2)
    sync(moved)
    with Vault.open(moved) as vault:
        vault.compact()
    write(moved, c=3)
    assert codes(moved) == [] and device_of(moved) == device


def test_a_folder_copied_while_a_process_writes_into_it(tmp_path: Path, relay: RelayProcess) -> None:
    home, other = found(tmp_path, relay.url, 2)
    with Device(home, sync=True) as device:
        device.ask("fill", name="before", count=5)
        until("in step", lambda: device.ask("state")["state"] == "synced")
        twin = copy(home, tmp_path / "twin")  # between two writes: a file caught in the middle of one is damaged
        device.ask("fill", name="original", count=5)
        write(twin, mine="the copy's")
        with Device(twin, sync=True) as second:
            second.ask("fill", name="copy", count=5)
            until("in step", lambda: in_step([device, second]))
    sync(home, other, twin)
    check_equal(home, twin, other, mine="the copy's")
    shown = tree(other)
    for name in ("before", "original", "copy"):
        assert [shown[f"user.public {name}.n{number}"] for number in range(5)] == list(range(5))


def test_two_unseen_copies_that_stay_connected_come_into_step(tmp_path: Path, relay: RelayProcess) -> None:
    home, other = found(tmp_path, relay.url, 2)
    write(home, a="sent")
    sync(home, other)
    twin = copy_unseen(home, tmp_path / "twin")
    with Device(home, sync=True) as one, Device(twin, sync=True) as two:
        for number in range(3):
            for name, device in (("one", one), ("two", two)):
                device.ask("fill", name=f"{name}-{number}", count=4)
        until("in step", lambda: in_step([one, two]))
        one.ask("fill", name="last", count=1)
        until("in step", lambda: in_step([one, two]) and "last.n0" in two.ask("tree")["user.public"])
    assert device_of(home) != device_of(twin)
    sync(home, other, twin)
    check_equal(home, twin, other, a="sent")
    assert len(tree(other)) == 1 + 2 * 3 * 4 + 1


@pytest.mark.parametrize("seed", range(2))
def test_whatever_two_copies_write_the_devices_agree_with_the_model(
    tmp_path: Path, relay: RelayProcess, seed: int
) -> None:
    """The model knows every write by its order, and not under which name it was sent in the end."""
    home, other = found(tmp_path, relay.url, 2)
    homes = [home, other]
    everything_written = []
    with Device(home) as device:
        device.ask("write", seed=seed, count=20)
        everything_written += device.acknowledged
    sync(home, other)
    with Device(home) as device:
        device.ask("write", seed=seed + 100, count=10)
        everything_written += device.acknowledged
    homes.append((copy if seed % 2 else copy_unseen)(home, tmp_path / "twin"))
    for number, where in enumerate(homes):
        with Device(where) as device:
            device.ask("write", seed=seed + 200 + number, count=15)
            everything_written += device.acknowledged
    sync(*homes)
    first, *others = (everything(one)["slots"] for one in homes)
    assert others == [first, first]
    with Device(other) as device:
        shown = device.ask("tree")
    assert shown == expected(everything_written)


def test_a_copy_of_a_copy_and_a_second_copy_of_the_same_are_devices_too(tmp_path: Path, relay: RelayProcess) -> None:
    (home,) = found(tmp_path, relay.url, 1)
    write(home, a=0)
    sync(home)
    homes = [home]
    for number, source in enumerate((home, home, tmp_path / "copy-0"), 0):
        homes.append(copy(source, tmp_path / f"copy-{number}"))
        write(homes[-1], **{f"c{number}": number})
    sync(*homes)
    check_equal(*homes, a=0, c0=0, c1=1, c2=2)
    with Vault.open(home) as vault:
        names = [device.name for device in vault.status().devices if device.role != "recovery"]
    assert sorted(names) == ["first", "first (2)", "first (2)", "first (3)"]  # the second did not know of the first
    assert len({device_of(one) for one in homes}) == 4


def test_an_unseen_copy_that_is_copied_in_turn_leaves_no_fork(tmp_path: Path, relay: RelayProcess) -> None:
    home, other = found(tmp_path, relay.url, 2)
    write(home, a="sent")
    sync(home, other)
    twin = copy_unseen(home, tmp_path / "twin")
    write(home, b="original")
    sync(home)
    write(twin, c="copy")
    with Vault.open(twin) as vault:
        vault.ledger().seal_pending()  # a chain that forks from the original's, unknown to all
    third = copy(twin, tmp_path / "third")
    write(third, d="third")
    sync(third, twin, home, other)
    check_equal(home, other, twin, third, a="sent", b="original", c="copy", d="third")


def test_a_process_that_has_the_folder_open_goes_on_under_the_new_name(tmp_path: Path, relay: RelayProcess) -> None:
    home, other = found(tmp_path, relay.url, 2)
    write(home, a=1)
    sync(home, other)
    twin = copy(home, tmp_path / "twin")
    with Device(twin) as device:
        assert [one["code"] for one in device.ask("state")["problems"]] == ["copied"]
        write(twin, b=2)
        device.ask("set", path="c", value=3)
        state = device.ask("state")
        assert [one["code"] for one in state["problems"]] == ["device-renewed"]
        assert [one["name"] for one in state["devices"] if one["this"]] == ["first (2)"]
        own = device.ask("own")
    assert {one["path"]: one["device"] for one in own} == {"b": device_of(twin), "c": device_of(twin)}
    sync(twin, home, other)
    check_equal(home, twin, other, a=1, b=2, c=3)


def test_a_renewal_cut_short_after_its_transaction_is_finished_at_the_next_opening(
    tmp_path: Path, relay: RelayProcess
) -> None:
    home, other = found(tmp_path, relay.url, 2)
    write(home, a=1)
    sync(home, other)
    twin = copy(home, tmp_path / "twin")
    before = {name: (twin / name).read_bytes() for name in ("vault.json", "device.keys", "instance/token")}
    write(twin, b=2)
    device = device_of(twin)
    (twin / "device.keys").rename(twin / "device.keys.next")
    (twin / "instance" / "token").rename(twin / "instance" / "token.next")
    for name, content in before.items():
        (twin / name).write_bytes(content)
    assert codes(twin) == ["device-renewed"] and device_of(twin) == device
    assert not (twin / "device.keys.next").exists() and not (twin / "instance" / "token.next").exists()
    sync(twin, home, other)
    check_equal(home, twin, other, a=1, b=2)
    assert codes(twin) == ["device-renewed"]


def test_keys_of_a_renewal_that_never_was_are_in_nobodys_way(tmp_path: Path) -> None:
    home = tmp_path / "v"
    Vault.create(home).close()
    Vault.create(tmp_path / "w").close()
    shutil.copy(tmp_path / "w" / "device.keys", home / "device.keys.next")
    write(home, a=1)
    (home / "device.keys.next").write_bytes(b"half of")
    write(home, a=2)
    assert codes(home) == [] and tree(home) == {"user.public a": 2}


def test_the_old_keys_do_not_stay_in_the_copy(tmp_path: Path) -> None:
    home = tmp_path / "v"
    Vault.create(home).close()
    twin = copy(home, tmp_path / "twin")
    secret = (home / "device.keys").read_bytes()
    write(twin, a=1)
    assert not any(secret in file.read_bytes() for file in twin.rglob("*") if file.is_file())


def test_a_database_of_a_device_that_the_folder_no_longer_is_is_refused(tmp_path: Path) -> None:
    home = tmp_path / "v"
    Vault.create(home).close()
    twin = copy(home, tmp_path / "twin")
    write(twin, a=1)
    shutil.rmtree(twin / "store")
    shutil.copytree(home / "store", twin / "store")
    with pytest.raises(DamagedStore, match="another device"):
        Vault.open(twin)


def test_a_copy_whose_device_is_not_a_member_is_told_so_and_keeps_everything(
    tmp_path: Path, relay: RelayProcess
) -> None:
    (home,) = found(tmp_path, relay.url, 1)
    with Vault.create(tmp_path / "stranger") as stranger:
        stranger.use_relay(relay.url)
        ledger = stranger.ledger()
        with Vault.open(home) as vault:
            ledger._vault = vault.ledger().vault  # logs in to a vault in whose roster it is not
        ledger.merge_roster = lambda statements: ledger.roster()  # type: ignore[method-assign]
        stranger.user.set("a", 1)
        with pytest.raises(RelayRefused):
            asyncio.run(stranger.sync_once())
        ledger._vault = stranger._vault_id
        status = stranger.status()
        assert status.state == "blocked" and status.pending == 1
        assert stranger.user.get("a") == 1


def test_a_copy_can_be_read_where_its_keys_are_lost_and_says_why_it_cannot_be_written(tmp_path: Path) -> None:
    home = tmp_path / "v"
    with Vault.create(home) as vault:
        vault.user.set("a", 1)
    twin = copy(home, tmp_path / "twin")
    (twin / "device.keys").unlink()
    with Vault.open(twin) as vault:
        for _ in range(2):
            with pytest.raises(StorageTrouble, match="keys"):
                vault.user.set("a", 2)
        assert vault.user.get("a") == 1
