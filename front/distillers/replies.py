"""What a model answered, decoded strictly. Pure: text and the messages that were shown in, candidates out.

An answer as a whole is a JSON object ``{"memories": [piece, …]}``, at most 256 KiB; anything else raises
`MalformedBytes`, and nothing but that. Of a good answer each piece stands alone: one that breaks a rule is rejected
and counted, and the others are kept.

===================  =======================================================================
``invalid``          not the shape that was asked for, too long, or a value that none may be
``forbidden-path``   a path that is not valid, or not below a listed attribute
``no-receipt``       cites nothing, or a message that was not shown
``not-the-person``   cites something that the person did not write
``misquoted``        the quoted words are not in a cited message
``repeated``         says what an earlier piece said
``too-many``         beyond the first 64
===================  =======================================================================

One whose quote names neither the value nor the thing is taken for a sign at most; see `supported`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

from vademecum.engine.formation.attributes import attribute_of
from vademecum.engine.formation.candidates import Action, Candidate, Message, Strength
from vademecum.engine.formation.rules.slots import segment
from vademecum.engine.paths import MAX_BYTES, parse_path
from vademecum.engine.records import KINDS
from vademecum.engine.values import Value
from vademecum.errors import InvalidPath, MalformedBytes

from .supported import is_supported

__all__ = [
    "LIKINGS",
    "MAX_PIECES",
    "MAX_REPLY",
    "Decoded",
    "decode_json",
    "decode_object",
    "decode_pieces",
    "decode_reply",
]

MAX_REPLY = 256 * 1024
"""Characters of a whole answer."""
MAX_PIECES = 64
LIKINGS = ("likes", "loves", "prefers", "dislikes", "hates", "avoids")
"""The values of a preference; in its path is what is liked or not."""
MAX_EVIDENCE = 16
"""Messages that one piece may cite."""
MAX_WORDS = 1_000
"""Characters of a sentence, a quote or a value."""


class Decoded(NamedTuple):
    candidates: tuple[Candidate, ...]
    rejected: dict[str, int]


class _Rejected(Exception):
    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def decode_json(text: str, limit: int = MAX_REPLY) -> Any:
    """What JSON *text* says. Raises `MalformedBytes` for anything else, for numbers that JSON has not, for objects
    that name a key twice, and for more than *limit* characters.
    """
    if len(text) > limit:
        raise MalformedBytes(f"An answer has {len(text):,} characters; at most {limit:,} are read.")
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_once)
    except MalformedBytes:
        raise
    except (ValueError, RecursionError) as error:
        raise MalformedBytes(f"An answer is not JSON ({type(error).__name__}).") from None


def decode_object(text: str) -> dict[str, Any]:
    """The one JSON object in *text*, which may have words around it: a fence, a greeting, what a model thought before
    it answered. Raises `MalformedBytes`.
    """
    said = text.rpartition("</think>")[2]
    decoded = decode_json(said[max(said.find("{"), 0) : said.rfind("}") + 1])
    if not isinstance(decoded, dict):
        raise MalformedBytes("An answer is not a JSON object.")
    return decoded


def decode_reply(text: str, messages: Mapping[str, Message]) -> Decoded:
    """The candidates in a model's *text*. *messages* by the ids that were shown. Raises `MalformedBytes`."""
    return decode_pieces(decode_object(text), messages)


def decode_pieces(reply: object, messages: Mapping[str, Message]) -> Decoded:
    """The candidates in an answer that is decoded already. Raises `MalformedBytes` if it is not
    ``{"memories": [...]}``.
    """
    if not isinstance(reply, dict) or not isinstance(reply.get("memories"), list):
        raise MalformedBytes("An answer is not an object with a list of memories.")
    pieces = reply["memories"]
    rejected: Counter[str] = Counter()
    if len(pieces) > MAX_PIECES:
        rejected["too-many"] = len(pieces) - MAX_PIECES
    found: dict[tuple[str, str, Action], Candidate] = {}
    for piece in pieces[:MAX_PIECES]:
        try:
            candidate = _candidate(piece, messages)
            key = (candidate.path, json.dumps(candidate.value), candidate.action)
            if key in found:
                raise _Rejected("repeated")
            found[key] = candidate
        except _Rejected as refusal:
            rejected[refusal.reason] += 1
    return Decoded(tuple(found.values()), dict(rejected))


