"""Recall: what answers, what never does, who sees what, and what happens when an index or the model is gone."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.box import PUBLIC, Box, boxes
from vademecum.embeddings.embedder import MODEL_VARIABLE, OnnxEmbedder
from vademecum.engine.agents import AgentId
from vademecum.engine.formation.links import LinkType, link
from vademecum.engine.messages import log_message
from vademecum.engine.recall import Recall
from vademecum.engine.recollection import Recollections
from vademecum.errors import InvalidArgument, ModelUnavailable

X, Y = "dev/x@1", "dev/y@1"


class Searched:
    """A box with its recall, by the shipped model or without one."""

    def __init__(self, box: Box, folder: Path) -> None:
        self.box = box
        self.folder = folder
        self.recall = Recall(box.replica, folder, OnnxEmbedder.default)

    def ask(self, query: str, agent: str | None = None, k: int = 5) -> list[str]:
        return [one.path for one in self.answer(query, agent, k)]

    def answer(self, query: str, agent: str | None = None, k: int = 5) -> Recollections:
        return self.recall(query, k, AgentId.parse(agent) if agent else None)

    def again(self) -> None:
        """As another process would begin."""
        self.recall.close()
        self.recall = Recall(self.box.replica, self.folder, OnnxEmbedder.default)


@pytest.fixture
def searched(tmp_path: Path) -> Iterator[Searched]:
    with boxes(tmp_path, 1) as (box,):
        made = Searched(box, tmp_path / "index")
        yield made
        made.recall.close()


@pytest.fixture
def no_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(MODEL_VARIABLE, str(tmp_path / "no such model"))


def fill(box: Box) -> None:
    box.user.set("name", "Alice")
    box.agent(X).remember("diet", "vegetarian", because="I eat no meat")
    box.agent(X).remember("pets", "a tortoise called Zeno", because="my tortoise Zeno")
    box.agent(Y).remember("work", "teaches chemistry at a school", because="I teach chemistry")
    box.user.set("allergies", ["walnuts"], private=True)


def test_a_question_finds_what_it_shares_no_word_with(searched: Searched) -> None:
    fill(searched.box)
    answer = searched.answer("what animal lives with her?")
    assert answer.method == "hybrid" and answer.note is None
    assert answer[0].path == "pets" and "tortoise" in answer[0].text
    assert searched.ask("what is her job?")[0] == "work"


def test_a_recollection_says_who_wrote_it_when_and_why_it_is_there(searched: Searched) -> None:
    fill(searched.box)
    found = searched.answer("vegetarian food")[0]
    assert (found.id, found.scope, found.value, found.agent) == ("user.public:diet", "user.public", "vegetarian", X)
    assert 0 < found.score <= 1 and set(found.why) >= {"meaning", "words", "confidence"}
    assert found.as_json()["source"]["agent"] == X
    assert searched.answer("vegetarian food").as_json()["method"] == "hybrid"


def test_what_was_written_is_found_by_the_next_question_also_from_another_process(searched: Searched) -> None:
    assert searched.ask("zebra") == []
    other = searched.box.again()
    other.user.set("animal", "a zebra of all things")
    assert searched.ask("zebra") == ["animal"]
    other.user.set("animal", "a giraffe of all things")
    assert searched.ask("zebra giraffe") == ["animal"]
    assert searched.answer("zebra giraffe")[0].text == "a giraffe of all things"
    other.close()


@pytest.mark.parametrize("model", [True, False])
def test_what_was_deleted_is_never_recalled(
    searched: Searched, model: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if not model:
        monkeypatch.setenv(MODEL_VARIABLE, str(tmp_path / "none"))
    fill(searched.box)
    assert "pets" in searched.ask("tortoise")
    searched.box.user.forget("pets")
    assert "pets" not in searched.ask("tortoise", k=50)
    searched.box.user.forget_agent("dev/x")
    assert set(searched.ask("tortoise vegetarian diet pets", k=50)) <= {"name", "work", "allergies"}
    searched.again()
    assert set(searched.ask("tortoise vegetarian diet pets", k=50)) <= {"name", "work", "allergies"}
    searched.box.agent(Y).forget("work")
    assert "work" not in searched.ask("chemistry", k=50)


def test_a_message_of_a_session_is_found_and_belongs_to_the_person(searched: Searched) -> None:
    searched.box.replica.write(
        lambda transaction: log_message(
            transaction.scope("session/s1"), X, "m1", speaker="Bo", text="the lighthouse was closed", at_ms=1
        )
    )
    (found,) = searched.answer("lighthouse")
    assert (found.scope, found.path, found.text) == ("session/s1", "m1", "Bo: the lighthouse was closed")
    assert searched.ask("lighthouse", X) == []


def test_of_an_agents_session_it_finds_what_was_said_to_it_and_nothing_that_a_tool_gave_back(
    searched: Searched, no_model: None
) -> None:
    talk = searched.box.agent(X).session("s1")
    mine = talk.log("user", "the lighthouse was closed")
    talk.log("tool", "the lighthouse opens at nine", tool="search")
    talk.log("system", "you know every lighthouse")
    searched.box.agent(Y).session("s2").log("user", "a lighthouse, too")
    assert [f"{one.scope}:{one.path}" for one in searched.answer("lighthouse", X)] == [mine]
    assert len(searched.answer("lighthouse")) == 2


# --- who sees what ---------------------------------------------------------------------------------------------------


def test_an_agent_recalls_the_public_scope_and_its_own_and_nothing_else(searched: Searched) -> None:
    box = searched.box
    box.user.set("public", "zebra in public")
    box.user.set("private", "zebra in private", private=True)
    box.agent(X).remember("own", "zebra of x", because="said", scope="agent")
    box.agent(Y).remember("others", "zebra of y", because="said", scope="agent")
    assert set(searched.ask("zebra", X, 50)) == {"public", "own"}
    assert set(searched.ask("zebra", Y, 50)) == {"public", "others"}
    assert set(searched.ask("zebra", None, 50)) == {"public", "private", "own", "others"}


def test_a_granted_leaf_is_recalled_until_the_grant_is_revoked(searched: Searched, no_model: None) -> None:
    box = searched.box
    for number in range(300):
        box.user.set(f"noise.n{number}", f"zebra number {number}", private=True)
    box.user.set("zoo.visit", "we saw many zebras", private=True)
    assert searched.ask("zebra", X, 50) == []
    box.user.grant("zoo", "dev/x")
    assert searched.ask("zebra", X, 50) == ["zoo.visit"]
    assert searched.ask("zebra", Y, 50) == []
    box.user.revoke("zoo", "dev/x")
    assert searched.ask("zebra", X, 50) == []


@pytest.mark.parametrize("granted", [False, True])
def test_what_an_agent_may_not_see_moves_no_score_that_it_sees(searched: Searched, granted: bool) -> None:
    """Else an agent could ask for a word and read off its own leaf's score whether a private leaf has it."""
    box = searched.box
    box.agent(X).remember("bait", "walnuts and other nuts", because="said", scope="agent")
    box.agent(X).remember("other", "something else entirely", because="said")
    box.user.set("health.seen", "no walnuts please", private=True)
    if granted:
        box.user.grant("health.seen", "dev/x")

    def scores() -> list[Any]:
        return [(one.path, one.score, one.why) for one in searched.answer("walnuts", X, 50)]

    before = scores()
    assert ("health.seen" in [path for path, _, _ in before]) is granted
    for number in range(40):
        box.user.set(f"health.n{number}", "walnuts " * (number + 1), private=True)
        box.agent(Y).remember(f"own.n{number}", "walnuts", because="walnuts", scope="agent")
    assert scores() == before


