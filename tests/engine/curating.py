"""A small real curator for the tests of turns and sweeps: each message of the person becomes one leaf."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from vademecum.engine.agents import AgentId
from vademecum.engine.formation import signals
from vademecum.engine.formation.report import Outcome, Report, What
from vademecum.engine.formation.signals import Signal
from vademecum.engine.messages import message_parts
from vademecum.engine.records import Record
from vademecum.engine.replica import Replica, Transaction
from vademecum.engine.scopes import PUBLIC
from vademecum.engine.sessions import log
from vademecum.engine.slots import SlotMap

__all__ = ["AGENT", "LeafCurator", "LeafPlan", "leaf_of_message", "say", "waiting"]

AGENT = AgentId.parse("test/talk@1.0.0")
WRITER = "test/curator@1.0.0"


@dataclass(frozen=True)
class LeafPlan:
    handled: Sequence[Signal]
    words: Sequence[str]

    def apply(self, transaction: Transaction) -> Report:
        scope = transaction.scope(PUBLIC)
        outcomes = []
        for signal, text in zip(self.handled, self.words, strict=True):
            if signals.is_waiting(transaction.writer, signal):
                leaf = leaf_of_message(signal)
                scope.put(SlotMap.LEAVES, leaf, Record(0, writer=WRITER, value=text))
                outcomes.append(Outcome(What.MEMORY, leaf, "it was said", (signal.id,), scope=PUBLIC))
        signals.done(transaction.writer, self.handled)
        return Report(len(outcomes), signals.count(transaction.writer), tuple(outcomes))


@dataclass
class LeafCurator:
    """``before`` is called with each group before it is considered, and may raise or wait; ``read`` says which of a
    group can be read this time.
    """

    replica: Replica
    before: Callable[[Sequence[Signal]], object] = lambda group: None
    read: Callable[[Signal], bool] = lambda signal: True
    seen: list[Sequence[Signal]] = field(default_factory=list)

    def consider(self, group: Sequence[Signal]) -> LeafPlan:
        self.seen.append(group)
        self.before(group)
        handled = [one for one in group if self.read(one)]
        with self.replica.read() as view:
            records = [view.get(one.session, SlotMap.MESSAGES, one.message) for one in handled]
        return LeafPlan(handled, ["" if one is None else message_parts(one)[1] for one in records])


def leaf_of_message(signal: Signal) -> str:
    """Where the curator writes what *signal*'s message says."""
    return f"said.{signal.session.partition('/')[2]}.{signal.message.rstrip('=').replace('.', '-')}"


def say(replica: Replica, session: str, *texts: str) -> list[str]:
    """The person says *texts* in *session*, in one transaction; returns the messages' ids."""

    def work(transaction: Transaction) -> list[str]:
        return [log(transaction, AGENT, f"session/{session}", "user", text) for text in texts]

    return replica.write(work)


def waiting(replica: Replica) -> int:
    with replica.read() as view:
        return signals.count(view.reader)
