"""What several commands take: where the vault is, how to answer, and values."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from vademecum.errors import InvalidArgument, InvalidValue

__all__ = [
    "ActingAgent",
    "Agent",
    "AsJson",
    "BaseUrl",
    "Because",
    "DistillerName",
    "Evidence",
    "Home",
    "Index",
    "ModelName",
    "PathName",
    "Scope",
    "ValueCommand",
    "home_folder",
    "read_value",
    "some_reason",
]

HOME_VARIABLE = "VADEMECUM_HOME"

# -5 is a value, not an option
_NEGATIVE = re.compile(r"-(\d+(\.\d+)?([eE][+-]?\d+)?|Infinity)\Z")
_MAX_DIGITS = 1000
"""Python refuses to read integers of more than 4,300 digits; 64 bits take 19."""


def _or_before(context: typer.Context, param: typer.CallbackParam, value: Any) -> Any:
    """The option as given behind the command, else as given before it."""
    before = context.find_root()
    return value if value or context is before else before.params.get(param.name or "", value)


Home = Annotated[
    Path | None,
    typer.Option(
        "--home",
        metavar="DIR",
        help=f"The vault's folder. Otherwise ${HOME_VARIABLE}, otherwise the platform's data folder.",
        callback=_or_before,
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON document and nothing else on stdout.", callback=_or_before)
]
Index = Annotated[
    bool,
    typer.Option(
        "--index/--no-index",
        help="Compute vectors for recall at once, or leave that to the first questions.",
        show_default=False,
    ),
]
PathName = Annotated[str, typer.Argument(metavar="PATH", help="Where the leaf is, such as diet.allergies.")]
Scope = Annotated[
    str | None,
    typer.Option(
        "--scope",
        metavar="SCOPE",
        help="Look in this scope only: user.public, user.private, agent/DEVELOPER/SLUG. "
        "Otherwise the first of these that has the path.",
    ),
]
DistillerName = Annotated[
    str | None,
    typer.Option(
        "--distiller",
        metavar="NAME",
        help="What proposes memories: rules, which need no network and no model; openai, any service that speaks its "
        "protocol, also one on this machine; anthropic. Otherwise $VADEMECUM_DISTILLER, otherwise rules.",
        show_default=False,
    ),
]
ModelName = Annotated[
    str | None,
    typer.Option(
        "--model", metavar="MODEL", help="The model to ask. Otherwise $VADEMECUM_DISTILLER_MODEL.", show_default=False
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        metavar="URL",
        help="Where the service is, such as http://127.0.0.1:11434/v1. Otherwise $VADEMECUM_DISTILLER_URL, otherwise "
        "the company's own. The key is only ever taken from $OPENAI_API_KEY or $ANTHROPIC_API_KEY.",
        show_default=False,
    ),
]
Agent = Annotated[str | None, typer.Option("--agent", metavar="AGENT", help="developer/slug, or one @version of it.")]


ActingAgent = Annotated[str, typer.Option("--agent", metavar="AGENT", help="Who does it: developer/slug@version.")]
Because = Annotated[
    str | None, typer.Option("--because", metavar="TEXT", help="The person's own words that justify it.")
]
Evidence = Annotated[
    list[str] | None,
    typer.Option(
        "--evidence",
        metavar="ID",
        help="A recorded message that says so, session/ID:NAME; several times for several. "
        "With --because, the words must stand in one of them.",
    ),
]


class ValueCommand(TyperCommand):
    """A command to which a negative number is a value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if any(_NEGATIVE.match(arg) for arg in args):
            ctx.ignore_unknown_options = True  # what is left over is still refused, as one argument too many
        return super().parse_args(ctx, args)


def some_reason(because: str | None, evidence: list[str] | None) -> None:
    """Raises `InvalidArgument` if neither is given."""
    if because is None and not evidence:
        raise InvalidArgument("A reason is needed: give --because TEXT, or --evidence ID of a recorded message.")


def home_folder(home: Path | None) -> Path:
    """The folder of the vault that is meant."""
    if home is not None:
        return home
    named = os.environ.get(HOME_VARIABLE)
    if named:
        return Path(named)
    from platformdirs import user_data_path

    return user_data_path("vademecum", appauthor=False)


def read_value(text: str) -> Any:
    """*text* as JSON if it parses, as text otherwise. Raises `InvalidValue` for JSON that no value can be."""
    try:
        return json.loads(text, parse_int=_integer)
    except json.JSONDecodeError:
        return text
    except RecursionError:
        raise InvalidValue("The value is nested too deeply to be read; 32 levels are allowed.") from None


def _integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise InvalidValue(f"The value is an integer of {len(digits):,} digits, which does not fit in 64 bits.")
    return int(digits)
