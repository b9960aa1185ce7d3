"""How memories form: every number of it, one module ``formation_*.py`` a number.

A part gives its rows by ``rows()``. One that measures on a file names it in ``DATA`` and takes it, ``rows(file)``; it
runs only where ``--data`` names that file, or a folder in which it lies. ``python -m bench formation/signals`` measures
``formation_signals.py`` alone. A part that can say more about what failed
has ``verbose``, which ``--verbose`` sets.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from .measure import Row

__all__ = ["parts", "rows"]

_PREFIX = "formation_"


def rows(data: Path | None = None, verbose: bool = False, part: str = "") -> list[Row]:
    return [row for module in _parts(part) for row in _rows(module, data, verbose)]


def parts() -> tuple[str, ...]:
    """The names of what can be measured."""
    return tuple(sorted(file.stem[len(_PREFIX) :] for file in Path(__file__).parent.glob(f"{_PREFIX}*.py")))


def _parts(only: str) -> list[Any]:
    return [import_module(f"bench.{_PREFIX}{one}") for one in parts() if only in ("", one)]


def _rows(part: Any, data: Path | None, verbose: bool) -> list[Row]:
    if hasattr(part, "verbose"):
        part.verbose = verbose
    if not hasattr(part, "DATA"):
        return list(part.rows())
    file = data / part.DATA if data is not None and data.is_dir() else data
    if file is None or file.name != part.DATA or not file.is_file():
        name = part.__name__.rpartition(".")[2]
        sys.stderr.write(f"{name} is skipped: --data names no {part.DATA}, nor a folder in which it lies.\n")
        return []
    return list(part.rows(file))
