"""Programs that tests run as processes of their own: they write to an index and say each step on stdout."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from vademecum.embeddings.text_index import TextIndex
from vademecum.embeddings.vector_index import VectorIndex


def say(line: str) -> None:
    """One line, at once."""
    print(line, flush=True)


def texts(file: str, name: str, count: str) -> None:
    """Put entries one by one, naming each once it is acknowledged."""
    index = TextIndex(Path(file))
    for number in range(int(count)):
        index.put("shared", [(f"{name}-{number}", f"entry {number} of {name}")])
        say(f"{name}-{number}")
    index.close()


def vectors(file: str, dimensions: str, exact_limit: str, count: str) -> None:
    """Save the same vectors again and again under rising sequence numbers, naming each once it is saved."""
    index = VectorIndex(int(dimensions), exact_limit=int(exact_limit))
    random = np.random.default_rng(1)
    index.put([str(n) for n in range(int(count))], random.normal(size=(int(count), int(dimensions))))
    sequence = 0
    while True:
        sequence += 1
        index.save(Path(file), sequence=sequence)
        say(str(sequence))


if __name__ == "__main__":
    {"texts": texts, "vectors": vectors}[sys.argv[1]](*sys.argv[2:])
