"""``python -m bench``: runs groups, and prints their rows as a table or as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.table import Table

from .formation import parts
from .measure import Row

__all__ = ["main"]

GROUPS = ("write", "wire", "join", "recall", "sealed")
"""What runs when no group is named: under two minutes together."""
LONG_GROUPS = ("replica", "formation")
"""Groups that take minutes, and run only when named."""
DATA_GROUPS = ("recall-quality", "calibrate")
"""Groups that measure on a file or a folder of them, and run only when named, with ``--data``. ``recall`` with
``--data`` measures speed and then what ``recall-quality`` does."""
ALL = (*GROUPS, *LONG_GROUPS, *DATA_GROUPS)
PARTS = {"formation": parts()}
"""What can be measured alone, as ``group/part``."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 if every requirement was met, 1 if not, 2 for misuse."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measures beside floors, in the same run.")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(ALL))
    parser.add_argument("--json", action="store_true", help="print the rows as a list in JSON")
    parser.add_argument(
        "--data", type=Path, metavar="FILE", help="conversations with questions to recall; for formation, also a folder"
    )
    parser.add_argument("--verbose", action="store_true", help="name what failed, on stderr (formation)")
    options = parser.parse_args(arguments)
    groups = options.groups or GROUPS
    for group in groups:
        name, _, part = group.partition("/")
        if name not in ALL or (part and part not in PARTS.get(name, ())):
            parser.error(f"there is no group {group!r}; the groups are {', '.join(ALL)}, {', '.join(_parts())}")
        if group in DATA_GROUPS and options.data is None:
            parser.error(f"the group {group} needs --data FILE")
    rows = [row for group in groups for row in _measured(group, options.data, options.verbose)]
    if options.json:
        json.dump(rows, sys.stdout, indent=1, ensure_ascii=False)
        sys.stdout.write("\n")
    else:
        Console().print(_table(rows))
    return 1 if any(row["met"] is False for row in rows) else 0


def _measured(group: str, data: Path | None, verbose: bool) -> list[Row]:
    with Console(stderr=True).status(f"measuring {group} …"):
        name, _, part = group.partition("/")
        module = import_module(f"bench.{name.replace('-', '_')}")
        measure: Callable[..., list[Row]] = module.rows
        if name == "formation":
            return measure(data, verbose, part)
        if name == "recall" and data is not None and data.is_file():
            return [*measure(), *import_module("bench.recall_quality").rows(data)]
        return measure(data) if group in DATA_GROUPS else measure()


def _parts() -> list[str]:
    return [f"{group}/{part}" for group, its in PARTS.items() for part in its]


def _table(rows: Iterable[Row]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("name", no_wrap=True)
    for column in ("value", "floor", "ratio", "target"):
        table.add_column(column, justify="right")
    table.add_column("unit")
    table.add_column("met")
    for row in rows:
        met = {True: "[green]yes", False: "[red]no", None: ""}[row["met"]]
        numbers = (row["value"], row["floor"], row["ratio"], row["target"])
        table.add_row(row["name"], *("" if one is None else f"{one:,}" for one in numbers), row["unit"], met)
    return table


if __name__ == "__main__":
    raise SystemExit(main())
