"""``suggest`` and ``review``: what agents would change of the person's own, and what the person says to it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from vademecum.errors import InvalidArgument
from vademecum.vault import Vault

from .memory import ValueText, show_written
from .options import ActingAgent, AsJson, Because, Evidence, Home, PathName, home_folder, read_value, some_reason
from .output import counted, print_json, print_line, printable

if TYPE_CHECKING:
    from vademecum.engine.formation.suggestions import Suggestion

__all__ = ["review", "suggest"]

_QUESTION = "Accept, edit, reject, skip or quit? [a/e/r/s/q]"


def suggest(
    path: PathName,
    value: ValueText,
    agent: ActingAgent,
    because: Because = None,
    evidence: Evidence = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Suggest a change as an agent, for the person to accept or reject with `review`.

    It is how an agent changes what the person wrote themselves. What the person rejected before is refused.

    JSON: {"suggestions": [suggestion, …]}, each as in `review`.

    \b
    Example:
      vademecum suggest name Alicia --agent prix/daily-eats@1.0.0 --because "Call me Alicia from now on"
    """
    some_reason(because, evidence)
    with Vault.open(home_folder(home)) as vault:
        made = vault.agent(agent).suggest(path, read_value(value), because=because, evidence=evidence or ())
    if as_json:
        print_json({"suggestions": [one.as_json() for one in made]})
        return
    for one in made:
        print_line(printable(f"{one.id}  {one.text}"))


def review(
    answer: Annotated[str | None, typer.Argument(metavar="accept|reject", help="What you say to one of them.")] = None,
    suggestion: Annotated[str | None, typer.Argument(metavar="ID", help="Which one.")] = None,
    value: Annotated[
        str | None,
        typer.Option("--value", metavar="VALUE", help="With accept: what to write in place of what was suggested."),
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """List what agents suggest, and decide. On a terminal each is put before you; otherwise name what you decide.

    What you accept is written as yours, and the history tells who suggested it. What you reject is not suggested again.

    JSON: {"suggestions": [{"id", "scope", "path", "value", "ends": it is no longer so, "text", "agent", "at",
    "current": leaf or null, "receipts": [receipt, …]}]}; with accept {"leaves": [leaf, …]} as in `get`, with reject
    {"rejected": ID}.

    \b
    Examples:
      vademecum review
      vademecum review accept name:3f2a9c1d
      vademecum review accept name:3f2a9c1d --value "Alicia M."
      vademecum review reject name:3f2a9c1d
    """
    if answer not in (None, "accept", "reject"):
        raise InvalidArgument(f"{answer!r} is no answer; it is accept or reject, and the suggestion's id.")
    if answer is not None and suggestion is None:
        raise InvalidArgument(f"Say which suggestion to {answer}: `vademecum review` lists them with their ids.")
    if value is not None and answer != "accept":
        raise InvalidArgument("--value goes with accept: it is what to write in place of what was suggested.")
    with Vault.open(home_folder(home)) as vault:
        if answer == "accept":
            assert suggestion is not None
            _accept(vault, suggestion, value, as_json)
        elif answer == "reject":
            assert suggestion is not None
            vault.reject(suggestion)
            if as_json:
                print_json({"rejected": suggestion})
            else:
                print_line(printable(f"rejected {suggestion}"))
        else:
            _list(vault, as_json)


def _accept(vault: Vault, suggestion: str, value: str | None, as_json: bool) -> None:
    leaves = vault.accept(suggestion) if value is None else vault.accept(suggestion, value=read_value(value))
    show_written(leaves, as_json)
    if not leaves and not as_json:
        print_line(printable(f"accepted {suggestion}: it is gone"))


def _list(vault: Vault, as_json: bool) -> None:
    waiting = vault.suggestions()
    if as_json:
        print_json({"suggestions": [one.as_json() for one in waiting]})
        return
    if not waiting:
        print_line("Nothing waits for your decision.")
        return
    from .tables import print_suggestion

    asks = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    for place, one in enumerate(waiting, 1):
        print_suggestion(one, place, len(waiting))
        if asks and not _decide(vault, one):
            return
    if not asks:
        print_line(
            f"{counted(len(waiting), 'suggestion waits', 'suggestions wait')}: "
            f"`vademecum review accept ID`, or `reject ID`."
        )


def _decide(vault: Vault, one: Suggestion) -> bool:
    """Asks what to do with *one*, and does it; False if the person has enough."""
    while True:
        said = str(typer.prompt(_QUESTION, default="s", show_default=False, err=True)).strip().lower()[:1]
        if said == "a":
            _accept(vault, one.id, None, as_json=False)
        elif said == "e":
            text = typer.prompt("The value", err=True)
            _accept(vault, one.id, text, as_json=False)
        elif said == "r":
            vault.reject(one.id)
            print_line(printable(f"rejected {one.id}"))
        elif said not in ("s", "q"):
            continue
        return said != "q"
