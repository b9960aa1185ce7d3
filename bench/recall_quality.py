"""How many of the answers recall finds: turn-level recall on LoCoMo conversations, beside a BM25 floor.

    python -m bench.recall_quality DATA.json

``DATA`` is a list of ``{"conversation", "turns": [{"id", "speaker", "text"}], "questions": [{"question",
"category", "evidence": [turn ids]}]}``. Each conversation is a scope of its own, each turn an entry ``speaker: text``.
Of the questions of categories 1–4, a method's recall is the share of the evidence turns among its first ten (or five),
averaged over the questions. The speakers' names are given to ranking as known names, as a vault that holds the
conversation knows them.
"""

from __future__ import annotations

import json
import math
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from vademecum.embeddings.embedder import Embedder, OnnxEmbedder
from vademecum.embeddings.stopwords import STOP_WORDS
from vademecum.embeddings.text_index import TextIndex
from vademecum.embeddings.vector_index import VectorIndex
from vademecum.engine.ranking import CANDIDATES, fuse, meaning_query

from .measure import Row, at_least

__all__ = ["rows"]

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
METHODS = ("bm25", "fts5", "dense", "hybrid")
FLOOR = "bm25"
TARGET = 1.1
"""Hybrid's overall recall@10 as a multiple of BM25's."""
DEPTH = 10
Scores = dict[str, float]


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
    """One row per metric, method and category: recall@5, recall@10 and nDCG@10 in percent, floor BM25."""
    found: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    embedder = OnnxEmbedder.default()
    for conversation in json.loads(data.read_text("utf-8")):
        for category, evidence, rankings in _answers(conversation, embedder):
            for method, ranking in rankings.items():
                for metric, value in _metrics(ranking, evidence).items():
                    found[metric, method, "overall"].append(value)
                    found[metric, method, CATEGORIES[category]].append(value)
    means = {key: 100 * sum(values) / len(values) for key, values in found.items()}
    return [_row(means, *key) for key in means]


def _answers(conversation: Mapping[str, Any], embedder: Embedder) -> list[tuple[int, set[str], dict[str, list[str]]]]:
    texts = {turn["id"]: f"{turn['speaker']}: {turn['text']}" for turn in conversation["turns"]}
    names = {turn["speaker"] for turn in conversation["turns"]}
    questions = [
        (question["category"], question["question"], set(question["evidence"]) & texts.keys())
        for question in conversation["questions"]
        if question["category"] in CATEGORIES
    ]
    questions = [question for question in questions if question[2]]
    floor = Okapi(texts)
    vectors = VectorIndex(embedder.dimensions)
    vectors.put(list(texts), embedder.embed(list(texts.values())))
    asked = embedder.embed([meaning_query(question, names) for _, question, _ in questions])
    answers = []
    with tempfile.TemporaryDirectory() as folder:
        words = TextIndex(Path(folder) / "words.sqlite")
        words.put("conversation", texts.items())
        for (category, question, evidence), vector in zip(questions, asked, strict=True):
            lexical = dict(words.search("conversation", question, CANDIDATES))
            dense = dict(vectors.search(vector, CANDIDATES))
            hybrid = {entry: fit.score for entry, fit in fuse(dense, lexical).items()}
            scores = {"bm25": floor.search(question), "fts5": lexical, "dense": dense, "hybrid": hybrid}
            answers.append((category, evidence, {method: _best(scores[method]) for method in METHODS}))
        words.close()
    return answers


def _metrics(ranking: Sequence[str], evidence: set[str]) -> dict[str, float]:
    hits = [entry in evidence for entry in ranking]
    gain = sum(hit / math.log2(place + 2) for place, hit in enumerate(hits))
    ideal = sum(1 / math.log2(place + 2) for place in range(min(len(evidence), DEPTH)))
    return {
        "recall@5": sum(hits[:5]) / len(evidence),
        "recall@10": sum(hits) / len(evidence),
        "ndcg@10": gain / ideal,
    }


def _row(means: Mapping[tuple[str, str, str], float], metric: str, method: str, category: str) -> Row:
    judged = (metric, method, category) == ("recall@10", "hybrid", "overall")
    floor = means[metric, FLOOR, category]
    return at_least(
        f"locomo/{metric}/{method}/{category}",
        means[metric, method, category],
        "%",
        floor=floor,
        target=TARGET * floor if judged else None,
    )


def _best(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda entry: (-scores[entry], entry))[:DEPTH]


def _plain_words(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.lower()) if word not in STOP_WORDS]


def _table(measured: Sequence[Row], write: Callable[[str], object]) -> None:
    columns = ("overall", *CATEGORIES.values())
    values = {row["name"]: row["value"] for row in measured}
    write(f"{'':20}" + "".join(f"{column:>12}" for column in columns) + "\n")
    for metric in ("recall@5", "recall@10", "ndcg@10"):
        for method in METHODS:
            cells = (values[f"locomo/{metric}/{method}/{column}"] for column in columns)
            write(f"{metric + ' ' + method:20}" + "".join(f"{cell:12.1f}" for cell in cells) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m bench.recall_quality DATA.json")
    _table(rows(Path(sys.argv[1])), sys.stdout.write)
