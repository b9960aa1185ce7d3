"""What every distiller does that asks a model: pieces that fit, a budget, and a service that is away.

Nothing is lost, whatever a service does. What it did not answer stays unread, with a note that says why in plain words:

- A service that cannot be reached, refuses the key or is busy is not asked again before the next sweep, so that a
  thousand vaults do not each wait for it.
- An answer that is no answer (not JSON, cut off, a refusal) may be the fault of one message: the messages are asked
  about in halves, until those are read that can be. One that fails alone waits for two sweeps, then four, up to
  `LONGEST_REST`.
- What does not fit into the token budget of a sweep waits for the next.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from vademecum.engine.formation.candidates import Candidate, Distilled, Known, Message
from vademecum.engine.tokens import estimate_tokens
from vademecum.errors import InvalidArgument, MalformedBytes

from .budget import TokenBudget
from .prompt import DISTIL, Task, document
from .replies import decode_reply

__all__ = ["Answer", "AskingDistiller", "NoAnswer", "NoService", "Spent"]

BATCH_TOKENS = 6_000
"""Tokens of messages in one request, about."""
BATCH = 40
"""Messages in one request."""
ANSWER_TOKENS = 8_000
"""The longest answer that is asked for; a model that thinks before it answers needs room for that too."""
POOR_ANSWERS = 8
"""Unusable answers in a row after which a service is left alone for this sweep; halving 40 messages takes 6."""
LONGEST_REST = 64
"""Sweeps for which a message that cannot be read alone is left alone at most: about an hour."""
REMEMBERED = 10_000
"""Messages that could not be read and are remembered, the newest."""
PATIENCE = 240.0
"""Seconds for what one session's messages may take altogether, judging what was found in them included; the rest waits,
before the sweep's claim runs out.
"""


class Answer(NamedTuple):
    """``text`` is what the model said; the counts are the service's own, in tokens, or None."""

    text: str
    sent: int | None = None
    received: int | None = None


class NoAnswer(Exception):
    """These messages got no usable answer; others may. The text is a sentence that says why."""


class NoService(NoAnswer):
    """The service answers nothing at present."""


class Spent(NoAnswer):
    """The tokens of this sweep are spent, or the time for one session's messages; nothing was asked."""


