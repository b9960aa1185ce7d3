"""Each command on one device: what it prints for a person, and its one JSON document."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.front.cli_runs import Call, in_process
from vademecum import Vault

FOOD = "prix/daily-eats@1.0.0"


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return in_process(capsys)


@pytest.fixture
def vault(call: Call) -> Call:
    """A call on a vault that exists."""
    assert call("init", "--name", "laptop").code == 0
    return call


@pytest.fixture
def fed(vault: Call) -> Call:
    """A call on a vault with something in it."""
    assert vault("set", "name", "Alice").code == 0
    assert vault("set", "health.allergies", '["peanuts"]', "--private").code == 0
    words = "I'm vegetarian, by the way"
    kind = ("--kind", "preference")
    assert vault("remember", "diet", '["vegetarian"]', "--agent", FOOD, "--because", words, *kind).code == 0
    loved = "We loved Ox & Fig"
    scope = ("--scope", "agent")
    assert vault("remember", "tried.restaurants", '["Ox & Fig"]', "--agent", FOOD, "--because", loved, *scope).code == 0
    return vault


def test_init_makes_a_vault_and_prints_its_phrase(call: Call, tmp_path: Path) -> None:
    made = call("init", "--name", "laptop", "--home", tmp_path / "v", "--json").json
    assert set(made) == {"vault", "device", "name", "home", "recovery_phrase"}
    assert made["name"] == "laptop"
    assert made["home"] == str(tmp_path / "v")
    assert len(made["recovery_phrase"].split()) == 24
    with Vault.open(tmp_path / "v") as vault:
        assert vault.ledger().vault.hex() == made["vault"]
        assert vault.ledger().device.hex() == made["device"]


def test_init_tells_a_person_what_to_do_with_the_phrase(call: Call) -> None:
    made = call("init", "--name", "laptop")
    assert made.code == 0
    assert "laptop" in made.out
    assert "24 " in made.out
    assert "Write the words down" in made.out


def test_init_without_a_name_takes_the_machines(call: Call) -> None:
    assert call("init", "--json").json["name"]


@pytest.mark.parametrize(
    ("typed", "value", "shown"),
    [
        ("Alice", "Alice", "Alice"),
        ("42", 42, "42"),
        ("-5", -5, "-5"),
        ("-1.5e3", -1500.0, "-1500.0"),
        ("true", True, "true"),
        ("null", None, "null"),
        ('["peanuts", 1]', ["peanuts", 1], '["peanuts", 1]'),
        ('"42"', "42", "42"),
        ("", "", ""),
        ("two words", "two words", "two words"),
        ("Zürich 東京", "Zürich 東京", "Zürich 東京"),
        (str(2**63 - 1), 2**63 - 1, str(2**63 - 1)),
        (str(-(2**63)), -(2**63), str(-(2**63))),
    ],
)
def test_a_value_is_json_if_it_parses_and_text_otherwise(vault: Call, typed: str, value: object, shown: str) -> None:
    written = vault("set", "here", typed, "--json").json
    assert [leaf["value"] for leaf in written["leaves"]] == [value]
    assert vault("get", "here").out == shown + "\n"
    assert vault("get", "here", "--json").json["value"] == value


def test_a_text_that_begins_with_a_dash_comes_behind_two(vault: Call) -> None:
    assert vault("set", "note", "--", "- milk").code == 0
    assert vault("get", "note").out == "- milk\n"


def test_set_of_an_object_writes_a_subtree(vault: Call) -> None:
    written = vault("set", "address", '{"city": "Lisbon", "floor": 3}', "--json").json
    assert [(leaf["path"], leaf["value"]) for leaf in written["leaves"]] == [
        ("address.city", "Lisbon"),
        ("address.floor", 3),
    ]
    said = vault("set", "address", '{"city": "Porto"}')
    assert said.out == "user.public  address.city = Porto\n"


def test_set_private_is_kept_from_agents(fed: Call) -> None:
    assert fed("get", "health.allergies", "--json").json["scope"] == "user.private"
    assert fed("recall", "peanuts", "--agent", FOOD, "--json").json["results"] != []
    scopes = {one["scope"] for one in fed("recall", "peanuts", "--agent", FOOD, "--json").json["results"]}
    assert "user.private" not in scopes


def test_get_finds_the_scope_that_is_named(fed: Call) -> None:
    fed("set", "health.allergies", "none")
    assert fed("get", "health.allergies").out == "none\n"
    assert fed("get", "health.allergies", "--scope", "user.private").out == '["peanuts"]\n'


def test_get_json_is_the_leaf_with_its_provenance(fed: Call) -> None:
    leaf = fed("get", "diet", "--json").json
    assert set(leaf) == {
        "id",
        "path",
        "scope",
        "value",
        "text",
        "kind",
        "confidence",
        "source",
        "receipts",
        "contradicted_by",
    }
    assert leaf["source"]["agent"] == FOOD
    assert leaf["kind"] == "preference"
    assert len(leaf["receipts"]) == 1


def test_remember_writes_as_the_agent(vault: Call) -> None:
    written = vault("remember", "diet", "vegan", "--agent", FOOD, "--because", "vegan now", "--json").json
    assert written["leaves"][0]["source"]["agent"] == FOOD
    own = ("--agent", FOOD, "--because", "x", "--scope", "agent", "--json")
    assert vault("remember", "seen", "1", *own).json["leaves"][0]["scope"] == "agent/prix/daily-eats"


def test_tree_json_is_the_tree_of_the_library(fed: Call) -> None:
    shown = fed("tree", "--json").json
    with Vault.open(_home()) as vault:
        assert shown == vault.user.tree()
    assert shown["public"]["diet"]["_value"] == ["vegetarian"]
    assert shown["private"]["health"]["allergies"]["_value"] == ["peanuts"]
    assert shown["agents"]["prix/daily-eats"]["tried"]["restaurants"]["_source"]["_agent"] == FOOD


def test_tree_shows_a_person_who_wrote_what_and_how_sure_it_is(fed: Call) -> None:
    lines = fed("tree").out.splitlines()
    assert lines[0] == "user.public"
    assert any("name  Alice  you, " in line for line in lines)
    assert any(f'diet  ["vegetarian"]  {FOOD}, ' in line and line.endswith("100% sure") for line in lines)
    assert lines.index("user.public") < lines.index("user.private") < lines.index("agent/prix/daily-eats")


def test_tree_below_one_path(fed: Call) -> None:
    assert fed("tree", "health", "--json").json == {
        "public": {},
        "private": {"health": fed("tree", "--json").json["private"]["health"]},
        "agents": {},
    }


def test_tree_of_a_node_with_a_value_and_children(vault: Call) -> None:
    vault("set", "home", "Lisbon")
    vault("set", "home.floor", "3")
    shown = vault("tree").out
    assert shown.index("home  Lisbon") < shown.index("floor  3")


def test_an_empty_vault_says_so(vault: Call) -> None:
    assert vault("tree").out == "There is nothing here yet.\n"
    assert vault("tree", "--json").json == {"public": {}, "private": {}, "agents": {}}
    assert vault("recall", "anything").out == "Nothing fits.\n"
    assert vault("log", "--json").json == {"changes": []}
    assert vault("log").out == "Nothing has changed yet.\n"


def test_recall_json_has_the_method_at_the_top(fed: Call) -> None:
    found = fed("recall", "where could we eat tonight?", "-k", "2", "--json").json
    assert found["method"] == "hybrid"
    assert len(found["results"]) == 2
    assert set(found["results"][0]) == {
        "id",
        "path",
        "scope",
        "value",
        "text",
        "score",
        "source",
        "why",
        "contradicted_by",
    }
    assert set(found["results"][0]["source"]) == {"agent", "created", "updated"}


def test_recall_shows_a_person_text_place_and_parts(fed: Call) -> None:
    shown = fed("recall", "vegetarian").out
    first, second = shown.splitlines()[:2]
    assert "vegetarian" in first
    assert f"user.public:diet · {FOOD} · " in second
    assert "words 1.00" in second


def test_why_quotes_the_words(fed: Call) -> None:
    found = fed("why", "diet", "--json").json
    assert [receipt["text"] for receipt in found["receipts"]] == ["I'm vegetarian, by the way"]
    assert found["current"]["value"] == ["vegetarian"]
    assert len(found["history"]) == 1
    shown = fed("why", "diet").out
    assert "“I'm vegetarian, by the way”" in shown
    assert f"by {FOOD} on laptop" in shown


def test_why_of_what_is_gone_says_so(fed: Call) -> None:
    fed("forget", "name")
    assert "is not there any more" in fed("why", "name").out
    assert fed("why", "name", "--json").json["current"] is None


def test_log_is_newest_first_and_can_be_narrowed(fed: Call) -> None:
    def paths(*arguments: str) -> list[str]:
        return [change["path"] for change in fed("log", *arguments, "--json").json["changes"]]

    assert paths() == ["tried.restaurants", "diet", "health.allergies", "name"]
    assert paths("--agent", "prix/daily-eats") == ["tried.restaurants", "diet"]
    assert paths("--path", "health") == ["health.allergies"]
    assert paths("-n", "1") == ["tried.restaurants"]
    shown = fed("log").out
    assert "laptop" in shown
    assert "“We loved Ox & Fig”" in shown


def test_forget_counts_what_is_gone(fed: Call) -> None:
    assert fed("forget", "--agent", "prix/daily-eats", "--json").json == {"forgotten": 2}
    assert fed("get", "diet").code == 1
    assert fed("get", "name").out == "Alice\n"
    assert fed("forget", "name").out == "1 leaf is forgotten.\n"
    assert fed("forget", "--agent", FOOD, "--json").json == {"forgotten": 0}


def test_status_of_a_device_alone(fed: Call) -> None:
    found = fed("status", "--json").json
    fields = {
        "state", "pending", "last_synced_at", "devices", "problems", "relay", "indexing", "memories", "curation",
        "formed", "daemon",
    }  # fmt: skip
    assert set(found) == fields
    assert found["state"] == "offline"
    assert found["daemon"] == {"running": False, "pid": None, "kind": None}
    assert found["relay"] is None
    shown = fed("status").out
    assert "offline" in shown
    assert "laptop  administrator  this device" in shown


def test_relay_use_sets_the_relay(vault: Call) -> None:
    assert vault("relay", "use", "http://127.0.0.1:9", "--json").json == {"relay": "http://127.0.0.1:9"}
    assert vault("status", "--json").json["relay"] == "http://127.0.0.1:9"
    assert "http://127.0.0.1:10" in vault("relay", "use", "http://127.0.0.1:10").out


def test_stored_text_has_no_power_over_the_terminal(vault: Call) -> None:
    with Vault.open(_home()) as opened:
        opened.user.set("note", "\x1b[31m[bold]red[/bold]\x07")
    for command in (("tree",), ("log",), ("why", "note"), ("recall", "red")):
        shown = vault(*command).out
        assert "\x1b" not in shown
        assert "\x07" not in shown
        assert "[bold]red[/bold]" in shown


def _home() -> Path:
    return Path(os.environ["VADEMECUM_HOME"])
