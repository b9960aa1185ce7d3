"""``session …``: conversations, message by message."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from vademecum.engine.messages import ROLES, SessionMessage
from vademecum.engine.times import parse_time, show_time, to_ms
from vademecum.errors import InvalidValue
from vademecum.vault import Vault

from .options import AsJson, Home, home_folder
from .output import counted, print_json, print_json_lines, print_line, printable, tell

__all__ = ["export", "hand_over", "list_sessions", "log", "pin", "show"]

Session = Annotated[str, typer.Argument(metavar="SESSION", help="The conversation's name, such as 2026-11-29-lunch.")]


def log(
    session: Session,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What was said; - reads it from stdin.")],
    agent: Annotated[str, typer.Option("--agent", metavar="AGENT", help="Who logs it: developer/slug@version.")],
    role: Annotated[str, typer.Option("--role", metavar="ROLE", help=f"Who said it: {', '.join(ROLES)}.")] = "user",
    at: Annotated[
        str | None, typer.Option("--at", metavar="TIME", help="When, such as 2026-11-29T08:30:00Z; otherwise now.")
    ] = None,
    tool: Annotated[
        str | None, typer.Option("--tool", metavar="NAME", help="With --role tool: which tool gave it back.")
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Record a message of an agent's conversation with you, and print its id.

    What you said yourself (role user) waits for the curator, which `vademecum sweep` runs. The conversation stays on
    this device until `vademecum session hand-over`.

    JSON: {"id"}.

    \b
    Examples:
      vademecum session log 2026-11-29-lunch "Never book me a steakhouse again." --agent prix/daily-eats@1.0.0
      vademecum session log 2026-11-29-lunch "3 tables are free" --agent prix/daily-eats@1.0.0 \\
          --role tool --tool search
    """
    moment = None if at is None else parse_time(at)
    words = _from_stdin() if text == "-" else text
    with Vault.open(home_folder(home)) as vault:
        message = vault.agent(agent).session(session).log(role, words, at=moment, tool=tool)
    if as_json:
        print_json({"id": message})
    else:
        print_line(message)


def show(
    session: Session,
    max_tokens: Annotated[
        int | None,
        typer.Option(
            "--max-tokens", metavar="N", help="What would be sent to a model within N tokens, by an estimate."
        ),
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show a conversation, oldest first; pinned messages with a mark.

    JSON: {"id", "messages": [{"id", "at", "role", "text", "tool", "pinned"}, …]}; with --max-tokens {"id", "messages":
    [{"role", "content", "name" of a tool}, …], "tokens", "pruned", "shortened", "summarised", "left_out", "notes"},
    with ids of messages in the lists.

    \b
    Examples:
      vademecum session show 2026-11-29-lunch
      vademecum session show 2026-11-29-lunch --max-tokens 2000 --json
    """
    with Vault.open(home_folder(home)) as vault:
        talk = vault.session(session)
        if max_tokens is not None:
            window = talk.context(max_tokens)
            if as_json:
                names = ("pruned", "shortened", "summarised", "left_out", "notes")
                told = {name: list(getattr(window, name)) for name in names}
                print_json({"id": talk.id, "messages": list(window), "tokens": window.tokens, **told})
                return
            for one in window:
                print_line(printable(f"{one['role']}: {one['content']}"))
            for note in window.notes:
                tell(note)
        elif as_json:
            print_json({"id": talk.id, "messages": [one.as_json() for one in talk.messages()]})
        else:
            for message in talk.messages():
                print_line(printable(_line(message)))


def list_sessions(home: Home = None, as_json: AsJson = False) -> None:
    """List the conversations that are kept here, the newest first.

    JSON: {"sessions": [{"id", "agents", "messages", "first", "last", "local", "expires"}, …]}: whose it is, when the
    first and the last message were logged, whether it stays on this device, when its messages go (null: never).

    \b
    Example:
      vademecum session list
    """
    with Vault.open(home_folder(home)) as vault:
        found = vault.sessions()
    if as_json:
        print_json({"sessions": [one.as_json() for one in found]})
        return
    for one in found:
        where = "stays here" if one.local else "on all devices"
        until = "" if one.expires is None else f"  until {show_time(to_ms(one.expires))[:10]}"
        said = counted(one.messages, "message", "messages")
        last = show_time(to_ms(one.last))[:16].replace("T", " ")
        print_line(printable(f"{one.id}  {', '.join(one.agents)}  {said}, last {last}  {where}{until}"))


def export(session: Session, home: Home = None, as_json: AsJson = False) -> None:
    """Print a conversation as JSON lines: id, at, role, text, tool, pinned.

    The same with and without --json: one document on each line.

    \b
    Example:
      vademecum session export 2026-11-29-lunch > lunch.jsonl
    """
    with Vault.open(home_folder(home)) as vault:
        print_json_lines(vault.session(session).export())


def hand_over(session: Session, home: Home = None, as_json: AsJson = False) -> None:
    """Let a conversation go to your other devices with the next sync, and all that is said in it from now on.

    Until then a conversation stays on the device where it was held. There is no way back but to forget it.

    JSON: {"handed_over": whether it stayed here until now}.

    \b
    Example:
      vademecum session hand-over 2026-11-29-lunch
    """
    with Vault.open(home_folder(home)) as vault:
        done = vault.session(session).hand_over()
    if as_json:
        print_json({"handed_over": done})
    elif done:
        print_line("It goes to your other devices with the next sync.")
    else:
        print_line("It goes to your other devices already.")


def pin(
    message: Annotated[str, typer.Argument(metavar="MESSAGE", help="A message's id, as `session show` prints it.")],
    undo: Annotated[bool, typer.Option("--undo", help="Pin it no longer.")] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Have a message sent to the model whole, however long ago it was said.

    JSON: {"id", "pinned"}.

    \b
    Example:
      vademecum session pin session/2026-11-29-lunch:019ac9a3d7600000a1b2c3d4
    """
    with Vault.open(home_folder(home)) as vault:
        talk = vault.session(message.partition(":")[0])
        if undo:
            talk.unpin(message)
        else:
            talk.pin(message)
    if as_json:
        print_json({"id": message, "pinned": not undo})
    else:
        print_line("No longer pinned." if undo else "Pinned.")


def _from_stdin() -> str:
    try:
        return sys.stdin.read().removesuffix("\n")
    except UnicodeDecodeError:
        raise InvalidValue("What came on stdin is not text in UTF-8.") from None


def _line(message: SessionMessage) -> str:
    who = message.role if message.tool is None else f"{message.role} {message.tool}"
    mark = "  [pinned]" if message.pinned else ""
    return f"{message.id}  {show_time(to_ms(message.at))}{mark}\n  {who}: {message.text}"
