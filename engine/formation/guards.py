"""What the engine checks of a candidate before anything else, whoever proposed it: rules or a language model.

Pure. A candidate either passes as the person's own words, or is *demoted* (at most a sighting of a hypothesis, with its
source), or refused with a stable reason. No prompt has any part in it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from vademecum.errors import VademecumError

from ..paths import is_path
from ..records import KINDS
from ..values import check_value
from .candidates import PERSON, Action, Candidate, Message, Strength
from .injections import looks_like_instruction
from .secrets import holds_secret, secret_words
from .wording import one_line, stands_in

__all__ = ["Refusal", "Support", "check", "is_weak"]

MAX_VALUE = 2048
"""Characters of a learned value; what is longer is a document and no memory."""
MAX_SENTENCE = 2048
SHORTEST_QUOTE = 2
"""Letters, signs or digits; a lone one stands in every message and says nothing."""
_OF_THE_PROGRAM = """
admin agent agents credential credentials grants instruction instructions keys password passwords permissions policy
prompt prompts root secret secrets session sessions settings system token tokens vademecum
"""
FORBIDDEN = frozenset(_OF_THE_PROGRAM.split())
"""First segments of paths at which nothing is learned: they would speak of the program and not of the person."""


class Refusal(NamedTuple):
    """``reason`` is the code of `report.Outcome.reason`."""

    reason: str
    why: str


class Support(NamedTuple):
    """The message in which the quote stands, and whether it makes a memory by itself: `demoted` says why not.

    ``source`` is who said it: ``user``, or a role or speaker that is not the person.
    """

    message: Message
    source: str = PERSON
    demoted: str | None = None

    @property
    def by_person(self) -> bool:
        return self.source == PERSON


def check(candidate: Candidate, own: Mapping[str, Message], recorded: Mapping[str, Message]) -> Support | Refusal:
    """What supports *candidate*, or why it is refused.

    own: the messages that the distiller was given, by id, with the person's own words.
    recorded: the same as they are recorded now; what was forgotten in the meantime is not among them.
    """
    refused = _of_itself(candidate) or _tells_a_secret(candidate, recorded.values())
    if refused is not None:
        return refused
    if not candidate.evidence:
        return Refusal("no-receipt", "It names no message that says so.")
    unknown = [one for one in candidate.evidence if one not in own]
    if unknown:
        return Refusal("no-receipt", f"It names {unknown[0][:120]!r}, which is no message that was read.")
    cited = [recorded[one] for one in candidate.evidence if one in recorded]
    if not cited:
        return Refusal("no-receipt", "The message was forgotten before anything was learned from it.")
    return _quoted(candidate, cited, own)


def source_of(message: Message) -> str:
    """How a source is shown that is not the person: ``tool``, ``assistant``, a speaker's name."""
    return one_line(message.role)[:64] or "unknown"


def _of_itself(candidate: Candidate) -> Refusal | None:
    trouble = _invalid(candidate)
    if trouble is not None:
        return Refusal("invalid", trouble)
    first = candidate.path.partition(".")[0].casefold()
    if first in FORBIDDEN:
        return Refusal("forbidden-path", f"Nothing is learned at {first!r}: it would speak of the program.")
    texts = (candidate.path.replace("-", " ").replace(".", " "), str(candidate.value), candidate.sentence)
    if any(holds_secret(text) for text in (*texts, candidate.quote)):
        return Refusal("secret", "It holds a password, key or number that must not be kept.")
    if looks_like_instruction(candidate.quote) or any(_commands(text) for text in texts):
        return Refusal("injection", "The words look like an instruction to the memory or to a model.")
    return None


def _tells_a_secret(candidate: Candidate, messages: Iterable[Message]) -> Refusal | None:
    """A model may tell a secret apart from the words that say that it is one."""
    told = unicodedata.normalize("NFKC", f"{candidate.path} {candidate.value} {candidate.sentence}").casefold()
    for message in messages:
        if any(word in told for word in secret_words(message.text)):
            return Refusal("secret", "It holds a part of what a message says is a password, key or number.")
    return None


def _commands(text: str) -> bool:
    # a model may well write "The user prefers tea": that is how it speaks, not what it was told
    return looks_like_instruction(text.replace("The user", "They").replace("the user", "they"))


def _invalid(candidate: Candidate) -> str | None:
    if not is_path(candidate.path):
        return f"{candidate.path[:80]!r} is no path."
    if candidate.kind not in KINDS:
        return f"{candidate.kind!r} is no kind of memory."
    if not 0 < candidate.confidence <= 1:
        return f"The confidence {candidate.confidence!r} does not lie above 0 and up to 1."
    if candidate.value is None and candidate.action is Action.STATE:
        return "It states no value."
    try:
        check_value(candidate.value, candidate.path)
        check_value(candidate.sentence, "sentence")
    except VademecumError as error:
        return error.message
    if len(str(candidate.value)) > MAX_VALUE or len(candidate.sentence) > MAX_SENTENCE:
        return "It is too long for a memory."
    if isinstance(candidate.value, str) and not candidate.value.strip():
        return "Its value is empty."
    return None


def _quoted(candidate: Candidate, cited: Sequence[Message], own: Mapping[str, Message]) -> Support | Refusal:
    if sum(map(str.isalnum, candidate.quote)) < SHORTEST_QUOTE:
        return Refusal("misquoted", "It quotes no words.")
    saying = [message for message in cited if stands_in(candidate.quote, message.text)]
    if not saying:
        return Refusal("misquoted", "The words it quotes do not stand in the message.")
    person = [message for message in saying if message.by_person]
    said = [message for message in person if stands_in(candidate.quote, own[message.id].text)]
    if said:
        message = said[0]
        if looks_like_instruction(message.text):
            return Support(message, PERSON, "the same message holds text that looks like an instruction")
        return Support(message)
    if person:
        return Refusal(
            "echo", "The words were shown out of the memory, or quoted from elsewhere; the person did not say them."
        )
    if candidate.action is Action.END:
        return Refusal("not-the-person", f"{source_of(saying[0])!r} said so, and only the person can end a memory.")
    return Support(saying[0], source_of(saying[0]), f"the person did not say it, {source_of(saying[0])!r} did")


def is_weak(candidate: Candidate, support: Support) -> bool:
    """Whether it can be no more than a sighting."""
    return candidate.strength is Strength.WEAK or support.demoted is not None
