"""How often the rule distiller speaks on everyday talk, how often it is right, and how fast it is.

Every turn of the conversations (`bench.recall_quality` says their form) is taken as a message of the person, so both
speakers of a dialogue are the person in turn. Talk between friends holds few statements of the kind that the rules
look for, and much that resembles them.

Precision is by hand: `formation_rules.json` has a verdict for each candidate of a sample drawn with a fixed seed (of
all, where there are no more than the sample holds), under a hash of message, path and value; no text of the data is
kept. *Good* is a candidate that a careful person would have noted down from that message, and that says no more than
was said. Candidates that nobody has judged are counted and left out.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from vademecum.engine.formation.candidates import Candidate, Message, Strength
from vademecum.engine.formation.rules import RuleDistiller

from .measure import Row, at_least, at_most, seconds

__all__ = ["DATA", "key", "rows", "sample"]

DATA = "locomo_dev.json"
VERDICTS = Path(__file__).with_suffix(".json")
SAMPLE = 100
SEED = 7
RATE = 3.0
"""Percent of messages that may become memories."""
PRECISION = 0.9

verbose = False
"""Whether `rows` prints the sample with its verdicts on stderr."""


def rows(file: Path) -> list[Row]:
    texts = _texts(file)
    found: list[tuple[str, Candidate]] = []
    took = seconds(lambda: found.extend(_candidates(texts)))
    speaking = {text for text, one in found if one.strength is Strength.EXPLICIT}
    verdicts = json.loads(VERDICTS.read_text(encoding="utf-8"))
    drawn = sample(found)
    judged = [verdicts[key(text, one)] for text, one in drawn if key(text, one) in verdicts]
    if verbose:
        for text, one in drawn:
            verdict = {True: "good", False: "bad", None: "?"}[verdicts.get(key(text, one))]
            sys.stderr.write(f"{verdict:5} {one.action} {one.path} = {one.value!r}   {one.quote}\n")
    return [
        at_most("formation/rules/memories", 100 * len(speaking) / len(texts), "% of messages", target=RATE),
        at_least("formation/rules/precision", sum(judged) / len(judged), "share", target=PRECISION),
        at_most("formation/rules/not judged", len(drawn) - len(judged), f"of {len(drawn)} drawn", target=0),
        at_least("formation/rules/speed", len(texts) / took, "messages/s", target=None),
    ]


def sample(found: list[tuple[str, Candidate]]) -> list[tuple[str, Candidate]]:
    """The candidates that are to be judged, the same in every run over the same data and rules."""
    ordered = sorted(found, key=lambda pair: key(*pair))
    return ordered if len(ordered) <= SAMPLE else random.Random(SEED).sample(ordered, SAMPLE)


def key(text: str, candidate: Candidate) -> str:
    words = "\x00".join((text, candidate.path, repr(candidate.value), candidate.action))
    return hashlib.sha256(words.encode()).hexdigest()[:16]


def _texts(file: Path) -> list[str]:
    return [turn["text"] for talk in json.loads(file.read_text(encoding="utf-8")) for turn in talk["turns"]]


def _candidates(texts: list[str]) -> Iterator[tuple[str, Candidate]]:
    distiller = RuleDistiller()
    for text in texts:
        message = Message("session/talk:1", "user", text, 0)
        for candidate in distiller.distil([message], (), ()).candidates:
            yield text, candidate
