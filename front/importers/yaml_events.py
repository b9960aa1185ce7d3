"""YAML as plain values, read from the parser's events under limits.

Nothing is constructed but text, numbers, booleans, null, lists and objects: the core schema of YAML 1.2, in which
``yes`` and ``2026-05-08`` are text. Keys are text as they are written. Tags, anchors and aliases are refused, so no
file can say more than its own length; a key given twice is refused with its line. Depth costs no recursion.
"""

from __future__ import annotations

import re
from typing import Any, NoReturn

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

__all__ = ["MAX_DEPTH", "NotYaml", "parse_yaml"]

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


def parse_yaml(text: str) -> Any:
    """The one document of *text*; None if it is empty. O(length). Raises `NotYaml`."""
    builder = _Builder()
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


class _Builder:
    def __init__(self) -> None:
        self.root: Any = None
        self._documents = 0
        self._open: list[Any] = []
        self._keys: list[str | None] = []

    def take(self, event: Event) -> None:
        if isinstance(event, NodeEvent):
            self._node(event)
        elif isinstance(event, CollectionEndEvent):
            self._open.pop()
            self._keys.pop()
        elif isinstance(event, DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                _refuse(event, "a second document begins")

    def _node(self, event: NodeEvent) -> None:
        if isinstance(event, AliasEvent) or event.anchor is not None:
            _refuse(event, "anchors and aliases are not read; write the value out")
        if isinstance(self._open[-1] if self._open else None, dict) and self._keys[-1] is None:
            self._key(event)
            return
        if isinstance(event, ScalarEvent):
            self._add(_scalar(event))
            return
        if isinstance(event, CollectionStartEvent) and not event.implicit:
            _refuse(event, f"the tag {event.tag} is not read")
        if len(self._open) == MAX_DEPTH:
            _refuse(event, f"it is nested deeper than {MAX_DEPTH} levels")
        collection: Any = {} if isinstance(event, MappingStartEvent) else []
        self._add(collection)
        self._open.append(collection)
        self._keys.append(None)

    def _key(self, event: NodeEvent) -> None:
        if not isinstance(event, ScalarEvent):
            _refuse(event, "a key is a list or an object; keys are text")
        if event.value in self._open[-1]:
            _refuse(event, f"the key {event.value!r} is there twice")
        self._keys[-1] = event.value

    def _add(self, value: Any) -> None:
        if not self._open:
            self.root = value
        elif isinstance(self._open[-1], list):
            self._open[-1].append(value)
        else:
            self._open[-1][self._keys[-1]] = value
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