def test_which_of_many_granted_leaves_answer_depends_on_no_leaf_that_is_hidden(
    searched: Searched, no_model: None
) -> None:
    """There are more than are ranked: which those are must not follow from how rare a word is among all leaves."""
    box = searched.box
    for number in range(120):
        box.user.set(f"zoo.z{number}", "a zebra", private=True)
        box.user.set(f"zoo.g{number}", "a giraffe", private=True)
    box.user.set("zoo.both", "a giraffe beside a zebra, a lion, two apes, and a house full of birds", private=True)
    box.user.grant("zoo", "dev/x")
    before = searched.ask("zebra giraffe", X, 50)
    assert before[0] == "zoo.both" and len(before) == 50
    for common in ("zebra", "giraffe"):
        for number in range(150):
            box.user.set(f"hidden.{common}{number}", common, private=True)
        assert searched.ask("zebra giraffe", X, 50) == before


@pytest.mark.parametrize("model", [True, False])
def test_of_a_session_that_two_agents_have_by_one_name_each_recalls_what_it_logged(
    tmp_path: Path, model: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not model:
        monkeypatch.setenv(MODEL_VARIABLE, str(tmp_path / "no such model"))
    with boxes(tmp_path, 2) as (here, there):
        mine, other = here.agent(X).session("lunch"), there.agent(Y).session("lunch")
        mine.log("user", "Walnuts are fine with me.")
        other.log("user", "Walnuts give me a rash, which nobody else may know.")
        mine.hand_over()
        other.hand_over()
        there.give(here, scope="session/lunch")
        searched = Searched(here, tmp_path / "index")
        for agent, said in (
            (X, "Walnuts are fine with me."),
            (Y, "Walnuts give me a rash, which nobody else may know."),
        ):
            found = [one.text for one in searched.answer("walnuts rash", agent, 50)]
            assert len(found) == 1 and said in found[0]
        assert len(searched.answer("walnuts rash", None, 50)) == 2
        searched.recall.close()


def test_what_another_agent_logged_in_between_parts_no_neighbours(tmp_path: Path, no_model: None) -> None:
    def scores(folder: Path, others_at: int) -> list[Any]:
        with boxes(folder, 2) as (here, there):
            start = there.wall = here.wall
            mine, other = here.agent(X).session("trip"), there.agent(Y).session("trip")
            mine.log("user", "Which lighthouse was it?")
            there.wall += others_at
            for number in range(20):
                other.log("user", f"secret {number}")
            here.wall += 60_000
            mine.log("user", "The one near Portree.")
            here.wall = start + 600_000
            other.hand_over()
            there.give(here, scope="session/trip")
            searched = Searched(here, folder / "index")
            found = [(one.text, one.score, one.why) for one in searched.answer("lighthouse", X, 50)]
            searched.recall.close()
            return found

    apart, between = scores(tmp_path / "a", 300_000), scores(tmp_path / "b", 30_000)
    assert len(apart) == 2 and apart == between


# --- what is missing, damaged, or another's --------------------------------------------------------------------------


def test_without_a_model_words_answer_and_the_answer_says_so(searched: Searched, no_model: None) -> None:
    fill(searched.box)
    answer = searched.answer("tortoise")
    assert answer.method == "text" and answer.note is not None and "no such model" in answer.note
    assert [one.path for one in answer] == ["pets"]
    assert searched.recall.prepare() == 0


def test_when_the_model_is_back_what_was_written_without_it_gets_its_vectors(
    searched: Searched, no_model: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(searched.box)
    assert searched.ask("an animal at home") == []
    monkeypatch.delenv(MODEL_VARIABLE)
    searched.again()
    answer = searched.answer("an animal at home")
    assert answer.method == "hybrid" and answer[0].path == "pets"


class Failing:
    """A model that loads and then fails."""

    model_id, dimensions = "failing-1", 8

    def embed(self, texts: Sequence[str], progress: object = None) -> Any:
        raise ModelUnavailable("The model has failed.")


def test_a_model_that_fails_on_the_way_leaves_the_answer_to_the_words(searched: Searched) -> None:
    fill(searched.box)
    recall = Recall(searched.box.replica, searched.folder, Failing)
    answer = recall("tortoise", 5)
    assert answer.method == "text" and "has failed" in (answer.note or "")
    assert [one.path for one in answer] == ["pets"]
    recall.close()


class Counting:
    """A model of another kind and size: counts letters."""

    def __init__(self, model_id: str) -> None:
        self.model_id = model_id
        self.dimensions = 26
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str], progress: object = None) -> Any:
        self.embedded += texts
        rows = [[text.count(chr(97 + letter)) + 0.01 for letter in range(26)] for text in texts]
        vectors = np.array(rows, np.float32).reshape(len(texts), 26)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_another_model_gets_vectors_of_its_own_and_the_first_one_its_own_again(searched: Searched) -> None:
    fill(searched.box)
    assert searched.ask("what animal lives with her?")[0] == "pets"
    other = Counting("counting-1")
    recall = Recall(searched.box.replica, searched.folder, lambda: other)
    assert recall("zzzz", 5).method == "hybrid"
    assert len(other.embedded) == 5 + 1
    recall.close()
    searched.again()
    assert searched.ask("what animal lives with her?")[0] == "pets"


