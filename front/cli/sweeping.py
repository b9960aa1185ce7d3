"""``sweep``: having the curator think about what was said."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from vademecum.distillers import distiller_named
from vademecum.engine.formation.candidates import Distiller
from vademecum.engine.formation.report import Outcome, Report, What
from vademecum.engine.formation.turns import Turned
from vademecum.errors import InvalidArgument, VademecumError
from vademecum.hint import Hint, find_vaults
from vademecum.sweeping import Sweeper, Swept
from vademecum.vault import Vault

from .options import AsJson, BaseUrl, DistillerName, Home, ModelName, home_folder
from .output import counted, in_words, print_json, print_line, printable, tell
from .staying import stopping

__all__ = ["sweep"]

T = TypeVar("T")


def sweep(
    once: Annotated[bool, typer.Option("--once", help="Think about what waits now, and end.")] = False,
    root: Annotated[
        Path | None,
        typer.Option("--root", metavar="DIR", help="All vaults at and below this folder, instead of one."),
    ] = None,
    status: Annotated[bool, typer.Option("--status", help="Only say what waits, and since when.")] = False,
    retry: Annotated[
        bool, typer.Option("--retry", help="First queue again what was given up after it had failed too often.")
    ] = False,
    distiller: DistillerName = None,
    model: ModelName = None,
    base_url: BaseUrl = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Let memories form: think about what the person said, about once a minute, until Ctrl-C or SIGTERM; or once.

    Any number of sweeps may run at once: a vault has one curator at a time. With --root, who has waited longest is
    served first, and nobody twice before everybody else has had a turn; a vault that cannot be opened is said on
    stderr, and with --once the exit code is then 1.

    JSON: with --once {"signals": messages thought about, "waiting", "memory", "update", "ended", "duplicate",
    "hypothesis", "graduated", "link", "contradiction", "suggestion", "refused", "nothing": how often each came,
    "rejected", "notes", "layers": of the judge of contradictions that were on, "outcomes": [{"what", "scope", "path",
    "value", "why", "reason", "other", "evidence"}]}; of
    several vaults, and at the end without --once, {"turns", "vaults", "signals", "busy", "outcomes": {what: count},
    "troubles": [{"vault", "code"}]}; with --status {"signals", "since", "running", "due_in_ms", "parked": [{"message",
    "attempts", "reason", "version"}]}, of several vaults {"vaults": [the same with "vault"]} for those that wait.

    \b
    Examples:
      vademecum sweep --once
      vademecum sweep --root /srv/people
      vademecum sweep --status --root /srv/people
      vademecum sweep --distiller openai --model qwen3:8b --base-url http://127.0.0.1:11434/v1
    """
    if status and (once or retry):
        raise InvalidArgument("--status only looks: say it without --once and --retry.")
    if root is not None and home is not None:
        raise InvalidArgument("--root and --home name what to sweep in two ways: say one of them.")
    if status:
        _status(root, home, as_json)
        return
    chosen = distiller_named(distiller, model=model, base_url=base_url)
    if root is None:
        with Vault.open(home_folder(home)) as vault:
            if retry:
                vault.retry_parked()
            if once:
                _once(vault, chosen, as_json)
            else:
                _stay(vault.sweeper(distiller=chosen, told=_teller(None, as_json)), as_json)
        return
    folder = _checked(root)
    if retry:
        _retry(folder)
    sweeper = Sweeper.over(folder, distiller=chosen, told=_teller(folder, as_json))
    if not once:
        _stay(sweeper, as_json)
        return
    swept = sweeper.sweep()
    _end(swept, as_json)
    if swept.troubles:
        raise typer.Exit(1)


def _once(vault: Vault, distiller: Distiller | None, as_json: bool) -> None:
    report = vault.sweep_once(distiller=distiller)
    if as_json:
        print_json(report.as_json())
        return
    for outcome in report.outcomes:
        if outcome.what is not What.NOTHING:
            print_line(_line(outcome))
    print_line(_summary(report))
    for note in report.notes:
        tell(note)


