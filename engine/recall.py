"""Recall: the memories most worth telling for a question, found by meaning and by words, ranked by how sure they are.

Only the indexes of scopes that the caller may see are asked; what it may not see has no part in any score. If the
model cannot be loaded, words answer alone, and the answer says so.
"""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.embeddings.words import query_words, text_words
from vademecum.errors import InvalidArgument, ModelUnavailable
from vademecum.storage.tables import Table

from .agents import AgentId
from .conversation import Turn
from .formation.links import Link, flagged
from .found import Found, around, living, turns_of
from .indexing import Indexer, Progress, index_text, parse_entry_id
from .messages import ROLES, message_parts, message_text
from .paths import MAX_SEGMENT
from .question import is_named, meaning_query, name_words
from .ranking import CANDIDATES, Candidate, Ranked, fuse, rank
from .recollection import Recollection, Recollections
from .replica import Replica
from .scopes import PRIVATE
from .sentences import sentence
from .sight import Sight
from .slots import SlotMap
from .time_words import asked_time
from .times import from_ms
from .vector_cache import VectorCache
from .view import row_key
from .weighing import NOT_NAMED, Asked, weigh
from .weights import Weights

if TYPE_CHECKING:
    from vademecum.embeddings.embedder import Embedder

__all__ = ["Recall"]

MAX_QUERY = 8 * 1024
"""Characters of a question; the model reads only the first few hundred anyway."""
MAX_RESULTS = 1000
EMBED_SECONDS = 0.3
"""How long a question may wait for vectors that are not computed yet; words find those memories meanwhile."""
POOL = 64
"""Entries of the best fit by themselves whose surroundings are looked at. With 100 of them nothing more is found than
within the noise, and each costs some ten microseconds."""
_DAY_MS = 86_400_000.0
_PEOPLE = "people."


