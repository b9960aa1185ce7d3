"""What someone may see: the person everything, an agent what DESIGN grants it. Every read for a caller goes through.

An agent sees ``user.public``, the leaves of ``user.private`` that the person granted to it, its own scope, and its
own sessions. What it does not see does not exist for it: it is not counted, ranked, or named in an error.
"""

from __future__ import annotations

from collections.abc import Iterator

from .agents import AgentId
from .records import Record
from .scopes import PRIVATE, PUBLIC, agent_scope
from .slots import SlotMap
from .view import View

__all__ = ["OWNER", "Sight", "grant_name", "owner_name", "owners"]

OWNER = "owner"
"""Setting of a session's scope: the name of the agent whose session it is."""
_OWNER = "owner/"
"""Begins a setting that says the same for one agent: two devices, apart, may have given two agents' sessions one name.
Each agent then sees what it logged itself.
"""

_GRANT = ":"


def grant_name(path: str, agent: str) -> str:
    """The name of the grant of *path* to the agent *agent* (``developer/slug``)."""
    return f"{agent}{_GRANT}{path}"


def owner_name(agent: str) -> str:
    """The setting by which a session is (also) that of the agent *agent* (``developer/slug``)."""
    return _OWNER + agent


def owners(view: View, scope: str) -> set[str]:
    """The agents (``developer/slug``) whose session *scope* is: nearly always one."""
    found = set()
    for name, row in view.rows(scope, SlotMap.SETTINGS, OWNER):
        if row.winner is not None:
            if name == OWNER and isinstance(row.winner.value, str):
                found.add(row.winner.value)
            elif name.startswith(_OWNER):
                found.add(name[len(_OWNER) :])
    return found


class Sight:
    """What *agent* sees in *view*; the person, where *agent* is None."""

    def __init__(self, view: View, agent: AgentId | None) -> None:
        self.view = view
        self.agent = agent
        self._granted: list[str] | None = None
        self._owners: dict[str, set[str]] = {}

    def scopes(self) -> list[str]:
        """Scopes of which at least some leaf may be seen, Tier 1 first."""
        own = None if self.agent is None else agent_scope(self.agent)
        known = self.view.scopes()
        if self.agent is None:
            return sorted(known, key=_by_tier)
        return sorted((scope for scope in known if scope in (PUBLIC, PRIVATE, own) or self._owns(scope)), key=_by_tier)

    def may_see(self, scope: str, path: str) -> bool:
        """Whether the leaf or message *path* of *scope* exists for this caller."""
        if self.agent is None or scope == PUBLIC or scope == agent_scope(self.agent):
            return True
        if scope == PRIVATE:
            return any(path == granted or path.startswith(granted + ".") for granted in self.granted())
        return self._owns(scope) and self._logged(scope, path)

    def is_partial(self, scope: str) -> bool:
        """Whether *scope*, one of `scopes`, holds what this caller does not see: private leaves that were not granted,
        or what another agent logged in a session that devices, apart, have given the same name.
        """
        if self.agent is None:
            return False
        return scope == PRIVATE or (scope.startswith("session/") and len(self._owners_of(scope)) > 1)

    def granted(self) -> list[str]:
        """Paths of ``user.private`` that this agent was granted; a path stands for all below it."""
        if self._granted is None:
            prefix = grant_name("", "" if self.agent is None else self.agent.name)
            self._granted = [
                name[len(prefix) :] for name, row in self.view.rows(PRIVATE, SlotMap.GRANTS, prefix) if row.live
            ]
        return self._granted

    def leaves(self, scope: str, path: str = "") -> Iterator[tuple[str, Record]]:
        """Living leaves of *scope* that this caller sees, at or below *path*."""
        for name, record in self.view.leaves(scope, path):
            if self.may_see(scope, name):
                yield name, record

    def find(self, path: str, scope: str | None = None) -> tuple[str, Record] | None:
        """The first scope in which *path* has a value that this caller sees, and its record."""
        for candidate in [scope] if scope else self.scopes():
            if candidate.startswith("session/") or not self.may_see(candidate, path):
                continue
            record = self.view.get(candidate, SlotMap.LEAVES, path)
            if record is not None:
                return candidate, record
        return None

    def _owns(self, scope: str) -> bool:
        if not scope.startswith("session/") or self.agent is None:
            return False
        return self.agent.name in self._owners_of(scope)

    def _owners_of(self, scope: str) -> set[str]:
        if scope not in self._owners:
            self._owners[scope] = owners(self.view, scope)
        return self._owners[scope]

    def _logged(self, scope: str, message: str) -> bool:
        record = self.view.get(scope, SlotMap.MESSAGES, message)
        return record is not None and self.agent is not None and record.writer.partition("@")[0] == self.agent.name


def _by_tier(scope: str) -> tuple[int, str]:
    order = {PUBLIC: 0, PRIVATE: 1}
    return order.get(scope, 2 if scope.startswith("agent/") else 3), scope
