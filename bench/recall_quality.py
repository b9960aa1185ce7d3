"""How many of the answers recall finds: turn-level recall on LoCoMo conversations, beside a BM25 floor.

    python -m bench recall --data DATA.json
    python -m bench.recall_quality DATA.json [--held-out]

``DATA`` is a list of ``{"conversation", "turns": [{"id", "session", "at", "speaker", "text"}], "questions":
[{"question", "category", "evidence": [turn ids]}]}``. Each conversation is imported into a vault of its own, as a
person would import it, and every question is asked of that vault. A method's recall is the share of the evidence turns
among its first ten (or five), averaged over the questions; ``overall`` is categories 1–4.

==========  ==========================================================================================
``bm25``    textbook BM25 over the turns: the floor
``fts5``    the vault's text index alone
``dense``   the vault's sentence model alone, the speakers' names taken out of the question
``hybrid``  `Vault.recall`
==========  ==========================================================================================
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from vademecum import Vault
from vademecum.embeddings.stopwords import STOP_WORDS
from vademecum.engine.indexing import parse_entry_id
from vademecum.engine.question import meaning_query
from vademecum.engine.scopes import session_scope
from vademecum.engine.slots import SlotMap
from vademecum.engine.weights import PLAIN, Weights
from vademecum.importers import transcript
from vademecum.importers.batches import write_all

from .measure import Row, at_least

__all__ = ["rows"]

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
OVERALL = "overall"
JUDGED = (1, 2, 3, 4)
"""Categories of which the overall value is the mean; the fifth asks for what was never said."""
METHODS = ("bm25", "fts5", "dense", "hybrid")
METRICS = ("recall@5", "recall@10", "ndcg@10", "mrr")
FLOOR = "bm25"
ABOVE_BM25 = 12.0
ABOVE_FTS5 = 8.0
"""Percentage points of overall recall@10 that hybrid must find more."""
DEPTH = 10
UNDATED = "2023-01-01T12:00:00Z"
"""When a turn was said whose file does not tell."""
Scores = dict[str, float]

STEPS: Mapping[str, Weights] = {
    "words and meaning": PLAIN,
    "+ turns around": replace(PLAIN, previous=0.2, after_question=0.5, following=0.2),
    "+ sitting": replace(PLAIN, previous=0.2, after_question=0.5, following=0.2, sitting=0.2),
    "+ speaker": replace(Weights(), other_time=1.0),
}
"""What recall is made of, each with all before it; the last step, time, makes it what it is."""
LAST_STEP = "+ time"
GRID: Mapping[str, Sequence[float]] = {
    "previous": (0.0, 0.1, 0.2, 0.3),
    "after_question": (0.2, 0.35, 0.5, 0.65),
    "following": (0.0, 0.1, 0.2, 0.3),
    "sitting": (0.0, 0.1, 0.2, 0.4),
    "other_speaker": (0.3, 0.5, 0.7, 1.0),
    "other_time": (0.5, 0.7, 0.85, 1.0),
}
"""Values that each weight is tried with when one conversation is held out."""


class Question(NamedTuple):
    text: str
    category: int
    evidence: frozenset[str]


class Filled(NamedTuple):
    """A conversation in its vault."""

    vault: Vault
    scope: str
    texts: dict[str, str]
    questions: list[Question]
    speakers: set[str]


class Okapi:
    """The floor: BM25 as in textbooks (k1 1.2, b 0.75) over lowercase words without stop words."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._counts = {entry: Counter(_plain_words(text)) for entry, text in texts.items()}
        self._having = Counter(word for counts in self._counts.values() for word in counts)
        self._mean = sum(counts.total() for counts in self._counts.values()) / max(len(self._counts), 1)

    def search(self, query: str) -> Scores:
        """Score by id of all that share a word with the query."""
        scores: Scores = defaultdict(float)
        for word in set(_plain_words(query)):
            rarity = math.log(1 + (len(self._counts) - self._having[word] + 0.5) / (self._having[word] + 0.5))
            for entry, counts in self._counts.items():
                if times := counts[word]:
                    length = 1.2 * (0.25 + 0.75 * counts.total() / self._mean)
                    scores[entry] += rarity * times * 2.2 / (times + length)
        return scores


