"""Run a hybrid search in two round trips, or in one call if the server fuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from qdrant_client import models

from pincite.model import CollectionSpec, Hit, Ranking, SignalKind, SignalName
from pincite.ports import SearchRequest
from pincite.stores.payload import DENSE, REVISION, SPARSE
from pincite.stores.qdrant.connection import Connection
from pincite.stores.qdrant.translate import among_ids, to_filter, to_hits, to_sparse

#: For quantised vectors: twice as many hits are found, and sorted by the vectors themselves. It has
#: no effect on other vectors.
_BY_THE_VECTORS = models.QuantizationSearchParams(rescore=True, oversampling=2.0)


@dataclass(frozen=True, slots=True)
class Branch:
    """One side of a request. `query` is None if there is nothing to search for."""

    signal: SignalName
    kind: SignalKind
    using: str
    query: Any
    limit: int
    params: models.SearchParams | None = None


def branches_of(
    spec: CollectionSpec, request: SearchRequest, corpus: models.Filter | None = None
) -> list[Branch]:
    """Return the requested sides. `corpus` selects the points whose words count for the IDF of
    BM25; None selects all."""
    branches = []
    if request.dense is not None:
        query = None if spec.dense is None else request.dense.tolist()
        params = models.SearchParams(
            hnsw_ef=request.hnsw_ef, exact=request.exact, quantization=_BY_THE_VECTORS
        )
        branches.append(Branch("dense", "cosine", DENSE, query, request.dense_limit, params))
    if request.sparse is not None:
        query = to_sparse(request.sparse) if request.sparse.indices else None
        kind: SignalKind = "bm25" if spec.idf else "dot"
        among = None
        if spec.idf and corpus is not None:
            among = models.SearchParams(idf=models.IdfCorpusParams(corpus=corpus))
        branches.append(Branch("sparse", kind, SPARSE, query, request.sparse_limit, among))
    return branches


@dataclass(frozen=True, slots=True)
class BranchHits:
    """Hits with the revision of each."""

    hits: list[Hit]
    revisions: Mapping[str, str]

    def without(self, hidden: frozenset[str]) -> list[Hit]:
        """Return the hits without those of the given revisions."""
        return [hit for hit in self.hits if self.revisions[hit.id] not in hidden]


class Searching:
    """One request to one collection."""

    def __init__(
        self,
        connection: Connection,
        name: str,
        spec: CollectionSpec,
        request: SearchRequest,
        options: dict[str, Any],
        *,
        filtered_idf: bool = False,
    ) -> None:
        self._connection = connection
        self._name = name
        self._spec = spec
        self._request = request
        self._options = options
        corpus = to_filter(request.filter) if filtered_idf else None
        self.branches = branches_of(spec, request, corpus)

    async def found(self, hidden: frozenset[str]) -> list[BranchHits]:
        """Return the hits of each side, both in one request."""
        filter_ = to_filter(self._request.filter, hidden)
        return await self._batch(
            [
                models.QueryRequest(
                    query=branch.query,
                    using=branch.using,
                    filter=filter_,
                    params=branch.params,
                    limit=branch.limit,
                    with_payload=[REVISION],
                )
                if branch.query is not None
                else None
                for branch in self.branches
            ]
        )

    async def tails(self, heads: Sequence[BranchHits]) -> list[BranchHits]:
        """Return the scores of each side for hits that only the other side found."""
        union = {hit.id for head in heads for hit in head.hits}
        queries = []
        for branch, head in zip(self.branches, heads, strict=True):
            lacking = sorted(union - head.revisions.keys()) if self._request.complete else []
            query = None
            if lacking and branch.query is not None:
                query = models.QueryRequest(
                    query=branch.query,
                    using=branch.using,
                    filter=models.Filter(must=[among_ids(str(UUID(hex=key)) for key in lacking)]),
                    params=models.SearchParams(exact=True)
                    if branch.using == DENSE
                    else branch.params,
                    limit=len(lacking),
                    with_payload=[REVISION],
                )
            queries.append(query)
        return await self._batch(queries)

    def rankings(
        self, heads: Sequence[BranchHits], tails: Sequence[BranchHits], hidden: frozenset[str]
    ) -> tuple[Ranking, ...]:
        """Return the result without revisions that are hidden by now."""
        made = []
        for branch, head, tail in zip(self.branches, heads, tails, strict=True):
            own, asked = head.without(hidden), tail.without(hidden)
            name, hits = self._spec.name, (*own, *asked)
            made.append(Ranking(name, branch.signal, branch.kind, hits, len(own)))
        return tuple(made)

    async def _batch(self, queries: Sequence[models.QueryRequest | None]) -> list[BranchHits]:
        """Return the hits of each query; a query that is None has none."""
        asked = [query for query in queries if query is not None]
        if not asked:
            return [BranchHits([], {}) for _ in queries]
        answers = iter(
            await self._connection.ask(
                f"search {self._name}",
                lambda client: client.query_batch_points(self._name, asked, **self._options),
            )
        )
        return [
            BranchHits([], {}) if query is None else _found(next(answers).points)
            for query in queries
        ]


class Fusing(Searching):
    """Both branches in one call. The server reads filters and parameters of a prefetch only, and
    counts ranks from 0, so that its k is one more than ours."""

    async def found(self, hidden: frozenset[str]) -> list[BranchHits]:
        request = self._request
        filter_ = to_filter(request.filter, hidden)
        prefetches = [
            models.Prefetch(
                query=branch.query,
                using=branch.using,
                filter=filter_,
                params=branch.params,
                limit=branch.limit,
            )
            for branch in self.branches
            if branch.query is not None
        ]
        fusion: models.RrfQuery | models.FusionQuery = models.FusionQuery(fusion=models.Fusion.DBSF)
        if request.fusion == "rrf":
            fusion = models.RrfQuery(rrf=models.Rrf(k=request.fusion_k + 1))
        if not prefetches:
            return [BranchHits([], {})]
        answer = await self._connection.ask(
            f"search {self._name}",
            lambda client: client.query_points(
                self._name,
                prefetch=prefetches,
                query=fusion,
                limit=request.fusion_limit,
                with_payload=[REVISION],
                **self._options,
            ),
        )
        return [_found(answer.points)]

    async def tails(self, heads: Sequence[BranchHits]) -> list[BranchHits]:  # noqa: ARG002 - nothing lacks
        return []

    def rankings(
        self,
        heads: Sequence[BranchHits],
        tails: Sequence[BranchHits],  # noqa: ARG002 - there are none
        hidden: frozenset[str],
    ) -> tuple[Ranking, ...]:
        kind: SignalKind = "dbsf" if self._request.fusion == "dbsf" else "rrf"
        hits = tuple(heads[0].without(hidden))
        return (Ranking(self._spec.name, "fused", kind, hits, len(hits)),)


def _found(points: Sequence[models.ScoredPoint]) -> BranchHits:
    revisions = {UUID(str(p.id)).hex: (p.payload or {})[REVISION] for p in points}
    return BranchHits(to_hits(points), revisions)
