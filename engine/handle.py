"""What an agent gets: a handle that reaches what the agent may see and write, and nothing else.

The handle holds functions that are already confined, not the replica. Inside one process that is a matter of good
manners, since Python can always look behind a closure; across a process boundary it is structural.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol

from vademecum.errors import Confined, InvalidArgument, NotFound

from . import audit, remembering
from .agents import AgentId, AgentPattern
from .audit import Change, Why
from .formation.links import flagged, seen
from .leaf import Leaf
from .paths import parse_path
from .recollection import Recollections
from .records import KINDS
from .replica import Replica
from .scopes import PUBLIC, agent_scope
from .sight import Sight
from .times import to_ms
from .trees import nest

if TYPE_CHECKING:
    from .formation.budget import Budget
    from .formation.suggestions import Suggestion
    from .session_handle import SessionHandle

__all__ = ["AgentHandle", "Search", "agent_handle"]


class Search(Protocol):
    """Recall, for the caller named: the person where *agent* is None."""

    def __call__(self, query: str, k: int, agent: AgentId | None) -> Recollections: ...


class AgentHandle:
    """One agent's access to the vault. Made by ``vault.agent(id)``.

    It reads ``user.public``, the leaves of ``user.private`` that the person granted to it, its own scope and its own
    sessions; it writes ``user.public``, its own scope and its sessions.
    """

    __slots__ = (
        "_consolidate",
        "_look",
        "_open_session",
        "_remember",
        "_search",
        "_suggest",
        "_wall",
        "_withdraw",
        "agent",
    )

    def __init__(
        self,
        agent: AgentId,
        look: Callable[[Callable[[Sight], Any]], Any],
        remember: Callable[..., list[Leaf]],
        withdraw: Callable[[str, str], None],
        search: Callable[[str, int], Recollections],
        open_session: Callable[[str, timedelta | None], SessionHandle],
        suggest: Callable[..., list[Suggestion]],
        consolidate: Callable[..., list[Leaf]],
        wall: Callable[[], int],
    ) -> None:
        self.agent = agent
        self._look = look
        self._remember = remember
        self._withdraw = withdraw
        self._search = search
        self._open_session = open_session
        self._suggest = suggest
        self._consolidate = consolidate
        self._wall = wall

    def session(self, session: str, *, lifetime: timedelta | None = None) -> SessionHandle:
        """The conversation *session* (1–64 letters, digits, ``.``, ``_``, ``-``); its first message makes it.

        lifetime: how long it is kept after its last message: 30 days by default, ``timedelta.max`` for ever. Of a
            session that is there, one that is given replaces the one it has, with the next message.

        Raises `Confined` if it is another agent's, `InvalidScope`, `InvalidArgument`.
        """
        return self._open_session(session, lifetime)

    def remember(
        self,
        path: str,
        value: object,
        *,
        because: str | None = None,
        evidence: Sequence[str] = (),
        scope: str = "user",
        kind: str = KINDS[0],
        confidence: float = 1.0,
        sentence: str | None = None,
        at: datetime | None = None,
    ) -> list[Leaf]:
        """Remembers *value* at *path*; durable when this returns. Returns the leaves written, several for an object.
        The same value again confirms what is there: the receipt comes to those it has, and its age begins anew.

        One of these is the reason, and becomes the receipt, which `why` shows for ever:

        evidence: ids of messages of this agent's own sessions (``session/<id>:<name>``) that say so; for what is about
            the person, one of them at least the person's.
        because: the person's own words; with *evidence*, a quote from one of those messages.

        scope: ``user`` for what is about the person (every agent reads it), ``agent`` for this agent's own work.
        kind: one of ``fact``, ``identity``, ``preference``, ``skill``, ``technical``, ``behaviour``, ``project``,
            ``context``; decides how fast confidence fades.
        confidence: above 0, up to 1.
        sentence: how it reads in words; derived from path and value by default.
        at: when the words of *because* were said, an aware datetime; now by default. Messages know it themselves.

        Raises `Protected` where the person's own value stands, `BudgetExceeded` where what is new about the person has
        no room, `ReceiptRequired`, `Misquoted`, `NotThePerson`, `NotFound`, `Confined`, `InvalidPath`, `InvalidValue`,
        `InvalidTime`; nothing has changed then.
        """
        return self._remember(
            path,
            value,
            because=because,
            evidence=evidence,
            scope=scope,
            kind=kind,
            confidence=confidence,
            sentence=sentence,
            said_ms=None if at is None else to_ms(at),
        )

    def get(self, path: str) -> Any:
        """The value at *path*, from the first of its scopes that has one. Raises `NotFound`."""
        return self.leaf(path).value

    def leaf(self, path: str) -> Leaf:
        """The leaf at *path* with its provenance. Raises `NotFound`."""
        canonical = parse_path(path)

        def find(sight: Sight) -> Leaf:
            found = sight.find(canonical)
            if found is None:
                raise NotFound(f"There is no leaf at {canonical!r} that {self.agent} may read.")
            return seen(found[0], canonical, found[1], flagged(sight))

        return self._look(find)  # type: ignore[no-any-return]  # a look returns what it is given to do

    def tree(self, path: str = "") -> dict[str, object]:
        """All leaves this agent sees, nested by scope and segment; with *path*, those at and below it."""
        canonical = parse_path(path) if path else ""

        def show(sight: Sight) -> dict[str, object]:
            tree: dict[str, object] = {}
            flags = flagged(sight)
            for scope in sight.scopes():
                leaves = [(name, seen(scope, name, record, flags)) for name, record in sight.leaves(scope, canonical)]
                if leaves:
                    tree[scope] = nest(leaves, _shown)
            return tree

        return self._look(show)  # type: ignore[no-any-return]

    def forget(self, path: str, *, scope: str = "user") -> None:
        """Deletes the leaf at *path*. Raises `Protected` where the person's own value stands, `NotFound`."""
        self._withdraw(parse_path(path), scope)

    def suggest(
        self,
        path: str,
        value: object,
        *,
        because: str | None = None,
        evidence: Sequence[str] = (),
        kind: str = KINDS[0],
        confidence: float = 1.0,
        sentence: str | None = None,
    ) -> list[Suggestion]:
        """Puts before the person what they might want at *path*: the way to change what they wrote themselves, which
        no agent may. Returns one suggestion for each leaf. Nothing changes until they accept it (``vault.accept``).

        The reason is given as in `remember`. The same suggestion again gains the receipt.

        Raises `Refused` for what the person has rejected before or wrote themselves, `SuggestionsFull`,
        `ReceiptRequired`, `Misquoted`, `NotThePerson`, `NotFound`, `Confined`, `InvalidPath`, `InvalidValue`; nothing
        has changed then.
        """
        return self._suggest(
            path,
            value,
            because=because,
            evidence=evidence,
            kind=kind,
            confidence=confidence,
            sentence=sentence,
        )

    def consolidate(
        self,
        ids: Sequence[str],
        *,
        into: tuple[str, object],
        because: str | None = None,
        evidence: Sequence[str] = (),
        kind: str | None = None,
        confidence: float | None = None,
        sentence: str | None = None,
    ) -> list[Leaf]:
        """Makes of the memories *ids* (as ``leaf.id``) one, ``into=(path, value)``, in one step; it works where there
        is no room for another. The receipts of all of them stay.

        because: why they are one, in the agent's own words. evidence: messages that say so. One of them must be given.
        kind, confidence: by default the kind that they share (else ``fact``), and what age has left of the surest.

        Raises `Protected` if any of them, or what stands at the path, is the person's own; `Confined` for memories
        elsewhere than in ``user.public`` or the agent's own scope; `NotFound`, `InvalidArgument` (one named twice, two
        scopes, another memory at the path), `ReceiptRequired`, `BudgetExceeded`; nothing has changed then.
        """
        return self._consolidate(
            ids,
            into,
            because=because,
            evidence=evidence,
            kind=kind,
            confidence=confidence,
            sentence=sentence,
        )

    def budget(self) -> Budget:
        """How many memories about the person agents may still add, and what there is of them, as far as this agent may
        see it: to look at before an error says it.
        """
        from .formation.budget import look

        return self._look(lambda sight: look(sight, self._wall()))  # type: ignore[no-any-return]

    def recall(self, query: str, k: int = 5) -> Recollections:
        """The *k* memories most worth telling for *query*, best first, of those this agent may see."""
        return self._search(query, k)

    def why(self, path: str) -> Why:
        """Who wrote *path*, when, because of which words, and what stood there before. Raises `NotFound`."""
        canonical = parse_path(path)
        return self._look(lambda sight: audit.why(sight, canonical))  # type: ignore[no-any-return]

    def log(self, *, path: str | None = None, limit: int | None = None) -> list[Change]:
        """This agent's own changes, all versions of it, newest first; with *path*, those at and below it.

        Raises `InvalidPath`, `InvalidArgument` for a *limit* below 1.
        """
        mine = AgentPattern(self.agent.name, None)
        canonical = None if path is None else parse_path(path)
        return self._look(lambda sight: audit.log(sight, agent=mine, path=canonical, limit=limit))  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"AgentHandle({str(self.agent)!r})"


