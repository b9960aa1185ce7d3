"""Recall: the memories most worth telling for a question, found by meaning and by words, ranked by how sure they are.

Only the indexes of scopes that the caller may see are asked; what it may not see has no part in any score. If the
model cannot be loaded, words answer alone, and the answer says so.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from vademecum.embeddings.words import query_words, text_words
from vademecum.errors import InvalidArgument, ModelUnavailable
from vademecum.storage.tables import Table

from .agents import AgentId
from .formation.links import Link, flagged
from .indexing import Indexer, Progress, index_text, parse_entry_id
from .leaf import memory_id
from .messages import message_text
from .paths import MAX_SEGMENT
from .ranking import CANDIDATES, Candidate, Ranked, fuse, meaning_query, rank
from .recollection import Recollection, Recollections
from .records import Record
from .replica import Replica
from .scopes import PRIVATE
from .sentences import sentence
from .sight import Sight
from .slots import SlotMap, decode_row, is_live
from .times import from_ms
from .vector_cache import VectorCache
from .view import row_key

if TYPE_CHECKING:
    from vademecum.embeddings.embedder import Embedder

__all__ = ["Recall"]

MAX_QUERY = 8 * 1024
"""Characters of a question; the model reads only the first few hundred anyway."""
MAX_RESULTS = 1000
EMBED_SECONDS = 0.3
"""How long a question may wait for vectors that are not computed yet; words find those memories meanwhile."""
_DAY_MS = 86_400_000.0
_NAME = re.compile(r"\w+")
_PEOPLE = "people."


class _Found(NamedTuple):
    """A living row that an index has named, not yet decoded: most of them will not be shown."""

    scope: str
    slot_map: SlotMap
    name: str
    row: bytes

    @property
    def id(self) -> str:
        return memory_id(self.scope, self.name)

    @property
    def record(self) -> Record:
        return decode_row(self.row).slots[0].record


class Recall:
    """Searches one replica. The model is loaded at the first question. Threads may share it."""

    def __init__(self, replica: Replica, folder: Path, load: Callable[[], Embedder]) -> None:
        self._replica = replica
        self._load = load
        self._lock = threading.Lock()
        self._embedder: Embedder | None = None
        self._cache: VectorCache | None = None
        self._fault: str | None = None
        self.indexer = Indexer(replica, folder)

    def close(self) -> None:
        self.indexer.close()

    def prepare(self, progress: Progress | None = None) -> int:
        """Indexes everything that waits, vectors included; returns how many rows got a vector (0 without a model)."""
        self.indexer.drain_text()
        embedder = self._model()
        if embedder is None:
            return 0
        try:
            return self.indexer.drain_vectors(embedder, progress=progress)
        except ModelUnavailable as error:
            self._give_up(error)
            return 0

    def __call__(self, query: str, k: int = 5, agent: AgentId | None = None) -> Recollections:
        """The *k* best answers to *query* that *agent* may see (None: the person), best first; fewer where there are
        none. Raises `InvalidArgument` for an empty question or a *k* outside 1–1000.
        """
        if not isinstance(query, str) or not query.strip():
            raise InvalidArgument("The question is empty; ask for something, such as 'where could we eat tonight?'.")
        if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MAX_RESULTS:
            raise InvalidArgument(f"k is {k!r}; it must be a whole number from 1 to {MAX_RESULTS}.")
        question = query.strip()[:MAX_QUERY]
        self.indexer.drain_text()
        embedder = self._model()
        if embedder is not None:
            try:
                self.indexer.drain_vectors(embedder, seconds=EMBED_SECONDS)
                return self._answer(question, k, agent, embedder)
            except ModelUnavailable as error:
                self._give_up(error)
        return self._answer(question, k, agent, None)

    @property
    def model_id(self) -> str | None:
        """Of the model that vectors are made with; None where it cannot be loaded."""
        embedder = self._model()
        return None if embedder is None else embedder.model_id

    def nearest(self, scope: str, text: str, k: int) -> list[str] | None:
        """Paths of the *k* leaves of *scope* that are nearest to *text* by meaning; None where there is no model.

        For the curator: whether a caller may see them is not asked.
        """
        self.indexer.drain_text()
        embedder = self._model()
        if embedder is None or self._cache is None:
            return None
        try:
            self.indexer.drain_vectors(embedder, seconds=EMBED_SECONDS)
            vector = embedder.embed([text])[0]
        except ModelUnavailable as error:
            self._give_up(error)
            return None
        with self._replica.read() as view:
            number = view.number(scope)
            if number is None:
                return []
            index = self._cache.index(view, number, scope)
            found = [parse_entry_id(entry) for entry, _ in index.search(vector, k)] if len(index) else []
        return [name for slot_map, name in found if slot_map is SlotMap.LEAVES]

    def similarities(self, text: str, others: Sequence[str]) -> list[float] | None:
        """Cosines of *text* with each of *others*; None where there is no model."""
        embedder = self._model()
        if embedder is None:
            return None
        try:
            rows = embedder.embed([text, *others])
        except ModelUnavailable as error:
            self._give_up(error)
            return None
        return [float(cosine) for cosine in rows[1:] @ rows[0]]

    def _answer(self, question: str, k: int, agent: AgentId | None, embedder: Embedder | None) -> Recollections:
        with self._replica.read() as view:
            sight = Sight(view, agent)
            scopes = sight.scopes()
            words = self._by_words(sight, scopes, question)
            meaning = None if embedder is None else self._by_meaning(sight, scopes, question, embedder)
            found = _living(sight, {*words, *(meaning or {})})
            flags = flagged(sight) if found else {}
        now = self._replica.wall()
        fused = fuse(None if meaning is None else _of(meaning, found), _of(words, found))
        ranked = rank(fused, lambda key: _candidate(key, found[key], now, flags), k)
        return Recollections(
            [_recollection(found[one.id], one, flags) for one in ranked],
            method="text" if embedder is None else "hybrid",
            note=self._fault,
        )

    def _model(self) -> Embedder | None:
        with self._lock:
            if self._embedder is None and self._fault is None:
                try:
                    embedder = self._load()
                except ModelUnavailable as error:
                    self._give_up(error)
                    return None
                self.indexer.change_model(embedder)
                folder = None if self._replica.environment.sealer is not None else self.indexer.folder
                self._cache = VectorCache(folder, embedder.model_id, embedder.dimensions)
                self._embedder = embedder
            return self._embedder

    def _give_up(self, error: ModelUnavailable) -> None:
        """Words answer alone from now on, and every answer says why."""
        self._embedder = None
        self._fault = f"Answered from words alone: {error.message}"

    def _by_words(self, sight: Sight, scopes: list[str], question: str) -> dict[str, float]:
        whole = [scope for scope in scopes if not _is_partial(sight, scope)]
        found = self.indexer.text.search_scopes(whole, question, CANDIDATES)
        scores = {f"{scope}\n{entry}": score for scope, entry, score in found}
        if len(whole) < len(scopes) and sight.granted():
            scores |= self._by_words_granted(sight, question, max(scores.values(), default=1.0))
        return scores

    def _by_words_granted(self, sight: Sight, question: str, best: float) -> dict[str, float]:
        """Leaves of ``user.private`` that this caller sees, by the share of the question's words that they have.

        Not by their BM25 score: that weighs a word by how many leaves have it, and so would tell of all the others.
        """
        text = self.indexer.text
        every = max(1, text.count(PRIVATE))
        entries = [entry for entry, _ in text.search(PRIVATE, question, every) if _visible(sight, PRIVATE, entry)]
        wanted = [word for word, _ in query_words(question)]
        scores = {}
        for entry in entries[:CANDIDATES]:
            slot_map, name = parse_entry_id(entry)
            record = sight.view.get(PRIVATE, slot_map, name)
            if record is not None:
                there = set(text_words(index_text(slot_map, name, record) or "").split())
                # one word at least it has, in another form than the question's
                share = max(1, sum(word in there for word in wanted)) / len(wanted)
                scores[f"{PRIVATE}\n{entry}"] = best * share
        return scores

    def _by_meaning(self, sight: Sight, scopes: list[str], question: str, embedder: Embedder) -> dict[str, float]:
        assert self._cache is not None  # made together with the embedder
        vector = embedder.embed([meaning_query(question, _known_names(sight, scopes, question))])[0]
        near: list[tuple[float, str]] = []
        for scope in scopes:
            number = sight.view.number(scope)
            if number is None:
                continue
            index = self._cache.index(sight.view, number, scope)
            wanted = len(index) if _is_partial(sight, scope) else CANDIDATES
            for entry, cosine in index.search(vector, wanted) if wanted and len(index) else ():
                if _visible(sight, scope, entry):
                    near.append((cosine, f"{scope}\n{entry}"))
        near.sort(key=lambda pair: (-pair[0], pair[1]))
        return {key: cosine for cosine, key in near[:CANDIDATES]}


def _is_partial(sight: Sight, scope: str) -> bool:
    """Whether this caller sees only some of the scope's leaves."""
    return scope == PRIVATE and sight.agent is not None