class Recall:
    """Searches one replica. The model is loaded at the first question. Threads may share it."""

    def __init__(self, replica: Replica, folder: Path, load: Callable[[], Embedder]) -> None:
        self._replica = replica
        self._load = load
        self._lock = threading.Lock()
        self._embedder: Embedder | None = None
        self._cache: VectorCache | None = None
        self._fault: str | None = None
        self.weights = Weights()
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

    def nearest(self, scope: str, text: str, k: int, of: SlotMap = SlotMap.LEAVES) -> list[str] | None:
        """Names of the *k* leaves of *scope* (or of its messages) that are nearest to *text* by meaning, nearest first;
        None where there is no model.

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
        return [name for slot_map, name in found if slot_map is of]

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
        now = self._replica.wall()
        with self._replica.read() as view:
            sight = Sight(view, agent)
            scopes = sight.scopes()
            numbers = {scope: number for number, scope in view.scope_names().items()}
            words = self._by_words(sight, scopes, question)
            found = living(sight, words, numbers)
            names, people = _named(sight, scopes, question, found.values())
            meaning = None
            if embedder is not None:
                meaning = self._by_meaning(sight, scopes, meaning_query(question, names), embedder)
                found |= living(sight, meaning.keys() - found.keys(), numbers)
            fused = fuse(None if meaning is None else _of(meaning, found), _of(words, found))
            pool = heapq.nlargest(max(POOL, 2 * k), fused, key=lambda key: fused[key].score)
            turns = _turns(sight, [found[key] for key in pool], found, numbers)
            flags = flagged(sight) if found else {}
        asked = Asked(people, asked_time(question, from_ms(now)))
        considered = {key: found[key] for key in {*pool, *turns}}
        weighed = weigh(
            {key: fused.get(key, NOT_NAMED) for key in considered},
            turns,
            {key: subject for key, one in considered.items() if (subject := _subject(one))},
            {key: _moments(one) for key, one in considered.items()} if asked.time else {},
            asked,
            self.weights,
        )
        ranked = rank(weighed, lambda key: _candidate(found[key], now, flags), k)
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
        whole = [scope for scope in scopes if not sight.is_partial(scope)]
        found = self.indexer.text.search_scopes(whole, question, CANDIDATES)
        scores = {f"{scope}\n{entry}": score for scope, entry, score in found}
        best = max(scores.values(), default=1.0)
        for scope in scopes:
            if sight.is_partial(scope) and (scope != PRIVATE or sight.granted()):
                scores |= self._by_words_seen(sight, scope, question, best)
        return scores

    def _by_words_seen(self, sight: Sight, scope: str, question: str, best: float) -> dict[str, float]:
        """What this caller sees of a partial *scope*, by the share of the question's words that each entry has.

        Not by their BM25 score: that weighs a word by how many entries have it, and so would tell of all the others.
        """
        text = self.indexer.text
        every = max(1, text.count(scope))
        entries = [entry for entry, _ in text.search(scope, question, every) if _visible(sight, scope, entry)]
        wanted = [word for word, _ in query_words(question)]
        shares: list[tuple[float, str]] = []
        for entry in entries:
            slot_map, name = parse_entry_id(entry)
            record = sight.view.get(scope, slot_map, name)
            if record is not None:
                there = set(text_words(index_text(slot_map, name, record) or "").split())
                # one word at least it has, in another form than the question's
                shares.append((max(1, sum(word in there for word in wanted)) / len(wanted), entry))
        # which are left out must not follow from the order in which the index named them, either
        shares.sort(key=lambda pair: (-pair[0], pair[1]))
        return {f"{scope}\n{entry}": best * share for share, entry in shares[:CANDIDATES]}

    def _by_meaning(self, sight: Sight, scopes: list[str], question: str, embedder: Embedder) -> dict[str, float]:
        assert self._cache is not None  # made together with the embedder
        vector = embedder.embed([question])[0]
        near: list[tuple[float, str]] = []
        for scope in scopes:
            number = sight.view.number(scope)
            if number is None:
                continue
            index = self._cache.index(sight.view, number, scope)
            wanted = len(index) if sight.is_partial(scope) else CANDIDATES
            for entry, cosine in index.search(vector, wanted) if wanted and len(index) else ():
                if _visible(sight, scope, entry):
                    near.append((cosine, f"{scope}\n{entry}"))
        near.sort(key=lambda pair: (-pair[0], pair[1]))
        return {key: cosine for cosine, key in near[:CANDIDATES]}


def _visible(sight: Sight, scope: str, entry: str) -> bool:
    return not sight.is_partial(scope) or sight.may_see(scope, parse_entry_id(entry)[1])


def _named(sight: Sight, scopes: list[str], question: str, found: Collection[Found]) -> tuple[set[str], frozenset[str]]:
    """Whom the question names: the words of it that are names, and the people as speakers and paths have them.

    Those are people whom the vault has leaves about, and whoever said something that was found by its words: what a
    person says is indexed with their name.
    """
    possible = name_words(question)
    people = _known_people(sight, scopes, possible)
    for speaker in _speakers(found, question, possible):
        if speaker not in ROLES and is_named(speaker, question, possible):
            people.add(speaker)
    return {word for name in people for word in name_words(name) or {name}}, frozenset(people)


def _known_people(sight: Sight, scopes: list[str], words: set[str]) -> set[str]:
    """Words that are a person the vault has leaves about."""
    reader = sight.view.reader
    numbers = [sight.view.number(scope) for scope in scopes if not sight.is_partial(scope)]
    people = set()
    for word in words:
        if len(word) <= MAX_SEGMENT:
            below = row_key(SlotMap.LEAVES, f"{_PEOPLE}{word}.")
            if any(number is not None and reader.has(Table.LEAVES, number + below) for number in numbers):
                people.add(word)
    return people


def _speakers(found: Collection[Found], question: str, possible: set[str]) -> set[str]:
    """Speakers among what was found. Where a name has capitals, only rows that hold one of the question are decoded."""
    wanted = {word: word.encode() for word in possible}
    speakers: set[str] = set()
    for one in found:
        if one.is_turn and (not question.isascii() or any(word in one.row for word in wanted.values())):
            speaker = message_parts(one.record)[0]
            speakers.add(speaker)
            for word in wanted.keys() & name_words(speaker):
                del wanted[word]
    return speakers


def _turns(
    sight: Sight, pool: Collection[Found], found: dict[str, Found], numbers: Mapping[str, bytes]
) -> dict[str, Turn]:
    """The turns of the pool and those next to them, which are added to *found*."""
    pooled = [one for one in pool if one.is_turn]
    places = around(sight, pooled, numbers)
    missing = {key for pair in places.values() for key in pair if key is not None and key not in found}
    found |= {key: one for key, one in living(sight, missing, numbers).items() if sight.may_see(one.scope, one.name)}
    keys = {one.key for one in pooled} | {key for pair in places.values() for key in pair if key in found}
    for key, (before, after) in list(places.items()):
        if before is not None:
            places[before] = (places.get(before, (None, None))[0], key)
        if after is not None:
            places[after] = (key, places.get(after, (None, None))[1])
    return turns_of({key: found[key] for key in keys}, places)


def _subject(one: Found) -> str | None:
    """Whom a leaf is about, where its path says so."""
    if one.is_turn or not one.name.startswith(_PEOPLE):
        return None
    return one.name[len(_PEOPLE) :].partition(".")[0]


def _moments(one: Found) -> tuple[datetime, ...]:
    record = one.record
    return (from_ms(record.created),) if one.is_turn else (from_ms(record.created), from_ms(record.updated))


def _of(scores: dict[str, float], found: dict[str, Found]) -> dict[str, float]:
    return {key: score for key, score in scores.items() if key in found}


def _candidate(one: Found, now_ms: int, flags: Mapping[str, Link]) -> Candidate:
    record = one.record
    return Candidate(
        one.key,
        record.kind,
        record.confidence,
        (now_ms - record.updated) / _DAY_MS,
        # a message is what was said, and does not become less so
        by_person=record.by_person or one.is_turn,
        contradicted=not one.is_turn and one.id in flags,
        half_life_days=record.half_life,
    )


def _recollection(one: Found, ranked: Ranked, flags: Mapping[str, Link]) -> Recollection:
    record = one.record
    return Recollection(
        one.scope,
        one.name,
        message_text(record) if one.is_turn else record.value,
        message_text(record) if one.is_turn else record.sentence or sentence(one.name, record.value),
        ranked.score,
        record.writer,
        from_ms(record.created),
        from_ms(record.updated),
        ranked.why(),
        flags[one.id].source if ranked.contradicted else None,
    )
