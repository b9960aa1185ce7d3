"""How a program comes by a passphrase without being told: it asks the person. A library never asks by itself.

A program that has a terminal sets `asker`; every vault it opens then knows whom to ask, whatever part opens it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

__all__ = ["PASSPHRASE_VARIABLE", "asker"]

PASSPHRASE_VARIABLE = "VADEMECUM_PASSPHRASE"
"""The environment's variable that holds the passphrase of a sealed vault."""

asker: ContextVar[Callable[[], str] | None] = ContextVar("asker", default=None)
"""Asks for the passphrase of a sealed vault and returns it."""