def rows(data: Path) -> list[Row]:
    """One row per metric, method and category, in percent, the floor BM25's; then what each step of recall adds."""
    found: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    steps: dict[str, list[float]] = defaultdict(list)
    for filled in conversations(data):
        for question, rankings in _answers(filled):
            for method, ranking in rankings.items():
                for metric, value in measured(ranking, question.evidence).items():
                    found[metric, method, CATEGORIES[question.category]].append(value)
                    if question.category in JUDGED:
                        found[metric, method, OVERALL].append(value)
        for step, weights in STEPS.items():
            steps[step] += recalled(filled, weights)
    means = {key: 100 * sum(values) / len(values) for key, values in found.items()}
    steps[LAST_STEP] = found["recall@10", "hybrid", OVERALL]
    columns = [column for column in (OVERALL, *CATEGORIES.values()) if (METRICS[0], FLOOR, column) in means]
    return [
        *(_row(means, metric, method, column) for metric in METRICS for method in METHODS for column in columns),
        *(
            at_least(f"locomo-steps/recall@10/{step}", 100 * sum(values) / len(values), "%", target=None)
            for step, values in steps.items()
            if values
        ),
    ]


def conversations(data: Path) -> Iterator[Filled]:
    """Each conversation of the file in a vault of its own, its vectors made; the vault is closed with the next."""
    for conversation in json.loads(data.read_text("utf-8")):
        with _filled(conversation) as filled:
            yield filled


@contextmanager
def _filled(conversation: Mapping[str, Any]) -> Iterator[Filled]:
    texts = {turn["id"]: f"{turn['speaker']}: {turn['text']}" for turn in conversation["turns"]}
    questions = [
        Question(one["question"], one["category"], frozenset(one["evidence"]) & texts.keys())
        for one in conversation["questions"]
        if one["category"] in CATEGORIES
    ]
    turns = [{"at": UNDATED, **turn} for turn in conversation["turns"]]
    turns_only = json.dumps([{"conversation": conversation["conversation"], "turns": turns}])
    with tempfile.TemporaryDirectory() as folder, Vault.create(Path(folder) / "vault") as vault:
        write_all(vault.replica, transcript.read(turns_only, "the conversation"))
        vault.index()
        yield Filled(
            vault,
            session_scope(transcript.segment_of(conversation["conversation"])),
            texts,
            [question for question in questions if question.evidence],
            {turn["speaker"] for turn in conversation["turns"]},
        )


def _answers(filled: Filled) -> Iterator[tuple[Question, dict[str, list[str]]]]:
    recall = filled.vault.recalling()
    floor = Okapi(filled.texts)
    names = {word for speaker in filled.speakers for word in speaker.split()}
    for question in filled.questions:
        words = recall.indexer.text.search_scopes([filled.scope], question.text, DEPTH)
        yield (
            question,
            {
                "bm25": _best(floor.search(question.text)),
                "fts5": [parse_entry_id(entry)[1] for _, entry, _ in words],
                "dense": recall.nearest(filled.scope, meaning_query(question.text, names), DEPTH, SlotMap.MESSAGES)
                or [],
                "hybrid": [one.path for one in filled.vault.recall(question.text, DEPTH)],
            },
        )


def recalled(filled: Filled, weights: Weights) -> list[float]:
    """recall@10 of each question that is judged, with *weights* in place of the product's."""
    recall = filled.vault.recalling()
    kept, recall.weights = recall.weights, weights
    try:
        return [
            measured([one.path for one in filled.vault.recall(question.text, DEPTH)], question.evidence)["recall@10"]
            for question in filled.questions
            if question.category in JUDGED
        ]
    finally:
        recall.weights = kept


