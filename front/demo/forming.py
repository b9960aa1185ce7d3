"""Memories that form by themselves: a hypothesis that graduates, a contradiction, a budget that is full."""

from __future__ import annotations

from typing import Any

from rich.markup import escape

from .cast import Cast
from .processes import DeviceProcess
from .scenes import BEDS, EATS, RAIL
from .screen import Screen, Step
from .story import Story
from .telling import clip

__all__ = ["form"]

SIGNS = (
    ("laptop", RAIL, "booking-the-outward-journey", "Let's go with the quiet car."),
    ("phone", RAIL, "changing-in-paris", "I'll take the quiet car again."),
    ("phone", RAIL, "the-way-back", "I'll go with the quiet car again."),
)
"""Said in three conversations, on two devices that are apart. None of them says what Noor prefers."""
EXPLICIT = "I'm allergic to shellfish."
BEFORE, AFTER = "I prefer a window seat.", "Actually, I prefer an aisle seat now."
QUIET, WINDOW, AISLE = "preferences.quiet-car", "preferences.window-seat", "preferences.aisle-seat"
SHELLFISH = "allergies.shellfish"


def form(screen: Screen, cast: Cast, story: Story) -> None:
    laptop, phone = cast.both
    screen.chapter(
        "Memories form, and earn their place",
        "Agents log what Noor says, and nothing more. A curator thinks later: by rules, with no network and no model.",
    )
    _graduate(screen, cast)
    _contradict(screen, cast)
    _fill(screen, cast)
    screen.check(cast.same_trees(laptop, phone), "both devices hold the same memories again")


def _sweep(screen: Screen, device: DeviceProcess, rows: list[list[str]]) -> dict[str, Any]:
    answer = device.ask("sweep")
    screen.step(Step(f"curate {answer.value['signals']} messages", device.name, answer.seconds))
    for one in answer.value["outcomes"]:
        rows.append([device.name, one["what"], escape(one["path"] or ""), f"[dim]{escape(clip(one['why'], 100))}[/]"])
    return dict(answer.value)


def _graduate(screen: Screen, cast: Cast) -> None:
    laptop, phone = cast.both
    devices = {"laptop": laptop, "phone": phone}
    for where, agent, session, words in SIGNS:
        devices[where].ask("talk", agent=agent, session=session, text=words)
    for device in cast.both:
        device.ask("talk", agent=EATS, session=f"dinner-{device.name}", text=EXPLICIT)
    rows: list[list[str]] = []
    for device in cast.both:
        _sweep(screen, device, rows)
    seen = [one for device in cast.both for one in device.ask("hypotheses").value if one["path"] == QUIET]
    screen.check(
        [one["sightings"] for one in seen] == [1, 2],
        "each device has seen a sign of one habit, the laptop once and the phone twice; that is not enough",
    )
    for device in (laptop, phone, laptop):
        cast.sync(device, "exchange what was seen")
    graduated = _sweep(screen, laptop, rows)
    cast.sync(laptop, "send what graduated")
    cast.sync(phone, "fetch what graduated")
    screen.table(["curated on", "outcome", "memory", "why"], rows)
    screen.check(graduated["graduated"] == 1, "together they have seen it often enough: the hypothesis graduates")
    quiet = phone.ask("why", path=QUIET).value
    screen.check(
        {one["text"].rstrip(".") for one in quiet["receipts"]} == {words.rstrip(".") for *_, words in SIGNS},
        "the phone quotes all three sayings as its receipts",
    )
    shellfish = laptop.ask("why", path=SHELLFISH).value
    screen.check(
        len({one["session"] for one in shellfish["receipts"]}) == 2,
        "the allergy that both heard is one memory, with a receipt from each",
    )


def _contradict(screen: Screen, cast: Cast) -> None:
    laptop = cast.laptop
    rows: list[list[str]] = []
    for session, words in (("seats-in-april", BEFORE), ("seats-in-may", AFTER)):
        laptop.ask("talk", agent=RAIL, session=session, text=words)
        _sweep(screen, laptop, rows)
    screen.table(["curated on", "outcome", "memory", "why"], rows)
    old = laptop.ask("leaf", path=WINDOW).value
    screen.check(
        AISLE in (old.get("contradicted_by") or ""), "the old preference is flagged by the new one, and it is kept"
    )
    found = [one["path"] for one in laptop.ask("recall", question="Which seat does she prefer?", k=10).value["results"]]
    screen.check(
        AISLE in found and (WINDOW not in found or found.index(AISLE) < found.index(WINDOW)),
        "asked for the seat, it tells the new one first",
    )


def _fill(screen: Screen, cast: Cast) -> None:
    laptop, phone = cast.both
    closed = laptop.ask("close_budget").value
    words = "Somewhere with a bath, if we can."
    refusal = laptop.ask("refused", agent=BEDS, path="rooms.bath", value="with a bath", because=words).value
    shown = [one for one in refusal.get("entries", []) if one["id"].endswith((WINDOW, AISLE))]
    if refusal:
        screen.panel(
            f"what beds/keeper is told at {closed['used']} of {closed['limit']}",
            [
                escape(refusal["message"]),
                *(f"[dim]{escape(one['id'])}: “{escape(clip(one['text']))}”[/]" for one in shown),
            ],
        )
    screen.check(
        refusal.get("code") == "budget-exceeded" and len(shown) == 2,
        "the budget is full: nothing is put out, and the agent is told what is there and the ways to make room",
    )
    laptop.ask(
        "consolidate",
        agent=BEDS,
        ids=[one["id"] for one in shown],
        path=AISLE,
        value="prefers",
        because=AFTER,
    )
    found_room = laptop.ask("refused", agent=BEDS, path="rooms.bath", value="with a bath", because=words).value == {}
    screen.check(found_room, "two memories about seats became one, and there is room again")
    cast.sync(laptop, "send what it made of them")
    cast.sync(phone, "fetch what it made of them")
