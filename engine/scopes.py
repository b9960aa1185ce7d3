"""Scopes: the parts of a vault, each with its own document and readers.

==========================  ====  =====================================================
scope                       tier  read and written by
==========================  ====  =====================================================
``user.public``             1     every agent, and the person
``user.private``            1     the person; agents read the leaves granted to them
``agent/developer/slug``    2     that agent in all its versions; the person reads it
``session/id``              3     the agent whose session it is; the person reads it
==========================  ====  =====================================================
"""

from __future__ import annotations

import re
import unicodedata

from vademecum.errors import InvalidScope

from .agents import AgentId

__all__ = ["PRIVATE", "PUBLIC", "TIER_1", "agent_scope", "parse_scope", "session_scope", "tier"]

PUBLIC = "user.public"
PRIVATE = "user.private"
TIER_1 = (PUBLIC, PRIVATE)
"""What is about the person."""

_AGENT = re.compile(r"agent/[a-z0-9][a-z0-9._-]{0,39}/[a-z0-9][a-z0-9._-]{0,39}\Z")
_SESSION = re.compile(r"session/[\w-][\w.-]{0,63}\Z")


def parse_scope(text: str) -> str:
    """*text* if it names a scope; a session's name must be in NFC. Raises `InvalidScope`."""
    if isinstance(text, str) and (
        text in (PUBLIC, PRIVATE)
        or _AGENT.match(text)
        or (_SESSION.match(text) and unicodedata.is_normalized("NFC", text))
    ):
        return text
    raise InvalidScope(
        f"{text!r} names no scope; scopes are user.public, user.private, agent/<developer>/<slug> and session/<id>."
    )


def tier(scope: str) -> int:
    """1 about the person, 2 about an agent's work, 3 about the moment."""
    return 1 if scope.startswith("user.") else 2 if scope.startswith("agent/") else 3


def agent_scope(agent: AgentId) -> str:
    """The scope that *agent* shares with its other versions and nobody else."""
    return f"agent/{agent.name}"


def session_scope(session: str) -> str:
    """The scope of a session, its name brought to NFC.

    Raises `InvalidScope` if *session* is not 1–64 letters, digits, ``.``, ``_``, ``-``.
    """
    if not isinstance(session, str):
        raise InvalidScope(f"A session's name is text, such as '2026-11-29-lunch'; this is {type(session).__name__}.")
    return parse_scope(unicodedata.normalize("NFC", f"session/{session}"))
