"""A new device comes in by a code that works once, and brings nothing of a vault into the wrong hands."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.endtoend.device import join
from vademecum import Vault
from vademecum.errors import InvalidArgument, NoRelay, NotARelay, PairingFailed, RelayUnreachable, VaultExists
from vademecum.transport.relay.server import running


async def begin(vault: Vault, *, timeout: float = 20.0) -> tuple[str, asyncio.Task[object]]:
    shown: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    pairing: asyncio.Task[object] = asyncio.create_task(vault.pair(shown.set_result, timeout=timeout))
    await asyncio.wait([shown, pairing], return_when=asyncio.FIRST_COMPLETED)
    if pairing.done():
        await pairing
    return shown.result(), pairing


async def test_both_screens_show_the_same_fingerprint_and_the_member_the_new_name(tmp_path: Path) -> None:
    async with running(tmp_path / "relay") as relay:
        with Vault.create(tmp_path / "a") as a:
            a.use_relay(relay.url)
            code, pairing = await begin(a)
            b, fingerprint = await Vault.join(tmp_path / "b", code, relay=relay.url, device_name="my phone")
            with b:
                joined = await pairing
                assert joined.name == "my phone" and joined.fingerprint == fingerprint != ""  # type: ignore[attr-defined]
                assert b.relay == relay.url and b.ledger().vault == a.ledger().vault
                assert b.ledger().device != a.ledger().device and b.user.leaves() == []


async def test_a_code_may_be_typed_in_another_case_and_with_spaces(tmp_path: Path) -> None:
    async with running(tmp_path / "relay") as relay:
        with Vault.create(tmp_path / "a") as a:
            a.use_relay(relay.url)
            code, pairing = await begin(a)
            b, _ = await Vault.join(tmp_path / "b", f"  {code.upper()} ", relay=relay.url)
            b.close()
            await pairing


async def test_a_code_works_once(tmp_path: Path) -> None:
    async with running(tmp_path / "relay") as relay:
        with Vault.create(tmp_path / "a") as a:
            a.use_relay(relay.url)
            code, pairing = await begin(a)
            (await Vault.join(tmp_path / "b", code, relay=relay.url))[0].close()
            await pairing
            with pytest.raises(PairingFailed):
                await Vault.join(tmp_path / "c", code, relay=relay.url)
            assert not (tmp_path / "c" / "vault.json").exists()
            assert len([one for one in a.status().devices if one.role != "recovery"]) == 2


async def test_a_wrong_code_makes_nothing_and_uses_the_right_one_up(tmp_path: Path) -> None:
    async with running(tmp_path / "relay") as relay:
        with Vault.create(tmp_path / "a") as a:
            a.use_relay(relay.url)
            code, pairing = await begin(a)
            head, _, word = code.rpartition("-")
            wrong = f"{head}-{'acid' if word != 'acid' else 'acorn'}"
            with pytest.raises((PairingFailed, InvalidArgument)):
                await Vault.join(tmp_path / "b", wrong, relay=relay.url)
            assert not (tmp_path / "b").exists() or list((tmp_path / "b").iterdir()) == []
            if not pairing.done():
                pairing.cancel()
            with pytest.raises((PairingFailed, asyncio.CancelledError)):
                await pairing
            assert len([one for one in a.status().devices if one.role != "recovery"]) == 1


@pytest.mark.parametrize("code", ["", "x", "1-2-3", "no such code", "\0", "x" * 10_000])
async def test_what_is_no_code_is_refused_before_anything_is_made(tmp_path: Path, code: str) -> None:
    async with running(tmp_path / "relay") as relay:
        with pytest.raises((PairingFailed, InvalidArgument)):
            await Vault.join(tmp_path / "b", code, relay=relay.url)
    assert not (tmp_path / "b").exists()


async def test_nobody_coming_ends_the_pairing(tmp_path: Path) -> None:
    async with running(tmp_path / "relay") as relay:
        with Vault.create(tmp_path / "a") as a:
            a.use_relay(relay.url)
            _, pairing = await begin(a, timeout=0.2)
            with pytest.raises(PairingFailed):
                await pairing


async def test_pairing_without_a_relay_or_with_none_that_answers_is_refused(tmp_path: Path) -> None:
    with Vault.create(tmp_path / "a") as a:
        with pytest.raises(NoRelay):
            await begin(a)
        a.use_relay("http://127.0.0.1:9")
        with pytest.raises(RelayUnreachable):
            await begin(a)
    with pytest.raises((RelayUnreachable, PairingFailed)):
        await Vault.join(tmp_path / "b", "7-acid-acorn", relay="http://127.0.0.1:9")
    assert not (tmp_path / "b").exists()


async def test_joining_over_something_that_is_no_relay_is_refused(tmp_path: Path) -> None:
    async with running(tmp_path / "relay") as relay:
        with Vault.create(tmp_path / "a") as a:
            a.use_relay(relay.url)
            code, pairing = await begin(a)
            with pytest.raises((NotARelay, InvalidArgument)):
                await Vault.join(tmp_path / "b", code, relay=relay.url + "/elsewhere")
            pairing.cancel()
            await asyncio.gather(pairing, return_exceptions=True)
    assert not (tmp_path / "b").exists()


async def test_a_folder_with_a_vault_in_it_joins_no_other(tmp_path: Path) -> None:
    async with running(tmp_path / "relay") as relay:
        with Vault.create(tmp_path / "a") as a, Vault.create(tmp_path / "b") as b:
            b.user.set("mine", 1)
            a.use_relay(relay.url)
            code, pairing = await begin(a)
            with pytest.raises(VaultExists):
                await Vault.join(tmp_path / "b", code, relay=relay.url)
            assert b.user.get("mine") == 1
            (await Vault.join(tmp_path / "c", code, relay=relay.url))[0].close()  # the code is still good
            await pairing


async def test_a_new_device_can_admit_the_next_one(tmp_path: Path) -> None:
    async with running(tmp_path / "relay") as relay:
        with Vault.create(tmp_path / "a") as a:
            a.user.set("a", 1)
            a.use_relay(relay.url)
            await join(a, tmp_path / "b", relay.url)
            with Vault.open(tmp_path / "b") as b:
                await b.sync_once()
                await join(b, tmp_path / "c", relay.url)
            with Vault.open(tmp_path / "c") as c:
                await c.sync_once()
                assert c.user.get("a") == 1
                c.user.set("c", 1)
                await c.sync_once()
            await a.sync_once()
            assert a.user.get("c") == 1
