"""A few documents, an encoder that knows their topics, and a way to ask."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pincite.catalog.sqlite import SqliteCatalog
from pincite.deps import Deps
from pincite.errors import ModelUnavailable
from pincite.index.local import LocalIndex
from pincite.model import (
    CollectionSpec,
    DocumentRecord,
    EvidencePack,
    IndexedDocument,
    Matrix,
    Point,
    Question,
    Scope,
    SourceType,
    TaskMode,
    Vector,
)
from pincite.ports import Files, Reranker, Searchable, Store
from pincite.profile import Profile
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.providers.sparse.language import guess_language
from pincite.scope.choosing import Admit
from pincite.search import search
from pincite.stores.memory import MemoryStore
from pincite.trace import Trace
from tests.builders import chunk

TEXTS = {
    "keys": "To rotate a key call rotate_key with the new secret.",
    "backups": "Backups run every night and are kept for thirty days.",
    "billing": "Invoices are sent on the first day of each month.",
}
TOPICS = ("key", "secret", "backup", "night", "invoice", "month")


@dataclass
class TopicEncoder:
    """A direction for each topic word: close enough to meaning for three sentences."""

    fingerprint: str = "topics/1"
    dimensions: int = len(TOPICS) + 1
    languages: frozenset[str] = field(default_factory=lambda: frozenset({"english"}))
    broken: bool = False

    async def embed_query(self, text: str) -> Vector:
        if self.broken:
            raise ModelUnavailable("the weights are gone")
        words = text.lower()
        vector = np.array([*(float(words.count(topic)) for topic in TOPICS), 0.1], np.float32)
        return vector / np.linalg.norm(vector)

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return np.stack([await self.embed_query(text) for text in texts])


async def make(
    dense: TopicEncoder | None,
    texts: Mapping[str, str],
    name: str = "main",
    kinds: Mapping[str, SourceType] | None = None,
    store: Store | None = None,
) -> Searchable:
    """A collection of one chunk per text; `kinds` by path, `docs` where nothing is said."""
    of = kinds or {}
    index = LocalIndex(store or MemoryStore(), SqliteCatalog(":memory:"))
    sparse = Bm25Encoder()
    spec = CollectionSpec(
        *(name, sparse.fingerprint, "chunker"),
        dense=dense.fingerprint if dense else None,
        dimensions=dense.dimensions if dense else 0,
        average_length=10.0,
    )
    await index.create(spec)
    for path, text in texts.items():
        vector, length = sparse.encode_document(text, 10.0)
        row = (await dense.embed_documents([text]))[0] if dense else None
        one = chunk(path, text=text, source_type=of.get(path, "docs"), path=path)
        record = DocumentRecord(
            *("acme/docs", path, path, "0" * 64, "c0ffee", 1, 1, 1, length),
            source_type=one.source_type,
        )
        points = [Point(one, vector, length, row)]
        await index.replace(name, [IndexedDocument(record, points)])
    kinds_there = frozenset(of.get(path, "docs") for path in texts)
    return Searchable(spec, index, sparse, dense, kinds=kinds_there)


def ask(
    text: str,
    *collections: Searchable,
    profile: Profile | None = None,
    scope: Scope | None = None,
    trace: Trace | None = None,
    mode: TaskMode = "explain",
    budget_ms: float | None = None,
    reranker: Reranker | None = None,
    files: Files | None = None,
    subqueries: tuple[str, ...] = (),
    admit: Admit | None = None,
) -> EvidencePack:
    """One search. The clock counts a second with every look at it."""
    analyser = Bm25Encoder().analyser
    deps = Deps(
        *(collections, lambda t: frozenset(analyser.terms(t)), guess_language, reranker),
        files=files,
        admit=admit,
    )
    ticks = itertools.count()
    return asyncio.run(
        search(
            Question(text, scope or Scope(), mode, budget_ms, subqueries=subqueries),
            deps,
            profile or Profile(),
            trace or Trace(lambda: float(next(ticks))),
        )
    )
