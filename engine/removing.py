"""What the person can have forgotten beside an agent: paths, a session, and what agents learned in a span of time.

A memory stays only as long as other words justify it. So with a session go the sightings that were made in it, and the
memories of agents for which nothing but that session speaks; with a memory go the quotes that nothing else rests on,
and the messages that they quote, from which it could otherwise be learned again.

What agents write elsewhere before their device hears of this is void when it arrives at a path that was deleted, and
in a session that was forgotten. At another path, learned in the span but not yet told, it is not.
"""

from __future__ import annotations

from collections.abc import Callable

from vademecum.errors import NotFound

from . import journal
from .agents import AgentId, AgentPattern
from .dropping import drop_messages
from .following import state_emptied
from .forgetting import (
    cited_place,
    drop_receipts,
    drop_suggestions,
    forget_agent,
    forget_leaves,
    note_forgetting,
    note_purge,
)
from .formation import attempts, hypotheses
from .locality import is_local
from .records import USER, Record
from .replica import Transaction
from .scopes import PRIVATE, PUBLIC, session_scope
from .sight import OWNER
from .slots import SlotMap
from .view import View, row_key

__all__ = ["forget_session", "forget_sightings", "forget_sightings_of", "forget_span", "forgettable"]

_SAID = (
    SlotMap.LEAVES,
    SlotMap.MESSAGES,
    SlotMap.RECEIPTS,
    SlotMap.LINKS,
    SlotMap.OBSERVATIONS,
    SlotMap.SUGGESTIONS,
)
_COUNTED = (SlotMap.LEAVES, SlotMap.MESSAGES)


def forgettable(view: View, scope: str, path: str, *, below: bool = True) -> list[str]:
    """The leaves at *path*, and with *below* under it, that have a value now or in their history, or suggested."""
    number = view.number(scope)
    if number is None:
        return []
    found = [
        name
        for name, row in view.rows(scope, SlotMap.LEAVES, path)
        if (name == path or (below and name.startswith(path + ".")))
        and (row.live or any(_has_value(entry) for entry in journal.history(view.reader, number, _key(name))))
    ]
    for name, row in view.rows(scope, SlotMap.SUGGESTIONS, path):
        at = name.rpartition(":")[0]
        if row.live and (at == path or (below and at.startswith(path + "."))) and at not in found:
            found.append(at)
    return found


def forget_session(transaction: Transaction, session: str) -> int:
    """Forgets all that was said in *session*, and the memories of agents that rest on nothing else.

    Returns how many leaves and messages are gone. Raises `NotFound`, `InvalidScope`. O(the vault).
    """
    name = session_scope(session)
    known = transaction.number(name) is not None
    local = is_local(transaction, name, transaction.device)
    gone = (_drop_all if local else _forget_inside)(transaction, name) if known else 0
    for scope in transaction.scopes():
        if scope == name:
            continue
        quotes = {
            receipt
            for receipt, row in transaction.rows(scope, SlotMap.RECEIPTS)
            if row.winner is not None and (cited_place(row.winner) or ("", ""))[0] == name
        }
        if quotes:
            known = True
            gone += _forget_learned(transaction, scope, lambda record, quotes=quotes: _rests_on(record, quotes))  # type: ignore[misc]
            _delete(transaction, scope, SlotMap.RECEIPTS, quotes)
    known |= hypotheses.forget(transaction, lambda sighting, _: sighting.session == name) > 0
    if not known:
        raise NotFound(f"There is no session {session!r}.")
    if local or transaction.number(name) is None:  # one of that name may stay on another device
        state_emptied(transaction, name)
    return gone


def forget_span(transaction: Transaction, since_ms: int | None, before_ms: int | None) -> int:
    """Forgets what agents learned at or after *since_ms* and before *before_ms* (None: no bound), in Tier 1 and 2.

    Earlier values of memories that were changed since go out of the history. Returns how many leaves are gone.
    """

    def learned(record: Record) -> bool:
        return (since_ms is None or record.updated >= since_ms) and (before_ms is None or record.updated < before_ms)

    hypotheses.forget(transaction, lambda _, record: learned(record))
    return sum(
        _forget_learned(transaction, scope, learned)
        for scope in transaction.scopes()
        if not scope.startswith("session/")
    )


