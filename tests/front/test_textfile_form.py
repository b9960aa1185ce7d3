"""The text form: what is rendered is read back, and a patched text says what is wanted and keeps all else."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from hypothesis import event, given, reject, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from vademecum.engine.paths import is_path
from vademecum.engine.scopes import PRIVATE, PUBLIC
from vademecum.errors import UnreadableFile
from vademecum.importers.tree_form import AGENT, CREATED, UPDATED
from vademecum.textfile.patching import differs, patch, render_file
from vademecum.textfile.reading import Key, read_vault_text
from vademecum.textfile.rendering import Shown

FILE = Path("vault.yaml")
STAMP = "2026-11-30T07:31:08.000Z"

SEGMENTS = st.sampled_from(["a", "b", "diet", "no", "12", "1e3", "null", "-", "-x", "日本", "x_y", "0x1f"]) | st.text(
    st.characters(categories=["L", "N"]), min_size=1, max_size=3
).filter(is_path)
PATHS = st.lists(SEGMENTS, min_size=1, max_size=4).map(".".join).filter(is_path)
TEXTS = (
    st.text(st.characters(codec="utf-8"), max_size=20)
    | st.text("ab #:-\n\t\"'\\|>&*!%@`{}[],?~ 1.", max_size=12)
    | st.sampled_from(["no", "Yes", "~", "null", "1990-04-01", "12:30", "0o17", "1_000", "", " x", "a\nb\n", "a\n\n b"])
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
)
VALUES = SCALARS | st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
SOURCES = st.just(()) | st.just(
    ((AGENT, "prix/eats@1.0.0"), (CREATED, "2026-05-08T13:56:00.000Z"), (UPDATED, "2026-05-09T13:56:00.000Z"))
)
TREES = st.dictionaries(
    st.tuples(st.sampled_from([PUBLIC, PRIVATE]), PATHS), st.builds(Shown, VALUES, SOURCES), max_size=8
)


def said(text: str, wanted: dict[Key, Shown]) -> None:
    """*text* says *wanted* and nothing else."""
    found = read_vault_text(text, FILE).leaves
    assert found.keys() == wanted.keys()
    for key, leaf in wanted.items():
        assert not differs(found[key], leaf), (key, found[key], leaf)


@given(TREES)
def test_what_is_rendered_is_read_back(wanted: dict[Key, Shown]) -> None:
    said(render_file(wanted, STAMP), wanted)


@given(TREES)
def test_other_yaml_tools_read_the_same_values(wanted: dict[Key, Shown]) -> None:
    text = render_file(
        {key: Shown(leaf.value) for key, leaf in wanted.items() if not isinstance(leaf.value, dict)}, STAMP
    )
    yaml = YAML(typ="safe")
    yaml.version = (1, 1)
    tree = yaml.load(text)
    for (scope, path), leaf in wanted.items():
        if isinstance(leaf.value, dict) or any(its == scope and other.startswith(path + ".") for its, other in wanted):
            continue
        node = tree["public" if scope == PUBLIC else "private"]
        for segment in path.split("."):
            node = node[segment]
        assert node == leaf.value
        assert type(node) is type(leaf.value)


@given(TREES, TREES, st.data())
def test_a_patched_text_says_what_is_wanted(old: dict[Key, Shown], new: dict[Key, Shown], data: st.DataObject) -> None:
    text = render_file(old, STAMP)
    kept = {key: leaf for key, leaf in old.items() if data.draw(st.booleans())}
    wanted = kept | new
    patched = patch(read_vault_text(text, FILE), wanted, FILE)
    assert patched is not None
    said(patched, wanted)
    assert [line for line in patched.splitlines() if line.startswith("#")] == [
        line for line in text.splitlines() if line.startswith("#")
    ]


@settings(max_examples=60)
@given(TREES, TREES, st.data())
def test_a_text_of_another_hand_is_patched_too_or_left_to_be_written_anew(
    old: dict[Key, Shown], new: dict[Key, Shown], data: st.DataObject
) -> None:
    """The same tree as another program prints it: other indentation, folded lines, lists and texts in other styles."""
    tree: dict[str, dict[str, object]] = {"public": {}, "private": {}}
    for (scope, path), leaf in old.items():
        node = {"_value": leaf.value, "_source": dict(leaf.source)} if leaf.source else {"_value": leaf.value}
        tree["public" if scope == PUBLIC else "private"][path] = node
    yaml = YAML()
    yaml.default_flow_style = data.draw(st.sampled_from([False, None, True]))
    yaml.indent(mapping=data.draw(st.integers(2, 5)), sequence=5, offset=data.draw(st.sampled_from([0, 3])))
    yaml.width = data.draw(st.sampled_from([60, 400]))
    stream = StringIO()
    yaml.dump(tree, stream)
    try:
        found = read_vault_text(stream.getvalue(), FILE)
    except UnreadableFile:  # not every text that this printer folds can be read again
        reject()
    kept = {key for key in found.leaves if data.draw(st.booleans())}
    wanted = {key: Shown(found.leaves[key].value, old[key].source) for key in kept} | new
    patched = patch(found, wanted, FILE)
    if patched is not None:
        said(patched, wanted)
    else:
        event("written anew")


HAND = """\
# mine, from the top

