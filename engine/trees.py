"""Objects and subtrees: an object given to ``set`` or ``remember`` becomes leaves, and leaves are shown as a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from .paths import parse_path
from .values import Value, check_value

__all__ = ["flatten", "nest"]

T = TypeVar("T")

VALUE = "_value"
"""In a nested tree, the key of a node's own value; no path segment begins with ``_``."""


def flatten(path: str, value: object) -> Iterator[tuple[str, Value]]:
    """The leaves that *value* at *path* stands for, checked: an object is a subtree, anything else one leaf.

    An empty object is a leaf: it would otherwise vanish. The bounds of a value hold for the whole object.
    Raises `InvalidPath` or `InvalidValue`.
    """
    canonical = parse_path(path)
    return _leaves(canonical, check_value(value, canonical))


def _leaves(path: str, value: Value) -> Iterator[tuple[str, Value]]:
    if isinstance(value, dict) and value:
        for key, child in value.items():
            yield from _leaves(parse_path(f"{path}.{key}"), child)
    else:
        yield path, value


def nest(leaves: Iterable[tuple[str, T]], show: Callable[[T], dict[str, object]]) -> dict[str, object]:
    """The tree of *leaves*: nested by segment, in path order, each leaf's node updated with ``show(leaf)``."""
    root: dict[str, object] = {}
    for path, leaf in sorted(leaves, key=lambda pair: pair[0].split(".")):
        node = root
        for segment in path.split("."):
            child = node.setdefault(segment, {})
            assert isinstance(child, dict)
            node = child
        node.update(show(leaf))
    return root
