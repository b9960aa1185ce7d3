"""Mailboxes: where two devices that share nothing but a pairing code leave each other letters.

One side makes a mailbox, one other joins it, and nobody else ever does: the relay thereby gives away one guess at the
code, not many. Held in memory only, for minutes. No clock inside: ``now`` is in seconds, from any fixed start.
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["LIFETIME", "MAX_LETTERS", "MailboxRefused", "Mailboxes"]

LIFETIME = 600.0
"""Seconds from a mailbox's making to its end."""
MAX_LETTERS = 16
"""Letters of one side. Pairing takes two."""
MAX_MAILBOXES = 4096
MAX_BYTES = 64 << 20
"""Bytes of all letters together."""
PER_ADDRESS = 16
"""Mailboxes that one network address may have made, or tried to join, within a lifetime."""


class MailboxRefused(Exception):
    """``reason`` is the stable code of the refusal, the text a sentence for the person."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


@dataclass(slots=True)
class _Box:
    ends: float
    tokens: dict[int, bytes]
    closed: bool = False
    letters: dict[tuple[int, int], bytes] = field(default_factory=dict)


class Mailboxes:
    """All mailboxes of one relay process."""

    def __init__(self) -> None:
        self._boxes: dict[bytes, _Box] = {}
        self._claims: dict[str, list[float]] = {}

    def claim(self, mailbox: bytes, side: int, token: bytes, address: str, now: float) -> float:
        """Gives the side to whoever shows ``token``, for the first time or again. Returns when the mailbox ends.

        Raises ``MailboxRefused`` with ``mailbox-missing``, ``mailbox-used`` or ``mailbox-limit``.
        """
        self._expire(now)
        box = self._boxes.get(mailbox)
        if box is not None and box.tokens.get(side) == token:
            return box.ends
        claims = self._claims.setdefault(address, [])
        if len(claims) >= PER_ADDRESS or len(self._boxes) >= MAX_MAILBOXES:
            raise MailboxRefused("mailbox-limit", "Too many pairings were tried from here; wait ten minutes.")
        claims.append(now)
        if side == 0:
            if box is not None:
                raise MailboxRefused("mailbox-used", "Another device is using that pairing code; make a new one.")
            self._boxes[mailbox] = box = _Box(now + LIFETIME, {0: token})
        elif box is None:
            raise MailboxRefused(
                "mailbox-missing",
                "No device is waiting with that pairing code. Check the code and the relay, or make a new code.",
            )
        elif 1 in box.tokens or box.closed:
            raise MailboxRefused("mailbox-used", "That pairing code was used already; make a new one.")
        else:
            box.tokens[1] = token
        return box.ends

    def put(self, mailbox: bytes, side: int, index: int, letter: bytes, now: float) -> None:
        """Leaves a letter for the other side; the same one twice is one. Raises ``MailboxRefused``."""
        box = self._find(mailbox, now)
        if box.letters.get((side, index)) == letter:
            return
        held = sum(len(one) for other in self._boxes.values() for one in other.letters.values())
        if held + len(letter) > MAX_BYTES:
            raise MailboxRefused("mailbox-limit", "The relay is busy with other pairings; try again in some minutes.")
        if box.closed or index >= MAX_LETTERS or (side, index) in box.letters:
            raise MailboxRefused("mailbox-used", "That pairing code was used already; make a new one.")
        box.letters[side, index] = letter

    def letter(self, mailbox: bytes, side: int, index: int, now: float) -> bytes | None:
        """The letter number ``index`` that ``side`` left, or None if it is not there yet. Raises ``MailboxRefused``."""
        return self._find(mailbox, now).letters.get((side, index))

    def close(self, mailbox: bytes, now: float) -> None:
        """Nobody can join any more; what was left can still be fetched until the end."""
        self._find(mailbox, now).closed = True

    def _find(self, mailbox: bytes, now: float) -> _Box:
        self._expire(now)
        box = self._boxes.get(mailbox)
        if box is None:
            raise MailboxRefused("mailbox-missing", "The pairing code has expired; make a new one.")
        return box

    def _expire(self, now: float) -> None:
        for mailbox in [name for name, box in self._boxes.items() if box.ends <= now]:
            del self._boxes[mailbox]
        for address in list(self._claims):
            recent = [at for at in self._claims[address] if at + LIFETIME > now]
            if recent:
                self._claims[address] = recent
            else:
                del self._claims[address]
