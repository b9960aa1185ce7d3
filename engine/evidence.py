"""Evidence: the recorded messages that an agent names for a memory, checked exactly and quoted.

What is checked, before anything is written:

* each message is there, in a session of the one who names it (the person sees all sessions, an agent its own);
* where words are given too, they stand in one of the messages, spaces and Unicode's forms aside;
* a memory about the person rests on at least one message that the person wrote, and the words are theirs: what a tool,
  a page, the assistant or another agent says is no reason for it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from vademecum.errors import Confined, InvalidArgument, Misquoted, NotFound, NotThePerson, ReceiptRequired

from .formation.candidates import Message
from .leaf import parse_memory_id
from .messages import message_parts
from .receipts import check_words, cite_message, quote
from .scopes import tier
from .sight import Sight, owners
from .slots import SlotMap
from .writing import ScopeWriter

__all__ = ["MAX_EVIDENCE", "check_person", "check_quote", "cite", "find_messages", "is_quoted", "justify"]

MAX_EVIDENCE = 64
"""Messages that one memory may name at once."""


def justify(
    scope: ScopeWriter,
    sight: Sight,
    writer: str,
    *,
    because: str | None,
    evidence: Sequence[str],
    said_ms: int | None = None,
) -> tuple[str, ...]:
    """Checks the reason that *writer*, who sees *sight*, gives for a memory in *scope*, and records it as receipts.

    because: the person's words, said at *said_ms* (now by default); with *evidence*, a quote from one of the messages.
    evidence: ids of messages, ``session/<id>:<name>``.

    Returns the receipts' ids. Raises `ReceiptRequired` for no reason at all, `Confined`, `NotFound`, `Misquoted`,
    `NotThePerson`, `InvalidArgument`; then nothing was written.
    """
    messages = find_messages(sight, evidence)
    if not messages:
        if because is None:
            raise ReceiptRequired(
                "A memory needs its reason: name the recorded messages that say so (evidence=[…]), or give the "
                "person's own words (because=…). Nothing was kept."
            )
        return (quote(scope, writer, because, said_ms),)
    about_person = tier(scope.name) == 1
    if about_person:
        check_person(messages)
    if because is not None:
        check_quote(because, messages, by_person=about_person)
    return cite(scope, writer, messages)


def find_messages(sight: Sight, ids: Sequence[str]) -> tuple[Message, ...]:
    """The messages of *ids*, each once, in that order.

    Raises `Confined` for a session that is not the caller's, whether or not there is one; `NotFound` for a message
    that is not there; `InvalidArgument` or `InvalidScope` for what is no message's id.
    """
    if isinstance(ids, str) or not isinstance(ids, Sequence):
        raise InvalidArgument(f"evidence is a list of ids of messages; {ids!r} is none.")
    if len(ids) > MAX_EVIDENCE:
        raise InvalidArgument(f"A memory names at most {MAX_EVIDENCE} messages; these are {len(ids):,}.")
    return tuple(_find(sight, identity) for identity in dict.fromkeys(ids))


def _find(sight: Sight, identity: str) -> Message:
    if not isinstance(identity, str):
        raise InvalidArgument(f"{identity!r} is no message's id; an id is session/<id>:<name>.")
    session, name = parse_memory_id(identity)
    if not session.startswith("session/"):
        raise InvalidArgument(f"{identity!r} is no message's id; an id is session/<id>:<name>, as `log` returns it.")
    if sight.agent is not None and sight.agent.name not in owners(sight.view, session):
        raise Confined(f"{sight.agent} has no session {session!r}; an agent names messages of its own sessions.")
    record = sight.view.get(session, SlotMap.MESSAGES, name)
    if record is None or not sight.may_see(session, name):
        raise NotFound(f"There is no message {name!r} in {session}. Name one that is recorded there.")
    role, text = message_parts(record)
    return Message(identity, role, text, record.created)


def check_person(messages: Sequence[Message]) -> None:
    """Raises `NotThePerson` unless the person wrote one of *messages*."""
    if not any(message.by_person for message in messages):
        named = ", ".join(f"{message.id} ({message.role})" for message in messages[:3])
        raise NotThePerson(
            f"The person did not say this: {named} is another's word, and no reason for a memory about the person. "
            f"Name a message of theirs, or keep it in the agent's own scope (scope='agent')."
        )


def check_quote(words: object, messages: Sequence[Message], *, by_person: bool) -> None:
    """Raises `Misquoted` unless *words* stand in one of *messages*; with *by_person*, in one that the person wrote
    (`NotThePerson`). `ReceiptRequired` if they are none.
    """
    text = check_words(words)
    speaking = [message for message in messages if is_quoted(text, message.text)]
    if not speaking:
        named = ", ".join(message.id for message in messages[:3])
        raise Misquoted(
            f"The words {_shown(text)} do not stand in {named}. Quote the message exactly, or leave because out: "
            f"the message itself is the reason."
        )
    if by_person:
        check_person(speaking)


def is_quoted(words: str, text: str) -> bool:
    """Whether *words* stand in *text*, however either is spaced, and whichever of Unicode's forms it has."""
    return _plain(words) in _plain(text)


def cite(scope: ScopeWriter, writer: str, messages: Sequence[Message]) -> tuple[str, ...]:
    """Copies *messages* into *scope* as receipts, each once; returns their ids."""
    return tuple(_cite(scope, writer, message) for message in messages)


def _cite(scope: ScopeWriter, writer: str, message: Message) -> str:
    session, name = message.session.removeprefix("session/"), message.id.partition(":")[2]
    receipt = cite_message(
        scope, writer, session=session, message=name, speaker=message.role, text=message.text, at_ms=message.at_ms
    )
    record = scope.row(SlotMap.RECEIPTS, receipt).winner
    if record is not None and isinstance(record.value, list) and not is_quoted(message.text, str(record.value[0])):
        # the curator had quoted a part of it
        scope.put(SlotMap.RECEIPTS, receipt, record._replace(order=0, value=[message.text, *record.value[1:]]))
    return receipt


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "…")
