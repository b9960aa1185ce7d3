"""``forget``: have something removed from everywhere, and see how far that has come."""

from __future__ import annotations

from typing import Annotated

import typer

from vademecum.engine.times import parse_time
from vademecum.errors import InvalidArgument
from vademecum.forgetting import Forgetting
from vademecum.vault import Vault

from .options import Agent, AsJson, Home, home_folder
from .output import counted, print_json, print_line, printable

__all__ = ["forget"]


def forget(
    path: Annotated[
        str | None, typer.Argument(metavar="PATH", help="What to forget, with all below it and its history.")
    ] = None,
    only: Annotated[bool, typer.Option("--only", help="The leaf at PATH alone, and nothing below it.")] = False,
    agent: Agent = None,
    session: Annotated[
        str | None,
        typer.Option(
            "--session",
            metavar="SESSION",
            help="All that was said in this session, and what agents learned from nothing else.",
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="TIME", help="What agents learned since then, such as 2026-11-29T08:30:00Z."),
    ] = None,
    before: Annotated[
        str | None, typer.Option("--before", metavar="TIME", help="What agents learned before then.")
    ] = None,
    status: Annotated[
        bool, typer.Option("--status", help="Forget nothing; show which devices and relay have not confirmed yet.")
    ] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Forget a path and all below it, an agent, a session, or what agents learned in a span of time.

    What goes with it: its history, the quotes that nothing else rests on, and the messages that they quote. What the
    person wrote survives --agent, --session, --since and --before. What that agent writes on another device, or what is
    written in that session there, before it hears of this is void when it arrives.

    This device's files are written anew at once, so that none holds anything of it. The relay and the other devices
    follow as they sync; --status says who has not yet.

    JSON: {"forgotten": how many leaves are gone here}, of a session leaves and messages; with --status {"complete",
    "outstanding": [{"scope", "here", "relay", "devices"}, …], "files", "revoked"}: whether this device's files, or the
    relay, may still hold something of that scope, the names of the other devices that may, files to look into, and
    revoked devices that had not confirmed, and for which nobody waits.

    \b
    Examples:
      vademecum forget address
      vademecum forget --agent prix/daily-eats
      vademecum forget --session 2026-11-29
      vademecum forget --since 2026-11-28T00:00:00Z --before 2026-11-29T00:00:00Z
      vademecum forget --status
    """
    named = any(one is not None for one in (path, agent, session, since, before))
    if status and (named or only):
        raise InvalidArgument("--status forgets nothing; give it alone.")
    if only and path is None:
        raise InvalidArgument("--only goes with a path.")
    with Vault.open(home_folder(home)) as vault:
        if status:
            _show(vault.forgetting(), as_json)
            return
        forgotten = vault.forget(
            path,
            agent=agent,
            session=session,
            since=None if since is None else parse_time(since),
            before=None if before is None else parse_time(before),
            below=not only,
        )
        left = vault.forgetting()
    if as_json:
        print_json({"forgotten": forgotten})
        return
    what = ("leaf or message is", "leaves and messages are") if session is not None else ("leaf is", "leaves are")
    print_line(f"{counted(forgotten, *what)} forgotten.")
    if not left.complete:
        print_line("It is not gone from everywhere yet: `vademecum forget --status` says where it may still be.")


def _show(forgetting: Forgetting, as_json: bool) -> None:
    if as_json:
        print_json(forgetting.as_json())
        return
    if forgetting.complete:
        print_line(
            f"All that was forgotten is gone from every{'where' if not forgetting.revoked else ' device of yours'}."
        )
    for one in forgetting.outstanding:
        places = ["this device's files"] * one.here + ["commits and the relay"] * one.relay + list(one.devices)
        print_line(printable(f"{one.scope}  may still be in: {', '.join(places)}"))
    for file in forgetting.files:
        print_line(printable(f"{file}  may hold it, and is yours to look into and delete"))
    if forgetting.revoked:
        print_line(
            printable(
                f"{', '.join(forgetting.revoked)}  was revoked and may keep a copy for good; nothing waits for it"
            )
        )
