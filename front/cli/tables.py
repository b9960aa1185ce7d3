"""What a person reads on stdout: trees, cards and tables. rich is slow to load, so this is imported only when needed.

Stored text is shown as text: no markup in it is obeyed, and no control character reaches the terminal.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from datetime import datetime

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from vademecum.engine.audit import Change, Why
from vademecum.engine.formation.budget import Budget
from vademecum.engine.formation.suggestions import Suggestion
from vademecum.engine.leaf import Leaf
from vademecum.engine.ranking import Candidate, effective_confidence
from vademecum.engine.receipts import Receipt
from vademecum.engine.recollection import Recollection, Recollections
from vademecum.engine.records import USER
from vademecum.engine.scopes import PRIVATE, PUBLIC
from vademecum.engine.times import from_ms, parse_time
from vademecum.holding import says_who
from vademecum.status import Status
from vademecum.waiting import Waiting

from .output import in_words, print_line, printable

__all__ = [
    "in_a_line",
    "print_budget",
    "print_founding",
    "print_log",
    "print_recollections",
    "print_status",
    "print_suggestion",
    "print_tree",
    "print_why",
]

PIPED_WIDTH = 160
"""Columns where stdout is no terminal."""
LONGEST = 300
"""Characters of a value or text in a list; `get` and `why` show all of it."""
_DAY_S = 86_400.0


def print_founding(name: str, home: str, words: Sequence[str]) -> None:
    """A new vault and its recovery phrase."""
    table = Table.grid(padding=(0, 3))
    for start in range(0, len(words), 6):
        table.add_row(*(f"{start + at + 1:2} {word}" for at, word in enumerate(words[start : start + 6])))
    _show(
        _line("A vault for ", (name, "bold"), f" is in {home}."),
        Text(),
        Text("Its recovery phrase:"),
        Padding(table, (1, 2), expand=False),
        Text(
            "Write the words down and keep them away from this device. They are shown only now and kept nowhere; "
            "whoever has them can open the vault."
        ),
    )


def print_tree(leaves: Sequence[Leaf]) -> None:
    """Leaves nested by scope and segment, each with its writer, time and effective confidence."""
    if not leaves:
        _show(Text("There is nothing here yet."))
        return
    roots: dict[str, Tree] = {}
    nodes: dict[tuple[str, str], Tree] = {}
    for leaf in sorted(leaves, key=_place):
        if leaf.scope not in roots:
            roots[leaf.scope] = nodes[leaf.scope, ""] = Tree(Text(leaf.scope, "bold"))
        parent, at = nodes[leaf.scope, ""], ""
        *above, name = leaf.path.split(".")
        for segment in above:
            at = f"{at}.{segment}" if at else segment
            if (leaf.scope, at) not in nodes:
                nodes[leaf.scope, at] = parent.add(Text(segment, "cyan"))
            parent = nodes[leaf.scope, at]
        nodes[leaf.scope, leaf.path] = parent.add(
            _line(
                (name, "cyan"), "  ", _shortened(in_words(leaf.value)), "  ", (_provenance(leaf), "dim"), _doubt(leaf)
            )
        )
    _show(*roots.values())


def print_recollections(found: Recollections) -> None:
    """Answers as cards, best first."""
    if found.note:
        _show(Text(printable(found.note), "yellow"))
    if not found:
        _show(Text("Nothing fits."))
        return
    for place, one in enumerate(found, 1):
        parts = [
            f"{label} {one.why[name]:.2f}"
            for name, label in (("meaning_part", "meaning"), ("words_part", "words"), ("confidence", "sure"))
            if isinstance(one.why.get(name), float)
        ]
        _show(
            _line((f"{place:2}. ", "dim"), (f"{one.score:.2f}", "green"), "  ", _shortened(one.text), _doubt(one)),
            _line((f"          {one.id} · {_who(one.agent)} · {_moment(one.updated)} · {', '.join(parts)}", "dim")),
        )


def print_why(found: Why, devices: Mapping[bytes, str]) -> None:
    """One leaf with the words behind it, and how it came about."""
    lines = [_line((found.path, "bold"), (f"  {found.scope}", "dim"))]
    if found.current is None:
        lines.append(Text("  is not there any more."))
    else:
        lines.append(_line("  ", (_block(in_words(found.current.value), "  "), "green")))
        lines.append(_line(("  " + _provenance(found.current), "dim"), _doubt(found.current)))
    for receipt in found.receipts:
        lines += _quoted(receipt, "  ")
    lines.append(Text("  history, newest last:" if found.history else "  no history is kept."))
    for change in found.history:
        where = devices.get(change.device, change.device.hex()[:8])
        lines.append(
            _line(
                f"    {_moment(change.at)}  ", _said(change, "    "), (f"  by {_who(change.agent)} on {where}", "dim")
            )
        )
        for receipt in change.receipts:
            lines += _quoted(receipt, "      ")
    _show(*lines)


def print_log(changes: Sequence[Change], devices: Mapping[bytes, str]) -> None:
    """Changes as a table."""
    if not changes:
        _show(Text("Nothing has changed yet."))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("when", "who", "device", "path", "what", "because"):
        table.add_column(name, overflow="fold")
    for change in changes:
        table.add_row(
            _moment(change.at),
            _line(_who(change.agent)),
            _line(devices.get(change.device, change.device.hex()[:8])),
            _line(change.path, (f"\n{change.scope}", "dim")),
            _said(change),
            _line("\n".join(f"“{_shortened(receipt.text)}”" for receipt in change.receipts)),
        )
    _show(table)


def print_status(status: Status) -> None:
    """How this device stands."""
    table = Table.grid(padding=(0, 2))
    synced = "never" if status.last_synced_at is None else _moment(parse_time(status.last_synced_at))
    colour = {"synced": "green", "blocked": "red", "revoked": "red", "offline": "yellow"}.get(status.state, "")
    table.add_row("state", Text(status.state, colour))
    table.add_row("relay", _line(status.relay or "none; `vademecum relay use URL` sets one"))
    table.add_row("daemon", "none" if status.holder is None else says_who(status.holder))
    table.add_row("last synced", synced)
    table.add_row("waiting to be sent", f"{status.pending:,}")
    table.add_row("waiting to be indexed", f"{status.indexing:,}")
    if status.waiting is not None:
        table.add_row("waiting for the curator", _line(in_a_line(status.waiting)))
    full = status.learned > status.learned_limit
    table.add_row(
        "learned memories",
        Text(f"{status.learned:,} of {status.learned_limit:,}", "yellow" if full else ""),
    )
    for at, device in enumerate(status.devices):
        mine = "  this device" if device.this else ""
        table.add_row("" if at else "devices", _line(device.name, (f"  {device.role}{mine}", "dim")))
    for at, problem in enumerate(status.problems):
        table.add_row("" if at else "problems", _line((problem.message, "red")))
    _show(table)


def in_a_line(waiting: Waiting) -> str:
    """What waits for the curator, and since when."""
    said = "nothing"
    if waiting.since_ms is not None:
        said = f"{waiting.signals:,}, since {_moment(from_ms(waiting.since_ms))}"
    if waiting.running is not None:
        said += f"; at work since {_moment(from_ms(waiting.running.since_ms))}"
    if waiting.parked:
        said += f"; {len(waiting.parked):,} given up (`vademecum sweep --retry` tries again)"
    return said


def print_suggestion(one: Suggestion, place: int, of: int) -> None:
    """One suggestion, with what stands there and the words behind it."""
    lines = [_line((f"{place} of {of}  ", "dim"), (one.path, "bold"), (f"  {one.scope}", "dim"))]
    if one.current is not None:
        lines.append(
            _line("  now:       ", _shortened(in_words(one.current.value)), (f"  {_provenance(one.current)}", "dim"))
        )
    wanted = "no longer so: it is deleted" if one.ends else _block(_shortened(in_words(one.value)), "  ")
    lines.append(_line("  suggested: ", (wanted, "green"), (f"  {one.agent}, {_moment(one.at)}", "dim")))
    for receipt in one.receipts:
        lines += _quoted(receipt, "  ")
    lines.append(_line((f"  {one.id}", "dim")))
    _show(*lines)


def print_budget(found: Budget) -> None:
    """What agents have learned, stalest first, and what overlaps."""
    _show(_line((f"{found.used:,} of {found.limit:,}", "bold"), " memories that agents may add about you"))
    if found.entries:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in ("memory", "", "who", "confirmed", "sure"):
            table.add_column(name, overflow="fold")
        for entry in found.entries:
            table.add_row(
                _line((entry.id, "dim")),
                _line(entry.text),
                _line(entry.agent),
                _moment(entry.updated),
                f"{entry.confidence:.0%}",
            )
        _show(table)
    for pair in found.closest:
        _show(_line((f"{pair.similarity:.0%} alike: {pair.one}, {pair.other}", "dim")))


def _show(*parts: RenderableType) -> None:
    if sys.stdout.isatty():
        Console(highlight=False).print(Group(*parts))
        return
    console = Console(highlight=False, width=PIPED_WIDTH)
    with console.capture() as drawn:
        console.print(Group(*parts))
    print_line("\n".join(line.rstrip() for line in drawn.get().splitlines()))


def _line(*parts: str | Text | tuple[str, str]) -> Text:
    """Parts of a line, plain or with a style, safe for a terminal."""
    line = Text()
    for part in parts:
        if isinstance(part, Text):
            line.append_text(part)
        elif isinstance(part, str):
            line.append(printable(part))
        else:
            line.append(printable(part[0]), part[1])
    return line


def _place(leaf: Leaf) -> tuple[int, str, list[str]]:
    """Where a leaf stands in the tree: what is public first, then what is private, then the agents' own."""
    tier = {PUBLIC: 0, PRIVATE: 1}.get(leaf.scope, 2)
    return tier, leaf.scope, leaf.path.split(".")


