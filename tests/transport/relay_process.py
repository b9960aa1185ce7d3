"""A relay in a process of its own: ``python -m tests.transport.relay_process FOLDER PORT``, and how tests run it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

from vademecum.transport.relay.server import serve


class RelayProcess:
    """Starts on entry to the block; ``kill`` is kill -9, ``start`` starts it again at the same address."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = ""
        self._port = 0
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.transport.relay_process", str(self.folder), str(self._port)],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ,
        )
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        assert self.url, "the relay did not start"
        self._port = int(self.url.rpartition(":")[2])

    def kill(self, number: int = signal.SIGKILL) -> int:
        assert self._process is not None and self._process.stdout is not None
        self._process.send_signal(number)
        code = self._process.wait(timeout=20)
        self._process.stdout.close()
        self._process = None
        return code

    def __enter__(self) -> RelayProcess:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self.kill()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), "127.0.0.1", int(sys.argv[2]), ready=lambda url: print(url, flush=True)))
