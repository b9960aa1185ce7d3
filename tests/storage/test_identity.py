"""The file that says which vault and device a folder is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vademecum.errors import DamagedStore, NewerFormat, StorageTrouble, VaultMissing
from vademecum.storage.identity import FORMAT, IDENTITY_FILE, Identity

IDENTITY = Identity(b"v" * 16, b"d" * 16, (1 << 52) - 1, "größe 📱")


def test_it_comes_back_as_it_was_written(tmp_path: Path) -> None:
    IDENTITY.write(tmp_path)
    assert Identity.read(tmp_path) == IDENTITY
    assert json.loads((tmp_path / IDENTITY_FILE).read_text())["name"] == "größe 📱"
    assert [file.name for file in tmp_path.iterdir()] == [IDENTITY_FILE]


def test_a_folder_without_it_has_no_vault(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "absent"):
        with pytest.raises(VaultMissing, match="no vault"):
            Identity.read(folder)


def test_a_file_where_the_folder_should_be_has_no_vault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(VaultMissing):
        Identity.read(tmp_path / "file")


def test_a_newer_format_is_named_as_such(tmp_path: Path) -> None:
    IDENTITY.write(tmp_path)
    file = tmp_path / IDENTITY_FILE
    file.write_text(file.read_text().replace(f'"format": {FORMAT}', f'"format": {FORMAT + 1}'))
    with pytest.raises(NewerFormat, match=f"format {FORMAT + 1}"):
        Identity.read(tmp_path)


GOOD = {"format": 1, "vault": "76" * 16, "device": "64" * 16, "client": 5, "name": "n"}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 200,
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'"text"',
        *(json.dumps({key: value for key, value in GOOD.items() if key != left}).encode() for left in GOOD),
        json.dumps(GOOD | {"vault": "no hex"}).encode(),
        json.dumps(GOOD | {"vault": "76" * 15}).encode(),
        json.dumps(GOOD | {"device": 7}).encode(),
        json.dumps(GOOD | {"device": ""}).encode(),
        json.dumps(GOOD | {"client": "x"}).encode(),
        json.dumps(GOOD | {"client": -1}).encode(),
        json.dumps(GOOD | {"client": 1 << 53}).encode(),
        json.dumps(GOOD | {"client": None}).encode(),
        json.dumps(GOOD | {"format": "1"}).encode(),
        json.dumps(GOOD | {"name": 7}).encode(),
        b"[" * 100_000,
    ],
)
def test_a_damaged_file_is_reported_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    (tmp_path / IDENTITY_FILE).write_bytes(content)
    with pytest.raises(DamagedStore, match="damaged"):
        Identity.read(tmp_path)
    assert (tmp_path / IDENTITY_FILE).read_bytes() == content


def test_a_file_that_cannot_be_read_is_trouble_and_no_damage(tmp_path: Path) -> None:
    (tmp_path / IDENTITY_FILE).mkdir()
    with pytest.raises(StorageTrouble) as refused:
        Identity.read(tmp_path)
    assert not isinstance(refused.value, DamagedStore)
