"""Leaves as YAML, as a person would write them. Whatever is written here is read back as the same leaves.

A leaf of the person's is a plain value; one of an agent's has ``_value`` and ``_source``. Text is quoted where YAML 1.1
or 1.2 would read something else, so that other tools than this one read it as meant too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from vademecum.engine.leaf import Leaf
from vademecum.engine.records import USER
from vademecum.engine.trees import VALUE
from vademecum.engine.values import Value
from vademecum.importers.tree_form import AGENT, CREATED, SOURCE, UPDATED

__all__ = [
    "INDENT",
    "Shown",
    "key_text",
    "node_lines",
    "render_entries",
    "render_parts",
    "shown",
    "source_text",
    "value_text",
]

INDENT = "  "
MAX_LINE = 100
"""Characters of a list on one line; a longer one has a line for each item."""

# letters of any script first, and nothing that could be YAML's
_PLAIN = re.compile(r"[^\W\d_](?:[\w .@/&+()'!?;·–-]*[\w.()'!?-])?\Z")
_WORDS = frozenset(["null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf"])
_KEY = re.compile(r"[^\W_][\w-]*\Z")
_NUMBERLIKE = re.compile(r"[\d.]*(?:[eExXoO_-][\da-fA-F_-]*)?\Z|[\d_]+\Z")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


class Shown(NamedTuple):
    """A leaf as the file shows it: its value, and the ``_source`` of an agent's."""

    value: Value
    source: tuple[tuple[str, str], ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether it can stand behind its key as it is: an object there would be read as a subtree."""
        return not self.source and not (isinstance(self.value, dict) and self.value)


def shown(leaf: Leaf) -> Shown:
    """How the file shows *leaf*. The person's own has no source: whatever is plain is theirs."""
    if leaf.agent == USER:
        return Shown(leaf.value)
    source = leaf.source()
    return Shown(leaf.value, ((AGENT, source["agent"]), (CREATED, source["created"]), (UPDATED, source["updated"])))


def render_parts(parts: Iterable[tuple[str, Iterable[tuple[str, Shown]]]]) -> str:
    """Parts of a tree, each with its leaves by path; an empty part is ``{}``."""
    lines: list[str] = []
    for name, leaves in parts:
        entries = list(render_entries(leaves, INDENT))
        lines += [f"{key_text(name)}:", *entries] if entries else [f"{key_text(name)}: {{}}"]
    return "".join(f"{line}\n" for line in lines)


def render_entries(leaves: Iterable[tuple[str, Shown]], indent: str) -> Iterator[str]:
    """The lines of *leaves* by path below one node, nested by segment, each line begun with *indent*."""
    root = _Branch()
    for path, leaf in leaves:
        root.add(path.split("."), leaf)
    yield from root.lines(indent)


def value_text(value: Value, indent: str | None = None) -> str:
    """*value* on one line; with *indent*, that of its key, a text of several lines or a long list is several lines,
    the first of which belongs behind the key's colon.
    """
    if indent is not None and isinstance(value, str) and _is_block(value):
        body = value.removesuffix("\n")
        sign = "|" if body != value else "|-"
        return "\n".join([sign, *(f"{indent}{INDENT}{line}" if line else "" for line in body.split("\n"))])
    if isinstance(value, list):
        line = f"[{', '.join(value_text(item) for item in value)}]"
        if indent is None or len(line) <= MAX_LINE:
            return line
        return "".join(f"\n{indent}{INDENT}- {value_text(item)}" for item in value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(key)}: {value_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, str):
        return _text(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    number = repr(value)
    return number if "." in number else number.replace("e", ".0e")  # YAML 1.1 takes 1e+16 for text


def key_text(key: str) -> str:
    """*key* as the key of an object."""
    return key if _KEY.match(key) and key.lower() not in _WORDS and not _NUMBERLIKE.match(key) else _quoted(key)


def source_text(leaf: Shown) -> str:
    """The value of a ``_source``."""
    return "{" + ", ".join(f"{key}: {text}" for key, text in leaf.source) + "}"


class _Branch:
    """A node of the tree to be written. Children come in the order in which they were added."""

    def __init__(self) -> None:
        self.leaf: Shown | None = None
        self.children: dict[str, _Branch] = {}

    def add(self, segments: list[str], leaf: Shown) -> None:
        node = self
        for segment in segments:
            node = node.children.setdefault(segment, _Branch())
        node.leaf = leaf

    def lines(self, indent: str) -> Iterator[str]:
        for segment, child in self.children.items():
            yield from child.entry(f"{indent}{key_text(segment)}:", indent)

    def entry(self, key: str, indent: str) -> Iterator[str]:
        leaf = self.leaf
        if leaf is not None and leaf.is_plain and not self.children:
            yield from _keyed(key, leaf.value, indent)
            return
        yield key
        if leaf is not None:
            yield from node_lines(leaf, indent + INDENT)
        yield from self.lines(indent + INDENT)


def node_lines(leaf: Shown, indent: str) -> Iterator[str]:
    """The ``_value`` of *leaf*, and its ``_source`` if it has one."""
    yield from _keyed(f"{indent}{VALUE}:", leaf.value, indent)
    if leaf.source:
        yield f"{indent}{SOURCE}: {source_text(leaf)}"


def _keyed(key: str, value: Value, indent: str) -> list[str]:
    text = value_text(value, indent)
    return (key + text if text.startswith("\n") else f"{key} {text}").split("\n")


def _is_block(text: str) -> bool:
    """Whether *text* can be written as lines: nothing in it is invisible, and its form says all there is to say."""
    if "\n" not in text or text.endswith("\n\n") or text.startswith((" ", "\n")):
        return False
    return all(line.isprintable() and line == line.rstrip() for line in text.split("\n"))


def _text(text: str) -> str:
    return text if _PLAIN.match(text) and text.lower() not in _WORDS and text.isprintable() else _quoted(text)


def _quoted(text: str) -> str:
    return '"' + "".join(_ESCAPES.get(one) or (one if one.isprintable() else _escaped(one)) for one in text) + '"'


def _escaped(one: str) -> str:
    code = ord(one)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