class AskingDistiller(ABC):
    """Base of the distillers that ask a model. One may serve many vaults, one thread at a time."""

    name: str

    def __init__(
        self, *, budget: TokenBudget | None, answer_tokens: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        if answer_tokens < 256:
            raise InvalidArgument(f"An answer of {answer_tokens} tokens is too short for a list; allow at least 256.")
        self.budget = budget or TokenBudget()
        self.answer_tokens = answer_tokens
        self._clock = clock
        self._until = math.inf
        self._sweep = 0
        self._away: str | None = None
        self._poor = 0
        self._rests: dict[str, tuple[int, int]] = {}  # message → (times it failed, sweep from which it is asked again)

    @abstractmethod
    def _ask(self, task: Task, text: str, answer_tokens: int) -> Answer:
        """Lays the document *text* before the model. Raises `NoAnswer` or `NoService`."""

    def ask(self, task: Task, text: str, answer_tokens: int) -> Answer:
        """The model's answer of at most *answer_tokens*, within budget and patience. Raises `NoAnswer`: `Spent` where
        one of these is, `NoService` where the service is away, and without asking until the next sweep where it was.
        """
        if self._away is not None:
            raise NoService(self._away)
        if self._clock() > self._until:
            raise Spent(f"{self.name} takes long.")
        sent = estimate_tokens(task.system) + estimate_tokens(str(task.schema)) + estimate_tokens(text)
        reserved = (sent, answer_tokens)
        if not self.budget.reserve(*reserved):
            raise Spent("The tokens that one sweep may cost are spent.")
        try:
            answer = self._ask(task, text, answer_tokens)
        except NoService as trouble:
            self.budget.settle(reserved, (0, 0))
            self._away = str(trouble)
            raise
        except NoAnswer:
            self.budget.settle(reserved, (sent, answer_tokens // 4))  # paid for, we cannot know how dearly
            raise
        received = estimate_tokens(answer.text) if answer.received is None else answer.received
        self.budget.settle(reserved, (sent if answer.sent is None else answer.sent, received))
        return answer

    def begin_sweep(self) -> None:
        """A new sweep: the budget is whole again, and a service that was away is tried again."""
        self._sweep += 1
        self._away = None
        self._poor = 0
        self._until = self._clock() + PATIENCE
        self.budget.renew()

    def distil(self, messages: Sequence[Message], context: Sequence[Message], known: Sequence[Known]) -> Distilled:
        """Candidates from *messages*; see `candidates.Distiller`. Never raises for what a service does."""
        work = _Work()
        asked = []
        for message in messages:
            if self._rests.get(message.id, (0, 0))[1] > self._sweep:
                work.unread.append(message.id)
                work.notes["Messages that the model could not read before are left for a later sweep."] = None
            else:
                asked.append(message)
        pending = list(_batches(asked))[::-1]
        self._until = self._clock() + PATIENCE
        while pending:
            batch = pending.pop()
            try:
                self._read(batch, context, known, work)
            except (NoService, Spent) as trouble:
                work.leave(batch, f"{trouble} What was said waits for the next sweep.")
            except NoAnswer as trouble:
                self._poor += 1
                if self._poor >= POOR_ANSWERS:
                    self._away = f"{trouble} That was so {self._poor} times in a row."
                    work.leave(batch, f"{self._away} What was said waits for the next sweep.")
                elif len(batch) > 1:
                    middle = len(batch) // 2
                    pending += [batch[middle:], batch[:middle]]
                else:
                    self._rest(batch[0].id)
                    work.leave(batch, f"{trouble} The message is tried again in a later sweep.")
        order = {message.id: place for place, message in enumerate(messages)}
        return Distilled(
            tuple(work.candidates),
            dict(work.rejected),
            tuple(sorted(work.unread, key=order.__getitem__)),
            " ".join(work.notes) or None,
        )

    def _read(self, batch: Sequence[Message], context: Sequence[Message], known: Sequence[Known], work: _Work) -> None:
        sheet = document(batch, context, known)
        answer = self.ask(DISTIL, sheet.text, self.answer_tokens)
        try:
            decoded = decode_reply(answer.text, sheet.messages)
        except MalformedBytes:
            raise NoAnswer(f"{self.name} answered with something else than the list that was asked for.") from None
        self._poor = 0
        for message in batch:
            self._rests.pop(message.id, None)
        work.candidates += decoded.candidates
        work.rejected.update(decoded.rejected)

    def _rest(self, message: str) -> None:
        failed = self._rests.pop(message, (0, 0))[0] + 1
        while len(self._rests) >= REMEMBERED:
            del self._rests[next(iter(self._rests))]
        self._rests[message] = (failed, self._sweep + min(2**failed, LONGEST_REST))


class _Work:
    """What has come of one call so far."""

    def __init__(self) -> None:
        self.candidates: list[Candidate] = []
        self.rejected: Counter[str] = Counter()
        self.unread: list[str] = []
        self.notes: dict[str, None] = {}

    def leave(self, batch: Sequence[Message], note: str) -> None:
        self.unread += [message.id for message in batch]
        self.notes[note] = None


def _batches(messages: Sequence[Message]) -> Iterator[list[Message]]:
    batch: list[Message] = []
    size = 0
    for message in messages:
        tokens = estimate_tokens(message.text) + 20
        if batch and (len(batch) == BATCH or size + tokens > BATCH_TOKENS):
            yield batch
            batch, size = [], 0
        batch.append(message)
        size += tokens
    if batch:
        yield batch
