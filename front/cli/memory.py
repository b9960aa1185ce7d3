"""``set``, ``get``, ``remember``: one leaf at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from vademecum.engine.leaf import Leaf
from vademecum.vault import Vault

from .failures import room_told
from .options import (
    ActingAgent,
    AsJson,
    Because,
    Evidence,
    Home,
    PathName,
    Scope,
    home_folder,
    read_value,
    some_reason,
)
from .output import in_words, print_json, print_line, print_value, printable

__all__ = ["get_value", "remember", "set_value"]

SHOWN = 20
"""Leaves that are named one by one after a write."""

ValueText = Annotated[
    str, typer.Argument(metavar="VALUE", help="JSON if it parses, text otherwise; an object becomes a subtree.")
]


def set_value(
    path: PathName,
    value: ValueText,
    private: Annotated[
        bool, typer.Option("--private", help="Into user.private, which no agent reads unless you grant it.")
    ] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Write a value as the person. No agent changes it afterwards.

    JSON: {"leaves": [leaf, …]}, each leaf as in `get`.

    \b
    Examples:
      vademecum set name Alice
      vademecum set health.allergies '["peanuts"]' --private
      vademecum set address '{"city": "Lisbon", "floor": 3}'
      vademecum set note -- "- a text that begins with a dash"
    """
    with Vault.open(home_folder(home)) as vault:
        leaves = vault.user.set(path, read_value(value), private=private)
    show_written(leaves, as_json)


def get_value(path: PathName, scope: Scope = None, home: Home = None, as_json: AsJson = False) -> None:
    """Print the value at a path: text as it is, anything else as JSON.

    JSON: {"id", "path", "scope", "value", "text", "kind", "confidence", "source": {"agent", "created", "updated"},
    "receipts", "contradicted_by": id of a newer memory that says otherwise, or null}.

    \b
    Examples:
      vademecum get name
      vademecum get diet --json
    """
    with Vault.open(home_folder(home)) as vault:
        leaf = vault.user.leaf(path, scope=scope)
    if as_json:
        print_json(leaf.as_json())
    else:
        print_value(leaf.value)


def remember(
    path: PathName,
    value: ValueText,
    agent: ActingAgent,
    because: Because = None,
    evidence: Evidence = None,
    scope: Annotated[
        str,
        typer.Option(
            "--scope",
            metavar="user|agent",
            help="user: about the person, every agent reads it; agent: for this agent alone.",
        ),
    ] = "user",
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="fact, identity, preference, skill, technical, behaviour, project or context; how fast it fades.",
        ),
    ] = "fact",
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Write a value as an agent, with the words or the recorded messages that justify it.

    What the person wrote is refused; so is a memory without its reason. The same value again confirms what is there.
    Where agents have added as many memories as may be, a new one is refused: see `budget`.

    JSON: {"leaves": [leaf, …]}, each leaf as in `get`; without room {"error": {"code", "message", …}}, as in `budget`.

    \b
    Examples:
      vademecum remember diet '["vegetarian"]' --agent prix/daily-eats@1.0.0 \\
          --because "I'm vegetarian, by the way" --kind preference
      vademecum remember tried.restaurants '["Ox & Fig"]' --agent prix/daily-eats@1.0.0 \\
          --because "We loved Ox & Fig" --scope agent
    """
    some_reason(because, evidence)
    with Vault.open(home_folder(home)) as vault, room_told(as_json):
        leaves = vault.agent(agent).remember(
            path, read_value(value), because=because, evidence=evidence or (), scope=scope, kind=kind
        )
    show_written(leaves, as_json)


def show_written(leaves: Sequence[Leaf], as_json: bool) -> None:
    """Says which leaves were written."""
    if as_json:
        print_json({"leaves": [leaf.as_json() for leaf in leaves]})
        return
    for leaf in leaves[:SHOWN]:
        print_line(printable(f"{leaf.scope}  {leaf.path} = {in_words(leaf.value)}"))
    if len(leaves) > SHOWN:
        print_line(f"… and {len(leaves) - SHOWN:,} more")
