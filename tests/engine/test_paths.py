"""Which paths are paths, and what is said of those that are not."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.engine.paths import MAX_BYTES, MAX_SEGMENT, MAX_SEGMENTS, parse_path, segment_from
from vademecum.errors import InvalidPath

ANY_TEXT = st.text(st.characters(codec=None), max_size=80)
FITTING = st.text(st.sampled_from("abzAZ09_-éßж漢字ñ\N{ARABIC LETTER ALEF}"), min_size=1, max_size=12).filter(
    lambda text: not text.startswith("_")
)


@pytest.mark.parametrize(
    "path",
    [
        "name",
        "diet.allergies",
        "a",
        "0",
        "-",
        "-1",
        "a_",
        "a__b",
        "UPPER.Case",
        "straße",
        "食べ物.好き",
        "имя",
        "a" * MAX_SEGMENT,
        ".".join(["a"] * MAX_SEGMENTS),
        ".".join(["a" * 24] * MAX_SEGMENTS),  # 399 bytes
        ".".join(["é" * 40] * 4) + "." + "a" * 64 + "." + "b" * 11,  # 400 bytes
    ],
)
def test_a_path_within_the_rules_is_itself(path: str) -> None:
    assert parse_path(path) == path


@pytest.mark.parametrize(
    ("path", "named", "rule"),
    [
        ("", "''", "empty"),
        (".", "'.'", "empty"),
        ("a..b", "'a..b'", "empty"),
        (".a", "'.a'", "empty"),
        ("a.", "'a.'", "empty"),
        ("_a", "'_a'", "begins with '_'"),
        ("a._value", "'_value'", "begins with '_'"),
        ("a b", "'a b'", "letters, digits"),
        ("a/b", "'a/b'", "letters, digits"),
        ("a\n", r"'a\n'", "letters, digits"),
        ("a\0b", r"'a\x00b'", "letters, digits"),
        ("a\x1fu", r"'a\x1fu'", "letters, digits"),
        ("a\N{ZERO WIDTH SPACE}b", r"'a\u200bb'", "letters, digits"),
        ("a\N{RIGHT-TO-LEFT OVERRIDE}b", r"'a\u202eb'", "letters, digits"),
        ("\N{PILE OF POO}", "'\N{PILE OF POO}'", "letters, digits"),
        ("a\N{FULLWIDTH FULL STOP}b", "'a\N{FULLWIDTH FULL STOP}b'", "letters, digits"),
        ("a\ud800", r"'a\ud800'", "letters, digits"),
        ("good.bad!.good", "'bad!'", "letters, digits"),
        ("a" * 65, "65 characters", "at most 64"),
        (".".join(["a"] * 17), "17 segments", "at most 16"),
        (".".join(["a" * 24] * 16) + "aa", "401 bytes", "at most 400"),
        (".".join(["漢" * 60] * 3), "542 bytes", "at most 400"),
    ],
)
def test_a_path_outside_the_rules_is_refused_and_the_message_names_it_and_the_rule(
    path: str, named: str, rule: str
) -> None:
    with pytest.raises(InvalidPath) as refusal:
        parse_path(path)
    assert named in refusal.value.message
    assert rule in refusal.value.message
    assert refusal.value.exit_code == 2


@pytest.mark.parametrize("other", [None, 1, 1.5, b"name", ["name"], ("a", "b"), {}])
def test_what_is_not_text_is_no_path(other: object) -> None:
    with pytest.raises(InvalidPath, match=type(other).__name__):
        parse_path(other)  # type: ignore[arg-type]  # the point of the test


def test_a_very_long_path_is_not_quoted_whole() -> None:
    with pytest.raises(InvalidPath) as refusal:
        parse_path("a!" * 100_000)
    assert len(refusal.value.message) < 500


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("e\N{COMBINING ACUTE ACCENT}t\N{COMBINING ACUTE ACCENT}e", None),
        ("cafe\N{COMBINING ACUTE ACCENT}.menu", "café.menu"),
        ("\N{ANGSTROM SIGN}ngstrom", "\N{LATIN CAPITAL LETTER A WITH RING ABOVE}ngstrom"),
        ("\N{KELVIN SIGN}", "K"),
        (
            "\N{HANGUL CHOSEONG KIYEOK}\N{HANGUL JUNGSEONG A}",
            "\N{HANGUL SYLLABLE GA}",
        ),
    ],
)
def test_two_spellings_of_one_text_are_one_path(written: str, canonical: str | None) -> None:
    if canonical is None:  # an accent that composes with nothing is no letter
        with pytest.raises(InvalidPath):
            parse_path(written)
    else:
        assert parse_path(written) == canonical


def test_the_limits_count_what_is_left_after_composing() -> None:
    assert parse_path("e\N{COMBINING ACUTE ACCENT}" * 64) == "é" * 64


@given(st.lists(FITTING, min_size=1, max_size=16).map(".".join))
def test_the_canonical_form_is_stable_composed_and_within_the_limits(path: str) -> None:
    try:
        canonical = parse_path(path)
    except InvalidPath as refusal:
        assert len(path.encode()) > MAX_BYTES, refusal
        return
    assert parse_path(canonical) == canonical
    assert unicodedata.is_normalized("NFC", canonical)
    assert len(canonical.encode()) <= MAX_BYTES


@given(ANY_TEXT)
def test_any_text_is_a_path_or_is_refused_as_one(text: str) -> None:
    try:
        canonical = parse_path(text)
    except InvalidPath as refusal:
        refusal.message.encode()  # it can be printed, whatever the text was
        return
    assert canonical == parse_path(unicodedata.normalize("NFD", text))
    for segment in canonical.split("."):
        assert 1 <= len(segment) <= MAX_SEGMENT
        assert not segment.startswith("_")
        assert all(character.isalnum() or character in "_-" for character in segment)


@pytest.mark.parametrize(
    ("text", "segment"),
    [
        ("Favourite restaurants", "Favourite-restaurants"),
        ("  likes: tea & cake!  ", "likes-tea-cake"),
        ("__private__", "private"),
        ("a.b", "a-b"),
        ("食べ物 (好き)", "食べ物-好き"),
        ("cafe\N{COMBINING ACUTE ACCENT}", "café"),
        ("x" * 200, "x" * 64),
        ("x" * 63 + " y", "x" * 63),
    ],
)
def test_a_name_from_elsewhere_becomes_a_segment_that_resembles_it(text: str, segment: str) -> None:
    assert segment_from(text) == segment


@pytest.mark.parametrize("text", ["", "   ", "...", "___", "-_-", "!?"])
def test_a_name_without_a_letter_or_digit_becomes_no_segment(text: str) -> None:
    with pytest.raises(InvalidPath, match="no letter or digit"):
        segment_from(text)


@given(ANY_TEXT)
def test_a_segment_made_of_any_text_is_a_path(text: str) -> None:
    try:
        segment = segment_from(text)
    except InvalidPath:
        return
    assert parse_path(segment) == segment
    assert segment_from(segment) == segment
