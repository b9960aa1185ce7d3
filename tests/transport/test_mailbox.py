"""Contracts of a pairing carried through a real relay."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.transport.family import AT, Family, device, found
from tests.transport.relay_process import RelayProcess
from vademecum.errors import InvalidArgument, PairingFailed, RelayUnreachable
from vademecum.transport import roster as rosters
from vademecum.transport.keys import DevicePublic
from vademecum.transport.mailbox import exchange
from vademecum.transport.pairing import Grant, Inviter, Joiner
from vademecum.transport.pairing_code import CODE_ENTROPY, new_code
from vademecum.transport.relay.server import Relay, running

FAMILY = found()


@pytest.fixture
async def relay(tmp_path: Path) -> AsyncIterator[Relay]:
    async with running(tmp_path / "relay") as one:
        yield one


def fresh_code() -> str:
    return new_code(os.urandom(CODE_ENTROPY))


def inviter(code: str, family: Family = FAMILY) -> Inviter:
    def grant(public: DevicePublic, name: str) -> Grant:
        statement = rosters.add(family.keys, family.roster, public, name, secrets=family.secrets, at_ms=AT)
        return Grant(family.roster.vault, family.keys.device, (family.genesis, statement), None, {})

    return Inviter(code, grant)


async def invite(url: str, machine: Inviter, timeout: float = 20.0) -> asyncio.Task[None]:
    """A member that waits with its code; returns when the relay has taken the mailbox."""
    ready = asyncio.Event()
    task = asyncio.create_task(exchange(url, machine, timeout=timeout, ready=ready.set))
    async with asyncio.timeout(10):
        await ready.wait()
    return task


async def test_a_device_that_has_the_code_is_let_in_and_both_show_the_same_fingerprint(relay: Relay) -> None:
    code = fresh_code()
    member, newcomer = inviter(code), Joiner(code.lower(), device(3).public, "phone")
    waiting = await invite(relay.url, member)
    await exchange(relay.url, newcomer)
    await waiting
    assert member.done and newcomer.done
    assert member.fingerprint == newcomer.fingerprint
    assert newcomer.roster is not None and device(3).device in newcomer.roster.members


async def test_a_wrong_code_fails_on_both_sides_and_is_burnt(relay: Relay) -> None:
    code = fresh_code()
    last = "2" if code[-1] != "2" else "3"
    member, newcomer = inviter(code), Joiner(code[:-1] + last, device(3).public, "phone")
    waiting = await invite(relay.url, member)
    with pytest.raises(PairingFailed, match="wrong"):
        await exchange(relay.url, newcomer)
    with pytest.raises(PairingFailed, match="wrong"):
        await waiting
    with pytest.raises(PairingFailed, match="used"):
        await exchange(relay.url, Joiner(code, device(4).public, "phone"))


async def test_a_code_used_a_second_time_is_refused_as_used(relay: Relay) -> None:
    code = fresh_code()
    waiting = await invite(relay.url, inviter(code))
    await exchange(relay.url, Joiner(code, device(3).public, "phone"))
    await waiting
    with pytest.raises(PairingFailed, match="used"):
        await exchange(relay.url, Joiner(code, device(4).public, "tablet"))


async def test_a_code_nobody_waits_with_is_refused_at_once(relay: Relay) -> None:
    with pytest.raises(PairingFailed, match="No device is waiting"):
        await exchange(relay.url, Joiner(fresh_code(), device(3).public, "phone"))


async def test_a_code_that_is_not_used_in_time_is_void(relay: Relay) -> None:
    member = inviter(fresh_code())
    with pytest.raises(PairingFailed, match="not completed"):
        await (await invite(relay.url, member, timeout=0.2))
    assert member.failed


async def test_what_keeps_the_member_from_admitting_is_told_there_and_ends_the_pairing_here(relay: Relay) -> None:
    def grant(_: DevicePublic, __: str) -> Grant:
        raise InvalidArgument("This vault is closed on Mondays.")

    code = fresh_code()
    waiting = await invite(relay.url, Inviter(code, grant))
    with pytest.raises(PairingFailed, match="other device ended"):
        await exchange(relay.url, Joiner(code, device(3).public, "phone"))
    with pytest.raises(InvalidArgument, match="Mondays"):
        await waiting


async def test_without_a_relay_there_is_nothing_to_wait_for(tmp_path: Path) -> None:
    async with running(tmp_path / "relay") as relay:
        url = relay.url
    with pytest.raises(RelayUnreachable):
        await exchange(url, inviter(fresh_code()))


async def test_a_member_that_waits_with_its_code_outlives_a_relay_that_is_killed(tmp_path: Path) -> None:
    """Mailboxes are in memory: the member takes its mailbox again; until then a joiner is told that nobody waits."""
    with RelayProcess(tmp_path / "relay") as relay:
        code = fresh_code()
        waiting = await invite(relay.url, inviter(code))
        await asyncio.to_thread(relay.kill)
        await asyncio.to_thread(relay.start)
        joiner = Joiner(code, device(3).public, "phone")
        while True:  # the member comes back by itself
            try:
                await exchange(relay.url, joiner)
                break
            except PairingFailed as error:
                assert "No device is waiting" in error.message
                joiner = Joiner(code, device(3).public, "phone")
                await asyncio.sleep(0.2)  # between tries: one address has only so many
        await waiting
        assert joiner.done
