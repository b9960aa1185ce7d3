"""How well contradictions are told among what people say of themselves, without a further model, beside cosine alone.

The pairs are the project's own, in six languages. Those in ``pairs_tuning.tsv`` the rules were made with; those in
``pairs_held_out.tsv`` were written before, and not looked at. Only the latter say how good the rules are.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .judging import Pair, judged, rows_of
from .measure import Row

__all__ = ["HELD_OUT", "TUNING", "pairs", "rows"]

HELD_OUT = Path(__file__).parent / "pairs_held_out.tsv"
TUNING = Path(__file__).parent / "pairs_tuning.tsv"
TARGET = 0.9
verbose = False


def rows() -> list[Row]:
    made = rows_of("formation/preferences/held-out", judged(list(pairs(HELD_OUT))), TARGET)
    tuned = judged(list(pairs(TUNING)), verbose=verbose)
    return made + rows_of("formation/preferences/tuning", tuned, TARGET)


def pairs(file: Path) -> Iterator[Pair]:
    for line in file.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            judgment, language, old, new = line.split("\t")
            yield Pair(old, new, judgment == "contradiction", language)
