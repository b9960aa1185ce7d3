"""How well contradictions are told on SICK, without an inference model, beside cosine alone.

``sick_dev.json`` is a list of ``{"a", "b", "judgment"}``. The rules were made while looking at the pairs in even places
only; ``f1/odd`` is how well they do on pairs that nobody looked at.
"""

from __future__ import annotations

import json
from pathlib import Path

from .judging import Pair, judged, rows_of
from .measure import Row

__all__ = ["DATA", "rows"]

DATA = "sick_dev.json"
TARGET = 0.7
verbose = False


def rows(data: Path) -> list[Row]:
    pairs = [
        Pair(pair["a"], pair["b"], pair["judgment"] == "CONTRADICTION", "odd" if place % 2 else "even")
        for place, pair in enumerate(json.loads(data.read_text("utf-8")))
    ]
    return rows_of("formation/sick", judged(pairs, verbose=verbose), TARGET)
