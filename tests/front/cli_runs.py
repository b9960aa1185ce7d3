"""How the tests of the command line run it: in this process, or as the program it is."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from vademecum.cli import main

PROGRAM = [sys.executable, "-m", "vademecum.cli"]


class Outcome(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on stdout of a call that went well."""
        assert (self.code, self.err) == (0, "")
        return json.loads(self.out)

    @property
    def refusal(self) -> str:
        """The one sentence of a call that did not, and which printed nothing else."""
        assert self.code != 0
        assert self.out == ""
        assert self.err.count("\n") == 1
        assert self.err.startswith("error: ")
        return self.err.removeprefix("error: ").strip()


Call = Callable[..., Outcome]


def in_process(capsys: pytest.CaptureFixture[str]) -> Call:
    """Calls ``main`` here; the vault is the one of the environment unless ``--home`` is among the arguments."""

    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        code = main([str(one) for one in arguments])
        out, err = capsys.readouterr()
        return Outcome(code, out, err)

    return call


def program(*arguments: object, timeout: float = 30.0) -> Outcome:
    """Runs the program as a process."""
    done = subprocess.run(
        [*PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


class Running:
    """The program as a process that stays. Ends with the block, by kill -9 if it must."""

    def __init__(self, *arguments: object) -> None:
        self.process = subprocess.Popen(
            [*PROGRAM, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            env=os.environ,
        )

    def line(self) -> str:
        """The next line of stdout; waits for it."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip("\n")

    def error_line(self) -> str:
        """The next line of stderr; waits for it."""
        assert self.process.stderr is not None
        return self.process.stderr.readline().rstrip("\n")

    def finish(self, number: signal.Signals | None = None) -> Outcome:
        """Sends a signal, if any, and waits for the end; what was not read yet is in the outcome."""
        if number is not None:
            self.process.send_signal(number)
        out, err = self.process.communicate(timeout=30)
        return Outcome(self.process.returncode, out, err)

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


class Relay(Running):
    """``relay serve`` on a free port; ``url`` is what it printed."""

    def __init__(self, data: Path, *arguments: object) -> None:
        super().__init__("relay", "serve", "--data", data, "--port", "0", *arguments)
        self.url = self.line()
        assert self.url.startswith("http://127.0.0.1:")