def _said(change: Change, indent: str = "") -> Text:
    if change.forgotten:
        return _line((f"{change.what}, forgotten since", "dim"))
    if change.what == "swept":
        return _line(("swept, for you have forgotten this agent", "red"))
    if change.what != "set":
        return _line((change.what, "red" if change.what in ("deleted", "forgot") else ""))
    now, old = (_block(_shortened(in_words(value)), indent) for value in (change.value, change.old))
    return _line((now, "green"), ("" if change.old is None else f"  (before: {old})", "dim"))


def _quoted(receipt: Receipt, indent: str) -> list[Text]:
    who = "you" if receipt.speaker == USER else receipt.speaker
    return [_line(f"{indent}“{_block(receipt.text, indent)}”", (f"  {who}, {_moment(receipt.at)}", "dim"))]


def _provenance(leaf: Leaf) -> str:
    if leaf.agent == USER:
        return f"you, {_moment(leaf.updated)}"
    age = (time.time() - leaf.updated.timestamp()) / _DAY_S
    doubted = leaf.contradicted_by is not None
    sure = effective_confidence(Candidate(leaf.id, leaf.kind, leaf.confidence, age, contradicted=doubted))
    return f"{leaf.agent}, {_moment(leaf.updated)}, {sure:.0%} sure"


def _doubt(one: Leaf | Recollection) -> tuple[str, str]:
    return ("", "") if one.contradicted_by is None else (f"  contradicted by {one.contradicted_by}", "yellow")


def _who(agent: str) -> str:
    return "you" if agent == USER else agent


def _moment(moment: datetime) -> str:
    try:
        return moment.astimezone().strftime("%Y-%m-%d %H:%M")
    except (OverflowError, ValueError):  # a clock at the end of time has no local form
        return moment.strftime("%Y-%m-%d %H:%MZ")


def _block(text: str, indent: str) -> str:
    """Text of several lines, marked as such: it must not pass for what is said about it."""
    return f"\n{indent}│ ".join(text.splitlines()) if "\n" in text else text


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
