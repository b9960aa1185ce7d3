"""YAML as plain values, or as nodes that know their place in the text, read from the parser's events under limits.

Nothing is constructed but text, numbers, booleans, null, lists and objects: the core schema of YAML 1.2, in which
``yes`` and ``2026-05-08`` are text. Keys are text as they are written. Tags, anchors and aliases are refused, so no
file can say more than its own length; a key given twice is refused with its line. Depth costs no recursion.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
)

__all__ = ["MAX_DEPTH", "Entry", "Node", "NotYaml", "node_of", "parse_nodes", "parse_yaml"]

MAX_DEPTH = 64
"""Collections inside one another: a path's sixteen segments and a value's thirty-two levels, and some."""
MAX_NUMBER = 400
"""Characters of a number."""

_INTEGER = re.compile(r"[-+]?[0-9]+\Z|0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_ODD_FLOATS = re.compile(r"[-+]?\.(inf|Inf|INF)\Z|\.(nan|NaN|NAN)\Z")
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


class NotYaml(Exception):
    """``line`` counts from 1, or is 0 where the parser knows none; ``reason`` says what is wrong there."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


@dataclass(slots=True)
class Node:
    """A value and its place. ``content`` is a scalar's value, a list of nodes, or an object's entries by key.

    ``line`` counts from 1, and is 0 where a node has no place. ``start`` and ``end`` are places in the text: of a
    scalar and of a collection in brackets its characters, of another collection from its first item to the end of its
    last. A null that is not written has ``start == end``.
    """

    content: Any
    line: int = 0
    start: int = 0
    end: int = 0
    in_brackets: bool = False

    @property
    def is_object(self) -> bool:
        return isinstance(self.content, dict)

    def plain(self) -> Any:
        """The value without its place. Recurses no deeper than `MAX_DEPTH`."""
        if isinstance(self.content, dict):
            return {key: entry.node.plain() for key, entry in self.content.items()}
        return [node.plain() for node in self.content] if isinstance(self.content, list) else self.content


class Entry(NamedTuple):
    """One key of an object: its place, the place behind its colon, and its value."""

    line: int
    start: int
    column: int
    colon: int
    node: Node


def node_of(value: Any) -> Node:
    """The node of a plain value, without a place."""
    if isinstance(value, dict):
        return Node({key: Entry(0, 0, 0, 0, node_of(item)) for key, item in value.items()})
    return Node([node_of(item) for item in value] if isinstance(value, list) else value)


def parse_yaml(text: str) -> Any:
    """The one document of *text*; None if it is empty. O(length). Raises `NotYaml`."""
    root = parse_nodes(text)
    return None if root is None else root.plain()


def parse_nodes(text: str) -> Node | None:
    """The one document of *text* with the place of everything; None if it is empty. O(length). Raises `NotYaml`."""
    builder = _Builder(text)
    try:
        for event in YAML(typ="safe", pure=True).parse(text):
            builder.take(event)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise NotYaml(0 if mark is None else mark.line + 1, str(error.problem or error.context)) from error
    except YAMLError as error:  # a character that YAML does not allow, which has a place but no line
        place = getattr(error, "position", None)
        line = 0 if place is None else text.count("\n", 0, place) + 1
        raise NotYaml(line, "a character is not allowed in YAML") from error
    return builder.root


class _Key(NamedTuple):
    text: str
    line: int
    start: int
    column: int
    colon: int


class _Builder:
    def __init__(self, text: str) -> None:
        self.root: Node | None = None
        self._text = text
        self._documents = 0
        self._open: list[Node] = []
        self._keys: list[_Key | None] = []

    def take(self, event: Event) -> None:
        if isinstance(event, NodeEvent):
            self._node(event)
        elif isinstance(event, CollectionEndEvent):
            self._keys.pop()
            self._close(self._open.pop(), event)
        elif isinstance(event, DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                _refuse(event, "a second document begins")

    def _close(self, node: Node, event: Event) -> None:
        if node.in_brackets:
            node.end = event.end_mark.index
        else:
            children = [one.node for one in node.content.values()] if node.is_object else node.content
            node.end = max((one.end for one in children), default=node.end)

    def _node(self, event: NodeEvent) -> None:
        if isinstance(event, AliasEvent) or event.anchor is not None:
            _refuse(event, "anchors and aliases are not read; write the value out")
        if self._open and self._open[-1].is_object and self._keys[-1] is None:
            self._key(event)
            return
        if isinstance(event, ScalarEvent):
            self._add(self._leaf(event))
            return
        assert isinstance(event, CollectionStartEvent)
        if not event.implicit:
            _refuse(event, f"the tag {event.tag} is not read")
        if len(self._open) == MAX_DEPTH:
            _refuse(event, f"it is nested deeper than {MAX_DEPTH} levels")
        mark = event.start_mark
        content: Any = {} if isinstance(event, MappingStartEvent) else []
        collection = Node(content, mark.line + 1, mark.index, mark.index, bool(event.flow_style))
        self._add(collection)
        self._open.append(collection)
        self._keys.append(None)

    def _leaf(self, event: ScalarEvent) -> Node:
        start, end = event.start_mark.index, event.end_mark.index
        value = _scalar(event)
        line = event.start_mark.line + 1
        key = self._keys[-1] if self._keys else None
        if start == end and event.style is None:  # not written: the parser gives the place of what comes next
            if key is not None:
                return Node(value, key.line, key.colon, key.colon)
            while start and self._text[start - 1].isspace():
                start -= 1
            return Node(value, line, start, start)
        written = self._text[start:end]
        if event.style in ("|", ">") and "+" not in written.split("\n", 1)[0]:
            written = written.rstrip()  # the parser counts the empty lines that follow
        return Node(value, line, start, start + len(written))

    def _key(self, event: NodeEvent) -> None:
        if not isinstance(event, ScalarEvent):
            _refuse(event, "a key is a list or an object; keys are text")
        if event.value in self._open[-1].content:
            _refuse(event, f"the key {event.value!r} is there twice")
        mark, end = event.start_mark, event.end_mark.index
        colon = self._text.find(":", end)
        self._keys[-1] = _Key(event.value, mark.line + 1, mark.index, mark.column, (colon if colon >= 0 else end) + 1)

    def _add(self, node: Node) -> None:
        if not self._open:
            self.root = node
            return
        into = self._open[-1].content
        if isinstance(into, list):
            into.append(node)
            return
        key = self._keys[-1]
        assert key is not None
        into[key.text] = Entry(key.line, key.start, key.column, key.colon, node)
        self._keys[-1] = None


def _scalar(event: ScalarEvent) -> Any:
    text: str = event.value
    plain, quoted = event.implicit
    if not plain and not quoted and event.tag not in (None, "tag:yaml.org,2002:str", "!"):
        _refuse(event, f"the tag {event.tag} is not read")
    if not plain:
        return text
    if text in _WORDS:
        return _WORDS[text]
    is_integer = _INTEGER.match(text)
    if not is_integer and not _FLOAT.match(text):
        return float(text.lower().replace(".", "")) if _ODD_FLOATS.match(text) else text
    if len(text) > MAX_NUMBER:
        _refuse(event, f"a number has {len(text):,} characters")
    if not is_integer:
        return float(text)
    return int(text, {"o": 8, "x": 16}.get(text[1:2], 10))


def _refuse(event: Event, reason: str) -> NoReturn:
    raise NotYaml(event.start_mark.line + 1, reason)
