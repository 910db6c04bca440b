"""Ports with a cache, so that searches of a sweep send each request once.

The searches of a sweep differ only in their profiles. Query vectors, rankings, chunks and rerank
scores depend only on the call, so each distinct call is made once, for all stages and profiles. The
stages themselves are not changed, and the order of the steps does not matter here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pincite.deps import Deps
from pincite.model import Chunk, DocumentRecord, Matrix, Ranking, SignalKind, Vector
from pincite.ports import (
    DenseEncoder,
    Readable,
    Reranker,
    RerankScore,
    Searchable,
    SearchRequest,
    Stored,
)
from pincite.support.fields import field_names, replace

T = TypeVar("T")


@dataclass(slots=True)
class Ledger:
    """Counts of calls made and of calls answered from the cache. `saved_ms` is the time of the
    first calls of cached results since `take`: a search without a cache would have taken so much
    longer (times of parallel calls add up)."""

    made: dict[str, int] = field(default_factory=dict)
    remembered: dict[str, int] = field(default_factory=dict)
    saved_ms: float = 0.0

    def count(self, what: str, made: int, remembered: int) -> None:
        """Add calls of one kind; for `load`, chunks are counted."""
        self.made[what] = self.made.get(what, 0) + made
        self.remembered[what] = self.remembered.get(what, 0) + remembered

    def take(self) -> float:
        """Return `saved_ms`, and set it to 0."""
        saved, self.saved_ms = self.saved_ms, 0.0
        return saved


class Memory:
    """Results by call, with the duration of the call."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._known: dict[Hashable, tuple[Any, float]] = {}

    async def of(self, what: str, key: Hashable, call: Callable[[], Any]) -> Any:
        """Return the result of the async `call`, which is called once for each (what, key)."""
        found = self._known.get((what, key))
        if found is None:
            started_s = time.perf_counter()
            value = await call()
            found = self._known[what, key] = (value, (time.perf_counter() - started_s) * 1000)
            self.ledger.count(what, 1, 0)
        else:
            self.ledger.count(what, 0, 1)
            self.ledger.saved_ms += found[1]
        return found[0]


def share(deps: Deps, ledger: Ledger) -> Deps:
    """Return the same dependencies with a cache of their own, which counts in `ledger`."""
    memory = Memory(ledger)
    collections = tuple(_shared(one, memory) for one in deps.collections)
    terms: dict[str, frozenset[str]] = {}

    def remembered_terms(text: str) -> frozenset[str]:
        if text not in terms:
            terms[text] = deps.terms(text)
        return terms[text]

    return replace(
        deps,
        collections=collections,
        terms=remembered_terms,
        language_of=_remember(deps.language_of),
        reranker=CachedReranker(deps.reranker, memory) if deps.reranker else None,
    )


def _remember(function: Callable[[str], str]) -> Callable[[str], str]:
    known: dict[str, str] = {}

    def remembered(text: str) -> str:
        if text not in known:
            known[text] = function(text)
        return known[text]

    return remembered


def _shared(collection: Searchable, memory: Memory) -> Searchable:
    return replace(
        collection,
        index=CachedIndex(collection.index, memory),
        sparse=collection.sparse,
        dense=CachedEncoder(collection.dense, memory) if collection.dense else None,
    )


class CachedEncoder:
    """A `DenseEncoder` that embeds each query once."""

    def __init__(self, encoder: DenseEncoder, memory: Memory) -> None:
        self._encoder = encoder
        self._memory = memory
        self.fingerprint = encoder.fingerprint
        self.dimensions = encoder.dimensions
        self.languages = encoder.languages

    async def embed_query(self, text: str) -> Vector:
        key = (self.fingerprint, text)
        vector: Vector = await self._memory.of(
            "embed", key, lambda: self._encoder.embed_query(text)
        )
        return vector

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return await self._encoder.embed_documents(texts)


class CachedReranker:
    """A `Reranker` that scores the same documents for the same query once."""

    def __init__(self, reranker: Reranker, memory: Memory) -> None:
        self._reranker = reranker
        self._memory = memory
        self.fingerprint = reranker.fingerprint
        self.kind: SignalKind = reranker.kind
        self.listwise = reranker.listwise
        self.instructed = reranker.instructed

    async def rerank(
        self,
        query: str,
        documents: Sequence[str],
        top_n: int | None = None,
        *,
        instruction: str = "",
    ) -> tuple[RerankScore, ...]:
        key = (self.fingerprint, query, tuple(documents), top_n, instruction)
        scores: tuple[RerankScore, ...] = await self._memory.of(
            "rerank",
            key,
            lambda: self._reranker.rerank(query, documents, top_n, instruction=instruction),
        )
        return scores


class CachedIndex:
    """A `Readable` that caches the results of calls. Chunks are cached one by one, so that
    overlapping pools share them; each has an equal part of the call's time."""

    def __init__(self, index: Readable, memory: Memory) -> None:
        self._index = index
        self._memory = memory
        self._chunks: dict[tuple[str, str, bool], tuple[Stored, float]] = {}

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        key = (collection, _frozen(request))
        rankings: tuple[Ranking, ...] = await self._memory.of(
            "search", key, lambda: self._index.search(collection, request)
        )
        return rankings

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        known, ledger = self._chunks, self._memory.ledger
        unknown = [key for key in ids if (collection, key, vectors) not in known]
        ledger.saved_ms += sum(
            known[collection, key, vectors][1] for key in ids if (collection, key, vectors) in known
        )
        if unknown:
            started_s = time.perf_counter()
            fresh = await self._index.load(collection, unknown, vectors=vectors)
            each_ms = (time.perf_counter() - started_s) * 1000 / len(unknown)
            known.update({(collection, one.chunk.id, vectors): (one, each_ms) for one in fresh})
        ledger.count("load", len(unknown), len(ids) - len(unknown))
        return tuple(
            found[0] for key in ids if (found := known.get((collection, key, vectors))) is not None
        )

    async def documents(
        self, collection: str, source: str | None = None
    ) -> tuple[DocumentRecord, ...]:
        records: tuple[DocumentRecord, ...] = await self._memory.of(
            "documents", (collection, source), lambda: self._index.documents(collection, source)
        )
        return records

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        return await self._index.page(collection, after, limit)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the index itself: methods that write or are rarely called are not
        cached."""
        return getattr(self._index, name)


def _frozen(value: Any) -> Hashable:
    """Return a request as a key, with vectors as bytes."""
    if names := field_names(type(value)):
        return (type(value), *(_frozen(getattr(value, name)) for name in names))
    if isinstance(value, Mapping):
        return tuple(sorted((key, _frozen(item)) for key, item in value.items()))
    if isinstance(value, tuple | list):
        return tuple(map(_frozen, value))
    raw: Hashable = value.tobytes() if hasattr(value, "tobytes") else value
    return raw
