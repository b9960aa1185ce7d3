"""A relay that loses what it had, or a device's folder that is copied: nothing is lost in silence, and what is said
about it is said in names.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from urllib.parse import urlsplit

from tests.endtoend.device import join
from vademecum import Vault
from vademecum.transport.contract import Problem
from vademecum.transport.relay.server import running

HEX = re.compile(r"[0-9a-f]{32}")


def _in_names(problems: tuple[Problem, ...]) -> str:
    said = " ".join(one.message for one in problems)
    assert not HEX.search(said), said
    return said


async def test_a_relay_that_lost_its_data_is_said_to_have_and_gets_it_again(tmp_path: Path) -> None:
    with Vault.create(tmp_path / "a", device_name="laptop") as a:
        async with running(tmp_path / "one") as relay:
            a.use_relay(relay.url)
            a.user.set("name", "Alice")
            a.user.set("secret", "x", private=True)
            await a.sync_once()
            port = urlsplit(relay.url).port
            assert port is not None
        async with running(tmp_path / "two", port=port):
            report = await a.sync_once()
            assert {one.code for one in report.problems} == {"relay-rewound"}
            for said in (_in_names(report.problems), _in_names(a.status().problems)):
                assert "'laptop'" in said and "user.public" in said and "user.private" in said
            await join(a, tmp_path / "b", relay.url)
            with Vault.open(tmp_path / "b") as b:
                await b.sync_once()
                assert b.user.tree() == a.user.tree()


async def test_two_copies_of_a_device_that_both_wrote_are_named_and_keep_what_they_have(tmp_path: Path) -> None:
    async with running(tmp_path / "relay") as relay:
        with Vault.create(tmp_path / "a", device_name="laptop") as a:
            a.use_relay(relay.url)
            a.user.set("name", "Alice")
            await a.sync_once()
        shutil.copytree(tmp_path / "a", tmp_path / "copy")
        with Vault.open(tmp_path / "a") as a, Vault.open(tmp_path / "copy") as copy:
            a.user.set("who", "original")
            copy.user.set("who", "copy")
            await a.sync_once()
            report = await copy.sync_once()
            assert report.state == "blocked"
            assert "'laptop'" in _in_names(report.problems) and "user.public" in _in_names(report.problems)
            status = copy.status()
            assert status.state == "blocked" and status.pending > 0
            _in_names(status.problems)
            assert (a.user.get("who"), copy.user.get("who")) == ("original", "copy")
