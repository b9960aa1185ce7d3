"""``edit``, ``mirror`` and ``export``: the vault as a text file."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from vademecum.errors import EditorFailed, InvalidArgument, UnreadableFile
from vademecum.textfile import Mirror, Report, bring_into_step
from vademecum.textfile import edit as edit_copy
from vademecum.textfile.copies import Copies
from vademecum.textfile.mirror import FILE_NAME, POLL_SECONDS, Mirrored
from vademecum.vault import Vault

from .options import AsJson, Home, home_folder
from .output import counted, print_json, print_line, printable, tell

__all__ = ["edit", "export", "mirror"]

_STDERR = 2
_FALLBACK = "notepad" if sys.platform == "win32" else "vi"


def edit(
    copy: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Go on with a copy that could not be taken over.")
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Edit what is public and private about you in your editor ($VISUAL or $EDITOR).

    What you change is written as yours, what you remove is deleted, and what you leave alone is not touched. A text
    that does not parse changes nothing: on a terminal the editor opens again, elsewhere its path is told. What cannot
    be merged, because it changed in the vault meanwhile, is kept beside the copy and reported.

    JSON: {"file", "written": [path, …], "deleted", "overruled", "returned", "unseen", "kept": [file, …]}; see
    docs/textfile.md.

    \b
    Examples:
      vademecum edit
      EDITOR="code --wait" vademecum edit
    """
    with Vault.open(home_folder(home)) as vault:
        report = edit_copy(vault, _run_editor, _ask_again, copy)
    if as_json:
        print_json(report.as_json())
        return
    if not (report.written or report.deleted):
        print_line("Nothing was changed.")
    _say(report, print_line)


def mirror(
    target: Annotated[
        Path | None,
        typer.Argument(
            metavar="TARGET",
            help=f"A file, or a folder for {FILE_NAME} and copies of the rest. Otherwise {FILE_NAME} in the vault's "
            f"folder.",
        ),
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Bring both into step, and end.")] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Keep a text file and the vault in step, both ways, until Ctrl-C or SIGTERM; or once.

    A folder also gets agents/DEVELOPER/SLUG.yaml and sessions/ID/messages.jsonl, for reading only. A name that does
    not exist yet is a folder's if it has no suffix. A file that does not parse changes nothing until it is corrected;
    one that was deleted is written anew. What cannot be merged is kept beside the file and reported.

    JSON: {"target", "file": unchanged, updated, created, restored or rewritten, "written": [path, …], "deleted",
    "overruled", "returned", "unseen", "kept": [file, …], "copies": {"written", "removed", "kept"}}; without --once at
    the end, for all that was done.

    \b
    Examples:
      vademecum mirror ~/memory --once
      vademecum mirror ~/notes/vault.yaml
    """
    folder = home_folder(home)
    with Vault.open(folder) as vault:
        mirrored = Mirror(vault, target if target is not None else vault.home / FILE_NAME)
        say: Callable[[str], None] = tell if as_json else print_line
        if once:
            done = mirrored.once()
            if not as_json:
                _say_step(done, say)
        else:
            say(f"Keeping {mirrored.folder or mirrored.file} in step. Ctrl-C ends it.")
            done = _stay(mirrored, say)
    if as_json:
        print_json({"target": str(mirrored.folder or mirrored.file), **done.as_json()})
    elif once and done.is_quiet:
        print_line("Both were in step.")


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it; it must not exist.")],
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Write what is public and private about you into a text file.

    `import` reads it into another vault; `mirror FILE --once` takes changes to it over into this one.

    JSON: {"file": where it was written}.

    \b
    Example:
      vademecum export vault.yaml
    """
    if os.path.lexists(file):
        raise InvalidArgument(
            f"There is a file {str(file)!r} already. Choose another name, or merge it with `vademecum mirror`."
        )
    with Vault.open(home_folder(home)) as vault:
        bring_into_step(vault, file)
    if as_json:
        print_json({"file": str(file.absolute())})
    else:
        print_line(printable(f"Written to {file}."))


def _run_editor(file: Path) -> None:
    chosen = os.environ.get("VISUAL") or os.environ.get("EDITOR") or _FALLBACK
    try:
        words = shlex.split(chosen, posix=sys.platform != "win32")
        code = subprocess.call([*words, str(file)], stdout=None if sys.stdout.isatty() else _STDERR)
    except (OSError, ValueError) as error:
        raise EditorFailed(
            f"The editor {chosen!r} cannot be started ({error}). Set VISUAL or EDITOR to one that can."
        ) from error
    if code != 0:
        raise EditorFailed(
            f"The editor {chosen!r} ended with {code}, so nothing was taken over. If something was changed, it is in "
            f"{str(file)!r}, and `vademecum edit {shlex.quote(str(file))}` goes on with it."
        )


def _ask_again(error: UnreadableFile) -> bool:
    if not sys.stdin.isatty():
        return False
    tell(error.message)
    return typer.confirm("Open it again?", default=True, err=True)


def _stay(mirrored: Mirror, say: Callable[[str], None]) -> Mirrored:
    """Steps until SIGINT or SIGTERM; returns all that was done."""
    report, copies = Report(), Copies()
    with _stopping() as stop:
        while not stop.wait(POLL_SECONDS):
            done = mirrored.step()
            report = report.plus(done.report)
            copies = copies.plus(done.copies)
            _say_step(done, say)
    return Mirrored(report, copies)


@contextmanager
def _stopping() -> Iterator[threading.Event]:
    stop = threading.Event()
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _say_step(done: Mirrored, say: Callable[[str], None]) -> None:
    if done.trouble is not None:
        tell(done.trouble.message)
    if done.report.file in _ABOUT_FILE:
        say(_ABOUT_FILE[done.report.file])
    _say(done.report, say)
    if done.copies.written or done.copies.removed:
        say(f"{counted(done.copies.written, 'copy', 'copies')} written, {done.copies.removed:,} removed.")
    for file in done.copies.kept:
        say(printable(f"Somebody had changed a copy; it is now {file}."))


_ABOUT_FILE = {
    "created": "The file is there.",
    "restored": "The file had been deleted; it is written anew, and nothing was deleted in the vault.",
    "updated": "The file was brought up to date.",
    "rewritten": "The file could not be patched; it is written anew, and the old text is kept.",
}


def _say(report: Report, say: Callable[[str], None]) -> None:
    """What was taken over and what was not, one line for each thing that the person may want to know."""
    for words, leaves in (
        ("Written as yours", report.written),
        ("Deleted", report.deleted),
        ("Not taken over, the vault's value is later", report.overruled),
        ("Back in the file, it changed in the vault after you removed it", report.returned),
        ("Deleted with a value that the file had not shown", report.unseen),
    ):
        if leaves:
            say(printable(f"{words}: {', '.join(leaves)}"))
    for file in report.kept:
        say(printable(f"Kept: {file}"))
