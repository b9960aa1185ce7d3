"""An inference model that a person supplies, run by the real runtime; and what is said where it is not one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.embeddings.tiny_nli import LABELS, write_model
from vademecum.embeddings.entailment import NLI_VARIABLE, OnnxEntailment, SuppliedEntailment, supplied
from vademecum.engine.formation.contradictions import Judge, Layer, Relation, Statement
from vademecum.engine.formation.thresholds import Thresholds
from vademecum.errors import ModelUnavailable

PREMISE = {"canoes": (0.0, 0.0, 6.0), "rivers": (6.0, 0.0, 0.0), "lakes": (0.0, 6.0, 0.0), "ponds": (0.0, 0.0, 6.0)}
HYPOTHESIS = {"kayaks": (0.0, 0.0, 6.0), "streams": (9.0, 0.0, 0.0), "ponds": (0.0, 0.0, 6.0)}
THRESHOLDS = Thresholds(0.95, 0.8, 0.5)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_model(tmp_path / "tiny-nli", PREMISE, HYPOTHESIS)


@pytest.mark.parametrize("labels", [LABELS, LABELS[::-1], ("neutral", "contradiction", "entailment")])
def test_the_labels_are_read_in_the_order_that_the_config_gives(tmp_path: Path, labels: tuple[str, ...]) -> None:
    model = OnnxEntailment.load(write_model(tmp_path / "m", PREMISE, HYPOTHESIS, labels))
    found = model("I like canoes", "I like kayaks")
    assert found.contradiction > 0.99
    assert sum(found) == pytest.approx(1.0)
    assert model("I like rivers", "nothing").entailment > 0.99
    assert model("I like lakes", "nothing").neutral > 0.99


def test_labels_may_be_written_in_capitals_and_in_full(folder: Path) -> None:
    spell(folder, {"0": "ENTAILMENT", "1": "Neutral", "2": "Contradictory"})
    assert OnnxEntailment.load(folder)("canoes", "kayaks").contradiction > 0.99


def test_the_judge_asks_it_in_both_directions_and_only_inside_the_band(folder: Path) -> None:
    judge = Judge(THRESHOLDS, OnnxEntailment.load(folder))
    old, new = Statement(text="the boat needs canoes"), Statement(text="the boat needs kayaks")
    inside = judge(old, new, 0.6)
    # one direction is a contradiction for certain, and the other says nothing
    assert (inside.relation, inside.layer) == (Relation.CONTRADICTS, Layer.NLI)
    assert inside.confidence == pytest.approx((1.0 + 1 / 3) / 2, abs=0.01)
    assert "tiny-nli" in inside.reasons[0]
    outside = judge(old, new, 0.4)
    assert (outside.relation, outside.layer) == (Relation.NEUTRAL, Layer.SIGNALS)
    ponds = Statement(text="the boat needs ponds")
    assert judge(ponds, Statement(text="the boat fears ponds"), 0.6).confidence > 0.99


def test_what_follows_in_one_direction_is_entailed_by_the_new_one(folder: Path) -> None:
    judge = Judge(THRESHOLDS, OnnxEntailment.load(folder))
    old, new = Statement(text="it flows through streams"), Statement(text="it flows through rivers")
    assert judge(old, new, 0.6).relation is Relation.ENTAILS


def test_structure_decides_before_it_is_asked(folder: Path) -> None:
    judge = Judge(THRESHOLDS, OnnxEntailment.load(folder))
    old, new = Statement("home.city", "canoes", "canoes"), Statement("home.city", "Canoes!", "kayaks")
    assert judge(old, new, 0.6).relation is Relation.DUPLICATE


def test_the_report_says_which_layers_are_on(folder: Path) -> None:
    assert Judge(THRESHOLDS).layers == ("structure", "signals")
    assert Judge(THRESHOLDS, OnnxEntailment.load(folder)).layers == ("structure", "signals", "nli (tiny-nli)")


def test_texts_of_any_kind_and_length_are_read(folder: Path) -> None:
    model = OnnxEntailment.load(folder)
    for text in ("", "\x00\ud800", "canoes " * 5_000, "x" * 100_000, "我吃素"):
        assert sum(model(text, text)) == pytest.approx(1.0)


def test_the_environment_names_the_folder_and_nothing_is_loaded_before_it_is_asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(NLI_VARIABLE, raising=False)
    assert supplied() is None
    monkeypatch.setenv(NLI_VARIABLE, str(folder))
    model = supplied()
    assert model is not None and model.name == "tiny-nli" and model is supplied()
    found = model("canoes", "kayaks")
    assert found is not None and found.contradiction > 0.99 and model.fault is None


def test_a_model_that_cannot_be_used_leaves_the_rules_alone_and_says_why(folder: Path) -> None:
    broken = SuppliedEntailment(folder / "nowhere")
    judge = Judge(THRESHOLDS, broken)
    verdict = judge(Statement(text="the boat needs canoes"), Statement(text="the boat needs kayaks"), 0.6)
    assert (verdict.relation, verdict.layer) == (Relation.NEUTRAL, Layer.SIGNALS)
    assert broken.fault is not None and "nowhere" in broken.fault and "is not there" in broken.fault
    assert judge.layers == ("structure", "signals")
    with pytest.raises(ModelUnavailable, match="is not a folder"):
        OnnxEntailment.load(folder / "nowhere")


def spell(folder: Path, labels: object) -> None:
    (folder / "config.json").write_text(json.dumps({"id2label": labels}), "utf-8")


@pytest.mark.parametrize(
    ("labels", "fault"),
    [
        ({"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}, "LABEL_0.*three, entailment, neutral and contradiction"),
        ({"0": "entailment", "1": "not_entailment"}, "not_entailment"),
        ({"0": "neutral", "1": "neutral", "2": "contradiction"}, "names its labels"),
        ({"0": 1, "1": None, "2": []}, "names its labels"),
        (["entailment", "neutral", "contradiction"], "has no id2label"),
        (None, "has no id2label"),
    ],
)
def test_labels_that_do_not_say_which_is_which_are_refused(folder: Path, labels: object, fault: str) -> None:
    spell(folder, labels)
    with pytest.raises(ModelUnavailable, match=fault) as refused:
        OnnxEntailment.load(folder)
    assert "config.json" in refused.value.message and NLI_VARIABLE in refused.value.message


@pytest.mark.parametrize("part", ["model.onnx", "tokenizer.json", "config.json"])
@pytest.mark.parametrize("damage", ["absent", "garbage"])
def test_a_missing_or_damaged_file_is_named(folder: Path, part: str, damage: str) -> None:
    (folder / part).unlink()
    if damage == "garbage":
        (folder / part).write_bytes(b"\x00\x01 garbage")
    with pytest.raises(ModelUnavailable, match=part):
        OnnxEntailment.load(folder)


def test_a_model_of_another_shape_is_refused(folder: Path, tmp_path: Path) -> None:
    write_model(tmp_path / "other", PREMISE, HYPOTHESIS, [*LABELS, "neutral"][:4])
    (folder / "model.onnx").write_bytes((tmp_path / "other" / "model.onnx").read_bytes())
    with pytest.raises(ModelUnavailable, match="does not give 3 numbers"):
        OnnxEntailment.load(folder)
    write_model(tmp_path / "pixels", PREMISE, HYPOTHESIS, inputs=["pixel_values"])
    with pytest.raises(ModelUnavailable, match="takes other inputs"):
        OnnxEntailment.load(tmp_path / "pixels")
