"""Progress of long work: on stderr, and only where a person is looking."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from vademecum.vault import Vault

__all__ = ["bar", "make_findable", "spinner"]

Progress = Callable[[int, int], None]
"""Called with (done, in all)."""


@contextmanager
def bar(label: str) -> Iterator[Progress | None]:
    """A bar while the block runs; None where stderr is no terminal. It appears with the first report."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as shown:
        task = shown.add_task(label, total=None, visible=False)
        yield lambda done, total: shown.update(task, completed=done, total=total, visible=True)


@contextmanager
def spinner(label: str) -> Iterator[None]:
    """A sign of life while the block runs."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(label)):
        yield


def make_findable(vault: Vault) -> int:
    """Computes the vectors that recall lacks, with a bar; returns how many (0 where the model cannot be loaded)."""
    with bar("Learning what it means") as progress:
        return vault.index(progress)