def _candidate(piece: object, messages: Mapping[str, Message]) -> Candidate:
    if not isinstance(piece, dict):
        raise _Rejected("invalid")
    try:
        action = Action(_words(piece.get("action")))
        strength = Strength(_words(piece.get("strength")))
    except ValueError:
        raise _Rejected("invalid") from None
    kind = _words(piece.get("kind"))
    if kind not in KINDS:
        raise _Rejected("invalid")
    path = _path(piece.get("path"))
    value = _value(path, piece.get("value"), action)
    cited = _cited(piece.get("evidence"), messages)
    quote = _quote(_words(piece.get("quote")), cited)
    if not is_supported(path, value, quote):
        strength = Strength.WEAK
    return Candidate(
        path,
        value,
        _words(piece.get("sentence")),
        quote,
        tuple(message.id for message in cited),
        kind,
        _confidence(piece.get("confidence")),
        strength,
        action,
    )


def _words(given: object) -> str:
    """Text that says something, and that UTF-8 can hold."""
    if not isinstance(given, str) or len(given) > MAX_WORDS or not given.strip():
        raise _Rejected("invalid")
    try:
        given.encode()
    except UnicodeEncodeError:
        raise _Rejected("invalid") from None
    return given


def _path(given: object) -> str:
    """*given* with its names spelt as everywhere: ``allergies.Tree nuts`` is ``allergies.tree-nuts``."""
    if not isinstance(given, str) or len(given) > MAX_BYTES:
        raise _Rejected("forbidden-path")
    try:
        path = parse_path(".".join(segment(name) for name in given.split(".")))
    except InvalidPath:
        raise _Rejected("forbidden-path") from None
    attribute = attribute_of(path)
    if attribute is None or given.startswith("_"):
        raise _Rejected("forbidden-path")
    below = path[len(attribute.path) + 1 :]
    if attribute.many or attribute.path == "choices":
        if not below:
            raise _Rejected("forbidden-path")  # a leaf here would hide the values that stand below it
    elif below:
        raise _Rejected("forbidden-path")
    return path


def _value(path: str, given: object, action: Action) -> Value:
    if given is None:
        if action is Action.STATE:
            raise _Rejected("invalid")
        return None
    if isinstance(given, bool):
        return given
    if isinstance(given, int):
        if not -(2**63) <= given < 2**63:
            raise _Rejected("invalid")
        return given
    if isinstance(given, float):
        if given - given != 0:  # infinite: 1e999 is a number to JSON
            raise _Rejected("invalid")
        return int(given) if given.is_integer() and abs(given) < 2**53 else given
    words = _words(given).strip()
    if path.startswith("preferences."):
        words = words.casefold()
        if words not in LIKINGS:
            raise _Rejected("invalid")
    return words


def _confidence(given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given <= 1:
        raise _Rejected("invalid")
    return max(float(given), 0.001)  # what a record can say


def _cited(given: object, messages: Mapping[str, Message]) -> list[Message]:
    if not isinstance(given, list) or len(given) > MAX_EVIDENCE:
        raise _Rejected("invalid")
    cited: dict[str, Message] = {}
    for name in given:
        if not isinstance(name, str):
            raise _Rejected("invalid")
        if name not in messages:
            raise _Rejected("no-receipt")
        cited[name] = messages[name]
    if not cited:
        raise _Rejected("no-receipt")
    if not all(message.by_person for message in cited.values()):
        raise _Rejected("not-the-person")
    return list(cited.values())


def _quote(given: str, cited: list[Message]) -> str:
    """The words as the message has them; a model may write its spaces and line breaks in another way, and no more."""
    words = given.split()
    if not any(letter.isalnum() for letter in given):
        raise _Rejected("misquoted")
    pattern = re.compile(r"\s+".join(re.escape(word) for word in words))
    for message in cited:
        found = pattern.search(message.text)
        if found:
            return found[0]
    raise _Rejected("misquoted")


def _no_constant(name: str) -> NoReturn:
    raise MalformedBytes(f"An answer holds {name}, which JSON has not.")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise MalformedBytes("An answer names a key twice.")
    return found
