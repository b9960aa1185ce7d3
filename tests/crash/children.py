"""Forked children that are killed: they begin in milliseconds, because everything is imported before the fork.

The process that forks never starts a thread and never opens a vault; whatever does runs in a child.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["Child", "Failed", "Say"]

Say = Callable[..., None]
_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG, of Linux's prctl."""
PATIENCE = 60.0
"""Seconds after which a child is taken to hang."""


class Failed(AssertionError):
    """A child raised; the message is its traceback."""


class Child:
    """Runs ``work(say)`` in a forked process; what it says comes here, line by line, also when it is killed."""

    def __init__(self, name: str, work: Callable[[Say], object]) -> None:
        self.name = name
        self.said: list[dict[str, Any]] = []
        self.alive = True
        self._rest = b""
        self._reader, writer = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            _run(work, writer)
        os.close(writer)
        os.set_blocking(self._reader, False)

    def listen(self, seconds: float) -> bool:
        """Takes in what was said, waiting up to *seconds* for anything; False if the child has ended."""
        if self._reader < 0:
            return False
        if not select.select([self._reader], [], [], max(0.0, seconds))[0]:
            return True
        data = os.read(self._reader, 1 << 16)
        if not data:
            os.close(self._reader)
            self._reader = -1
            return False
        *lines, self._rest = (self._rest + data).split(b"\n")
        self.said += [json.loads(line) for line in lines]
        return True

    def until(self, key: str) -> Any:
        """Waits until the child has said *key*; returns what."""
        end = time.monotonic() + PATIENCE
        while True:
            for line in self.said:
                if key in line:
                    return line[key]
                if "failed" in line:
                    raise Failed(f"{self.name}: {line['failed']}")
            if not self.listen(end - time.monotonic()) and not any(key in line for line in self.said):
                raise Failed(f"{self.name} ended without a word")
            assert time.monotonic() < end, f"{self.name} hangs"

    def kill(self) -> bool:
        """Kill -9; False if it had ended by itself. What it said before counts: it was acknowledged."""
        os.kill(self.pid, signal.SIGKILL)
        return self._wait() == -signal.SIGKILL

    def end(self) -> None:
        """Asks it to end (SIGTERM), and waits. Raises what it failed with.

        One that is not ready yet may not have learned to listen, and is then killed by that as by any other signal.
        """
        os.kill(self.pid, signal.SIGTERM)
        code = self._wait()
        if code != -signal.SIGTERM or any(self.heard("ready")):
            self._result(code)

    def finish(self) -> Any:
        """Waits for its end; returns what its work returned. Raises what it failed with."""
        return self._result(self._wait())

    def _result(self, code: int) -> Any:
        for line in self.said:
            if "failed" in line:
                raise Failed(f"{self.name}: {line['failed']}")
        assert code == 0, f"{self.name} ended with {code}"
        return next((line["done"] for line in self.said if "done" in line), None)

    def heard(self, key: str) -> Iterator[Any]:
        """All that was said under *key*."""
        return (line[key] for line in self.said if key in line)

    def _wait(self) -> int:
        end = time.monotonic() + PATIENCE
        while self.listen(end - time.monotonic()):
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                self.alive = False
                raise Failed(f"{self.name} hangs; it said {self.said[-3:]}")
        self.alive = False
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def _end_with_parent() -> None:
    """Whoever interrupts the rounds leaves no writer behind that writes for ever. Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL)


def _run(work: Callable[[Say], object], writer: int) -> None:
    """The child, which never returns."""
    _end_with_parent()

    def say(**words: object) -> None:
        os.write(writer, json.dumps(words).encode() + b"\n")

    status = 1
    try:
        say(done=work(say))
        status = 0
    except BaseException:  # noqa: BLE001  # it is told to whoever waits
        say(failed=traceback.format_exc())
    finally:
        os._exit(status)
