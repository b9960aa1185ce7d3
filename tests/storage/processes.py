"""Child processes for the tests of the storage: real ones, whose end is always waited for."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["PRELUDE", "child", "run"]

PRELUDE = """
import os, sys, threading
from pathlib import Path
from vademecum.errors import DamagedStore, StorageTrouble
from vademecum.storage.environment import Environment
from vademecum.storage.tables import Table

META = Table.META
folder = Path(sys.argv[1])

def say(*words):
    print(*words, flush=True)

def number(reader, key):
    return int.from_bytes(reader.get(META, key) or b"", "big")
"""
PATIENCE = 30
"""Seconds after which a child is taken to hang."""


@contextmanager
def child(code: str, folder: Path, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """Runs *code* after the prelude, with pipes to its input and output; kills it at the end if it still runs."""
    words = [sys.executable, "-W", "error", "-c", PRELUDE + code, str(folder), *map(str, arguments)]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with process:
        try:
            yield process
        finally:
            process.kill()


def run(code: str, folder: Path, *arguments: object) -> list[str]:
    """The lines that *code* said. It must end by itself, with exit code 0 and not by a signal."""
    with child(code, folder, *arguments) as process:
        try:
            said, complaint = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            raise AssertionError("the process hangs") from None
        assert process.returncode == 0, f"exit code {process.returncode}: {complaint}"
    return said.splitlines()
