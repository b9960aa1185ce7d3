"""The tree form: what a vault shows can be read into another, and what a person writes by hand is theirs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from vademecum import Vault
from vademecum.errors import UnreadableFile
from vademecum.importers import import_file
from vademecum.importers.yaml_events import NotYaml, parse_yaml

HAND_WRITTEN = """
public:
  name: Alice            # the person's
  diet:
    _value: [vegetarian]
    _source: {_agent: prix/daily-eats@1.0.0, _created: 2026-05-08T13:56:00Z, _updated: 2026-05-09T08:00:00.250Z}
    allergies: [hazelnuts, kiwi]
  born: 1990-04-01
private:
  pin.hint: grandmother
agents:
  prix/daily-eats:
    tried: {_value: [Ox & Fig], _source: {_agent: prix/daily-eats@1.0.0}}
"""


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    with Vault.create(tmp_path / "vault") as made:
        yield made


def write(tmp_path: Path, text: str, name: str = "vault.yaml") -> Path:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return file


def test_plain_values_are_the_persons_and_a_source_keeps_its_provenance(vault: Vault, tmp_path: Path) -> None:
    report = import_file(vault, write(tmp_path, HAND_WRITTEN))
    assert (report.leaves, report.messages, report.unchanged) == (6, 0, 0)
    assert {(leaf.scope, leaf.path, leaf.agent, str(leaf.value)) for leaf in vault.user.leaves()} == {
        ("user.public", "name", "user", "Alice"),
        ("user.public", "diet", "prix/daily-eats@1.0.0", "['vegetarian']"),
        ("user.public", "diet.allergies", "user", "['hazelnuts', 'kiwi']"),
        ("user.public", "born", "user", "1990-04-01"),
        ("user.private", "pin.hint", "user", "grandmother"),
        ("agent/prix/daily-eats", "tried", "prix/daily-eats@1.0.0", "['Ox & Fig']"),
    }
    assert vault.user.leaf("diet").source() == {
        "agent": "prix/daily-eats@1.0.0",
        "created": "2026-05-08T13:56:00.000Z",
        "updated": "2026-05-09T08:00:00.250Z",
    }


def test_an_agents_leaf_gets_a_receipt_that_names_the_file(vault: Vault, tmp_path: Path) -> None:
    import_file(vault, write(tmp_path, HAND_WRITTEN))
    assert [one.text for one in vault.why("diet").receipts] == ["Imported from vault.yaml"]
    assert vault.why("name").receipts == ()


def test_the_same_file_twice_changes_nothing(vault: Vault, tmp_path: Path) -> None:
    file = write(tmp_path, HAND_WRITTEN)
    import_file(vault, file)
    tree, log = vault.user.tree(), vault.log()
    report = import_file(vault, file)
    assert (report.leaves, report.messages, report.unchanged) == (0, 0, 6)
    assert vault.user.tree() == tree
    assert vault.log() == log


@pytest.mark.parametrize("name", ["tree.json", "tree.yaml"])
def test_a_tree_that_was_shown_makes_the_same_tree_in_an_empty_vault(vault: Vault, tmp_path: Path, name: str) -> None:
    vault.user.set("name", "Alice")
    words = ["null", "true", "~", "12", "1e3", ".inf", "0x1f", "2026-05-08", " a: #b", "", "- x", "😀\n\t"]
    vault.user.set("odd", {"words": words, "null": "null", "12": 12})
    vault.user.set("numbers", [0, -(2**63), 2**63 - 1, 0.1, -0.0, 1e300, None, True, {"deep": [[]]}])
    vault.user.set("empty", {})
    vault.user.set("日本.言葉", "本", private=True)
    eats = vault.agent("prix/daily-eats@1.0.0")
    eats.remember("diet", {"kind": "vegetarian"}, because="I eat no meat")
    eats.remember("diet.kind.since", 2019, because="since 2019")
    eats.remember("tried", ["Ox & Fig"], because="we were there", scope="agent")
    tree = vault.user.tree()
    file = tmp_path / name
    if name.endswith("json"):
        file.write_text(json.dumps(tree))
    else:
        YAML().dump(tree, file)
    with Vault.create(tmp_path / "other") as other:
        import_file(other, file)
        assert other.user.tree() == tree


@pytest.mark.parametrize("text", ["", "# nothing\n", "{}", "public:\nprivate: {}\n"])
def test_an_empty_tree_changes_nothing(vault: Vault, tmp_path: Path, text: str) -> None:
    assert import_file(vault, write(tmp_path, text)).leaves == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("public:\n  name: Alice\n  name: Bob\n", ["Line 3", "'name'", "twice"]),
        ('{"public": {"name": 1,\n"name": 2}}', ["Line 2", "'name'", "twice"]),
        ("public:\n  - a\n b: 1\n", ["Line 3"]),
        ("public:\n  a: &x [1]\n  b: 2\n", ["Line 2", "anchors"]),
        ("public: {a: 1}\nprivate: *x\n", ["Line 2", "aliases"]),
        ("public:\n  a: !!python/object:os.system x\n", ["Line 2", "tag"]),
        ("public: !!set {a, b}\n", ["Line 1", "tag"]),
        ("public:\n  ? [a, b]\n  : 1\n", ["Line 2", "keys are text"]),
        ("public: {a: 1}\n---\npublic: {b: 1}\n", ["Line 2", "second document"]),
        ("public:\n  a: \x07\n", ["Line 2", "not allowed"]),
        ("public:\n  a: " + "[" * 80 + "]" * 80, ["Line 2", "deeper"]),
        ("public:\n  a: " + "9" * 5000, ["Line 2", "5,000 characters"]),
        ("- a\n- b\n", ["'public'"]),
        ("people: {a: 1}\n", ["'people'", "top"]),
        ("public: Alice\n", ["'public'", "tree"]),
        ("public: {a: 9223372036854775808}", ["at a", "64 bits"]),
        ("public: {a: .nan}", ["at a", "finite"]),
        ("public: {a: [1e999]}", ["at a", "finite"]),
        ('{"public": {"a": 1e999}}', ["at a", "finite"]),
        ("public: {a: {b: " + "x" * 40_000 + "}}", ["at a.b", "40,000 bytes"]),
        ("public: {a: {'b c': 1}}", ["'a.b c'"]),
        ("public: {a: {'': 1}}", ["'a.'"]),
        ("public: {a: {b: 1}, a.b: 2}", ["'a.b'", "twice"]),
        ("public: {_a: 1}", ["'_a'"]),
        ("public: {a: {_b: 1}}", ["a has the key '_b'"]),
        ("public: {a: {_source: {}}}", ["a has a '_source'"]),
        ("public: {a: {_value: 1, _source: {_by: me}}}", ["of a", "'_by'"]),
        ("public: {a: {_value: 1, _source: {_agent: eats}}}", ["of a", "'eats'"]),
        ("public: {a: {_value: 1, _source: {_agent: 7}}}", ["of a", "7"]),
        ("public: {a: {_value: 1, _source: {_created: 2026-05-08}}}", ["of a", "time zone"]),
        ("public: {a: {_value: 1, _source: {_updated: yesterday}}}", ["of a", "'yesterday'"]),
        ("agents: {eats: {a: 1}}", ["'eats'"]),
        ("agents: {prix/daily-eats@1.0.0: {a: 1}}", ["version"]),
        ("agents: {prix/eats: {a: {_value: 1, _source: {_agent: x/y@1}}}}", ["at a", "x/y@1"]),
        ("public: " + "{a: " * 17 + "1" + "}" * 17, ["17 segments"]),
    ],
)
def test_a_tree_that_breaks_a_rule_is_refused_by_line_or_path_and_nothing_is_imported(
    vault: Vault, tmp_path: Path, text: str, words: list[str]
) -> None:
    with pytest.raises(UnreadableFile) as caught:
        import_file(vault, write(tmp_path, text, "bad.yaml"), format="yaml")
    for word in words:
        assert word in caught.value.message
    assert "'bad.yaml'" in caught.value.message
    assert vault.user.leaves() == []


def test_a_value_that_the_person_has_changed_since_is_not_taken_from_an_agents_old_leaf(
    vault: Vault, tmp_path: Path
) -> None:
    file = write(tmp_path, HAND_WRITTEN)
    import_file(vault, file)
    vault.user.set("diet", ["vegan"])
    assert import_file(vault, file).leaves == 0
    assert vault.user.get("diet") == ["vegan"]


@given(st.text(st.characters(codec="utf-8"), max_size=200) | st.text("[]{}:,-&*!|>'\"%@`?# \n\ta1.", max_size=60))
def test_any_text_parses_or_is_refused(text: str) -> None:
    try:
        parse_yaml(text)
    except NotYaml as error:
        assert error.line >= 0
        assert error.reason


LEAVES = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
TREES = st.recursive(
    LEAVES | st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn", "Co", "Zl", "Zp"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab ~:", max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(TREES)
def test_a_json_document_reads_the_same_as_yaml(document: Any) -> None:
    assert parse_yaml(json.dumps(document, ensure_ascii=False)) == document
