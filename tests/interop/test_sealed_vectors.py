"""The published vectors of a sealed vault hold for the program, and for a reading of the page alone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.interop import sealed_reference as reference
from tests.interop.make_sealed_vectors import FILE, PHRASE, stored_pair
from vademecum.errors import DamagedStore, MalformedBytes, NewerFormat, WrongKey
from vademecum.seal_header import COST, Header
from vademecum.storage.sealer import Sealer
from vademecum.storage.tables import NAMES, Table
from vademecum.transport.recovery import recovery_keys

VECTORS = json.loads(FILE.read_text(encoding="utf-8"))
PAGE = (Path(__file__).parents[2] / "docs" / "sealed.md").read_text(encoding="utf-8")


def having(field: str) -> Callable[[Any], Any]:
    return pytest.mark.parametrize("v", [v for v in VECTORS if field in v], ids=lambda v: v["name"])


@having("table")
def test_pairs(v: dict[str, Any]) -> None:
    data_key, key, value, nonce = (bytes.fromhex(v[name]) for name in ("data_key", "key", "value", "nonce"))
    stored = tuple(bytes.fromhex(part) for part in v["stored"])
    assert stored == reference.stored(data_key, v["table"], key, value, nonce)
    assert stored == stored_pair(Table(v["table"].encode()), key, value)


@having("file")
def test_files(v: dict[str, Any]) -> None:
    data_key, value, nonce, stored = (bytes.fromhex(v[name]) for name in ("data_key", "value", "nonce", "stored"))
    assert stored == reference.file(data_key, v["file"], value, nonce)
    seal = Sealer(data_key).file(v["file"])
    assert seal.open(stored) == value
    for altered in (stored[:-1], b"", stored[:20] + b"\0" + stored[21:], seal.seal(value)[:-1]):
        with pytest.raises(DamagedStore):
            seal.open(altered)


@having("check")
def test_check_values(v: dict[str, Any]) -> None:
    data_key = bytes.fromhex(v["data_key"])
    assert bytes.fromhex(v["check"]) == reference.check(data_key) == Sealer(data_key).check


@having("header")
def test_headers(v: dict[str, Any]) -> None:
    header = Header.from_bytes(v["header"].encode())
    assert header.to_bytes() == v["header"].encode()
    data_key = bytes.fromhex(v["data_key"])
    assert header.open_with_recovery(recovery_keys(PHRASE)).data_key == data_key

    def opened() -> Sealer:
        if "passphrase" in v:
            return header.open_with_passphrase(v["passphrase"])
        return header.open_with_keyring(bytes.fromhex(v["entry"]))

    if v["expect"] == "ok":
        entry = bytes.fromhex(v.get("entry", ""))
        found = reference.data_key_of(v["header"].encode(), passphrase=v.get("passphrase", ""), entry=entry)
        assert opened().data_key == data_key == found
    else:
        with pytest.raises(WrongKey) as caught:
            opened()
        assert caught.value.code == v["expect"]


def _changed(change: Callable[[dict[str, Any]], object]) -> bytes:
    fields = json.loads(next(v["header"] for v in VECTORS if v["name"] == "a passphrase"))
    change(fields)
    return json.dumps(fields).encode()


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f.pop("check"),
        lambda f: f.pop("passphrase"),
        lambda f: f.pop("recovery"),
        lambda f: f.update(check="00"),
        lambda f: f["passphrase"].update(salt=""),
        lambda f: f["passphrase"].update(wrapped="00"),
        lambda f: f["passphrase"].update(memory_kib=1 << 40),
        lambda f: f["passphrase"].update(iterations=10**9),
        lambda f: f["passphrase"].update(lanes=True),
        lambda f: f["passphrase"].update(memory_kib="much"),
        lambda f: f.update(format="1"),
    ],
)
def test_a_damaged_header_is_refused_before_it_costs_anything(change: Callable[[dict[str, Any]], object]) -> None:
    with pytest.raises(MalformedBytes):
        Header.from_bytes(_changed(change))


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"{", b"\xff", b"[" * 100_000])
def test_what_is_no_header_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedBytes):
        Header.from_bytes(data)


def test_a_newer_header_is_refused_by_name() -> None:
    with pytest.raises(NewerFormat, match="format 2"):
        Header.from_bytes(_changed(lambda fields: fields.update(format=2)))
    with pytest.raises(NewerFormat, match="scrypt"):
        Header.from_bytes(_changed(lambda fields: fields["passphrase"].update(kdf="scrypt")))


def test_the_page_says_what_the_code_does() -> None:
    named = {table.value.decode(): (spot.head, spot.tail) for table, spot in NAMES.items() if spot is not None}
    assert named == reference.NAMED
    assert f"{COST.memory // 1024} MiB, {COST.iterations} passes, {COST.lanes} lanes" in PAGE
    headings = [
        re.sub(r"[^a-z0-9 -]", "", one.lower()).replace(" ", "-") for one in re.findall(r"^## (.+)$", PAGE, re.M)
    ]
    assert re.findall(r"\(#([^)]+)\)", PAGE) == headings
