"""Distillers that ask a language model: a service over the network, or a server on this machine.

=============  =====================================================================================
naming         `distiller_named`: the one that a setting or an option names
openai         any service that speaks OpenAI's protocol, also Ollama, llama.cpp, vLLM (extra ``openai``)
anthropic      Anthropic's service (extra ``anthropic``)
judging        `LanguageModelJudge`: the last layer of the contradiction judge
asking         what both do: pieces that fit, the budget, a service that is away
service        where a service is, its key, and what its refusals mean
http           a client that waits and reads only so much, and says nothing to the logs
budget         how many tokens one sweep may cost                                  (pure)
prompt         what a model is told, and how messages are laid before it           (pure)
replies        what it answered, decoded strictly, piece by piece                  (pure)
supported      whether quoted words name what is read out of them                  (pure)
=============  =====================================================================================

A model proposes and no more. What it says is checked here against the messages it was shown, and again by the curator,
by the same rules as for every other distiller. What could not be read stays unread, and waits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .anthropic import AnthropicDistiller
    from .budget import TokenBudget
    from .judging import LanguageModelJudge
    from .naming import distiller_named
    from .openai import OpenAIDistiller

__all__ = ["AnthropicDistiller", "LanguageModelJudge", "OpenAIDistiller", "TokenBudget", "distiller_named"]

_HOMES = {
    "AnthropicDistiller": "anthropic",
    "LanguageModelJudge": "judging",
    "OpenAIDistiller": "openai",
    "TokenBudget": "budget",
    "distiller_named": "naming",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'vademecum.distillers' has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
