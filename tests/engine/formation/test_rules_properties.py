"""What holds for any text: nothing is raised, candidates are sound, the answer is the same again, time is bounded."""

from __future__ import annotations

import random
import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.formation import chinese, english, french, german, japanese, spanish
from tests.engine.formation.said import distilled, message, short
from vademecum.engine.formation.candidates import Candidate
from vademecum.engine.formation.rules.distiller import LANGUAGES
from vademecum.engine.formation.rules.reading import MAX_MESSAGE, fold
from vademecum.engine.paths import MAX_SEGMENT, is_path
from vademecum.engine.records import KINDS
from vademecum.engine.values import check_value

PIECES = [
    *(
        "I am ",
        "I'm allergic to ",
        "peanuts",
        "I used to ",
        "I have been ",
        "my ",
        " and I ",
        ", ",
        "always use ",
        "never ",
    ),
    *(
        "remember that ",
        "please ",
        "no, ",
        "I switched from ",
        " to ",
        "my favorite a b is ",
        "call me ",
        "when ",
        ". ",
        "? ",
    ),
    *(
        "ich bin ",
        "ich habe früher ",
        "nie ",
        " nicht mehr",
        "je suis ",
        "j'ai ",
        "ne ",
        "vivo en ",
        "siempre ",
        "ya no ",
    ),
    *(
        "我",
        "对",
        "过敏",
        "我住在",
        "，",
        "。",
        "私は",
        "に住んでいます",
        "ないで",
        "ので、",
        "が好き",
        "です",
        "か",
        "\n",
        "\n- ",
    ),
    *(
        '"',
        "`",
        "```\n",
        "> ",
        "(",
        "{{",
        "[",
        "<",
        "_",
        ": ",
        "'",
        "’",
        "\u0301",
        "\u200d",
        "😀",
        "😂",
        "Ｉ",
        "İ",
        "\x00",
        "1",
    ),
    *(
        "I diſli\u212ae ",
        "Ich bin ein großer Fan von ",
        "said ",
        "if ",
        "you are ",
        "the user ",
        "sk-",
        "A1a",
        "\ud800",
        "ﬁ",
        "\u0e33",
        "x\u0304",
    ),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=200)


def sound(one: Candidate, text: str) -> None:
    assert is_path(one.path), one.path
    assert all(len(segment) <= MAX_SEGMENT for segment in one.path.split("."))
    assert one.quote in text
    assert one.quote == one.quote.strip() != ""
    assert one.sentence
    assert one.kind in KINDS
    assert 0 < one.confidence <= 1
    assert one.evidence == (message("").id,)
    check_value(one.value, one.path)


@given(TEXTS)
@settings(max_examples=200, deadline=None)
def test_any_text_gives_sound_candidates_or_none(text: str) -> None:
    for one in distilled(text):
        sound(one, text)


@given(TEXTS)
@settings(max_examples=60, deadline=None)
def test_the_same_words_give_the_same_again(text: str) -> None:
    assert distilled(text) == distilled(text)


SAID = [pair for language in (english, german, spanish, french, chinese, japanese) for pair in language.SAYS]


def test_decomposed_letters_and_curly_apostrophes_give_the_same() -> None:
    for text, said in SAID:
        decomposed = unicodedata.normalize("NFD", text).replace("'", "’")
        assert ", ".join(short(decomposed)).replace("’", "'") == said
        for one in distilled(decomposed):
            sound(one, decomposed)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_a_hint_is_found_in_whatever_the_language_understands(language: object) -> None:
    """A sentence without the hint is not read at all, so a hint that is too narrow would silence forms."""
    texts = {"en": english, "de": german, "es": spanish, "fr": french, "zh": chinese, "ja": japanese}
    module = texts.get(language.code)  # type: ignore[attr-defined]
    for text, _ in module.SAYS if module else ():
        assert language.found.search(fold(text).text), text  # type: ignore[attr-defined]


def _seconds(text: str) -> float:
    def once() -> float:
        started = time.perf_counter()
        distilled(text)
        return time.perf_counter() - started

    return min(once() for _ in range(3))


@pytest.mark.parametrize("seed", range(8))
def test_time_grows_with_the_length_and_no_faster(seed: int) -> None:
    chosen = random.Random(seed)
    pieces = [chosen.choice(PIECES) for _ in range(4 if seed % 2 else 400)]
    whole = ("".join(pieces) * 1000)[:MAX_MESSAGE]
    short_, long = _seconds(whole[: MAX_MESSAGE // 8]), _seconds(whole)
    assert long < 8 * 4 * short_ + 0.2, (short_, long)


def test_one_piece_over_and_over_takes_no_time_to_speak_of() -> None:
    for piece in PIECES:
        for start in ("", "I am ", "私は"):
            started = time.perf_counter()
            distilled((start + piece * MAX_MESSAGE)[:MAX_MESSAGE])
            assert time.perf_counter() - started < 3.0, piece


def test_a_message_that_is_too_long_to_be_said_is_not_read() -> None:
    assert short("I am vegan. " + "Lorem dolor amet. " * 300) == []
