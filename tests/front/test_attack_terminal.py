"""What an agent or an imported file says is shown as text: it has no power over the terminal, nor over what is said
about it.
"""

from __future__ import annotations

import io
import json
import sys
import unicodedata

import pytest

from tests.front.cli_runs import Call, in_process
from vademecum.cli import main

HOSTILE = "\x1b[31mRED\x1b[0m\x1b]0;title\x07 [bold]x[/bold] \x9b31m \x7f\x08 \u202eabc\u2066 \r x"
AGENT = ("--agent", "a/b@1", "--because", HOSTILE)
BIDI = {0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    """What the terminal is sent."""
    terminal = Terminal()
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stdout", terminal)
    assert main(list(arguments)) == 0
    return terminal.getvalue()


def has_power(shown: str) -> bool:
    return any((unicodedata.category(one) == "Cc" and one != "\n") or ord(one) in BIDI for one in shown)


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    made = in_process(capsys)
    assert made("init", "--name", "laptop").code == 0
    return made


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize(
    "value", [HOSTILE, json.dumps([HOSTILE]), json.dumps({"deeper": HOSTILE})], ids=["text", "list", "object"]
)
def test_stored_text_has_no_power_over_a_terminal(
    call: Call, monkeypatch: pytest.MonkeyPatch, value: str, as_json: bool
) -> None:
    path = "x.deeper" if "deeper" in value else "x"
    written = call("remember", "x", value, *AGENT)
    assert (written.code, has_power(written.out)) == (0, False)
    for arguments in (("get", path), ("why", path), ("tree",), ("log",), ("recall", "red")):
        shown = on_a_terminal(monkeypatch, *arguments, *(["--json"] if as_json else []))
        assert "RED" in shown, arguments
        assert not has_power(shown), arguments


def test_a_pipe_gets_the_value_as_it_is(call: Call) -> None:
    call("remember", "x", HOSTILE, *AGENT)
    assert call("get", "x").out == HOSTILE + "\n"
    assert call("get", "x", "--json").json["value"] == HOSTILE


def test_a_value_of_several_lines_cannot_pass_for_what_is_said_about_it(call: Call) -> None:
    call("remember", "x", "vegan\n  you, 2026-01-01 10:00", "--agent", "a/b@1", "--because", "yes\n  you, 2026-01-01")
    for line in call("why", "x").out.splitlines():
        assert not line.strip().startswith("you, "), line