def _stay(sweeper: Sweeper, as_json: bool) -> None:
    total = asyncio.run(_until_stopped(sweeper))
    if as_json:
        print_json(total.as_json())


async def _until_stopped(sweeper: Sweeper) -> Swept:
    stop = asyncio.Event()
    with stopping(stop):
        sweeper.start()
        try:
            await stop.wait()
        finally:
            sweeper.stop()
    return sweeper.total


def _end(swept: Swept, as_json: bool) -> None:
    if as_json:
        print_json(swept.as_json())
        return
    print_line(
        f"{counted(swept.signals, 'message', 'messages')} in {counted(len(swept.vaults), 'vault', 'vaults')}: "
        f"{_counts(swept.outcomes)}"
    )
    for home, code in sorted(swept.troubles.items()):
        tell(f"{home}: {code}")


def _teller(root: Path | None, as_json: bool) -> Any:
    """Says each turn in which something was thought about; and on stderr what could not be done, once until it can."""
    said: set[str] = set()

    def told(home: Path, turned: Turned) -> None:
        report = turned.report
        if report.signals and not report.notes:
            said.clear()
        for note in report.notes:
            if note not in said:
                said.add(note)
                tell(note if root is None else printable(f"{home.relative_to(root)}: {note}"))
        if not as_json and report.signals:
            where = "" if root is None else f"{home.relative_to(root)}: "
            print_line(printable(f"{where}{_summary(report)}"))

    return told


def _summary(report: Report) -> str:
    counts = {str(what): len(report.of(what)) for what in What}
    waiting = f"; {report.waiting:,} wait" if report.waiting else ""
    return f"{counted(report.signals, 'message', 'messages')}: {_counts(counts)}{waiting}"


def _counts(counts: dict[str, int]) -> str:
    found = [f"{count:,} {what}" for what, count in counts.items() if count]
    return ", ".join(found) or "nothing came of them"


def _line(outcome: Outcome) -> str:
    where = "" if outcome.path is None else f"  {outcome.path}"
    value = "" if outcome.value is None else f" = {in_words(outcome.value)}"
    return printable(f"{outcome.what}{where}{value}  ({outcome.why})")


def _status(root: Path | None, home: Path | None, as_json: bool) -> None:
    from .tables import in_a_line

    if root is None:
        with Vault.open(home_folder(home)) as vault:
            waiting = vault.waiting()
        if as_json:
            print_json(waiting.as_json())
        else:
            print_line(in_a_line(waiting))
        return
    folder = _checked(root)
    waits = sorted((since, one) for one in find_vaults(folder) if (since := Hint(one).since()) is not None)
    found = list(_each((one for _, one in waits), Vault.waiting))
    if as_json:
        print_json({"vaults": [{"vault": str(one), **waiting.as_json()} for one, waiting in found]})
        return
    for one, waiting in found:
        print_line(printable(f"{one.relative_to(folder)}: {in_a_line(waiting)}"))
    print_line(f"{counted(len(found), 'vault waits', 'vaults wait')}.")


def _retry(root: Path) -> None:
    for _ in _each(find_vaults(root), Vault.retry_parked):
        pass


def _each(homes: Iterable[Path], work: Callable[[Vault], T]) -> Iterator[tuple[Path, T]]:
    """*work* done with each vault; those that cannot be opened are said."""
    for home in homes:
        try:
            with Vault.open(home) as vault:
                done = work(vault)
        except VademecumError as error:
            tell(f"{home}: {error.code}: {error.message}")
        else:
            yield home, done


def _checked(root: Path) -> Path:
    folder = root.expanduser().absolute()
    if not folder.is_dir():
        raise InvalidArgument(f"{str(root)!r} is no folder, so there are no vaults below it.")
    return folder
