"""``tree``, ``recall``, ``why``, ``log``: looking at the memory. What a person reads is drawn in ``tables``."""

from __future__ import annotations

from typing import Annotated

import typer

from vademecum.errors import PeerFault, Trouble
from vademecum.vault import Vault

from .options import Agent, AsJson, Home, PathName, Scope, home_folder
from .output import print_json

__all__ = ["log", "recall", "tree", "why"]


def tree(
    path: Annotated[str, typer.Argument(metavar="PATH", help="Only what is at and below it.", show_default=False)] = "",
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show the whole memory as a tree, with who wrote each value, when, and how sure it still is.

    JSON: {"public": {…}, "private": {…}, "agents": {"developer/slug": {…}}}, nested by segment; each leaf has
    "_value" and "_source": {"_agent", "_created", "_updated"}, and "_contradicted_by" where a newer memory
    says otherwise.

    \b
    Examples:
      vademecum tree
      vademecum tree health
    """
    with Vault.open(home_folder(home)) as vault:
        if as_json:
            print_json(vault.user.tree(path))
        else:
            from .tables import print_tree

            print_tree(vault.user.leaves(path))


def recall(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A question or some words.")],
    agent: Annotated[
        str | None,
        typer.Option(
            "--agent", metavar="AGENT", help="Ask as this agent (developer/slug@version), and see what it may see."
        ),
    ] = None,
    k: Annotated[int, typer.Option("-k", metavar="N", help="How many answers at most, 1 to 1000.")] = 5,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Find the memories most worth telling, by meaning and by words, best first.

    Without --agent the person asks, who sees everything. If the model cannot be loaded, words answer alone, and the
    answer says so.

    JSON: {"method": "hybrid" or "text", "note", "results": [{"id", "path", "scope", "value", "text", "score",
    "source": {"agent", "created", "updated"}, "why", "contradicted_by"}]}.

    \b
    Examples:
      vademecum recall "where could we eat tonight?"
      vademecum recall allergies -k 3 --agent prix/daily-eats@1.0.0
    """
    with Vault.open(home_folder(home)) as vault:
        found = vault.recall(query, k) if agent is None else vault.agent(agent).recall(query, k)
    if as_json:
        print_json(found.as_json())
    else:
        from .tables import print_recollections

        print_recollections(found)


def why(path: PathName, scope: Scope = None, home: Home = None, as_json: AsJson = False) -> None:
    """Say who wrote a value, when, because of which words, and what stood there before.

    JSON: {"path", "scope", "current": leaf or null, "receipts": [{"id", "text", "speaker", "at", "session",
    "message"}], "history": [change, …]}, each change as in `log`.

    \b
    Example:
      vademecum why diet
    """
    with Vault.open(home_folder(home)) as vault:
        found = vault.why(path, scope=scope)
        if as_json:
            print_json(found.as_json())
        else:
            from .tables import print_why

            print_why(found, _device_names(vault))


def log(
    agent: Agent = None,
    path: Annotated[str | None, typer.Option("--path", metavar="PATH", help="Only what is at and below it.")] = None,
    limit: Annotated[
        int | None, typer.Option("-n", "--limit", metavar="N", min=1, help="Only the newest N changes.")
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show what has changed, newest first: everything, or by one agent, or below one path.

    JSON: {"changes": [{"at", "agent", "device", "scope", "path", "what", "value", "old", "receipts", "forgotten"}]};
    "what" is set, deleted, swept (its agent was forgotten), forgot, granted or revoked.

    \b
    Examples:
      vademecum log -n 20
      vademecum log --agent prix/daily-eats --path diet
    """
    with Vault.open(home_folder(home)) as vault:
        changes = vault.log(agent=agent, path=path, limit=limit)
        if as_json:
            print_json({"changes": [change.as_json() for change in changes]})
        else:
            from .tables import print_log

            print_log(changes, _device_names(vault))


def _device_names(vault: Vault) -> dict[bytes, str]:
    """Names by device. None where this device's keys cannot be read, for names are sealed; ids are shown then."""
    try:
        return {device.id: device.name for device in vault.devices()}
    except (PeerFault, Trouble):
        return {}