def test_a_text_is_embedded_once_and_again_only_when_it_has_changed(searched: Searched) -> None:
    fill(searched.box)
    counting = Counting("counting-2")
    recall = Recall(searched.box.replica, searched.folder, lambda: counting)
    assert recall.prepare() == 5
    searched.box.agent(X).remember("diet", "vegetarian", because="I said so again")
    recall("anything", 5)
    assert len(counting.embedded) == 5 + 1
    searched.box.agent(X).remember("diet", "vegan", because="no cheese either")
    recall("anything", 5)
    assert len(counting.embedded) == 5 + 3
    recall.close()


def test_rows_of_one_name_in_two_scopes_are_each_embedded_by_their_own_text(searched: Searched) -> None:
    """Else the text of one, once the other has it, would be taken for embedded."""
    agent = searched.box.agent(X)
    agent.remember("plan", "first", because="said")
    agent.remember("plan", "second", because="said", scope="agent")
    counting = Counting("counting-3")
    recall = Recall(searched.box.replica, searched.folder, lambda: counting)
    assert recall.prepare() == 2
    for scope, text in (("user", "second"), ("agent", "first")):
        before = len(counting.embedded)
        agent.remember("plan", text, because="said later", scope=scope)
        recall.prepare()
        assert len(counting.embedded) == before + 1
    recall.close()


