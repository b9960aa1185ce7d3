"""Bringing a text up to date with the vault, touching only the lines of leaves that changed.

Everything else stays as the person wrote it, byte for byte: comments, order, quotes, indentation, empty lines. (A
parser's round trip would indent and fold lines anew, and loses the comment that stands behind a key which goes.) What
comes out is read again and compared; where the lines are too unusual to be patched, `patch` says so by None.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgpack

from vademecum.engine.records import USER
from vademecum.engine.trees import VALUE
from vademecum.errors import UnreadableFile
from vademecum.importers.tree_form import AGENT, SOURCE, Spot, Stated
from vademecum.importers.yaml_events import Entry, Node

from .reading import HEADER, PARTS, Key, VaultText, end_line, read_vault_text, with_stamp
from .rendering import INDENT, Shown, node_lines, render_entries, render_parts, source_text, value_text

__all__ = ["differs", "patch", "render_file"]


def render_file(wanted: Mapping[Key, Shown], stamp: str) -> str:
    """The whole file, written anew; *stamp* stands in its last line."""
    parts = [(name, [(path, leaf) for (its, path), leaf in wanted.items() if its == scope])
             for name, scope in PARTS.items()]  # fmt: skip
    return f"{HEADER}\n{render_parts(parts)}\n{end_line(stamp)}\n"


def patch(found: VaultText, wanted: Mapping[Key, Shown], file: Path, stamp: str = "") -> str | None:
    """*found* with the leaves *wanted*; None if its lines cannot be patched. O(text + leaves).

    stamp: comes into the last line, if anything changes and that line is there.
    """
    if all(not differs(stated, wanted.get(key)) for key, stated in found.leaves.items()) and len(wanted) == len(
        found.leaves
    ):
        return found.text
    if found.root is None or found.root.in_brackets:
        return None
    patcher = _Patcher(found.text)
    for name, scope in sorted(PARTS.items(), key=lambda part: part[0] not in found.parts):  # what is new goes last
        leaves = {path: leaf for (its, path), leaf in wanted.items() if its == scope}
        patcher.part(name, found.parts.get(name), found.root, leaves)
    text = with_stamp(patcher.result(), stamp) if stamp else patcher.result()
    try:
        check = read_vault_text(text, file)
    except UnreadableFile:
        return None
    same = len(check.leaves) == len(wanted) and not any(
        differs(stated, wanted.get(key)) for key, stated in check.leaves.items()
    )
    return text if same else None


def differs(stated: Stated, leaf: Shown | None) -> bool:
    """Whether the file states a leaf otherwise than the vault has it."""
    return leaf is None or not _same_value(stated, leaf) or not _same_source(stated.source, leaf)


def _same_value(stated: Stated, leaf: Shown) -> bool:
    return bool(msgpack.packb(stated.value) == msgpack.packb(leaf.value))


def _same_source(node: Node | None, leaf: Shown) -> bool:
    plain = None if node is None else node.plain()
    if leaf.source:
        return plain == dict(leaf.source)
    return not isinstance(plain, dict) or plain.get(AGENT, USER) == USER  # what the person notes there is theirs


class _Patcher:
    """Gathers edits of one text, none of which overlap, and applies them."""

    def __init__(self, text: str) -> None:
        self._newline = "\r\n" if "\r\n" in text else "\n"
        self._text = text if text.endswith("\n") else text + self._newline
        self._edits: list[tuple[int, int, str]] = []

    def result(self) -> str:
        pieces, at = [], 0
        for start, end, new in sorted(self._edits, key=lambda edit: edit[:2]):
            pieces += [self._text[at:start], new.replace("\n", self._newline)]
            at = max(at, end)
        return "".join([*pieces, self._text[at:]])

    def part(self, name: str, spot: Spot | None, root: Node, wanted: Mapping[str, Shown]) -> None:
        """Brings the part *name* up to date; *spot* is None where the text does not have it."""
        if spot is None:
            if wanted:
                text = "".join(f"{line}\n" for line in [f"{name}:", *render_entries(wanted.items(), INDENT)])
                self._edits.append((self._line_end(root.end), self._line_end(root.end), text))
            return
        entry = root.content[name]
        if not spot.children:
            if wanted:
                self._edits.append((entry.colon, max(entry.colon, spot.node.end), ""))
                self._insert_below(entry.colon, entry, render_entries(wanted.items(), INDENT))
        elif spot.node.in_brackets:
            self.in_brackets(entry, "", spot, wanted)
        else:
            if not wanted:
                self._edits.append((entry.colon, entry.colon, " {}"))
            _Part(self, spot, wanted).children(spot)

    def in_brackets(self, entry: Entry, path: str, spot: Spot, wanted: Mapping[str, Shown]) -> None:
        """Values change where they stand; a collection in brackets that gets or loses leaves is written anew."""
        below = {leaf: shown for leaf, shown in wanted.items() if _is_below(leaf, path)}
        stated = {leaf.path: leaf for leaf in spot.leaves()}
        is_simple = all(not shown.source for shown in below.values())
        if below.keys() == stated.keys() and is_simple and all(one.source is None for one in stated.values()):
            for one in _spots(spot):
                if one.leaf is not None and not _same_value(one.leaf, below[one.path]):
                    node = one.node.content[VALUE].node if one.is_marked else one.node
                    space = " " if node.start == node.end else ""
                    self._edits.append((node.start, node.end, space + value_text(below[one.path].value)))
            return
        if all(leaf in below and not differs(one, below[leaf]) for leaf, one in stated.items()) and len(below) == len(
            stated
        ):
            return
        indent = " " * (entry.column + len(INDENT))
        lines: list[str] = []
        if path in below:
            lines += node_lines(below[path], indent)
        lines += render_entries([(_rest(leaf, path), shown) for leaf, shown in below.items() if leaf != path], indent)
        self._edits.append((entry.colon, spot.node.end, "\n" + "\n".join(lines) if lines else " {}"))

    def _insert_below(self, place: int, entry: Entry, lines: Iterable[str]) -> None:
        end = self._line_end(max(place, entry.node.end))
        self._edits.append((end, end, "".join(f"{line}\n" for line in lines)))

    def _line_start(self, place: int) -> int:
        return self._text.rfind("\n", 0, place) + 1

    def _line_end(self, place: int) -> int:
        """The place behind the line in which the text before *place* ends."""
        found = self._text.find("\n", place)
        return len(self._text) if found < 0 else found + 1

    def remove(self, entry: Entry) -> None:
        """Removes the lines of *entry*, but for the comments in them."""
        start, end = self._line_start(entry.start), self._line_end(max(entry.node.end, entry.colon))
        indent = " " * entry.column
        kept = "".join(f"{indent}{comment}\n" for comment in self._comments(entry, end))
        self._edits.append((start, end, kept))

    def _comments(self, entry: Entry, end: int) -> list[str]:
        """What stands in comments from the colon of *entry* to *end*."""
        spans = sorted(_tokens(entry.node))
        found, at = [], entry.colon
        for start, stop in [*spans, (end, end)]:
            for line in self._text[at:start].split("\n"):
                before, sign, comment = line.partition("#")
                if sign and (not before or before[-1:].isspace() or before.strip() in ("", ":", "-")):
                    found.append(f"#{comment.rstrip()}")
            at = max(at, stop)
        return found

    def replace(self, entry: Entry, leaf: Shown) -> None:
        """Writes the value of *leaf* where that of *entry* stands."""
        node = entry.node
        text = value_text(leaf.value)
        between = self._text[entry.colon : node.start]
        behind = self._text[node.end : self._line_end(node.end)].strip()
        end = self._line_end(max(node.end, entry.colon))
        comments = self._comments(entry, end)
        if not comments and not between.strip() and not behind:
            text = value_text(leaf.value, " " * entry.column)
            self._edits.append((entry.colon, node.end, text if text.startswith("\n") else f" {text}"))
        elif "\n" in self._text[entry.colon : node.end]:  # it had several lines, and comments that stay
            first = f"   {comments.pop(0)}" if between.strip() and comments else ""
            below = "".join(f"\n{' ' * entry.column}{comment}" for comment in comments)
            self._edits.append((entry.colon, end, f" {text}{first}{below}\n"))
        else:
            self._edits.append((entry.colon, node.end, f" {text}"))

    def spread(self, entry: Entry, lines: Iterable[str]) -> None:
        """Writes *lines* in place of the value of *entry*, each below the other; its comments stay above them."""
        end = self._line_end(max(entry.node.end, entry.colon))
        comments = self._comments(entry, end)
        first = f" {comments[0]}" if comments else ""
        indent = " " * (entry.column + len(INDENT))
        body = [*(f"{indent}{comment}" for comment in comments[1:]), *lines]
        self._edits.append((entry.colon, end, "".join(f"{line}\n" for line in [first, *body])))

    def insert_before(self, entry: Entry, lines: Iterable[str]) -> None:
        start = self._line_start(entry.start)
        self._edits.append((start, start, "".join(f"{line}\n" for line in lines)))

    def insert_behind(self, entry: Entry, lines: Iterable[str]) -> None:
        end = self._line_end(max(entry.node.end, entry.colon))
        self._edits.append((end, end, "".join(f"{line}\n" for line in lines)))


class _Part:
    """Brings the places of one part up to date."""

    def __init__(self, patcher: _Patcher, root: Spot, wanted: Mapping[str, Shown]) -> None:
        self._patcher = patcher
        self._wanted = wanted
        self._alive = {prefix for path in wanted for prefix in _prefixes(path)}
        self._new = self._homes(root)

    def children(self, spot: Spot) -> None:
        """Brings what is below *spot*, an object on lines of its own, up to date."""
        for child in spot.children:
            if child.path in self._alive:
                self._place(child)
            elif child.entry is not None:
                self._patcher.remove(child.entry)
        added = self._new.get(id(spot), {})
        if added:
            last = max(spot.node.content.values(), key=lambda entry: entry.start)
            indent = " " * last.column
            self._patcher.insert_behind(last, render_entries(added.items(), indent))

    def _place(self, spot: Spot) -> None:
        entry, wanted, added = spot.entry, self._wanted.get(spot.path), self._new.get(id(spot), {})
        assert entry is not None
        if spot.node.is_object and spot.node.content and spot.node.in_brackets:
            below = {path: leaf for path, leaf in self._wanted.items() if _is_below(path, spot.path)}
            self._patcher.in_brackets(entry, spot.path, spot, below)
        elif not spot.is_marked and spot.leaf is not None:
            self._plain(spot, entry, wanted, added)
        else:
            self._marked(spot, wanted)
            self.children(spot)

    def _plain(self, spot: Spot, entry: Entry, wanted: Shown | None, added: Mapping[str, Shown]) -> None:
        assert spot.leaf is not None
        if wanted is None or added or not wanted.is_plain:
            indent = " " * (entry.column + len(INDENT))
            lines = [] if wanted is None else list(node_lines(wanted, indent))
            self._patcher.spread(entry, [*lines, *render_entries(added.items(), indent)])
        elif not _same_value(spot.leaf, wanted):
            self._patcher.replace(entry, wanted)

    def _marked(self, spot: Spot, wanted: Shown | None) -> None:
        """The ``_value`` and ``_source`` of an object on lines of its own."""
        value, source = spot.node.content.get(VALUE), spot.node.content.get(SOURCE)
        first = min(spot.node.content.values(), key=lambda entry: entry.start)
        indent = " " * first.column
        if wanted is None:
            for entry in (value, source):
                if entry is not None:
                    self._patcher.remove(entry)
            return
        if value is None or spot.leaf is None:
            self._patcher.insert_before(first, node_lines(wanted, indent))
            return
        if not _same_value(spot.leaf, wanted):
            self._patcher.replace(value, wanted)
        if _same_source(None if source is None else source.node, wanted):
            return
        if source is not None:
            self._patcher.remove(source)
        if wanted.source:
            self._patcher.insert_behind(value, [f"{indent}{SOURCE}: {source_text(wanted)}"])

    def _homes(self, root: Spot) -> dict[int, dict[str, Shown]]:
        """Leaves that the text lacks, by the deepest place that is above them and stays."""
        spots = {spot.path: spot for spot in _spots(root) if spot is root or spot.path in self._alive}
        stated = {leaf.path for leaf in root.leaves()}
        homes: dict[int, dict[str, Shown]] = {}
        for path, leaf in self._wanted.items():
            if path in stated or (path in spots and spots[path].node.is_object):
                continue
            above = next(prefix for prefix in reversed(["", *_prefixes(path)[:-1]]) if prefix in spots)
            homes.setdefault(id(spots[above]), {})[_rest(path, above)] = leaf
        return homes


def _spots(spot: Spot) -> Iterable[Spot]:
    yield spot
    for child in spot.children:
        yield from _spots(child)


def _prefixes(path: str) -> list[str]:
    segments = path.split(".")
    return [".".join(segments[: length + 1]) for length in range(len(segments))]


def _is_below(path: str, above: str) -> bool:
    return not above or path == above or path.startswith(above + ".")


def _rest(path: str, above: str) -> str:
    return path[len(above) + 1 :] if above else path


def _tokens(node: Node) -> Iterable[tuple[int, int]]:
    """The spans in which no comment is looked for: scalars, collections in brackets, and keys."""
    if node.in_brackets or not isinstance(node.content, dict | list):
        yield node.start, node.end
    elif isinstance(node.content, list):
        for item in node.content:
            yield from _tokens(item)
    else:
        for entry in node.content.values():
            yield entry.start, entry.colon
            yield from _tokens(entry.node)
