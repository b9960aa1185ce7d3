"""``sync`` and ``status``."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer

from vademecum.status import Status
from vademecum.transport.client import SyncReport
from vademecum.vault import Vault

from .options import AsJson, Home, Index, home_folder
from .output import counted, print_json, print_line, tell
from .progress import make_findable, spinner
from .staying import stay

__all__ = ["fetch", "report_json", "status", "sync"]


def sync(
    once: Annotated[bool, typer.Option("--once", help="Bring both into step, and end.")] = False,
    index: Index = True,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Keep this device and the relay in step, until Ctrl-C or SIGTERM; or once.

    A lost connection is made again. One process does this for all of the device: where the daemon or another sync
    runs, this one says so and ends with exit code 1; --once then lets that process sync and waits for it. With --once
    the exit code is 1 where the relay cannot be reached or something blocks. A device that was revoked tries no more:
    then it is 1, too.

    JSON: with --once {"state", "pulled", "pushed", "bytes_in", "bytes_out", "seconds", "problems": [{"code", "text"}]};
    without it the status at the end, as in `status`.

    \b
    Examples:
      vademecum sync --once
      vademecum sync
    """
    with Vault.open(home_folder(home)) as vault:
        if once:
            report = fetch(vault, index=index)
            if as_json:
                print_json(report_json(report))
            else:
                print_line(
                    f"{report.state}: {counted(report.pulled, 'commit', 'commits')} came, {report.pushed:,} went; "
                    f"{report.bytes_in + report.bytes_out:,} bytes in {report.seconds:.2f} s"
                )
            for problem in report.problems:
                tell(f"{problem.code}: {problem.message}")
            if report.state != "synced":
                raise typer.Exit(1)
            return
        asyncio.run(stay(vault, say=None if as_json else _say, index=index))
        if as_json:
            print_json(vault.status().as_json())


def _say(status: Status) -> None:
    waiting = f", {status.pending:,} changes wait" if status.pending else ""
    print_line(f"{status.state}{waiting}")
    for problem in status.problems:
        print_line(f"  {problem.code}: {problem.message}")


def status(home: Home = None, as_json: AsJson = False) -> None:
    """Say how this device stands towards the others.

    A device that was revoked says so, and by whom: its state is then "revoked", and it syncs no more.

    JSON: {"state": offline, connecting, syncing, synced, blocked or revoked, "pending": changes that no relay has
    acknowledged, "last_synced_at", "devices": [{"id", "name", "role", "this"}], "problems": [{"code", "text"}],
    "relay", "indexing": leaves that recall finds by words only so far, "memories": {"learned": added by agents about
    you, "limit"}, "curation": what waits to become memories, as in `sweep --status`, "formed": how often what came of
    it, as in `curate --counters`, "daemon": {"running", "pid", "kind"}}.

    \b
    Example:
      vademecum status
    """
    with Vault.open(home_folder(home)) as vault:
        found = vault.status()
    if as_json:
        print_json(found.as_json())
    else:
        from .tables import print_status

        print_status(found)


def fetch(vault: Vault, *, index: bool) -> SyncReport:
    """Syncs once and makes what came findable."""
    with spinner(f"Syncing with {vault.relay}"):
        report = asyncio.run(vault.sync_once())
    if index:
        make_findable(vault)
    return report


def report_json(report: SyncReport) -> dict[str, Any]:
    """The report of one sync as JSON shows it."""
    return {
        "state": report.state,
        "pulled": report.pulled,
        "pushed": report.pushed,
        "bytes_in": report.bytes_in,
        "bytes_out": report.bytes_out,
        "seconds": round(report.seconds, 4),
        "problems": [{"code": problem.code, "text": problem.message} for problem in report.problems],
    }
