"""The attributes that memories about a person have: where they stand, how many values each has, and who may read them.

An attribute of *one* value is a leaf (``home.city``): another value replaces the one before. One of *many* values is a
subtree with a leaf for each (``allergies.peanuts``): values stand side by side, and devices that each learn one keep
both. Paths that are not listed here have one value, unless they lie below one of many.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["ATTRIBUTES", "Attribute", "attribute_of", "is_private", "is_single"]


class Attribute(NamedTuple):
    """``many``: whether its values stand side by side. ``private``: learned into ``user.private``, and granted to the
    agent that heard it. ``kind``: what such a memory is about (see `records.KINDS`).
    """

    path: str
    kind: str
    many: bool = False
    private: bool = False


_ALL = (
    Attribute("name", "identity"),
    Attribute("nickname", "identity"),
    Attribute("pronouns", "identity"),
    Attribute("birthday", "identity"),
    Attribute("age", "fact"),
    Attribute("email", "identity", private=True),
    Attribute("phone", "identity", private=True),
    Attribute("address", "identity", private=True),
    Attribute("nationality", "identity"),
    Attribute("languages", "identity", many=True),
    Attribute("home.city", "fact"),
    Attribute("home.region", "fact"),
    Attribute("home.country", "fact"),
    Attribute("home.timezone", "fact"),
    Attribute("work.employer", "fact"),
    Attribute("work.role", "fact"),
    Attribute("work.project", "project", many=True),
    Attribute("family", "identity", many=True),  # family.<relation>
    Attribute("pets", "fact", many=True),
    Attribute("diet", "preference"),
    Attribute("allergies", "identity", many=True),
    Attribute("health", "fact", many=True, private=True),
    Attribute("finances", "fact", many=True, private=True),
    Attribute("beliefs", "identity", many=True, private=True),
    Attribute("preferences", "preference", many=True),  # preferences.<thing> = likes, prefers, dislikes, avoids …
    Attribute("choices", "preference"),  # choices.<topic> = the one thing of its kind, such as choices.test-runner
    Attribute("rules", "preference", many=True),  # always and never
    Attribute("routines", "behaviour", many=True),
    Attribute("skills", "skill", many=True),
    Attribute("tools", "technical", many=True),
    Attribute("goals", "project", many=True),
    Attribute("today", "context", many=True),
    Attribute("notes", "fact", many=True),  # remember that …
)

ATTRIBUTES: dict[str, Attribute] = {attribute.path: attribute for attribute in _ALL}


def attribute_of(path: str) -> Attribute | None:
    """The attribute that *path* belongs to: the longest listed path at or above it, or None."""
    while path:
        found = ATTRIBUTES.get(path)
        if found is not None:
            return found
        path = path.rpartition(".")[0]
    return None


def is_single(path: str) -> bool:
    """Whether another value at *path* takes the place of this one. True for every leaf; false for the attribute of
    many values itself, whose list may grow.
    """
    found = ATTRIBUTES.get(path)
    return found is None or not found.many


def is_private(path: str) -> bool:
    """Whether what is learned at *path* is for the person and the agent that heard it, and for nobody else."""
    found = attribute_of(path)
    return found is not None and found.private
