"""Letting go of the past in place: what stays is what the retention says, and others learn of nothing that is gone."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from vademecum import Vault
from vademecum.engine.retention import Retention
from vademecum.engine.scopes import PUBLIC
from vademecum.engine.settings import keep_retention
from vademecum.engine.trimming import RENEW_BYTES, trim, unkept
from vademecum.storage.tables import Table

LEAST = Retention(days=1, bytes=0, newest=1)


def _unkept(vault: Vault, retention: Retention) -> list[bytes]:
    with vault.replica.read() as view:
        return unkept(view, PUBLIC, retention, vault.replica.wall())


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
