"""Objects and subtrees: an object given to ``set`` or ``remember`` becomes leaves, and leaves are shown as a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

import msgpack

from vademecum.errors import InvalidValue

from .paths import parse_path
from .values import MAX_PACKED, Value, check_key, check_value

__all__ = ["flatten", "nest"]

T = TypeVar("T")

VALUE = "_value"
"""In a nested tree, the key of a node's own value; no path segment begins with ``_``."""


def flatten(path: str, value: object) -> Iterator[tuple[str, Value]]:
    """The leaves that *value* at *path* stands for, checked: an object is a subtree, anything else one leaf.

    An empty object is a leaf: it would otherwise vanish. The bound on a value's size holds for the whole object.
    Raises `InvalidPath` or `InvalidValue`, naming the leaf; then no leaf has been given out.
    """
    leaves: dict[str, Value] = {}
    size = 0
    for place, plain in _leaves(parse_path(path), value):
        if place in leaves:
            raise InvalidValue(f"The value at {path} has two values for {place}; a path has one.")
        leaves[place] = plain
        size += len(place) - len(path) + len(msgpack.packb(plain))
        if size > MAX_PACKED:
            raise InvalidValue(f"The value at {path} takes more than {MAX_PACKED:,} bytes; no more are allowed.")
    return iter(leaves.items())


def _leaves(path: str, value: object) -> Iterator[tuple[str, Value]]:
    if isinstance(value, Mapping) and value:
        for key, child in value.items():
            yield from _leaves(parse_path(f"{path}.{check_key(key, path)}"), child)
    else:
        yield path, check_value(value, path)


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
