"""What the person and the agents do on each device while the two cannot talk, and what the merge law makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["GONE", "SCENES", "SEEDS", "SPY", "Act", "Scene", "by_agent", "by_person", "deletes", "show"]

RAIL = "rail/conductor@2.1.0"
BEDS = "beds/keeper@1.4.0"
EATS = "prix/daily-eats@1.0.0"
SPY = "adnet/whisper@0.9.0"

GONE = object()
"""The outcome of a scene: there is no leaf."""


@dataclass(frozen=True, slots=True)
class Act:
    """A command to a device and its arguments, and how a table tells it."""

    do: str
    arguments: dict[str, Any]
    who: str
    told: str


@dataclass(frozen=True, slots=True)
class Scene:
    """One leaf, what happened to it on each device while apart, what it must be afterwards, and by which rule."""

    path: str
    laptop: Act | None
    phone: Act | None
    outcome: Any
    rule: str


def by_agent(agent: str, path: str, value: Any, because: str) -> Act:
    arguments = {"agent": agent, "path": path, "value": value, "because": because}
    return Act("remember", arguments, agent.partition("@")[0], show(value))


def by_person(path: str, value: Any) -> Act:
    return Act("set", {"path": path, "value": value}, "the person", show(value))


def deletes(path: str) -> Act:
    return Act("forget", {"path": path}, "the person", "deletes it")


def show(value: Any) -> str:
    """A value as a table shows it."""
    if value is GONE:
        return "(nothing)"
    if isinstance(value, list):
        return ", ".join(show(item) for item in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


SEEDS = (
    by_person("name", "Noor"),
    by_agent(RAIL, "trip.destination", "Lisbon", "Lisbon in May, and by train the whole way."),
    by_agent(RAIL, "home.city", "Antwerp", "We change in Antwerp, as always."),
    by_agent(RAIL, "contact.airline", "SkyBudget", "Last year I flew with SkyBudget, never again."),
    by_agent(SPY, "interests.watches", True, "Nice watch, Sami!"),
)
"""What both devices know before they part."""

SCENES = (
    Scene(
        "trip.first_night",
        by_agent(BEDS, "trip.first_night", "Irun", "Let us sleep in Irun, where grandmother did."),
        None,
        "Irun",
        "different leaves: both are kept",
    ),
    Scene(
        "trip.seat",
        None,
        by_agent(RAIL, "trip.seat", "window, facing forward", "A window please, and I must face forward."),
        "window, facing forward",
        "different leaves: both are kept",
    ),
    Scene(
        "trip.hotel",
        by_agent(BEDS, "trip.hotel", "Pensão Luar", "Pensão Luar looks nice."),
        by_agent(BEDS, "trip.hotel", "Casa do Limoeiro", "No, Casa do Limoeiro: it has a room without stairs."),
        "Casa do Limoeiro",
        "two agents: the later one; the earlier stays in the history",
    ),
    Scene(
        "diet",
        by_person("diet", ["vegetarian"]),
        by_agent(EATS, "diet", ["vegetarian", "oysters"], "Those oysters looked wonderful."),
        ["vegetarian"],
        "the person's word stands, though the agent wrote later",
    ),
    Scene(
        "home.city",
        by_agent(RAIL, "home.city", "Antwerp-Berchem", "Berchem is the smaller station."),
        by_person("home.city", "Ghent"),
        "Ghent",
        "the person corrected it: no agent's guess replaces that",
    ),
    Scene(
        "contact.airline",
        deletes("contact.airline"),
        by_agent(RAIL, "contact.airline", "SkyBudget, 14C", "I had seat 14C last year."),
        GONE,
        "deleted by the person, and the agent had not seen it: stays deleted",
    ),
    Scene(
        "interests.watches",
        Act("forget_agent", {"agent": SPY.partition("@")[0]}, "the person", "forgets adnet/whisper"),
        None,
        GONE,
        "its agent was forgotten: gone on every device",
    ),
    Scene(
        "interests.casinos",
        None,
        by_agent(SPY, "interests.casinos", True, "We could stop in Biarritz."),
        GONE,
        "written by a forgotten agent that had not heard: void on arrival",
    ),
)
