"""Letting go of the past in place: what stays is what the retention says, and others learn of nothing that is gone."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from tests.endtoend.device import Device, join, tree_of
from tests.engine.box import boxes
from vademecum import Vault
from vademecum.engine.retention import DAY_MS, Retention
from vademecum.engine.scopes import PUBLIC
from vademecum.engine.settings import keep_retention
from vademecum.engine.trimming import RENEW_BYTES, trim, unkept
from vademecum.storage.tables import Table
from vademecum.transport.relay.server import running

LEAST = Retention(days=1, bytes=0, newest=1)


def _unkept(vault: Vault, retention: Retention) -> list[bytes]:
    with vault.replica.read() as view:
        return unkept(view, PUBLIC, retention, device=vault.replica.device, wall_ms=vault.replica.wall())


def test_a_clock_that_runs_years_ahead_takes_nobodys_past_here_either(tmp_path: Path) -> None:
    with boxes(tmp_path, 2) as (a, b):
        for number in range(20):
            b.agent().remember("often", number, because=f"said {number}")
        b.give(a)
        with a.replica.read() as view:
            wall_ms = a.wall + 3650 * DAY_MS
            assert unkept(view, PUBLIC, Retention(), device=a.id, wall_ms=wall_ms) == []
            alone = unkept(view, PUBLIC, Retention(), device=b.id, wall_ms=wall_ms)
            assert len(alone) == 20 - Retention().newest, "for the only one that writes its own clock is all there is"


def _rows(vault: Vault, table: Table) -> int:
    with vault.replica.read() as view:
        return view.reader.count(table)


def test_the_newest_rows_of_a_living_leaf_stay_whatever_the_size(tmp_path: Path) -> None:
    with Vault.create(tmp_path / "home") as vault:
        for number in range(20):
            vault.user.set("a", number)
            vault.user.set("b", number)
        assert _unkept(vault, Retention()) == []
        for newest in (1, 3):
            assert len(_unkept(vault, LEAST._replace(newest=newest))) == 2 * (20 - newest)
        vault.replica.write(partial(trim, scope_name=PUBLIC, keys=_unkept(vault, LEAST._replace(newest=3))))
        assert [change.value for change in vault.log(path="a")] == [19, 18, 17]
        assert vault.user.get("a") == 19
        assert _rows(vault, Table.JOURNAL) == _rows(vault, Table.HISTORY)


def test_room_is_given_to_the_newest_rows(tmp_path: Path) -> None:
    with Vault.create(tmp_path / "home") as vault:
        for number in range(50):
            vault.user.set("a", number)
        gone = len(_unkept(vault, LEAST._replace(bytes=5_000)))
        assert 50 - 5_000 // 100 < gone < 40  # a row takes more than 100 bytes, and less than 500
        vault.replica.write(partial(trim, scope_name=PUBLIC, keys=_unkept(vault, LEAST._replace(bytes=5_000))))
        assert [change.value for change in vault.log(path="a")] == list(range(49, gone - 1, -1))


def test_compacting_a_vault_that_has_never_synced_lets_go_of_its_past_and_loses_no_value(tmp_path: Path) -> None:
    text = "x" * 400
    with Vault.create(tmp_path / "fresh") as fresh:
        fresh.user.set("a", {f"n{number}": f"{text}{9}" for number in range(50)})
        fresh.compact()
        least = fresh.replica.environment.file.stat().st_size
    with Vault.create(tmp_path / "worn") as worn:
        worn.write(lambda transaction: keep_retention(transaction, LEAST))
        for turn in range(10 + RENEW_BYTES // (50 * len(text))):
            worn.user.set("a", {f"n{number}": f"{text}{turn}" for number in range(50)})
        worn.user.set("a", {f"n{number}": f"{text}{9}" for number in range(50)})
        before = worn.replica.environment.file.stat().st_size
        worn.compact()
        assert worn.replica.environment.file.stat().st_size < 1.5 * least < before / 4
        assert {leaf.value for leaf in worn.user.leaves()} == {f"{text}{9}"}
        assert worn.status().pending > 0  # and all of it still waits to be sent


def test_a_document_that_nobody_has_seen_begins_again_and_then_syncs_whole(tmp_path: Path) -> None:
    """Another process of the device has the old document in memory; what it writes next goes into the new one."""
    home = tmp_path / "home"
    with Vault.create(home) as vault, Device(home) as other:
        other.ask("fill", name="other", count=3)
        vault.user.set("gone", 1)
        for turn in range(60):
            for name in ("a", "b", "c"):  # in turn: what is overwritten then leaves a trace in the document
                vault.user.set(name, turn)
        vault.user.forget("gone")
        before = _clock(vault)
        vault.compact()
        assert before > 180 and _clock(vault) < 12
        other.ask("fill", name="again", count=3)
        vault.user.set("b", 1)
        tree = tree_of(vault)
        assert other.ask("tree") == tree

        async def join_and_sync() -> dict[str, dict[str, object]]:
            async with running(tmp_path / "relay") as relay:
                vault.use_relay(relay.url)
                await join(vault, tmp_path / "phone", relay.url)
                assert (await vault.sync_once()).problems == ()
                with Vault.open(tmp_path / "phone") as phone:
                    phone.user.set("from.phone", 1)
                    for each in (phone, vault, phone):
                        report = await each.sync_once()
                        assert (report.state, report.problems) == ("synced", ())
                    assert tree_of(phone) == tree_of(vault)
                return tree_of(vault)

        synced = asyncio.run(join_and_sync())
        tree["user.public"]["from.phone"] = 1
        assert synced == tree
        sent = _clock(vault)
        vault.compact()  # others have seen it now, so it does not begin again
        assert _clock(vault) == sent
        assert tree_of(vault) == tree


def _clock(vault: Vault) -> int:
    """How many operations this device has made in the public scope's document."""
    return vault.replica.write(lambda transaction: transaction.scope(PUBLIC).document.own_clock())
