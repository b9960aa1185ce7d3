"""``docs/cli.md``, written from the commands themselves: ``python -m vademecum.cli.reference docs/cli.md``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .program import COMMANDS, GROUPS, program

__all__ = ["reference"]

_HEAD = """\
# The command line

Written from the program's own help by `python -m vademecum.cli.reference docs/cli.md`; a test compares the two.
`vade` is the same program. Results go to stdout; errors and progress to stderr, progress only on a terminal.
`NO_COLOR` is respected. Every command takes these two, before or behind its name:
"""
_EVERYWHERE = ("home", "as_json")


def reference() -> str:
    """The page as Markdown."""
    root = program()
    context = root.make_context("vademecum", [], resilient_parsing=True)
    lines = [_HEAD, *_table(param for param in root.params if param.name in _EVERYWHERE), "", *_prose(root.epilog)]
    for name in COMMANDS:
        command = root.get_command(context, name)
        lines += _section(f"vademecum {name}", command)
        for inner in GROUPS.get(name, ()):
            lines += _section(f"vademecum {name} {inner}", command.get_command(context, inner))
    return "\n".join(lines).rstrip() + "\n"


def _section(title: str, command: Any) -> Iterator[str]:
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    shown = [param.metavar if param.required else f"[{param.metavar}]" for param in arguments]
    yield f"## {' '.join([title, *shown])}"
    yield ""
    yield from _prose(command.help)
    rows = list(_table(param for param in command.params if param.name not in _EVERYWHERE))
    if rows:
        yield from rows
        yield ""


def _prose(text: str) -> Iterator[str]:
    """Paragraphs as they are; one that must not be wrapped is a block of its own."""
    for paragraph in text.split("\n\n"):
        if not paragraph.startswith("\b"):
            yield paragraph
        elif "\n  " in paragraph:
            yield "```sh"
            yield from (line.removeprefix("  ") for line in paragraph.splitlines() if line.startswith("  "))
            yield "```"
        else:
            yield paragraph.removeprefix("\b").strip()
        yield ""


def _table(params: Iterator[Any]) -> Iterator[str]:
    rows = [f"| {_name(param)} | {param.help}{_default(param)} |" for param in params if param.help]
    if rows:
        yield "| | |"
        yield "|---|---|"
        yield from rows


def _name(param: Any) -> str:
    if param.param_type_name == "argument":
        return f"`{param.metavar}`"
    names = ", ".join(f"`{name}`" for name in [*param.opts, *param.secondary_opts])
    needed = " (required)" if param.required else ""
    return f"{names} {param.metavar or ''}".rstrip().replace("|", "\\|") + needed


def _default(param: Any) -> str:
    return "" if param.default in (None, "", True, False) else f" Default: {param.default}."


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(reference(), encoding="utf-8")
