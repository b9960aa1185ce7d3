"""Which distiller is meant: by a name, a model and an address, from options or from the environment."""

from __future__ import annotations

import os

from vademecum.engine.formation.candidates import Distiller
from vademecum.errors import InvalidArgument

from .budget import TokenBudget

__all__ = ["NAMES", "distiller_named"]

NAMES = ("rules", "openai", "anthropic")


def distiller_named(
    name: str | None = None,
    *,
    model: str | None = None,
    base_url: str | None = None,
    timeout: float = 60.0,
    budget: TokenBudget | None = None,
    allow_http: bool = False,
) -> Distiller | None:
    """The distiller called *name*, or None for the built-in rules, which need neither a network nor a model.

    What is not given comes from ``VADEMECUM_DISTILLER``, ``VADEMECUM_DISTILLER_MODEL`` and
    ``VADEMECUM_DISTILLER_URL``; the key only ever from ``OPENAI_API_KEY`` or ``ANTHROPIC_API_KEY``, so that
    it stands in no command line and in no vault.

    Raises `InvalidArgument` for another name or without a model, `Unsupported` where the extra is not installed.
    """
    chosen = name or os.environ.get("VADEMECUM_DISTILLER") or NAMES[0]
    if chosen not in NAMES:
        raise InvalidArgument(f"There is no distiller {chosen!r}; there are {', '.join(NAMES)}.")
    if chosen == "rules":
        return None
    model = model or os.environ.get("VADEMECUM_DISTILLER_MODEL")
    if not model:
        raise InvalidArgument(
            f"The distiller {chosen} needs the name of a model: give one, or set VADEMECUM_DISTILLER_MODEL."
        )
    base_url = base_url or os.environ.get("VADEMECUM_DISTILLER_URL") or None
    if chosen == "openai":
        from .openai import OpenAIDistiller

        return OpenAIDistiller(model, base_url=base_url, timeout=timeout, budget=budget, allow_http=allow_http)
    from .anthropic import AnthropicDistiller

    return AnthropicDistiller(model, base_url=base_url, timeout=timeout, budget=budget, allow_http=allow_http)
