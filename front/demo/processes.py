"""The processes of the demo: a relay, and devices that are asked by lines of JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

__all__ = ["Answer", "DeviceProcess", "Failed", "RelayProcess"]

STOP_SECONDS = 10.0


class Failed(Exception):
    """A device refused, or its process ended. ``code`` is the error's, or ``ended``."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Answer(NamedTuple):
    value: Any
    seconds: float


class _Process:
    def __init__(self, *command: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout

    @property
    def pid(self) -> int:
        return self._process.pid

    def close(self) -> None:
        """Ends the process: by the end of its input, and by force if that does not do."""
        with suppress(BrokenPipeError):  # it has ended already, with something unread
            self._in.close()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._out.close()

    def kill(self) -> None:
        """kill -9."""
        self._process.kill()
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class RelayProcess(_Process):
    """A relay that keeps its data in *folder*, at *port* (0: a free one). ``url`` is its address."""

    def __init__(self, folder: Path, port: int = 0) -> None:
        super().__init__("vademecum.demo.relay", str(folder), str(port))
        self.url = self._out.readline().strip()
        if not self.url:
            self.close()
            raise Failed("ended", "The relay did not start.")

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])


class DeviceProcess(_Process):
    """A device called *name*, with its vault in *home*."""

    def __init__(self, name: str, home: Path) -> None:
        super().__init__("vademecum.demo.device")
        self.name = name
        self.home = home

    def ask(
        self,
        command: str,
        *,
        on_progress: Callable[[int, int], None] | None = None,
        on_code: Callable[[str], None] | None = None,
        **arguments: Any,
    ) -> Answer:
        """Has the device do *command* and waits. Raises `Failed`."""
        try:
            self._in.write(json.dumps({"do": command, **arguments}) + "\n")
            self._in.flush()
        except BrokenPipeError:
            raise Failed("ended", f"The process of the {self.name} has ended.") from None
        for line in self._out:
            answer = json.loads(line)
            if "done" in answer:
                return Answer(answer["done"], answer["seconds"])
            if "failed" in answer:
                raise Failed(answer["failed"], answer["message"])
            if on_progress is not None and "progress" in answer:
                on_progress(*answer["progress"])
            if on_code is not None and "code" in answer:
                on_code(answer["code"])
        raise Failed("ended", f"The process of the {self.name} has ended.")
