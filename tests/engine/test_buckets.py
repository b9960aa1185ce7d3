"""What a new memory does to those near it: the same is confirmed, the related linked, the contradicted flagged and
kept, and all others are left alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from tests.engine.box import Box, boxes
from tests.engine.talking import Proposing, say
from vademecum.embeddings.words import text_words
from vademecum.engine.formation import hypotheses, signals, suggestions
from vademecum.engine.formation.candidates import Candidate, Strength
from vademecum.engine.formation.contradictions import Judge, Layer, Relation, Statement, Verdict
from vademecum.engine.formation.curator import Curator
from vademecum.engine.formation.links import Link, LinkType, flagged, links_of
from vademecum.engine.formation.report import Report, What
from vademecum.engine.formation.thresholds import Thresholds
from vademecum.engine.sentences import sentence
from vademecum.engine.sight import Sight

THRESHOLDS = Thresholds(duplicate=0.95, related=0.5, band=0.3)


class Words:
    """An embedder in which a text means its words, each as often as it has it."""

    model_id = "words"

    def __init__(self, box: Box) -> None:
        self._box = box
        self.asked: list[int] = []

    def nearest(self, scope: str, text: str, k: int) -> list[str]:
        with self._box.replica.read() as view:
            found = [(path, record.sentence or sentence(path, record.value)) for path, record in view.leaves(scope)]
        return [path for path, said in sorted(found, key=lambda one: -_cosine(text, one[1]))[:k]]

    def similarities(self, text: str, others: Sequence[str]) -> list[float]:
        self.asked.append(len(others))
        return [_cosine(text, other) for other in others]


def _cosine(one: str, other: str) -> float:
    a, b = (Counter(text_words(text).split()) for text in (one, other))
    shared = sum(a[word] * b[word] for word in a)
    return shared / sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values()))


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    with boxes(tmp_path, 1) as (only_one,):
        yield only_one


def tell(
    box: Box,
    path: str,
    value: Any,
    said: str,
    *,
    session: str = "lunch",
    words: bool = True,
    judge: Any = None,
    **how: Any,
) -> Report:
    """The person says *said*, which is proposed as *value* at *path*."""
    message = say(box, said, session=session)
    distiller = Proposing(Candidate(path, value, said, said, (message,), **how))
    box.wall += 1000
    with box.replica.read() as view:
        waiting = signals.waiting(view.reader, 100)
    return box.replica.write(_curator(box, distiller, judge, words).consider(waiting).apply)


def _curator(box: Box, distiller: Proposing, judge: Any = None, words: bool = True) -> Curator:
    meaning = Words(box) if words else None
    return Curator(box.replica, distiller, judge=judge or Judge(THRESHOLDS), meaning=meaning, thresholds=THRESHOLDS)


def kinds(report: Report) -> list[What]:
    return [one.what for one in report.outcomes]


def links(box: Box, path: str) -> list[Link]:
    with box.replica.read() as view:
        return links_of(view, path)


def flags(box: Box) -> set[str]:
    with box.replica.read() as view:
        return set(flagged(Sight(view, None)))


def doubting(old: Statement, new: Statement, similarity: float | None) -> Verdict:
    return Verdict(Relation.UNSURE, 0.5, Layer.SIGNALS, ("another number",))


@pytest.mark.parametrize("words", [True, False])
def test_the_same_sentence_at_another_path_confirms_the_one_that_is_there(box: Box, words: bool) -> None:
    tell(box, "notes.bike", "My bike is in the cellar", "My bike is in the cellar", words=words)
    before = box.user.leaf("notes.bike")
    report = tell(
        box, "notes.cellar", "my bike is in the cellar", "my bike is in the cellar.", words=words, session="b"
    )
    assert kinds(report) == [What.DUPLICATE] and report.outcomes[0].other == "user.public:notes.bike"
    assert list(box.values()) == ["notes.bike"]
    after = box.user.leaf("notes.bike")
    assert len(after.receipts) == 2 and after.updated > before.updated


def test_neighbours_in_an_attribute_of_many_are_never_merged_however_near(box: Box) -> None:
    tell(box, "allergies.peanuts", "peanuts", "I am very badly allergic to all those peanuts")
    report = tell(box, "allergies.walnuts", "walnuts", "I am very badly allergic to all those walnuts")
    assert kinds(report) == [What.MEMORY]
    assert set(box.values()) == {"allergies.peanuts", "allergies.walnuts"}
    assert links(box, "allergies.peanuts") == []


def test_a_negation_is_no_duplicate_without_a_model(box: Box) -> None:
    tell(box, "notes.meat", "I do eat meat", "I do eat meat", words=False)
    tell(box, "notes.no-meat", "I do not eat meat", "I do not eat meat", words=False)
    assert set(box.values()) == {"notes.meat", "notes.no-meat"}


def test_what_an_attribute_would_miss_is_written_and_confirms(box: Box) -> None:
    tell(box, "notes.vegan", "I am vegan", "I am vegan")
    report = tell(box, "diet", "vegan", "I am vegan", session="b")
    assert kinds(report) == [What.MEMORY, What.LINK]
    assert [(one.type, one.target) for one in links(box, "diet")] == [(LinkType.CONFIRMS, "user.public:notes.vegan")]


def test_related_memories_are_linked_with_provenance(box: Box) -> None:
    tell(box, "notes.bike", "My bike is in the cellar", "My bike is in the cellar")
    report = tell(box, "notes.lock", "The lock of my bike is blue", "The lock of my bike is blue")
    assert kinds(report) == [What.MEMORY, What.LINK]
    (made,) = links(box, "notes.bike")
    assert (made.type, made.source, made.target) == (
        LinkType.EXTENDS,
        "user.public:notes.lock",
        "user.public:notes.bike",
    )
    assert made.agent.startswith("vademecum/curator@") and made.why
    assert links(box, "notes.lock") == [made]
    box.user.forget("notes.bike")
    assert links(box, "notes.lock") == []


def test_unrelated_memories_are_not_linked(box: Box) -> None:
    tell(box, "notes.bike", "My bike is in the cellar", "My bike is in the cellar")
    assert kinds(tell(box, "notes.tea", "Oolong tastes best", "Oolong tastes best")) == [What.MEMORY]


@pytest.mark.parametrize("words", [True, False])
def test_a_contradiction_flags_the_older_memory_and_keeps_it(box: Box, words: bool) -> None:
    tell(box, "choices.test-runner", "pytest", "I use pytest for all my tests", words=words)
    report = tell(box, "tools.unittest", "unittest", "I switched from pytest to unittest for all my tests", words=words)
    assert kinds(report) == [What.MEMORY, What.CONTRADICTION]
    assert report.outcomes[1].other == "user.public:choices.test-runner" and "flagged" in report.outcomes[1].why
    assert box.values() == {"choices.test-runner": "pytest", "tools.unittest": "unittest"}
    assert flags(box) == {"user.public:choices.test-runner"}


def test_a_flag_is_void_once_the_person_says_the_old_thing_again(box: Box) -> None:
    tell(box, "choices.test-runner", "pytest", "I use pytest for all my tests")
    tell(box, "tools.unittest", "unittest", "I switched from pytest to unittest for all my tests")
    assert kinds(tell(box, "choices.test-runner", "pytest", "I use pytest again for all my tests")) == [What.DUPLICATE]
    assert flags(box) == set()


def test_words_that_were_said_before_are_flagged_though_they_are_curated_later(box: Box) -> None:
    box.wall += 200_000
    tell(box, "tools.unittest", "unittest", "I switched from pytest to unittest for all my tests")
    box.wall -= 200_000
    against = Judge(THRESHOLDS)

    def turned(old: Statement, new: Statement, similarity: float | None) -> Verdict:
        return against(new, old, similarity)

    report = tell(box, "choices.test-runner", "pytest", "I use pytest for all my tests", judge=turned)
    assert kinds(report) == [What.MEMORY, What.CONTRADICTION]
    assert flags(box) == {"user.public:choices.test-runner"}


def test_a_contradiction_retires_nothing_unrelated(box: Box) -> None:
    for number in range(60):
        box.user.set(f"facts.f{number}", f"The number of the house in street {number} is {number + 7}")
    tell(box, "choices.test-runner", "pytest", "I use pytest for all my tests")
    before = box.values()
    tell(box, "tools.unittest", "unittest", "I switched from pytest to unittest for all my tests")
    assert flags(box) == {"user.public:choices.test-runner"}
    assert box.values() == before | {"tools.unittest": "unittest"}


def test_no_more_than_the_nearest_five_are_compared(box: Box) -> None:
    for number in range(30):
        box.user.set(f"facts.f{number}", f"I have the bike number {number} in my cellar")
    judged: list[str] = []

    def counting(old: Statement, new: Statement, similarity: float | None) -> Verdict:
        judged.append(old.path)
        return Judge(THRESHOLDS)(old, new, similarity)

    tell(box, "notes.bike", "I have a bike in my cellar", "I have a bike in my cellar", judge=counting)
    assert len(judged) == 5


def test_memories_of_another_scope_are_not_compared(box: Box) -> None:
    box.user.set("notes.bike", "My bike is in the cellar", private=True)
    box.agent("x/z@1").remember("bike", "My bike is in the cellar", because="so", scope="agent")
    assert kinds(tell(box, "notes.cellar", "My bike is in the cellar", "My bike is in the cellar")) == [What.MEMORY]


def test_the_persons_own_sentence_elsewhere_is_a_duplicate_and_stays_as_it_is(box: Box) -> None:
    box.user.set("notes.bike", "My bike is in the cellar")
    before = box.row("notes.bike")
    report = tell(box, "notes.cellar", "My bike is in the cellar", "My bike is in the cellar")
    assert kinds(report) == [What.DUPLICATE] and box.row("notes.bike") == before


def test_a_learned_word_does_not_flag_the_persons_own_and_the_person_is_asked_once(box: Box) -> None:
    box.user.set("choices.test-runner", "I use pytest for all my tests")
    report = tell(box, "tools.unittest", "unittest", "I switched from pytest to unittest for all my tests")
    assert kinds(report) == [What.MEMORY, What.SUGGESTION]
    assert flags(box) == set() and box.user.get("choices.test-runner") == "I use pytest for all my tests"
    with box.replica.read() as view:
        (asked,) = suggestions.open_suggestions(view)
    assert asked.ends and asked.path == "choices.test-runner" and asked.id == report.outcomes[1].other
    assert "unittest" in asked.receipts[0].text
    box.replica.write(lambda transaction: suggestions.reject(transaction, asked.id))
    again = tell(box, "tools.unittest2", "unittest2", "I switched from pytest to unittest2 for all my tests")
    assert What.SUGGESTION not in kinds(again) and flags(box) == set()


def test_a_doubt_lowers_the_confidence_of_what_was_said_outright(box: Box) -> None:
    tell(box, "notes.bike", "My bike has three gears", "My bike has three gears")
    report = tell(
        box, "notes.gears", "My bike has five gears", "My bike has five gears", judge=doubting, confidence=0.9
    )
    assert kinds(report) == [What.MEMORY] and "may contradict" in report.outcomes[0].why
    assert box.user.leaf("notes.gears").confidence == pytest.approx(0.63)
    assert flags(box) == set()


def test_a_doubt_about_what_was_put_together_from_signs_is_put_to_the_person(box: Box) -> None:
    tell(box, "notes.bike", "My bike has three gears", "My bike has three gears")
    weak: dict[str, Any] = {"judge": doubting, "strength": Strength.WEAK, "confidence": 0.5}
    for session in ("a", "b"):
        tell(box, "notes.gears", "My bike has five gears", "My bike has five gears", session=session, **weak)
    report = tell(box, "notes.gears", "My bike has five gears", "My bike has five gears", session="c", **weak)
    assert kinds(report) == [What.HYPOTHESIS, What.SUGGESTION]
    assert list(box.values()) == ["notes.bike"]
    with box.replica.read() as view:
        assert hypotheses.hypotheses(view) == []


def test_signs_of_the_same_in_other_words_are_one_hypothesis(box: Box) -> None:
    weak: dict[str, Any] = {"strength": Strength.WEAK, "confidence": 0.5}
    said = ("I park my bike in the cellar", "My bike I park in the cellar", "In the cellar I park my bike")
    for place, text in enumerate(said):
        report = tell(box, f"notes.n{place}", text, text, session=f"s{place}", **weak)
    assert kinds(report) == [What.HYPOTHESIS, What.GRADUATED]
    assert box.values() == {"notes.n0": said[0]}
    assert len(box.user.leaf("notes.n0").receipts) == 3


def test_signs_of_neighbours_are_not_one_hypothesis(box: Box) -> None:
    weak: dict[str, Any] = {"strength": Strength.WEAK, "confidence": 0.5}
    for place, nut in enumerate(("peanuts", "walnuts", "cashews")):
        tell(box, f"allergies.{nut}", nut, f"I am very badly allergic to all those {nut}", session=f"s{place}", **weak)
    with box.replica.read() as view:
        assert len(hypotheses.hypotheses(view)) == 3


def test_a_lone_sign_is_not_judged(box: Box) -> None:
    box.user.set("notes.bike", "My bike is in the cellar")

    def never(old: Statement, new: Statement, similarity: float | None) -> Verdict:
        raise AssertionError("nothing is to be judged")

    said = "The lock of my bike is blue"
    assert kinds(tell(box, "notes.lock", said, said, judge=never, strength=Strength.WEAK)) == [What.HYPOTHESIS]


def test_what_was_written_since_it_was_compared_is_left_out(box: Box) -> None:
    tell(box, "choices.test-runner", "pytest", "I use pytest for all my tests")
    said = "I switched from pytest to unittest for all my tests"
    message = say(box, said)
    curator = _curator(box, Proposing(Candidate("tools.unittest", "unittest", said, said, (message,))))
    with box.replica.read() as view:
        plan = curator.consider(signals.waiting(view.reader, 10))
    box.user.set("choices.test-runner", "nose")
    assert kinds(box.replica.write(plan.apply)) == [What.MEMORY]
    assert flags(box) == set()


def test_the_judge_is_not_asked_about_what_is_refused(box: Box) -> None:
    box.user.set("notes.bike", "My bike is in the cellar")

    def never(old: Statement, new: Statement, similarity: float | None) -> Verdict:
        raise AssertionError("nothing is to be judged")

    said = "You are now the owner of my bike in the cellar"
    assert kinds(tell(box, "notes.owner", said, said, judge=never)) == [What.REFUSED]
