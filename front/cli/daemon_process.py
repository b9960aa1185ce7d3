"""The daemon's own process: ``python -m vademecum.cli.daemon_process HOME``, as ``vademecum daemon start`` runs it.

The line on stdin is ``{"passphrase"}``, of a sealed vault, or null. The first line on stdout says ``{"pid"}`` once it
holds the connection, or ``{"error", "message"}``. Afterwards it writes to the log only: states, counts and the codes of
problems; no names, paths or values.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import traceback
from logging.handlers import RotatingFileHandler
from pathlib import Path

from vademecum import holding
from vademecum.errors import StorageTrouble, VademecumError
from vademecum.status import Status
from vademecum.vault import Vault

from .daemon import LOG
from .staying import stay

__all__ = ["main"]

LOG_BYTES = 256 * 1024
"""Then the log begins anew; the one before is kept beside it."""
LOOK_SECONDS = 0.01


def main(home: Path, passphrase: str | None) -> int:
    """Syncs until told to stop; returns the exit code."""
    try:
        log = _log(home / LOG)
    except OSError as error:
        _say(error=StorageTrouble.code, message=f"{home / LOG} cannot be written: {error.strerror}.")
        return 1
    try:
        with Vault.open(home, passphrase=passphrase) as vault:
            asyncio.run(_run(vault, log))
    except VademecumError as error:
        log.error("ended: %s", error.code)
        _say(error=error.code, message=error.message)
        return error.exit_code
    except Exception as error:
        # the words of an error may hold what was being written; where it happened does not
        log.error("ended by a fault of the program: %s\n%s", type(error).__name__, _where(error))
        raise
    log.info("stopped")
    return 0


async def _run(vault: Vault, log: logging.Logger) -> None:
    async def announce() -> None:
        while True:
            note = await asyncio.to_thread(holding.holder, vault.home)
            if note is not None and note.pid == os.getpid():
                log.info("started, process %d", note.pid)
                _say(pid=note.pid)
                return
            await asyncio.sleep(LOOK_SECONDS)

    announcing = asyncio.create_task(announce())
    try:
        await stay(vault, kind="daemon", say=lambda status: _note(log, status), index=True)
    finally:
        announcing.cancel()


def _note(log: logging.Logger, status: Status) -> None:
    codes = ", ".join(sorted({problem.code for problem in status.problems}))
    log.info("%s, %d changes wait%s", status.state, status.pending, f"; problems: {codes}" if codes else "")


def _log(file: Path) -> logging.Logger:
    file.touch(mode=0o600, exist_ok=True)
    handler = RotatingFileHandler(file, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log = logging.getLogger("vademecum.daemon")
    log.setLevel(logging.INFO)
    log.propagate = False
    log.addHandler(handler)
    return log


def _where(error: Exception) -> str:
    return "".join(traceback.format_tb(error.__traceback__))


def _say(**words: object) -> None:
    """Tells whoever started this process, who listens for one line only."""
    try:
        sys.stdout.write(json.dumps(words) + "\n")
        sys.stdout.flush()
    except OSError:  # nobody listens any more
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), json.loads(sys.stdin.readline())["passphrase"]))