def forget_sightings(transaction: Transaction, path: str, scope: str | None = None, *, below: bool = True) -> int:
    """Forgets the hypotheses at *path* and, with *below*, under it, in *scope* or in both of Tier 1; returns how many
    sightings they had.
    """

    def lies_there(sighting: hypotheses.Sighting, _: Record) -> bool:
        return sighting.path == path or (below and sighting.path.startswith(path + "."))

    return hypotheses.forget(transaction, lies_there, (PUBLIC, PRIVATE) if scope is None else (scope,))


def forget_sightings_of(transaction: Transaction, agent: str) -> int:
    """Forgets what was seen in the sessions of *agent* (``developer/slug``) and is no memory yet; returns how many."""
    return hypotheses.forget(transaction, lambda sighting, _: sighting.agent == agent)


def _forget_inside(transaction: Transaction, name: str) -> int:
    gone = sum(row.live for slot_map in _COUNTED for _, row in transaction.rows(name, slot_map))
    for agent in _agents(transaction, name):
        forget_agent(transaction, name, AgentPattern(agent, None))  # makes void what arrives later, too
    for slot_map in _SAID:
        _delete(transaction, name, slot_map, [one for one, row in transaction.rows(name, slot_map) if row.live])
    attempts.forget(transaction.writer, name)
    note_forgetting(transaction.scope(name))
    return gone


def _drop_all(transaction: Transaction, name: str) -> int:
    """The same for a session that stays here, in which nothing can be stated."""
    messages = [message for message, row in transaction.rows(name, SlotMap.MESSAGES) if row.live]
    drop_messages(transaction, name, messages, by_person=True)
    attempts.forget(transaction.writer, name)
    note_purge(transaction)
    return len(messages)


def _agents(view: View, session: str) -> list[str]:
    """The agents that wrote in *session*, and the one whose session it is."""
    writers = {
        slot.record.writer
        for slot_map in _SAID
        for _, row in view.rows(session, slot_map)
        for slot in row.slots
        if not slot.by_person
    }
    found = {AgentId.parse(writer).name for writer in writers}
    owner = view.get(session, SlotMap.SETTINGS, OWNER)
    if owner is not None and isinstance(owner.value, str) and AgentPattern.is_valid(owner.value):
        found.add(AgentPattern.parse(owner.value).name)
    return sorted(found)


def _forget_learned(transaction: Transaction, scope_name: str, meant: Callable[[Record], bool]) -> int:
    """Forgets the leaves whose value an agent wrote in a record that is *meant*, and such values of the past."""
    paths = [
        name
        for name, record in transaction.leaves(scope_name)
        if record.writer != USER and meant(record)
    ]  # fmt: skip
    gone = forget_leaves(transaction, scope_name, paths) if paths else 0
    scope = transaction.scope(scope_name)
    receipts: set[str] = set()
    for _, entry, _ in list(journal.scope_entries(transaction.writer, scope.number)):
        if entry.map is SlotMap.LEAVES and _has_value(entry) and entry.record.writer != USER and meant(entry.record):
            receipts.update(entry.record.receipts)
            journal.empty_entry(transaction.writer, entry)
            note_forgetting(scope)
    drop_receipts(scope, receipts)
    drop_suggestions(
        scope,
        [
            name
            for name, row in transaction.rows(scope_name, SlotMap.SUGGESTIONS)
            if row.winner is not None and not row.winner.by_person and meant(row.winner)
        ],
    )
    return gone


def _delete(transaction: Transaction, scope_name: str, slot_map: SlotMap, names: object) -> None:
    scope = transaction.scope(scope_name)
    for name in sorted(names):  # type: ignore[call-overload]
        scope.put(slot_map, name, Record(0, deleted=True))


def _rests_on(record: Record, receipts: set[str]) -> bool:
    return bool(record.receipts) and receipts.issuperset(record.receipts)


def _has_value(entry: journal.Entry) -> bool:
    return not entry.forgotten and not entry.record.deleted


def _key(name: str) -> bytes:
    return row_key(SlotMap.LEAVES, name)
