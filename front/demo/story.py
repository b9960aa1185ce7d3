"""What the demo tells of: conversations, each cut in two, and questions that only one half can answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from vademecum.importers import transcript
from vademecum.importers.files import read_text

__all__ = ["MAX_QUESTIONS", "Question", "Story", "load_story"]

MAX_QUESTIONS = 20
"""Questions that each device is asked."""
ADVERSARIAL = 5
"""In LoCoMo's files, the category of questions that no turn answers."""


@dataclass(frozen=True, slots=True)
class Question:
    """``evidence`` names the turns that answer it, as (session, message)."""

    text: str
    evidence: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Story:
    """Two halves, each a transcript, and the questions that only the *other* half can answer."""

    name: str
    halves: tuple[list[dict[str, Any]], list[dict[str, Any]]]
    questions: tuple[list[Question], list[Question]]

    def turns(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every turn of both halves with its conversation's name; some are in both."""
        for half in self.halves:
            for conversation in half:
                for turn in conversation["turns"]:
                    yield conversation["conversation"], turn

    def facts_of_one_half(self, half: int) -> set[str]:
        """Texts of the facts whose every turn only *half* has."""
        others = {(one["conversation"], turn["id"]) for one in self.halves[1 - half] for turn in one["turns"]}
        return {
            fact["text"]
            for one in self.halves[half]
            for fact in one["facts"]
            if others.isdisjoint((one["conversation"], identity) for identity in fact["evidence"])
        }


def load_story(file: Path | None) -> Story:
    """The transcript *file* cut in two; the project's own story by default. Raises `UnreadableFile`."""
    if file is None:
        name, text = "a short story", (files(__package__) / "story.json").read_text(encoding="utf-8")
    else:
        name, text = file.name, read_text(file)
    transcript.read(text, name)  # refuses what could not be imported
    conversations = json.loads(text)
    parts = [_cut(one) for one in conversations]
    return Story(
        name,
        ([first for first, _ in parts], [second for _, second in parts]),
        (_unseen(conversations, parts, 0), _unseen(conversations, parts, 1)),
    )


def _cut(conversation: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The earlier and the later turns. A fact goes with its last turn, and takes earlier ones along that it rests on:
    these are then imported on both devices, and must become one.
    """
    turns = conversation["turns"]
    middle = (len(turns) + 1) // 2
    early = {turn["id"] for turn in turns[:middle]}
    facts = conversation.get("facts", [])
    first = [fact for fact in facts if early.issuperset(fact["evidence"])]
    second = [fact for fact in facts if not early.issuperset(fact["evidence"])]
    needed = {identity for fact in second for identity in fact["evidence"]}
    name = conversation["conversation"]
    return (
        {"conversation": name, "turns": turns[:middle], "facts": first},
        {
            "conversation": name,
            "turns": [turn for turn in turns if turn["id"] not in early or turn["id"] in needed],
            "facts": second,
        },
    )


def _unseen(
    conversations: Sequence[dict[str, Any]], parts: Sequence[tuple[dict[str, Any], dict[str, Any]]], half: int
) -> list[Question]:
    """Questions, evenly spread, whose every answering turn the device with *half* has never seen."""
    found = []
    for conversation, part in zip(conversations, parts, strict=True):
        seen = {turn["id"] for turn in part[half]["turns"]}
        known = {turn["id"] for turn in conversation["turns"]}
        session = transcript.segment_of(conversation["conversation"])
        for text, evidence in _questions(conversation):
            if evidence and evidence <= known and not evidence & seen:
                found.append(Question(text, frozenset((session, identity) for identity in evidence)))
    step = max(1.0, len(found) / MAX_QUESTIONS)
    return [found[int(place * step)] for place in range(min(MAX_QUESTIONS, len(found)))]


def _questions(conversation: dict[str, Any]) -> Iterator[tuple[str, frozenset[str]]]:
    """The conversation's own questions; without any, its facts, which are then to be found by what they say."""
    asked = conversation.get("questions")
    if not isinstance(asked, list):
        asked = [{**fact, "question": fact["text"]} for fact in conversation.get("facts", [])]
    for one in asked:
        if not isinstance(one, dict) or one.get("category") == ADVERSARIAL:
            continue
        text, evidence = one.get("question"), one.get("evidence")
        if isinstance(text, str) and text.strip() and isinstance(evidence, list):
            yield text, frozenset(str(identity) for identity in evidence)
