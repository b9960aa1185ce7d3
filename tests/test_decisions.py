"""The set of write decisions: that each case says what it means, and that what may never happen does not."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bench.formation_decisions import RIGHT, Case, Result, cases, in_memory, run
from vademecum.engine.formation.attributes import attribute_of
from vademecum.engine.formation.report import What

CASES = list(cases())
KEYS = {
    "name", "language", "before", "talk", "holds", "lacks", "allows", "flagged_instead", "unflagged", "nowhere",
    "decision",
}  # fmt: skip


def test_the_set_is_wide_enough() -> None:
    assert len({case.id for case in CASES}) == len(CASES) >= 80
    languages = Counter(case.given["language"] for case in CASES)
    assert languages.keys() == {"en", "de", "es", "fr", "zh", "ja"}
    assert min(languages.values()) >= 10
    assert len({case.category for case in CASES}) >= 12


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_case_says_what_it_means(case: Case) -> None:
    assert case.given.keys() <= KEYS
    for wanted in (*case.given.get("holds", ()), *case.given.get("lacks", ()), *case.given.get("allows", ())):
        assert wanted.keys() <= {"under", "scope", "value", "mentions"}
        for path in [wanted["under"]] if isinstance(wanted["under"], str) else wanted["under"]:
            assert attribute_of(path) or path in ("home", "work")
    assert set(case.given.get("decision", ())) <= {str(what) for what in What}


@pytest.fixture(scope="module")
def results() -> Iterator[list[Result]]:
    with tempfile.TemporaryDirectory(dir=in_memory()) as folder:
        yield [run(case, Path(folder) / str(number)) for number, case in enumerate(CASES)]


def test_nothing_that_the_person_wrote_is_ever_changed(results: list[Result]) -> None:
    assert [one.case.id for one in results if one.overwritten] == []


def test_nothing_comes_of_injections(results: list[Result]) -> None:
    assert {one.case.id: one.wrong for one in results if one.case.category == "injected" and one.wrong} == {}


def test_the_right_decision_is_made_without_a_model(results: list[Result]) -> None:
    wrong = {one.case.id: one.wrong for one in results if one.wrong}
    assert len(wrong) <= (1 - RIGHT) * len(results), wrong


def test_a_wrong_decision_would_be_noticed(tmp_path: Path) -> None:
    """The comparison itself: the same talk with other expectations is wrong in each of the ways there are."""
    case = next(case for case in CASES if case.id == "superseding/moved")
    for number, (other, wrong) in enumerate(
        [
            ({"holds": [{"under": "home.city", "value": ["Rome"]}]}, "there is no home.city: Rome"),
            ({"lacks": [{"under": "home.city"}]}, "there is home.city = 'Munich'"),
            ({"holds": []}, "home.city = 'Munich' was learned"),
            ({"nowhere": ["munich"]}, "'munich' was kept"),
            ({"decision": ["suggestion"]}, "not suggestion"),
        ]
    ):
        result = run(replace(case, given=case.given | other), tmp_path / str(number))
        assert any(wrong in one for one in result.wrong), result.wrong
