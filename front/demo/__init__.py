"""The demo: one person, a laptop and a phone that remember things apart, a relay that cannot read them, a tablet.

Everything is real: each device and the relay is a process of its own, with its own folder and its own keys.
"""

from __future__ import annotations

import sys
import tempfile
import time
from contextlib import ExitStack
from io import TextIOWrapper
from pathlib import Path

from rich.console import Console

from .cast import Cast
from .chapters import CHAPTERS
from .processes import Failed
from .screen import Screen
from .story import load_story

__all__ = ["run"]

WIDTH = 100
"""Columns where there is no terminal."""


def run(data: Path | None = None, *, console: Console | None = None) -> int:
    """Tells the story with the transcript *data*, or one of the project's own; 0 if all expectations held, else 1.

    Raises `UnreadableFile` for *data* that is no transcript. The processes and the folder are gone afterwards.
    """
    started = time.monotonic()
    story = load_story(data)
    screen = Screen(console if console is not None else _console())
    try:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vademecum-demo-")))
            cast = Cast(screen, folder, stack)
            for chapter in CHAPTERS:
                chapter(screen, cast, story)
    except Failed as error:
        screen.check(False, f"the demo could go on ({error.code}: {error.message})")
    screen.show_steps()
    if screen.failed:
        screen.console.print(f"[bold red]{len(screen.failed)} of {screen.checks} expectations did not hold.[/]")
        return 1
    took = time.monotonic() - started
    screen.console.print(f"[bold green]All {screen.checks} expectations held[/], in {took:.0f} seconds.")
    return 0


def _console() -> Console:
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # an old code page shows '?' where it lacks a character
    plain = Console(highlight=False)
    return plain if plain.is_terminal else Console(highlight=False, width=WIDTH)
