"""``compact``, ``retention``, ``doctor``: keeping a vault's files in order."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from vademecum.vault import Vault

from .options import AsJson, Home, home_folder
from .output import print_json, print_line, printable

__all__ = ["compact", "doctor", "retention"]


def compact(home: Home = None, as_json: AsJson = False) -> None:
    """Make the vault's files as small as they can be.

    What was deleted leaves bytes behind in them until then. Other programs may go on using the vault meanwhile; one
    that has it open keeps the old file until it uses the vault again.

    JSON: {"before": bytes, "after": bytes}.

    \b
    Example:
      vademecum compact
    """
    with Vault.open(home_folder(home)) as vault:
        before, after = vault.compact()
    if as_json:
        print_json({"before": before, "after": after})
    elif after < before:
        print_line(f"{before:,} bytes before, {after:,} bytes now.")
    else:  # a new database begins with some pages of its own, which is more than a small vault has to give back
        print_line(f"There was nothing to give back: the files take {after:,} bytes. What was deleted is out of them.")


def retention(
    days: Annotated[int | None, typer.Option("--days", metavar="N", help="Changes older than this may go.")] = None,
    size: Annotated[
        int | None,
        typer.Option("--bytes", metavar="N", help="So may the oldest of a scope whose changes take more than this."),
    ] = None,
    newest: Annotated[
        int | None, typer.Option("--newest", metavar="N", help="Changes of each leaf that stay in any case.")
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show how much of the past is kept, or change it.

    Old changes leave the history when a scope begins anew: after forgetting, or when its commits have become many. What
    a leaf says now, and why, always stays.

    JSON: {"days", "bytes", "newest"}.

    \b
    Examples:
      vademecum retention
      vademecum retention --days 90 --newest 3
    """
    with Vault.open(home_folder(home)) as vault:
        kept = vault.retention
        if any(one is not None for one in (days, size, newest)):
            kept = vault.set_retention(days=days, size=size, newest=newest)
    if as_json:
        print_json(kept._asdict())
    else:
        print_line(f"{kept.days:,} days, {kept.bytes:,} bytes in each scope, {kept.newest:,} changes of each leaf.")


def doctor(
    repair: Annotated[bool, typer.Option("--repair", help="Repair what can be repaired without guessing.")] = False,
    relay: Annotated[
        str | None,
        typer.Option("--relay", metavar="URL", help="The vault's relay, for when the damage has taken its address."),
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Look the whole vault over and say what is wrong. Without --repair nothing is changed.

    With --repair, what is derived is made anew. A database that is damaged is filled again from what can still be read
    and from the relay, and the damaged file is kept. The exit code is 1 where something is wrong, or still is after the
    repair.

    JSON: {"sound", "findings": [{"level": note, derived or broken, "code", "text"}], "repaired": [what was done, in
    words]}; with --repair the findings are those that are left.

    \b
    Examples:
      vademecum doctor
      vademecum doctor --repair
    """
    from vademecum.doctor import examine, is_sound

    folder = home_folder(home)
    findings = examine(folder)
    repaired: tuple[str, ...] = ()
    if repair and not is_sound(findings):
        from vademecum.repair import repair as carry_out

        if not as_json:
            for one in findings:
                print_line(printable(f"{one.level.value}: {one.text}"))
        repaired = asyncio.run(carry_out(folder, findings, relay))
        findings = examine(folder)
    sound = is_sound(findings)
    if as_json:
        rows = [{"level": one.level.value, "code": one.code, "text": one.text} for one in findings]
        print_json({"sound": sound, "findings": rows, "repaired": list(repaired)})
    else:
        for text in (*repaired, *(f"{one.level.value}: {one.text}" for one in findings)):
            print_line(printable(text))
        print_line("The vault is sound." if sound else "Something is wrong with this vault.")
    if not sound:
        raise typer.Exit(1)
