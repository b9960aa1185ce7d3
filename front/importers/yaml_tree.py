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

from collections.abc import Iterator
from functools import partial

import msgpack

from vademecum.engine.agents import AgentPattern
from vademecum.engine.receipts import quote
from vademecum.engine.records import USER
from vademecum.engine.remembering import import_leaf
from vademecum.engine.replica import Transaction
from vademecum.engine.scopes import PRIVATE, PUBLIC, parse_scope
from vademecum.engine.writing import ScopeWriter
from vademecum.errors import InvalidAgent

from .batches import Entry, EntryKind
from .files import parse_json, refuse
from .tree_form import NotATree, Source, Spot, Stated, read_part, source_of
from .yaml_events import Node, NotYaml, node_of, parse_nodes

__all__ = ["read"]

_PARTS = {"public": PUBLIC, "private": PRIVATE}
_AGENTS = "agents"


def read(text: str, file: str) -> list[Entry]:
    """The leaves of the tree *text*, called *file*. Raises `UnreadableFile`, naming the line or the path."""
    document = _parse(text, file)
    if document is None or document.content is None:
        return []
    if not document.is_object:
        refuse(file, "A tree has 'public', 'private' and 'agents' at its top.")
    top = {name: entry.node for name, entry in document.content.items()}
    for name in top:
        if name not in _PARTS and name != _AGENTS:
            refuse(file, f"It has {name!r} at its top; a tree has 'public', 'private' and 'agents' there.")
    entries: list[Entry] = []
    reasons = _Reasons(file)
    try:
        for name, scope in _PARTS.items():
            entries += _entries(read_part(name, top.get(name)), scope, name, reasons)
        for agent, tree in _agents(top.get(_AGENTS)):
            where = f"{_AGENTS}.{agent}"
            owner = _owner(agent, tree)
            entries += _entries(read_part(where, tree), parse_scope(f"agent/{owner.name}"), where, reasons, owner)
    except NotATree as error:
        refuse(file, f"Line {error.line}: {error.reason}" if error.line else error.reason)
    return entries


def _parse(text: str, file: str) -> Node | None:
    if text.lstrip()[:1] == "{":
        try:  # JSON is YAML, and this reads it a hundred times faster
            return node_of(parse_json(text))
        except (ValueError, RecursionError):
            pass  # it may be YAML that begins like JSON; and if not, the other parser knows the line
    try:
        return parse_nodes(text)
    except NotYaml as error:
        at = f"Line {error.line}" if error.line else "The file"
        refuse(file, f"{at} does not parse: {error.reason}.")


def _agents(node: Node | None) -> Iterator[tuple[str, Node]]:
    if node is None or node.content is None:
        return
    if not node.is_object:
        raise NotATree(node.line, f"{_AGENTS!r} is not a tree.")
    for agent, entry in node.content.items():
        yield agent, entry.node


def _owner(agent: str, node: Node) -> AgentPattern:
    try:
        owner = AgentPattern.parse(agent)
    except InvalidAgent as error:
        raise NotATree(node.line, error.message) from error
    if owner.version is not None:
        raise NotATree(node.line, f"The agent {agent!r} has a version; an agent's tree is that of all its versions.")
    return owner


def _entries(
    part: Spot, scope: str, where: str, reasons: _Reasons, owner: AgentPattern | None = None
) -> Iterator[Entry]:
    for stated in part.leaves():
        source = source_of(stated)
        if owner is not None and source.writer != USER and not owner.matches(source.writer):
            raise NotATree(
                stated.line, f"The leaf at {stated.path} under {where!r} is by {source.writer}, another agent."
            )
        size = len(msgpack.packb(stated.value)) + len(stated.path)
        yield Entry(EntryKind.LEAF, scope, size, partial(_write, leaf=stated, source=source, reasons=reasons))


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


def _write(scope: ScopeWriter, leaf: Stated, source: Source, reasons: _Reasons) -> bool:
    return import_leaf(
        scope,
        leaf.path,
        leaf.value,
        writer=source.writer,
        receipts=lambda: reasons.of(scope, source.writer),
        created_ms=source.created_ms,
        updated_ms=source.updated_ms,
    )
