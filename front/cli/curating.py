"""``curate``, ``hypotheses``, ``links``: how memories came to be, or did not."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from vademecum.curating import Explained, explain
from vademecum.distillers import distiller_named
from vademecum.engine.formation.report import Outcome, Report
from vademecum.errors import InvalidArgument
from vademecum.vault import Vault

from .options import AsJson, BaseUrl, DistillerName, Home, ModelName, PathName, Scope, home_folder
from .output import counted, in_words, print_json, print_line, printable, tell

__all__ = ["curate", "hypotheses", "links"]

LONGEST = 300
"""Characters of a message that are shown."""


def curate(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Change nothing: say what would happen.")] = False,
    explained: Annotated[
        bool, typer.Option("--explain", help="Say for each message what comes of it, and why.")
    ] = False,
    counters: Annotated[
        bool, typer.Option("--counters", help="Only show how often what has come of curating on this device.")
    ] = False,
    distiller: DistillerName = None,
    model: ModelName = None,
    base_url: BaseUrl = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Think about what the person said and nobody has thought about yet: `sweep --once`, with its reasons.

    A dry run does everything that a real one does, a language model included, and takes it back at the end.

    JSON: as `sweep --once`; with --explain also "explained": [{"message", "role", "text", "at", "outcomes"}], one for
    each message; with --counters {"signals", "dropped": messages of which nothing came, "memory", "update", "ended",
    "duplicate", "hypothesis", "graduated", "link", "contradiction", "suggestion", "refused": {reason: count},
    "rejected": {reason: count}}.

    \b
    Examples:
      vademecum curate --dry-run --explain
      vademecum curate --counters --json
    """
    if counters and (dry_run or explained):
        raise InvalidArgument("--counters only looks back: say it without --dry-run and --explain.")
    with Vault.open(home_folder(home)) as vault:
        if counters:
            _show_counters(vault.counters(), as_json)
            return
        chosen = distiller_named(distiller, model=model, base_url=base_url)
        report = vault.curate(dry_run=dry_run, distiller=chosen)
        found = explain(vault.replica, report) if explained else []
    if as_json:
        more = {"explained": [one.as_json() for one in found]} if explained else {}
        print_json({"dry_run": dry_run, **report.as_json(), **more})
        return
    for one in found:
        _show_explained(one, dry_run)
    _show_report(report, dry_run, counts_only=explained)


def hypotheses(
    sightings: Annotated[
        int | None, typer.Option("--sightings", metavar="N", help="Let a memory take N sightings from now on.")
    ] = None,
    conversations: Annotated[
        int | None, typer.Option("--conversations", metavar="N", help="In at least N conversations.")
    ] = None,
    fade_days: Annotated[
        int | None, typer.Option("--fade-days", metavar="N", help="Drop what nothing has repeated for N days.")
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show what has been seen but has not earned a memory yet: how often, in how many conversations, and when.

    With a number, changes what it takes to earn one, on all devices.

    JSON: {"hypotheses": [{"scope", "path", "value", "sightings": the person's, "conversations", "others": sightings of
    what somebody else said, "waits_for_room": said outright, when there was no room, "first", "last", "seen": [{"at",
    "source", "text", "session", "message"}]}], most often seen first, "rule": {"sightings", "conversations",
    "fade_days"}}.

    \b
    Examples:
      vademecum hypotheses
      vademecum hypotheses --sightings 5 --conversations 3
    """
    with Vault.open(home_folder(home)) as vault:
        if (sightings, conversations, fade_days) != (None, None, None):
            vault.set_graduation(sightings=sightings, conversations=conversations, fade_days=fade_days)
        found, rule = vault.hypotheses(), vault.graduation
    if as_json:
        print_json({"hypotheses": [one.as_json() for one in found], "rule": rule._asdict()})
        return
    if not found:
        print_line("There are no hypotheses.")
    for one in found:
        times = counted(len(one.own), "sighting", "sightings")
        where = counted(one.conversations, "conversation", "conversations")
        waits = "; waits for room" if any(seen.explicit for seen in one.own) else ""
        print_line(printable(f"{one.path} = {in_words(one.value)}  ({times} in {where}{waits})"))
        for seen in one.sightings:
            said = "" if seen.by_person else f"  ({seen.source}; does not count)"
            print_line(printable(f"  “{_shortened(seen.quote)}”{said}"))
    print_line(
        f"A memory takes {counted(rule.sightings, 'sighting', 'sightings')} in "
        f"{counted(rule.conversations, 'conversation', 'conversations')}; what nothing repeats is dropped after "
        f"{counted(rule.fade_days, 'day', 'days')}."
    )


def links(path: PathName, scope: Scope = None, home: Home = None, as_json: AsJson = False) -> None:
    """Show what a memory is linked with: what it elaborates, extends, confirms or contradicts, and what does so to it.

    JSON: {"links": [{"type": elaborates, extends, confirms or contradicts, "source", "target": ids of memories, "at",
    "agent", "why", "confidence", "void": a flag that no longer counts}]}, oldest first.

    \b
    Example:
      vademecum links diet
    """
    with Vault.open(home_folder(home)) as vault:
        found = vault.links(path, scope=scope)
    if as_json:
        print_json({"links": [one.as_json() for one in found]})
        return
    if not found:
        print_line(printable(f"Nothing is linked with {path}."))
    for one in found:
        void = "  (void: it was said again since)" if one.void else ""
        print_line(printable(f"{one.source} {one.type} {one.target}{void}"))
        print_line(printable(f"  {one.why}; {one.agent}"))


def _show_explained(one: Explained, dry_run: bool) -> None:
    words = "(the message is gone)" if one.text is None else f"“{_shortened(one.text)}”"
    who = "" if one.role in (None, "user") else f"{one.role}: "
    print_line(printable(f"{who}{words}" if one.message is not None else "(what was seen before)"))
    for outcome in one.outcomes:
        print_line(printable(f"  {_would(outcome, dry_run)}"))
        print_line(printable(f"    {outcome.why}"))


def _would(outcome: Outcome, dry_run: bool) -> str:
    what = f"{outcome.what} ({outcome.reason})" if outcome.reason else str(outcome.what)
    where = "" if outcome.path is None else f"  {outcome.path}"
    value = "" if outcome.value is None else f" = {in_words(outcome.value)}"
    private = "  (private)" if outcome.scope == "user.private" else ""
    return f"{'would be ' if dry_run else ''}{what}{where}{value}{private}"


def _show_report(report: Report, dry_run: bool, *, counts_only: bool) -> None:
    if not counts_only:
        for outcome in report.outcomes:
            if outcome.path is not None:
                print_line(printable(_would(outcome, dry_run)))
    number = counted(report.signals, "message", "messages")
    verb = "would be" if dry_run else "was" if report.signals == 1 else "were"
    print_line(f"{number} {verb} thought about; {report.waiting:,} {'waits' if report.waiting == 1 else 'wait'}.")
    if counts_only and report.layers:
        print_line(f"Contradictions are judged by {', '.join(report.layers)}.")
    for note in report.notes:
        tell(note)


def _show_counters(counts: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(counts)
        return
    for name, number in counts.items():
        for label, count in {name: number}.items() if isinstance(number, int) else _prefixed(name, number).items():
            print_line(f"{count:>8,}  {label}")


def _prefixed(name: str, numbers: dict[str, int]) -> dict[str, int]:
    return {f"{name}: {reason}": count for reason, count in numbers.items()}


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
