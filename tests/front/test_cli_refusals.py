"""Bad input: one clear sentence on stderr, the exit code that says whose fault it was, and nothing has changed."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.front.cli_runs import Call, in_process, program

FOOD = "prix/daily-eats@1.0.0"
REASON = ("--because", "x")


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return in_process(capsys)


@pytest.fixture
def vault(call: Call) -> Call:
    """A call on a vault with one leaf of the person's and one of an agent's."""
    assert call("init", "--name", "laptop").code == 0
    assert call("set", "name", "Alice").code == 0
    assert call("remember", "diet", "vegan", "--agent", FOOD, *REASON).code == 0
    return call


def _state(call: Call) -> str:
    return json.dumps([call("tree", "--json").json, call("log", "--json").json, call("status", "--json").json])


MISUSE = [
    (("get", "a..b"), "segment between dots is empty"),
    (("get", "_a"), "_a"),
    (("get", ""), "empty"),
    (("get", ".".join("abcdefghijklmnopq")), "17 segments"),
    (("set", "a b", "1"), "a b"),
    (("set", "n", "NaN"), "finite"),
    (("set", "n", "-Infinity"), "finite"),
    (("set", "n", "[1e999]"), "finite"),
    (("set", "n", "9223372036854775808"), "64 bits"),
    (("set", "n", "-9223372036854775809"), "64 bits"),
    (("set", "n", "1" * 5000), "64 bits"),
    (("set", "n", "x" * 32769), "32,768"),
    (("set", "n", json.dumps(["x" * 30000] * 3)), "65,536"),
    (("set", "n", "[" * 40 + "]" * 40), "32 levels"),
    (("set", "n", "[" * 100_000), "32 levels"),
    (("set", "n", '"\\ud800"'), "Unicode"),
    (("set", "n"), "VALUE"),
    (("set", "n", "1", "2"), "unexpected"),
    (("set", "n", "-5", "--privat"), "--privat"),
    (("set", "n", "1", "--privat"), "--privat"),
    (("remember", "x", "1", "--agent", "daily-eats", *REASON), "developer/slug@version"),
    (("remember", "x", "1", "--agent", "prix/daily-eats", *REASON), "developer/slug@version"),
    (("remember", "x", "1", "--agent", "Prix/Eats@1", *REASON), "developer/slug@version"),
    (("remember", "x", "1", "--agent", FOOD), "--because"),
    (("remember", "x", "1", *REASON), "--agent"),
    (("remember", "x", "1", "--agent", FOOD, *REASON, "--kind", "rumour"), "rumour"),
    (("remember", "x", "1", "--agent", FOOD, *REASON, "--scope", "everyone"), "everyone"),
    (("recall", ""), "empty"),
    (("recall", "x", "-k", "0"), "1 to 1000"),
    (("recall", "x", "-k", "many"), "-k"),
    (("recall", "x", "--agent", "nobody"), "developer/slug@version"),
    (("why", "a..b"), "segment"),
    (("why", "name", "--scope", "everywhere"), "everywhere"),
    (("log", "--agent", "nobody"), "names no agent"),
    (("log", "--path", "a..b"), "segment"),
    (("log", "-n", "0"), "-n"),
    (("forget",), "which path"),
    (("forget", "name", "--agent", "prix/daily-eats"), "which path"),
    (("forget", "--agent", "nobody"), "names no agent"),
    (("relay", "use", "ftp://relay"), "ftp://relay"),
    (("relay", "use", "nowhere"), "nowhere"),
    (("relay", "serve"), "--data"),
    (("relay", "serve", "--data", "d", "--port", "70000"), "--port"),
    (("relay", "stop"), "stop"),
    (("join", "K7QM-3F9X-2P"), "--relay"),
    (("import", "no-such-file"), "no-such-file"),
    (("import", "no-such-file", "--format", "csv"), "--format"),
    (("init", "--name", ""), "name"),
    (("bogus",), "bogus"),
    (("get", "name", "--bogus"), "--bogus"),
]


@pytest.mark.parametrize(("arguments", "named"), MISUSE, ids=lambda one: " ".join(one)[:40] if one else None)
def test_misuse_exits_with_2_and_names_what_is_wrong(
    vault: Call, arguments: tuple[str, ...], named: str, tmp_path: Path
) -> None:
    before = _state(vault)
    if arguments[0] == "init":
        arguments = (*arguments, "--home", str(tmp_path / "other"))
    for extra in ((), ("--json",)):
        refused = vault(*arguments, *extra)
        assert refused.code == 2
        assert named in refused.refusal
    assert _state(vault) == before


REFUSED = [
    (("get", "nowhere"), "'nowhere'"),
    (("get", "name", "--scope", "user.private"), "'name'"),
    (("why", "nowhere"), "'nowhere'"),
    (("forget", "nowhere"), "'nowhere'"),
    (("remember", "name", "Bob", "--agent", FOOD, *REASON), "The person wrote 'name'"),
    (("remember", "x", "1", "--agent", FOOD, "--because", "  "), "reason"),
    (("remember", "x", "1", "--agent", FOOD, *REASON, "--scope", "user.private"), "user.private"),
    (("init",), "There is a vault in"),
    (("sync", "--once"), "relay use URL"),
    (("sync",), "relay use URL"),
    (("pair",), "relay use URL"),
]


@pytest.mark.parametrize(("arguments", "named"), REFUSED, ids=lambda one: " ".join(one)[:40])
def test_what_a_rule_refuses_exits_with_1(vault: Call, arguments: tuple[str, ...], named: str) -> None:
    before = _state(vault)
    for extra in ((), ("--json",)):
        refused = vault(*arguments, *extra)
        assert refused.code == 1
        assert named in refused.refusal
    assert _state(vault) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ("get", "name"),
        ("set", "name", "Alice"),
        ("tree",),
        ("remember", "x", "1", "--agent", FOOD, *REASON),
        ("recall", "x"),
        ("why", "name"),
        ("log",),
        ("forget", "name"),
        ("import", __file__),
        ("relay", "use", "http://relay"),
        ("sync", "--once"),
        ("sync",),
        ("status",),
        ("pair",),
    ],
    ids=lambda one: one[0],
)
def test_where_there_is_no_vault_every_command_says_so_and_makes_none(
    call: Call, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    home = tmp_path / "nothing"
    refused = call(*arguments, "--home", home)
    assert refused.code == 1
    assert f"There is no vault in {home}" in refused.refusal
    assert not home.exists()


def test_a_home_that_is_a_file_is_refused(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("kept")
    assert "is not a folder" in call("init", "--home", file).refusal
    assert "There is no vault" in call("get", "name", "--home", file).refusal
    assert file.read_text() == "kept"


def test_a_folder_that_cannot_be_made_is_refused(call: Call, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept")
    assert "No vault can be made" in call("init", "--home", tmp_path / "file" / "v").refusal


@pytest.mark.parametrize(
    ("name", "content", "form"),
    [
        ("a folder", None, None),
        ("broken.yaml", b"public:\n  - [\n", None),
        ("broken.json", b'[{"conversation": "c", "turns": [', None),
        ("latin.yaml", b"public:\n  name: \xff\xfe\n", None),
        ("zeros.yaml", bytes(100), "yaml"),
        ("number.json", b"3", "transcript"),
        ("nan.yaml", b"public:\n  n: .nan\n", None),
        ("path.yaml", b"public:\n  'a b': 1\n", None),
    ],
    ids=lambda one: one if isinstance(one, str) else None,
)
def test_a_file_that_does_not_parse_imports_nothing(
    vault: Call, tmp_path: Path, name: str, content: bytes | None, form: str | None
) -> None:
    file = tmp_path / name
    if content is None:
        file.mkdir()
    else:
        file.write_bytes(content)
    before = _state(vault)
    refused = vault("import", file, *(("--format", form) if form else ()))
    assert refused.code == 2
    assert refused.refusal
    assert _state(vault) == before


def test_an_unreachable_relay_is_one_sentence_and_all_works_on(vault: Call) -> None:
    url = f"http://127.0.0.1:{_closed_port()}"
    vault("relay", "use", url)
    for arguments in (("sync", "--once"), ("sync", "--once", "--json"), ("pair",)):
        refused = vault(*arguments)
        assert refused.code == 1
        assert url in refused.refusal
    assert vault("get", "name").out == "Alice\n"
    assert vault("status", "--json").json["state"] == "offline"


def test_joining_through_an_unreachable_relay_makes_no_vault(call: Call, tmp_path: Path) -> None:
    refused = call("join", "K7QM-3F9X-2P", "--relay", f"http://127.0.0.1:{_closed_port()}", "--home", tmp_path / "v")
    assert refused.code == 1
    assert "Nothing answers" in refused.refusal
    assert not (tmp_path / "v").exists()


@pytest.mark.parametrize("code", ["", "K7QM", "K7QM-3F9X-2U", "K7QM-3F9X-2PP"])
def test_what_is_no_pairing_code_is_refused_before_any_call(call: Call, tmp_path: Path, code: str) -> None:
    refused = call("join", code, "--relay", f"http://127.0.0.1:{_closed_port()}", "--home", tmp_path / "v")
    assert "pairing code" in refused.refusal
    assert not (tmp_path / "v").exists()


def test_joining_where_a_vault_is_already_changes_nothing(vault: Call) -> None:
    before = _state(vault)
    refused = vault("join", "K7QM-3F9X-2P", "--relay", "http://127.0.0.1:1")
    assert refused.code == 1
    assert "There is a vault in" in refused.refusal
    assert _state(vault) == before


def test_a_web_server_that_is_no_relay_is_called_one(vault: Call, tmp_path: Path) -> None:
    with _web_server() as url:
        vault("relay", "use", url)
        for arguments in (("sync", "--once"), ("pair",)):
            assert "is not a Vademecum relay" in vault(*arguments).refusal
        refused = vault("join", "K7QM-3F9X-2P", "--relay", url, "--home", tmp_path / "v")
        assert "is not a Vademecum relay" in refused.refusal
    assert not (tmp_path / "v").exists()
    assert vault("get", "name").out == "Alice\n"


def test_a_relay_whose_port_is_taken_says_so(call: Call, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = call("relay", "serve", "--data", tmp_path / "r", "--port", port)
    assert refused.code == 1
    assert str(port) in refused.refusal


def _database(home: Path) -> Path:
    return next(home.glob("store/*/data.mdb"))


def _cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def _zero(file: Path) -> None:
    file.write_bytes(bytes(file.stat().st_size))


def _empty(file: Path) -> None:
    file.write_bytes(b"")


def _garble(file: Path) -> None:
    file.write_bytes(os.urandom(file.stat().st_size))


def _garble_pages(file: Path) -> None:
    with file.open("r+b") as handle:
        handle.seek(8192)
        handle.write(os.urandom(file.stat().st_size - 8192))


def _remove(file: Path) -> None:
    file.unlink()


@pytest.mark.parametrize(
    "damage", [_cut, _zero, _empty, _garble, _garble_pages, _remove], ids=lambda one: one.__name__[1:]
)
def test_a_damaged_database_is_named_and_left_as_it_is(vault: Call, damage: object) -> None:
    file = _database(Path(os.environ["VADEMECUM_HOME"]))
    assert callable(damage)
    damage(file)
    left = file.read_bytes() if file.exists() else None
    for arguments in (("get", "name"), ("set", "name", "Bob")):
        refused = program(*arguments)  # a process of its own: LMDB would take this one down with it
        assert refused.code == 1
        assert str(file) in refused.refusal
    assert (file.read_bytes() if file.exists() else None) == left


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"format": 1}'])
def test_a_damaged_identity_file_is_named(vault: Call, content: bytes) -> None:
    file = Path(os.environ["VADEMECUM_HOME"]) / "vault.json"
    file.write_bytes(content)
    assert str(file) in vault("get", "name").refusal


def test_a_vault_of_a_newer_program_is_refused(vault: Call) -> None:
    file = Path(os.environ["VADEMECUM_HOME"]) / "vault.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"format": 99}))
    assert "format 99" in vault("get", "name").refusal


@pytest.mark.parametrize("content", [None, b"", b"garbage"])
def test_damaged_or_lost_keys_are_one_sentence(vault: Call, content: bytes | None) -> None:
    file = Path(os.environ["VADEMECUM_HOME"]) / "device.keys"
    file.unlink()
    if content is not None:
        file.write_bytes(content)
    refused = vault("status")
    assert refused.code == 1
    assert refused.refusal
    assert vault("get", "name").out == "Alice\n"


def _closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def _web_server() -> Iterator[str]:
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>hello</html>")

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
