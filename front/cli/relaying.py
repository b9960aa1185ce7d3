"""``relay serve`` and ``relay use``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import AsJson, Home, home_folder
from .output import print_json, print_line

__all__ = ["serve", "use"]

DEFAULT_PORT = 8787


def serve(
    data: Annotated[Path, typer.Option("--data", metavar="DIR", help="Where the relay keeps what it is sent.")],
    host: Annotated[
        str, typer.Option("--host", metavar="H", help="The address to listen on; 0.0.0.0 for every network.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="P", min=0, max=65535, help="0 takes a free one.")
    ] = DEFAULT_PORT,
    origin: Annotated[
        list[str] | None,
        typer.Option(
            "--origin",
            metavar="HOST:PORT",
            help="A name under which devices reach this relay; may be given several times. "
            "Logins made for another name are then refused.",
        ),
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Host a relay until Ctrl-C or SIGTERM; prints its URL when it answers.

    It needs no vault, so --home says nothing here. For the internet, put it behind a proxy that ends TLS.

    JSON: {"url"}, printed when it answers.

    \b
    Examples:
      vademecum relay serve --data ./relay
      vademecum relay serve --data /var/lib/vademecum --host 0.0.0.0 --port 8787 --origin relay.example:443
    """
    import asyncio

    from vademecum.transport.relay import server

    def ready(url: str) -> None:
        if as_json:
            print_json({"url": url})
        else:
            print_line(url)

    asyncio.run(server.serve(data, host, port, ready=ready, origins=tuple(origin or ())))


def use(
    url: Annotated[str, typer.Argument(metavar="URL", help="Where the relay answers, such as https://relay.example.")],
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Point this vault at a relay. The next sync goes there.

    JSON: {"relay"}.

    \b
    Example:
      vademecum relay use http://192.168.1.20:8787
    """
    from vademecum.vault import Vault

    with Vault.open(home_folder(home)) as vault:
        vault.use_relay(url)
        if as_json:
            print_json({"relay": vault.relay})
        else:
            print_line(f"This vault now syncs with {vault.relay}.")
