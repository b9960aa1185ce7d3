"""What the tests of the rule distiller say to it, and how they write down what it is to answer."""

from __future__ import annotations

from collections.abc import Sequence

from vademecum.engine.formation.candidates import Action, Candidate, Known, Message, Strength
from vademecum.engine.formation.rules import RuleDistiller

__all__ = ["distilled", "known", "message", "paths", "short"]

_DISTILLER = RuleDistiller()


def message(text: str, role: str = "user", name: str = "2") -> Message:
    return Message(f"session/lunch:{name}", role, text, 1_700_000_000_000 + ord(name))


def known(**values: object) -> list[Known]:
    """Known memories by path, with ``__`` for the dot."""
    return [Known("user.public", path.replace("__", "."), value, str(value)) for path, value in values.items()]  # type: ignore[arg-type]


def distilled(text: str, memories: Sequence[Known] = (), context: Sequence[Message] = ()) -> list[Candidate]:
    return list(_DISTILLER.distil([message(text)], context, memories).candidates)


def short(text: str, memories: Sequence[Known] = (), context: Sequence[Message] = ()) -> list[str]:
    """Each candidate as ``path=value``, with ``-`` before one that ends a memory and ``?`` before a weak one."""
    return [
        f"{'-' if one.action is Action.END else ''}{'?' if one.strength is Strength.WEAK else ''}{one.path}={one.value}"
        for one in distilled(text, memories, context)
    ]


def paths(text: str) -> list[str]:
    return [one.path for one in distilled(text)]