@pytest.mark.parametrize("damage", ["delete", "folder", "truncate", "garbage", "empty"])
def test_recall_survives_indexes_that_are_gone_or_damaged(searched: Searched, damage: str) -> None:
    fill(searched.box)
    assert searched.ask("tortoise")[0] == "pets"
    searched.recall.close()
    files = sorted(file for file in searched.folder.iterdir() if file.is_file())
    assert any(file.name == "text.sqlite" for file in files)
    if damage == "folder":
        shutil.rmtree(searched.folder)
    for file in files:
        if damage == "delete":
            file.unlink()
        elif damage == "truncate":
            file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
        elif damage == "garbage":
            file.write_bytes(b"no index at all " * 500)
        elif damage == "empty":
            file.write_bytes(b"")
    searched.again()
    assert searched.ask("tortoise")[0] == "pets"
    assert searched.ask("what animal lives with her?")[0] == "pets"
    searched.box.user.set("new", "a xylophone")
    assert searched.ask("xylophone")[0] == "new"


@pytest.mark.parametrize("damage", ["delete", "garbage"])
def test_recall_survives_the_loss_of_its_text_index_while_it_runs(searched: Searched, damage: str) -> None:
    fill(searched.box)
    assert searched.ask("tortoise")[0] == "pets"
    for file in searched.folder.glob("text.sqlite*"):
        if damage == "delete":
            file.unlink()
        else:
            file.write_bytes(b"no index at all " * 500)
    searched.box.user.set("new", "a xylophone")
    assert searched.ask("xylophone")[0] == "new"
    assert searched.ask("tortoise")[0] == "pets"


def test_rebuilding_throws_away_and_fills_again(searched: Searched) -> None:
    fill(searched.box)
    before = searched.answer("tortoise at home", k=50)
    searched.recall.indexer.rebuild()
    assert searched.recall.indexer.waiting()[0] == 5
    after = searched.answer("tortoise at home", k=50)
    assert [(one.path, one.score) for one in after] == [(one.path, one.score) for one in before]


