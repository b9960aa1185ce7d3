"""The tree form: what `Person.tree` shows, in YAML or JSON, as a person would also write it by hand.

::

    public:
      name: Alice                      # a plain value or list is a leaf of the person's
      diet:
        _value: [vegetarian]           # a node may have a value and children
        _source: {_agent: prix/daily-eats@1.0.0, _created: 2026-05-08T13:56:00Z, _updated: 2026-05-09T08:00:00Z}
        allergies: [hazelnuts]
    private: {}
    agents:
      prix/daily-eats:
        tried: {_value: [Ox & Fig], _source: {_agent: prix/daily-eats@1.0.0}}

A tree does not carry receipts. A leaf of an agent's gets one that says from which file it was imported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import msgpack

from vademecum.engine.agents import AgentId, AgentPattern
from vademecum.engine.paths import parse_path
from vademecum.engine.receipts import quote
from vademecum.engine.records import USER
from vademecum.engine.remembering import import_leaf
from vademecum.engine.replica import Transaction
from vademecum.engine.scopes import PRIVATE, PUBLIC, parse_scope
from vademecum.engine.times import parse_time, to_ms
from vademecum.engine.trees import VALUE
from vademecum.engine.values import Value, check_value
from vademecum.engine.writing import ScopeWriter
from vademecum.errors import Misuse

from .batches import Entry, EntryKind
from .files import parse_json, refuse
from .yaml_events import NotYaml, parse_yaml

__all__ = ["read"]

SOURCE = "_source"
_AGENT, _CREATED, _UPDATED = "_agent", "_created", "_updated"
_PARTS = {"public": PUBLIC, "private": PRIVATE}
_AGENTS = "agents"


class _Leaf(NamedTuple):
    path: str
    value: Value
    writer: str
    created_ms: int
    updated_ms: int


def read(text: str, file: str) -> list[Entry]:
    """The leaves of the tree *text*, called *file*. Raises `UnreadableFile`, naming the line or the path."""
    document = _parse(text, file)
    if document is None:
        return []
    if not isinstance(document, dict):
        refuse(file, "A tree has 'public', 'private' and 'agents' at its top.")
    for name in document:
        if name not in _PARTS and name != _AGENTS:
            refuse(file, f"It has {name!r} at its top; a tree has 'public', 'private' and 'agents' there.")
    entries: list[Entry] = []
    reasons = _Reasons(file)
    try:
        for name, scope in _PARTS.items():
            entries += _entries(document.get(name), scope, name, reasons)
        for agent, tree in _object(document.get(_AGENTS), _AGENTS).items():
            owner = AgentPattern.parse(agent)
            if owner.version is not None:
                raise Misuse(f"The agent {agent!r} has a version; an agent's tree is that of all its versions.")
            entries += _entries(tree, parse_scope(f"agent/{owner.name}"), f"{_AGENTS}.{agent}", reasons, owner)
    except Misuse as error:
        refuse(file, error.message)
    return entries


def _parse(text: str, file: str) -> Any:
    if text.lstrip()[:1] == "{":
        try:  # JSON is YAML, and this reads it a hundred times faster
            return parse_json(text)
        except (ValueError, RecursionError):
            pass  # it may be YAML that begins like JSON; and if not, the other parser knows the line
    try:
        return parse_yaml(text)
    except NotYaml as error:
        at = f"Line {error.line}" if error.line else "The file"
        refuse(file, f"{at} does not parse: {error.reason}.")


def _entries(
    tree: object, scope: str, where: str, reasons: _Reasons, owner: AgentPattern | None = None
) -> Iterator[Entry]:
    seen: set[str] = set()
    for key, node in _object(tree, where).items():
        for leaf in _leaves(node, parse_path(key)):
            if leaf.path in seen:
                raise Misuse(f"The path {leaf.path!r} is there twice.")
            seen.add(leaf.path)
            if owner is not None and leaf.writer != USER and not owner.matches(leaf.writer):
                raise Misuse(f"The leaf at {leaf.path} under {where!r} is by {leaf.writer}, another agent.")
            size = len(msgpack.packb(leaf.value)) + len(leaf.path)
            yield Entry(EntryKind.LEAF, scope, size, partial(_write, leaf=leaf, reasons=reasons))


def _leaves(node: object, path: str) -> Iterator[_Leaf]:
    """The leaves at and below *path*. A path holds at most sixteen segments, so this ends soon."""
    if not isinstance(node, dict) or not node:
        yield _Leaf(path, check_value(node, path), USER, 0, 0)
        return
    for key in node:
        if key.startswith("_") and key not in (VALUE, SOURCE):
            raise Misuse(f"The node {path} has the key {key!r}; only '_value' and '_source' begin with '_'.")
    if VALUE in node:
        yield _Leaf(path, check_value(node[VALUE], path), *_source(node.get(SOURCE), path))
    elif SOURCE in node:
        raise Misuse(f"The node {path} has a '_source' and no '_value'.")
    for key, child in node.items():
        if not key.startswith("_"):
            yield from _leaves(child, parse_path(f"{path}.{key}"))


def _source(found: object, path: str) -> tuple[str, int, int]:
    """(writer, created, updated); times are 0 where the tree does not say."""
    source = _object(found, f"{path}.{SOURCE}")
    for key in source:
        if key not in (_AGENT, _CREATED, _UPDATED):
            raise Misuse(f"The '_source' of {path} has the key {key!r}; it has {_AGENT}, {_CREATED} and {_UPDATED}.")
    writer = source.get(_AGENT, USER)
    try:
        if writer != USER:
            AgentId.parse(writer)
        created, updated = (_moment(source.get(key)) for key in (_CREATED, _UPDATED))
    except Misuse as error:
        raise Misuse(f"The '_source' of {path} is not valid: {error.message}") from error
    return writer, created, updated


def _moment(found: object) -> int:
    if found is None:
        return 0
    if not isinstance(found, str):
        raise Misuse(f"{found!r} is not a time; write it as 2026-11-29T08:30:00Z.")
    return to_ms(parse_time(found))


def _object(found: object, where: str) -> Mapping[str, Any]:
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise Misuse(f"{where!r} is not a tree, but a {type(found).__name__}.")
    return found


class _Reasons:
    """The receipts that stand in for those that a tree does not carry: one for each writer in a transaction."""

    def __init__(self, file: str) -> None:
        self._words = f"Imported from {file}"
        self._transaction: Transaction | None = None
        self._kept: dict[tuple[str, str], str] = {}

    def of(self, scope: ScopeWriter, writer: str) -> list[str]:
        if writer == USER:
            return []
        if scope.transaction is not self._transaction:  # the transaction before may have been rolled back
            self._transaction, self._kept = scope.transaction, {}
        key = scope.name, writer
        if key not in self._kept:
            self._kept[key] = quote(scope, writer, self._words)
        return [self._kept[key]]


def _write(scope: ScopeWriter, leaf: _Leaf, reasons: _Reasons) -> bool:
    return import_leaf(
        scope,
        leaf.path,
        leaf.value,
        writer=leaf.writer,
        receipts=lambda: reasons.of(scope, leaf.writer),
        created_ms=leaf.created_ms,
        updated_ms=leaf.updated_ms,
    )