def measured(ranking: Sequence[str], evidence: frozenset[str]) -> dict[str, float]:
    """Each metric, 0–1, of the first ten of a ranking."""
    hits = [entry in evidence for entry in ranking[:DEPTH]]
    gain = sum(hit / math.log2(place + 2) for place, hit in enumerate(hits))
    ideal = sum(1 / math.log2(place + 2) for place in range(min(len(evidence), DEPTH)))
    return {
        "recall@5": sum(hits[:5]) / len(evidence),
        "recall@10": sum(hits) / len(evidence),
        "ndcg@10": gain / ideal,
        "mrr": next((1 / place for place, hit in enumerate(hits, 1) if hit), 0.0),
    }


def _row(means: Mapping[tuple[str, str, str], float], metric: str, method: str, category: str) -> Row:
    judged = (metric, method, category) == ("recall@10", "hybrid", OVERALL)
    floor = means[metric, FLOOR, category]
    return at_least(
        f"locomo/{metric}/{method}/{category}",
        means[metric, method, category],
        "%",
        floor=floor,
        target=max(floor + ABOVE_BM25, means[metric, "fts5", category] + ABOVE_FTS5) if judged else None,
    )


def _best(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda entry: (-scores[entry], entry))[:DEPTH]


def _plain_words(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.lower()) if word not in STOP_WORDS]


def _table(measured: Sequence[Row], write: Callable[[str], object]) -> None:
    values = {row["name"]: row["value"] for row in measured}
    columns = [column for column in (OVERALL, *CATEGORIES.values()) if f"locomo/mrr/bm25/{column}" in values]
    write(f"{'':20}" + "".join(f"{column:>12}" for column in columns) + "\n")
    for metric in METRICS:
        for method in METHODS:
            cells = (values[f"locomo/{metric}/{method}/{column}"] for column in columns)
            write(f"{metric + ' ' + method:20}" + "".join(f"{cell:12.1f}" for cell in cells) + "\n")
    for name, value in values.items():
        if name.startswith("locomo-steps/"):
            write(f"{name.rpartition('/')[2]:20}{value:12.1f}\n")


def _held_out(data: Path, write: Callable[[str], object]) -> None:
    """For each conversation: recall@10 with the shipped weights, and with those that are best on all the others.

    One weight at a time is changed. If what the others prefer gained on the one held out, the shipped weights would be
    wrong; if it gains nothing, they are as good as any that could be learned from so few conversations.
    """
    tried = {"shipped": Weights()}
    for name, values in GRID.items():
        tried |= {f"{name} {value}": replace(Weights(), **{name: value}) for value in values}
    found: dict[str, dict[str, float]] = {}
    for filled in conversations(data):
        scores = {label: recalled(filled, weights) for label, weights in tried.items()}
        found[filled.scope] = {label: 100 * sum(values) / len(values) for label, values in scores.items()}
    write(f"{'held out':24}{'plain':>8}{'shipped':>9}{'chosen':>8}  chosen on the others\n")
    for scope, values in found.items():
        others = [other for name, other in found.items() if name != scope]
        best = max(tried, key=lambda label: sum(other[label] for other in others))
        write(f"{scope:24}{'':8}{values['shipped']:9.1f}{values[best]:8.1f}  {best}\n")
    for label in tried:
        write(f"{label:24}{sum(values[label] for values in found.values()) / len(found):8.1f}\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.recall_quality")
    parser.add_argument("data", type=Path)
    parser.add_argument("--held-out", action="store_true", help="judge the weights, each conversation held out in turn")
    chosen = parser.parse_args()
    if chosen.held_out:
        _held_out(chosen.data, sys.stdout.write)
    else:
        _table(rows(chosen.data), sys.stdout.write)
