"""What the demo shows: chapters, tables, check lines that are counted, and the steps with their bytes and times."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

__all__ = ["Screen", "Step", "amount"]


class Step(NamedTuple):
    """``sent`` and ``received`` are bytes on the wire, None where nothing went over it."""

    what: str
    who: str
    seconds: float
    sent: int | None = None
    received: int | None = None


class Screen:
    """Writes to *console*; ``failed`` lists the expectations that did not hold."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.checks = 0
        self.failed: list[str] = []
        self.steps: list[Step] = []
        self._chapter = 0
        unicode = (console.encoding or "").lower().startswith("utf")
        self._marks = ("✓", "✗") if unicode else ("ok", "FAILED")

    def chapter(self, title: str, text: str) -> None:
        self._chapter += 1
        self.console.print()
        self.console.rule(f"[bold]{self._chapter}  {escape(title)}[/]", align="left", style="cyan")
        self.say(text)

    def say(self, text: str) -> None:
        self.console.print(escape(text))

    def check(self, held: bool, expectation: str) -> None:
        """One expectation, as it is counted for the exit code."""
        self.checks += 1
        if not held:
            self.failed.append(expectation)
        style, mark = ("green", self._marks[0]) if held else ("bold red", self._marks[1])
        self.console.print(f"  [{style}]{mark}[/] {escape(expectation)}")

    def step(self, step: Step) -> None:
        self.steps.append(step)

    def show_steps(self) -> None:
        self.table(
            ["step", "device", "ms", "sent", "received"],
            [
                [escape(one.what), one.who, f"{one.seconds * 1000:,.0f}", amount(one.sent), amount(one.received)]
                for one in self.steps
            ],
            right=(2, 3, 4),
            title="What each step took",
        )

    def table(
        self, columns: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), title: str = ""
    ) -> None:
        """*right* are the places of columns that hold numbers. Cells hold markup: escape what comes from outside."""
        if title:
            self.console.print(f"\n[bold]{escape(title)}[/]")
        table = Table(box=SIMPLE_HEAD, header_style="bold", pad_edge=False)
        for place, name in enumerate(columns):
            is_number = place in right
            table.add_column(name, justify="right" if is_number else "left", no_wrap=is_number)
        for row in rows:
            table.add_row(*row)
        self.console.print(table)

    def panel(self, title: str, lines: Sequence[str]) -> None:
        self.console.print(
            Panel("\n".join(lines), title=f"[bold]{escape(title)}[/]", title_align="left", border_style="dim")
        )

    @contextmanager
    def progress(self) -> Iterator[Callable[[str], Callable[[int, int], None]]]:
        """Bars for long work: call with a label to get the function that moves its bar. Nothing where there is no
        terminal. Threads may move bars at the same time.
        """
        bars = Progress(
            TextColumn("  {task.description}"),
            BarColumn(bar_width=40),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self.console,
            transient=True,
            disable=not self.console.is_terminal,
        )
        lock = threading.Lock()

        def start(label: str) -> Callable[[int, int], None]:
            with lock:
                task = bars.add_task(label, total=None)
            return lambda done, total: bars.update(task, completed=done, total=total)

        with bars:
            yield start


def amount(size: int | None) -> str:
    """Bytes for people."""
    if size is None:
        return "-"
    return (
        f"{size:,} B" if size < 10_000 else f"{size / 1024:,.1f} KiB" if size < 1 << 20 else f"{size / 2**20:,.1f} MiB"
    )
