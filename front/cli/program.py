"""The table of commands, and the program's entry point."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from vademecum.asking import asker

from .failures import guarded
from .options import AsJson, Home, ValueCommand

__all__ = ["COMMANDS", "GROUPS", "main", "program"]

COMMANDS = {
    "init": "founding:init",
    "set": "memory:set_value",
    "get": "memory:get_value",
    "tree": "looking:tree",
    "remember": "memory:remember",
    "suggest": "reviewing:suggest",
    "review": "reviewing:review",
    "consolidate": "consolidating:consolidate",
    "budget": "consolidating:budget",
    "recall": "looking:recall",
    "why": "looking:why",
    "log": "looking:log",
    "forget": "forgetting:forget",
    "import": "importing:import_from",
    "edit": "texting:edit",
    "mirror": "texting:mirror",
    "export": "texting:export",
    "session": "",
    "sweep": "sweeping:sweep",
    "curate": "curating:curate",
    "hypotheses": "curating:hypotheses",
    "links": "curating:links",
    "seal": "sealing:seal",
    "unseal": "sealing:unseal",
    "relay": "",
    "sync": "syncing:sync",
    "daemon": "",
    "status": "syncing:status",
    "pair": "joining:pair",
    "join": "joining:join",
    "device": "",
    "compact": "maintaining:compact",
    "retention": "maintaining:retention",
    "doctor": "maintaining:doctor",
    "demo": "importing:demo",
}
"""Name → module and function; those without are groups of their own."""

SESSION_COMMANDS = {
    "log": "talking:log",
    "show": "talking:show",
    "list": "talking:list_sessions",
    "export": "talking:export",
    "hand-over": "talking:hand_over",
    "pin": "talking:pin",
}
RELAY_COMMANDS = {"serve": "relaying:serve", "use": "relaying:use"}
DAEMON_COMMANDS = {"start": "daemon:start", "stop": "daemon:stop", "status": "daemon:status"}
DEVICE_COMMANDS = {"list": "devices:list_all", "revoke": "devices:revoke", "rename": "devices:rename"}
GROUPS = {
    "session": SESSION_COMMANDS,
    "relay": RELAY_COMMANDS,
    "daemon": DAEMON_COMMANDS,
    "device": DEVICE_COMMANDS,
}

_EPILOG = """\b
Exit codes: 0 it was done; 1 it could not be, or a rule of the memory says no; 2 the call was wrong;
130 it was interrupted. What went wrong is one sentence on stderr, and then nothing has changed.
"""


class _Group(TyperGroup):
    """Loads a command's module when the command is asked for: the one place where the program loads by name."""

    table = COMMANDS

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.table)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        target = self.table.get(cmd_name)
        if target is None:
            return None
        return _command(cmd_name, target) if target else _group(*_INNER[cmd_name])


class _SessionGroup(_Group):
    table = SESSION_COMMANDS


class _RelayGroup(_Group):
    table = RELAY_COMMANDS


class _DaemonGroup(_Group):
    table = DAEMON_COMMANDS


class _DeviceGroup(_Group):
    table = DEVICE_COMMANDS


def program() -> Any:
    """The whole program as a command of typer's."""
    return _group(_Group, "vademecum", _root)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the program with *argv* (default: the process's own arguments); returns its exit code."""
    if sys.stdin is not None and sys.stdin.isatty():
        asker.set(_ask_passphrase)
    return guarded(lambda: program().main(args=argv, prog_name="vademecum", standalone_mode=False))


def _ask_passphrase() -> str:
    from .sealing import ask_passphrase

    return ask_passphrase()


def _command(name: str, target: str) -> TyperCommand:
    module, _, function = target.partition(":")
    app = _app(name)
    work = getattr(import_module(f"vademecum.cli.{module}"), function)
    app.command(name, cls=ValueCommand, short_help=(work.__doc__ or "").partition("\n")[0])(work)
    return get_command(app)  # type: ignore[return-value]  # one command without a callback is not a group


def _group(cls: type[TyperGroup], name: str, callback: Any) -> Any:
    app = _app(name)
    app.callback(cls=cls, invoke_without_command=True, epilog=_EPILOG if callback is _root else None)(callback)
    return get_command(app)


def _app(name: str) -> typer.Typer:
    # rich's help and tracebacks cost 60 ms at every start
    return typer.Typer(
        name=name,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )


def _show_version(asked: bool) -> None:
    if asked:
        from vademecum import __version__

        typer.echo(f"vademecum {__version__}")
        raise typer.Exit


def _root(
    context: typer.Context,
    home: Home = None,
    as_json: AsJson = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """The memory of your AI agents, carried on every device of yours: sourced, private, offline first.

    \b
      vademecum init --name laptop
      vademecum set name Alice
      vademecum remember diet '["vegetarian"]' --agent prix/daily-eats@1.0.0 --because "I'm vegetarian"
      vademecum recall "where could we eat tonight?"
      vademecum why diet
    """
    _help_unless_called(context)


def _session(context: typer.Context) -> None:
    """Conversations with agents, message by message.

    A conversation stays on the device where it was held, and its messages go after a while; what the curator learned
    from them stays, with the words it rests on.
    """
    _help_unless_called(context)


def _relay(context: typer.Context) -> None:
    """Host a relay between your devices, or point this vault at one.

    A relay stores and forwards what the devices have encrypted; it can read none of it.
    """
    _help_unless_called(context)


def _daemon(context: typer.Context) -> None:
    """Keep this device and the relay in step in the background, for all programs that use this vault.

    One process holds the connection: the daemon, or `vademecum sync` in the foreground. Every program that writes
    wakes it, so that a change is sent at once.
    """
    _help_unless_called(context)


def _device(context: typer.Context) -> None:
    """Show the devices of this vault; revoke one that was lost, or rename one."""
    _help_unless_called(context)


_INNER: dict[str, tuple[type[_Group], str, Any]] = {
    "session": (_SessionGroup, "session", _session),
    "relay": (_RelayGroup, "relay", _relay),
    "daemon": (_DaemonGroup, "daemon", _daemon),
    "device": (_DeviceGroup, "device", _device),
}


def _help_unless_called(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
