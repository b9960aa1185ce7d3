"""``docs/cli.md``, written from the help: ``python -m vademecum.cli.reference docs/cli.md``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from .program import COMMANDS, RELAY_COMMANDS, program

__all__ = ["reference"]

_HEAD = """# The command line

Written from the program's own help by `python -m vademecum.cli.reference docs/cli.md`; a test compares the two.
`vade` is the same program. Progress and prompts go to stderr, and only to a terminal; `NO_COLOR` is respected.

"""


def reference() -> str:
    """The page as Markdown."""
    parts = [_HEAD, _section("vademecum", [])]
    for name in COMMANDS:
        parts.append(_section(f"vademecum {name}", [name]))
        if name == "relay":
            parts += [_section(f"vademecum relay {inner}", [name, inner]) for inner in RELAY_COMMANDS]
    return "\n".join(parts)


def _section(title: str, path: list[str]) -> str:
    command: Any = program()
    context = command.make_context("vademecum", [], resilient_parsing=True, terminal_width=100)
    for name in path:
        command = command.get_command(context, name)
        context = command.make_context(name, [], parent=context, resilient_parsing=True, terminal_width=100)
    lines = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    return f"## {title}\n\n```text\n{lines}\n```\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(reference(), encoding="utf-8")