def _shown(leaf: Leaf) -> dict[str, object]:
    mark = {} if leaf.contradicted_by is None else {"_contradicted_by": leaf.contradicted_by}
    return {"_value": leaf.value, "_source": leaf.source(), **mark}


def agent_handle(replica: Replica, search: Search, agent: AgentId) -> AgentHandle:
    """The confined functions of *agent*, bound together."""

    def look(question: Callable[[Sight], Any]) -> Any:
        with replica.read() as view:
            found = question(Sight(view, agent))
        if isinstance(found, Leaf):
            replica.shown.note([found.text], replica.wall())
        return found

    def remember(path: str, value: object, *, scope: str, **how: Any) -> list[Leaf]:
        target = _target(agent, scope)
        return replica.write(lambda transaction: remembering.remember(transaction, agent, target, path, value, **how))

    def withdraw(path: str, scope: str) -> None:
        target = _target(agent, scope)
        replica.write(lambda transaction: remembering.withdraw(transaction, agent, target, path))

    def recall(query: str, k: int) -> Recollections:
        found = search(query, k, agent)
        replica.shown.note((one.text for one in found), replica.wall())
        return found

    def open_session(session: str, lifetime: timedelta | None) -> SessionHandle:
        from .session_handle import session_handle

        return session_handle(replica, agent, session, lifetime)

    def suggest(path: str, value: object, **how: Any) -> list[Suggestion]:
        from .formation.suggestions import suggest_as

        return replica.write(lambda transaction: suggest_as(transaction, agent, path, value, **how))

    def consolidate(ids: Sequence[str], into: tuple[str, object], **how: Any) -> list[Leaf]:
        from .formation.consolidating import consolidate as work

        return replica.write(lambda transaction: work(transaction, agent, ids, into, **how))

    return AgentHandle(agent, look, remember, withdraw, recall, open_session, suggest, consolidate, replica.wall)


def _target(agent: AgentId, scope: str) -> str:
    if scope == "user":
        return PUBLIC
    if scope == "agent":
        return agent_scope(agent)
    if isinstance(scope, str) and scope.startswith(("user.", "agent/", "session/")):
        raise Confined(
            f"An agent writes the scopes 'user' and 'agent' (its own); {scope!r} cannot be named by {agent}."
        )
    raise InvalidArgument(f"{scope!r} is neither 'user' nor 'agent'.")
