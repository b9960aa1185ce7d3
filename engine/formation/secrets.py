"""What must never become a memory: passwords, keys, card and account numbers. Pure.

Found by what is said of them (*my password is …*) and by their form (a key's prefix, a card's check digit). A text
that only speaks of such a thing (*I use a password manager*) is none.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

__all__ = ["holds_secret", "secret_words"]

_NAMED = re.compile(
    r"\b(?:pass(?:word|code|phrase|wd)|pin(?:\s*(?:code|number))?|cvv|cvc|otp|secret(?:\s+key)?|api[\s_-]?key|"
    r"access[\s_-]?(?:key|token)|private[\s_-]?key|recovery\s+(?:phrase|code)|seed\s+phrase|"
    r"passwort|kennwort|contraseña|clave|mot\s+de\s+passe)\b"
    r"(?:\s+(?:for|to|of|für|zu|de|para|pour)\s+[^.:=\n]{1,40}?)?\s*(?:\bis\b|\bare\b|\blautet\b|\bist\b|\bes\b|\best\b|[:=])\s*\S",
    re.IGNORECASE,
)
_NAMED_UNSPACED = re.compile(r"(?:密码|密碼|口令|パスワード|暗証番号)(?:是|为|為|は|：|:|=)\s*\S")
_FORMS = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r"|\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"
    r"|\bxox[abprs]-[\w-]{10,}"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"
    r"|\bAIza[\w-]{30,}"
    r"|\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}"
    r"|\b\d{3}-\d{2}-\d{4}\b"
)
_DIGITS = re.compile(r"(?<![\d+])(?:\d[ -]?){12,18}\d(?!\d)")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")
_TO_THE_END = re.compile(r".*?(?=[.!?,;](?:\s|$)|[。、]|$)")
_EDGES = "\"'“”„«»‘’`.,;:!?()[]<>。、「」 "
_LEAST = 4
"""Letters and digits of the shortest word that counts: a PIN's."""
_TOKEN = re.compile(r"[A-Za-z0-9+/_=-]{24,}")


def holds_secret(text: str) -> bool:
    """Whether *text* holds something that opens, pays or proves. O(length)."""
    plain = unicodedata.normalize("NFKC", text)
    return bool(
        _NAMED.search(plain)
        or _NAMED_UNSPACED.search(plain)
        or _FORMS.search(plain)
        or any(_is_card(found.group()) for found in _DIGITS.finditer(plain))
        or any(_is_iban(found.group()) for found in _IBAN.finditer(plain))
        or any(_is_random(found.group()) for found in _TOKEN.finditer(plain))
    )


def secret_words(text: str) -> frozenset[str]:
    """The words of *text* that are secrets or parts of one, in small letters. O(length).

    What is told apart from its name is no longer seen to be a secret: ``hunter2`` may be a dog. So whoever has the text
    asks which words in it were.
    """
    plain = unicodedata.normalize("NFKC", text)
    found: list[str] = []
    for line in plain.splitlines():
        for named in (*_NAMED.finditer(line), *_NAMED_UNSPACED.finditer(line)):
            found += _TO_THE_END.match(line, named.end() - 1)[0].split()  # type: ignore[index]  # matches anything
    found += [one.group() for one in _FORMS.finditer(plain)]
    found += [one.group() for one in _DIGITS.finditer(plain) if _is_card(one.group())]
    found += [one.group() for one in _IBAN.finditer(plain) if _is_iban(one.group())]
    found += [one.group() for one in _TOKEN.finditer(plain) if _is_random(one.group())]
    words = (word.casefold().strip(_EDGES) for one in found for word in (one, *one.split()))
    return frozenset(word for word in words if len(word) >= _LEAST)


def _is_card(text: str) -> bool:
    """By Luhn's check digit."""
    digits = [int(character) for character in text if character.isdigit()]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return 13 <= len(digits) <= 19 and len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_iban(text: str) -> bool:
    compact = text.replace(" ", "")
    if not 15 <= len(compact) <= 34:
        return False
    return int("".join(str(int(character, 36)) for character in compact[4:] + compact[:4])) % 97 == 1


def _is_random(text: str) -> bool:
    """Letters of both cases and digits, mixed as no word or path is."""
    changes = sum(_class(one) != _class(other) for one, other in pairwise(text))
    return (
        any(map(str.isdigit, text))
        and any(map(str.islower, text))
        and any(map(str.isupper, text))
        and changes * 3 > len(text)
    )


def _class(character: str) -> int:
    return 0 if character.isdigit() else 1 if character.isupper() else 2 if character.islower() else 3
