"""The text of a vault's file as leaves, each with its line.

The file holds Tier 1: ``public`` and ``private`` at its top, in the form that the importer reads too
(`importers.tree_form`). It is read whole or not at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from vademecum.engine.scopes import PRIVATE, PUBLIC
from vademecum.errors import UnreadableFile
from vademecum.importers.tree_form import NotATree, Spot, Stated, read_part
from vademecum.importers.yaml_events import Node, NotYaml, parse_nodes

__all__ = ["HEADER", "PARTS", "Key", "VaultText", "end_line", "read_vault_text", "refuse_file", "with_stamp"]

Key = tuple[str, str]
"""(scope, path) of a leaf."""

PARTS = {"public": PUBLIC, "private": PRIVATE}
"""What stands at the top of the file → the scope."""

HEADER = """\
# What your agents know about you. Change, add or remove what you like: what you write here is yours, and no agent
# changes it afterwards. A value with a _source was written by the agent that stands there.
"""
_END = re.compile(r"^[ \t]*# The end, as of (\S+)\.", re.MULTILINE)


def end_line(stamp: str) -> str:
    """The last line of a file. It tells a whole file from one that is cut off, and by *stamp*, a time, from which of
    the texts that once stood in the file an editor's text was made.
    """
    return f"# The end, as of {stamp}. A file that has lost this line and its last values counts as cut off."


def with_stamp(text: str, stamp: str) -> str:
    """*text* with *stamp* in its last line, if that is there."""
    found = _last_end(text)
    return text if found is None else text[: found.start(1)] + stamp + text[found.end(1) :]


@dataclass(frozen=True, slots=True)
class VaultText:
    """A file's text, read. ``parts`` are those that it has, by their name; ``root`` is None where it says nothing."""

    text: str
    root: Node | None
    parts: dict[str, Spot]
    leaves: dict[Key, Stated]

    @property
    def stamp(self) -> str | None:
        """What stands in the last line that was written into the file; None where it is missing."""
        found = _last_end(self.text)
        return None if found is None else found[1]

    def is_stated(self, part: str) -> bool:
        """Whether the file says what *part* holds, be it nothing (``{}``)."""
        return part in self.parts and self.parts[part].node.content is not None


def read_vault_text(text: str, file: Path) -> VaultText:
    """What *text*, the text of *file*, says. Raises `UnreadableFile`, naming the line and the rule."""
    try:
        root = parse_nodes(text)
    except NotYaml as error:
        refuse_file(file, error.line, f"This does not parse: {error.reason}.")
    if root is None or root.content is None:
        return VaultText(text, None, {}, {})
    if not root.is_object:
        refuse_file(file, root.line, "A vault's file has 'public:' and 'private:' at its top.")
    parts: dict[str, Spot] = {}
    try:
        for name, entry in root.content.items():
            if name not in PARTS:
                raise NotATree(
                    entry.line, f"{name!r} stands at the top; a vault's file has 'public:' and 'private:' there."
                )
            parts[name] = read_part(name, entry.node)
    except NotATree as error:
        refuse_file(file, error.line, error.reason)
    leaves = {(PARTS[name], leaf.path): leaf for name, part in parts.items() for leaf in part.leaves()}
    return VaultText(text, root, parts, leaves)


def _last_end(text: str) -> re.Match[str] | None:
    return next(reversed(list(_END.finditer(text))), None)  # a value may quote one, but above


def refuse_file(file: Path, line: int, what: str) -> NoReturn:
    """Raises `UnreadableFile`: *what*, a sentence, is wrong in *line* (0: in the whole file)."""
    place = f"Line {line} of {str(file)!r}" if line else f"The file {str(file)!r}"
    raise UnreadableFile(f"{place} cannot be taken over. {what} Nothing has changed; correct it there.")
