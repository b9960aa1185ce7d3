"""What a relay stores, and what passes on the way to it, holds no word of a memory."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import zstandard

from tests.endtoend.device import join
from tests.endtoend.proxy import proxied
from vademecum import Vault
from vademecum.transport.relay.server import running

SECRETS = (
    "a fierce allergy to walnuts",
    "We found Quillon's bistro behind the harbour",
    "größte Liebe: Käsespätzle",
    "allergies.walnuts",
    "tried.harbour-bistro",
    "user.private",
    "agent/prix/daily-eats",
    "prix/daily-eats",
    "the-red-laptop",
    "the-blue-phone",
)
"""Values, quoted words, paths, scopes, agents, names of devices."""


def traces(data: bytes) -> set[str]:
    """The secrets that stand in *data* in some encoding that a leak might use."""
    return {secret for secret in SECRETS if any(form in data for form in forms(secret))}


def forms(secret: str) -> Iterable[bytes]:
    yield secret.encode()
    yield secret.encode("utf-16-le")
    yield secret.encode().hex().encode()
    yield secret.encode()[2:-2]


async def write_and_sync(base: Path, relay: str) -> None:
    with Vault.create(base / "a", device_name="the-red-laptop") as a:
        a.use_relay(relay)
        a.user.set("allergies.walnuts", SECRETS[0], private=True)
        food = a.agent("prix/daily-eats@1.0.0")
        food.remember("tried.harbour-bistro", "Quillon's", because=SECRETS[1], scope="agent")
        await a.sync_once()
        await join(a, base / "the-blue-phone", relay)
        with Vault.open(base / "the-blue-phone") as b:
            await b.sync_once()
            b.agent("prix/daily-eats@1.0.0").remember("cheese", SECRETS[2], because=SECRETS[2])
            b.forget("tried")
            await b.sync_once()
            await a.sync_once()
            assert a.user.tree() == b.user.tree()


async def test_the_relays_files_and_its_traffic_hold_no_word_of_a_memory(tmp_path: Path) -> None:
    async with running(tmp_path / "relay") as relay, proxied(relay.url) as proxy:
        await write_and_sync(tmp_path, proxy.url)
        traffic = bytes(proxy.traffic)
    files = [file for file in (tmp_path / "relay").rglob("*") if file.is_file()]
    stored = b"".join(file.read_bytes() for file in files)
    assert len(stored) > 10_000 and len(traffic) > 10_000
    assert traces(stored) == set()
    assert traces(traffic) == set()
    assert zstandard.FRAME_HEADER not in traffic and zstandard.FRAME_HEADER not in stored


async def test_the_search_itself_would_find_what_a_device_holds(tmp_path: Path) -> None:
    async with running(tmp_path / "relay") as relay:
        await write_and_sync(tmp_path, relay.url)
    own = b"".join(file.read_bytes() for file in (tmp_path / "a").rglob("*") if file.is_file())
    forgotten = SECRETS[1]
    assert traces(own) >= set(SECRETS[:7]) - {forgotten}
    assert forgotten not in traces(own)
