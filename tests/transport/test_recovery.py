from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.transport.family import device, found
from vademecum.errors import InvalidArgument
from vademecum.transport import roster as rosters
from vademecum.transport.recovery import new_phrase, recovery_keys

PHRASE = new_phrase(bytes(range(32)))


@settings(max_examples=30)
@given(st.binary(min_size=32, max_size=32))
def test_a_phrase_gives_the_same_keys_each_time(entropy: bytes) -> None:
    phrase = new_phrase(entropy)
    assert len(phrase.split(" ")) == 24
    assert recovery_keys(phrase).public == recovery_keys(phrase).public


def test_case_line_breaks_and_commas_do_not_matter() -> None:
    typed = PHRASE.upper().replace(" ", ",\n  ")
    assert recovery_keys(typed).device == recovery_keys(PHRASE).device


def test_a_mistyped_word_is_named_with_its_number_and_a_guess() -> None:
    words = PHRASE.split(" ")
    words[6] = words[6][:-1] + "q"
    with pytest.raises(InvalidArgument, match=rf"Word 7 .*{words[6]}.*Did you mean '{PHRASE.split(' ')[6]}'"):
        recovery_keys(" ".join(words))


def test_a_word_that_is_like_no_other_is_named_without_a_guess() -> None:
    with pytest.raises(InvalidArgument, match=r"Word 24 .*'xyzzy1', is not in the list of words\.$"):
        recovery_keys(PHRASE.rsplit(" ", 1)[0] + " xyzzy1")


def test_two_words_that_changed_places_are_noticed() -> None:
    words = PHRASE.split(" ")
    words[0], words[1] = words[1], words[0]
    with pytest.raises(InvalidArgument, match="changed places"):
        recovery_keys(" ".join(words))


@pytest.mark.parametrize("phrase", ["", "abandon", PHRASE + " abandon", PHRASE.rsplit(" ", 1)[0]])
def test_another_number_of_words_is_refused(phrase: str) -> None:
    with pytest.raises(InvalidArgument, match="24 words"):
        recovery_keys(phrase)


@given(st.text(max_size=200))
def test_any_text_is_a_phrase_or_refused(text: str) -> None:
    with pytest.raises(InvalidArgument):
        recovery_keys(text)


def test_entropy_of_another_length_is_refused() -> None:
    with pytest.raises(InvalidArgument):
        new_phrase(bytes(16))


def test_the_phrase_alone_opens_the_vault_and_admits_a_new_device() -> None:
    founder, phrase = device(0), recovery_keys(PHRASE)
    genesis = rosters.genesis(
        founder, phrase.public, "laptop", salt=bytes(16), epoch_key=b"e" * 32, naming_key=b"n" * 32, at_ms=1
    )
    roster = rosters.Roster.verify(None, [genesis])
    secrets = rosters.open_secrets(roster, recovery_keys(PHRASE))
    assert secrets == rosters.open_secrets(roster, founder)
    added = rosters.add(recovery_keys(PHRASE), roster, device(1).public, "new laptop", secrets=secrets, at_ms=2)
    assert rosters.open_secrets(roster.merge([added]), device(1)) == secrets


def test_the_recovery_keys_are_in_the_roster_as_such() -> None:
    family = found()
    assert family.roster.member(family.recovery.device).role == "recovery"
