"""The measurement of recall, on a conversation small enough to know its answer."""

from __future__ import annotations

import json
from pathlib import Path

from bench.recall_quality import rows

TURNS = [
    ("t1", "Ann", "I adopted a grey kitten from the shelter."),
    ("t2", "Bo", "My car broke down on the motorway again."),
    ("t3", "Ann", "We are flying to Lisbon in June."),
]


def test_each_method_has_a_row_beside_its_floor(tmp_path: Path) -> None:
    conversation = {
        "conversation": "c",
        "turns": [{"id": entry, "speaker": speaker, "text": text} for entry, speaker, text in TURNS],
        "questions": [
            {"question": "Which pet does Ann have?", "category": 4, "evidence": ["t1"]},
            {"question": "Where will Ann travel in June?", "category": 2, "evidence": ["t3"]},
            {"question": "Never asked", "category": 5, "evidence": ["t2"]},
            {"question": "Without evidence", "category": 1, "evidence": ["gone"]},
        ],
    }
    data = tmp_path / "data.json"
    data.write_text(json.dumps([conversation]), "utf-8")
    measured = {row["name"]: row for row in rows(data)}
    hybrid = measured["locomo/recall@10/hybrid/overall"]
    assert hybrid.keys() == {"name", "value", "unit", "floor", "ratio", "target", "met"}
    assert hybrid["value"] == 100.0 and hybrid["unit"] == "%"
    assert measured["locomo/recall@10/bm25/overall"]["ratio"] == 1.0
    assert "locomo/recall@10/hybrid/multi-hop" not in measured
