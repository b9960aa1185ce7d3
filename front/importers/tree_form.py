"""The form of a tree of leaves, in one place for everything that reads one: what is a leaf, and what `_source` says.

A node that is no object, or an empty one, is a leaf. An object with ``_value`` is a leaf that may have children, and
its ``_source`` says who wrote it; without one it is the person's. Every other key is the next segments of a path.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from vademecum.engine.agents import AgentId
from vademecum.engine.paths import parse_path
from vademecum.engine.records import USER
from vademecum.engine.times import parse_time, to_ms
from vademecum.engine.trees import VALUE
from vademecum.engine.values import Value, check_value
from vademecum.errors import Misuse

from .yaml_events import Entry, Node

__all__ = ["AGENT", "CREATED", "SOURCE", "UPDATED", "NotATree", "Source", "Spot", "Stated", "read_part", "source_of"]

SOURCE = "_source"
AGENT, CREATED, UPDATED = "_agent", "_created", "_updated"


class NotATree(Exception):
    """``line`` counts from 1, or is 0 where none is known; ``reason`` is a sentence."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


class Stated(NamedTuple):
    """A leaf as a tree states it: its value is checked, its source is not yet read."""

    path: str
    value: Value
    line: int
    source: Node | None


class Source(NamedTuple):
    """What a ``_source`` says; times are 0 where it does not."""

    writer: str = USER
    created_ms: int = 0
    updated_ms: int = 0


@dataclass(slots=True)
class Spot:
    """A place of the tree: the root of a part, whose path is empty, or what one key stands for."""

    path: str
    node: Node
    entry: Entry | None = None
    leaf: Stated | None = None
    children: list[Spot] = field(default_factory=list)

    @property
    def is_marked(self) -> bool:
        """Whether its leaf stands in a ``_value``, so that it may have a source and children."""
        return self.leaf is not None and self.node.is_object and VALUE in self.node.content

    def leaves(self) -> Iterator[Stated]:
        """The leaves at and below this place, in the order of the text."""
        if self.leaf is not None:
            yield self.leaf
        for child in self.children:
            yield from child.leaves()


def read_part(name: str, node: Node | None) -> Spot:
    """The part of a tree called *name*. Raises `NotATree`; nothing of it is used then."""
    root = Spot("", node or Node(None))
    if root.node.content is None:
        return root
    if not root.node.is_object:
        raise NotATree(root.node.line, f"{name!r} is not a tree, but a {type(root.node.content).__name__}.")
    seen: set[str] = set()
    for key, entry in root.node.content.items():
        root.children.append(_spot(_path(key, entry.line), entry, seen))
    return root


def source_of(leaf: Stated) -> Source:
    """What the leaf's ``_source`` says. Raises `NotATree`."""
    if leaf.source is None or leaf.source.content is None:
        return Source()
    found, line = leaf.source.plain(), leaf.source.line
    if not isinstance(found, dict):
        raise NotATree(line, f"'{leaf.path}.{SOURCE}' is not a tree, but a {type(found).__name__}.")
    for key in found:
        if key not in (AGENT, CREATED, UPDATED):
            raise NotATree(
                line, f"The '_source' of {leaf.path} has the key {key!r}; it has {AGENT}, {CREATED} and {UPDATED}."
            )
    writer = found.get(AGENT, USER)
    try:
        if writer != USER:
            AgentId.parse(writer)
        return Source(writer, *(_moment(found.get(key)) for key in (CREATED, UPDATED)))
    except Misuse as error:
        raise NotATree(line, f"The '_source' of {leaf.path} is not valid: {error.message}") from error


def _spot(path: str, entry: Entry, seen: set[str]) -> Spot:
    """A path holds at most sixteen segments, so this ends soon."""
    node = entry.node
    spot = Spot(path, node, entry)
    if not node.is_object or not node.content:
        spot.leaf = _stated(path, node, entry.line, None)
    else:
        for key, child in node.content.items():
            if key.startswith("_") and key not in (VALUE, SOURCE):
                raise NotATree(
                    child.line, f"The node {path} has the key {key!r}; only '_value' and '_source' begin with '_'."
                )
        source = node.content.get(SOURCE)
        if VALUE in node.content:
            value = node.content[VALUE]
            spot.leaf = _stated(path, value.node, value.line, None if source is None else source.node)
        elif source is not None:
            raise NotATree(source.line, f"The node {path} has a '_source' and no '_value'.")
    if spot.leaf is not None:
        if path in seen:
            raise NotATree(entry.line, f"The path {path!r} is there twice.")
        seen.add(path)
    if node.is_object:
        for key, child in node.content.items():
            if not key.startswith("_"):
                spot.children.append(_spot(_path(f"{path}.{key}", child.line), child, seen))
    return spot


def _stated(path: str, node: Node, line: int, source: Node | None) -> Stated:
    try:
        return Stated(path, check_value(node.plain(), path), line, source)
    except Misuse as error:
        raise NotATree(line, error.message) from error


def _path(text: str, line: int) -> str:
    try:
        return parse_path(text)
    except Misuse as error:
        raise NotATree(line, error.message) from error


def _moment(found: object) -> int:
    if found is None:
        return 0
    if not isinstance(found, str):
        raise Misuse(f"{found!r} is not a time; write it as 2026-11-29T08:30:00Z.")
    return to_ms(parse_time(found))
