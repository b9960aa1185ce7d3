"""Objects become subtrees, and subtrees are shown as objects."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.engine.trees import flatten, nest
from vademecum.errors import InvalidPath, InvalidValue, Misuse

SEGMENTS = st.text(st.sampled_from("abcé-1"), min_size=1, max_size=3)
LEAVES = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4) | st.lists(st.integers(0, 9), max_size=3)
TREES = st.recursive(LEAVES, lambda inner: st.dictionaries(SEGMENTS, inner, min_size=1, max_size=4), max_leaves=12)


def plain(leaf: object) -> dict[str, object]:
    return {"_value": leaf}


def test_an_object_becomes_a_leaf_for_each_of_its_values() -> None:
    profile = {"name": "Alice", "diet": {"kind": "vegan", "allergies": ["nuts"]}}
    assert dict(flatten("about", profile)) == {
        "about.name": "Alice",
        "about.diet.kind": "vegan",
        "about.diet.allergies": ["nuts"],
    }


@pytest.mark.parametrize("value", [None, False, 0, 1.5, "", "x", [], [1, {"a": 2}], {}])
def test_anything_but_an_object_is_one_leaf_and_so_is_an_empty_object(value: object) -> None:
    assert list(flatten("a.b", value)) == [("a.b", value)]


def test_an_empty_object_inside_an_object_does_not_vanish() -> None:
    assert list(flatten("a", {"b": {}, "c": 1})) == [("a.b", {}), ("a.c", 1)]


def test_an_object_inside_a_list_stays_part_of_that_value() -> None:
    assert list(flatten("a", [{"b.c": 1}])) == [("a", [{"b.c": 1}])]


@pytest.mark.parametrize("key", ["", "_value", "a b", "a.", "x" * 65])
def test_a_key_that_is_no_segment_is_refused_by_name(key: str) -> None:
    with pytest.raises(InvalidPath):
        list(flatten("a", {key: 1}))


@pytest.mark.parametrize("key", [1, None, True, 1.5, b"k", ("a",)])
def test_a_key_that_is_not_text_is_refused(key: object) -> None:
    """JSON has no such keys; the same object inside a list is refused for it as well."""
    with pytest.raises(Misuse):
        list(flatten("a", {key: 1}))


@pytest.mark.parametrize(
    "collision",
    [
        {"b.c": 1, "b": {"c": 2}},
        {"caf\N{LATIN SMALL LETTER E WITH ACUTE}": 1, "cafe\N{COMBINING ACUTE ACCENT}": 2},
    ],
)
def test_two_values_for_one_path_are_refused_or_impossible(collision: dict[str, object]) -> None:
    """Otherwise one of them is lost without a word."""
    with pytest.raises(Misuse):
        list(flatten("a", collision))


@pytest.mark.parametrize("value", [float("nan"), 2**64, b"x", {"deeper": {1}}])
def test_a_value_that_breaks_a_rule_is_refused_by_the_path_of_its_leaf(value: object) -> None:
    with pytest.raises(InvalidValue, match=r"a\.b"):
        list(flatten("a", {"b": value}))


def test_objects_nested_deeper_than_a_path_are_refused() -> None:
    loop: dict[str, object] = {}
    loop["a"] = loop
    with pytest.raises(Misuse):
        list(flatten("a", loop))
    deep: object = 1
    for _ in range(16):
        deep = {"a": deep}
    with pytest.raises(InvalidPath, match="17 segments"):
        list(flatten("a", deep))


def test_a_node_may_have_a_value_and_children() -> None:
    assert nest([("diet", "vegan"), ("diet.since", 2020), ("name", "Al")], plain) == {
        "diet": {"_value": "vegan", "since": {"_value": 2020}},
        "name": {"_value": "Al"},
    }


def test_the_tree_is_in_path_order_whatever_the_order_of_the_leaves() -> None:
    tree = nest([("b", 1), ("a-b", 2), ("a.c", 3), ("a", 4)], plain)
    assert list(tree) == ["a", "a-b", "b"]  # as segments, so that a subtree stays together
    assert nest([], plain) == {}


@given(st.dictionaries(SEGMENTS, TREES, min_size=1, max_size=4))
def test_flattening_and_nesting_again_gives_the_object_back(tree: dict[str, Any]) -> None:
    leaves = [leaf for key, value in tree.items() for leaf in flatten(key, value)]
    assert len(dict(leaves)) == len(leaves)

    def spelled_out(node: object) -> dict[str, object]:
        return {k: spelled_out(v) for k, v in node.items()} if isinstance(node, dict) and node else plain(node)

    assert nest(leaves, plain) == {key: spelled_out(value) for key, value in tree.items()}