public:   # what all may know
  name: 'Alice'   # as friends call me

  diet:
    # since 2019
    _value:
    - vegetarian
    - no nuts   # really
    # more to come
    _source: {_agent: prix/eats@1.0.0, _created: 2026-05-08T13:56:00.000Z, _updated: 2026-05-09T13:56:00.000Z}
    allergies: [hazelnuts,
      kiwi]
  note: |
    line one

    # not a comment
  address: {city: Lisbon, floor: 3}   # home
  pin.hint: grandmother
  gone:
private: {}   # nothing yet

# the end of my own
"""


def hand(**changes: object) -> dict[Key, Shown]:
    found = read_vault_text(HAND, FILE).leaves
    source = tuple((found[PUBLIC, "diet"].source.plain()).items())  # type: ignore[union-attr]
    leaves = {key: Shown(leaf.value, source if leaf.source else ()) for key, leaf in found.items()}
    for path, value in changes.items():
        key = (PUBLIC, path.replace("__", "."))
        if value is ...:
            del leaves[key]
        else:
            leaves[key] = value if isinstance(value, Shown) else Shown(value)  # type: ignore[arg-type]
    return leaves


@pytest.mark.parametrize(
    ("changes", "before", "after"),
    [
        ({"name": "Bob"}, "'Alice'   # as", "Bob   # as"),
        ({"name": ...}, "  name: 'Alice'   # as friends call me\n", "  # as friends call me\n"),
        ({"gone": "back"}, "  gone:\n", "  gone: back\n"),
        ({"gone": ...}, "  gone:\n", ""),
        ({"pin__hint": 5}, "hint: grandmother\n", "hint: 5\n"),
        ({"address__floor": 4}, "floor: 3}", "floor: 4}"),
        (
            {"address__floor": ...},
            "  address: {city: Lisbon, floor: 3}   # home\n",
            "  address:\n    city: Lisbon   # home\n",
        ),
        ({"note": "short"}, "note: |\n    line one\n\n    # not a comment\n", "note: short\n"),
        ({"note": ...}, "  note: |\n    line one\n\n    # not a comment\n", ""),
        ({"zoo": 1}, "  gone:\n", "  gone:\n  zoo: 1\n"),
        (
            {"name__last": "B"},
            "  name: 'Alice'   # as friends call me\n",
            "  name: # as friends call me\n    _value: Alice\n    last: B\n",
        ),
        ({"diet__allergies": ["kiwi"]}, "[hazelnuts,\n      kiwi]", "[kiwi]"),
        ({"diet__likes": "figs"}, "      kiwi]\n", "      kiwi]\n    likes: figs\n"),
        (
            {"diet": "vegan"},
            None,
            "    # since 2019\n    _value: vegan\n    # really\n    # more to come\n    allergies:",
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_change_touches_its_own_lines_and_no_other(
    changes: dict[str, object], before: str | None, after: str, newline: str
) -> None:
    text = HAND.replace("\n", newline)
    patched = patch(read_vault_text(text, FILE), hand(**changes), FILE)
    assert patched is not None
    if before is None:
        assert after.replace("\n", newline) in patched
    else:
        assert patched == HAND.replace(before, after).replace("\n", newline)


def test_a_first_private_leaf_goes_where_the_file_says_private() -> None:
    wanted = hand() | {(PRIVATE, "health.allergies"): Shown(["peanuts"])}
    patched = patch(read_vault_text(HAND, FILE), wanted, FILE)
    expected = "private:   # nothing yet\n  health:\n    allergies: [peanuts]\n"
    assert patched == HAND.replace("private: {}   # nothing yet\n", expected)


def test_the_last_leaf_of_a_part_leaves_it_stated_as_empty() -> None:
    text = "public:  # all\n  a: 1\n  # b was here\nprivate:\n  c: 2"
    patched = patch(read_vault_text(text, FILE), {}, FILE)
    assert patched == "public: {}  # all\n  # b was here\nprivate: {}\n"


def test_a_part_that_is_missing_is_added() -> None:
    text = "private:\n  c: 2\n"
    patched = patch(read_vault_text(text, FILE), {(PUBLIC, "a"): Shown(1), (PRIVATE, "c"): Shown(2)}, FILE)
    assert patched == "private:\n  c: 2\npublic:\n  a: 1\n"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("public:\n  a: 1\n\tb: 2\n", 3, "parse"),
        ("public:\n  a: 1\n  a: 2\n", 3, "twice"),
        ("public:\n  a: &x 1\n  b: *x\n", 2, "anchors"),
        ("public:\n  x: {k: 1}\n  b:\n    <<: *x\n", 4, "aliases"),
        ("public:\n  b:\n    <<: {a: 1}\n", 3, "'b.<<'"),
        ("public:\n  a: 9223372036854775808\n", 2, "64 bits"),
        ("public:\n  a: .nan\n", 2, "finite"),
        ("public:\n  a: -.inf\n", 2, "finite"),
        ("public:\n  b: 1\n  a: " + "x" * 40_000 + "\n", 3, "40,000 bytes"),
        ("public:\n  not a key: 1\n", 2, "'not a key'"),
        ("public:\n  a:\n    b: 1\n  a.b: 2\n", 4, "twice"),
        ('public:\n  a: "half', 2, "parse"),
        ("public:\n  a: [1,\n", 3, "parse"),
        ("public:\n  a: 1\nagents: {}\n", 3, "'agents'"),
        ("- a\n", 1, "'public:'"),
        ("public:\n  a: 1\n--- \npublic: {}\n", 3, "second document"),
    ],
)
def test_a_text_that_breaks_a_rule_is_refused_with_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(UnreadableFile) as caught:
        read_vault_text(text, FILE)
    assert f"Line {line} " in caught.value.message
    assert words in caught.value.message
    assert "Nothing has changed" in caught.value.message


def test_words_and_dates_are_what_they_look_like() -> None:
    text = "public: {a: no, b: yes, c: 2026-11-30, d: 12:30:00, e: 0o17, f: true, g: ~, h: 1e3, i: on, j: 017}\n"
    found = {path: leaf.value for (_, path), leaf in read_vault_text(text, FILE).leaves.items()}
    assert found == {
        "a": "no", "b": "yes", "c": "2026-11-30", "d": "12:30:00", "e": 15, "f": True, "g": None, "h": 1000.0,
        "i": "on", "j": 17,
    }  # fmt: skip
