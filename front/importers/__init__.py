"""Importers: what people bring along, a tree of leaves or transcripts of conversations.

A file is read and checked whole before anything is written, and then written in transactions of bounded size. The
same file twice changes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.errors import InvalidArgument

from . import transcript, yaml_tree
from .batches import ImportReport, write_all
from .files import read_text

if TYPE_CHECKING:
    from vademecum.vault import Vault

__all__ = ["FORMATS", "ImportReport", "import_file"]

FORMATS = {"yaml": yaml_tree.read, "transcript": transcript.read}


def import_file(
    vault: Vault,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002  # the command line's own word
    progress: Callable[[int, int], None] | None = None,
) -> ImportReport:
    """Takes the memories of the file *path* into *vault*; durable when this returns.

    format: ``yaml`` for a tree (as `Person.tree` shows it; JSON is YAML) or ``transcript`` for conversations. By
        default a file that begins with ``[`` is a transcript, and any other a tree.
    progress: called with (entries done, entries in all) after each transaction.

    Raises `UnreadableFile`, which names the line or the entry, and nothing has been imported then; `InvalidArgument`
    for a format that is none. Any error after that leaves whole transactions behind; importing again completes them.
    """
    if format is not None and format not in FORMATS:
        raise InvalidArgument(f"{format!r} is no format that can be imported; formats are {', '.join(FORMATS)}.")
    file = Path(path).expanduser()
    text = read_text(file)
    entries = FORMATS[format or guess_format(text)](text, file.name)
    return write_all(vault.replica, entries, progress)


def guess_format(text: str) -> str:
    """The format whose files begin as *text* does."""
    return "transcript" if text.lstrip()[:1] == "[" else "yaml"
