"""A relay that loses what it had, or a chain with two versions: nothing is lost in silence, and what is said about it
is said in names.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import ssl
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.x509.oid import NameOID

from tests.endtoend.device import join
from vademecum import Vault
from vademecum.errors import RelayUnreachable
from vademecum.transport.commit import NONCE_SIZE, open_body, parse_header, seal
from vademecum.transport.contract import Problem
from vademecum.transport.keys import DeviceKeys, channel_key
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


async def test_a_fork_that_somebody_has_made_of_anothers_chain_is_named_and_nothing_is_lost(tmp_path: Path) -> None:
    async with running(tmp_path / "relay") as relay:
        with Vault.create(tmp_path / "a", device_name="laptop") as a:
            a.use_relay(relay.url)
            a.user.set("name", "Alice")
            await a.sync_once()
            await join(a, tmp_path / "b", relay.url)
            with Vault.open(tmp_path / "b") as b:
                await b.sync_once()
                a.user.set("who", "original")
                await a.sync_once()
                ledger = a.ledger()
                (channel,) = ledger.channels()
                (commit,) = ledger.commits_lacking(channel, {ledger.device: 1}, 1 << 20)
                key = channel_key(ledger.secrets.epoch_key, ledger.secrets.epoch, channel)
                b.ledger().receive(channel, bytes(16), [(1, _sealed_again(a.keys(), key, commit))], 1)
                report = await b.sync_once()
                assert report.state == "blocked"
                assert "'laptop'" in _in_names(report.problems) and "user.public" in _in_names(report.problems)
                _in_names(b.status().problems)
                assert b.user.get("who") == "original" and b.status().state == "blocked"


def _sealed_again(keys: DeviceKeys, key: bytes, commit: bytes) -> bytes:
    """Another commit with the same number."""
    header = parse_header(commit)
    return seal(
        keys,
        key,
        vault=header.vault,
        channel=header.channel,
        epoch=header.epoch,
        generation=header.generation,
        seq=header.seq,
        previous=header.previous,
        plaintext=open_body(commit, key),
        nonce=os.urandom(NONCE_SIZE),
    )


def _certificate(folder: Path) -> ssl.SSLContext:
    """A server's side of TLS with a certificate that it has signed itself."""
    key = Ed25519PrivateKey.generate()
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, now - timedelta(1), now + timedelta(1))
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ) + builder.sign(key, None).public_bytes(serialization.Encoding.PEM)
    (folder / "server.pem").write_bytes(pem)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem")
    return context


@contextlib.asynccontextmanager
async def _port(context: ssl.SSLContext | None) -> AsyncIterator[int]:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            await reader.read(100)
            writer.write(b"no HTTP here\r\n\r\n")
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def test_why_there_is_no_connection_is_said_in_words(tmp_path: Path) -> None:
    async with _port(_certificate(tmp_path)) as secure, _port(None) as plain:
        closed = plain
        with Vault.create(tmp_path / "a") as a:
            for port, said in ((secure, "certificate"), (plain, "TLS")):
                a.use_relay(f"https://127.0.0.1:{port}")
                with pytest.raises(RelayUnreachable, match=said) as refused:
                    await a.sync_once()
                assert "SSL" not in refused.value.message and "_ssl" not in refused.value.message
    with Vault.open(tmp_path / "a") as a:
        a.use_relay(f"http://127.0.0.1:{closed}")
        with pytest.raises(RelayUnreachable, match="connection refused"):
            await a.sync_once()
