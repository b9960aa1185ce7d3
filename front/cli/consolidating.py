"""``consolidate`` and ``budget``: room for what agents learn about the person."""

from __future__ import annotations

from typing import Annotated

import typer

from vademecum.vault import Vault

from .failures import room_told
from .memory import show_written
from .options import ActingAgent, AsJson, Evidence, Home, home_folder, read_value, some_reason
from .output import print_json

__all__ = ["budget", "consolidate"]


def consolidate(
    ids: Annotated[
        list[str], typer.Argument(metavar="ID…", help="The memories that become one, such as user.public:diet.")
    ],
    into: Annotated[
        tuple[str, str],
        typer.Option("--into", metavar="PATH VALUE", help="Where the one memory stands, and what it holds."),
    ],
    agent: ActingAgent,
    because: Annotated[
        str | None, typer.Option("--because", metavar="TEXT", help="Why these are one, in the agent's words.")
    ] = None,
    evidence: Evidence = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Make one memory of several, in one step. Works where there is no room for another.

    Their receipts all stay with the one. What the person wrote is refused.

    JSON: {"leaves": [leaf, …]}, each leaf as in `get`.

    \b
    Example:
      vademecum consolidate user.public:diet user.public:food.meat --into diet '["vegetarian"]' \\
          --agent prix/daily-eats@1.0.0 --because "Both say that no meat is eaten"
    """
    some_reason(because, evidence)
    path, value = into
    with Vault.open(home_folder(home)) as vault, room_told(as_json):
        leaves = vault.agent(agent).consolidate(
            ids, into=(path, read_value(value)), because=because, evidence=evidence or ()
        )
    show_written(leaves, as_json)


def budget(
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", help="How many memories agents may add, on all devices.")
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show the memories that agents have added about you, of how many they may; or change that number.

    What you wrote, accepted or imported does not count. Where there is no room, agents cannot add, but consolidate,
    delete or change what is there. Nothing is ever put out to make room.

    JSON: {"limit", "used", "room", "entries": [{"id", "text", "agent", "updated", "age_days", "confidence"}],
    stalest first, "closest": [{"ids": [ID, ID], "similarity": 0 to 1}], "stalest": [ID]}.

    \b
    Examples:
      vademecum budget
      vademecum budget --limit 100
    """
    with Vault.open(home_folder(home)) as vault:
        found = vault.budget if limit is None else vault.set_budget(limit)
    if as_json:
        print_json(found.as_json())
    else:
        from .tables import print_budget

        print_budget(found)
