"""The person's own access: reads everything, and what it writes no agent overwrites."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from vademecum.errors import InvalidArgument, NotFound

from . import forgetting, remembering, removing
from .agents import AgentPattern
from .following import drop_agent
from .formation.links import flagged, seen
from .leaf import Leaf
from .locality import is_local
from .paths import parse_path
from .records import KINDS
from .replica import Replica, Transaction
from .scopes import PRIVATE, PUBLIC, parse_scope
from .sight import Sight
from .times import to_ms
from .trees import nest

__all__ = ["Person"]


class Person:
    """Made by ``vault.user``. Every write is durable when its method returns."""

    def __init__(self, replica: Replica) -> None:
        self._replica = replica

    def set(self, path: str, value: object, *, private: bool = False, kind: str = KINDS[0]) -> list[Leaf]:
        """Writes *value* at *path* as the person; an object becomes a subtree. Returns the leaves written.

        private: into ``user.private``, which agents read only leaf by leaf where granted.
        Raises `InvalidPath`, `InvalidValue`, `InvalidArgument`; nothing has changed then.
        """
        scope = PRIVATE if private else PUBLIC
        return self._replica.write(
            lambda transaction: remembering.set_leaves(transaction, scope, path, value, kind=kind)
        )

    def get(self, path: str, *, scope: str | None = None) -> Any:
        """The value at *path*: public, else private, else an agent's. Raises `NotFound`."""
        return self.leaf(path, scope=scope).value

    def leaf(self, path: str, *, scope: str | None = None) -> Leaf:
        """The leaf at *path* with its provenance. Raises `NotFound`."""
        canonical = parse_path(path)
        with self._replica.read() as view:
            sight = Sight(view, None)
            found = sight.find(canonical, parse_scope(scope) if scope else None)
            if found is None:
                raise NotFound(f"There is no leaf at {canonical!r}. `tree` lists what there is.")
            return seen(found[0], canonical, found[1], flagged(sight))

    def leaves(self, path: str = "") -> list[Leaf]:
        """All living leaves of Tier 1 and 2, by scope and path; with *path*, those at and below it. O(leaves)."""
        canonical = parse_path(path) if path else ""
        with self._replica.read() as view:
            sight = Sight(view, None)
            flags = flagged(sight)
            return [
                seen(scope, name, record, flags)
                for scope in sight.scopes()
                if not scope.startswith("session/")
                for name, record in view.leaves(scope, canonical)
            ]

    def tree(self, path: str = "") -> dict[str, object]:
        """All leaves as a tree: ``public``, ``private``, and ``agents`` by name; each leaf with ``_value`` and
        ``_source``, and ``_contradicted_by`` where a newer memory says otherwise. A part with no leaf is an empty
        object.
        """
        public: list[tuple[str, Leaf]] = []
        private: list[tuple[str, Leaf]] = []
        agents: dict[str, list[tuple[str, Leaf]]] = {}
        for leaf in self.leaves(path):
            if leaf.scope == PUBLIC:
                public.append((leaf.path, leaf))
            elif leaf.scope == PRIVATE:
                private.append((leaf.path, leaf))
            else:
                agents.setdefault(leaf.scope.removeprefix("agent/"), []).append((leaf.path, leaf))
        return {
            "public": nest(public, _shown),
            "private": nest(private, _shown),
            "agents": {name: nest(leaves, _shown) for name, leaves in sorted(agents.items())},
        }

    def forget(self, path: str, *, scope: str | None = None, below: bool = True) -> int:
        """Deletes *path* and, with *below*, all below it, with its history, hypotheses, the quotes that nothing else
        rests on and the messages that they quote. Returns how many leaves are gone; 0 where only history or signs of
        it were left to forget.

        In *scope*, or in every scope of Tier 1 and 2. Raises `NotFound` if there is nothing. What was forgotten stands
        in unused parts of the vault's files until they are written anew (`Vault.forget` does so).
        """
        canonical = parse_path(path)
        chosen = parse_scope(scope) if scope else None

        def work(transaction: Transaction) -> int:
            gone = 0
            found = removing.forget_sightings(transaction, canonical, chosen, below=below) > 0
            for name in [chosen] if chosen else Sight(transaction, None).scopes():
                if name.startswith("session/"):
                    continue
                paths = removing.forgettable(transaction, name, canonical, below=below)
                if paths:
                    found = True
                    gone += forgetting.forget_leaves(transaction, name, paths)
            if not found:
                raise NotFound(f"There is no leaf at {canonical!r}. `tree` lists what there is.")
            return gone

        return self._replica.write(work)

    def forget_agent(self, agent: str) -> int:
        """Deletes all that *agent* wrote (``developer/slug``, or one ``@version`` of it), everywhere.

        What it writes elsewhere before it hears of this is void when it arrives; what the person wrote stays.
        Returns how many leaves are gone here, which may be none. Raises `InvalidAgent`.
        """
        pattern = AgentPattern.parse(agent)

        def work(transaction: Transaction) -> int:
            if pattern.version is None:
                removing.forget_sightings_of(transaction, pattern.name)
            elsewhere = forgetting.scopes_written(transaction, pattern)
            scopes = dict.fromkeys([PUBLIC, f"agent/{pattern.name}", *elsewhere])
            gone = 0
            for scope in scopes:
                if is_local(transaction, scope, transaction.device):
                    drop_agent(transaction, scope, pattern)
                else:
                    gone += forgetting.forget_agent(transaction, scope, pattern)
            return gone

        return self._replica.write(work)

    def forget_session(self, session: str) -> int:
        """Deletes all that was said in *session*, every quote of it, and the memories of agents that rest on nothing
        else. What agents write there before they hear of this is void when it arrives.

        Returns how many leaves and messages are gone here. Raises `NotFound`, `InvalidScope`.
        """
        return self._replica.write(lambda transaction: removing.forget_session(transaction, session))

    def forget_span(self, *, since: datetime | None = None, before: datetime | None = None) -> int:
        """Deletes what agents learned at or after *since* and before *before*, now or in the history of a leaf.

        What another device has learned in that time and not yet sent is not known here: forget again once it has.
        Returns how many leaves are gone here, which may be none. Raises `InvalidArgument` without any bound, or for a
        span that is empty; `InvalidTime` for a naive datetime.
        """
        if since is None and before is None:
            raise InvalidArgument("Say since when, or before when, to forget what agents learned.")
        since_ms, before_ms = (None if moment is None else to_ms(moment) for moment in (since, before))
        if since_ms is not None and before_ms is not None and since_ms >= before_ms:
            raise InvalidArgument("The span to forget ends before it begins: --since must be earlier than --before.")
        return self._replica.write(lambda transaction: removing.forget_span(transaction, since_ms, before_ms))

    def grant(self, path: str, agent: str) -> None:
        """Lets *agent*, in all its versions, read ``user.private`` at and below *path*."""
        canonical, name = parse_path(path), AgentPattern.parse(agent).name
        self._replica.write(lambda transaction: remembering.grant(transaction, canonical, name))

    def revoke(self, path: str, agent: str) -> None:
        """Takes a grant back. Raises `NotFound` if there is none at exactly *path*."""
        canonical, name = parse_path(path), AgentPattern.parse(agent).name
        self._replica.write(lambda transaction: remembering.revoke(transaction, canonical, name))


def _shown(leaf: Leaf) -> dict[str, object]:
    source = leaf.source()
    shown: dict[str, object] = {
        "_value": leaf.value,
        "_source": {"_agent": source["agent"], "_created": source["created"], "_updated": source["updated"]},
    }
    if leaf.contradicted_by is not None:
        shown["_contradicted_by"] = leaf.contradicted_by
    return shown