def _visible(sight: Sight, scope: str, entry: str) -> bool:
    return not _is_partial(sight, scope) or sight.may_see(scope, parse_entry_id(entry)[1])


def _known_names(sight: Sight, scopes: list[str], question: str) -> set[str]:
    """Words of the question that begin with a capital and are a person the vault has leaves about."""
    reader = sight.view.reader
    names = set()
    for word in set(_NAME.findall(question)):
        if not word[0].isupper() or len(word) > MAX_SEGMENT:
            continue
        below = row_key(SlotMap.LEAVES, f"{_PEOPLE}{word}.")
        numbers = (sight.view.number(scope) for scope in scopes if not _is_partial(sight, scope))
        if any(number is not None and reader.has(Table.LEAVES, number + below) for number in numbers):
            names.add(word.casefold())
    return names


def _living(sight: Sight, keys: set[str]) -> dict[str, _Found]:
    """What the indexes named, as it stands now: an index may be late, the rows are not."""
    reader = sight.view.reader
    numbers = {scope: number for number, scope in sight.view.scope_names().items()}
    found = {}
    for key in keys:
        scope, _, entry = key.partition("\n")
        slot_map, name = parse_entry_id(entry)
        row = reader.get(Table.LEAVES, numbers[scope] + row_key(slot_map, name))
        if row is not None and is_live(row):
            found[key] = _Found(scope, slot_map, name, row)
    return found


def _of(scores: dict[str, float], found: dict[str, _Found]) -> dict[str, float]:
    return {key: score for key, score in scores.items() if key in found}


def _candidate(key: str, one: _Found, now_ms: int, flags: Mapping[str, Link]) -> Candidate:
    record = one.record
    return Candidate(
        key,
        record.kind,
        record.confidence,
        (now_ms - record.updated) / _DAY_MS,
        # a message is what was said, and does not become less so
        by_person=record.by_person or one.slot_map is SlotMap.MESSAGES,
        contradicted=one.slot_map is SlotMap.LEAVES and one.id in flags,
        half_life_days=record.half_life,
    )


def _recollection(one: _Found, ranked: Ranked, flags: Mapping[str, Link]) -> Recollection:
    record = one.record
    is_message = one.slot_map is SlotMap.MESSAGES
    return Recollection(
        one.scope,
        one.name,
        message_text(record) if is_message else record.value,
        message_text(record) if is_message else record.sentence or sentence(one.name, record.value),
        ranked.score,
        record.writer,
        from_ms(record.created),
        from_ms(record.updated),
        ranked.why(),
        flags[one.id].source if ranked.contradicted else None,
    )
