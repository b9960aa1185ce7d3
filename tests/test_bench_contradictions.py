"""The bench of the judge: its pairs, its floor, and the thresholds that it calibrates."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bench import calibrate, formation_contradictions, formation_preferences
from bench.calibrate import calibrated
from bench.formation_preferences import HELD_OUT, TUNING, pairs
from vademecum.engine.formation.thresholds import CAUTIOUS


def test_pairs_that_nobody_tuned_on_are_judged_well_and_far_better_than_by_cosine() -> None:
    rows = {row["name"].rpartition("preferences/")[2]: row for row in formation_preferences.rows()}
    f1 = rows["held-out/f1"]
    assert f1["met"] is True and f1["value"] >= 0.9
    assert f1["floor"] is not None and f1["floor"] < 0.8
    assert rows["held-out/precision"]["value"] >= 0.95


def test_there_are_enough_pairs_and_none_is_in_both_files() -> None:
    held_out, tuning = list(pairs(HELD_OUT)), list(pairs(TUNING))
    assert len(held_out) >= 60 and len(held_out) + len(tuning) >= 120
    assert not {pair[:2] for pair in held_out} & {pair[:2] for pair in tuning}
    for group in (held_out, tuning):
        assert 0.4 < sum(pair.contradicts for pair in group) / len(group) < 0.6
        assert {pair.group for pair in group} == {"en", "de", "es", "fr", "zh", "ja"}


def test_sick_is_measured_by_its_judgments(tmp_path: Path) -> None:
    made_up = [
        {"a": "A man is slicing a potato", "b": "A man is not slicing a potato", "judgment": "CONTRADICTION"},
        {"a": "A man is slicing a potato", "b": "A man is cutting a potato", "judgment": "ENTAILMENT"},
        {"a": "There is no dog in the yard", "b": "A dog is in the yard", "judgment": "CONTRADICTION"},
        {"a": "A dog is in the yard", "b": "A woman is singing", "judgment": "NEUTRAL"},
    ]
    (tmp_path / "sick_dev.json").write_text(json.dumps(made_up))
    rows = {row["name"]: row for row in formation_contradictions.rows(tmp_path / "sick_dev.json")}
    assert rows["formation/sick/f1"]["value"] == 1.0
    assert rows["formation/sick/f1"]["floor"] < 1.0  # type: ignore[operator]


def test_calibrating_finds_where_precision_and_f1_are_best() -> None:
    cosine = np.linspace(0.0, 1.0, 1001)
    score = np.where(cosine >= 0.9, 5.0, np.where(cosine >= 0.6, 3.5, 1.0))
    found = calibrated(cosine, score, np.linspace(0.42, 0.9, 100))
    # nine of ten above 0.889 are above 0.9
    assert found.duplicate == pytest.approx(0.89, abs=0.011)
    assert found.related == pytest.approx(0.6, abs=0.011)
    assert found.band == 0.4


def test_where_no_cosine_tells_a_duplicate_the_cautious_threshold_stands() -> None:
    cosine = np.linspace(0.0, 1.0, 101)
    found = calibrated(cosine, np.zeros(101), np.array([0.7]))
    assert found.duplicate == CAUTIOUS.duplicate


def test_calibrating_prints_the_line_of_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = [
        ("I have a dog", "I own a dog", 5.0),
        ("I have a dog", "It rains in Oslo", 0.0),
        ("Hello", "Hello there", 4.0),
    ]
    (tmp_path / "sts_dev.json").write_text(
        json.dumps([{"lang": "en", "a": a, "b": b, "score": score} for a, b, score in said])
    )
    (tmp_path / "sick_dev.json").write_text(
        json.dumps([{"a": "A man runs", "b": "A man does not run", "judgment": "CONTRADICTION"}])
    )
    names = {row["name"] for row in calibrate.rows(tmp_path)}
    assert {"calibrate/duplicate", "calibrate/related", "calibrate/band", "calibrate/spearman/en"} <= names
    assert '"all-MiniLM-L6-v2-int8": Thresholds(' in capsys.readouterr().err
