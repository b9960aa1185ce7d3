"""What a device is called when nobody says."""

from __future__ import annotations

import platform
from typing import Annotated

import typer

__all__ = ["DeviceName", "device_name"]

DeviceName = Annotated[
    str | None, typer.Option("--name", metavar="NAME", help="What to call this device. Otherwise the machine's name.")
]


def device_name(given: str | None) -> str:
    """*given*, or the machine's name."""
    return given if given is not None else platform.node().partition(".")[0] or "this device"
