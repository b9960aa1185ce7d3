"""``import`` and ``demo``."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from vademecum.errors import UnreadableFile
from vademecum.vault import Vault

from .options import AsJson, Home, Index, home_folder
from .output import counted, print_json, print_line
from .progress import bar, make_findable

__all__ = ["demo", "import_from"]


class Format(StrEnum):
    """What a file to import may be."""

    YAML = "yaml"
    TRANSCRIPT = "transcript"


def import_from(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What to import.")],
    form: Annotated[
        Format | None,
        typer.Option("--format", help="What the file is. Otherwise one that begins with [ is a transcript."),
    ] = None,
    index: Index = True,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Import a vault as text (yaml) or conversations with their facts (transcript).

    The same file twice changes nothing, and a file that does not parse imports nothing.

    JSON: {"leaves", "messages", "unchanged", "indexed"}: how many were written, how many were here already, and how
    many got a vector.

    \b
    Examples:
      vademecum import vault.yaml
      vademecum import conversations.json --format transcript --no-index
    """
    from vademecum.importers import import_file

    with Vault.open(home_folder(home)) as vault:
        try:
            with bar("Importing") as progress:
                report = import_file(vault, file, format=form, progress=progress)
        except OSError as error:
            raise UnreadableFile(f"The file {file} cannot be read: {error.strerror or error}.") from error
        indexed = make_findable(vault) if index else 0
    if as_json:
        print_json(
            {
                "leaves": report.leaves,
                "messages": report.messages,
                "unchanged": report.unchanged,
                "indexed": indexed,
            }
        )
    else:
        print_line(
            f"New: {counted(report.leaves, 'leaf', 'leaves')} and "
            f"{counted(report.messages, 'message', 'messages')}. Here already: {report.unchanged:,}."
        )


def demo(
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="FILE", help="A transcript to play with. Otherwise a short story of our own."),
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show the whole story with real processes: two devices apart, a relay, and a third device joining.

    Everything happens in a temporary folder; your own vault is not touched, so --home says nothing here. Exits with 0
    only if every expectation held.

    JSON: {"ok": whether they held}; the story itself then goes to stderr.

    \b
    Examples:
      vademecum demo
      vademecum demo --data conversations.json
    """
    from vademecum.demo import run

    if not as_json:
        raise typer.Exit(run(data))
    with redirect_stdout(sys.stderr):
        code = run(data)
    print_json({"ok": code == 0})
    raise typer.Exit(code)