@pytest.mark.parametrize(
    ("query", "k"), [("", 5), ("  \n", 5), ("x", 0), ("x", 1001), ("x", True), ("x", 1.5), (None, 5)]
)
def test_an_empty_question_or_a_wrong_number_is_refused(searched: Searched, query: Any, k: Any) -> None:
    with pytest.raises(InvalidArgument):
        searched.recall(query, k)


@pytest.mark.parametrize(
    "query", ['"', "a AND (b", "*", "NEAR(", "-", "x" * 100_000, "\0", "': DROP TABLE", "猫が好き"]
)
def test_any_text_is_a_question(searched: Searched, query: str) -> None:
    fill(searched.box)
    searched.answer(query)


def test_no_more_than_k_come_best_first(searched: Searched) -> None:
    for number in range(30):
        searched.box.user.set(f"n{number}", f"zebra {number}")
    answer = searched.answer("zebra", k=7)
    assert len(answer) == 7
    assert [one.score for one in answer] == sorted((one.score for one in answer), reverse=True)


def contradict(box: Box, source: tuple[str, str], target: tuple[str, str]) -> None:
    box.replica.write(
        lambda transaction: link(transaction, LinkType.CONTRADICTS, source, target, writer=X, why="it says otherwise")
    )


def test_a_contradicted_memory_is_kept_marked_and_counts_for_a_tenth(searched: Searched) -> None:
    agent = searched.box.agent(X)
    agent.remember("home.city", "lives in Berlin with the cats", because="I live in Berlin with the cats")
    before = searched.answer("lives in Berlin with the cats")[0]
    agent.remember("news.house", "moved to Porto", because="we moved to Porto")
    contradict(searched.box, (PUBLIC, "news.house"), (PUBLIC, "home.city"))
    (after,) = [one for one in searched.answer("lives in Berlin with the cats") if one.path == "home.city"]
    assert after.why["confidence"] == pytest.approx(0.1 * before.why["confidence"], abs=1e-3)
    assert after.why["contradicted"] is True
    assert after.contradicted_by == after.as_json()["contradicted_by"] == f"{PUBLIC}:news.house"
    assert before.contradicted_by is None


def test_a_flag_is_void_once_the_target_is_written_again(searched: Searched) -> None:
    agent = searched.box.agent(X)
    agent.remember("home.city", "Berlin", because="I live in Berlin")
    agent.remember("news.house", "moved to Porto", because="we moved to Porto")
    contradict(searched.box, (PUBLIC, "news.house"), (PUBLIC, "home.city"))
    assert searched.box.user.leaf("home.city").contradicted_by == f"{PUBLIC}:news.house"
    assert agent.leaf("home.city").contradicted_by == f"{PUBLIC}:news.house"
    tree = searched.box.user.tree()["public"]
    assert tree["home"]["city"]["_contradicted_by"] == f"{PUBLIC}:news.house"  # type: ignore[index]
    agent.remember("home.city", "Porto", because="I live in Porto")
    assert searched.box.user.leaf("home.city").contradicted_by is None
    assert "_contradicted_by" not in searched.box.user.tree()["public"]["home"]["city"]  # type: ignore[index]


def test_what_the_person_wrote_is_flagged_by_their_own_word_only(searched: Searched) -> None:
    searched.box.user.set("diet", "vegan")
    searched.box.agent(X).remember("dinner", "steak every evening", because="steak every evening")
    contradict(searched.box, (PUBLIC, "dinner"), (PUBLIC, "diet"))
    assert searched.box.user.leaf("diet").contradicted_by is None
    contradict(searched.box, (PUBLIC, "diet"), (PUBLIC, "dinner"))
    assert searched.box.user.leaf("dinner").contradicted_by == f"{PUBLIC}:diet"
    searched.box.user.set("lunch", "steak at noon")
    contradict(searched.box, (PUBLIC, "lunch"), (PUBLIC, "diet"))
    assert searched.box.user.leaf("diet").contradicted_by == f"{PUBLIC}:lunch"


