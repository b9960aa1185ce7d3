"""The recovery phrase: 24 words on paper that are one more member of the vault.

The words are BIP 39's English ones for 256 bits. The keys made from them are those of the roster's `recovery` member:
they receive each epoch's secrets like any device and may admit a new device. They are not the root of anything:
whoever loses the paper loses nothing else.
"""

from __future__ import annotations

import difflib
import functools
from typing import Final

from mnemonic import Mnemonic

from vademecum.errors import InvalidArgument
from vademecum.transport import contexts
from vademecum.transport.keys import KEY_SIZE, DeviceKeys, hkdf

__all__ = ["WORDS", "new_phrase", "recovery_keys"]

WORDS: Final = 24


def new_phrase(entropy: bytes) -> str:
    """24 words, separated by spaces, for 32 secret random bytes.

    Raises:
        InvalidArgument: `entropy` has another length.
    """
    if len(entropy) != KEY_SIZE:
        raise InvalidArgument(f"A recovery phrase is made of {KEY_SIZE} random bytes, not {len(entropy)}.")
    return _english().to_mnemonic(entropy)


def recovery_keys(phrase: str) -> DeviceKeys:
    """The keys of the recovery member. Case, and how the words are separated, do not matter.

    Raises:
        InvalidArgument: a word is missing or not in the list (the message says which), or the words together are no
            phrase.
    """
    words = phrase.lower().replace(",", " ").split()
    if len(words) != WORDS:
        raise InvalidArgument(f"A recovery phrase has {WORDS} words; these are {len(words)}.")
    listed = _english().wordlist
    for number, word in enumerate(words, start=1):
        if word not in listed:
            near = difflib.get_close_matches(word, listed, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise InvalidArgument(f"Word {number} of the recovery phrase, {word!r}, is not in the list of words.{hint}")
    try:
        entropy = bytes(_english().to_entropy(words))
    except ValueError as error:
        raise InvalidArgument(
            "Every word of the recovery phrase is in the list, but together they are no phrase: one is wrong, or two "
            "have changed places."
        ) from error
    return DeviceKeys(hkdf(entropy, contexts.RECOVERY_SIGNING), hkdf(entropy, contexts.RECOVERY_RECEIVING))


@functools.cache
def _english() -> Mnemonic:
    return Mnemonic("english")
