"""Agent ids: ``developer/slug@version``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vademecum.errors import InvalidAgent

__all__ = ["AgentId", "AgentPattern"]

_NAME = r"([a-z0-9][a-z0-9._-]{0,39})/([a-z0-9][a-z0-9._-]{0,39})"
_VERSION = r"@([0-9A-Za-z][0-9A-Za-z.+_-]{0,31})"
_ID = re.compile(rf"{_NAME}{_VERSION}\Z")
_PATTERN = re.compile(rf"{_NAME}(?:{_VERSION})?\Z")
_RULE = (
    "An agent id is developer/slug@version, such as prix/daily-eats@1.0.0: lower-case letters, digits, '.', '_' and "
    "'-' in the first two parts, at most 40 characters each."
)


@dataclass(frozen=True, slots=True)
class AgentId:
    """One version of one agent. ``name`` is the agent without its version."""

    developer: str
    slug: str
    version: str

    @classmethod
    def parse(cls, text: str) -> AgentId:
        """Raises `InvalidAgent`."""
        found = _ID.match(text) if isinstance(text, str) else None
        if not found:
            raise InvalidAgent(f"{text!r} is not an agent id. {_RULE}")
        return cls(*found.groups())

    @property
    def name(self) -> str:
        return f"{self.developer}/{self.slug}"

    def __str__(self) -> str:
        return f"{self.developer}/{self.slug}@{self.version}"


@dataclass(frozen=True, slots=True)
class AgentPattern:
    """An agent in all its versions (``developer/slug``), or in one."""

    name: str
    version: str | None

    @classmethod
    def parse(cls, text: str) -> AgentPattern:
        """Raises `InvalidAgent`."""
        found = _PATTERN.match(text) if isinstance(text, str) else None
        if not found:
            raise InvalidAgent(f"{text!r} names no agent. {_RULE} Without @version, all versions are meant.")
        return cls(f"{found[1]}/{found[2]}", found[3])

    @classmethod
    def is_valid(cls, text: str) -> bool:
        return _PATTERN.match(text) is not None

    def matches(self, writer: str) -> bool:
        """Whether *writer*, as a record holds it, is meant."""
        return writer == str(self) if self.version else writer.partition("@")[0] == self.name

    def __str__(self) -> str:
        return f"{self.name}@{self.version}" if self.version else self.name