def test_a_memory_that_an_agent_may_not_see_flags_nothing_for_it(searched: Searched) -> None:
    searched.box.agent(X).remember("home.city", "Berlin by the river", because="I live in Berlin")
    searched.box.user.set("plans.house", "moved to Porto in secret", private=True)
    contradict(searched.box, ("user.private", "plans.house"), (PUBLIC, "home.city"))
    seen, unseen = searched.answer("Berlin by the river")[0], searched.answer("Berlin by the river", X)[0]
    assert seen.path == unseen.path == "home.city"
    assert seen.contradicted_by == "user.private:plans.house"
    assert unseen.contradicted_by is None
    assert unseen.why["contradicted"] is False
    assert searched.box.agent(X).leaf("home.city").contradicted_by is None


def talk(box: Box, session: str, *said: tuple[str, str], names: Sequence[str] = (), at_ms: int = 1) -> None:
    """A conversation that was imported, its messages called ``t1``, ``t2``, … or by *names*."""
    for at, (speaker, text) in enumerate(said):
        name = names[at] if names else f"t{at + 1}"
        box.replica.write(
            lambda transaction, name=name, speaker=speaker, text=text: log_message(
                transaction.scope(f"session/{session}"), X, name, speaker=speaker, text=text, at_ms=at_ms
            )
        )


TALK = (
    ("Bo", "How was the weekend?"),
    ("Ann", "Which lighthouse did you visit?"),
    ("Bo", "The one near Portree."),
    ("Ann", "Dinner was great."),
)


def test_the_answer_to_a_question_that_was_found_is_found_though_it_shares_no_word(
    searched: Searched, no_model: None
) -> None:
    talk(searched.box, "s1", *TALK)
    found = searched.answer("lighthouse visit")
    assert [one.path for one in found][:2] == ["t2", "t3"]
    assert found[1].why["words"] is None and found[1].why["context"] > 0  # type: ignore[operator]  # it is a turn


def test_turns_that_are_counted_past_nine_are_neighbours(searched: Searched, no_model: None) -> None:
    talk(searched.box, "s1", *TALK, names=["D1:8", "D1:9", "D1:10", "D1:11"])
    talk(searched.box, "s2", *TALK, names=["008", "009", "010", "011"])
    answer = searched.ask("lighthouse visit")
    assert {"D1:9", "D1:10", "009", "010"} == set(answer[:4])


def test_turns_whose_ids_tell_no_order_have_no_neighbours(searched: Searched, no_model: None) -> None:
    talk(searched.box, "s1", *TALK, names=["red", "green", "blue", "white"])
    assert searched.ask("lighthouse visit") == ["green"]


def test_what_a_tool_gave_back_is_passed_over_between_two_turns(searched: Searched, no_model: None) -> None:
    with_session = searched.box.agent(X).session("s1")
    with_session.log("user", "Which lighthouse is open?")
    with_session.log("tool", "a long table", tool="timetables")
    with_session.log("assistant", "The one near Portree.")
    texts = [one.text for one in searched.answer("lighthouse", X)]
    assert texts == ["user: Which lighthouse is open?", "assistant: The one near Portree."]


def test_whom_a_question_names_goes_before_whoever_else_speaks(searched: Searched) -> None:
    talk(
        searched.box,
        "s1",
        ("Bo", "I love painting lighthouses."),
        ("Ann", "What a lovely hobby, Bo! I love painting lighthouses, too."),
    )
    assert searched.ask("What does Bo love painting?")[0] == "t1"
    assert searched.ask("What does Ann love painting?")[0] == "t2"


def test_a_question_about_a_time_prefers_what_was_said_then(searched: Searched) -> None:
    may, july = 1_683_600_000_000, 1_689_000_000_000  # of 2023
    talk(searched.box, "s1", ("Ann", "We went camping by the lake, it was lovely."), at_ms=may)
    talk(searched.box, "s2", ("Ann", "We went camping by the lake, it was lovely!"), at_ms=july)
    for month, scope in (("May", "session/s1"), ("July", "session/s2")):
        found = searched.answer(f"Where did Ann go camping in {month}?")
        assert (found[0].scope, found[0].why["time"], found[1].why["time"]) == (scope, 1.0, 0.7)
