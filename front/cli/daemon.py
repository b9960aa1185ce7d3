"""``daemon start``, ``daemon stop`` and ``daemon status``."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from vademecum import bell, holding
from vademecum.asking import PASSPHRASE_VARIABLE, asker
from vademecum.bell import Note
from vademecum.errors import AlreadySyncing, StorageTrouble, Unsupported
from vademecum.sealing import needs_passphrase
from vademecum.storage.identity import Identity

from .options import AsJson, Home, home_folder
from .output import print_json, print_line

__all__ = ["LOG", "start", "status", "stop"]

LOG = "daemon.log"
STOP_SECONDS = 20.0
"""How long a daemon may take to end: a relay may be slow to answer."""


def start(home: Home = None, as_json: AsJson = False) -> None:
    """Start the daemon, unless a process holds the connection already.

    It goes on when the terminal closes, until `vademecum daemon stop` or SIGTERM, and says what it does in daemon.log
    in the vault's folder, without any memory in it.

    JSON: {"running": true, "started": whether this call did it, "pid", "kind": daemon, sync or program}.

    \b
    Example:
      vademecum daemon start
    """
    folder = _folder(home)
    _refuse_without_locks()
    found = holding.holder(folder)
    started = found is None and not holding.is_held(folder)
    if started:
        try:
            found = _spawn(folder)
        except AlreadySyncing:  # another one was started at the same moment
            found, started = holding.holder(folder), False
    if as_json:
        print_json({**_described(found), "started": started})
    elif started:
        print_line(f"The daemon has started (process {found.pid if found else '?'}); it writes {folder / LOG}.")
    else:
        print_line(f"Nothing to start: {holding.says_who(found)} holds the connection.")


def stop(home: Home = None, as_json: AsJson = False) -> None:
    """Stop the daemon, and wait until it has ended.

    JSON: {"stopped": whether there was one}.

    \b
    Example:
      vademecum daemon stop
    """
    folder = _folder(home)
    _refuse_without_locks()
    found = holding.holder(folder)
    if found is not None and found.kind != "daemon":
        raise StorageTrouble(
            f"{holding.says_who(found).capitalize()} holds the connection, not a daemon: end it there."
        )
    stopped = holding.is_held(folder)
    if stopped:
        asyncio.run(holding.ask(folder, bell.QUIT))
        _wait_for_end(folder, found)
    if as_json:
        print_json({"stopped": stopped})
    else:
        print_line("The daemon has stopped." if stopped else "No daemon is running.")


def status(home: Home = None, as_json: AsJson = False) -> None:
    """Say whether a daemon runs for this vault, or which other process holds the connection.

    JSON: {"running", "pid", "kind": daemon, sync, program or null}. How the device stands is what `vademecum status`
    says.

    \b
    Example:
      vademecum daemon status
    """
    folder = _folder(home)
    found = holding.holder(folder)
    if as_json:
        print_json(_described(found))
    elif found is None:
        print_line("No daemon is running." if sys.platform != "win32" else _NO_LOCKS)
    else:
        print_line(f"{holding.says_who(found).capitalize()} holds the connection.")


_NO_LOCKS = "There is no daemon on this system, which has no flock: `vademecum sync` keeps the vault in step instead."


def _refuse_without_locks() -> None:
    if sys.platform == "win32":
        raise Unsupported(_NO_LOCKS)


def _folder(home: Path | None) -> Path:
    folder = home_folder(home).expanduser().absolute()
    Identity.read(folder)  # refuses where there is no vault
    return folder


def _described(found: Note | None) -> dict[str, Any]:
    return {
        "running": found is not None,
        "pid": None if found is None else found.pid,
        "kind": None if found is None else found.kind,
    }


def _spawn(folder: Path) -> Note | None:
    """Starts the daemon's process, and waits until it holds the connection. Raises what kept it from that.

    The passphrase of a sealed vault is asked for here, and given to it where no other process can see it.
    """
    passphrase = _passphrase(folder)
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "vademecum.cli.daemon_process", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder.anchor,
        start_new_session=True,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    with suppress(BrokenPipeError), process.stdin:
        process.stdin.write(json.dumps({"passphrase": passphrase}) + "\n")
    with process.stdout:
        said = process.stdout.readline()
    try:
        told = json.loads(said)
    except ValueError:
        told = {"error": StorageTrouble.code, "message": f"The daemon has ended at once; {folder / LOG} may say why."}
    if "error" in told:
        process.wait()
        raise _refusal(told)
    process.returncode = 0  # it lives on: nothing is to be waited for, nor warned of
    return holding.holder(folder)


def _passphrase(folder: Path) -> str | None:
    """What the person answers, where the daemon will need a passphrase that is not in the environment."""
    ask = asker.get()
    if ask is None or os.environ.get(PASSPHRASE_VARIABLE) or not needs_passphrase(folder):
        return None
    return ask()


def _refusal(told: dict[str, Any]) -> Exception:
    from vademecum import errors

    for found in vars(errors).values():
        if isinstance(found, type) and issubclass(found, errors.VademecumError) and found.code == told["error"]:
            return found(told["message"])
    return StorageTrouble(told["message"])


def _wait_for_end(folder: Path, found: Note | None) -> None:
    end = time.monotonic() + STOP_SECONDS
    while holding.is_held(folder):
        if time.monotonic() > end:
            raise StorageTrouble(f"The daemon (process {found.pid if found else '?'}) has not ended. Try again later.")
        time.sleep(0.02)
