"""Turning what devices answer into what tables and panels show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.markup import escape

from .scenes import GONE, Act, show
from .story import Question

__all__ = ["clip", "explain", "find_value", "paths_of", "place_of", "tell_act"]


def find_value(tree: dict[str, Any], path: str) -> Any:
    """The value of *path* in the public part of a tree, or `GONE`."""
    node: Any = tree["public"]
    for segment in path.split("."):
        node = node.get(segment, {})
    return node.get("_value", GONE)


def paths_of(tree: dict[str, Any], path: str = "") -> list[tuple[str, Any]]:
    """The leaves of a tree: path and value."""
    found = [(path, tree["_value"])] if "_value" in tree else []
    for key, child in tree.items():
        if not key.startswith("_"):
            found += paths_of(child, f"{path}.{key}" if path else key)
    return found


def place_of(question: Question, results: Sequence[dict[str, Any]]) -> int | None:
    """The place, from 1, of the first result that rests on words that answer *question*."""
    for place, one in enumerate(results, 1):
        if any((session, message) in question.evidence for session, message in one["evidence"]):
            return place
    return None


def tell_act(act: Act | None) -> str:
    return "[dim]-[/]" if act is None else f"{escape(act.told)}\n[dim]{escape(act.who)}[/]"


def clip(text: str, length: int = 72) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"


def explain(found: dict[str, Any], names: Mapping[str, str]) -> list[str]:
    """The lines that answer ``why``; *names* are those of devices, by id."""
    current = found["current"]
    source = current["source"]
    lines = [
        f"[bold green]{escape(show(current['value']))}[/]",
        f"[dim]written by[/] {source['agent']}"
        f"[dim], first {_day(source['created'])}, last {_day(source['updated'])}[/]",
    ]
    for one in found["receipts"]:
        where = f", in {one['session']} {one['message']}" if one["message"] else ""
        speaker = "the person" if one["speaker"] == "user" else one["speaker"]
        lines.append(f"[dim]because[/] “{escape(one['text'])}”")
        lines.append(f"        [dim]{escape(speaker)}, {_day(one['at'])}{escape(where)}[/]")
    lines.append("[dim]history[/]")
    for one in found["history"]:
        device = escape(names.get(one["device"], "another device"))
        value = escape(clip(show(one["value"]), 40))
        lines.append(f"  {_day(one['at'])}  {value} [dim]by {one['agent']} on {device}[/]")
    return lines


def _day(moment: str) -> str:
    return moment[:16].replace("T", " ")
